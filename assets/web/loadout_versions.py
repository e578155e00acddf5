"""/loadouts/.../versions: what was saved by whom and why, what changed, and the way back; out as JSON."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from assets.services import loadout_rows, loadouts
from assets.services.loadouts import Stale
from assets.web import words
from assets.web.parties import parties_of
from hub import ids
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Invalid, Missing, Problem


@login_required
def versions_page(request: HttpRequest, holder: str) -> HttpResponse:
    viewer = principal_of(request)
    try:
        state = loadouts.read_loadout(viewer, holder)
        page = loadouts.list_versions(viewer, holder, cursor=request.GET.get("cursor"))
        known = [one["id"] for one in page.items]
        new = request.GET.get("new") or (known[0] if known else "")
        old = request.GET.get("old") or (known[1] if len(known) > 1 else "")
        change = _change(viewer, holder, old, new)
    except (Missing, Invalid) as error:
        raise Http404 from error
    titles = {
        ids.public("asset", one.id): one.title or one.name for one in loadout_rows.list_rows(viewer).rows
    }
    shown = {
        "state": state, "versions": page.items, "next_cursor": page.next_cursor, "old": old, "new": new,
        "change": change, "titles": titles, "parties": parties_of(viewer),
    }  # fmt: skip
    return render(request, "assets/loadout_versions.html", shown)


def _change(viewer: Any, holder: str, old: str, new: str) -> dict[str, Any] | None:
    if not old or not new:
        return None
    before, after = ids.parse("version", old), ids.parse("version", new)
    if before is None or after is None:
        raise Missing
    return loadouts.diff(viewer, holder, old=before, new=after)


@login_required
@require_POST
def roll_back(request: HttpRequest, holder: str) -> HttpResponse:
    viewer = principal_of(request)
    version = ids.parse("version", request.POST.get("version", ""))
    try:
        if version is None:
            loadouts.read_loadout(viewer, holder)
            raise Missing
        loadouts.roll_back(
            viewer, holder=holder, version=version, etag=request.POST.get("etag", ""),
            reason=request.POST.get("reason", ""),
        )  # fmt: skip
    except Missing as error:
        raise Http404 from error
    except Stale as error:
        messages.error(request, words.said(error))
    except Invalid as error:
        messages.error(request, words.said(error))
    except Problem:
        raise
    else:
        messages.success(request, _("Rolled back: the earlier state stands again, as a new version."))
    return redirect("loadout-versions", holder=holder)


@login_required
def export(request: HttpRequest, holder: str) -> HttpResponse:
    """The loadout as a file, with what the viewer may know of it."""
    try:
        document = loadouts.export_loadout(principal_of(request), holder)
    except Missing as error:
        raise Http404 from error
    answer = HttpResponse(
        json.dumps(document, ensure_ascii=False, indent=2, default=str), content_type="application/json"
    )
    answer["Content-Disposition"] = f'attachment; filename="loadout-{document["holder"]}.json"'
    return answer


versions_page.policy = Policy("loadout versions page", "session", "read", "loadout.read", "read")  # type: ignore[attr-defined]
roll_back.policy = Policy("loadout roll back", "session", "manage", "loadout.save", "write")  # type: ignore[attr-defined]
export.policy = Policy("loadout file", "session", "read", "loadout.read", "read")  # type: ignore[attr-defined]
