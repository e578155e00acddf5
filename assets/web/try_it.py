"""/try: one question, up to three principals side by side, each with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from assets.retrieval import compose
from assets.retrieval.types import Answer, Budget, Query
from assets.services import bindings, explanations, retrievals
from assets.services.shapes import Explanation
from hub import ids
from hub.authn import offices
from hub.authn.principal import CHANGE, READ, STRANGER, Principal
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN
from hub.policy import Policy
from hub.problems import Missing, Problem
from hub.services import agents

BUDGETS = (500, 1000, 2000, 4000, 8000)
MOST_COLUMNS = 3
STRANGER_NAME = "stranger"


@dataclass(frozen=True)
class Column:
    """One principal's answer, as the viewer may see it."""

    key: str
    name: str
    answer: Answer
    passages: list[dict[str, Any]]


@login_required
def try_page(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    choices = askable(viewer)
    text = request.GET.get("q", "").strip()
    budget = _budget(request.GET.get("budget"))
    chosen = [key for key in request.GET.getlist("as") if key in choices]
    chosen = (chosen or [*list(choices)[: MOST_COLUMNS - 1], STRANGER_NAME])[:MOST_COLUMNS]
    columns = []
    if text:
        query = Query(text[:4000], budget=Budget(tokens=budget))
        for key in chosen:
            columns.append(_column(viewer, key, choices, query))
    shown = {
        "q": text, "budget": budget, "budgets": BUDGETS, "choices": choices, "chosen": chosen,
        "columns": columns, "base_url": request.build_absolute_uri("/").rstrip("/"),
        "again": request.get_full_path(), "undo": request.session.pop("unbound", None),
    }  # fmt: skip
    return render(request, "assets/try.html", shown)


def askable(viewer: Principal) -> dict[str, str]:
    """Whom the viewer may ask as: agents in their care (all for a team admin), themselves, a stranger."""
    everybody = offices.holds(viewer, ADMIN)
    own = ids.public("user", viewer.user) if viewer.user else ""
    found = {
        row["id"]: f"{row['name']} ({', '.join(row['roles']) or '–'})"
        for row in (agents.list_agents(viewer) if viewer.user else [])
        if everybody or row["responsible"] == own
    }
    if own:
        found[own] = _("yourself")
    found[STRANGER_NAME] = _("a stranger")
    return found


def _column(viewer: Principal, key: str, choices: dict[str, str], query: Query) -> Column:
    who = _principal(viewer, key)
    language: compose.Language = "zh" if translation.get_language() == "zh-hans" else "en"
    answer = retrievals.retrieve(who, query, viewer=viewer, language=language)
    now = timezone.now()
    bound = bindings.list_bindings(viewer) if answer.passages and who.agent else []
    reasons: dict[UUID, Explanation] = {}
    passages = []
    for one in answer.passages:
        asset = one.ranked.asset
        if asset not in reasons:
            reasons[asset] = explanations.explain(viewer, who=who, action=READ, asset=asset)
        row = next((line.row for line in reasons[asset].rules if line.name == "binding"), None)
        binding = next(
            (item for item in bound if row and ids.parse("binding", item["id"]) == _uuid(row)), None
        )
        passages.append({
            "passage": one, "age": compose.age(one.ranked.happened_at, now, language),
            "asset": ids.public("asset", asset), "explanation": reasons[asset], "binding": binding,
        })  # fmt: skip
    return Column(key, choices[key], answer, passages)


def _principal(viewer: Principal, key: str) -> Principal:
    agent = ids.parse("agent", key)
    if agent is not None:
        return replace(viewer, user=None, agent=agent, actions=frozenset({READ, CHANGE}))
    return STRANGER if key == STRANGER_NAME else viewer


def _uuid(row: str) -> UUID | None:
    try:
        return UUID(row.removeprefix("binding "))
    except ValueError:
        return None


def _budget(text: str | None) -> int:
    return int(text) if text in {str(one) for one in BUDGETS} else 2000


@login_required
@require_POST
def unbind(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    binding = ids.parse("binding", request.POST.get("binding", ""))
    if binding is None:
        raise Http404
    try:
        row = next(
            one for one in bindings.list_bindings(viewer) if ids.parse("binding", one["id"]) == binding
        )
        bindings.unbind(viewer, binding, request.POST.get("reason", ""))
    except (StopIteration, Missing) as error:
        raise Http404 from error
    except Problem as error:
        messages.error(request, error.detail)
        return _back(request)
    request.session["unbound"] = {
        key: row[key] for key in ("asset", "agent", "role", "base", "access", "pin", "follow")
    }
    messages.success(request, _("Unbound. Binding it again brings it back."))
    return _back(request)


@login_required
@require_POST
def bind(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    asset = ids.parse("asset", request.POST.get("asset", ""))
    agent, role = (ids.parse(kind, request.POST.get(kind, "")) for kind in ("agent", "role"))
    if asset is None:
        raise Http404
    pin = request.POST.get("pin", "")
    try:
        bindings.bind(
            viewer, asset=asset, agent=agent, role=role, base=not agent and not role,
            access=request.POST.get("access", "read"), follow=request.POST.get("follow", "approved"),
            pin=int(pin) if pin.isdigit() else None, reason=request.POST.get("reason", ""),
        )  # fmt: skip
    except Missing as error:
        raise Http404 from error
    except Problem as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, _("Bound again."))
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    place = request.POST.get("again", "")
    return redirect(place if place.startswith("/try?") else "/try")


try_page.policy = Policy("try it", "session", "read", "retrieve", "search")  # type: ignore[attr-defined]
unbind.policy = Policy("unbind", "session", "manage", "binding.remove", "write")  # type: ignore[attr-defined]
bind.policy = Policy("bind", "session", "manage", "binding.create", "write")  # type: ignore[attr-defined]
