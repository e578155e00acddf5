"""Grants: an allow entry for a person, an agent or a role on an asset."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission
from django.db import transaction
from django.utils import timezone

from assets import scope
from assets.models import AssetRoleGrant, AssetUserGrant
from assets.models.grant import LEVELS
from assets.services.bindings import manageable
from hub import audit, ids
from hub.authn.principal import Principal
from hub.models import Agent, Membership, Role, Team
from hub.problems import Invalid, Missing

KINDS = ("user", "agent", "role")


def grant(
    principal: Principal,
    *,
    asset: UUID,
    to: tuple[str, UUID],
    level: str,
    reason: str = "",
    expires_at: datetime | None = None,
) -> dict[str, Any]:
    """Allow `to` (kind, id) to read, change or manage. A repeat renews its terms.

    Raises Missing, Forbidden, Invalid.
    """
    if level not in LEVELS:
        raise Invalid(fields={"level": f"one of {', '.join(LEVELS)}"})
    if expires_at is not None and expires_at <= timezone.now():
        raise Invalid(fields={"expires_at": "lies in the past"})
    manageable(principal, asset, "grant.create")
    group = holder_of(principal, to)
    terms = {"reason": reason, "granted_by_id": principal.user, "expires_at": expires_at}
    permission = Permission.objects.get(
        codename=f"{level}_asset", content_type__app_label="assets", content_type__model="asset"
    )
    with transaction.atomic():
        scope.walls(principal.team, "{}")
        row: AssetUserGrant | AssetRoleGrant
        if group is not None:
            row, _ = AssetRoleGrant.objects.update_or_create(
                group_id=group, permission=permission, content_object_id=asset, defaults=terms
            )
        else:
            row, _ = AssetUserGrant.objects.update_or_create(
                user_id=to[1], permission=permission, content_object_id=asset, defaults=terms
            )
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "grant.create", asset=asset, target=ids.public("grant", row.id),
            payload={"level": level, "to": str(to[1]), "reason": reason},
        )  # fmt: skip
    return {
        "id": ids.public("grant", row.id), "asset": ids.public("asset", asset),
        "to": ids.public(*to), "level": level, "reason": reason, "expires_at": expires_at, "is_live": is_live(expires_at),
    }  # fmt: skip


def revoke(principal: Principal, grant_id: UUID, reason: str = "") -> None:
    """Take a grant away. Raises Missing, Forbidden."""
    for model in (AssetUserGrant, AssetRoleGrant):
        row = model.objects.filter(id=grant_id).first()
        if row is None:
            continue
        manageable(principal, row.content_object_id, "grant.remove")
        with scope.browsing(principal):
            row.delete()
            Team.rights_changed(principal.in_team)
            audit.record(
                principal, "grant.remove", asset=row.content_object_id,
                target=ids.public("grant", grant_id), payload={"reason": reason},
            )  # fmt: skip
        return
    audit.refused(principal, "grant.remove", target=ids.public("grant", grant_id))
    raise Missing


def read_grant(principal: Principal, grant_id: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One grant, for who may manage its asset; `lock` holds its row. Raises Missing, Forbidden."""
    for model in (AssetUserGrant, AssetRoleGrant):
        with transaction.atomic():
            rows = model.objects.filter(id=grant_id)
            row = (rows.select_for_update() if lock else rows).first()
            if row is None:
                continue
            manageable(principal, row.content_object_id, "grant.list")
            audit.record(
                principal, "grant.list", asset=row.content_object_id, target=ids.public("grant", grant_id)
            )
            return _told(principal, row)
    audit.refused(principal, "grant.list", target=ids.public("grant", grant_id))
    raise Missing


def _told(principal: Principal, row: AssetUserGrant | AssetRoleGrant) -> dict[str, Any]:
    if isinstance(row, AssetRoleGrant):
        return _shape(row, "role", row.group.role.id)
    is_agent = Agent.objects.filter(team_id=principal.in_team, account_id=row.user_id).exists()
    return _shape(row, "agent" if is_agent else "user", row.user_id)


def list_grants(principal: Principal, asset: UUID) -> list[dict[str, Any]]:
    """The grants on an asset, for who may manage it. Raises Missing, Forbidden."""
    manageable(principal, asset, "grant.list")
    agents = set(Agent.objects.filter(team_id=principal.in_team).values_list("account_id", flat=True))
    with scope.browsing(principal):
        found = [
            _shape(row, "agent" if row.user_id in agents else "user", row.user_id)
            for row in AssetUserGrant.objects.filter(content_object_id=asset).select_related("permission")
        ]
        found += [
            _shape(row, "role", row.group.role.id)
            for row in AssetRoleGrant.objects.filter(content_object_id=asset).select_related(
                "permission", "group__role"
            )
        ]
        audit.record(principal, "grant.list", asset=asset)
    return sorted(found, key=lambda one: str(one["id"]))


def _shape(row: AssetUserGrant | AssetRoleGrant, kind: str, holder: UUID) -> dict[str, Any]:
    return {
        "id": ids.public("grant", row.id), "asset": ids.public("asset", row.content_object_id),
        "to": ids.public(kind, holder), "level": row.permission.codename.removesuffix("_asset"),
        "reason": row.reason, "expires_at": row.expires_at, "is_live": is_live(row.expires_at),
    }  # fmt: skip


def is_live(expires_at: datetime | None) -> bool:
    """Whether a right has not ended; one that has stays listed until it is taken away."""
    return expires_at is None or expires_at > timezone.now()


def holder_of(principal: Principal, to: tuple[str, UUID]) -> int | None:
    """The group of a role, None for a person or agent. Raises Invalid for one of another team."""
    kind, holder = to
    if kind == "role":
        role = Role.objects.filter(id=holder, team_id=principal.in_team).first()
        if role is not None:
            return role.group_id
    elif kind == "agent":
        if Agent.objects.filter(account_id=holder, team_id=principal.in_team).exists():
            return None
    elif kind == "user" and Membership.objects.filter(user_id=holder, team_id=principal.in_team).exists():
        return None
    raise Invalid(fields={"to": "nobody of this name in the team"})
