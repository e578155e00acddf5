"""What an embedder must be: named, versioned, repeatable, and of unit length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Vector: TypeAlias = npt.NDArray[np.float32]
LONGEST = 20_000  # characters that are read of one text


class EmbeddingError(RuntimeError):
    """The engine gave something that is no direction: NaN, infinite, zero or misshapen."""


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors. The same text gives the same vector, alone or in a batch.

    Vectors of two embedders are compared only when `name` and `build` are both equal.
    """

    @property
    def name(self) -> str:
        """The model, in words a person knows."""

    @property
    def build(self) -> str:
        """The engine and its version: vectors of another build never share an index."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    def query(self, text: str) -> Vector:
        """A question as float32 of shape (dimension,). Raises EmbeddingError."""

    def passages(self, texts: Sequence[str]) -> Vector:
        """Stored texts as float32 of shape (len(texts), dimension). Raises EmbeddingError."""


def unit(vectors: Vector, dimension: int) -> Vector:
    """Each row scaled to length 1. Raises EmbeddingError for NaN, infinity, zero or shape."""
    if vectors.ndim not in {1, 2} or vectors.shape[-1] != dimension:
        message = f"expected vectors of {dimension} numbers, not shape {vectors.shape}"
        raise EmbeddingError(message)
    if not np.isfinite(vectors).all():
        message = "the engine gave a number that is not finite"
        raise EmbeddingError(message)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=-1, keepdims=True)
    if (lengths < 1e-9).any():
        message = "the engine gave a vector without direction"
        raise EmbeddingError(message)
    return np.asarray(vectors / lengths, dtype=np.float32)


def readable(text: str) -> str:
    """What an engine reads of a text: its beginning, without NUL and lone surrogates."""
    return text[:LONGEST].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
