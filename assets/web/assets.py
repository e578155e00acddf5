"""/assets: what the signed-in person may see."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from assets.services import assets, nodes
from hub import ids
from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Invalid, Missing

KINDS = ("chat_memory", "skill", "wiki", "code_graph")


@login_required
def home(request: HttpRequest) -> HttpResponse:
    return redirect("try")


@login_required
def assets_page(request: HttpRequest) -> HttpResponse:
    try:
        page = assets.list_assets(
            principal_of(request), kind=request.GET.get("kind") or None,
            cursor=request.GET.get("cursor"),
        )  # fmt: skip
    except Invalid as error:
        raise Http404 from error
    rows = [{"id": ids.public("asset", row.id), "row": row} for row in page.items]
    shown = {
        "rows": rows, "next_cursor": page.next_cursor, "kind": request.GET.get("kind", ""),
        "kinds": KINDS,
    }  # fmt: skip
    return render(request, "assets/list.html", shown)


@login_required
def asset_page(request: HttpRequest, asset: str) -> HttpResponse:
    principal = principal_of(request)
    found = ids.parse("asset", asset)
    try:
        if found is None:
            raise Missing
        row = assets.read_asset(principal, found)
        page = nodes.list_nodes(principal, found, cursor=request.GET.get("cursor"))
    except (Missing, Invalid) as error:
        raise Http404 from error
    return render(request, "assets/asset.html", {"asset": row, "id": asset, "nodes": page})


home.policy = Policy("home", "session", "", "", "read")  # type: ignore[attr-defined]
assets_page.policy = Policy("assets page", "session", "read", "asset.list", "read")  # type: ignore[attr-defined]
asset_page.policy = Policy("asset page", "session", "read", "asset.read", "read")  # type: ignore[attr-defined]
