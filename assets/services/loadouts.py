"""Loadouts as a whole: read, save with a reason, versions, differences, back to one, out and in as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from assets import scope
from assets.services import cursors
from assets.services import loadout_drafts as drafts
from assets.services.loadout_drafts import Item
from assets.services.shapes import Page
from hub import audit, ids
from hub.authn.principal import Principal
from hub.models import LoadoutVersion, Team
from hub.problems import KINDS, Forbidden, Invalid, Missing, Problem
from hub.services import loadouts as holders
from hub.services.loadouts import Holder

FORMAT = "loadout/1"
LEAST_BUDGET, MOST_BUDGET = 100, 1_000_000  # tokens


class Stale(Problem):
    """Somebody saved in the meantime. `current` is what stands now, `yours` what was sent."""

    status = 412
    code = "stale"
    title = KINDS["stale"].title

    def __init__(self, current: Mapping[str, Any], yours: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("Somebody saved this loadout since you read it. Look at both and save again.")
        self.current = current
        self.yours = list(yours)


def list_loadouts(
    principal: Principal, *, limit: int = 50, cursor: str | None = None, with_agents: bool = True
) -> Page[dict[str, Any]]:
    """The base, roles and agents with what each carries, of assets that the principal may read."""
    limit, after = cursors.size(limit), cursors.read_path(cursor)
    if principal.is_stranger:
        return Page(())
    with scope.browsing(principal):
        known = [one for one in holders.holders(principal) if with_agents or one.agent is None]
        begin = next((place + 1 for place, one in enumerate(known) if one.public == after), 0)
        seen = drafts.readable(principal)
        found = [state_of(principal, one, seen) for one in known[begin : begin + limit]]
        audit.record(principal, "loadout.list")
    more = cursors.write_path(found[-1]["holder"]) if len(known) > begin + limit else None
    return Page(tuple(found), more)


def read_loadout(principal: Principal, holder: str) -> dict[str, Any]:
    """What one holder (`rol_...`, `agt_...`, `base`) carries, with the `etag` to save it by.
    Raises Missing.
    """
    named = _named(principal, holder, "loadout.read")
    with scope.browsing(principal):
        audit.record(principal, "loadout.read", target=named.public)
        return state_of(principal, named, drafts.readable(principal))


def save(
    principal: Principal,
    *,
    holder: str,
    items: Sequence[Mapping[str, Any]],
    etag: str,
    reason: str,
    budget_tokens: int | None = None,
) -> dict[str, Any]:
    """The whole draft at once, as a new version. `etag` is that of the state it was made from, or
    `*` for whatever is there. Items that the principal may not see stay as
    they are. Raises Missing, Forbidden, Invalid (naming each item), Stale.
    """
    named = _named(principal, holder, "loadout.save")
    draft = drafts.parse(items)
    return _save(principal, named, draft, etag=etag, reason=reason, budget_tokens=budget_tokens)


def list_versions(
    principal: Principal, holder: str, *, limit: int = 50, cursor: str | None = None
) -> Page[dict[str, Any]]:
    """The saved states, newest first, as the principal may know them: a version in which nothing
    visible changed is not told of, so numbers count what is told. Raises Missing.
    """
    limit, after = cursors.size(limit), cursors.read_path(cursor)
    named = _named(principal, holder, "loadout.read")
    with scope.browsing(principal):
        audit.record(principal, "loadout.read", target=named.public)
        told = [_version(*one) for one in reversed(_told(principal, named))]
    begin = next((place + 1 for place, one in enumerate(told) if one["id"] == after), 0)
    shown = told[begin : begin + limit]
    more = cursors.write_path(shown[-1]["id"]) if len(told) > begin + limit else None
    return Page(tuple(shown), more)


def diff(principal: Principal, holder: str, *, old: UUID, new: UUID | None = None) -> dict[str, Any]:
    """What lies between two versions, or between one and now: `{added, changed: [{before,
    after}], removed}`. Raises Missing.
    """
    named = _named(principal, holder, "loadout.read")
    with scope.browsing(principal):
        audit.record(principal, "loadout.read", target=named.public)
        told = {row.id: items for _, row, items in _told(principal, named)}
        if old not in told or (new is not None and new not in told):
            raise Missing
        now = drafts.current(named, seen=drafts.readable(principal))
        before, after = told[old], now if new is None else told[new]
    change = drafts.difference(before, after)
    was = {one.asset: one for one in before}
    return {
        "added": [one.entry() for one in change.added],
        "changed": [{"before": was[one.asset].entry(), "after": one.entry()} for one in change.changed],
        "removed": [was[asset].entry() for asset in change.removed],
    }


def roll_back(principal: Principal, *, holder: str, version: UUID, etag: str, reason: str) -> dict[str, Any]:
    """Back to an earlier state, as a new version. Items that have ended since stay away.

    Raises Missing, Forbidden, Invalid (naming each item that may not return), Stale.
    """
    named = _named(principal, holder, "loadout.save")
    with scope.browsing(principal):
        told = {row.id: items for _, row, items in _told(principal, named)}
    if version not in told:
        raise Missing
    return _save(principal, named, drafts.without_ended(told[version]), etag=etag, reason=reason)


def export_loadout(principal: Principal, holder: str) -> dict[str, Any]:
    """What the principal may know of it, as one JSON document. Raises Missing."""
    found = read_loadout(principal, holder)
    items = [{name: one[name] for name in ("asset", *drafts.TERMS)} for one in found["items"]]
    return {
        "format": FORMAT, "holder": found["holder"], "name": found["name"],
        "budget_tokens": found["budget_tokens"], "items": items,
    }  # fmt: skip


def import_loadout(
    principal: Principal, *, holder: str, document: Mapping[str, Any], etag: str, reason: str
) -> dict[str, Any]:
    """Put an exported document in the place of what the holder carries; all of it or nothing.

    Raises as `save` does: unknown assets and those not yours to bind are named, item by item.
    """
    if not isinstance(document, Mapping):
        raise Invalid(fields={"document": "must be an object"})
    items = document.get("items")
    if document.get("format") != FORMAT:
        raise Invalid(fields={"document.format": f"must be {FORMAT}"})
    if not isinstance(items, list) or not all(isinstance(one, Mapping) for one in items):
        raise Invalid(fields={"document.items": "must be a list of objects"})
    return save(principal, holder=holder, items=items, etag=etag, reason=reason)


def _save(
    principal: Principal, holder: Holder, draft: Sequence[Item], *, etag: str, reason: str,
    budget_tokens: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    if not reason.strip():
        raise Invalid(fields={"reason": "say why"})
    if budget_tokens is not None and not LEAST_BUDGET <= budget_tokens <= MOST_BUDGET:
        raise Invalid(fields={"budget_tokens": f"{LEAST_BUDGET} to {MOST_BUDGET}"})
    try:
        holders.require_edit(principal, holder)
    except (Forbidden, Missing):
        audit.refused(principal, "loadout.save", target=holder.public)
        raise
    with scope.browsing(principal):
        loadout = holders.lock(holder)
        state = state_of(principal, holder, drafts.readable(principal))
        if etag not in ("*", state["etag"]):
            raise Stale(state, [one.entry() for one in draft])
        before = drafts.current(holder, seen=drafts.readable(principal))
        change = drafts.check(principal, holder, draft, before)
        if loadout is not None and budget_tokens is not None:
            loadout.budget_tokens = budget_tokens
            loadout.save(update_fields=["budget_tokens"])
        if change:
            drafts.apply(principal, holder, loadout, change, reason)
            changed(principal, holder, reason)
            drafts.record(principal, holder, change, reason)
        audit.record(
            principal, "loadout.save", target=holder.public,
            payload={"reason": reason, "budget_tokens": budget_tokens, "changes": len(change.assets)},
        )  # fmt: skip
        return state_of(principal, holder, drafts.readable(principal))


def entries_from(values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Items whose asset is given as a UUID, in the form that `save` takes."""
    return [{**one, "asset": ids.public("asset", one["asset"])} for one in values]


def changed(principal: Principal, holder: Holder, reason: str) -> LoadoutVersion:
    """After a change of rows: what was decided before no longer holds, and a version is kept."""
    Team.rights_changed(holder.team)
    return holders.add_version(principal, holder, reason=reason, entries=drafts.entries_of(holder))


def _named(principal: Principal, holder: str, act: str) -> Holder:
    try:
        return holders.holder_named(principal, holder)
    except Missing:
        audit.refused(principal, act, target=holder)
        raise


def state_of(principal: Principal, holder: Holder, seen: set[UUID]) -> dict[str, Any]:
    """The holder with its items. The `etag` covers what this principal may see, and no more."""
    bindings = {row.asset_id: row for row in drafts.rows_of(holder) if row.asset_id in seen}
    items = [
        drafts.item_of(row).entry() | {"id": ids.public("binding", row.id), "reason": row.reason}
        for _, row in sorted(bindings.items())
    ]
    row = holders.row_of(holder)
    budget = None if row is None else row.budget_tokens
    plain = [{name: one[name] for name in ("asset", *drafts.TERMS)} for one in items]
    return {
        "holder": holder.public, "kind": holder.kind, "name": holder.name, "budget_tokens": budget,
        "items": items, "may_edit": holders.may_edit(principal, holder),
        "etag": holders.digest([*plain, {"holder": holder.public, "budget": budget}]),
    }  # fmt: skip


def _told(principal: Principal, holder: Holder) -> list[tuple[int, LoadoutVersion, list[Item]]]:
    """Versions with what the principal may see of them, oldest first, without those in which
    nothing visible changed.
    """
    seen = drafts.readable(principal)
    found: list[tuple[int, LoadoutVersion, list[Item]]] = []
    last: list[Item] = []
    for row in holders.versions(holder):
        items = [one for one in drafts.parse(_known(row.entries)) if one.asset in seen]
        if items != last:
            found.append((len(found) + 1, row, items))
        last = items
    return found


def _known(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries of a version without fields that older versions carried."""
    kept = {"asset", *drafts.TERMS}
    return [{name: value for name, value in one.items() if name in kept} for one in entries]


def _version(number: int, row: LoadoutVersion, items: Sequence[Item]) -> dict[str, Any]:
    return {
        "id": ids.public("version", row.id), "number": number, "reason": row.reason,
        "author": ids.public("user", row.author_id) if row.author_id else None,
        "saved_at": row.saved_at, "items": [one.entry() for one in items],
        "digest": holders.digest([one.entry() for one in items]),
    }  # fmt: skip
