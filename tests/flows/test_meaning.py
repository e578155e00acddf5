"""Vectors in the flow: engines never meet, an asset takes turns, progress is the asker's own, questions are kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
import pytest
from django.db import connection

from assets import scope, tasks
from assets.embedding import cache, engines, store
from assets.embedding.protocol import EmbeddingError, Vector, unit
from assets.models import EmbeddingModel
from assets.retrieval.types import Query
from assets.services import assets, embeddings, memories, questions, retrievals
from hub.authn.principal import STRANGER
from hub.models import Outbox
from tests.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub.authn.principal import Principal

pytestmark = pytest.mark.django_db(transaction=True)


class Signs:
    """A small embedder of its own: a text is the counts of its letters, turned by `shift`."""

    name = "signs"
    dimension = 32

    def __init__(self, build: str, shift: int = 0) -> None:
        self.build, self.shift = build, shift
        self.queries: list[str] = []
        self.batches: list[int] = []

    def query(self, text: str) -> Vector:
        self.queries.append(text)
        return self._vector(text)

    def passages(self, texts: Sequence[str]) -> Vector:
        self.batches.append(len(texts))
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vector:
        found = np.full(self.dimension, 0.01, dtype=np.float32)
        for letter in text.casefold():
            found[(ord(letter) + self.shift) % self.dimension] += 1
        return unit(found, self.dimension)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_kept", cache.Cache())
    monkeypatch.setattr(store, "_models", {})


def use(monkeypatch: pytest.MonkeyPatch, engine: Signs | None) -> None:
    monkeypatch.setattr(engines, "default", lambda: engine)


def notes(world: World, principal: Principal, *texts: str) -> UUID:
    asset = assets.create_asset(principal, name="notes").id
    for text in texts:
        memories.remember(principal, text=text, asset=asset)
    return asset


def by_vectors(principal: Principal, text: str) -> list[str]:
    answer = retrievals.retrieve(principal, Query(text))
    return [
        passage.text for passage in answer.passages if any(one.arm == "vectors" for one in passage.ranked.why)
    ]


def test_vectors_of_two_engines_never_meet(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = world.principal(world.alice)
    first, second = Signs("one"), Signs("two", shift=7)
    use(monkeypatch, first)
    asset = notes(world, alice, "the heron sleeps")
    assert embeddings.embed_asset(world.team.id, asset)
    assert by_vectors(alice, "heron") == ["the heron sleeps"]
    use(monkeypatch, second)
    assert by_vectors(alice, "heron") == []
    assert embeddings.embed_asset(world.team.id, asset)
    assert by_vectors(alice, "heron") == ["the heron sleeps"]
    builds = EmbeddingModel.objects.filter(name="signs").values_list("build", flat=True)
    assert sorted(builds) == ["one", "two"]
    with scope.tending(world.team.id, asset), connection.cursor() as cursor:
        cursor.execute("select count(*), count(distinct model) from assets_embedding")
        assert cursor.fetchone() == (2, 2)


def test_a_long_asset_gives_others_their_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ROWS", 3)
    monkeypatch.setattr(embeddings, "embed_asset", partial(embeddings.embed_asset, turn=0))
    engine = Signs("one")
    use(monkeypatch, engine)
    alice = world.principal(world.alice)
    long = notes(world, alice, *(f"heron number {number}" for number in range(7)))
    other = notes(world, world.principal(world.bob), "the owl wakes")
    Outbox.objects.filter(task="assets.tasks.embed").delete()
    for asset in (long, other):
        Outbox.objects.create(
            task="assets.tasks.embed", arguments={"team": str(world.team.id), "asset": str(asset)}
        )
    for _ in range(20):
        row = Outbox.objects.filter(done_at=None).order_by("created_at").first()
        if row is None:
            break
        tasks.embed(str(row.id))
    assert engine.batches == [3, 1, 3, 1]


def test_small_texts_go_together_and_large_ones_few(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "CHARACTERS", 1_000)
    engine = Signs("one")
    use(monkeypatch, engine)
    alice = world.principal(world.alice)
    asset = notes(world, alice, *(f"small {number}" for number in range(5)))
    large = notes(world, world.principal(world.bob), *(f"{number} heron" * 120 for number in range(3)))
    assert embeddings.embed_asset(world.team.id, asset)
    assert engine.batches == [5]
    assert embeddings.embed_asset(world.team.id, large)
    assert engine.batches == [5, 1, 1, 1]


def test_progress_counts_what_the_asker_sees(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ROWS", 2)
    use(monkeypatch, Signs("one"))
    alice = world.principal(world.alice)
    asset = notes(world, alice, "one heron", "two herons", "three herons")
    with scope.reading(alice) as seen:
        assert embeddings.progress(seen) == {asset: embeddings.Progress(done=0, waiting=3)}
    assert not embeddings.embed_asset(world.team.id, asset, turn=0)
    with scope.reading(alice) as seen:
        assert embeddings.progress(seen) == {asset: embeddings.Progress(done=2, waiting=1)}
    for other in (world.principal(world.bob), STRANGER):
        with scope.reading(other) as seen:
            assert embeddings.progress(seen) == {}
    use(monkeypatch, None)
    with scope.reading(alice) as seen:
        assert embeddings.progress(seen) == {}


def test_a_question_asked_again_is_not_computed_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Signs("one")
    use(monkeypatch, engine)
    alice, bob = world.principal(world.alice), world.principal(world.bob)
    for asker in (alice, alice, bob):
        retrievals.retrieve(asker, Query("where is the heron"))
    assert engine.queries == ["where is the heron"] * 2
    retrievals.retrieve(STRANGER, Query("where is the heron"))
    assert len(engine.queries) == 2


def test_an_engine_that_fails_leaves_the_words(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Signs):
        def query(self, text: str) -> Vector:
            raise EmbeddingError("the embedding service answered 503")

    use(monkeypatch, Broken("one"))
    alice = world.principal(world.alice)
    notes(world, alice, "the heron sleeps")
    answer = retrievals.retrieve(alice, Query("heron"))
    assert [passage.text for passage in answer.passages] == ["the heron sleeps"]
    assert any(note.startswith("words only") for note in answer.notes)
    assert "503" in caplog.text
    assert "heron" not in caplog.text
