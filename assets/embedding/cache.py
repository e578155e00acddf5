"""Vectors of recent questions, for minutes, in this process: of one principal and one engine build each."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assets.embedding.protocol import Vector

MOST = 512  # vectors
KEPT_FOR = 300.0  # seconds


class Key(NamedTuple):
    """Whose question, by which engine, and the digest of its text."""

    principal: str
    name: str
    build: str
    digest: bytes


def key(principal: str, name: str, build: str, text: str) -> Key:
    """The text itself is not kept, and what one principal asked tells another nothing."""
    return Key(principal, name, build, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())


class Cache:
    """The vectors used last, up to `most` and no older than `kept_for` seconds. Safe in threads."""

    def __init__(self, most: int = MOST, kept_for: float = KEPT_FOR) -> None:
        self._most, self._kept_for = most, kept_for
        self._found: OrderedDict[Key, tuple[float, Vector]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, wanted: Key, now: float) -> Vector | None:
        """The vector, or None when it is absent or too old at `now` (seconds of any one clock)."""
        with self._lock:
            made, vector = self._found.get(wanted, (now, None))
            if vector is None:
                return None
            if not 0 <= now - made <= self._kept_for:
                del self._found[wanted]
                return None
            self._found.move_to_end(wanted)
            return vector

    def put(self, wanted: Key, vector: Vector, now: float) -> None:
        """Keep a vector made at `now`; the one unused longest makes room."""
        with self._lock:
            self._found[wanted] = (now, vector)
            self._found.move_to_end(wanted)
            while len(self._found) > self._most:
                self._found.popitem(last=False)

    def __len__(self) -> int:
        return len(self._found)
