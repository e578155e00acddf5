"""/agents/...: one agent with its roles, what it carries, and its tokens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from assets.services import audiences, loadouts
from assets.services.explanations import principal_named
from assets.web.parties import parties_of
from hub import ids
from hub.authn import offices
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN
from hub.policy import Policy
from hub.problems import Missing
from hub.services import agents, tokens, uses
from hub.web import snippets


@login_required
def agent_page(request: HttpRequest, agent: str) -> HttpResponse:
    viewer = principal_of(request)
    known = ids.parse("agent", agent)
    try:
        if known is None:
            raise Missing
        row = agents.read_agent(viewer, known)
        direct = loadouts.read_loadout(viewer, agent)
    except Missing as error:
        raise Http404 from error
    parties = parties_of(viewer)
    is_admin = offices.holds(viewer, ADMIN)
    in_care = is_admin or row["responsible"] == (ids.public("user", viewer.user) if viewer.user else "")
    shown: dict[str, Any] = {
        "agent": row, "direct": direct, "parties": parties, "is_admin": is_admin, "in_care": in_care,
        "held": [(key, name) for key, name in parties.roles.items() if name in row["roles"]],
        "free": [(key, name) for key, name in parties.roles.items() if name not in row["roles"]],
        "curl": snippets.curl(settings.BASE_URL), "mcp": snippets.mcp(settings.BASE_URL),
        "python": snippets.python(settings.BASE_URL),
    }  # fmt: skip
    if in_care:
        page = audiences.what_can(viewer, who=principal_named(viewer, agent))
        listed, _more = tokens.list_tokens(viewer, agent=known, limit=100)
        used = uses.last_uses(viewer, known)
        shown |= {
            "carried": [(ids.public("asset", one.id), one, by) for one, by in page.items],
            "more_carried": page.next_cursor is not None, "seen": used.get(agent),
            "tokens": [one | {"used": used.get(one["id"]), "state": _state(one)} for one in listed],
        }  # fmt: skip
    return render(request, "assets/agent.html", shown)


def _state(token: dict[str, Any]) -> str:
    if token["revoked_at"] is not None:
        return "revoked"
    return "expired" if token["expires_at"] <= timezone.now() else "live"


agent_page.policy = Policy("agent page", "session", "read", "agent.list", "read")  # type: ignore[attr-defined]
