"""Denials: a refusal for a person, an agent or a role, which wins over every grant."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from assets import scope
from assets.models import Asset, Denial
from assets.services.bindings import manageable
from assets.services.grants import holder_of, is_live
from hub import audit, ids
from hub.authn.principal import Principal
from hub.models import Agent, Team
from hub.problems import Invalid, Missing


def deny(
    principal: Principal,
    *,
    asset: UUID,
    to: tuple[str, UUID],
    reason: str = "",
    expires_at: datetime | None = None,
) -> dict[str, Any]:
    """Refuse an asset to `to` (kind, id). Raises Missing, Forbidden, Invalid (the owner)."""
    if expires_at is not None and expires_at <= timezone.now():
        raise Invalid(fields={"expires_at": "lies in the past"})
    manageable(principal, asset, "denial.create")
    is_role = holder_of(principal, to) is not None
    with scope.browsing(principal):
        if Asset.rows.get(id=asset).owner_id == to[1]:
            raise Invalid(fields={"to": "the owner cannot be refused"})
        row = Denial.objects.create(
            team_id=principal.in_team, asset_id=asset, user_id=None if is_role else to[1],
            role_id=to[1] if is_role else None, reason=reason, made_by_id=principal.user,
            expires_at=expires_at,
        )  # fmt: skip
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "denial.create", asset=asset, target=ids.public("denial", row.id),
            payload={"to": str(to[1]), "reason": reason},
        )  # fmt: skip
        return _shape(row, set() if to[0] != "agent" else {to[1]})


def lift(principal: Principal, denial_id: UUID, reason: str = "") -> None:
    """End a denial. Raises Missing, Forbidden."""
    with scope.browsing(principal):
        row = Denial.objects.filter(id=denial_id).first()
    if row is None:
        audit.refused(principal, "denial.remove", target=ids.public("denial", denial_id))
        raise Missing
    manageable(principal, row.asset_id, "denial.remove")
    with scope.browsing(principal):
        Denial.objects.filter(id=denial_id).delete()
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "denial.remove", asset=row.asset_id, target=ids.public("denial", denial_id),
            payload={"reason": reason},
        )  # fmt: skip


def read_denial(principal: Principal, denial_id: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One denial, for who may manage its asset; `lock` holds its row. Raises Missing, Forbidden."""
    with scope.browsing(principal):
        rows = Denial.objects.filter(id=denial_id)
        row = (rows.select_for_update() if lock else rows).first()
        if row is not None:
            manageable(principal, row.asset_id, "denial.list")
            target = ids.public("denial", denial_id)
            audit.record(principal, "denial.list", asset=row.asset_id, target=target)
            agents = Agent.objects.filter(team_id=principal.in_team, account_id=row.user_id)
            return _shape(row, set(agents.values_list("account_id", flat=True)))
    audit.refused(principal, "denial.list", target=ids.public("denial", denial_id))
    raise Missing


def list_denials(principal: Principal, asset: UUID) -> list[dict[str, Any]]:
    """The denials on an asset, for who may manage it. Raises Missing, Forbidden."""
    manageable(principal, asset, "denial.list")
    agents = set(Agent.objects.filter(team_id=principal.in_team).values_list("account_id", flat=True))
    with scope.browsing(principal):
        audit.record(principal, "denial.list", asset=asset)
        return [
            _shape(row, agents) for row in Denial.objects.filter(asset_id=asset).order_by("made_at", "id")
        ]


def _shape(row: Denial, agents: set[UUID]) -> dict[str, Any]:
    kind = "role" if row.role_id else "agent" if row.user_id in agents else "user"
    return {
        "id": ids.public("denial", row.id), "asset": ids.public("asset", row.asset_id),
        "to": ids.public(kind, row.role_id or row.user_id),  # type: ignore[arg-type]
        "reason": row.reason, "expires_at": row.expires_at, "is_live": is_live(row.expires_at),
    }  # fmt: skip
