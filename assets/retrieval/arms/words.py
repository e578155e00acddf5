"""Words: BM25 over the scope's candidates, with frequencies counted in the same pass."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from assets.retrieval import bm25, filters
from assets.retrieval.types import Candidate, Query
from assets.scope import Scope
from assets.tree import analyse

CANDIDATES = """
select t.node, t.length,
       (select json_object_agg(u.lexeme, cardinality(u.positions)) from unnest(t.words) u
         where u.lexeme = any(%(terms)s)) as words,
       (select json_object_agg(u.lexeme, cardinality(u.positions)) from unnest(t.bigrams) u
         where u.lexeme = any(%(pairs)s)) as bigrams
  from {assets} join assets_nodetext t on t.asset = s.asset
 where t.team = %(team)s::uuid and {visible}
   and ((t.words @@ %(any_term)s::tsquery) is true or (t.bigrams @@ %(any_pair)s::tsquery) is true)
"""
SIZE = """
select count(*) as n, coalesce(avg(t.length), 1)::float as length
  from {assets} join assets_nodetext t on t.asset = s.asset
 where t.team = %(team)s::uuid and {visible}
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first, and the share of the question that the scope's words cover."""

    candidates: list[Candidate]
    coverage: float


def find(scope: Scope, query: Query, limit: int) -> Found:
    """The rows that hold a word or a character pair of the question."""
    terms, pairs = analyse.query_terms(query.text), analyse.query_bigrams(query.text)
    if not terms and not pairs:
        return Found([], 1.0)
    narrowed, values = filters.conditions(query.filters)
    rows = scope.fetch(
        CANDIDATES + narrowed,
        values
        | {
            "terms": terms,
            "pairs": pairs,
            "any_term": analyse.to_tsquery_text(analyse.stems(terms)),
            "any_pair": analyse.to_tsquery_text(pairs),
        },
    )
    size = scope.fetch(SIZE + narrowed, values)[0]
    total: dict[UUID, float] = {}
    covered: list[float] = []
    for column, wanted in (("words", terms), ("bigrams", pairs)):
        if not wanted:
            continue
        counted = [(row["node"], row[column], row["length"]) for row in rows if row[column]]
        frequency: dict[str, int] = {}
        for _, found, _ in counted:
            for term in found:
                frequency[term] = frequency.get(term, 0) + 1
        for node, score in bm25.scores(counted, frequency, size["n"], size["length"]).items():
            total[node] = total.get(node, 0.0) + score
        covered.append(bm25.coverage(wanted, frequency, size["n"]))
    best = sorted(total.items(), key=lambda item: (-item[1], item[0].int))[:limit]
    candidates = [Candidate(node, "words", rank, score) for rank, (node, score) in enumerate(best, start=1)]
    return Found(candidates, max(covered, default=1.0))
