"""The order of an answer: relevance, a little weight, then a limit to any one voice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from uuid import UUID

    from assets.retrieval.recipes import Recipe
    from assets.retrieval.types import Order, Passage, Ranked

WEIGHT_PART = 0.15  # weight decides between equals and never hides what is asked for
ALWAYS = 5  # items of one author or source that no cap touches


def scored(relevance: float, weight: float) -> float:
    """relevance x (0.85 + 0.15 x weight), the weight taken as 0 to 1."""
    return relevance * (1.0 - WEIGHT_PART + WEIGHT_PART * min(1.0, max(0.0, weight)))


def rank(found: Iterable[Ranked], recipe: Recipe) -> list[Ranked]:
    """Best first by `score`, caps applied. One row an ident: the best one stays.

    Ties go by time, newest first, then by ident, so that equal input gives equal order.
    """
    items = sorted(found, key=lambda one: (-one.score, -one.happened_at.timestamp(), one.ident.int))
    seen: set[UUID] = set()
    single: list[Ranked] = []
    for one in items:
        if one.ident not in seen:
            seen.add(one.ident)
            single.append(one)
    return diverse(single, recipe)


def diverse(items: Sequence[Ranked], recipe: Recipe) -> list[Ranked]:
    """Items over the cap of their author or source go behind the others; none is lost.

    Caps are shares of the results, so that a few planted records cannot fill an answer.
    """
    by_author = max(ALWAYS, int(recipe.per_author_cap * recipe.results))
    by_source = max(ALWAYS, int(recipe.per_source_cap * recipe.results))
    authors: Counter[str] = Counter()
    sources: Counter[tuple[UUID, str]] = Counter()
    first: list[Ranked] = []
    behind: list[Ranked] = []
    for one in items:
        source = (one.asset, one.source)
        over_author = bool(one.author) and authors[one.author] >= by_author
        over_source = bool(one.source) and sources[source] >= by_source
        if over_author or over_source:
            behind.append(one)
            continue
        authors[one.author] += 1
        sources[source] += 1
        first.append(one)
    return first + behind


def arranged(passages: Sequence[Passage], order: Order) -> list[Passage]:
    """The chosen passages in the order asked for: by rank, by time, or as in their trees."""
    if order == "time":
        return sorted(passages, key=lambda one: (one.ranked.happened_at, one.ranked.path))
    if order == "tree":
        return sorted(passages, key=lambda one: (one.ranked.asset.int, one.ranked.path))
    return list(passages)
