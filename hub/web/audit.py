"""/audit: what was done in the team, for admins, auditors and compliance."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Invalid, Missing
from hub.services import audits


@login_required
def audit_page(request: HttpRequest) -> HttpResponse:
    chosen = {name: request.GET.get(name, "") for name in ("action", "outcome")}
    try:
        rows, more = audits.list_events(
            principal_of(request), action=chosen["action"], outcome=chosen["outcome"],
            cursor=request.GET.get("cursor"),
        )  # fmt: skip
    except (Missing, Invalid) as error:
        raise Http404 from error
    return render(request, "hub/audit.html", {"events": rows, "chosen": chosen, "next_cursor": more})


audit_page.policy = Policy("audit page", "session", "", "audit.list", "read")  # type: ignore[attr-defined]
