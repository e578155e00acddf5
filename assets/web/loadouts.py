"""/loadouts: who carries what, and one loadout as a draft that is previewed before it is saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from assets.services import loadout_previews, loadout_rows, loadout_templates, loadouts
from assets.services.loadouts import Stale
from assets.web import loadout_forms as forms
from assets.web import words
from assets.web.loadout_forms import Entry
from assets.web.parties import parties_of
from hub import ids
from hub.authn import offices
from hub.authn.principal import MANAGE, Principal
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN
from hub.policy import Policy
from hub.problems import Forbidden, Missing, Problem

BASE = "base"


@login_required
def matrix_page(request: HttpRequest) -> HttpResponse:
    """All roles and the base side by side; each column leads to its draft."""
    viewer = principal_of(request)
    text, kind = request.GET.get("q", "").replace("\x00", "")[:200], request.GET.get("kind", "")
    found = loadout_rows.list_rows(viewer, text=text, kind=kind)
    columns = _columns(viewer)
    base = columns[0]["by_asset"] if columns else {}
    rows = [
        {
            "id": (public := ids.public("asset", row.id)), "row": row,
            "cells": [
                {
                    "column": one, "item": one["by_asset"].get(public),
                    "inherited": base.get(public) if one["holder"] != BASE else None,
                }
                for one in columns
            ],
        }
        for row in found.rows
    ]  # fmt: skip
    shown = {
        "columns": columns, "rows": rows, "total": found.total, "q": text, "kind": kind, "kinds": words.KINDS,
        "is_admin": offices.holds(viewer, ADMIN),
    }  # fmt: skip
    return render(request, "assets/loadouts.html", shown)


def _columns(viewer: Principal) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = loadouts.list_loadouts(viewer, limit=100, cursor=cursor, with_agents=False)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    return [one | {"by_asset": {item["asset"]: item for item in one["items"]}} for one in found]


@dataclass
class Draft:
    """What a visitor is about to save, with what stands against it."""

    items: list[Entry]
    etag: str
    reason: str = ""
    budget: str = ""
    effect: dict[str, Any] | None = None
    stale: Stale | None = None
    wrong: dict[str, list[str]] = field(default_factory=dict)
    said: str = ""
    status: int = 200


@login_required
@require_http_methods(["GET", "POST"])
def loadout_page(request: HttpRequest, holder: str) -> HttpResponse:
    """One loadout: its draft in a form, what saving would do, and saving it with a reason."""
    viewer = principal_of(request)
    try:
        state = loadouts.read_loadout(viewer, holder)
    except Missing as error:
        raise Http404 from error
    saved = {one["asset"]: forms.terms_of(one) for one in state["items"]}
    budget = str(state["budget_tokens"] or "")
    if request.method == "GET":
        draft = Draft(list(saved.values()), state["etag"], budget=budget)
        if state["may_edit"]:
            _preview(viewer, holder, draft)
        return _shown(request, viewer, state, saved, draft)
    if not state["may_edit"]:
        raise Forbidden("This needs the office of admin in the team.")
    post = {name: str(value) for name, value in request.POST.items()}
    draft = Draft(
        forms.draft_of(post, saved), post.get("etag", ""), post.get("reason", ""), post.get("budget", budget)
    )
    act, _sep, which = post.get("act", "preview").partition(":")
    try:
        if act == "template":
            _add(draft, loadout_templates.propose(viewer, template=which)["items"])
        elif act == "import":
            given = request.FILES.get("file")
            draft.items = forms.document_in(given.read() if given else b"")
    except Missing as error:
        raise Http404 from error
    except Problem as error:
        draft.said, draft.status = words.said(error), 422
    if act == "save" and _save(request, viewer, holder, draft):
        return redirect("loadout", holder=holder)
    if draft.status == 200:
        _preview(viewer, holder, draft)
    if draft.stale is not None:  # what the draft would do to what is saved now
        _preview(viewer, holder, draft)
    return _shown(request, viewer, state, saved, draft)


def _add(draft: Draft, proposed: list[Entry]) -> None:
    there = {one["asset"] for one in draft.items}
    draft.items += [forms.terms_of(one) for one in proposed if one["asset"] not in there]


def _save(request: HttpRequest, viewer: Principal, holder: str, draft: Draft) -> bool:
    """Whether it was saved; if not, the draft says why."""
    try:
        loadouts.save(
            viewer, holder=holder, items=draft.items, etag=draft.etag, reason=draft.reason,
            budget_tokens=_tokens(draft.budget),
        )  # fmt: skip
    except Problem as error:
        _refused(draft, error)
        return False
    messages.success(request, _("Saved as a new version. The history below takes you back."))
    return True


def _preview(viewer: Principal, holder: str, draft: Draft) -> None:
    try:
        draft.effect = loadout_previews.preview(
            viewer,
            holder=holder,
            items=draft.items,
            etag=draft.etag or None,
            budget_tokens=_tokens(draft.budget),
        )
    except Problem as error:
        _refused(draft, error)


def _refused(draft: Draft, error: Problem) -> None:
    if isinstance(error, Missing):
        raise Http404 from error
    if isinstance(error, Stale):
        draft.stale, draft.status, draft.etag = error, 412, str(error.current["etag"])
        draft.said = words.said(error)
        return
    draft.wrong = forms.wrong_by_asset(error.fields, draft.items)
    draft.status = error.status if error.status != 400 else 422
    draft.said = words.said(error) if not error.fields else _("It cannot stand like this; see the marks.")


def _tokens(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _shown(
    request: HttpRequest, viewer: Principal, state: dict[str, Any], saved: dict[str, Entry], draft: Draft
) -> HttpResponse:
    if draft.stale is not None:
        state = dict(draft.stale.current)
        saved = {one["asset"]: forms.terms_of(one) for one in state["items"]}
    found = loadout_rows.list_rows(viewer)
    yours = {one["asset"]: one for one in draft.items}
    marked = forms.marks(saved, draft.items)
    base = {} if state["holder"] == BASE else _base(viewer)
    stopped: dict[str, list[dict[str, Any]]] = {}
    for agent in draft.effect["agents"] if draft.effect else ():
        for one in agent["without_effect"]:
            stopped.setdefault(one["asset"], []).append(
                one | {"agent": agent["name"], "agent_id": agent["agent"]}
            )
    rows = [
        {
            "id": (public := ids.public("asset", row.id)), "row": row, "item": yours.get(public),
            "fields": forms.fields_of(yours.get(public) or forms.PLAIN), "saved": saved.get(public),
            "mark": marked.of(public), "base": base.get(public), "wrong": draft.wrong.get(public, []),
            "stopped": stopped.get(public, []),
            "may": state["may_edit"] and MANAGE in row.actions
            and (row.visibility != "private" or state["kind"] == "agent"),
        }
        for row in found.rows
    ]  # fmt: skip
    there = {one["id"] for one in rows}
    titles = {ids.public("asset", row.id): row.title or row.name for row in found.rows}
    history = loadouts.list_versions(viewer, state["holder"], limit=2).items
    shown = {
        "state": state, "draft": draft, "rows": rows, "total": found.total, "kinds": words.KINDS,
        "kept": [(one["asset"], forms.fields_of(one)) for one in draft.items if one["asset"] not in there],
        "marks": marked, "titles": titles, "wrong": draft.wrong.get("", []), "parties": parties_of(viewer),
        "templates": loadout_templates.TEMPLATES, "latest": history[0] if history else None,
        "accesses": ("read", "write"), "modes": ("always", "retrieve", "on_demand"),
    }  # fmt: skip
    return render(request, "assets/loadout.html", shown, status=draft.status)


def _base(viewer: Principal) -> dict[str, Entry]:
    return {one["asset"]: one for one in loadouts.read_loadout(viewer, BASE)["items"]}


matrix_page.policy = Policy("loadouts page", "session", "read", "loadout.list", "read")  # type: ignore[attr-defined]
loadout_page.policy = Policy("loadout page", "session", "manage", "loadout.save", "write")  # type: ignore[attr-defined]
