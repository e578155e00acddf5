"""Addresses of the API for what is remembered."""

from __future__ import annotations

from django.urls import path

from assets.api import (
    assets,
    audiences,
    bindings,
    explain,
    grants,
    imports,
    loadout_versions,
    loadouts,
    nodes,
    packs,
    remember,
    retrieve,
    statuses,
    visibility,
)

urlpatterns = [
    path("retrieve", retrieve.RetrieveView.as_view()),
    path("remember", remember.RememberView.as_view()),
    path("assets", assets.AssetsView.as_view()),
    path("assets/<str:asset>", assets.AssetView.as_view()),
    path("assets/<str:asset>/nodes", nodes.NodesView.as_view()),
    path("assets/<str:asset>/grants", grants.GrantsView.as_view()),
    path("assets/<str:asset>/denials", grants.DenialsView.as_view()),
    path("assets/<str:asset>/visibility", visibility.VisibilityView.as_view()),
    path("assets/<str:asset>/status", statuses.StatusView.as_view()),
    path("assets/<str:asset>/quarantine", statuses.QuarantineView.as_view()),
    path("nodes", nodes.TaggedView.as_view()),
    path("nodes/<str:node>", nodes.NodeView.as_view()),
    path("grants/<str:grant>", grants.GrantView.as_view()),
    path("denials/<str:denial>", grants.DenialView.as_view()),
    path("imports", imports.ImportsView.as_view()),
    path("jobs/<str:job>", imports.JobView.as_view()),
    path("bindings", bindings.BindingsView.as_view()),
    path("bindings/<str:binding>", bindings.BindingView.as_view()),
    path("loadouts", loadouts.LoadoutsView.as_view()),
    path("loadouts/<str:holder>", loadouts.LoadoutView.as_view()),
    path("loadouts/<str:holder>/preview", loadouts.PreviewView.as_view()),
    path("loadouts/<str:holder>/versions", loadout_versions.VersionsView.as_view()),
    path("loadouts/<str:holder>/difference", loadout_versions.DifferenceView.as_view()),
    path("loadouts/<str:holder>/rollback", loadout_versions.RollBackView.as_view()),
    path("loadouts/<str:holder>/export", loadout_versions.ExportView.as_view()),
    path("loadouts/<str:holder>/import", loadout_versions.ImportView.as_view()),
    path("loadout-templates/<str:template>", loadouts.TemplateView.as_view()),
    path("me/pack", packs.PackView.as_view()),
    path("access/explain", explain.ExplainView.as_view()),
    path("access/who-can", audiences.WhoCanView.as_view()),
    path("access/what-can", audiences.WhatCanView.as_view()),
]
