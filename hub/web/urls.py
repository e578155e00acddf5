"""Pages that know nothing of what is remembered."""

from __future__ import annotations

from django.urls import path

from hub.web import agents, audit, health, signin

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("sign-in", signin.SignIn.as_view(), name="sign-in"),
    path("sign-out", signin.SignOut.as_view(), name="sign-out"),
    path("agents", agents.agents_page, name="agents"),
    path("audit", audit.audit_page, name="audit"),
]
