"""Giving nodes their vectors, batch by batch, and how far that is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from uuid import UUID

from assets import scope
from assets.embedding import engines, index, store
from hub.embedded import datadir

TURN = 10.0  # seconds of one task: then other assets' work has its turn


@dataclass(frozen=True, slots=True)
class Progress:
    """Of an asset's visible nodes that can have a vector: how many have one, and how many wait."""

    done: int
    waiting: int


def embed_asset(team: UUID, asset: UUID, *, turn: float = TURN) -> bool:
    """Embed batches of an asset for about `turn` seconds, at least one; True when nothing waits.

    The engine runs between two short transactions, so no lock is held while it computes.
    Raises EmbeddingError, and the task is tried again later.
    """
    embedder = engines.default()
    if embedder is None:
        return True
    model = store.model_of(embedder)
    until = time.monotonic() + turn
    while True:
        with scope.tending(team, asset):
            rows = store.waiting(team, asset, model)
        if not rows:
            return True
        vectors = embedder.passages([store.text_of(*row[1:4]) for row in rows])
        texts = ["[" + ",".join(f"{number:.6f}" for number in one) + "]" for one in vectors.tolist()]
        with scope.tending(team, asset):
            store.save(team, asset, model, rows, texts)
        if time.monotonic() >= until:
            return False


def progress(within: scope.Scope) -> dict[UUID, Progress]:
    """By asset of an open scope, of the rows visible there; empty where no engine is chosen."""
    embedder = engines.default()
    if embedder is None or within.size == 0:
        return {}
    model = store.model_of(embedder)
    return {
        row["asset"]: Progress(row["done"], row["rows"] - row["done"])
        for row in within.fetch(store.PROGRESS, {"model": model})
    }


def build_indexes() -> list[str]:
    """Make missing vector indexes by the owner's login; nothing where none is known."""
    url = datadir.owner_url()
    return index.build(url) if url else []
