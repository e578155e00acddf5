"""Equipping: what a loadout or an agent carries. Every change is a version with its reason."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from assets import scope
from assets.models import Asset, Binding
from assets.services import assets, loadouts
from assets.services import loadout_drafts as drafts
from assets.services.loadout_drafts import Change, Item
from hub import audit, ids
from hub.authn.principal import MANAGE, READ, Principal
from hub.models import Agent, Role
from hub.problems import Conflict, Forbidden, Invalid, Missing
from hub.services import loadouts as holders
from hub.services.loadouts import Holder


def bind(
    principal: Principal,
    *,
    asset: UUID,
    agent: UUID | None = None,
    role: UUID | None = None,
    base: bool = False,
    access: str = "read",
    mode: str = "retrieve",
    pin: int | None = None,
    follow: str = "approved",
    priority: int = 50,
    share: float | None = None,
    expires_at: datetime | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """Equip an asset. Needs the manage right on it; a private asset can be bound only by its
    owner and directly. Raises Missing, Forbidden, Invalid, Conflict.
    """
    item = Item(asset, access, mode, pin, follow, priority, share, expires_at)
    wrong = drafts.terms_wrong(item)
    if sum([bool(agent), bool(role), base]) != 1:
        wrong["agent"] = "give one of agent, role and base"
    if wrong:
        raise Invalid(fields=wrong)
    manageable(principal, asset, "binding.create")
    with scope.browsing(principal):
        holder = _holder(principal, agent, role)
        loadout = holders.lock(holder)
        row = Asset.rows.get(id=asset)
        if row.visibility == "private" and (agent is None or row.owner_id != principal.user):
            raise Invalid(fields={"asset": "a private asset is bound by its owner, to one agent"})
        live = Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
        if Binding.objects.filter(live, loadout=loadout, agent_id=agent, asset=row).exists():
            raise Conflict("It is bound there already: unbind it first.")
        drafts.apply(principal, holder, loadout, Change(added=(item,)), reason)
        binding = Binding.objects.select_related("loadout").get(loadout=loadout, agent_id=agent, asset=row)
        loadouts.changed(principal, holder, reason)
        audit.record(
            principal, "binding.create", asset=asset, target=ids.public("binding", binding.id),
            payload={"reason": reason, "access": access, "holder": holder.public},
        )  # fmt: skip
        return _shape(binding)


def unbind(principal: Principal, binding_id: UUID, reason: str = "") -> None:
    """Take a binding away. Raises Missing where the principal may not manage its asset."""
    with scope.browsing(principal):
        binding = Binding.objects.select_related("loadout").filter(id=binding_id).first()
    if binding is None:
        audit.refused(principal, "binding.remove", target=ids.public("binding", binding_id))
        raise Missing
    manageable(principal, binding.asset_id, "binding.remove")
    with scope.browsing(principal):
        role = binding.loadout.role_id if binding.loadout else None
        holder = _holder(principal, binding.agent_id, role)
        holders.lock(holder)
        if not Binding.objects.filter(id=binding_id).delete()[0]:
            raise Missing
        loadouts.changed(principal, holder, reason)
        audit.record(
            principal, "binding.remove", asset=binding.asset_id,
            target=ids.public("binding", binding_id), payload={"reason": reason},
        )  # fmt: skip


def read_binding(principal: Principal, binding_id: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One binding, as the list shows it; `lock` holds its row. Raises Missing."""
    if not principal.is_stranger:
        with scope.browsing(principal):
            rows = _listed(principal).filter(id=binding_id)
            row = (rows.select_for_update(of=("self",)) if lock else rows).first()
            if row is not None:
                target = ids.public("binding", binding_id)
                audit.record(principal, "binding.list", asset=row.asset_id, target=target)
                return _shape(row)
    audit.refused(principal, "binding.list", target=ids.public("binding", binding_id))
    raise Missing


def list_bindings(principal: Principal, *, asset: UUID | None = None) -> list[dict[str, Any]]:
    """The live bindings of assets that the principal may read."""
    if principal.is_stranger:
        return []
    with scope.browsing(principal):
        rows = _listed(principal)
        if asset is not None:
            rows = rows.filter(asset_id=asset)
        audit.record(principal, "binding.list")
        return [_shape(one) for one in rows.order_by("made_at", "id")]


def _listed(principal: Principal) -> QuerySet[Binding]:
    """The live bindings that the principal may know of. Call inside `browsing`."""
    allowed = scope.resolve(principal, READ)
    seen = [UUID(one) for one in allowed.assets.strip("{}").split(",") if one]
    rows = Binding.objects.filter(asset_id__in=seen).filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
    )
    if principal.agent is not None:  # an agent knows of what it carries itself, no more
        rows = rows.filter(
            Q(agent_id=principal.agent)
            | Q(loadout__role__group__user=principal.agent)
            | Q(loadout__role__isnull=True)
        )
    return rows.select_related("loadout")


def manageable(principal: Principal, asset: UUID, act: str) -> None:
    """Raises Missing when the asset may not be read, Forbidden when read but not managed."""
    with scope.browsing(principal):
        known = not principal.is_stranger and assets.may_do(principal, READ, asset)
        allowed = known and assets.may_do(principal, MANAGE, asset)
    if not allowed:
        audit.refused(principal, act, target=str(asset))
        if known:
            raise Forbidden("This needs the right to manage the asset.")
        raise Missing


def _holder(principal: Principal, agent: UUID | None, role: UUID | None) -> Holder:
    team = principal.in_team
    if agent is not None:
        machine = Agent.objects.filter(account_id=agent, team_id=team).first()
        if machine is None:
            raise Invalid(fields={"agent": "no such agent in this team"})
        return Holder(team, agent=machine)
    named = Role.objects.filter(id=role, team_id=team).first() if role else None
    if role is not None and named is None:
        raise Invalid(fields={"role": "no such role in this team"})
    return Holder(team, role=named)


def _shape(row: Binding) -> dict[str, Any]:
    role = row.loadout.role_id if row.loadout is not None else None
    return {
        "id": ids.public("binding", row.id),
        "asset": ids.public("asset", row.asset_id),
        "agent": ids.public("agent", row.agent_id) if row.agent_id else None,
        "role": ids.public("role", role) if role else None,
        "base": row.loadout is not None and role is None,
        "access": row.access, "mode": row.mode, "pin": row.pin, "follow": row.follow,
        "priority": row.priority, "share": row.share, "expires_at": row.expires_at, "reason": row.reason,
    }  # fmt: skip
