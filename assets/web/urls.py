"""Pages of what is remembered."""

from __future__ import annotations

from django.urls import path

from assets.web import assets, try_it

urlpatterns = [
    path("", assets.home, name="home"),
    path("try", try_it.try_page, name="try"),
    path("try/unbind", try_it.unbind, name="unbind"),
    path("try/bind", try_it.bind, name="bind"),
    path("assets", assets.assets_page, name="assets"),
    path("assets/<str:asset>", assets.asset_page, name="asset"),
]
