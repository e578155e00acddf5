"""Tokens: issued once, shown once, revoked at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from hub import audit, cursors, ids
from hub.authn import offices, tokens
from hub.authn.principal import ACTIONS, Principal
from hub.models import Agent, Membership, Token
from hub.models.teams import ADMIN
from hub.problems import Forbidden, Invalid, Missing

DEFAULT_LIFE = timedelta(days=30)
LONGEST = {"agent": timedelta(days=90), "personal": timedelta(days=365)}
DELEGATED_LIFE = timedelta(minutes=15)


def mint(
    principal: Principal,
    *,
    agent: UUID | None = None,
    actions: Sequence[str] = ("read",),
    kinds: Sequence[str] | None = None,
    expires_at: datetime | None = None,
    name: str = "",
) -> tuple[Token, str]:
    """A token for an agent (its responsible person or a team admin asks) or for oneself.

    Gives the row and the text, which is not kept. Raises Forbidden, Missing, Invalid.
    """
    if not principal.is_person:
        raise Forbidden("People issue tokens.")
    if agent is not None:
        agent_in_care(principal, agent)
    kind = "personal" if agent is None else "agent"
    now = timezone.now()
    expires_at = expires_at or now + DEFAULT_LIFE
    wrong: dict[str, str] = {}
    if len(name) > 80:
        wrong["name"] = "at most 80 characters"
    if not actions or any(one not in ACTIONS for one in actions):
        wrong["actions"] = f"some of {', '.join(ACTIONS)}"
    elif agent is not None and not set(actions) <= {"read", "change"}:
        wrong["actions"] = "an agent's token may hold read and change"
    if not now < expires_at <= now + LONGEST[kind]:
        wrong["expires_at"] = f"later than now, at most {LONGEST[kind].days} days"
    if wrong:
        raise Invalid(fields=wrong)
    _within(principal, actions, kinds)
    with transaction.atomic():
        return _issue(
            principal, kind, agent=agent, user=None if agent else principal.user,
            actions=actions, kinds=kinds, expires_at=expires_at, name=name,
        )  # fmt: skip


def mint_delegated(
    *, agent: UUID, user: UUID, team: UUID, actions: Sequence[str] = ("read",), request_id: str = ""
) -> tuple[Token, str]:
    """A token with which an agent acts for a user: 15 minutes, one hop. Raises Forbidden."""
    if not Agent.objects.filter(account_id=agent, team_id=team, is_enabled=True).exists():
        raise Forbidden("No such agent in this team.")
    if not Membership.objects.filter(user_id=user, team_id=team).exists():
        raise Forbidden("The user is not in this team.")
    if not set(actions) <= {"read", "change"}:
        raise Invalid(fields={"actions": "read and change at most"})
    with transaction.atomic():
        return _issue(
            Principal(team=team, user=user, request_id=request_id), "delegated", agent=agent,
            user=user, actions=actions, kinds=None, name="delegated",
            expires_at=timezone.now() + DELEGATED_LIFE,
        )  # fmt: skip


def revoke(principal: Principal, token: UUID) -> None:
    """End a token at once. Raises Missing for one that is not the caller's to end."""
    row = Token.objects.filter(id=token, team_id=principal.in_team).first()
    if row is None or not principal.is_person:
        audit.refused(principal, "token.revoke", target=str(token))
        raise Missing
    if row.user_id != principal.user or row.agent_id is not None:
        agent_in_care(principal, row.agent_id)
    if token != principal.token:  # a leaked token may always end itself, never its siblings
        offices.require_manage(principal)
    with transaction.atomic():
        Token.objects.filter(id=token, revoked_at__isnull=True).update(revoked_at=timezone.now())
        audit.record(principal, "token.revoke", target=ids.public("token", token))


def list_tokens(
    principal: Principal, *, limit: int = 50, cursor: str | None = None, agent: UUID | None = None
) -> tuple[list[dict[str, Any]], str | None]:
    """The caller's own tokens and those of agents in their care (or of one `agent`), without
    secrets, newest first, and the cursor of the next page. Raises Invalid.
    """
    limit, after = cursors.size(limit), cursors.read(cursor, "tokens")
    rows = _of_caller(principal)
    if agent is not None:
        rows = rows.filter(agent_id=agent)
    if after is not None:
        rows = rows.filter(Q(created_at__lt=after[0]) | Q(created_at=after[0], id__lt=after[1]))
    with transaction.atomic():
        audit.record(principal, "token.list")
        found = list(rows.order_by("-created_at", "-id")[: limit + 1])
    more = (
        cursors.write(found[limit - 1].created_at, found[limit - 1].id, "tokens")
        if len(found) > limit
        else None
    )
    return [shape(row) for row in found[:limit]], more


def read_token(principal: Principal, token: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One token that the caller may list, without its secret; `lock` holds its row. Raises Missing."""
    with transaction.atomic():
        known = _of_caller(principal).filter(id=token).exists()
        rows = Token.objects.filter(id=token)
        row = (rows.select_for_update() if lock else rows).first() if known else None
        if row is not None:
            audit.record(principal, "token.list", target=ids.public("token", token))
            return shape(row)
    audit.refused(principal, "token.list", target=str(token))
    raise Missing


def _of_caller(principal: Principal) -> QuerySet[Token]:
    """The tokens that the caller may know of."""
    mine = Token.objects.filter(team_id=principal.in_team)
    if principal.agent is not None:
        mine = mine.filter(agent_id=principal.agent)
    elif not offices.holds(principal, ADMIN):
        mine = mine.filter(agent__agent__responsible_id=principal.person) | mine.filter(
            user_id=principal.person
        )
    else:
        mine = mine.filter(user_id=principal.person) | mine.filter(user__isnull=True)
    return mine.distinct()


def agent_in_care(principal: Principal, agent: UUID | None) -> Agent:
    """An agent that the person may run. Raises Missing."""
    row = Agent.objects.filter(account_id=agent, team_id=principal.in_team).first()
    if row is None or not principal.is_person:
        raise Missing
    if row.responsible_id != principal.user and not offices.holds(principal, ADMIN):
        raise Missing
    return row


def shape(row: Token) -> dict[str, Any]:
    """A token as it may be shown: never its secret."""
    return {
        "id": ids.public("token", row.id), "public_id": row.public_id, "kind": row.kind,
        "name": row.name, "agent": ids.public("agent", row.agent_id) if row.agent_id else None,
        "actions": row.actions, "kinds": row.kinds, "created_at": row.created_at,
        "expires_at": row.expires_at, "revoked_at": row.revoked_at,
    }  # fmt: skip


def _within(principal: Principal, actions: Sequence[str], kinds: Sequence[str] | None) -> None:
    """Raises Forbidden where the new token would reach further than the one that asks."""
    offices.require_manage(principal)
    wider = not set(actions) <= principal.actions or principal.subject is not None
    if principal.kinds is not None:
        wider = wider or kinds is None or not set(kinds) <= principal.kinds
    if wider:
        raise Forbidden("A token issues none that reaches further than itself.")


def _issue(principal: Principal, kind: str, **values: Any) -> tuple[Token, str]:
    text, parsed = tokens.new(kind)
    agent, user = values.pop("agent"), values.pop("user")
    row = Token.objects.create(
        public_id=parsed.public_id, digest=parsed.digest, kind=kind, team_id=principal.in_team,
        agent_id=agent, user_id=user, created_by_id=principal.user,
        actions=sorted(values.pop("actions")), **values,
    )  # fmt: skip
    audit.record(principal, "token.create", target=ids.public("token", row.id))
    return row, text
