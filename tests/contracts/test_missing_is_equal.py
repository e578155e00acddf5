"""T001, T055: what is hidden answers as what never was, byte for byte, at every route that takes an id."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from assets.services import assets, memories
from hub import ids
from hub.models import Agent, User
from hub.services import tokens
from tests.contracts import routes
from tests.contracts.test_access_matrix import Scene
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
COUNTED = {"X-Request-Id", "Date", "RateLimit-Remaining", "RateLimit-Reset"}
HIDDEN = ("asset", "node", "binding", "job", "grant", "denial", "token")
ASKERS = ("unbound", "teammate", "admin", "compliance", "stranger", "superuser", "acting")
LISTS = ("me", "agents", "roles", "tokens", "assets", "bindings")


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def token_of(scene: Scene, who: str) -> str:
    """`acting` is the agent that carries the asset, acting for somebody who may not see it."""
    if who != "acting":
        return scene.token(who)
    return acting(scene.world, scene.world.scout, scene.world.bob)


def acting(world: World, agent: Agent, user: User) -> str:
    return tokens.mint_delegated(
        agent=agent.pk, user=user.id, team=world.team.id, actions=["read", "change"]
    )[1]


def call(client: Client, method: str, address: str, token: str, body: Any = None) -> Any:
    return client.generic(
        method, f"/api/v1/{address}", data=b"" if body is None else json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}", "If-Match": "*"},
    )  # fmt: skip


def bare(answer: Any) -> tuple[int, bytes, dict[str, str]]:
    """Status, raw body and all headers; only what counts up with every request is taken out."""
    request_id = answer.headers["X-Request-Id"]
    assert request_id
    headers = {name: value for name, value in answer.headers.items() if name not in COUNTED}
    return answer.status_code, answer.content.replace(request_id.encode(), b"-"), headers


def absent_names(scene: Scene) -> dict[str, str]:
    """The scene's names with every hidden one replaced by an id that never was."""
    return scene.names | {name: ids.public(name, uuid4()) for name in HIDDEN}


def filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(one, names) for key, one in value.items()}
    return value.format(**names) if isinstance(value, str) else value


def takes_hidden(route: routes.Route) -> bool:
    text = route.address + json.dumps(route.body)
    return any(f"{{{name}}}" in text for name in HIDDEN)


def test_the_declaration_holds_such_routes() -> None:
    """Else the comparison below would pass by comparing nothing."""
    assert len([route for route in routes.API if takes_hidden(route)]) >= 16


@pytest.mark.parametrize("who", ASKERS)
def test_hidden_is_byte_equal_to_missing(world: World, client: Client, who: str) -> None:
    scene = Scene(world)
    token = token_of(scene, who)
    absent = absent_names(scene)
    unequal = []
    for route in filter(takes_hidden, routes.API):
        pairs = [
            call(client, route.method, filled(route.address, names), token, filled(route.body, names))
            for names in (scene.names, absent)
        ]
        hidden, missing = (bare(one) for one in pairs)
        if hidden[0] != 404 or hidden != missing:
            unequal.append((route.method, route.address, hidden, missing))
    assert unequal == []


@pytest.mark.parametrize("who", ASKERS)
def test_a_malformed_id_is_missing_too(world: World, client: Client, who: str) -> None:
    scene = Scene(world)
    token = token_of(scene, who)
    broken = scene.names | {name: f"{ids.PREFIXES[name]}_not-an-id" for name in HIDDEN}
    for route in routes.API:
        if "{" not in route.address.partition("?")[0] or not takes_hidden(route):
            continue
        body = filled(route.body, scene.names)
        hidden = call(client, route.method, filled(route.address, scene.names), token, body)
        malformed = call(client, route.method, filled(route.address, broken), token, body)
        assert bare(hidden) == bare(malformed), (route.method, route.address)


@pytest.mark.parametrize("who", ASKERS)
@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("POST", "assets/{asset}/grants", {"to": "{agent}", "level": "everything", "reason": "r"}),
        ("POST", "assets/{asset}/grants", {"to": "usr_" + "0" * 32, "level": "read", "reason": "r"}),
        ("POST", "assets/{asset}/denials", {"to": "{agent}", "reason": "r", "expires_at": "2001-01-01T00:00Z"}),
        ("POST", "bindings", {"asset": "{asset}", "agent": "{agent}", "role": "{role}", "reason": "r"}),
        ("POST", "bindings", {"asset": "{asset}", "base": True, "reason": "r"}),
        ("POST", "bindings", {"asset": "{asset}", "agent": "agt_" + "0" * 32, "reason": "r"}),
        ("POST", "remember", {"text": "x", "asset": "{asset}", "kind": "no-kind"}),
        ("POST", "remember", {"text": "x", "parent": "{node}"}),
        ("POST", "retrieve", {"query": "heron", "filters": {"asset": ["{asset}"]}}),
        ("GET", "access/explain?asset={asset}&action=fly", None),
        ("GET", "assets/{asset}/nodes?limit=1", None),
        ("GET", "assets/{asset}/nodes?colour=red", None),
    ],
)  # fmt: skip
def test_a_wrong_request_tells_no_more(
    world: World, client: Client, who: str, method: str, address: str, body: Any
) -> None:
    """Errors of form must not stand in another order, or say more, where the asset exists."""
    scene = Scene(world)
    token = token_of(scene, who)
    answers = []
    for names in (scene.names, absent_names(scene)):
        answer = call(client, method, filled(address, names), token, filled(body, names))
        status, content, headers = bare(answer)
        if "retrieval" in answer.json():
            content = content.replace(answer.json()["retrieval"].encode(), b"-")
        answers.append((status, content, headers))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("who", ASKERS)
def test_lists_do_not_move_when_something_hidden_is_made(world: World, client: Client, who: str) -> None:
    scene = Scene(world)
    token = token_of(scene, who)

    def seen() -> list[tuple[int, bytes, dict[str, str]]]:
        return [bare(call(client, "GET", address, token)) for address in LISTS]

    before = seen()
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="second diary").id
    memories.remember(alice, text="The heron again.", asset=asset)
    assert seen() == before
    assert all(status == 200 for status, _, _ in before)


def test_only_the_admin_or_the_responsible_ask_about_another(world: World, client: Client) -> None:
    """`principal=` of explain: oneself always; else missing, the same as one who never was."""
    alice = world.principal(world.alice)
    asset = ids.public("asset", assets.create_asset(alice, name="notes", visibility="team").id)
    scout, builder = (ids.public("agent", one.pk) for one in (world.scout, world.builder))
    bob, charlie = (ids.public("user", one.id) for one in (world.bob, world.charlie))

    def ask(who: User | Agent | str, name: str) -> Any:
        token = who if isinstance(who, str) else world.token(who)
        return call(client, "GET", f"access/explain?asset={asset}&principal={name}", token)

    assert ask(world.bob, bob).status_code == 200
    assert ask(world.alice, scout).status_code == 200  # she answers for it
    assert ask(world.admin, bob).status_code == 200
    assert ask(world.admin, scout).status_code == 200
    refused: list[tuple[User | Agent | str, str]] = [
        (world.bob, scout), (world.bob, ids.public("user", world.alice.id)), (world.alice, bob),
        (world.admin, charlie), (acting(world, world.scout, world.admin), bob),
    ]  # fmt: skip
    for who, name in refused:
        kind = "agent" if name.startswith("agt_") else "user"
        assert bare(ask(who, name)) == bare(ask(who, ids.public(kind, uuid4()))), (who, name)
        assert ask(who, name).status_code == 404
    assert ask(world.scout, builder).status_code == 404
    answer = ask(world.alice, scout).json()
    assert answer["allowed"] is False  # team, but bound to nobody
    assert answer["rule"] == "binding"
