"""The assets that stand in the rows of a loadout: what may be read, and of that what may be bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from assets import scope
from assets.services.assets import COLUMNS
from assets.services.shapes import AssetRow
from hub import audit
from hub.authn.principal import MANAGE, READ, Principal

MOST_ROWS = 200
ROWS = f"""select {COLUMNS.replace("a.served", "s.version")}, count(*) over () as total
  from {{assets}} join assets_asset a on a.id = s.asset join hub_user u on u.id = a.owner_id
  where (%(kind)s = '' or a.kind = %(kind)s) and (%(text)s = ''
    or position(lower(%(text)s) in lower(a.title || ' ' || a.name || ' ' || array_to_string(a.labels, ' '))) > 0)
  order by a.kind, lower(coalesce(nullif(a.title, ''), a.name)), a.id limit {MOST_ROWS}"""


@dataclass(frozen=True, slots=True)
class Rows:
    """At most MOST_ROWS assets by kind and title; `total` counts all that fit. `actions` of a
    row holds `manage` where it may be bound.
    """

    rows: tuple[AssetRow, ...]
    total: int


def list_rows(principal: Principal, *, text: str = "", kind: str = "") -> Rows:
    """The assets that the principal may read, narrowed by words of their names and labels."""
    if principal.is_stranger:
        return Rows((), 0)
    with scope.reading(principal, READ) as allowed:
        found = allowed.fetch(ROWS, {"text": text.strip(), "kind": kind})
        named = [row["id"] for row in found]
        managed = scope.resolve(principal, MANAGE, only=named).assets if named else "{}"
        audit.record(principal, "asset.list", payload={"count": len(found)})
    mine = {UUID(one) for one in managed.strip("{}").split(",") if one}
    total = found[0].pop("total") if found else 0
    return Rows(tuple(_row(row, (MANAGE,) if row["id"] in mine else ()) for row in found), total)


def _row(row: dict[str, Any], actions: tuple[str, ...]) -> AssetRow:
    values = {name: value for name, value in row.items() if name != "total"}
    return AssetRow(**{**values, "labels": tuple(row["labels"]), "actions": actions})
