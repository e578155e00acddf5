"""BM25 with statistics of the scope alone, so that no score speaks of rows one may not see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


K1, B = 0.9, 0.4
ORIGINAL_PART = 0.2  # what a word as written adds to its stem's score


def part(term: str) -> float:
    """How much a term counts: a marked original is a second sight of its stem."""
    return ORIGINAL_PART if term.startswith("=") else 1.0


def inverse_frequency(holding: int, total: int) -> float:
    """The worth of a term that `holding` of `total` rows have: above 0, less when common."""
    holding = min(max(holding, 0), total)
    return math.log(1.0 + (total - holding + 0.5) / (holding + 0.5))


def scores(
    rows: Iterable[tuple[str, Mapping[str, int], int]],
    df: Mapping[str, int],
    n: int,
    average_length: float,
    k1: float = K1,
    b: float = B,
) -> dict[str, float]:
    """Score rows of (id, {term: times it occurs}, length in words); each id once.

    Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with constants that
    do better on short texts than 1.2 and 0.75 (measured: bench/README.md).

    `df` counts the rows of the scope that hold a term, `n` all rows of the scope. Terms that
    `df` does not know are passed over; a row without a known term scores 0.
    """
    worth = {term: part(term) * inverse_frequency(holding, n) for term, holding in df.items()}
    average = max(average_length, 1.0)
    result: dict[str, float] = {}
    for node, times, length in rows:
        norm = k1 * (1.0 - b + b * length / average)
        result[node] = sum(
            worth[term] * often * (k1 + 1.0) / (often + norm)
            for term, often in times.items()
            if often > 0 and term in worth
        )
    return result


def coverage(terms: Iterable[str], df: Mapping[str, int], n: int) -> float:
    """The share of the query's worth that the scope knows at all: 0 to 1.

    Low coverage says that the words of the question do not occur here, so that vectors,
    which cross languages and wordings, should decide. No term, no coverage: 0.
    """
    total = known = 0.0
    for term in {term for term in terms if part(term) == 1.0}:
        holding = df.get(term, 0)
        worth = inverse_frequency(holding, max(n, 1))
        total += worth
        if holding:
            known += worth
    return known / total if total else 0.0
