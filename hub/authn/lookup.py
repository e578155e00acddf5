"""From the text of a token to who is asking, or nobody."""

from __future__ import annotations

import hmac

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from hub.authn import tokens
from hub.authn.principal import Principal
from hub.models import Agent, Membership, Token

# The holders of a token who may act at all, for one statement with the token itself.
PERSON = Membership.objects.filter(
    user_id=OuterRef("user_id"), team_id=OuterRef("team_id"), user__is_active=True
)
MACHINE = Agent.objects.filter(
    account_id=OuterRef("agent_id"), team_id=OuterRef("team_id"), is_enabled=True, account__is_active=True
)


def principal_for_token(text: str, door: str, request_id: str) -> Principal | None:
    """The principal of a live token. None when it is malformed, unknown, expired, revoked, or
    its holder is suspended, disabled, gone from the team, or the team archived.
    """
    parsed = tokens.parse(text)
    if parsed is None:
        return None
    row = (
        Token.objects.filter(public_id=parsed.public_id, kind=parsed.kind, revoked_at__isnull=True)
        .filter(expires_at__gt=timezone.now(), team__archived_at__isnull=True)
        .filter(Q(user__isnull=True) | Exists(PERSON), Q(agent__isnull=True) | Exists(MACHINE))
        .first()
    )
    if row is None or not hmac.compare_digest(bytes(row.digest), parsed.digest):
        return None
    return Principal(
        team=row.team_id, user=row.user_id, agent=row.agent_id, token=row.id,
        actions=frozenset(row.actions), kinds=None if row.kinds is None else frozenset(row.kinds),
        subject=row.subject_id, door=door, request_id=request_id,
    )  # fmt: skip


def is_active(principal: Principal) -> bool:
    """Whether the user is not suspended and in the team, and the agent enabled in it."""
    user_is_in = (
        principal.user is None
        or Membership.objects.filter(
            user_id=principal.user, team_id=principal.in_team, user__is_active=True
        ).exists()
    )
    return user_is_in and (
        principal.agent is None
        or Agent.objects.filter(
            account_id=principal.agent, team_id=principal.in_team, is_enabled=True, account__is_active=True
        ).exists()
    )
