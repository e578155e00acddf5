"""The life of an asset: draft, review, approved, deprecated, archived; and quarantine beside it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone

from assets import scope
from assets.models import Asset, Version
from assets.models.asset import CHAT_MEMORY
from assets.services import assets, flip_steps
from assets.services.shapes import AssetRow
from hub import audit
from hub.authn.principal import CHANGE, MANAGE, READ, REVIEW, Principal
from hub.models import Team
from hub.problems import Conflict, Forbidden, Invalid, Missing

# From which statuses one may come to a status, and the right that it needs.
WAYS: dict[str, tuple[tuple[str, ...], str]] = {
    "draft": (("in_review", "archived"), CHANGE),
    "in_review": (("draft",), CHANGE),
    "approved": (("draft", "in_review", "approved", "deprecated"), REVIEW),
    "deprecated": (("approved",), MANAGE),
    "archived": (("draft", "in_review", "approved", "deprecated"), MANAGE),
}


def set_status(
    principal: Principal, *, asset: UUID, to: str, reason: str, version: int | None = None
) -> AssetRow:
    """Move an asset on. To approve is a review: with four eyes its owner cannot. `version` is
    the head that was looked at. Raises Missing, Forbidden, Invalid, Conflict.
    """
    if to not in WAYS:
        raise Invalid(fields={"to": f"one of {', '.join(WAYS)}"})
    _reason(reason)
    before, right = WAYS[to]
    _decided(principal, asset, "status.change", right)
    with scope.browsing(principal):
        row = _locked(principal, asset, right)
        if row.status == "archived" and not assets.may_do(principal, MANAGE, asset):
            raise Forbidden("This needs the right to manage the asset.")
        if row.kind == CHAT_MEMORY and to in ("in_review", "approved", "deprecated"):
            raise Conflict("Chat memory is not reviewed as a whole: single nodes of it are.")
        if row.status not in before:
            raise Conflict(f"It is {row.status}: from there it does not become {to}.")
        if version is not None and version != row.head:
            raise Conflict(f"The newest version is {row.head} by now: look at it first.")
        row.status = to
        if to == "approved":
            row.approved = row.head
            scope.walls(principal.team, "{" + str(asset) + "}")
            Version.rows.filter(asset=row, number=row.head).update(
                approved_by_id=principal.user, approved_at=timezone.now()
            )
            scope.walls(principal.team, "{}")
        row.save(update_fields=["status", "approved", "updated_at"])
        Team.rights_changed(principal.in_team)
        audit.record(
            principal, "status.change", asset=asset, version=row.head,
            payload={"to": to, "reason": reason},
        )  # fmt: skip
    return assets.read_asset(principal, asset)


def ways(row: AssetRow) -> tuple[str, ...]:
    """The statuses to which the reader of this row may move it now."""
    found = []
    for to, (before, right) in WAYS.items():
        reviewed = row.kind == CHAT_MEMORY and to in ("in_review", "approved", "deprecated")
        rights = {right, MANAGE} if row.status == "archived" else {right}
        if row.status in before and not reviewed and rights <= set(row.actions):
            found.append(to)
    return tuple(found)


def may_quarantine(principal: Principal, asset: UUID, *, quarantined: bool) -> bool:
    """Whether the principal may set (or lift) the quarantine."""
    with scope.browsing(principal):
        known = not principal.is_stranger and assets.may_do(principal, READ, asset)
        return known and _may_quarantine(principal, asset, sets=quarantined)


def set_quarantine(principal: Principal, *, asset: UUID, quarantined: bool, reason: str) -> dict[str, Any]:
    """Take an asset out of use, or let it back. Managers and reviewers may set it; reviewers lift
    it (the owner where there is no reviewer). Raises Missing, Forbidden, Invalid.
    """
    _reason(reason)
    with scope.browsing(principal):
        known = not principal.is_stranger and assets.may_do(principal, READ, asset)
        allowed = known and _may_quarantine(principal, asset, sets=quarantined)
        if allowed:
            Asset.rows.filter(id=asset).update(quarantined=quarantined, updated_at=timezone.now())
            Team.rights_changed(principal.in_team)
            audit.record(
                principal, "quarantine.change", asset=asset,
                payload={"quarantined": quarantined, "reason": reason},
            )  # fmt: skip
    if not allowed:
        audit.refused(principal, "quarantine.change", target=str(asset))
        if known:
            raise Forbidden("This needs a reviewer who may read the asset.")
        raise Missing
    return {"quarantined": quarantined}


def _may_quarantine(principal: Principal, asset: UUID, *, sets: bool) -> bool:
    row = Asset.rows.select_for_update().get(id=asset)
    if assets.may_do(principal, REVIEW, asset):
        return True
    if MANAGE not in principal.actions or not principal.is_person:
        return False
    if sets:
        return assets.may_do(principal, MANAGE, asset)
    return principal.user in flip_steps.lifters(row)


def _decided(principal: Principal, asset: UUID, act: str, right: str) -> None:
    """Raises Missing where it may not be read, Forbidden where the right is not held."""
    with scope.browsing(principal):
        known = not principal.is_stranger and assets.may_do(principal, READ, asset)
        allowed = known and assets.may_do(principal, right, asset)
    if not allowed:
        audit.refused(principal, act, target=str(asset))
        if not known:
            raise Missing
        if right == REVIEW:
            raise Forbidden("This needs a reviewer, with four eyes another than the owner.")
        raise Forbidden(f"This needs the right to {right} the asset.")


def _locked(principal: Principal, asset: UUID, right: str) -> Asset:
    """The row, locked, with the right asked again under the lock."""
    row: Asset | None = Asset.rows.select_for_update().filter(id=asset).first()
    if row is None or not assets.may_do(principal, right, asset):
        raise Missing
    return row


def _reason(reason: str) -> None:
    if not reason.strip():
        raise Invalid(fields={"reason": "say why"})
