"""Giving nodes their vectors, batch by batch."""

from __future__ import annotations

from uuid import UUID

from assets import scope
from assets.embedding import engines, store


def embed_asset(team: UUID, asset: UUID, *, at_most: int = 40) -> bool:
    """Embed up to `at_most` batches of an asset; True when nothing waits any more.

    The engine runs between two short transactions, so no lock is held while it computes.
    """
    embedder = engines.default()
    if embedder is None:
        return True
    model = store.model_of(embedder)
    for _ in range(at_most):
        with scope.tending(team, asset):
            rows = store.waiting(team, asset, model.id)
        if not rows:
            return True
        vectors = embedder.passages([store.text_of(row[1], row[2]) for row in rows])
        texts = ["[" + ",".join(f"{number:.6f}" for number in one) + "]" for one in vectors.tolist()]
        with scope.tending(team, asset):
            store.save(team, asset, model.id, rows, texts)
    return False
