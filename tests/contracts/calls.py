"""One request of the API, and many at once on connections of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

from django.db import connection
from django.test import Client

T = TypeVar("T")


def call(method: str, address: str, token: str = "", body: Any = None, **headers: str) -> Any:
    """The answer to one request; bytes go as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        named["Authorization"] = f"Bearer {token}"
    return Client(raise_request_exception=False).generic(
        method, f"/api/v1/{address}", data=data,
        content_type=named.pop("Content-Type", "application/json"), headers=named,
    )  # fmt: skip


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """The results of `act(0)` to `act(count - 1)`, all let go at the same moment."""
    gate = Barrier(count)

    def run(number: int) -> T:
        try:
            connection.ensure_connection()
            gate.wait(timeout=60)
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
