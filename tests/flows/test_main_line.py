"""An agent remembers and asks, over REST, and gets only what it may see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from assets.services import assets, bindings, grants, memories
from hub import ids
from hub.models import AuditEvent
from hub.services import tokens
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)

COUNTED = {"X-Request-Id", "Content-Length", "RateLimit-Remaining", "RateLimit-Reset"}


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors have their own test; here every answer is by words, so that it is quick."""
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def call(client: Client, method: str, path: str, token: str, body: Any = None) -> Any:
    return client.generic(
        method, f"/api/v1{path}", data=b"" if body is None else json.dumps(body),
        content_type="application/json", headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip


def bare(response: Any) -> tuple[int, Any, dict[str, str]]:
    """Status, body and headers without what differs between any two requests."""
    body = response.json()
    body.pop("request_id", None)
    headers = {k: v for k, v in response.headers.items() if k not in COUNTED}
    return response.status_code, body, headers


def test_an_agent_finds_what_it_remembered_by_words_at_once(world: World, client: Client) -> None:
    token = world.token(world.scout)
    stored = call(client, "POST", "/remember", token, {"text": "The heron sleeps at ten."})
    assert stored.status_code == 201
    found = call(client, "POST", "/retrieve", token, {"query": "when does the heron sleep"}).json()
    assert [item["node"] for item in found["items"]] == [stored.json()["node"]]
    assert found["items"][0]["why"][0]["arm"] == "words"
    assert AuditEvent.objects.filter(action="retrieve", actor_agent=world.scout.pk).count() == 1


def test_for_everybody_else_it_is_byte_equal_to_missing(world: World, client: Client) -> None:
    """T001, T055: another agent, other users, the same agent acting for somebody."""
    own = world.token(world.scout)
    node = call(client, "POST", "/remember", own, {"text": "The heron sleeps at ten."}).json()["node"]
    acting = tokens.mint_delegated(
        agent=world.scout.pk, user=world.bob.id, team=world.team.id, actions=["read", "change"]
    )[1]
    others = [world.token(who) for who in (world.builder, world.bob, world.admin, world.dora, world.charlie)]
    for token in [*others, acting]:
        hidden = call(client, "GET", f"/nodes/{node}", token)
        absent = call(client, "GET", f"/nodes/nod_{'0' * 32}", token)
        assert hidden.status_code == 404
        assert bare(hidden) == bare(absent)
        assert call(client, "POST", "/retrieve", token, {"query": "heron"}).json()["items"] == []


def test_authority_is_kept_apart(world: World, client: Client) -> None:
    """Spot cases 3 to 5: what is written for a user is read for that user only."""
    acting = tokens.mint_delegated(
        agent=world.scout.pk, user=world.bob.id, team=world.team.id, actions=["read", "change"]
    )[1]
    stored = call(client, "POST", "/remember", acting, {"text": "Bob likes the quiet heron."})
    assert stored.status_code == 201
    assert len(call(client, "POST", "/retrieve", acting, {"query": "heron"}).json()["items"]) == 1
    assert (
        call(client, "POST", "/retrieve", world.token(world.scout), {"query": "heron"}).json()["items"] == []
    )
    assert (
        len(call(client, "POST", "/retrieve", world.token(world.bob), {"query": "heron"}).json()["items"])
        == 1
    )


def test_unbinding_and_denying_hold_from_the_next_request(world: World, client: Client) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="team").id
    memories.remember(alice, text="The heron sleeps at ten.", asset=asset)
    token = world.token(world.builder)

    def seen() -> int:
        return len(call(client, "POST", "/retrieve", token, {"query": "heron"}).json()["items"])

    assert seen() == 0
    made = bindings.bind(alice, asset=asset, role=world.roles["builder"].id, reason="work")
    assert seen() == 1
    bindings.unbind(alice, ids.parse("binding", made["id"]) or asset, "done")
    assert seen() == 0


def test_a_restricted_asset_needs_grant_and_binding(world: World, client: Client) -> None:
    """Spot case 13."""
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="sweep", visibility="restricted").id
    memories.remember(alice, text="The heron key turns on Tuesday.", asset=asset)
    bindings.bind(alice, asset=asset, role=world.roles["builder"].id, reason="work")
    token = world.token(world.builder)
    assert call(client, "GET", f"/assets/{ids.public('asset', asset)}", token).status_code == 404
    grants.grant(alice, asset=asset, to=("agent", world.builder.pk), level="read", reason="work")
    assert call(client, "GET", f"/assets/{ids.public('asset', asset)}", token).status_code == 200


def test_a_secret_is_refused_and_nothing_is_stored(world: World, client: Client) -> None:
    token = world.token(world.scout)
    answer = call(client, "POST", "/remember", token, {"text": f"use {world.token(world.builder)} there"})
    assert answer.status_code == 422
    assert answer.json()["code"] == "secret_found"
    assert call(client, "GET", "/assets", token).json()["items"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": "x", "filters": {"colour": "red"}}, "filters.colour"),
        ({"query": "x", "budget": {"tokens": 0}}, "budget.tokens"),
        ({"question": "x"}, "question"),
        ({"query": "x", "recipe": "best"}, "recipe"),
    ],
)
def test_bad_input_names_the_field(world: World, client: Client, body: dict[str, Any], field: str) -> None:
    answer = call(client, "POST", "/retrieve", world.token(world.scout), body)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]


def test_tokens_that_ended_are_nobody(world: World, client: Client) -> None:
    """T052: revoked, suspended and disabled at once; T012: before the body is read."""
    token = world.token(world.scout)
    assert call(client, "GET", "/me", token).status_code == 200
    world.scout.is_enabled = False
    world.scout.save()
    assert call(client, "GET", "/me", token).status_code == 401
    assert call(client, "POST", "/retrieve", "tmh_agt_wrong", "{broken").status_code == 401
