"""A question as a vector, made beside the search by words and kept for some minutes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from assets.embedding import cache, engines, store
from assets.embedding.protocol import Embedder, EmbeddingError, Vector
from assets.retrieval.pipeline import Meaning
from hub.authn.principal import Principal

log = logging.getLogger(__name__)
_kept = cache.Cache()
# An engine gives the interpreter free while it computes; more than two only wait for it.
_beside = ThreadPoolExecutor(max_workers=2, thread_name_prefix="question")


def begin(principal: Principal, text: str) -> Callable[[], Meaning | None]:
    """Start on the vector; the call that is given back waits for it. None without an engine,
    for a stranger and for an empty question.
    """
    embedder = engines.default() if text.strip() and not principal.is_stranger else None
    if embedder is None:
        return lambda: None
    model = store.model_of(embedder)
    asker = f"{principal.team} {principal.user} {principal.agent} {principal.token}"
    wanted = cache.key(asker, embedder.name, embedder.build, text)
    known = _kept.get(wanted, time.monotonic())
    if known is not None:
        return lambda: Meaning(known, model)
    future = _beside.submit(_vector, embedder, text)

    def finish() -> Meaning | None:
        vector = future.result()
        if vector is None:
            return None
        _kept.put(wanted, vector, time.monotonic())
        return Meaning(vector, model)

    return finish


def _vector(embedder: Embedder, text: str) -> Vector | None:
    try:
        return embedder.query(text)
    except EmbeddingError as error:
        log.warning("searching by words only: %s", error)
        return None
