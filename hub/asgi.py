"""The web process: pages and REST run as WSGI in a few threads, each with its own database session."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote_from_bytes

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

from hub.celery import app as celery_app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")

celery_app.set_default()  # wake-ups from this process go to the hub's broker

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

THREADS = 4  # threads are database sessions; more of them only wait for the same cores
UNKNOWN_LENGTH = str(2**31 - 1).encode()
PRINTABLE = "".join(chr(sign) for sign in range(0x21, 0x7F))

pages: Any = WSGIMiddleware(get_wsgi_application(), workers=THREADS)  # type: ignore[arg-type]


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Route by kind and path: the server's lifespan, then everything synchronous."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    else:
        await pages(plain(scope), receive, send)


def plain(scope: Message) -> Message:
    """The request as WSGI can carry it.

    Header names with an underscore go: WSGI could not tell them from those with a dash, and so
    a client could pass off its own for one that a proxy sets. A body in chunks gets a length,
    without which it would count as empty; who reads it stops at the limit of the route.
    """
    if scope["type"] != "http":
        return scope
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    names = {name for name, _ in headers}
    if b"transfer-encoding" in names and b"content-length" not in names:
        headers.append((b"content-length", UNKNOWN_LENGTH))
    query = scope["query_string"]
    if not query.isascii():
        query = quote_from_bytes(query, safe=PRINTABLE).encode()
    return {**scope, "headers": headers, "query_string": query}


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            pages.executor.shutdown(wait=False, cancel_futures=True)
            return
