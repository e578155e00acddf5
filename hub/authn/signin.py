"""People at the browser: who may sign in, and as whom a signed-in request acts."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.db import transaction
from django.http import HttpRequest

from hub import audit
from hub.authn.principal import STRANGER, Principal
from hub.models import Membership, User

STEPPED_UP_AT, STEP_UP_FOR = "stepped_up_at", 600  # the session's key; seconds


class PeopleBackend(ModelBackend):
    """Passwords of people. Accounts of agents never sign in."""

    def user_can_authenticate(self, user: Any) -> bool:
        return isinstance(user, User) and user.kind == User.PERSON and user.is_active

    def get_user(self, user_id: Any) -> Any:
        user = User.objects.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None


def principal_of(request: HttpRequest) -> Principal:
    """The signed-in person in the team of the session (else the first one); a stranger when in none."""
    if not request.user.is_authenticated:
        return STRANGER
    memberships = Membership.objects.filter(user_id=request.user.pk, team__archived_at__isnull=True).order_by(
        "created_at", "id"
    )
    chosen = request.session.get("team")
    found = memberships.filter(team_id=chosen).first() if chosen else None
    membership = found or memberships.first()
    if membership is None:
        return STRANGER
    return Principal(
        team=membership.team_id, user=membership.user_id, door="web",
        request_id=getattr(request, "request_id", ""), stepped_up=has_stepped_up(request),
    )  # fmt: skip


def step_up(request: HttpRequest, password: str) -> bool:
    """The signed-in person gives the password again, for acts that a sign-in alone does not
    allow. Holds for ten minutes of this session; recorded either way.
    """
    principal = principal_of(request)
    user = request.user
    if not user.is_authenticated or not user.check_password(password):
        audit.refused(principal, "step_up")
        return False
    with transaction.atomic():
        audit.record(principal, "step_up")
    request.session[STEPPED_UP_AT] = time.time()
    return True


def has_stepped_up(request: HttpRequest) -> bool:
    at = request.session.get(STEPPED_UP_AT, 0.0)
    return isinstance(at, float) and 0 <= time.time() - at <= STEP_UP_FOR
