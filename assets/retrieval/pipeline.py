"""From a question to an answer: arms, fuse, spread, rank, fit, compose; each one line.

The scope is handed in: nothing here decides who may see what.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from assets.retrieval import compose, dates, fusion, rank, recipes, rows
from assets.retrieval.arms import time, vectors, words
from assets.retrieval.types import Answer, ArmName, Candidate, Fused, Query
from assets.scope import Scope

if TYPE_CHECKING:
    from assets.embedding.protocol import Vector

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The question as a vector, and the embedding model whose vectors it may meet."""

    vector: Vector
    model: UUID


def run(
    scope: Scope,
    query: Query,
    meaning: Callable[[], Meaning | None],
    now: datetime,
    language: compose.Language = "en",
) -> Answer:
    """Answer one question inside one scope. Deterministic for the same rows and clock.

    `meaning` is asked after the words have been searched, so that it can be made meanwhile.
    """
    recipe = recipes.named(query.recipe)
    found, coverage, ways = _arms(scope, query, meaning, recipe, now)
    fused = fusion.fuse(found, recipe, coverage)
    spread = _spread(scope, query, fused, recipe)
    ranked = rank.rank(rows.ranked(scope, spread, now), recipe)
    wanted = scope.size and query.text.strip() and "vectors" in recipe.arms
    notes = ["words only: no embedding engine"] if wanted and "vectors" not in found else []
    trace = {
        "recipe": recipe.name,
        "scope": {"assets": scope.size, "rows": scope.row_count},
        "coverage": round(coverage, 3),
        "arms": {arm: len(candidates) for arm, candidates in found.items()},
        "ways": ways,
    }
    return compose.answer(query, ranked, now, language, notes, trace)


def _arms(
    scope: Scope,
    query: Query,
    meaning: Callable[[], Meaning | None],
    recipe: recipes.Recipe,
    now: datetime,
) -> tuple[dict[ArmName, list[Candidate]], float, dict[ArmName, str]]:
    """What each arm found, the coverage of the words, and how an arm that has a choice searched."""
    if scope.size == 0:
        meaning()  # an empty scope takes its time too, and the question is kept for the next one
        return {}, 1.0, {}
    found: dict[ArmName, list[Candidate]] = {}
    lexical = words.find(scope, query, recipe.per_arm_limit)
    ways: dict[ArmName, str] = {"words": lexical.way}
    found["words"] = lexical.candidates
    asked = meaning() if "vectors" in recipe.arms else None
    if asked is not None:
        nearest = vectors.find(scope, query, recipe.per_arm_limit, asked.vector, asked.model)
        found["vectors"], ways["vectors"] = nearest.candidates, nearest.way
    if "time" in recipe.arms:
        found["time"] = _timely(scope, query, recipe, found, now)
    return found, lexical.coverage, ways


def _timely(
    scope: Scope,
    query: Query,
    recipe: recipes.Recipe,
    found: Mapping[ArmName, list[Candidate]],
    now: datetime,
) -> list[Candidate]:
    """Asked only where the question names a time, the recipe wants it, or nothing else is said."""
    if recipe.newest_first or not query.text.strip():
        return time.newest(scope, query, recipe.per_arm_limit)
    named = dates.periods(query.text, now)
    if not named:
        return []
    among = {one.node for candidates in found.values() for one in candidates}
    return time.within(scope, query, recipe.per_arm_limit, named, among)


def _spread(scope: Scope, query: Query, fused: list[Fused], recipe: recipes.Recipe) -> list[Fused]:
    if not fused:
        return []
    places = rows.places(scope, query, [one.node for one in fused])
    asked = query.text.casefold()
    named = {place.author for place in places.values() if place.author.casefold() in asked} - {""}
    return fusion.spread(fused, places, recipe, named)
