"""Whose loadout it is, who carries it, who may edit it, and its versions. What stands in one is not known here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from hub import ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models import Agent, Loadout, LoadoutVersion, Role
from hub.models.teams import ADMIN
from hub.problems import Forbidden, Missing
from hub.services import tokens

BASE: Literal["base"] = "base"


@dataclass(frozen=True, slots=True)
class Holder:
    """A role, one agent (what it carries directly), or neither: the base of the team."""

    team: UUID
    role: Role | None = None
    agent: Agent | None = None

    @property
    def public(self) -> str:
        """`rol_...`, `agt_...` or `base`."""
        if self.agent is not None:
            return ids.public("agent", self.agent.pk)
        return BASE if self.role is None else ids.public("role", self.role.id)

    @property
    def kind(self) -> str:
        return "agent" if self.agent else "role" if self.role else BASE

    @property
    def name(self) -> str:
        return self.agent.name if self.agent else self.role.name if self.role else BASE


def holder_named(principal: Principal, name: str) -> Holder:
    """The holder of a public id, as far as the principal may know of it. Raises Missing."""
    if not principal.is_stranger:
        role, agent = ids.parse("role", name), ids.parse("agent", name)
        roles, agents = _known(principal)
        if name == BASE and (principal.agent is None or roles.exists()):
            return Holder(principal.in_team)
        if role is not None and (found := roles.filter(id=role).first()) is not None:
            return Holder(principal.in_team, role=found)
        if agent is not None and (machine := agents.filter(account_id=agent).first()) is not None:
            return Holder(principal.in_team, agent=machine)
    raise Missing


def holders(principal: Principal) -> list[Holder]:
    """The base, the roles and the agents of the team; for an agent itself and what it holds."""
    if principal.is_stranger:
        return []
    team = principal.in_team
    roles, agents = _known(principal)
    held = [Holder(team, role=one) for one in roles.order_by("name")]
    base = [Holder(team)] if principal.agent is None or held else []
    return [*base, *held, *(Holder(team, agent=one) for one in agents.order_by("name"))]


def _known(principal: Principal) -> tuple[QuerySet[Role], QuerySet[Agent]]:
    roles = Role.objects.filter(team_id=principal.in_team)
    agents = Agent.objects.filter(team_id=principal.in_team)
    if principal.agent is not None:
        roles, agents = roles.filter(group__user=principal.agent), agents.filter(account_id=principal.agent)
    return roles, agents


def agents_of(holder: Holder) -> list[Agent]:
    """The agents that carry it: the one, those with the role, or (the base) those with any role."""
    if holder.agent is not None:
        return [holder.agent]
    found = Agent.objects.filter(team_id=holder.team).order_by("name")
    if holder.role is not None:
        return list(found.filter(account__groups=holder.role.group_id))
    return list(found.filter(account__groups__role__team_id=holder.team).distinct())


def require_edit(principal: Principal, holder: Holder) -> None:
    """Admins edit loadouts; the responsible person edits what an agent carries directly.

    Raises Forbidden, Missing (an agent in somebody else's care).
    """
    offices.require_manage(principal)
    if holder.agent is not None:
        tokens.agent_in_care(principal, holder.agent.pk)
    else:
        offices.require(principal, ADMIN)


def may_edit(principal: Principal, holder: Holder) -> bool:
    try:
        require_edit(principal, holder)
    except (Forbidden, Missing):
        return False
    return True


def row_of(holder: Holder) -> Loadout | None:
    """The row of a role's or the base loadout, made on first use; none for an agent."""
    if holder.agent is not None:
        return None
    return Loadout.objects.get_or_create(team_id=holder.team, role=holder.role)[0]


def lock(holder: Holder) -> Loadout | None:
    """Only one at a time edits what this holder carries. Call inside a transaction."""
    if holder.agent is not None:
        Agent.objects.select_for_update().get(pk=holder.agent.pk)
        return None
    row = row_of(holder)
    return None if row is None else Loadout.objects.select_for_update().get(id=row.id)


def add_version(
    principal: Principal, holder: Holder, *, reason: str, entries: Sequence[dict[str, Any]]
) -> LoadoutVersion:
    """The next version, with all entries as they are now. Call with the holder locked."""
    row = row_of(holder)
    if row is not None:
        row.refresh_from_db()
        row.version += 1
        row.save(update_fields=["version"])
        number = row.version
    else:
        number = (versions(holder).aggregate(last=Max("number"))["last"] or 0) + 1
    return LoadoutVersion.objects.create(
        loadout=row, agent=holder.agent, number=number, author_id=principal.user, reason=reason,
        entries=list(entries), digest=digest(entries),
    )  # fmt: skip


def versions(holder: Holder) -> QuerySet[LoadoutVersion]:
    """All versions of what the holder carries, oldest first."""
    if holder.agent is not None:
        mine = Q(agent=holder.agent)
    else:
        mine = Q(loadout__team_id=holder.team, loadout__role=holder.role)
    return LoadoutVersion.objects.filter(mine).select_related("author").order_by("number")


def digest(entries: Sequence[dict[str, Any]]) -> str:
    """SHA-256 over the entries in a canonical form, in hexadecimal."""
    plain = json.dumps(list(entries), sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def budget_of(agent: UUID, team: UUID) -> int:
    """Tokens of the always part: the largest budget of the roles held, else that of the base."""
    rows = Loadout.objects.filter(team_id=team)
    held = rows.filter(role__group__user=agent).aggregate(most=Max("budget_tokens"))["most"]
    base = rows.filter(role__isnull=True).values_list("budget_tokens", flat=True).first()
    return int(held or base or Loadout._meta.get_field("budget_tokens").default)
