"""A draft of what a holder carries: its items, what of them may stand, and how they become rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from assets import scope
from assets.models import Asset, Binding
from hub import audit, ids
from hub.authn.principal import MANAGE, READ, Principal
from hub.models import Loadout
from hub.problems import Invalid
from hub.services.loadouts import Holder

ACCESS, MODES, FOLLOWS = ("read", "write"), ("always", "retrieve", "on_demand"), ("approved", "head")
MOST_ITEMS = 1000
TERMS = ("access", "mode", "pin", "follow", "priority", "share", "expires_at")


@dataclass(frozen=True, slots=True)
class Item:
    """One asset of a draft with its terms. `share` is a part (0 to 1) of the token budget."""

    asset: UUID
    access: str = "read"
    mode: str = "retrieve"
    pin: int | None = None
    follow: str = "approved"
    priority: int = 50
    share: float | None = None
    expires_at: datetime | None = None

    def entry(self) -> dict[str, Any]:
        """The item as JSON, by public id."""
        return {
            "asset": ids.public("asset", self.asset), "access": self.access, "mode": self.mode,
            "pin": self.pin, "follow": self.follow, "priority": self.priority, "share": self.share,
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What a draft would do to the rows, by asset."""

    added: tuple[Item, ...] = ()
    changed: tuple[Item, ...] = ()
    removed: tuple[UUID, ...] = ()

    @property
    def assets(self) -> tuple[UUID, ...]:
        return tuple(one.asset for one in (*self.added, *self.changed)) + self.removed

    def __bool__(self) -> bool:
        return bool(self.assets)


def rows_of(holder: Holder) -> Any:
    """The live bindings that people made for the holder (not those by an agent's own writing)."""
    mine = (
        Q(agent_id=holder.agent.pk)
        if holder.agent is not None
        else Q(loadout__team_id=holder.team, loadout__role=holder.role)
    )
    live = Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
    return Binding.objects.filter(mine & live, automatic=False).order_by("made_at", "id")


def item_of(row: Binding) -> Item:
    return Item(row.asset_id, **{name: getattr(row, name) for name in TERMS})


def current(holder: Holder, *, seen: set[UUID]) -> list[Item]:
    """The items as one may know them who may read the assets `seen`, by asset."""
    items = [item_of(row) for row in rows_of(holder) if row.asset_id in seen]
    return sorted(items, key=lambda one: one.asset)


def readable(principal: Principal) -> set[UUID]:
    """The assets that the principal may read. Call inside `scope.browsing`."""
    allowed = scope.resolve(principal, READ)
    scope.walls(principal.team, "{}")
    return {UUID(one) for one in allowed.assets.strip("{}").split(",") if one}


def parse(entries: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Items from JSON as `Item.entry` gives it. Raises Invalid, which names each wrong item."""
    items: list[Item] = []
    wrong: dict[str, str] = {}
    for place, entry in enumerate(entries):
        asset = ids.parse("asset", str(entry.get("asset", "")))
        unknown = sorted(set(entry) - {"asset", *TERMS})
        if asset is None:
            wrong[f"items.{place}.asset"] = "not an id that begins with ast_"
            continue
        if unknown:
            wrong[f"items.{place}.{unknown[0]}"] = f"unknown; allowed are: asset, {', '.join(TERMS)}"
            continue
        terms = {name: entry[name] for name in TERMS if name in entry}
        if isinstance(terms.get("expires_at"), str):
            terms["expires_at"] = parse_datetime(terms["expires_at"]) or "?"
        items.append(Item(asset, **terms))
    if wrong:
        raise Invalid(fields=wrong)
    return items


def difference(before: Sequence[Item], after: Sequence[Item]) -> Change:
    """What leads from one list to the other."""
    old = {one.asset: one for one in before}
    new = {one.asset: one for one in after}
    return Change(
        tuple(one for one in after if one.asset not in old),
        tuple(one for one in after if one.asset in old and old[one.asset] != one),
        tuple(asset for asset in old if asset not in new),
    )


def check(principal: Principal, holder: Holder, draft: Sequence[Item], before: Sequence[Item]) -> Change:
    """What the draft changes. Each change needs the manage right on its asset; what stays as it
    is needs none. Raises Invalid, which names each item that cannot stand.
    """
    wrong = _shapes(draft)
    change = difference(before, draft)
    places = {one.asset: f"items.{place}.asset" for place, one in enumerate(draft)}
    seen = {one.asset for one in before} | readable(principal)
    touched = [one for one in change.assets if one in seen]
    manage = scope.resolve(principal, MANAGE, only=touched).assets if touched else "{}"
    scope.walls(principal.team, "{}")
    rows = {row.id: row for row in Asset.rows.filter(id__in=touched)}
    written = _written(holder)
    for asset in change.assets:
        place = places.get(asset, f"removed.{ids.public('asset', asset)}")
        if place in wrong:
            continue
        if asset not in rows:
            wrong[place] = "there is nothing here that you may see"
        elif str(asset) not in manage:
            wrong[place] = "this needs the right to manage the asset"
        elif asset in places and not _may_carry(principal, holder, rows[asset]):
            wrong[place] = "a private asset is bound by its owner, to one agent"
        if place not in wrong and asset in written:
            wrong[place] = "the agent carries it already, by its own writing"
    if wrong:
        raise Invalid(fields=wrong)
    return change


def apply(principal: Principal, holder: Holder, loadout: Loadout | None, change: Change, reason: str) -> None:
    """Make the rows follow. Call with the holder locked and the team's wall set."""
    mine = Binding.objects.filter(agent_id=holder.agent.pk if holder.agent else None, loadout=loadout)
    gone = [*change.removed, *(one.asset for one in change.added)]  # the latter may stand there, ended
    mine.filter(asset_id__in=gone, automatic=False).delete()
    made = {"reason": reason, "made_by_id": principal.user}
    for one in change.changed:
        mine.filter(asset_id=one.asset).update(**made, **_terms(one))
    Binding.objects.bulk_create(
        Binding(
            team_id=holder.team, asset_id=one.asset, loadout=loadout,
            agent_id=holder.agent.pk if holder.agent else None, **made, **_terms(one),
        )
        for one in change.added
    )  # fmt: skip


def record(principal: Principal, holder: Holder, change: Change, reason: str) -> None:
    """One event for each asset that was bound, bound anew or unbound."""
    for one in (*change.added, *change.changed):
        payload = {"reason": reason, "access": one.access, "holder": holder.public}
        audit.record(principal, "binding.create", asset=one.asset, target=holder.public, payload=payload)
    for asset in change.removed:
        payload = {"reason": reason, "holder": holder.public}
        audit.record(principal, "binding.remove", asset=asset, target=holder.public, payload=payload)


def entries_of(holder: Holder) -> list[dict[str, Any]]:
    """Everything the holder carries, for a version."""
    items = sorted((item_of(row) for row in rows_of(holder)), key=lambda one: one.asset)
    return [one.entry() for one in items]


def _may_carry(principal: Principal, holder: Holder, asset: Any) -> bool:
    own = holder.agent is not None and asset.owner_id == principal.user
    return asset.visibility != "private" or own


def _written(holder: Holder) -> set[UUID]:
    if holder.agent is None:
        return set()
    rows = Binding.objects.filter(agent_id=holder.agent.pk, automatic=True)
    return set(rows.values_list("asset_id", flat=True))


def _shapes(draft: Sequence[Item]) -> dict[str, str]:
    wrong: dict[str, str] = {}
    if len(draft) > MOST_ITEMS:
        wrong["items"] = f"at most {MOST_ITEMS}"
    seen: set[UUID] = set()
    for place, one in enumerate(draft):
        for name, problem in terms_wrong(one).items():
            wrong[f"items.{place}.{name}"] = problem
        if one.asset in seen:
            wrong[f"items.{place}.asset"] = "stands here twice"
        seen.add(one.asset)
    return wrong


def terms_wrong(one: Item) -> dict[str, str]:
    """The terms that cannot be used, by name."""
    wrong: dict[str, str] = {}
    for name, known in (("access", ACCESS), ("mode", MODES), ("follow", FOLLOWS)):
        if getattr(one, name) not in known:
            wrong[name] = f"one of {', '.join(known)}"
    if one.pin is not None and not (_whole(one.pin) and 1 <= one.pin < 2**31):
        wrong["pin"] = "the number of a version"
    if not (_whole(one.priority) and 0 <= one.priority <= 100):
        wrong["priority"] = "0 to 100"
    share: Any = one.share  # a draft from JSON may hold anything
    if share is not None and not (isinstance(share, int | float) and 0 < share <= 1):
        wrong["share"] = "above 0, at most 1"
    end: Any = one.expires_at
    if end is not None:
        if not isinstance(end, datetime) or end.tzinfo is None:
            wrong["expires_at"] = "a moment with its time zone"
        elif end <= timezone.now():
            wrong["expires_at"] = "lies in the past"
    return wrong


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _terms(one: Item) -> dict[str, Any]:
    return {name: getattr(one, name) for name in TERMS}


def without_ended(items: Iterable[Item]) -> list[Item]:
    """Items of an older state without those whose time is over."""
    now = timezone.now()
    return [one for one in items if one.expires_at is None or one.expires_at > now]
