"""Ways of searching with a name and a sentence; traces, logs and benches speak these names."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.retrieval.types import ArmName


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a search asks and how it counts. Weights are shares of a relevance of about 1.

    `dense_weight` is the vectors' share while the words of the question occur in the scope;
    it rises to `dense_weight_uncovered` as they do not. Words get the rest. The other arms,
    neighbours, session and speaker are added on top.
    """

    name: str
    sentence: str
    arms: tuple[ArmName, ...]
    dense_weight: float = 0.4
    dense_weight_uncovered: float = 0.9
    time_weight: float = 0.40
    neighbour_weight: float = 0.50
    session_weight: float = 0.40
    speaker_weight: float = 0.12
    newest_first: bool = False  # what is newer counts more, whatever the question names
    per_arm_limit: int = 200
    results: int = 50  # items that go to the budget
    per_author_cap: float = 0.6  # of the first results, while others are there
    per_source_cap: float = 0.5


BALANCED = Recipe(
    "balanced",
    "Words and vectors together, helped by named times, neighbours and sessions.",
    ("words", "vectors", "time"),
)
WORDS = Recipe(
    "words",
    "Words alone, with named times, neighbours and sessions; needs no model.",
    ("words", "time"),
)
MEANING = Recipe(
    "meaning",
    "Vectors first, for questions in other words or in another language.",
    ("words", "vectors", "time"),
    dense_weight=0.9,
)
RECENT = Recipe(
    "recent",
    "As balanced, but what happened lately counts for more.",
    ("words", "vectors", "time"),
    newest_first=True,
)
EXACT = Recipe(
    "exact",
    "Words alone and each item for itself: names, identifiers, error texts.",
    ("words",),
    neighbour_weight=0.0,
    session_weight=0.0,
    speaker_weight=0.0,
)

DEFAULT = BALANCED
RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {recipe.name: recipe for recipe in (BALANCED, WORDS, MEANING, RECENT, EXACT)}
)


def named(name: str) -> Recipe:
    """The recipe of that name. Raises ValueError that lists the known ones."""
    recipe = RECIPES.get(name)
    if recipe is None:
        message = f"no recipe {name[:40]!r}; known are {', '.join(RECIPES)}"
        raise ValueError(message)
    return recipe
