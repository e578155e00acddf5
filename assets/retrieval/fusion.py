"""Many arms, one relevance: a weighted sum of scores, each scaled inside the candidates.

Ranks alone (reciprocal rank fusion) were measured and do worse here: they let a weak arm pull
a strong one down. Then relevance spreads to neighbours in the same conversation.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from assets.retrieval.types import ArmName, Candidate, Fused, Row, Why

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from assets.retrieval.recipes import Recipe

COVERED = 0.4  # lexical coverage from which the words are trusted fully
UNCOVERED = 0.1  # and below which the vectors decide
BEST_OF_SESSION = 2
SECOND_NEIGHBOUR = 0.33  # what a turn two away counts against the one beside


class Place(NamedTuple):
    """Where a node stands: its parent, its order among the siblings, who said it."""

    parent: Row
    order: int
    author: str = ""


def dense_weight(recipe: Recipe, coverage: float) -> float:
    """The vectors' share, 0 to 1: the recipe's when words cover the query, more as they fail."""
    missing = min(1.0, max(0.0, (COVERED - coverage) / (COVERED - UNCOVERED)))
    highest = max(recipe.dense_weight, recipe.dense_weight_uncovered)
    return recipe.dense_weight + (highest - recipe.dense_weight) * missing


def shares(recipe: Recipe, coverage: float, found: Collection[ArmName]) -> dict[ArmName, float]:
    """The share of each arm. Where only one of words and vectors answered, it counts fully."""
    dense = dense_weight(recipe, coverage)
    if "vectors" not in found:
        dense = 0.0
    elif "words" not in found:
        dense = 1.0
    return {
        "words": 1.0 - dense,
        "vectors": dense,
        "time": recipe.time_weight,
    }


def scaled(candidates: Sequence[Candidate], arm: ArmName) -> dict[Row, float]:
    """Raw scores brought to 0..1. A row that the words arm did not return has 0 there, so its
    scale begins at 0; the others begin at the lowest score returned.
    """
    if not candidates:
        return {}
    scores = {candidate.node: candidate.score for candidate in candidates}
    low = 0.0 if arm == "words" else min(scores.values())
    high = max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {node: max(0.0, (score - low) / (high - low)) for node, score in scores.items()}


def fuse(arms: Mapping[ArmName, Sequence[Candidate]], recipe: Recipe, coverage: float) -> list[Fused]:
    """The best `recipe.per_arm_limit`, best first; ties by node, so that the same input gives the same order.

    `coverage` is the share of the query's words that the scope knows, 0 to 1 (`bm25.coverage`).
    An arm that the recipe does not name is passed over.
    """
    used = {arm: found for arm, found in arms.items() if arm in recipe.arms and found}
    share = shares(recipe, coverage, used.keys())
    total: dict[Row, float] = defaultdict(float)
    why: dict[Row, list[Why]] = defaultdict(list)
    for arm in recipe.arms:
        found = used.get(arm, ())
        scale = scaled(found, arm)
        for candidate in found:
            total[candidate.node] += share[arm] * scale[candidate.node]
            why[candidate.node].append(Why(arm, candidate.rank, candidate.score))
    return _best(total, why, recipe.per_arm_limit)


def spread(
    fused: Sequence[Fused],
    places: Mapping[Row, Place],
    recipe: Recipe,
    named_authors: Collection[str] = (),
) -> list[Fused]:
    """The best `recipe.results` once the structure has its say: the turns beside a good one, the session of good ones,
    and turns of an author whom the question names.

    `places` may hold nodes that no arm found: a neighbour of a hit comes in with its share.
    Nodes without a place keep their score.
    """
    score = {one.node: one.score for one in fused}
    siblings: dict[Row, list[Row]] = defaultdict(list)
    for node, place in places.items():
        siblings[place.parent].append(node)
    result = dict(score)
    for group in siblings.values():
        group.sort(key=lambda node: (places[node].order, node))
        base = [score.get(node, 0.0) for node in group]
        best = sorted(base, reverse=True)[:BEST_OF_SESSION]
        session = recipe.session_weight * sum(best) / BEST_OF_SESSION if len(group) > 1 else 0.0
        for index, node in enumerate(group):
            beside = recipe.neighbour_weight * _beside(base, index)
            total = base[index] + beside + session
            if total > 0.0:
                said = places[node].author in named_authors
                result[node] = total + (recipe.speaker_weight if said else 0.0)
    return _best(result, {one.node: one.why for one in fused}, recipe.results)


def _beside(scores: Sequence[float], index: int) -> float:
    """The better of the two neighbours, and a part of the better of those one further."""
    total = 0.0
    for distance, part in ((1, 1.0), (2, SECOND_NEIGHBOUR)):
        before = scores[index - distance] if index >= distance else 0.0
        after = scores[index + distance] if index + distance < len(scores) else 0.0
        total += part * max(before, after)
    return total


def _best(scores: Mapping[Row, float], why: Mapping[Row, Sequence[Why]], most: int) -> list[Fused]:
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [Fused(node, score, tuple(why.get(node, ()))) for node, score in best]
