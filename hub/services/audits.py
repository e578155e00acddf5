"""Reading the audit trail: for the people whose office it is."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from hub import audit, cursors, ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models import Agent, AuditEvent, User
from hub.models.teams import ADMIN, AUDITOR, COMPLIANCE
from hub.problems import Missing


def list_events(
    principal: Principal, *, limit: int = 100, action: str = "", outcome: str = "", cursor: str | None = None
) -> tuple[list[dict[str, Any]], str | None]:
    """The team's events, newest first, without ids or names of assets, and the cursor of the next
    page. Raises Missing for others, Invalid.
    """
    limit, after = cursors.size(limit), cursors.read(cursor, "audit")
    if not offices.holds(principal, ADMIN, AUDITOR, COMPLIANCE):
        audit.refused(principal, "audit.list")
        raise Missing
    wanted = Q(team=principal.team)
    if action:
        wanted &= Q(action=action)
    if outcome:
        wanted &= Q(outcome=outcome)
    if after is not None:
        wanted &= Q(at__lt=after[0]) | Q(at=after[0], id__lt=after[1])
    with transaction.atomic():
        rows = list(AuditEvent.objects.filter(wanted).order_by("-at", "-id")[: limit + 1])
        audit.record(principal, "audit.list")
    more = cursors.write(rows[limit - 1].at, rows[limit - 1].id, "audit") if len(rows) > limit else None
    agents = dict(Agent.objects.filter(team_id=principal.in_team).values_list("account_id", "name"))
    people = dict(User.people.filter(memberships__team_id=principal.in_team).values_list("id", "username"))
    return [_shape(row, agents, people) for row in rows[:limit]], more


def _shape(row: AuditEvent, agents: dict[UUID, str], people: dict[UUID, str]) -> dict[str, Any]:
    actor = agents.get(row.actor_agent) if row.actor_agent else people.get(row.actor_user or UUID(int=0), "")
    return {
        "id": ids.public("event", row.id), "at": row.at, "action": row.action, "actor": actor,
        "acting_for": _for(row, people), "door": row.door, "outcome": row.outcome, "rule": row.rule,
        "request_id": row.request_id,
    }  # fmt: skip


def _for(row: AuditEvent, people: dict[UUID, str]) -> str:
    """The user that an agent acted for, where it did."""
    return "" if row.actor_agent is None else people.get(row.actor_user or UUID(int=0), "")
