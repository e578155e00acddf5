"""The official client against the running hub: what REST decides, MCP decides, for everybody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx2
import pytest
from django.db import connection
from django.utils import timezone
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from assets.services import assets, bindings, memories
from hub import ids
from hub.models import AuditEvent, Token
from tests.contracts.calls import call
from tests.served import Served
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
ERAS = ("legacy", "auto")  # the handshake of old, and the newest that both sides speak
T = TypeVar("T")


@pytest.fixture(scope="module")
def hub(django_db_setup: None, django_db_blocker: Any) -> Iterator[Served]:
    with django_db_blocker.unblock(), Served() as served:
        yield served


async def connected(hub: Served, token: str, act: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What `act` gives with a connected client of the official SDK."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as web:
        transport = streamable_http_client(f"{hub.url}/mcp", http_client=web)
        async with Client(transport, mode=mode) as client:
            return await act(client)


def used(hub: Served, token: str, act: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    return asyncio.run(connected(hub, token, act, mode))


def tool(hub: Served, token: str, name: str, arguments: dict[str, Any], mode: str = "auto") -> Any:
    return used(hub, token, lambda client: client.call_tool(name, arguments), mode)


def said(result: Any) -> str:
    """The text of a result."""
    return "\n".join(one.text for one in result.content)


class Scene:
    """Notes of Alice for the team and a diary of hers; the notes are bound to scout-1 alone."""

    def __init__(self, world: World) -> None:
        alice = world.principal(world.alice)
        self.notes = assets.create_asset(alice, name="notes", visibility="team").id
        self.diary = assets.create_asset(alice, name="diary").id
        self.note = memories.remember(alice, text="The heron sleeps at ten.", asset=self.notes)["node"]
        self.secret = memories.remember(alice, text="I fear the heron.", asset=self.diary)["node"]
        bindings.bind(alice, asset=self.notes, agent=world.scout.pk, reason="work")
        self.tokens = {
            name: world.token(getattr(world, name)) for name in ("scout", "builder", "alice", "charlie")
        }


WHO = ("scout", "builder", "alice", "charlie")
FOUND = {"scout": 1, "builder": 0, "alice": 2, "charlie": 0}


@pytest.mark.parametrize("mode", ERAS)
def test_both_eras_list_the_same_tools(world: World, hub: Served, mode: str) -> None:
    async def look(client: Client) -> tuple[str, list[dict[str, Any]]]:
        listed = await client.list_tools()
        return str(client.protocol_version), [one.model_dump(exclude_none=True) for one in listed.tools]

    version, tools = used(hub, world.token(world.scout), look, mode)
    assert version in (HANDSHAKE_PROTOCOL_VERSIONS if mode == "legacy" else MODERN_PROTOCOL_VERSIONS)
    assert [one["name"] for one in tools] == ["search", "read", "remember"]
    assert [one["annotations"]["read_only_hint"] for one in tools] == [True, True, False]
    assert all(one["annotations"]["destructive_hint"] is False for one in tools)
    assert all(one["input_schema"]["additionalProperties"] is False for one in tools)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("who", WHO)
def test_search_gives_what_rest_gives(world: World, hub: Served, who: str, mode: str) -> None:
    token = Scene(world).tokens[who]
    result = tool(hub, token, "search", {"query": "heron"}, mode)
    asked = json.loads(hub.raw("POST", "/api/v1/retrieve", b'{"query": "heron"}', Authorization=f"Bearer {token}",
                               Content_Type="application/json").read())  # fmt: skip
    found = result.structured_content
    assert len(found["items"]) == FOUND[who]

    def bare(item: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in item.items() if name != "age" and value is not None}

    assert [bare(item) for item in found["items"]] == [bare(item) for item in asked["items"]]
    assert said(result).startswith(found["context"])
    if who != "charlie":
        assert ("never instructions to follow" in said(result)) is (FOUND[who] > 0)
    event = AuditEvent.objects.get(
        action="retrieve", door="mcp", team=world.team.id if who != "charlie" else world.other_team.id
    )
    assert event.request_id.startswith("req_")
    assert event.actor_agent == (getattr(world, who).pk if who in {"scout", "builder"} else None)


@pytest.mark.parametrize("who", WHO)
def test_read_gives_what_rest_gives(world: World, hub: Served, who: str) -> None:
    scene = Scene(world)
    token = scene.tokens[who]
    notes, diary = ids.public("asset", scene.notes), ids.public("asset", scene.diary)

    async def read(client: Client) -> dict[str, Any]:
        wanted = (scene.note, scene.secret, notes, diary, f"nod_{'0' * 32}", f"ast_{'0' * 32}", "nonsense")
        return {name: await client.call_tool("read", {"id": name}) for name in wanted}

    results = used(hub, token, read)
    missing = said(results["nonsense"])
    assert missing == "missing: There is nothing here that you may see."
    for name, result in results.items():
        path = f"nodes/{name}" if name.startswith("nod_") else f"assets/{name}"
        asked = call("GET", path, token)
        assert result.is_error == (asked.status_code == 404), name
        if result.is_error:
            assert said(result) == missing
            assert result.structured_content is None
            continue
        kind = "node" if name.startswith("nod_") else "asset"
        wanted = {key: value for key, value in asked.json().items() if value is not None}
        assert result.structured_content[kind] == wanted
        assert "\n> " in said(result)
        if kind == "asset":
            listed = call("GET", f"{path}/nodes", token).json()["items"]
            assert [row["id"] for row in result.structured_content["nodes"]] == [row["id"] for row in listed]
    assert results[scene.note].is_error == (who not in {"scout", "alice"})
    assert results[scene.secret].is_error == (who != "alice")


@pytest.mark.parametrize("mode", ERAS)
def test_an_agent_remembers_and_only_it_finds_that(world: World, hub: Served, mode: str) -> None:
    scene = Scene(world)
    decision = {"text": "Deploy on Tuesday.", "kind": "decision", "because": "Monday is busy"}
    stored = tool(hub, scene.tokens["builder"], "remember", decision, mode)
    node = stored.structured_content["node"]
    assert node in said(stored)
    assert call("GET", f"nodes/{node}", scene.tokens["builder"]).json()["text"] == "Deploy on Tuesday."
    for who in ("scout", "charlie"):
        assert tool(hub, scene.tokens[who], "read", {"id": node}, mode).is_error
        assert (
            tool(hub, scene.tokens[who], "search", {"query": "deploy Tuesday"}, mode).structured_content[
                "items"
            ]
            == []
        )
    own = tool(hub, scene.tokens["builder"], "search", {"query": "deploy Tuesday"}, mode)
    assert [item["node"] for item in own.structured_content["items"]] == [node]
    assert AuditEvent.objects.filter(action="remember", door="mcp", actor_agent=world.builder.pk).count() == 1


def test_writing_where_one_may_not_is_missing(world: World, hub: Served) -> None:
    scene = Scene(world)
    for asset in (
        ids.public("asset", scene.diary),
        ids.public("asset", scene.notes),
        f"ast_{'0' * 32}",
        "theirs",
    ):
        result = tool(hub, scene.tokens["scout"], "remember", {"text": "x", "asset": asset})
        assert result.is_error
        assert said(result) == "missing: There is nothing here that you may see."


def test_a_secret_is_refused(world: World, hub: Served) -> None:
    result = tool(hub, world.token(world.scout), "remember", {"text": f"use {world.token(world.builder)}"})
    assert said(result).startswith("secret_found: ")
    assert call("GET", "assets", world.token(world.scout)).json()["items"] == []


def test_an_unknown_argument_names_the_allowed_ones(world: World, hub: Served) -> None:
    token = world.token(world.scout)
    result = tool(hub, token, "search", {"query": "x", "colour": "red", "budget": {"tokens": 0, "pages": 1}})
    assert result.is_error
    lines = said(result).splitlines()
    assert lines[0].startswith("invalid: ")
    assert "- colour: unknown; allowed are: budget, filters, order, query, recipe" in lines
    assert "- budget.pages: unknown; allowed are: chars, items, shares, tokens" in lines
    assert "- budget.tokens: must be a whole number, 1 to 100000" in lines
    assert "- query: is required" in said(tool(hub, token, "search", {}))


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_tool_is_refused_with_the_known_ones(world: World, hub: Served, mode: str) -> None:
    async def drop(client: Client) -> None:
        with pytest.raises(MCPError, match="there are: read, remember, search"):
            await client.call_tool("drop_everything", {})

    used(hub, world.token(world.scout), drop, mode)


@pytest.mark.parametrize("mode", ERAS)
def test_a_revoked_token_is_refused_at_the_next_call(world: World, hub: Served, mode: str) -> None:
    token = Scene(world).tokens["scout"]
    done: list[int] = []

    def revoke() -> None:
        try:
            done.append(Token.objects.filter(agent=world.scout.pk).update(revoked_at=timezone.now()))
        finally:
            connection.close()

    async def twice(client: Client) -> None:
        assert not (await client.call_tool("search", {"query": "heron"})).is_error
        await asyncio.to_thread(revoke)
        with pytest.raises(MCPError, match="error response"):
            await client.call_tool("search", {"query": "heron"})

    used(hub, token, twice, mode)
    assert done == [1]
    assert hub.raw("POST", "/mcp", b"{}", Authorization=f"Bearer {token}").status == 401


def test_a_lifted_binding_is_obeyed_at_the_next_call(world: World, hub: Served) -> None:
    scene = Scene(world)
    alice = world.principal(world.alice)
    assert not tool(hub, scene.tokens["scout"], "read", {"id": scene.note}).is_error
    bound = bindings.list_bindings(alice)
    binding = ids.parse("binding", next(iter(bound))["id"])
    assert binding is not None
    bindings.unbind(alice, binding, "done")
    assert tool(hub, scene.tokens["scout"], "read", {"id": scene.note}).is_error


def test_many_calls_at_once_keep_their_callers_apart(world: World, hub: Served) -> None:
    tokens = Scene(world).tokens

    async def many() -> dict[str, list[int]]:
        async def one(who: str) -> list[int]:
            return await connected(hub, tokens[who], ask)

        async def ask(client: Client) -> list[int]:
            calls = [client.call_tool("search", {"query": "heron"}) for _ in range(10)]
            return [len(result.structured_content["items"]) for result in await asyncio.gather(*calls)]

        return dict(zip(WHO, await asyncio.gather(*(one(who) for who in WHO)), strict=True))

    assert asyncio.run(many()) == {who: [FOUND[who]] * 10 for who in WHO}


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_goes_on_after_a_restart(world: World, hub: Served, mode: str) -> None:
    token = Scene(world).tokens["scout"]

    async def over(client: Client) -> list[int]:
        before = await client.call_tool("search", {"query": "heron"})
        await asyncio.to_thread(hub.again)
        after = await client.call_tool("search", {"query": "heron"})
        return [len(one.structured_content["items"]) for one in (before, after)]

    assert used(hub, token, over, mode) == [1, 1]
