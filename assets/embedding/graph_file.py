"""Keeps the graph as a file in the data folder, built on first use; several processes are safe."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from assets.embedding.weights import Weights

# Raise it with every change that moves vectors (graph, cutting, windows): the name of the engine's
# build and of the file hold it, so both are made anew and no index mixes them.
REVISION = 1
STEM = "e5-small"


def file_of(weights: Weights, folder: Path) -> Path:
    """The graph's file in `folder`; files of other revisions or weights are removed.

    Raises OSError, WeightsError.
    """
    file = folder / f"{STEM}-g{REVISION}-{weights.digest}.onnx"
    if file.exists():
        return file
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{STEM}-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(graph_of(weights))
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(file)  # whole or not at all; of two builders the last one wins
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    for old in folder.glob(f"{STEM}-*.onnx"):
        if old != file:
            old.unlink(missing_ok=True)
    return file


def graph_of(weights: Weights) -> bytes:
    """The graph, serialised. The library that builds it is loaded only here. Raises WeightsError."""
    from assets.embedding import graph

    return graph.built(weights)
