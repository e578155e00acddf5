"""Time: the rows of a period that the question names, or the newest where time is asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assets.retrieval import filters
from assets.retrieval.dates import Period
from assets.retrieval.types import Candidate, Query, Row
from assets.scope import Scope

NAMED = """
select t.node::text, 1.0::float as score
  from {assets} join assets_nodetext t on t.asset = s.asset
 where t.team = %(team)s::uuid and {visible} and exists (
       select 1 from unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[]) as p(start, stop)
        where t.occurred_at >= p.start and t.occurred_at < p.stop)
"""
NAMED_ORDER = """
 order by (t.node = any(%(among)s::uuid[])) desc, t.occurred_at desc, t.node limit %(limit)s"""
NEWEST = """
select t.node::text, extract(epoch from t.occurred_at)::float as score
  from {assets} join assets_nodetext t on t.asset = s.asset
 where t.team = %(team)s::uuid and {visible}
"""
NEWEST_ORDER = " order by t.occurred_at desc, t.node limit %(limit)s"


def within(
    scope: Scope, query: Query, limit: int, periods: Sequence[Period], among: Collection[Row]
) -> list[Candidate]:
    """Rows that happened in one of the periods, all equal; those that other arms found come
    first where there are more than `limit`.
    """
    narrowed, values = filters.conditions(query.filters)
    rows = scope.fetch(
        NAMED + narrowed + NAMED_ORDER,
        values
        | {
            "starts": [one.start for one in periods],
            "ends": [one.end for one in periods],
            "among": list(among),
            "limit": limit,
        },
    )
    return _candidates(rows)


def newest(scope: Scope, query: Query, limit: int) -> list[Candidate]:
    """The newest rows of the scope; the score is seconds since 1970."""
    narrowed, values = filters.conditions(query.filters)
    return _candidates(scope.fetch(NEWEST + narrowed + NEWEST_ORDER, values | {"limit": limit}))


def _candidates(rows: list[dict[str, object]]) -> list[Candidate]:
    return [
        Candidate(str(row["node"]), "time", rank, float(str(row["score"])))
        for rank, row in enumerate(rows, start=1)
    ]
