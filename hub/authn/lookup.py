"""From the text of a token to who is asking, or nobody."""

from __future__ import annotations

import hmac

from django.db.models import F
from django.utils import timezone

from hub.authn import tokens
from hub.authn.principal import Principal
from hub.models import Agent, Membership, Token


def principal_for_token(text: str, door: str, request_id: str) -> Principal | None:
    """The principal of a live token. None when it is malformed, unknown, expired, revoked, or
    its holder is suspended, disabled, gone from the team, or the team archived.
    """
    parsed = tokens.parse(text)
    if parsed is None:
        return None
    row = (
        Token.objects.select_related("team", "user", "agent")
        .filter(public_id=parsed.public_id, kind=parsed.kind, revoked_at__isnull=True)
        .filter(expires_at__gt=timezone.now(), team__archived_at__isnull=True)
        .annotate(team_epoch=F("team__epoch"))
        .first()
    )
    if row is None or not hmac.compare_digest(bytes(row.digest), parsed.digest):
        return None
    if row.user is not None and not _is_in(row):
        return None
    if row.agent_id is not None and not _is_enabled(row):
        return None
    return Principal(
        team=row.team_id, user=row.user_id, agent=row.agent_id, token=row.id,
        actions=frozenset(row.actions), kinds=None if row.kinds is None else frozenset(row.kinds),
        subject=row.subject_id, door=door, request_id=request_id,
    )  # fmt: skip


def _is_in(row: Token) -> bool:
    return (
        row.user is not None
        and row.user.is_active
        and Membership.objects.filter(user_id=row.user.pk, team_id=row.team_id).exists()
    )


def _is_enabled(row: Token) -> bool:
    return (
        row.agent is not None
        and row.agent.is_active
        and Agent.objects.filter(account_id=row.agent_id, team_id=row.team_id, is_enabled=True).exists()
    )
