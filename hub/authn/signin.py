"""People at the browser: who may sign in, and as whom a signed-in request acts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from hub.authn.principal import STRANGER, Principal
from hub.models import Membership, User


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
        request_id=getattr(request, "request_id", ""),
    )  # fmt: skip
