"""/assets: what the signed-in person may see, and one asset with what may be done to it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from assets.services import assets, nodes, statuses, versions
from assets.services.shapes import AssetRow
from assets.web import words
from hub import ids
from hub.authn.principal import CHANGE, Principal
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Invalid, Missing, Problem

FILTERS = ("kind", "status", "visibility", "label", "owner")
VISIBILITIES = ("private", "team", "restricted", "agent")


@login_required
def home(request: HttpRequest) -> HttpResponse:
    return redirect("try")


@login_required
def assets_page(request: HttpRequest) -> HttpResponse:
    viewer = principal_of(request)
    chosen = {name: request.GET.get(name, "").replace("\x00", "")[:120] for name in FILTERS}
    try:
        page = assets.list_assets(
            viewer, kind=chosen["kind"] or None, status=chosen["status"] or None,
            visibility=chosen["visibility"] or None, label=[chosen["label"]] if chosen["label"] else (),
            owner=viewer.user if chosen["owner"] == "me" else None, cursor=request.GET.get("cursor"),
        )  # fmt: skip
    except Invalid as error:
        raise Http404 from error
    query = request.GET.copy()
    query.pop("cursor", None)
    shown = {
        "rows": [{"id": ids.public("asset", row.id), "row": row} for row in page.items], "chosen": chosen,
        "next_cursor": page.next_cursor, "query": query.urlencode(), "kinds": words.KINDS,
        "statuses": statuses.WAYS, "visibilities": VISIBILITIES, "filtered": any(chosen.values()),
    }  # fmt: skip
    return render(request, "assets/list.html", shown)


def found(viewer: Principal, asset: str) -> tuple[UUID, AssetRow]:
    """The asset of an address, as the viewer may know it. Raises Http404."""
    parsed = ids.parse("asset", asset)
    if parsed is None:
        raise Http404
    try:
        return parsed, assets.read_asset(viewer, parsed)
    except Missing as error:
        raise Http404 from error


def head(viewer: Principal, row: AssetRow) -> dict[str, Any]:
    """What stands above every page of one asset: only acts that the rules allow."""
    return {
        "asset": row, "id": ids.public("asset", row.id),
        "may_change": CHANGE in row.actions, "may_manage": "manage" in row.actions,
    }  # fmt: skip


@login_required
def asset_page(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, row = found(viewer, asset)
    try:
        page = nodes.list_nodes(viewer, known, cursor=request.GET.get("cursor"))
    except (Missing, Invalid) as error:
        raise Http404 from error
    wanted = not row.quarantined
    shown = head(viewer, row) | {
        "nodes": page, "ways": statuses.ways(row), "undo": request.session.get("widened", {}).get(asset),
        "quarantine_to": wanted,
        "may_quarantine": statuses.may_quarantine(viewer, known, quarantined=wanted),
    }  # fmt: skip
    return render(request, "assets/asset.html", shown)


@login_required
def edit_page(request: HttpRequest, asset: str) -> HttpResponse:
    """Title, description and labels of an asset that the viewer may change."""
    viewer = principal_of(request)
    known, row = found(viewer, asset)
    given = {"title": row.title, "description": row.description, "labels": ", ".join(row.labels)}
    wrong: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        given = {name: request.POST.get(name, "").strip() for name in given}
        labels = [
            one for one in (part.strip() for part in given["labels"].replace("，", ",").split(",")) if one
        ]
        try:
            assets.change_asset(
                viewer, known, title=given["title"], description=given["description"], labels=labels
            )
        except Invalid as error:
            wrong, status = error.fields, 422
        else:
            messages.success(request, _("Saved."))
            return redirect("asset", asset=asset)
    elif CHANGE not in row.actions:
        raise Http404
    shown = head(viewer, row) | {"given": given, "wrong": wrong}
    return render(request, "assets/asset_edit.html", shown, status=status)


@login_required
def versions_page(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, row = found(viewer, asset)
    try:
        page = versions.list_versions(viewer, known, cursor=request.GET.get("cursor"))
    except (Missing, Invalid) as error:
        raise Http404 from error
    return render(request, "assets/asset_versions.html", head(viewer, row) | {"page": page})


@login_required
@require_POST
def set_status(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, _row = found(viewer, asset)
    try:
        statuses.set_status(
            viewer, asset=known, to=request.POST.get("to", ""), reason=request.POST.get("reason", "")
        )
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        messages.success(request, _("The status was changed."))
    return redirect("asset", asset=asset)


@login_required
@require_POST
def set_quarantine(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, _row = found(viewer, asset)
    try:
        statuses.set_quarantine(
            viewer, asset=known, quarantined=request.POST.get("quarantined") == "yes",
            reason=request.POST.get("reason", ""),
        )  # fmt: skip
    except Problem as error:
        messages.error(request, words.said(error))
    else:
        messages.success(request, _("The quarantine was changed."))
    return redirect("assets") if not _still_there(viewer, known) else redirect("asset", asset=asset)


def _still_there(viewer: Principal, asset: UUID) -> bool:
    """Who sets a quarantine may no longer read the asset afterwards."""
    try:
        assets.read_asset(viewer, asset)
    except Missing:
        return False
    return True


home.policy = Policy("home", "session", "", "", "read")  # type: ignore[attr-defined]
assets_page.policy = Policy("assets page", "session", "read", "asset.list", "read")  # type: ignore[attr-defined]
asset_page.policy = Policy("asset page", "session", "read", "asset.read", "read")  # type: ignore[attr-defined]
edit_page.policy = Policy("asset edit page", "session", "change", "asset.change", "write")  # type: ignore[attr-defined]
versions_page.policy = Policy("asset versions page", "session", "read", "asset.read", "read")  # type: ignore[attr-defined]
set_status.policy = Policy("asset status", "session", "change", "status.change", "write")  # type: ignore[attr-defined]
set_quarantine.policy = Policy("asset quarantine", "session", "review", "quarantine.change", "write")  # type: ignore[attr-defined]
