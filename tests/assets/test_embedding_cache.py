"""Vectors of questions: kept for a while, for one principal and one engine build."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assets.embedding.cache import Cache, key

if TYPE_CHECKING:
    from assets.embedding.protocol import Vector


def vector(number: float) -> Vector:
    return np.array([number], dtype=np.float32)


ALICE = key("alice", "model", "build", "herons")


def test_the_same_asker_meets_the_same_vector() -> None:
    cache = Cache()
    cache.put(ALICE, vector(1), now=100)
    found = cache.get(key("alice", "model", "build", "herons"), now=101)
    assert found is not None
    assert found[0] == 1


def test_nobody_else_and_nothing_else_meets_it() -> None:
    cache = Cache()
    cache.put(ALICE, vector(1), now=100)
    others = [
        key("bob", "model", "build", "herons"),
        key("alice", "other", "build", "herons"),
        key("alice", "model", "other", "herons"),
        key("alice", "model", "build", "heron"),
    ]
    assert [cache.get(other, now=100) for other in others] == [None] * 4


def test_it_grows_old() -> None:
    cache = Cache(kept_for=60)
    cache.put(ALICE, vector(1), now=100)
    assert cache.get(ALICE, now=160) is not None
    assert cache.get(ALICE, now=160.5) is None
    assert len(cache) == 0


def test_the_one_unused_longest_makes_room() -> None:
    cache = Cache(most=2)
    one, two, three = (key("alice", "model", "build", text) for text in ("1", "2", "3"))
    cache.put(one, vector(1), now=1)
    cache.put(two, vector(2), now=2)
    assert cache.get(one, now=3) is not None
    cache.put(three, vector(3), now=4)
    assert cache.get(two, now=5) is None
    assert cache.get(one, now=5) is not None
    assert len(cache) == 2


def test_the_text_is_not_kept() -> None:
    assert "herons" not in repr(ALICE)
    assert key("a", "m", "b", "\ud800").digest
