"""/assets/.../visibility: who would gain or lose, shown first; done with a reason; undone in one act."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from assets.services import visibility
from assets.web import words
from assets.web.assets import VISIBILITIES, found, head
from hub.authn import counting
from hub.authn.principal import MANAGE
from hub.authn.signin import has_stepped_up, principal_of, step_up
from hub.policy import Policy
from hub.problems import Forbidden, Missing, Problem


@login_required
def visibility_page(request: HttpRequest, asset: str) -> HttpResponse:
    viewer = principal_of(request)
    known, row = found(viewer, asset)
    if MANAGE not in row.actions:
        raise Forbidden("This needs the right to manage the asset.")
    given = request.POST if request.method == "POST" else request.GET
    to = given.get("to", "")
    wrong = ""
    if request.method == "POST":
        password = request.POST.get("password", "")
        if password and (wait := counting.count("sign_in", f"step up {viewer.user}").wait):
            wrong = _("Too many tries. Wait %(seconds)s seconds, then try again.") % {"seconds": wait}
        elif password and not step_up(request, password):
            wrong = _("That is not your password. Look at capital letters and try again.")
        else:
            try:
                done = visibility.set_visibility(
                    principal_of(request), asset=known, to=to, reason=request.POST.get("reason", ""),
                    grant_writers=request.POST.get("grant_writers") == "yes",
                )  # fmt: skip
            except Missing as error:
                raise Http404 from error
            except Problem as error:
                wrong = words.said(error)
            else:
                _remember(request, asset, done["before"], to)
                messages.success(request, _("The visibility was changed."))
                return redirect("asset", asset=asset)
    try:
        effect = visibility.preview(viewer, asset=known, to=to) if to in VISIBILITIES else None
    except Missing as error:
        raise Http404 from error
    shown = head(viewer, row) | {
        "to": to, "visibilities": VISIBILITIES, "effect": effect, "wrong": wrong,
        "reason": request.POST.get("reason", ""), "stepped_up": has_stepped_up(request),
        "blocked": effect is not None and any(one["verdict"] == "block" for one in effect["findings"]),
    }  # fmt: skip
    return render(request, "assets/visibility.html", shown, status=422 if wrong else 200)


def _remember(request: HttpRequest, asset: str, before: str, to: str) -> None:
    """What it was, so that the page of the asset offers the way back; after the undo no more."""
    kept: dict[str, str] = request.session.get("widened", {})
    if before == to or request.POST.get("undo") == "yes":
        kept.pop(asset, None)
    else:
        kept[asset] = before
    request.session["widened"] = kept


visibility_page.policy = Policy("visibility page", "session", "manage", "visibility.change", "write")  # type: ignore[attr-defined]
