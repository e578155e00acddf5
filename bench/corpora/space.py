"""Vectors of 384 numbers in clusters, each spread along 24 directions of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINE, BUILD = "generated", "bench"  # the embedding model's name
DIMENSION, LOCAL = 384, 24
SPREAD, NOISE = 0.7, 0.05  # lengths beside a centre of length 1


class Space:
    """`clusters` clusters; each belongs to the topic `cluster % topics` and lies near it."""

    def __init__(self, seed: int, topics: int, clusters: int) -> None:
        random = np.random.default_rng(seed)
        of_topic = _unit(random.standard_normal((topics, DIMENSION), np.float32))
        own = _unit(random.standard_normal((clusters, DIMENSION), np.float32))
        self.centres = _unit(of_topic[np.arange(clusters) % topics] + own)
        self.directions = _unit(random.standard_normal((clusters, LOCAL, DIMENSION), np.float32))

    def points(self, clusters: Sequence[int], random: np.random.Generator) -> np.ndarray:
        """A unit vector near each given cluster, as float16 of shape (len(clusters), 384)."""
        chosen = np.asarray(clusters)
        local = random.standard_normal((len(chosen), LOCAL), np.float32) * (SPREAD / LOCAL**0.5)
        noise = random.standard_normal((len(chosen), DIMENSION), np.float32) * (NOISE / DIMENSION**0.5)
        along = np.einsum("nk,nkd->nd", local, self.directions[chosen], optimize=True)
        return _unit(self.centres[chosen] + along + noise).astype(np.float16)


def _unit(vectors: np.ndarray) -> np.ndarray:
    found: np.ndarray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found
