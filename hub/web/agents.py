"""/agents: the team's agents, as a plain list."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.services import agents


@login_required
def agents_page(request: HttpRequest) -> HttpResponse:
    rows = agents.list_agents(principal_of(request))
    return render(request, "hub/agents.html", {"agents": rows})


agents_page.policy = Policy("agents page", "session", "", "agent.list", "read")  # type: ignore[attr-defined]
