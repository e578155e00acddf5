"""Addresses of the API for what is remembered."""

from __future__ import annotations

from django.urls import path

from assets.api import assets, bindings, explain, grants, imports, nodes, remember, retrieve

urlpatterns = [
    path("retrieve", retrieve.RetrieveView.as_view()),
    path("remember", remember.RememberView.as_view()),
    path("assets", assets.AssetsView.as_view()),
    path("assets/<str:asset>", assets.AssetView.as_view()),
    path("assets/<str:asset>/nodes", nodes.NodesView.as_view()),
    path("assets/<str:asset>/grants", grants.GrantsView.as_view()),
    path("assets/<str:asset>/denials", grants.DenialsView.as_view()),
    path("nodes", nodes.TaggedView.as_view()),
    path("nodes/<str:node>", nodes.NodeView.as_view()),
    path("grants/<str:grant>", grants.GrantView.as_view()),
    path("denials/<str:denial>", grants.DenialView.as_view()),
    path("imports", imports.ImportsView.as_view()),
    path("jobs/<str:job>", imports.JobView.as_view()),
    path("bindings", bindings.BindingsView.as_view()),
    path("bindings/<str:binding>", bindings.BindingView.as_view()),
    path("access/explain", explain.ExplainView.as_view()),
]
