"""Assets and their nodes: make, list, count, read."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from assets import scope
from assets.models import Asset
from assets.models.asset import KINDS, STATUSES, VISIBILITIES
from assets.services import cursors, nodes
from assets.services.shapes import AssetRow, Page
from assets.tree import write
from hub import audit
from hub.authn.principal import ACTIONS, CHANGE, READ, Principal
from hub.models import User
from hub.problems import Conflict, Forbidden, Invalid, Missing

COLUMNS = """a.id, a.team_id as team, a.kind, a.name, a.title, a.description, a.labels,
  a.owner_id as owner, u.username as owner_name, a.created_by_agent_id as created_by_agent,
  a.visibility, a.status, a.quarantined, a.head, a.served as version, a.created_at, a.updated_at"""
MOST_LABELS, LONGEST_LABEL = 20, 60


def list_assets(
    principal: Principal,
    *,
    kind: str | None = None,
    label: Sequence[str] = (),
    tag: Sequence[str] = (),
    visibility: str | None = None,
    status: str | None = None,
    owner: UUID | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[AssetRow]:
    """The assets a principal may read, newest first: those with every `label`, and of those with
    a `tag` the ones that hold a node with it that the principal may read. Raises Invalid.
    """
    limit = cursors.size(limit)
    plain = {"kind": (kind, KINDS), "visibility": (visibility, VISIBILITIES), "status": (status, STATUSES)}
    wrong = {
        name: f"one of {', '.join(known)}" for name, (one, known) in plain.items() if one and one not in known
    }
    if wrong:
        raise Invalid(fields=wrong)
    after = cursors.read(cursor)
    if principal.is_stranger:
        return Page(())
    holding = nodes.assets_with(principal, tag) if tag else None
    with scope.browsing(principal):
        rows = _browse(
            principal, equal={"kind": kind, "visibility": visibility, "status": status, "owner_id": owner},
            label=label, within=holding, after=after, limit=limit + 1,
        )  # fmt: skip
        audit.record(principal, "asset.list", payload={"count": min(len(rows), limit)})
    shown = rows[:limit]
    more = cursors.write(shown[-1].created_at, shown[-1].id) if len(rows) > limit else None
    return Page(tuple(shown), more)


def count_assets(principal: Principal) -> int:
    """How many assets a principal may read."""
    if principal.is_stranger:
        return 0
    with scope.browsing(principal):
        sql, values = scope.visible_assets(principal)
        with connection.cursor() as rows:
            rows.execute(f"{sql} select count(*) from seen", values)
            return int(rows.fetchone()[0])


def read_asset(principal: Principal, asset: UUID, *, lock: bool = False) -> AssetRow:
    """One asset with what may be done to it; `lock` holds its row to the end of the caller's
    transaction. Raises Missing where it may not be read.
    """
    with scope.browsing(principal):
        rows = [] if principal.is_stranger else _browse(principal, only=asset, limit=1)
        if rows and lock:
            list(Asset.rows.select_for_update().filter(id=asset).values_list("id"))
            rows = _browse(principal, only=asset, limit=1)
        if rows:
            row = rows[0]
            may = tuple(action for action in ACTIONS if may_do(principal, action, asset))
            audit.record(principal, "asset.read", asset=asset, version=row.version)
            return replace(row, actions=may)
    audit.refused(principal, "asset.read", target=str(asset))
    raise Missing


def may_do(principal: Principal, action: str, asset: UUID) -> bool:
    """Whether all rules pass. Call inside `browsing`."""
    results = scope.decide(principal, action, asset)
    return results is not None and all(passed for passed, _ in results)


def create_asset(
    principal: Principal,
    *,
    name: str,
    kind: str = "chat_memory",
    visibility: str = "private",
    title: str = "",
    description: str = "",
    labels: Sequence[str] = (),
) -> AssetRow:
    """A new, empty asset of a person. Raises Invalid, Conflict (own name taken), Forbidden."""
    if not principal.is_person or CHANGE not in principal.actions:
        raise Forbidden("People make assets; an agent writes into its own memory.")
    if User.objects.filter(id=principal.user, fenced_at__isnull=False).exists():
        raise Forbidden("An erasure of this person is under way: nothing more is stored for them.")
    _check(kind, visibility, name)
    labels = labels_of(labels)
    try:
        with transaction.atomic():
            asset = new_asset(
                principal, name=name, kind=kind, visibility=visibility, title=title,
                description=description, labels=labels, owner_id=principal.user,
            )  # fmt: skip
            audit.record(principal, "asset.create", asset=asset.id)
    except IntegrityError as error:
        raise Conflict(f"You already own an asset named {name!r}.") from error
    return read_asset(principal, asset.id)


LONGEST = {"name": 120, "title": 300, "description": 10_000}


def change_asset(principal: Principal, asset: UUID, **changes: Any) -> AssetRow:
    """Change what is given of `name`, `title`, `description` and `labels`. Raises Missing where the
    asset may not be read, Forbidden where it may not be changed, Invalid, Conflict.
    """
    if "labels" in changes:
        changes["labels"] = labels_of(changes["labels"])
    if "name" in changes and not changes["name"].strip():
        raise Invalid(fields={"name": "1 to 120 characters"})
    for name, longest in LONGEST.items():
        if len(changes.get(name, "")) > longest:
            raise Invalid(fields={name: f"at most {longest} characters"})
    try:
        with transaction.atomic():
            present = read_asset(principal, asset, lock=True)
            if CHANGE in present.actions:
                Asset.rows.filter(id=asset).update(**changes, updated_at=timezone.now())
                names = sorted(changes)
                audit.record(principal, "asset.change", asset=asset, payload={"fields": names})
                return read_asset(principal, asset)
    except IntegrityError as error:
        raise Conflict(f"You already own an asset named {changes['name']!r}.") from error
    audit.refused(principal, "asset.change", target=str(asset))
    raise Forbidden("This needs the right to change the asset.")


def labels_of(given: Sequence[str]) -> list[str]:
    """Labels as they are kept: NFKC, trimmed, each once whatever its case. Raises Invalid."""
    found: dict[str, str] = {}
    for label in given:
        plain = unicodedata.normalize("NFKC", label).strip()
        if not 1 <= len(plain) <= LONGEST_LABEL:
            raise Invalid(fields={"labels": f"1 to {LONGEST_LABEL} characters each"})
        found.setdefault(plain.casefold(), plain)
    if len(found) > MOST_LABELS:
        raise Invalid(fields={"labels": f"at most {MOST_LABELS}"})
    return list(found.values())


def new_asset(principal: Principal, **values: Any) -> Asset:
    """The row and its counter. Call inside a transaction."""
    asset = Asset(team_id=principal.in_team, **values)
    if principal.team is None:
        raise Forbidden
    scope.walls(principal.team, "{" + str(asset.id) + "}")
    asset.save(force_insert=True)
    write.counter_for(asset).save(force_insert=True)
    return asset


def _check(kind: str, visibility: str, name: str) -> None:
    wrong: dict[str, str] = {}
    if kind not in KINDS:
        wrong["kind"] = f"one of {', '.join(KINDS)}"
    if visibility not in VISIBILITIES:
        wrong["visibility"] = f"one of {', '.join(VISIBILITIES)}"
    if not name.strip() or len(name) > 120:
        wrong["name"] = "1 to 120 characters"
    if wrong:
        raise Invalid(fields=wrong)


def _browse(
    principal: Principal,
    *,
    equal: Mapping[str, Any] | None = None,
    label: Sequence[str] = (),
    within: Sequence[str] | None = None,
    only: UUID | None = None,
    after: tuple[Any, UUID] | None = None,
    limit: int,
) -> list[AssetRow]:
    sql, values = scope.visible_assets(principal, READ)
    parts = ["true"]
    for column, value in (equal or {}).items():
        if value is not None:
            parts.append(f"a.{column} = %({column})s")
            values[column] = value
    if label:
        parts.append("a.labels @> %(label)s::varchar[]")
        values["label"] = [unicodedata.normalize("NFKC", one).strip() for one in label]
    if within is not None:
        parts.append("a.id = any(%(within)s::uuid[])")
        values["within"] = list(within)
    if only is not None:
        parts.append("a.id = %(only)s::uuid")
    if after is not None:
        parts.append("(a.created_at, a.id) < (%(moment)s, %(row)s::uuid)")
        values |= {"moment": after[0], "row": after[1]}
    with connection.cursor() as rows:
        rows.execute(
            f"{sql} select {COLUMNS} from seen a join hub_user u on u.id = a.owner_id"
            f" where {' and '.join(parts)} order by a.created_at desc, a.id desc limit %(limit)s",
            values | {"only": only, "limit": limit},
        )
        names = [column.name for column in rows.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    return [AssetRow(**{**row, "labels": tuple(row["labels"])}) for row in found]


def browse_within(found: scope.Scope, *, after: tuple[Any, UUID] | None = None, limit: int) -> list[AssetRow]:
    """A page of the assets of a scope, newest first, with the version that it gives."""
    values: dict[str, Any] = {"limit": limit}
    later = ""
    if after is not None:
        later = "where (a.created_at, a.id) < (%(moment)s, %(row)s::uuid)"
        values |= {"moment": after[0], "row": after[1]}
    columns = COLUMNS.replace("a.served", "s.version")
    rows = found.fetch(
        f"select {columns} from {{assets}} join assets_asset a on a.id = s.asset"
        f" join hub_user u on u.id = a.owner_id {later}"
        " order by a.created_at desc, a.id desc limit %(limit)s",
        values,
    )
    return [AssetRow(**{**row, "labels": tuple(row["labels"])}) for row in rows]
