"""Pages of what is remembered."""

from __future__ import annotations

from django.urls import path

from assets.web import (
    agents,
    assets,
    explain,
    holdings,
    loadout_versions,
    loadouts,
    try_it,
    visibility,
)

urlpatterns = [
    path("", assets.home, name="home"),
    path("try", try_it.try_page, name="try"),
    path("try/unbind", try_it.unbind, name="unbind"),
    path("try/bind", try_it.bind, name="bind"),
    path("assets", assets.assets_page, name="assets"),
    path("assets/<str:asset>", assets.asset_page, name="asset"),
    path("assets/<str:asset>/edit", assets.edit_page, name="asset-edit"),
    path("assets/<str:asset>/status", assets.set_status, name="asset-status"),
    path("assets/<str:asset>/quarantine", assets.set_quarantine, name="asset-quarantine"),
    path("assets/<str:asset>/versions", assets.versions_page, name="asset-versions"),
    path("assets/<str:asset>/visibility", visibility.visibility_page, name="asset-visibility"),
    path("assets/<str:asset>/access", holdings.access_page, name="asset-access"),
    path("assets/<str:asset>/access/<str:what>/add", holdings.add, name="asset-access-add"),
    path("assets/<str:asset>/access/<str:what>/remove", holdings.remove, name="asset-access-remove"),
    path("loadouts", loadouts.matrix_page, name="loadouts"),
    path("loadouts/<str:holder>", loadouts.loadout_page, name="loadout"),
    path("loadouts/<str:holder>/versions", loadout_versions.versions_page, name="loadout-versions"),
    path("loadouts/<str:holder>/rollback", loadout_versions.roll_back, name="loadout-rollback"),
    path("loadouts/<str:holder>/export", loadout_versions.export, name="loadout-export"),
    path("agents/<str:agent>", agents.agent_page, name="agent"),
    path("access", explain.access_page, name="access"),
    path("access/take", explain.take, name="access-take"),
    path("access/who-can", explain.who_can_page, name="who-can"),
    path("access/what-can", explain.what_can_page, name="what-can"),
]
