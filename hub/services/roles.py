"""Roles: named jobs, and who holds them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from hub import audit, ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models import Agent, Loadout, Membership, Role, Team, User
from hub.models.teams import ADMIN
from hub.problems import Conflict, Invalid, Missing


def create_role(principal: Principal, *, name: str) -> dict[str, Any]:
    """A new role with an empty loadout. Raises Forbidden, Invalid, Conflict."""
    offices.require(principal, ADMIN)
    if not name.strip() or len(name) > 80:
        raise Invalid(fields={"name": "1 to 80 characters"})
    try:
        with transaction.atomic():
            row = Role(team_id=principal.in_team, name=name.strip())
            row.group = Group.objects.create(name=f"role:{row.id}")
            row.save()
            Loadout.objects.create(team_id=principal.in_team, role=row)
            audit.record(principal, "role.create", target=ids.public("role", row.id))
    except IntegrityError as error:
        raise Conflict(f"The team has a role named {name!r} already.") from error
    return shape(row)


def hold(
    principal: Principal, *, role: UUID, holder: tuple[str, UUID], holds: bool, reason: str = ""
) -> None:
    """Give a role to a person or an agent of the team, or take it. Raises Forbidden, Missing, Invalid."""
    offices.require(principal, ADMIN)
    row = Role.objects.filter(id=role, team_id=principal.in_team).first()
    if row is None:
        raise Missing
    kind, who = holder
    known = (
        Agent.objects.filter(account_id=who, team_id=principal.in_team).exists()
        if kind == "agent"
        else Membership.objects.filter(user_id=who, team_id=principal.in_team).exists()
    )
    if not known:
        raise Invalid(fields={"holder": "nobody of this name in the team"})
    with transaction.atomic():
        user = User.objects.get(id=who)
        (user.groups.add if holds else user.groups.remove)(row.group)
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "role.hold", target=ids.public("role", role),
            payload={"holder": str(who), "holds": holds, "reason": reason},
        )  # fmt: skip


def list_roles(principal: Principal) -> list[dict[str, Any]]:
    """The team's roles for its people; an agent sees those it holds."""
    rows = Role.objects.filter(team_id=principal.in_team)
    if principal.agent is not None:
        rows = rows.filter(group__user=principal.agent)
    with transaction.atomic():
        audit.record(principal, "role.list")
        return [shape(row) for row in rows.order_by("name")]


def list_holders(principal: Principal, role: UUID) -> list[dict[str, Any]]:
    """Who holds a role, people first, for the people of the team. Raises Missing."""
    row = Role.objects.filter(id=role, team_id=principal.in_team).first()
    if row is None or principal.agent is not None:
        audit.refused(principal, "role.list", target=str(role))
        raise Missing
    with transaction.atomic():
        audit.record(principal, "role.list", target=ids.public("role", role))
        agents = Agent.objects.filter(team_id=principal.in_team, account__groups=row.group_id)
        people = User.people.filter(memberships__team_id=principal.in_team, groups=row.group_id)
        return [
            *({"id": ids.public("user", one.id), "name": one.username} for one in people.order_by("username")),
            *({"id": ids.public("agent", one.pk), "name": one.name} for one in agents.order_by("name")),
        ]  # fmt: skip


def read_role(principal: Principal, role: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One role of the team; an agent finds those it holds. `lock` holds its row. Raises Missing."""
    rows = Role.objects.filter(id=role, team_id=principal.in_team)
    if principal.agent is not None:
        rows = rows.filter(group__user=principal.agent)
    with transaction.atomic():
        row = (rows.select_for_update(of=("self",)) if lock else rows).first()
        if row is not None:
            audit.record(principal, "role.list", target=ids.public("role", role))
            return shape(row)
    audit.refused(principal, "role.list", target=str(role))
    raise Missing


def rename_role(principal: Principal, role: UUID, *, name: str) -> dict[str, Any]:
    """Give a role another name. Raises Forbidden, Missing, Invalid, Conflict."""
    offices.require(principal, ADMIN)
    if not 1 <= len(name.strip()) <= 80:
        raise Invalid(fields={"name": "1 to 80 characters"})
    try:
        with transaction.atomic():
            row = Role.objects.select_for_update().filter(id=role, team_id=principal.in_team).first()
            if row is None:
                raise Missing
            row.name = name.strip()
            row.save(update_fields=["name"])
            audit.record(
                principal, "role.change", target=ids.public("role", role), payload={"name": row.name}
            )
    except IntegrityError as error:
        raise Conflict(f"The team has a role named {name!r} already.") from error
    return shape(row)


def shape(row: Role) -> dict[str, Any]:
    return {"id": ids.public("role", row.id), "name": row.name, "created_at": row.created_at}
