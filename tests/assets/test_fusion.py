"""BM25 over a scope, fusion of arms, and what neighbours and sessions add."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.retrieval import bm25, fusion, recipes
from assets.retrieval.fusion import Place
from assets.retrieval.types import ArmName, Candidate

A, B, C, D = (str(UUID(int=number)) for number in range(1, 5))


def arm(name: ArmName, **scores: float) -> list[Candidate]:
    nodes = {"a": A, "b": B, "c": C, "d": D}
    order = sorted(scores.items(), key=lambda one: -one[1])
    return [Candidate(nodes[key], name, rank, score) for rank, (key, score) in enumerate(order, 1)]


def test_a_rare_word_counts_more_and_a_long_text_less() -> None:
    rows = [(A, {"rare": 1}, 10), (B, {"common": 1}, 10), (C, {"rare": 1}, 100), (D, {}, 10)]
    found = bm25.scores(rows, {"rare": 2, "common": 90}, 100, 10.0)
    assert found[A] > found[C] > found[B] > found[D] == 0


@given(st.lists(st.lists(st.sampled_from("pqrst"), max_size=8), min_size=1, max_size=12))
def test_scores_are_positive_where_a_term_occurs_and_only_there(texts: list[list[str]]) -> None:
    df = Counter(term for text in texts for term in set(text) if term in "pq")
    average = sum(map(len, texts)) / len(texts)
    rows = [(str(UUID(int=i)), Counter(text), len(text)) for i, text in enumerate(texts)]
    found = bm25.scores(rows, df, len(texts), average)
    for (node, times, _), text in zip(rows, texts, strict=True):
        assert (found[node] > 0) == bool({"p", "q"} & set(text)), times


def test_coverage_is_the_known_share_of_the_worth() -> None:
    assert bm25.coverage([], {}, 10) == 0
    assert bm25.coverage(["x", "y"], {"x": 3, "y": 1}, 10) == 1
    assert bm25.coverage(["x", "unknown"], {"x": 9}, 10) < 0.1


def test_vectors_decide_as_the_words_fail() -> None:
    balanced = recipes.BALANCED
    shares = [fusion.dense_weight(balanced, part / 10) for part in range(11)]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[10]) == (0.9, 0.4)
    words, vectors = arm("words", a=9, b=8), arm("vectors", b=0.80, c=0.90, d=0.70)
    covered = fusion.fuse({"words": words, "vectors": vectors}, balanced, 1.0)
    uncovered = fusion.fuse({"words": words, "vectors": vectors}, balanced, 0.0)
    assert covered[0].node == B
    assert uncovered[0].node == C


def test_each_item_says_how_it_came_in() -> None:
    fused = fusion.fuse(
        {"words": arm("words", a=4, b=2), "time": arm("time", b=1, a=0)}, recipes.BALANCED, 1.0
    )
    assert [one.node for one in fused] == [A, B]
    assert [(why.arm, why.rank, why.score) for why in fused[1].why] == [
        ("words", 2, 2),
        ("time", 1, 1),
    ]
    assert fused[1].score == pytest.approx(0.5 + recipes.BALANCED.time_weight)


def test_an_arm_alone_counts_fully_and_an_unnamed_one_not_at_all() -> None:
    alone = fusion.fuse({"vectors": arm("vectors", a=0.9, b=0.8)}, recipes.BALANCED, 1.0)
    assert (alone[0].score, alone[1].score) == (1.0, 0.0)
    assert fusion.fuse({"vectors": arm("vectors", a=1)}, recipes.WORDS, 1.0) == []
    assert fusion.fuse({}, recipes.BALANCED, 0.0) == []


scores = st.dictionaries(st.sampled_from("abcd"), st.floats(-5, 5), max_size=4)


@given(scores, scores, st.floats(0, 1), st.randoms())
def test_the_order_depends_on_scores_alone(
    words: dict[str, float], vectors: dict[str, float], coverage: float, random: object
) -> None:
    arms = {"words": arm("words", **words), "vectors": arm("vectors", **vectors)}
    first = fusion.fuse(arms, recipes.BALANCED, coverage)  # type: ignore[arg-type]
    random.shuffle(arms["words"])  # type: ignore[attr-defined]
    again = fusion.fuse(dict(reversed(arms.items())), recipes.BALANCED, coverage)  # type: ignore[arg-type]
    assert [one.node for one in first] == [one.node for one in again]
    assert all(0 <= one.score <= 1 + 1e-9 for one in first)


def test_a_neighbour_that_no_arm_found_comes_in_behind() -> None:
    places = {node: Place("session", order) for order, node in enumerate([A, B, C])}
    fused = fusion.fuse({"words": arm("words", a=5)}, recipes.WORDS, 1.0)
    found = fusion.spread(fused, places, recipes.WORDS)
    assert [one.node for one in found] == [A, B, C]
    assert found[1].why == ()
    assert D not in {one.node for one in found}


def test_a_named_speaker_is_preferred_among_equals() -> None:
    session = "session"
    places = {A: Place(session, 0, "Alice"), D: Place(session, 9, "Bob")}
    fused = fusion.fuse({"words": arm("words", a=5, d=5)}, recipes.WORDS, 1.0)
    assert fusion.spread(fused, places, recipes.WORDS, {"Bob"})[0].node == D
    assert fusion.spread(fused, places, recipes.EXACT, {"Bob"})[0].node == A


def test_recipes_are_named() -> None:
    assert recipes.named("balanced") is recipes.DEFAULT
    assert all(recipe.sentence.endswith(".") for recipe in recipes.RECIPES.values())
    with pytest.raises(ValueError, match="known are balanced"):
        recipes.named("best")
