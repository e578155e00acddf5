"""Every address: the API, the pages, health. Included by string, so that nothing is imported upwards."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("hub.web.urls")),
    path("", include("assets.web.urls")),
    path("api/v1/", include("hub.api.urls")),
    path("api/v1/", include("assets.api.urls")),
]
handler404 = "hub.web.errors.missing"
handler500 = "hub.web.errors.failed"
handler403 = "hub.web.errors.forbidden"
handler400 = "hub.web.errors.invalid"
