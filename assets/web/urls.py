"""Pages of what is remembered."""

from __future__ import annotations

from django.urls import path

from assets.web import assets, loadout_versions, loadouts, try_it

urlpatterns = [
    path("", assets.home, name="home"),
    path("try", try_it.try_page, name="try"),
    path("try/unbind", try_it.unbind, name="unbind"),
    path("try/bind", try_it.bind, name="bind"),
    path("assets", assets.assets_page, name="assets"),
    path("assets/<str:asset>", assets.asset_page, name="asset"),
    path("loadouts", loadouts.matrix_page, name="loadouts"),
    path("loadouts/<str:holder>", loadouts.loadout_page, name="loadout"),
    path("loadouts/<str:holder>/versions", loadout_versions.versions_page, name="loadout-versions"),
    path("loadouts/<str:holder>/rollback", loadout_versions.roll_back, name="loadout-rollback"),
    path("loadouts/<str:holder>/export", loadout_versions.export, name="loadout-export"),
]
