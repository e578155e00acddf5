"""/try: one question, up to three principals side by side, each with its reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
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
from assets.web import words
from hub import ids
from hub.authn import offices
from hub.authn.principal import CHANGE, MANAGE, READ, STRANGER, Principal
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN
from hub.policy import Policy
from hub.problems import Missing, Problem
from hub.services import agents

BUDGETS = (500, 1000, 2000, 4000, 8000)
MOST_COLUMNS = 3
STRANGER_NAME = "stranger"
LONGEST = retrievals.LONGEST_QUESTION
UNDO_WITHIN = 15 * 60  # seconds that the page offers to bind again
TERMS = ("asset", "agent", "role", "access", "mode", "pin", "follow", "priority", "share", "expires_at")


@dataclass(frozen=True)
class Column:
    """One principal's answer, as the viewer may see it."""

    key: str
    name: str
    answer: Answer
    passages: list[dict[str, Any]]
    is_stranger: bool


@dataclass(frozen=True)
class Reason:
    """Why an asset is in a column: the rules, and the binding with whether the viewer may end it."""

    explanation: Explanation
    binding: dict[str, Any] | None
    removable: bool


@login_required
def try_page(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    choices = askable(viewer)
    text = request.GET.get("q", "").replace("\x00", "").strip()
    budget = _budget(request.GET.get("budget"))
    asked = dict.fromkeys(key for part in request.GET.getlist("as") for key in part.split(","))
    named = [key for key in asked if key in choices]
    chosen = (named or [*list(choices)[: MOST_COLUMNS - 1], STRANGER_NAME])[:MOST_COLUMNS]
    columns: list[Column] = []
    if text:
        query = Query(text[:LONGEST], budget=Budget(tokens=budget))
        bound = bindings.list_bindings(viewer)
        columns = [_column(viewer, key, choices, query, bound) for key in chosen]
    shown = {
        "q": text, "budget": budget, "budgets": BUDGETS, "choices": choices, "chosen": chosen,
        "columns": columns, "too_many": len(named) > MOST_COLUMNS,
        "curl": words.curl(request.build_absolute_uri("/").rstrip("/"), text[:LONGEST], budget),
        "again": request.get_full_path(), "undo": _undo(request),
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


def _column(
    viewer: Principal, key: str, choices: dict[str, str], query: Query, bound: list[dict[str, Any]]
) -> Column:
    who = _principal(viewer, key)
    language: compose.Language = "zh" if translation.get_language() == "zh-hans" else "en"
    answer = retrievals.retrieve(who, query, viewer=viewer, language=language)
    now = timezone.now()
    reasons: dict[UUID, Reason] = {}
    passages = []
    for one in answer.passages:
        asset = one.ranked.asset
        if asset not in reasons:
            reasons[asset] = _reason(viewer, who, asset, bound)
        passages.append({
            "passage": one, "age": compose.age(one.ranked.happened_at, now, language),
            "asset": ids.public("asset", asset), "reason": reasons[asset],
        })  # fmt: skip
    return Column(key, choices[key], answer, passages, who.is_stranger)


def _reason(viewer: Principal, who: Principal, asset: UUID, bound: list[dict[str, Any]]) -> Reason:
    explanation = explanations.explain(viewer, who=who, action=READ, asset=asset)
    row = next((line.row for line in explanation.rules if line.name == "binding"), None)
    binding = next((one for one in bound if row and ids.parse("binding", one["id"]) == _uuid(row)), None)
    removable = (
        binding is not None and explanations.explain(viewer, who=viewer, action=MANAGE, asset=asset).allowed
    )
    return Reason(explanation, binding, removable)


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
        messages.error(request, words.said(error))
        return _back(request)
    terms = {name: str(row[name]) for name in TERMS if row[name] is not None}
    request.session["unbound"] = {
        "terms": terms, "at": timezone.now().timestamp(),
        "who": askable(viewer).get(request.POST.get("who", ""), ""),
    }  # fmt: skip
    return _back(request)


@login_required
@require_POST
def bind(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    asset = ids.parse("asset", request.POST.get("asset", ""))
    agent, role = (ids.parse(kind, request.POST.get(kind, "")) for kind in ("agent", "role"))
    if asset is None:
        raise Http404
    try:
        bindings.bind(
            viewer, asset=asset, agent=agent, role=role, base=not agent and not role,
            reason=request.POST.get("reason", ""), **_terms(request),
        )  # fmt: skip
    except (Missing, ValueError) as error:
        raise Http404 from error
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        request.session.pop("unbound", None)
        messages.success(request, _("Bound again."))
    return _back(request)


def _terms(request: HttpRequest) -> dict[str, Any]:
    """How it was bound, from the form. Raises ValueError for what no page of ours sends."""
    given = {name: request.POST[name] for name in TERMS[3:] if request.POST.get(name)}
    readers: dict[str, Callable[[str], Any]] = {
        "pin": int, "priority": int, "share": float, "expires_at": datetime.fromisoformat,
    }  # fmt: skip
    return {name: readers.get(name, str)(text) for name, text in given.items()}


def _undo(request: HttpRequest) -> dict[str, Any] | None:
    """What was unbound a short while ago, so that it can be bound again."""
    found: dict[str, Any] | None = request.session.get("unbound")
    if found and timezone.now().timestamp() - found["at"] > UNDO_WITHIN:
        del request.session["unbound"]
        return None
    return found


def _back(request: HttpRequest) -> HttpResponse:
    place = request.POST.get("again", "")
    return redirect(place if place.startswith("/try?") else "/try")


try_page.policy = Policy("try it", "session", "read", "retrieve", "search")  # type: ignore[attr-defined]
unbind.policy = Policy("unbind", "session", "manage", "binding.remove", "write")  # type: ignore[attr-defined]
bind.policy = Policy("bind", "session", "manage", "binding.create", "write")  # type: ignore[attr-defined]
