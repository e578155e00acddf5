"""Time: newer first. Finds by itself only when the question names a time or no words."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from assets.retrieval import filters
from assets.retrieval.types import Candidate, Query
from assets.scope import Scope

NEWEST = """
select t.node, extract(epoch from coalesce(t.occurred_at, n.recorded_at))::float as score
  from {assets} join assets_nodetext t on t.asset = s.asset join assets_node n on n.id = t.node
 where t.team = %(team)s::uuid and {visible}
"""
AMONG = " and t.node = any(%(among)s::uuid[])"
ORDER = " order by coalesce(t.occurred_at, n.recorded_at) desc, t.node limit %(limit)s"


def find(scope: Scope, query: Query, limit: int, among: Collection[UUID] | None = None) -> list[Candidate]:
    """The newest rows of the scope, or of those that other arms found (`among`)."""
    narrowed, values = filters.conditions(query.filters)
    if among is not None:
        narrowed += AMONG
        values["among"] = [str(node) for node in among]
    rows = scope.fetch(NEWEST + narrowed + ORDER, values | {"limit": limit})
    return [Candidate(row["node"], "time", rank, row["score"]) for rank, row in enumerate(rows, start=1)]
