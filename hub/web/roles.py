"""/roles: a new role, which gets a column among the loadouts."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from hub.authn.signin import principal_of
from hub.policy import Policy
from hub.problems import Conflict, Invalid
from hub.services import roles


@login_required
@require_POST
def make_role(request: HttpRequest) -> HttpResponse:
    try:
        roles.create_role(principal_of(request), name=request.POST.get("name", ""))
    except Invalid:
        messages.error(request, _("A name has 1 to 80 characters."))
    except Conflict:
        messages.error(request, _("The team has a role of this name already."))
    else:
        messages.success(request, _("The role was made. Its column is empty: edit it."))
    return redirect("/loadouts")


make_role.policy = Policy("role make", "session", "", "role.create", "write")  # type: ignore[attr-defined]
