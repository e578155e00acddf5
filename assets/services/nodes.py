"""Nodes: list those of an asset or those with a tag, read one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from assets import scope
from assets.services import cursors
from assets.services.shapes import NodeRow, Page
from hub import audit
from hub.authn.principal import Principal
from hub.problems import Missing

NODES = """select n.ident as id, n.asset_id as asset, n.kind, n.tier, n.title, n.content as text,
  n.tags, n.state, n.occurred_at, n.recorded_at, n.source, n.trust,
  coalesce(n.extra->>'speaker', u.username, '') as author, n.path
  from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
  left join hub_user u on u.id = coalesce(n.author_agent_id, n.author_user_id)
  where t.team = %(team)s::uuid and {visible}"""


def list_by_tag(
    principal: Principal, *, tag: Sequence[str], limit: int = 50, cursor: str | None = None
) -> Page[NodeRow]:
    """The nodes with every `tag`, of all that the principal may read, newest first. Raises Invalid."""
    limit = cursors.size(limit)
    after = cursors.read(cursor, "nodes")
    later = "" if after is None else " and (n.recorded_at, n.ident) < (%(moment)s, %(row)s::uuid)"
    moment, row = after or (None, None)
    with scope.reading(principal) as allowed:
        rows = allowed.fetch(
            f"{NODES} and n.tags @> %(tags)s::varchar[]{later}"
            " order by n.recorded_at desc, n.ident desc limit %(limit)s",
            {"tags": list(tag), "moment": moment, "row": row, "limit": limit + 1},
        )
        if not principal.is_stranger:
            audit.record(principal, "node.list", payload={"count": len(rows[:limit])})
    more = None
    if len(rows) > limit:
        more = cursors.write(rows[limit - 1]["recorded_at"], rows[limit - 1]["id"], "nodes")
    return Page(tuple(_node(row) for row in rows[:limit]), more)


def assets_with(principal: Principal, tag: Sequence[str]) -> list[str]:
    """The ids of the assets in which the principal may read a node with every `tag`."""
    with scope.reading(principal) as allowed:
        rows = allowed.fetch(
            f"select distinct asset from ({NODES} and n.tags @> %(tags)s::varchar[]) as tagged",
            {"tags": list(tag)},
        )
    return [str(row["asset"]) for row in rows]


def list_nodes(
    principal: Principal,
    asset: UUID,
    *,
    tag: Sequence[str] = (),
    limit: int = 50,
    cursor: str | None = None,
) -> Page[NodeRow]:
    """The nodes of one asset, with every `tag`, in tree order. Raises Missing where the asset may
    not be read.
    """
    limit = cursors.size(limit)
    after = cursors.read_path(cursor)
    with scope.reading(principal, only=[asset]) as allowed:
        if allowed.size:
            rows = allowed.fetch(
                NODES + " and n.tags @> %(tags)s::varchar[] and n.path > %(after)s"
                ' order by n.path collate "C" limit %(limit)s',
                {"after": after, "tags": list(tag), "limit": limit + 1},
            )
            audit.record(principal, "node.list", asset=asset, payload={"count": len(rows[:limit])})
            more = cursors.write_path(rows[limit - 1]["path"]) if len(rows) > limit else None
            return Page(tuple(_node(row) for row in rows[:limit]), more)
    audit.refused(principal, "node.list", target=str(asset))
    raise Missing


def read_node(principal: Principal, node: UUID) -> NodeRow:
    """One node by its ident. Raises Missing where it may not be read."""
    with scope.reading(principal) as allowed:
        rows = allowed.fetch(NODES + " and n.ident = %(ident)s", {"ident": node})
        if rows:
            audit.record(principal, "node.read", asset=rows[0]["asset"], target=str(node))
            return _node(rows[0])
    audit.refused(principal, "node.read", target=str(node))
    raise Missing


def _node(row: dict[str, Any]) -> NodeRow:
    values = {name: value for name, value in row.items() if name != "path"}
    return NodeRow(**{**values, "tags": tuple(row["tags"])})
