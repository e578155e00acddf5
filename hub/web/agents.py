"""/agents: the team's agents; made, switched, given roles and tokens by those who may."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from hub import ids
from hub.authn import offices
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN
from hub.policy import Policy
from hub.problems import Conflict, Invalid, Missing
from hub.services import agents, roles, tokens
from hub.web import snippets


@login_required
def agents_page(request: HttpRequest) -> HttpResponse:
    """The list; a post makes an agent."""
    viewer = principal_of(request)
    given = {name: request.POST.get(name, "").strip() for name in ("name", "description")}
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            made = agents.create_agent(viewer, **given)
        except Invalid as error:
            wrong = error.fields
        except Conflict:
            wrong = {"name": "The team has an agent of this name already."}
        else:
            messages.success(request, _("The agent was made. Give it a role, then a token."))
            return redirect("agent", agent=made["id"])
    shown = {
        "agents": agents.list_agents(viewer), "is_admin": offices.holds(viewer, ADMIN), "given": given,
        "wrong": wrong,
    }  # fmt: skip
    return render(request, "hub/agents.html", shown, status=422 if wrong else 200)


@login_required
@require_POST
def make_token(request: HttpRequest, agent: str) -> HttpResponse:
    """A new token. Its text stands in this answer alone: it is kept nowhere, so nothing redirects."""
    viewer = principal_of(request)
    known = _agent(agent)
    writes = request.POST.get("actions") != "read"
    try:
        row, text = tokens.mint(
            viewer, agent=known, actions=["read", "change"] if writes else ["read"],
            name=request.POST.get("name", "").strip(),
        )  # fmt: skip
        named = agents.read_agent(viewer, known)
    except Missing as error:
        raise Http404 from error
    shown = {
        "agent": named, "token": text, "row": row, "curl": snippets.curl(settings.BASE_URL, text),
        "mcp": snippets.mcp(settings.BASE_URL, text), "python": snippets.python(settings.BASE_URL, text),
    }  # fmt: skip
    return render(request, "hub/token.html", shown)


@login_required
@require_POST
def revoke_token(request: HttpRequest, agent: str) -> HttpResponse:
    token = ids.parse("token", request.POST.get("token", ""))
    try:
        if token is None:
            raise Missing
        tokens.revoke(principal_of(request), token)
    except Missing as error:
        raise Http404 from error
    messages.success(request, _("The token ended at once."))
    return redirect("agent", agent=agent)


@login_required
@require_POST
def switch(request: HttpRequest, agent: str) -> HttpResponse:
    """Off or on; its tokens follow at once."""
    return _done(request, agent, lambda viewer, known: agents.set_enabled(
        viewer, known, enabled=request.POST.get("enabled") == "yes"
    ), _("The agent was switched."))  # fmt: skip


@login_required
@require_POST
def hold_role(request: HttpRequest, agent: str) -> HttpResponse:
    """Give the agent a role, or take it."""
    role = ids.parse("role", request.POST.get("role", ""))
    if role is None:
        raise Http404
    reason = request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, _("Say why."))
        return redirect("agent", agent=agent)
    return _done(request, agent, lambda viewer, known: roles.hold(
        viewer, role=role, holder=("agent", known), holds=request.POST.get("holds") == "yes", reason=reason
    ), _("The roles of the agent were changed."))  # fmt: skip


def _done(request: HttpRequest, agent: str, act: Any, said: str) -> HttpResponse:
    try:
        act(principal_of(request), _agent(agent))
    except (Missing, Invalid) as error:
        raise Http404 from error
    messages.success(request, said)
    return redirect("agent", agent=agent)


def _agent(public: str) -> Any:
    known = ids.parse("agent", public)
    if known is None:
        raise Http404
    return known


agents_page.policy = Policy("agents page", "session", "", "agent.list", "write")  # type: ignore[attr-defined]
make_token.policy = Policy("agent token", "session", "", "token.create", "write")  # type: ignore[attr-defined]
revoke_token.policy = Policy("agent token end", "session", "", "token.revoke", "write")  # type: ignore[attr-defined]
switch.policy = Policy("agent switch", "session", "", "agent.change", "write")  # type: ignore[attr-defined]
hold_role.policy = Policy("agent role", "session", "", "role.hold", "write")  # type: ignore[attr-defined]
