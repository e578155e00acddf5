"""Agents: made and switched by team admins."""

from __future__ import annotations

import secrets
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from hub import audit, ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models import Agent, User
from hub.models.teams import ADMIN
from hub.problems import Conflict, Invalid, Missing


def create_agent(principal: Principal, *, name: str, description: str = "") -> dict[str, Any]:
    """A new agent in the caller's care. Raises Forbidden, Invalid, Conflict."""
    offices.require(principal, ADMIN)
    if not name.strip() or len(name) > 80:
        raise Invalid(fields={"name": "1 to 80 characters"})
    try:
        with transaction.atomic():
            account = User(username=f"agent-{secrets.token_hex(8)}", kind=User.AGENT)
            account.set_unusable_password()
            account.save()
            row = Agent.objects.create(
                account=account, team_id=principal.in_team, name=name.strip(),
                description=description, responsible_id=principal.person,
            )  # fmt: skip
            audit.record(principal, "agent.create", target=ids.public("agent", row.pk))
    except IntegrityError as error:
        raise Conflict(f"The team has an agent named {name!r} already.") from error
    return shape(row)


def list_agents(principal: Principal) -> list[dict[str, Any]]:
    """The team's agents for its people; an agent sees itself only."""
    rows = Agent.objects.filter(team_id=principal.in_team).select_related("account", "responsible")
    if principal.agent is not None:
        rows = rows.filter(account_id=principal.agent)
    with transaction.atomic():
        audit.record(principal, "agent.list")
        return [shape(row) for row in rows.order_by("name")]


def set_enabled(principal: Principal, agent: UUID, *, enabled: bool) -> dict[str, Any]:
    """Switch an agent off or on; its tokens follow at once. Raises Forbidden, Missing."""
    return change_agent(principal, agent, is_enabled=enabled)


def read_agent(principal: Principal, agent: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One agent of the team; an agent finds itself only. `lock` holds its row. Raises Missing."""
    with transaction.atomic():
        rows = Agent.objects.filter(account_id=agent, team_id=principal.in_team)
        row = (rows.select_for_update() if lock else rows).first()
        if row is not None and principal.agent in {None, agent}:
            audit.record(principal, "agent.list", target=ids.public("agent", agent))
            return shape(row)
    audit.refused(principal, "agent.list", target=str(agent))
    raise Missing


def change_agent(
    principal: Principal, agent: UUID, *, name: str | None = None, description: str | None = None,
    is_enabled: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Change what is given, no more. Raises Forbidden, Missing, Invalid, Conflict."""
    offices.require(principal, ADMIN)
    given = {"name": name, "description": description, "is_enabled": is_enabled}
    changes = {field: value for field, value in given.items() if value is not None}
    if name is not None and not 1 <= len(name.strip()) <= 80:
        raise Invalid(fields={"name": "1 to 80 characters"})
    try:
        with transaction.atomic():
            row = (
                Agent.objects.select_for_update().filter(account_id=agent, team_id=principal.in_team).first()
            )
            if row is None:
                raise Missing
            for field, value in changes.items():
                setattr(row, field, value)
            row.save(update_fields=list(changes))
            audit.record(principal, "agent.change", target=ids.public("agent", agent), payload=changes)
    except IntegrityError as error:
        raise Conflict(f"The team has an agent named {name!r} already.") from error
    return shape(row)


def shape(row: Agent) -> dict[str, Any]:
    roles = [group.role.name for group in row.account.groups.select_related("role").order_by("role__name")]
    return {
        "id": ids.public("agent", row.pk), "name": row.name, "description": row.description,
        "responsible": ids.public("user", row.responsible_id), "roles": roles,
        "is_enabled": row.is_enabled, "created_at": row.created_at,
    }  # fmt: skip
