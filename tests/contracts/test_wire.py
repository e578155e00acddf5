"""The web process as it runs, byte by byte: what a test client cannot send."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from django.db import connections

from hub.models import KeptAnswer
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)

WORKERS = 2


@pytest.fixture
def port(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server of our own, on the database of the test."""
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    from a2wsgi import WSGIMiddleware

    from hub import asgi

    pages = WSGIMiddleware(asgi.pages.app, workers=WORKERS)
    monkeypatch.setattr(asgi, "pages", pages)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(asgi.application, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join(timeout=20)
    gate = threading.Barrier(WORKERS)

    def end_session() -> None:
        gate.wait(timeout=20)
        connections.close_all()

    for _ in range(WORKERS):
        pages.executor.submit(end_session)
    pages.executor.shutdown(wait=True)


def sent(port: int, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and the rest of the answer to raw bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n" + body)
        text = b""
        while b"\r\n\r\n" not in text:
            piece = link.recv(65536)
            if not piece:
                break
            text += piece
        length = next(
            (int(line[15:]) for line in text.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        while len(text.partition(b"\r\n\r\n")[2]) < length:
            piece = link.recv(65536)
            if not piece:
                break
            text += piece
    return int(text.split(b" ", 2)[1]), text


def head(method: str, address: str, token: str = "", *more: str) -> str:
    lines = [f"{method} /api/v1/{address} HTTP/1.1", "Host: 127.0.0.1", *more]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\n".join(lines) + "\n"


def chunks(*pieces: bytes) -> bytes:
    return b"".join(f"{len(one):x}\r\n".encode() + one + b"\r\n" for one in pieces) + b"0\r\n\r\n"


JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"


def test_nobody_waits_for_a_body(port: int) -> None:
    """T012: 50 MB are announced, none are sent, and the answer is there at once."""
    for kind in (JSON, "Content-Type: multipart/form-data; boundary=x"):
        started = time.monotonic()
        status, _ = sent(port, head("POST", "imports", "", kind, "Content-Length: 52428800"))
        assert status == 401
        assert time.monotonic() - started < 5


def test_a_known_caller_is_told_before_a_large_body(world: World, port: int) -> None:
    token = world.token(world.scout)
    status, text = sent(port, head("POST", "remember", token, JSON, "Content-Length: 52428800"))
    assert status == 413
    assert b'"too_large"' in text


def test_a_body_in_chunks_is_read_up_to_the_limit(world: World, port: int) -> None:
    token = world.token(world.scout)
    status, text = sent(
        port,
        head("POST", "remember", token, JSON, CHUNKED),
        chunks(b'{"text": "the ', b'heron"}'),
    )
    assert status == 201, text
    piece = b"x" * 65_536
    endless = chunks(b'{"text": "', *[piece] * 80)  # 5 MiB, and no end of the text
    status, text = sent(port, head("POST", "remember", token, JSON, CHUNKED), endless)
    assert (status, b'"too_large"' in text) == (413, True)
    status, _ = sent(port, head("POST", "remember", "", JSON, CHUNKED), chunks(b'{"text": "x"}'))
    assert status == 401


@pytest.mark.parametrize(
    "host", ["a/b", "127.0.0.1?x", "127.0.0.1#x", "x@127.0.0.1", "127.0.0.1@evil", "evil.example"]
)
def test_a_host_that_is_not_ours_is_refused(world: World, port: int, host: str) -> None:
    """T013"""
    text = head("GET", "me", world.token(world.scout)).replace("Host: 127.0.0.1", f"Host: {host}")
    assert sent(port, text)[0] == 400


def test_a_name_with_an_underscore_is_nobodys(world: World, port: int) -> None:
    """Its twin with a dash is what the hub reads; through WSGI both would be one."""
    token = world.token(world.scout)
    body = b'{"text": "the heron"}'
    length = f"Content-Length: {len(body)}"
    for name, kept in (("Idempotency_Key", 0), ("Idempotency-Key", 1)):
        for _ in range(2):
            assert sent(port, head("POST", "remember", token, JSON, length, f"{name}: one"), body)[0] == 201
        assert KeptAnswer.objects.count() == kept
    assert sent(port, head("GET", "me", "", f"Authorization_: Bearer {token}"))[0] == 401


@pytest.mark.parametrize(
    "query", ["limit=\xe9", "cursor=\xff\xfe", "%ff=%ff", "limit=1&limit=2", "a" * 8000, "limit=%C0%AF", "kind=%u0041"]
)  # fmt: skip
def test_raw_bytes_in_an_address_are_no_failure(world: World, port: int, query: str) -> None:
    assert sent(port, head("GET", f"assets?{query}", world.token(world.scout)))[0] == 400


def test_a_request_that_two_readers_could_read_differently_is_refused(world: World, port: int) -> None:
    token = world.token(world.scout)
    body = b'{"text": "x"}'
    for more in (
        ("Content-Length: 13", "Content-Length: 14"), ("Content-Length: -1",), ("Content-Length: 1e1",),
        ("Content-Length: 13\x00",),
    ):  # fmt: skip
        assert sent(port, head("POST", "remember", token, JSON, *more), body)[0] == 400, more
