"""/mcp: who asks is settled here, before a byte of the body is read; the SDK's server does the rest."""

from __future__ import annotations

import asyncio
import importlib
import logging
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host

from assets.mcp.dispatch import PRINCIPAL
from hub import answers
from hub.authn import counting
from hub.authn.lookup import principal_for_token
from hub.authn.principal import Principal
from hub.policy import Policy
from hub.problems import KINDS

log = logging.getLogger(__name__)
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
P = ParamSpec("P")
T = TypeVar("T")

THREADS = 4  # threads are database sessions; more of them only wait for the same cores
SERVER = "assets.mcp.server"


class Refused(Exception):
    """An answer without the SDK: an HTTP status, a sentence, headers."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


class Door:
    """The ASGI application of the endpoint. `close` ends what it started."""

    policy = Policy("mcp", "token", "", "", "read")  # each tool has its own

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mcp")
        self._starting: asyncio.Task[Any] | None = None
        self._living: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        request_id = f"req_{secrets.token_hex(8)}"
        send = marked(send, request_id)
        try:
            principal = await self._admitted(scope, request_id)
            manager = await self._manager()
        except Refused as refused:
            await refuse(refused, request_id, send)
        except Exception:
            log.exception("%s failed at the door", request_id)
            await refuse(Refused(500, KINDS["failed"].advice), request_id, send)
        else:
            await manager.handle_request({**scope, PRINCIPAL: principal}, receive, send)

    async def close(self) -> None:
        """End the SDK's tasks and the threads."""
        self._ending.set()
        if self._living is not None:
            await self._living
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _admitted(self, scope: Message, request_id: str) -> Principal:
        """Who asks, by a live token and from a place that may ask. Raises Refused."""
        headers = scope["headers"]
        check_place(scope.get("scheme", "http"), values(headers, b"host"), values(headers, b"origin"))
        address = scope["client"][0] if scope.get("client") else ""
        principal = await self._in_thread(asking, values(headers, b"authorization"), address, request_id)
        if scope["method"] != "POST":
            raise Refused(
                405, "Messages come by POST; there is no stream to open and no session to end.", Allow="POST"
            )
        return principal

    async def _in_thread(self, act: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: connected(act, *args, **named))

    async def _manager(self) -> Any:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> Any:
        module = await asyncio.to_thread(importlib.import_module, SERVER)
        manager = module.manager(self._in_thread)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._living = asyncio.create_task(self._live(manager, ready))
        await ready
        return manager

    async def _live(self, manager: Any, ready: asyncio.Future[None]) -> None:
        async with manager.run():  # begun and ended in one task, as its task group demands
            ready.set_result(None)
            await self._ending.wait()


def connected(act: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Call with a database session that is neither too old nor broken, as a request would have it."""
    close_old_connections()
    try:
        return act(*args, **named)
    finally:
        close_old_connections()


def check_place(scheme: str, hosts: list[str], origins: list[str]) -> None:
    """A browser may be led here by a name that is not ours, or by a page that is not ours.

    Raises Refused: 400 for the Host, 403 for the Origin.
    """
    name = split_domain_port(hosts[0])[0] if len(hosts) == 1 else ""
    if not name or not validate_host(name, settings.ALLOWED_HOSTS):
        raise Refused(400, "This hub does not answer to that Host.")
    if origins and not (
        len(origins) == 1 and origins[0] in {f"{scheme}://{hosts[0]}", *settings.CSRF_TRUSTED_ORIGINS}
    ):
        raise Refused(403, "A page of another origin may not ask here.")


def asking(headers: list[str], address: str, request_id: str) -> Principal:
    """The holder of the one bearer token. Raises Refused; strangers are counted by their address."""
    words = headers[0].split() if len(headers) == 1 else []
    if len(words) == 2 and words[0].lower() == "bearer":
        principal = principal_for_token(words[1], "mcp", request_id)
        if principal is not None:
            return principal
    standing = counting.count("nobody", counting.address_name({"REMOTE_ADDR": address}))
    if standing.wait:
        headers_of = {"Retry-After": str(standing.wait)}
        raise Refused(429, f"Wait {standing.wait} seconds and try again.", **headers_of)
    raise Refused(
        401, "Send a live token as Authorization: Bearer.", **{"WWW-Authenticate": 'Bearer realm="hub"'}
    )


def values(headers: list[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    """Every value of a header, by its exact name: an underscore makes another name."""
    return [value.decode("latin-1") for name, value in headers if name == wanted]


def marked(send: Send, request_id: str) -> Send:
    """Names the request and forbids shared caches to keep the answer."""
    ours = {"x-request-id": request_id, "cache-control": "private, no-store", "vary": "Authorization, Cookie"}
    ours["x-content-type-options"] = "nosniff"

    async def marking(message: Message) -> None:
        if message["type"] == "http.response.start":
            theirs = [pair for pair in message.get("headers", ()) if pair[0].decode() not in ours]
            named = [(name.encode(), value.encode()) for name, value in ours.items()]
            message = {**message, "headers": [*theirs, *named]}
        await send(message)

    return marking


async def refuse(refused: Refused, request_id: str, send: Send) -> None:
    """A problem as REST would give it."""
    asked = HttpRequest()
    asked.request_id = request_id  # type: ignore[attr-defined]
    answer = answers.plain(asked, refused.status, refused.detail)
    headers = {
        "content-type": answer["Content-Type"],
        "content-length": str(len(answer.content)),
    } | refused.headers
    named = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": named})
    await send({"type": "http.response.body", "body": answer.content})


application = Door()
