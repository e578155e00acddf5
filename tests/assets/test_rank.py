"""Rank: relevance first, weight between equals, no single voice fills an answer."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from assets.retrieval import rank, recipes
from assets.retrieval.types import Passage, Ranked
from tests.assets.items import NOW, item


def numbers(items: list[Ranked]) -> list[int]:
    return [one.ident.int for one in items]


def test_weight_decides_between_equals_only() -> None:
    light, heavy = item(1, weight=0.05), item(2, weight=1.0)
    assert numbers(rank.rank([light, heavy], recipes.BALANCED)) == [2, 1]
    better = item(1, weight=0.05, relevance=0.6)
    assert numbers(rank.rank([better, heavy], recipes.BALANCED)) == [1, 2]


@given(st.floats(0, 2), st.floats(0, 1))
def test_weight_moves_a_score_by_fifteen_per_cent_at_most(relevance: float, weight: float) -> None:
    assert relevance * 0.85 - 1e-9 <= rank.scored(relevance, weight) <= relevance + 1e-9


@given(st.integers(0, 1000))
def test_ties_have_one_order(seed: int) -> None:
    items = [item(number) for number in range(8)]
    items.append(item(9, occurred_at=NOW))
    Random(seed).shuffle(items)
    assert numbers(rank.rank(items, recipes.BALANCED)) == [9, *range(8)]


def test_two_rows_of_one_ident_are_one_item() -> None:
    old = item(1, relevance=0.2)
    assert rank.rank([old, item(1, relevance=0.9)], recipes.BALANCED)[0].relevance == 0.9
    assert len(rank.rank([old, item(1)], recipes.BALANCED)) == 1


def test_a_flood_by_one_author_goes_behind_the_others_and_is_not_lost() -> None:
    flood = [item(number, author="Mallory", relevance=0.9) for number in range(100)]
    others = [item(200 + number, author=f"person {number}", relevance=0.1) for number in range(4)]
    found = rank.rank([*flood, *others], recipes.BALANCED)
    assert [one.author for one in found[:34]].count("Mallory") == 30
    assert len(found) == 104
    copied = [item(number, source="page.md", relevance=0.9) for number in range(40)]
    assert rank.rank([*copied, others[0]], recipes.BALANCED)[25].author == "person 0"


def test_passages_by_time_and_by_tree() -> None:
    first = item(1, occurred_at=NOW - timedelta(days=1), path="000002")
    second = item(2, occurred_at=NOW - timedelta(days=5), path="000003")
    passages = [Passage(one, one.text, 5) for one in (first, second)]
    assert [one.ranked.ident.int for one in rank.arranged(passages, "rank")] == [1, 2]
    assert [one.ranked.ident.int for one in rank.arranged(passages, "time")] == [2, 1]
    assert [one.ranked.ident.int for one in rank.arranged(passages, "tree")] == [1, 2]
