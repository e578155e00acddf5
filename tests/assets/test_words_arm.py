"""Both ways of the words arm count and score like a plain recount of what may be seen."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets import scope
from assets.retrieval import bm25, filters
from assets.retrieval.arms import words
from assets.retrieval.types import Filters, Query, Tags
from assets.scope import Scope
from assets.tree import analyse
from hub.authn.principal import Principal
from tests.assets import shelf
from tests.assets.shelf import Shelf
from tests.world import World

pytestmark = pytest.mark.django_db
TEXTS = """select t.node::text, n.content from {assets} join assets_nodetext t on t.asset = s.asset
  join assets_node n on n.id = t.node where t.team = %(team)s::uuid and {visible}"""
asked_words = st.lists(st.sampled_from([*shelf.VOCABULARY, "absent"]), min_size=1, max_size=6)
asked_filters = st.builds(
    Filters,
    state=st.sampled_from([("live",), ("live", "archived"), ("held",)]),
    tags=st.sampled_from([Tags(), Tags(any=("a",))]),
)


@pytest.fixture
def full() -> Shelf:
    return shelf.fill(World.build(), 60)


def recount(allowed: Scope, query: Query) -> tuple[dict[str, float], float]:
    """Scores and coverage from the visible texts alone, without the index."""
    narrowed, values = filters.conditions(query.filters)
    texts = {row["node"]: analyse.analyse(row["content"]) for row in allowed.fetch(TEXTS + narrowed, values)}
    average = sum(one.length for one in texts.values()) / max(len(texts), 1)
    total: dict[str, float] = {}
    covered = []
    for name, wanted in (
        ("words", analyse.query_terms(query.text)),
        ("bigrams", analyse.query_bigrams(query.text)),
    ):
        rows = [
            (node, {t: n for t, n in Counter(getattr(one, name)).items() if t in wanted}, one.length)
            for node, one in texts.items()
        ]
        frequency = Counter(term for _, times, _ in rows for term in times)
        for node, score in bm25.scores(rows, frequency, len(texts), average).items():
            total[node] = total.get(node, 0.0) + score
        if wanted:
            covered.append(bm25.coverage(wanted, frequency, len(texts)))
    return {node: score for node, score in total.items() if score > 0}, max(covered, default=1.0)


def asks(who: Principal, query: Query) -> None:
    with scope.reading(who) as allowed:
        right, covered = recount(allowed, query)
        found = words.find(allowed, query, 1_000)
    assert found.coverage == pytest.approx(covered)
    assert {one.node: one.score for one in found.candidates} == pytest.approx(right)
    assert [one.rank for one in found.candidates] == [*range(1, len(right) + 1)]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=asked_words, asked_for=asked_filters, wide=st.booleans(), which=st.integers(0, 2))
def test_as_a_recount(full: Shelf, asked: list[str], asked_for: Filters, wide: bool, which: int) -> None:
    locked = full.world.principal(full.world.scout, subject=full.subject)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "WIDE", 1 if wide else 10**9)
        asks((full.owner, full.agent, locked)[which], Query(" ".join(asked), filters=asked_for))


def test_a_pin_hides_what_came_later(full: Shelf) -> None:
    """The pinned memory gives half of its rows; the recount above sees the same half."""
    with scope.reading(full.agent) as allowed:
        found = {row["node"] for row in allowed.fetch(TEXTS)}
    with scope.reading(full.owner) as allowed:
        whole = {row["node"] for row in allowed.fetch(TEXTS)}
    assert found < whole


def test_which_way(full: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "WIDE", 100)
    with scope.reading(full.agent) as allowed:
        assert words.is_by_index(allowed, Filters())
        assert words.is_by_index(allowed, Filters(state=("archived",)))
        assert not words.is_by_index(allowed, Filters(tags=Tags(any=("a",))))
        assert not words.is_by_index(allowed, Filters(asset=(full.assets[0],)))
    with scope.reading(full.world.principal(full.world.scout, subject=full.subject)) as allowed:
        assert not words.is_by_index(allowed, Filters())
    monkeypatch.setattr(words, "WIDE", 121)
    with scope.reading(full.agent) as allowed:
        assert not words.is_by_index(allowed, Filters())


@pytest.mark.parametrize("wide", [1, 10**9])
def test_the_best_stay_the_best_when_only_a_part_is_counted(
    monkeypatch: pytest.MonkeyPatch, wide: int
) -> None:
    """With more candidates than are looked at closely, the top 50 are those of the recount."""
    full = shelf.fill(World.build(), 700, seed=3, words=12)
    monkeypatch.setattr(words, "WIDE", wide)
    monkeypatch.setattr(words, "KEPT", 400)
    monkeypatch.setattr(words, "COUNTED", 400)
    query = Query("red stone 数据库 lamps")
    with scope.reading(full.owner) as allowed:
        right, _ = recount(allowed, query)
        found = words.find(allowed, query, 50).candidates
    assert len(right) > 400
    assert [one.score for one in found] == pytest.approx(sorted(right.values(), reverse=True)[:50])
