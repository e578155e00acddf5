"""The content of what was found, read through the same scope in the same snapshot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from assets.retrieval import filters, rank
from assets.retrieval.fusion import Place
from assets.retrieval.types import Fused, Query, Ranked, Row
from assets.scope import Scope
from assets.tree import weight

# The best sessions, of each the messages nearest to what was found: a conversation of any length
# costs the same. Siblings are found by their path, whose labels have six characters and rise
# with the order of writing.
PLACES = """
with found as materialized (
  select s.asset, s.version, s.inspects, n.parent, n.sequence, left(n.path, -7) as top, f.place
    from unnest(%(nodes)s::uuid[]) with ordinality as f(id, place)
    join assets_node n on n.id = f.id join {assets} on s.asset = n.asset_id
   where n.kind = 'message' and n.parent is not null),
sessions as materialized (
  select asset, version, inspects, parent, top from found
   group by asset, version, inspects, parent, top order by min(place) limit %(sessions)s)
select near.* from sessions s cross join lateral (
  select t.node::text, n.parent::text, n.sequence, coalesce(n.extra->>'speaker', '') as speaker
    from assets_node n join assets_nodetext t on t.team = %(team)s::uuid and t.node = n.id
   where n.asset_id = s.asset and n.path > s.top || '.' and n.path < s.top || '/'
     and n.parent = s.parent and n.kind = 'message' and t.asset = s.asset and {visible}{narrowed}
   order by (select min(abs(n.sequence - f.sequence)) from found f where f.parent = n.parent), n.path
   limit %(most)s) near
"""
BEST = 40  # of what was found; all of it and every session give LoCoMo 1.7 points of R@50 more
SESSIONS, OF_SESSION = 6, 200
CONTENT = """
select t.node::text, n.ident, n.asset_id, n.kind, n.title, n.content, n.occurred_at, n.recorded_at,
       n.source, n.trust, n.path, n.state, n.is_constraint, n.is_pinned, s.version, s.share,
       a.kind as asset_kind, coalesce(nullif(a.title, ''), a.name) as asset_title,
       coalesce(n.extra->>'speaker', u.username, '') as author,
       g.importance, g.confidence, g.half_life, g.uses, g.last_used_at
  from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
  join assets_asset a on a.id = n.asset_id join assets_nodesignal g on g.ident = n.ident
  left join hub_user u on u.id = coalesce(n.author_agent_id, n.author_user_id)
 where t.team = %(team)s::uuid and {visible} and t.node = any(%(nodes)s::uuid[])
"""


def places(scope: Scope, query: Query, nodes: Sequence[Row]) -> dict[Row, Place]:
    """Where the best of the found messages and those around them stand: parent, order, speaker.

    `nodes` is in the order of relevance.
    """
    narrowed, values = filters.conditions(query.filters)
    values |= {
        "nodes": list(nodes[:BEST]),
        "sessions": SESSIONS,
        "most": OF_SESSION,
    }
    rows = scope.fetch(PLACES.replace("{narrowed}", narrowed), values)
    return {
        row["node"]: Place(row["parent"], row["sequence"], row["speaker"])
        for row in rows
        if row["parent"] is not None
    }


def ranked(scope: Scope, fused: Collection[Fused], now: datetime) -> list[Ranked]:
    """The fused rows with their content, and their weight at `now`."""
    wanted = {one.node: one for one in fused}
    rows = scope.fetch(CONTENT, {"nodes": list(wanted)})
    return [_ranked(row, wanted[row["node"]], now) for row in rows]


def _ranked(row: Mapping[str, Any], one: Fused, now: datetime) -> Ranked:
    signals = weight.Signals(
        importance=row["importance"],
        confidence=row["confidence"],
        occurred_at=row["occurred_at"] or row["recorded_at"],
        half_life=row["half_life"],
        uses=row["uses"],
        last_used_at=row["last_used_at"],
        is_held_fast=row["is_constraint"] or row["is_pinned"],
    )
    now_worth = weight.weight(signals, now)
    return Ranked(
        node=row["node"], ident=row["ident"], asset=row["asset_id"],
        asset_title=row["asset_title"], asset_kind=row["asset_kind"], node_kind=row["kind"],
        title=row["title"], text=row["content"], score=rank.scored(one.score, now_worth), relevance=one.score,
        weight=now_worth, recorded_at=row["recorded_at"],
        occurred_at=row["occurred_at"], source=row["source"], trust=row["trust"],
        author=row["author"], path=row["path"], version=row["version"], state=row["state"],
        share=row["share"], why=one.why,
    )  # fmt: skip
