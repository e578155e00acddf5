"""Embeddings of an OpenAI-compatible service. Texts leave this machine; they are never logged."""

from __future__ import annotations

import hashlib
import http.client
import json
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.embedding.protocol import EmbeddingError, Vector, readable, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assets.embedding.settings import Endpoint

QUERY_WITHIN, PASSAGES_WITHIN = 5.0, 60.0  # seconds
AGAIN_AFTER, LONGEST_WAIT = 1.0, 10.0  # seconds before the one retry
LONGEST = 6_000  # characters: more than most services take are refused there, and then shortened
SHORTEST = 200  # characters below which a refused text is not shortened again
BYTES_A_NUMBER = 64
BUSY = {408, 425, 429}
TOO_MUCH = {400, 413, 422}


class RefusedError(EmbeddingError):
    """The service will not take these texts, perhaps since they are too long."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key and the texts to an address that nobody chose."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        return None


class OpenAIEmbedder:
    """One service and model. Raises EmbeddingError in plain words, without key or text."""

    def __init__(self, endpoint: Endpoint, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._pause = pause
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.name = endpoint.model[:80]
        self.dimension = endpoint.dimension
        said = [endpoint.url, endpoint.model, str(endpoint.dimension)]
        said += [endpoint.query_prefix, endpoint.passage_prefix]
        # Prefixes change every vector, and two services may serve one name differently.
        self.build = "openai-" + hashlib.sha256("\0".join(said).encode()).hexdigest()[:12]

    def query(self, text: str) -> Vector:
        asked = self._endpoint.query_prefix + readable(text)[:LONGEST]
        found: Vector = self._ask([asked], QUERY_WITHIN)[0]
        return found

    def passages(self, texts: Sequence[str]) -> Vector:
        parts = [np.empty((0, self.dimension), dtype=np.float32)]
        for start in range(0, len(texts), self._endpoint.batch):
            some = texts[start : start + self._endpoint.batch]
            parts.append(self._taken([readable(text)[:LONGEST] for text in some]))
        return np.concatenate(parts)

    def _taken(self, texts: list[str]) -> Vector:
        """The texts in one request; where they are refused, fewer of them, and then less of one."""
        try:
            return self._ask([self._endpoint.passage_prefix + text for text in texts], PASSAGES_WITHIN)
        except RefusedError:
            middle = len(texts) // 2
            if middle:
                return np.concatenate([self._taken(texts[:middle]), self._taken(texts[middle:])])
            if len(texts[0]) < SHORTEST:
                raise
            return self._taken([texts[0][: len(texts[0]) // 2]])

    def _ask(self, texts: list[str], within: float) -> Vector:
        body = {"model": self._endpoint.model, "input": texts, "encoding_format": "float"}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._endpoint.key:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        request = urllib.request.Request(  # noqa: S310 (the settings allow http and https only)
            f"{self._endpoint.url}/embeddings", json.dumps(body).encode(), headers
        )
        try:
            found = self._send(request, len(texts), within)
        except _TryAgainError as error:
            self._pause(min(error.after, within / 5))
            try:
                found = self._send(request, len(texts), within)
            except _TryAgainError as again:
                raise EmbeddingError(str(again)) from None
        return unit(vectors(found, len(texts), self.dimension), self.dimension)

    def _send(self, request: urllib.request.Request, count: int, within: float) -> bytes:
        largest = count * self.dimension * BYTES_A_NUMBER + 65_536
        try:
            with self._opener.open(request, timeout=within) as response:
                return _read(response, largest)
        except urllib.error.HTTPError as error:
            said = f"the embedding service answered {error.code}"
            error.close()
            if error.code in BUSY or error.code >= 500:
                raise _TryAgainError(said, _wait(error.headers.get("Retry-After"))) from None
            raise (RefusedError if error.code in TOO_MUCH else EmbeddingError)(said) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            said = f"the embedding service does not answer: {type(error).__name__}"
            raise _TryAgainError(said, AGAIN_AFTER) from None


class _TryAgainError(EmbeddingError):
    """Worth one more try, so many seconds later."""

    def __init__(self, said: str, after: float) -> None:
        super().__init__(said)
        self.after = after


def vectors(answer: bytes, count: int, dimension: int) -> Vector:
    """The vectors of an answer in the order of the question. Raises EmbeddingError."""
    try:
        rows = json.loads(answer)["data"]
        found = {row["index"]: row["embedding"] for row in rows}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise EmbeddingError("the embedding service gave no list of vectors") from None
    whole = all(type(index) is int for index in found)
    if not whole or len(rows) != count or set(found) != set(range(count)):
        raise EmbeddingError(f"the embedding service gave other texts than the {count} asked for")
    for vector in found.values():
        if not isinstance(vector, list) or any(type(one) not in {int, float} for one in vector):
            raise EmbeddingError("the embedding service gave a vector that is no list of numbers")
        if len(vector) != dimension:
            message = (
                f"the embedding service gave {len(vector)} numbers, HUB_EMBEDDER_DIMENSION is {dimension}"
            )
            raise EmbeddingError(message)
    try:
        with np.errstate(over="ignore"):  # too large becomes infinite, which is refused later
            return np.array([found[index] for index in range(count)], dtype=np.float64).astype(np.float32)
    except OverflowError:
        raise EmbeddingError("the embedding service gave a number that is not finite") from None


def _read(response: http.client.HTTPResponse, largest: int) -> bytes:
    found = response.read(largest + 1)
    if len(found) > largest:
        raise EmbeddingError("the embedding service gave far more than was asked for")
    if response.length:  # announced and not sent
        raise http.client.IncompleteRead(found)
    return found


def _wait(header: str | None) -> float:
    seconds = float(header) if header and header.isdecimal() else AGAIN_AFTER
    return min(seconds, LONGEST_WAIT)
