"""Vectors: inner product by the one current embedding model; exact, or by an index where it is wide.

A scan of the scope is exact. Above `WIDE` rows the index of the team's partition is read, if the
worker has built one: more rows than are wanted come from its lists, are held against the rules and
sorted exactly. A lock to a person or a filter leaves few rows, which are always scanned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from assets.embedding import index
from assets.embedding.protocol import Vector
from assets.retrieval import filters
from assets.retrieval.types import Candidate, Filters, Query
from assets.scope import Scope

Way = Literal["exact", "ivfflat"]
# At 30,000 rows both cost the same, at 162,000 the index a tenth (bench/README.md).
WIDE = 40_000
PROBES = 40  # lists read at first; more are read until there are enough rows
OVER = 2  # rows fetched for one that is wanted

# The "+ 0" keeps the planner from an approximate index: a scope is scanned exactly.
NEAREST = """
select t.node::text, -(t.vector <#> %(vector)s::halfvec) as score
  from {assets} join assets_embedding t on t.asset = s.asset
 where t.team = %(team)s::uuid and t.model = %(model)s::uuid and {visible}
"""
ORDER = " order by (t.vector <#> %(vector)s::halfvec) + 0, t.node limit %(limit)s"
# Row-level security keeps the first part inside the scope's assets.
BY_INDEX = """
with t as materialized (
  select node, asset, subject, state, since, until, vector from assets_embedding
   where team = %(team)s::uuid and model = '{model}' and state = any(%(f_state)s)
   order by (vector::halfvec({dimension})) <#> %(vector)s::halfvec({dimension}) limit %(fetched)s)
select t.node::text, -(t.vector <#> %(vector)s::halfvec) as score
  from t join {{assets}} on s.asset = t.asset where {{visible}}{narrowed}
"""
PREPARED = """
select set_config('ivfflat.probes', %(probes)s, true),
       set_config('ivfflat.iterative_scan', 'relaxed_order', true),
       exists (select from pg_index i join pg_class c on c.oid = i.indexrelid
                where i.indisvalid and c.relname like %(index)s and i.indrelid = (
                  select tableoid from assets_embedding where team = %(team)s::uuid limit 1)) as is_there
"""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest rows, best first, and how they were found."""

    candidates: list[Candidate]
    way: Way


def find(scope: Scope, query: Query, limit: int, vector: Vector, model: UUID) -> Nearest:
    """The nearest rows of the scope to the question's vector."""
    narrowed, values = filters.conditions(query.filters)
    values |= {
        "vector": "[" + ",".join(f"{number:.6f}" for number in vector.tolist()) + "]",
        "model": model,
        "limit": limit,
    }
    if is_wide(scope, query.filters) and _is_indexed(scope, model):
        by_index = BY_INDEX.format(model=model, dimension=len(vector), narrowed=narrowed)
        rows = scope.fetch(by_index + ORDER, values | {"fetched": OVER * limit})
        if len(rows) == limit:
            return Nearest(_candidates(rows), "ivfflat")
    return Nearest(_candidates(scope.fetch(NEAREST + narrowed + ORDER, values)), "exact")


def is_wide(scope: Scope, asked: Filters) -> bool:
    """May the index be read? Not under a lock or a filter, whose rows it would pass by."""
    return scope.row_count >= WIDE and scope.principal.subject is None and asked == Filters(state=asked.state)


def _is_indexed(scope: Scope, model: UUID) -> bool:
    wanted = {"probes": str(PROBES), "index": index.name(model, "%")}
    return bool(scope.fetch(PREPARED, wanted)[0]["is_there"])


def _candidates(rows: list[dict[str, Any]]) -> list[Candidate]:
    return [
        Candidate(row["node"], "vectors", rank, float(row["score"])) for rank, row in enumerate(rows, start=1)
    ]
