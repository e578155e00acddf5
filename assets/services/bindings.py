"""Equipping: what a loadout or an agent carries. Every change is a version with its reason."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from assets import scope
from assets.models import Asset, Binding
from assets.services import assets
from hub import audit, ids
from hub.authn.principal import MANAGE, READ, Principal
from hub.models import Agent, Loadout, LoadoutVersion, Role, Team
from hub.problems import Conflict, Forbidden, Invalid, Missing

ACCESS, MODES, FOLLOWS = ("read", "write"), ("always", "retrieve", "on_demand"), ("approved", "head")


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
    _check(access, mode, follow, [bool(agent), bool(role), base], expires_at)
    manageable(principal, asset, "binding.create")
    with transaction.atomic():
        scope.walls(principal.team, "{}")
        row = Asset.rows.get(id=asset)
        holder = _holder(principal, agent, role)
        if row.visibility == "private" and (agent is None or row.owner_id != principal.user):
            raise Invalid(fields={"asset": "a private asset is bound by its owner, to one agent"})
        try:
            with transaction.atomic():
                binding = Binding.objects.create(
                    team_id=principal.in_team, asset=row, agent_id=agent, loadout=holder,
                    access=access, mode=mode, pin=pin, follow=follow, priority=priority,
                    share=share, expires_at=expires_at, reason=reason, made_by_id=principal.user,
                )  # fmt: skip
        except IntegrityError as error:
            raise Conflict("It is bound there already: unbind it first.") from error
        _changed(principal, holder, reason)
        audit.record(
            principal, "binding.create", asset=asset, target=ids.public("binding", binding.id),
            payload={"reason": reason, "access": access},
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
        Binding.objects.filter(id=binding_id).delete()
        _changed(principal, binding.loadout, reason)
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


def _holder(principal: Principal, agent: UUID | None, role: UUID | None) -> Loadout | None:
    if agent is not None:
        if not Agent.objects.filter(account_id=agent, team_id=principal.in_team).exists():
            raise Invalid(fields={"agent": "no such agent in this team"})
        return None
    named = Role.objects.filter(id=role, team_id=principal.in_team).first() if role else None
    if role is not None and named is None:
        raise Invalid(fields={"role": "no such role in this team"})
    return Loadout.objects.get_or_create(team_id=principal.in_team, role=named)[0]


def _changed(principal: Principal, loadout: Loadout | None, reason: str) -> None:
    Team.rights_changed(principal.in_team)
    if loadout is None:
        return
    locked = Loadout.objects.select_for_update().get(id=loadout.id)
    locked.version += 1
    locked.save(update_fields=["version"])
    rows = Binding.objects.filter(loadout=locked).order_by("made_at", "id")
    LoadoutVersion.objects.create(
        loadout=locked, number=locked.version, author_id=principal.user, reason=reason,
        entries=[_shape(one, plain=True) for one in rows],
    )  # fmt: skip


def _shape(row: Binding, *, plain: bool = False) -> dict[str, Any]:
    role = row.loadout.role_id if row.loadout is not None else None
    expires: Any = row.expires_at.isoformat() if plain and row.expires_at else row.expires_at
    return {
        "id": ids.public("binding", row.id),
        "asset": ids.public("asset", row.asset_id),
        "agent": ids.public("agent", row.agent_id) if row.agent_id else None,
        "role": ids.public("role", role) if role else None,
        "base": row.loadout is not None and role is None,
        "access": row.access, "mode": row.mode, "pin": row.pin, "follow": row.follow,
        "priority": row.priority, "share": row.share, "expires_at": expires, "reason": row.reason,
    }  # fmt: skip


def _check(access: str, mode: str, follow: str, holders: list[bool], expires_at: datetime | None) -> None:
    wrong: dict[str, str] = {}
    for name, value, known in (
        ("access", access, ACCESS),
        ("mode", mode, MODES),
        ("follow", follow, FOLLOWS),
    ):
        if value not in known:
            wrong[name] = f"one of {', '.join(known)}"
    if sum(holders) != 1:
        wrong["agent"] = "give one of agent, role and base"
    if expires_at is not None and expires_at <= timezone.now():
        wrong["expires_at"] = "lies in the past"
    if wrong:
        raise Invalid(fields=wrong)
