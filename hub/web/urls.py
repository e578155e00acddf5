"""Pages that know nothing of what is remembered."""

from __future__ import annotations

from django.urls import path

from hub.web import agents, audit, health, roles, signin

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("sign-in", signin.SignIn.as_view(), name="sign-in"),
    path("sign-out", signin.SignOut.as_view(), name="sign-out"),
    path("agents", agents.agents_page, name="agents"),
    path("agents/<str:agent>/tokens", agents.make_token, name="agent-token"),
    path("agents/<str:agent>/tokens/revoke", agents.revoke_token, name="agent-token-revoke"),
    path("agents/<str:agent>/enabled", agents.switch, name="agent-switch"),
    path("agents/<str:agent>/roles", agents.hold_role, name="agent-role"),
    path("roles", roles.make_role, name="roles"),
    path("audit", audit.audit_page, name="audit"),
]
