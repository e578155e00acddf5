"""/assets/.../access: who has an asset: bindings, grants and denials, added and taken away with a reason."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from assets.services import audiences, bindings, denials, grants
from assets.web import words
from assets.web.assets import found, head
from assets.web.parties import askable, parties_of
from hub import ids
from hub.authn.principal import MANAGE, Principal
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Invalid, Missing, Problem

BASE = "base"
LEVELS = ("read", "change", "manage")


@login_required
def access_page(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, row = found(viewer, asset)
    manages = MANAGE in row.actions
    people = parties_of(viewer)
    shown = head(viewer, row) | {
        "bindings": bindings.list_bindings(viewer, asset=known), "parties": people, "levels": LEVELS,
        "grants": grants.list_grants(viewer, known) if manages else [],
        "denials": denials.list_denials(viewer, known) if manages else [],
        "readers": audiences.who_can(viewer, asset=known, limit=50) if manages else None,
        "askable": askable(viewer, people),
    }  # fmt: skip
    return render(request, "assets/asset_access.html", shown)


@login_required
@require_POST
def add(request: HttpRequest, asset: str, what: str) -> HttpResponse:
    """A binding, a grant or a denial."""
    viewer = principal_of(request)
    known, _row = found(viewer, asset)
    acts = {"binding": _bind, "grant": _grant, "denial": _deny}
    if what not in acts:
        raise Http404
    try:
        acts[what](viewer, known, request.POST)
    except Missing as error:
        raise Http404 from error
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        messages.success(request, _("Done. It holds from now on."))
    return redirect("asset-access", asset=asset)


@login_required
@require_POST
def remove(request: HttpRequest, asset: str, what: str) -> HttpResponse:
    """Take a binding, a grant or a denial away."""
    viewer = principal_of(request)
    found(viewer, asset)
    acts: dict[str, Any] = {"binding": bindings.unbind, "grant": grants.revoke, "denial": denials.lift}
    row = ids.parse(what, request.POST.get("row", "")) if what in acts else None
    try:
        if row is None:
            raise Missing
        acts[what](viewer, row, _reason(request.POST))
    except Missing as error:
        raise Http404 from error
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        messages.success(request, _("Taken away. It holds no longer."))
    return redirect("asset-access", asset=asset)


def _bind(viewer: Principal, asset: UUID, post: Any) -> None:
    kind, holder = _party(post.get("to", ""), with_base=True)
    bindings.bind(
        viewer, asset=asset, agent=holder if kind == "agent" else None, role=holder if kind == "role" else None,
        base=kind == BASE, access=post.get("access", "read"), mode=post.get("mode", "retrieve"),
        expires_at=_end(post), reason=_reason(post),
    )  # fmt: skip


def _grant(viewer: Principal, asset: UUID, post: Any) -> None:
    level = post.get("level", "")
    if level not in LEVELS:
        raise Invalid(fields={"level": f"one of {', '.join(LEVELS)}"})
    kind, holder = _party(post.get("to", ""))
    grants.grant(
        viewer,
        asset=asset,
        to=(kind, _some(holder)),
        level=level,
        reason=_reason(post),
        expires_at=_end(post),
    )


def _deny(viewer: Principal, asset: UUID, post: Any) -> None:
    kind, holder = _party(post.get("to", ""))
    denials.deny(viewer, asset=asset, to=(kind, _some(holder)), reason=_reason(post), expires_at=_end(post))


def _party(text: str, *, with_base: bool = False) -> tuple[str, UUID | None]:
    if with_base and text == BASE:
        return BASE, None
    for kind in ("user", "agent", "role"):
        parsed = ids.parse(kind, text)
        if parsed is not None:
            return kind, parsed
    raise Invalid(fields={"to": "choose somebody"})


def _some(holder: UUID | None) -> UUID:
    if holder is None:
        raise Invalid(fields={"to": "choose somebody"})
    return holder


def _reason(post: Any) -> str:
    reason = str(post.get("reason", "")).strip()
    if not reason:
        raise Invalid(fields={"reason": "say why"})
    return reason


def _end(post: Any) -> datetime | None:
    """The end of the day that was given, in UTC."""
    text = post.get("expires", "")
    if not text:
        return None
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise Invalid(fields={"expires_at": "not a day"})
    return datetime.combine(day, time(23, 59, 59), tzinfo=timezone.get_default_timezone())


access_page.policy = Policy("asset access page", "session", "read", "binding.list", "read")  # type: ignore[attr-defined]
add.policy = Policy("asset access add", "session", "manage", "grant.create", "write")  # type: ignore[attr-defined]
remove.policy = Policy("asset access remove", "session", "manage", "grant.remove", "write")  # type: ignore[attr-defined]
