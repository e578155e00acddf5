"""Words: BM25 over the scope's candidates, with frequencies counted in the same pass.

One statement: the rows that hold any term, with one boolean a term; from these the frequency of
every term and a first score as if each term occurred once; then the real counts of the best.
Up to `COUNTED` candidates the result is BM25 itself; beyond, a row far down may miss its place.
Few rows are scanned; for a wide scope a function of the database reads the word indexes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assets.retrieval import bm25, filters
from assets.retrieval.types import Candidate, Filters, Query, Row
from assets.scope import Scope
from assets.tree import analyse

# Rows of a scope from which the word indexes are read: in a team of 192,000 rows a scan of 30,000
# took half the time of the indexes, a scan of 162,000 twice as long (bench/README.md).
WIDE = 60_000
Way = Literal["scan", "index"]
KEPT = 200  # candidates that are scored
GROUP = 4  # statements differ by so many terms, so that the server knows most of them already
COUNTED = 100  # of these, whose words are counted; in the others each stands once

# "is true" hides the index: row-level security would not let it be used, and a scan is planned.
# One scan gives both the rows that match and the size of the scope.
SCANNED = """
scanned as materialized (
  select t.node, t.length, case when (t.words @@ %(any_term)s::tsquery) is true
              or (t.bigrams @@ %(any_pair)s::tsquery) is true then {hits} end as hits
    from {{assets}} join assets_nodetext t on t.asset = s.asset
   where t.team = %(team)s::uuid and {{visible}}{narrowed}),
found as materialized (select node, length, hits from scanned where hits is not null),
size as materialized (
  select count(*) as n, greatest(coalesce(avg(length), 1), 1)::float as length from scanned)
"""
BY_INDEX = """
found as materialized (
  select node, length, hits from search_words(%(any_term)s::tsquery, %(any_pair)s::tsquery,
    %(term_queries)s::tsquery[], %(pair_queries)s::tsquery[],
    %(scope_versions)s::int[], %(scope_inspects)s::bool[], %(f_state)s::text[])),
size as materialized (
  select count(*) as n, greatest(coalesce(avg(t.length), 1), 1)::float as length
    from {assets} join assets_nodetext t on t.asset = s.asset
   where t.team = %(team)s::uuid and {visible}{narrowed})
"""
SCORED = """
with {found},
counted as materialized (select array[{counts}]::bigint[] as holding from found),
worth as materialized (
  select array_agg(part * ln(1 + (greatest(n - had, 0) + 0.5) / (had + 0.5)) order by place) as worth
    from counted cross join size
    cross join unnest(holding, %(parts)s::float[]) with ordinality as term(had, part, place)),
best as materialized (
  select *, row_number() over (order by score desc, node) as place from (
    select f.node, f.length, f.hits,
           ({worths}) / (1 + %(k1)s * (1 - %(b)s + %(b)s * f.length / size.length)) as score
      from found f cross join size cross join worth
     order by score desc, f.node limit %(kept)s) as scored)
select size.n, size.length, counted.holding,
  (select json_agg(json_build_array(
            best.node, best.length, t.words, t.bigrams, case when place > %(counted)s then hits end))
     from best left join lateral (
       select (select json_object_agg(u.lexeme, cardinality(u.positions)) from unnest(t.words) u
                where u.lexeme = any(%(terms)s)) as words,
              (select json_object_agg(u.lexeme, cardinality(u.positions)) from unnest(t.bigrams) u
                where u.lexeme = any(%(pairs)s)) as bigrams
         from assets_nodetext t where t.team = %(team)s::uuid and t.node = best.node
       ) t on best.place <= %(counted)s) as rows
  from size cross join counted
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first, the share of the question that the scope's words cover, and how
    they were found.
    """

    candidates: list[Candidate]
    coverage: float
    way: Way = "scan"


def find(scope: Scope, query: Query, limit: int) -> Found:
    """The rows that hold a word or a character pair of the question."""
    terms, pairs = analyse.query_terms(query.text), analyse.query_bigrams(query.text)
    if not terms and not pairs:
        return Found([], 1.0)
    sql, values = statement(scope, query.filters, terms, pairs)
    row = scope.fetch(sql, values)[0]
    total: dict[Row, float] = {}
    covered: list[float] = []
    for column, wanted, first in ((2, terms, 0), (3, pairs, len(terms) + -len(terms) % GROUP)):
        if not wanted:
            continue
        holding = row["holding"][first : first + len(wanted)]
        frequency = {term: number for term, number in zip(wanted, holding, strict=True) if number}
        counted = [(one[0], one[column] or _once(one[4], wanted, first), one[1]) for one in row["rows"] or ()]
        for node, score in bm25.scores(counted, frequency, row["n"], row["length"]).items():
            if score:
                total[node] = total.get(node, 0.0) + score
        covered.append(bm25.coverage(wanted, frequency, row["n"]))
    best = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:limit]
    candidates = [Candidate(node, "words", rank, score) for rank, (node, score) in enumerate(best, start=1)]
    way: Way = "index" if is_by_index(scope, query.filters) else "scan"
    return Found(candidates, max(covered, default=1.0), way)


def _once(hits: Sequence[bool] | None, wanted: Sequence[str], first: int) -> dict[str, int]:
    """A row whose words were not counted: each term that it holds, once."""
    return {} if hits is None else {term: 1 for at, term in enumerate(wanted, first) if hits[at]}


def _filled(terms: Sequence[str]) -> list[str]:
    """A query of each term, filled up with queries that nothing matches."""
    return [analyse.to_tsquery_text([term]) for term in terms] + [""] * (-len(terms) % GROUP)


def is_by_index(scope: Scope, asked: Filters) -> bool:
    """Is the scope so wide that the word indexes pay? A lock or a filter is few rows: scanned."""
    return scope.row_count >= WIDE and scope.principal.subject is None and asked == Filters(state=asked.state)


def statement(
    scope: Scope, asked: Filters, terms: Sequence[str], pairs: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    """The SQL of one question and its values. Its row: n, length, holding (by term, then pair,
    each filled up to a `GROUP`) and rows, each [node, length, {term: times}, {pair: times}, hits]
    with null for no such term.
    """
    narrowed, values = filters.conditions(asked)
    term_queries, pair_queries = _filled(terms), _filled(pairs)
    parts = [bm25.part(term) for term in terms] + [1.0] * (-len(terms) % GROUP + len(pair_queries))
    values |= {
        "terms": list(terms), "pairs": list(pairs), "term_queries": term_queries, "pair_queries": pair_queries,
        "any_term": analyse.to_tsquery_text(analyse.stems(terms)), "any_pair": analyse.to_tsquery_text(pairs),
        "parts": parts, "kept": KEPT, "counted": COUNTED, "k1": bm25.K1, "b": bm25.B,
    }  # fmt: skip
    places = range(1, len(term_queries) + len(pair_queries) + 1)
    counts = ", ".join(f"count(*) filter (where hits[{place}])" for place in places)
    worths = " + ".join(f"case when hits[{place}] then worth[{place}] else 0 end" for place in places)
    found = BY_INDEX.replace("{narrowed}", narrowed)
    if not is_by_index(scope, asked):
        columns = []
        for name, queries in (("words", term_queries), ("bigrams", pair_queries)):
            for number, one in enumerate(queries):
                columns.append(f"(t.{name} @@ %(one_{name}_{number})s::tsquery) is true")
                values[f"one_{name}_{number}"] = one
        found = SCANNED.format(hits=f"array[{', '.join(columns)}]", narrowed=narrowed)
    return SCORED.format(found=found, counts=counts, worths=worths), values
