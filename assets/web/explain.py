"""/access: why somebody may or may not, who can use an asset, what somebody can use; printed from the rules."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from assets import access
from assets.services import audiences, bindings, explanations, flip_acts, flip_steps, loadout_rows
from assets.services.shapes import Explanation
from assets.web import words
from assets.web.parties import Parties, askable, parties_of
from hub import ids
from hub.authn.principal import ACTIONS, MANAGE, READ, Principal
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Forbidden, Invalid, Missing, Problem

MOST_COMPARED = 8  # agents of whom the same is asked


@login_required
def access_page(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    asked = _asked(request.GET)
    if not asked["who"] and viewer.user:
        asked["who"] = ids.public("user", viewer.user)
    parties = parties_of(viewer)
    choices = askable(viewer, parties)
    found: Explanation | None = None
    others: list[dict[str, Any]] = []
    if asked["asset"] or asked["node"]:
        try:
            found = _explain(viewer, asked)
            others = _others(viewer, asked, choices)
        except (Missing, Invalid) as error:
            raise Http404 from error
    flip = found.flip if found is not None else None
    shown = {
        "rows": _rows(viewer, found, parties, asked["asset"]),
        "asked": asked, "choices": choices, "actions": ACTIONS, "assets": _assets(viewer), "found": found,
        "who": choices.get(asked["who"], parties.name(asked["who"])), "parties": parties, "others": others,
        "steps": [_step(one, parties, asked["asset"]) for one in flip.steps] if flip else [],
        "may_take": flip is not None and flip_acts.takable(viewer, flip.steps), "order": [rule.name for rule in access.RULES],
    }  # fmt: skip
    return render(request, "assets/access.html", shown)


def _rows(viewer: Principal, found: Explanation | None, parties: Parties, asset: str) -> list[dict[str, Any]]:
    """The lines, each with the row that decided in words: which binding, of whom."""
    if found is None:
        return []
    known = ids.parse("asset", asset)
    bound = {one["id"]: one for one in bindings.list_bindings(viewer, asset=known)} if known else {}
    rows = []
    for line in found.rules:
        kind, _sep, rest = (audiences.public_row(line.row) or "").partition(" ")
        binding = bound.get(rest)
        holder = binding and (
            parties.name(binding["role"] or binding["agent"]) if not binding["base"] else _("Base")
        )
        rows.append({"line": line, "kind": kind, "id": rest, "holder": holder})
    return rows


def _asked(given: Any) -> dict[str, str]:
    asked = {name: str(given.get(name, "")).strip() for name in ("who", "action", "asset", "node")}
    return asked | {"action": asked["action"] or READ}


def _assets(viewer: Principal, *, managed: bool = False) -> list[tuple[str, Any]]:
    rows = loadout_rows.list_rows(viewer).rows
    return [(ids.public("asset", row.id), row) for row in rows if not managed or MANAGE in row.actions]


def _explain(viewer: Principal, asked: dict[str, str]) -> Explanation:
    asset, node = _ids(asked)
    who = explanations.principal_named(viewer, asked["who"] or None)
    return explanations.explain(
        viewer, who=who, action=asked["action"], asset=asset, node=node, with_flip=True
    )


def _ids(asked: dict[str, str]) -> tuple[UUID | None, UUID | None]:
    """The asset and node of a question. Raises Missing for what is no id."""
    asset, node = ids.parse("asset", asked["asset"]), ids.parse("node", asked["node"])
    if (asked["asset"] and asset is None) or (asked["node"] and node is None):
        raise Missing
    return asset, node


def _others(viewer: Principal, asked: dict[str, str], choices: dict[str, str]) -> list[dict[str, Any]]:
    """The same question for other agents that the viewer may ask about."""
    named = [one for one in choices if one.startswith("agt_") and one != asked["who"]][:MOST_COMPARED]
    asset, node = _ids(asked)
    found = []
    for one in named:
        who = explanations.principal_named(viewer, one)
        answer = explanations.explain(viewer, who=who, action=asked["action"], asset=asset, node=node)
        found.append({
            "name": choices[one], "allowed": answer.allowed, "rule": answer.rule,
            "address": f"?{urlencode(asked | {'who': one})}",
        })  # fmt: skip
    return found


def _step(step: flip_steps.Step, parties: Parties, asset: str) -> dict[str, str]:
    """The step in the page's language, and the page on which it is done."""
    fixed, gaps = step.words()
    place = ""
    if isinstance(step, flip_steps.Visible):
        place = f"/assets/{asset}/visibility?to={step.visibility}"
    return {"text": words.filled(fixed, gaps, parties.named), "place": place}


@login_required
@require_POST
def take(request: HttpRequest) -> HttpResponse:
    """Do what flips the answer, then show the question again."""
    viewer = principal_of(request)
    asked = _asked(request.POST)
    try:
        asset, node = _ids(asked)
        who = explanations.principal_named(viewer, asked["who"] or None)
        if asset is None:
            raise Missing
        flip_acts.take(
            viewer, who=who, action=asked["action"], asset=asset, node=node,
            reason=request.POST.get("reason", ""),
        )  # fmt: skip
    except Missing as error:
        raise Http404 from error
    except Forbidden:
        raise
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        messages.success(request, _("Done. This is the answer now."))
    return redirect(f"/access?{urlencode({name: value for name, value in asked.items() if value})}")


@login_required
def who_can_page(request: HttpRequest) -> HttpResponse:
    """The people and agents who may do something to one asset."""
    viewer = principal_of(request)
    asked = _asked(request.GET)
    page, refusal = None, ""
    try:
        asset, _node = _ids(asked)
        if asset is not None:
            page = audiences.who_can(
                viewer, asset=asset, action=asked["action"], cursor=request.GET.get("cursor")
            )
    except (Missing, Invalid) as error:
        raise Http404 from error
    except Forbidden as error:
        refusal = words.said(error)
    shown = {
        "asked": asked, "actions": ACTIONS, "assets": _assets(viewer, managed=True), "page": page,
        "refusal": refusal, "askable": askable(viewer, parties_of(viewer)),
    }  # fmt: skip
    return render(request, "assets/who_can.html", shown)


@login_required
def what_can_page(request: HttpRequest) -> HttpResponse:
    """The assets that somebody may use, of those that the viewer may see."""
    viewer = principal_of(request)
    asked = _asked(request.GET)
    parties = parties_of(viewer)
    try:
        who = explanations.principal_named(viewer, asked["who"] or None)
        page = audiences.what_can(viewer, who=who, action=asked["action"], cursor=request.GET.get("cursor"))
    except (Missing, Invalid) as error:
        raise Http404 from error
    shown = {
        "asked": asked, "actions": ACTIONS, "choices": askable(viewer, parties),
        "rows": [(ids.public("asset", row.id), row, by) for row, by in page.items],
        "next_cursor": page.next_cursor,
    }  # fmt: skip
    return render(request, "assets/what_can.html", shown)


access_page.policy = Policy("access page", "session", "read", "explain", "read")  # type: ignore[attr-defined]
take.policy = Policy("take the change", "session", "manage", "explain", "write")  # type: ignore[attr-defined]
who_can_page.policy = Policy("who can page", "session", "manage", "access.list", "read")  # type: ignore[attr-defined]
what_can_page.policy = Policy("what can page", "session", "read", "access.list", "read")  # type: ignore[attr-defined]
