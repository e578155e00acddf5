"""Vectors: exact inner product over the scope, by the one current embedding model."""

from __future__ import annotations

from uuid import UUID

from assets.embedding.protocol import Vector
from assets.retrieval import filters
from assets.retrieval.types import Candidate, Query
from assets.scope import Scope

# The "+ 0" keeps the planner from an approximate index: a scope is scanned exactly.
NEAREST = """
select t.node, -(t.vector <#> %(vector)s::halfvec) as score
  from {assets} join assets_embedding t on t.asset = s.asset
 where t.team = %(team)s::uuid and t.model = %(model)s::uuid and {visible}
"""
ORDER = " order by (t.vector <#> %(vector)s::halfvec) + 0, t.node limit %(limit)s"


def find(scope: Scope, query: Query, limit: int, vector: Vector, model: UUID) -> list[Candidate]:
    """The nearest rows of the scope to the question's vector, best first."""
    narrowed, values = filters.conditions(query.filters)
    rows = scope.fetch(
        NEAREST + narrowed + ORDER,
        values
        | {
            "vector": "[" + ",".join(f"{number:.6f}" for number in vector.tolist()) + "]",
            "model": model,
            "limit": limit,
        },
    )
    return [
        Candidate(row["node"], "vectors", rank, float(row["score"])) for rank, row in enumerate(rows, start=1)
    ]
