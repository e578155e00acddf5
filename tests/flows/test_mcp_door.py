"""T012, T013, T014: who may come to /mcp at all, asked by plain HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from hub.authn import counting
from tests.contracts import routes
from tests.contracts.test_access_matrix import Scene
from tests.contracts.test_missing_is_equal import absent_names
from tests.served import Served
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
}  # fmt: skip
MODERN = json.dumps(json.loads(LIST) | {"params": {"_meta": META}}).encode()
KINDS = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def hub(django_db_setup: None, django_db_blocker: Any) -> Iterator[Served]:
    with django_db_blocker.unblock(), Served() as served:
        yield served


def ask(hub: Served, token: str, body: bytes = LIST, method: str = "POST", **headers: str) -> Any:
    known = {"Authorization": f"Bearer {token}"} if token else {}
    if headers.get("MCP_Protocol_Version") == "2026-07-28":
        known["MCP_Method"] = "tools/list"
    return hub.raw(method, "/mcp", body, **KINDS, **known, **headers)


@pytest.mark.parametrize("who", routes.NOBODY)
def test_nobody_is_told_so_and_how_to_come(world: World, hub: Served, who: str) -> None:
    answer = ask(hub, Scene(world).token(who))
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="hub"'
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.read())["request_id"] == answer.headers["X-Request-Id"]


def test_nobody_is_refused_before_the_body_is_sent(hub: Served) -> None:
    """Headers that announce 50 MB, and not one byte of it."""
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as line:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nContent-Length: 52428800\r\n\r\n".encode()
        )
        assert line.recv(100).startswith(b"HTTP/1.1 401 ")


def test_a_live_token_is_let_in_and_the_answer_is_nobody_elses(world: World, hub: Served) -> None:
    answer = ask(hub, world.token(world.scout))
    assert answer.status == 200
    assert len(json.loads(answer.read())["result"]["tools"]) == 3
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Vary"] == "Authorization, Cookie"
    assert answer.headers["X-Request-Id"].startswith("req_")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1@evil.example", "127.0.0.1/evil", "127.0.0.1?x", "127.0.0.1#x", "", "a b"],
)
def test_another_host_is_not_ours(world: World, hub: Served, host: str) -> None:
    for token in (world.token(world.scout), ""):
        assert ask(hub, token, Host=host).status == 400


def test_two_hosts_are_none(world: World, hub: Served) -> None:
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as line:
        line.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n"
        )
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil"]
)
def test_a_page_of_another_origin_may_not_ask(world: World, hub: Served, origin: str) -> None:
    assert ask(hub, world.token(world.scout), Origin=origin).status == 403


def test_our_own_origin_may_ask(world: World, hub: Served) -> None:
    token = world.token(world.scout)
    for origin in (hub.url, "http://127.0.0.1:8000"):  # where it is reached, and HUB_BASE_URL
        assert ask(hub, token, Origin=origin).status == 200


def test_nobody_becomes_somebody_by_another_header(world: World, hub: Served) -> None:
    token = world.token(world.scout)
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10) as line:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX_Forwarded_User: alice\r\nX-Forwarded-User: alice\r\n"
            f"Authorization_: Bearer {token}\r\nContent-Length: 0\r\n\r\n".encode()
        )
        assert line.recv(100).startswith(b"HTTP/1.1 401 ")


def test_two_tokens_are_no_token(world: World, hub: Served) -> None:
    both = f"{world.token(world.scout)} {world.token(world.builder)}"
    assert ask(hub, both).status == 401


@pytest.mark.parametrize("who", ["unbound", "teammate", "admin", "stranger"])
def test_hidden_and_missing_are_one_answer_byte_for_byte(world: World, hub: Served, who: str) -> None:
    scene = Scene(world)
    token = scene.token(who)
    absent = absent_names(scene)

    def bare(tool: str, given: dict[str, str]) -> tuple[int, bytes, list[tuple[str, str]]]:
        params = {"name": tool, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = ask(hub, token, json.dumps(message).encode())
        headers = [pair for pair in answer.getheaders() if pair[0].lower() not in {"x-request-id", "date"}]
        return answer.status, answer.read(), headers

    for kind in ("node", "asset"):
        hidden = bare("read", {"id": scene.names[kind]})
        assert hidden == bare("read", {"id": absent[kind]})
        assert b"missing: There is nothing here that you may see." in hidden[1]
    changes = [bare("remember", {"text": "x", "asset": names["asset"]}) for names in (scene.names, absent)]
    assert changes[0] == changes[1]


def test_listings_count_as_reading(world: World, hub: Served) -> None:
    token = world.token(world.scout)
    for era in ("2025-11-25", "2026-07-28"):
        assert (
            ask(hub, token, MODERN if era == "2026-07-28" else LIST, MCP_Protocol_Version=era).status == 200
        )
    assert (
        counting.count("read", counting.principal_name(world.principal(world.scout))).remaining
        == 1_000_000 - 3
    )


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_post_is_taken(world: World, hub: Served, method: str) -> None:
    answer = ask(hub, world.token(world.scout), b"", method)
    assert answer.status == 405
    assert answer.headers["Allow"] == "POST"


def test_a_body_beyond_the_limit_is_not_read(world: World, hub: Served) -> None:
    assert ask(hub, world.token(world.scout), b" " * (4 * 1024 * 1024 + 1)).status == 413


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0", "id": 1, "method": 7}', b"\xff\xfe"]
)
@pytest.mark.parametrize("era", ["", "2026-07-28", "1999-01-01"])
def test_a_broken_message_is_the_callers_fault(world: World, hub: Served, body: bytes, era: str) -> None:
    answer = ask(hub, world.token(world.scout), body, **({"MCP_Protocol_Version": era} if era else {}))
    assert 400 <= answer.status < 500
    assert "Traceback" not in answer.read().decode()


def test_an_address_beside_it_is_a_page(hub: Served) -> None:
    for path in ("/mcp/", "/mcp/x", "/MCP"):
        assert hub.raw("GET", path).status == 404
