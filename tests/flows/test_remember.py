"""What is remembered over REST is found by words at once, as it was given."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from assets.services import assets, bindings, imports, jobs, memories
from hub import ids
from hub.models import Subject
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def post(client: Client, path: str, token: str, body: dict[str, Any]) -> Any:
    return client.post(
        f"/api/v1/{path}", json.dumps(body), content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip


def found(client: Client, token: str, query: str, **filters: Any) -> list[str]:
    answer = post(client, "retrieve", token, {"query": query, "filters": filters})
    assert answer.status_code == 200, answer.content
    return [item["node"] for item in answer.json()["items"]]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The heron sleeps at ten.", "when do herons sleep"),
        ("部署在星期二晚上进行", "星期二部署"),
        ("Rollback uses release-2041b.", "release-2041b"),
    ],
)
@pytest.mark.parametrize("who", ["scout", "alice"])
def test_by_words_at_once(world: World, client: Client, who: str, text: str, query: str) -> None:
    token = world.token(getattr(world, who))
    stored = post(client, "remember", token, {"text": text})
    assert stored.status_code == 201
    assert stored.json()["action"] == "created"
    assert found(client, token, query) == [stored.json()["node"]]


def test_every_message_is_a_node_in_order(world: World, client: Client) -> None:
    token = world.token(world.scout)
    messages = [
        {"speaker": "Ann", "content": "The heron came back."},
        {"role": "assistant", "content": "The heron is noted."},
    ]
    stored = post(client, "remember", token, {"messages": messages}).json()
    assert stored["node"] == stored["nodes"][0]
    listed = client.get(
        f"/api/v1/assets/{stored['asset']}/nodes", headers={"Authorization": f"Bearer {token}"}
    ).json()["items"]
    assert [one["id"] for one in listed] == stored["nodes"]
    assert [one["text"] for one in listed] == [one["content"] for one in messages]
    assert [one["author"] for one in listed] == ["Ann", "assistant"]
    assert set(found(client, token, "heron")) == set(stored["nodes"])


def test_what_was_given_comes_back_and_narrows(world: World, client: Client) -> None:
    token = world.token(world.scout)
    given = {
        "text": "The heron gate stays shut.", "kind": "decision", "because": "of the tide",
        "instead_of": ["opening it"], "tags": ["gate"], "source": "log:7",
        "occurred_at": "2024-03-01T10:00:00Z",
    }  # fmt: skip
    node = post(client, "remember", token, given).json()["node"]
    other = post(client, "remember", token, {"text": "The heron gate is green."}).json()["node"]
    read = client.get(f"/api/v1/nodes/{node}", headers={"Authorization": f"Bearer {token}"}).json()
    assert {name: read[name] for name in ("text", "kind", "tags", "source", "occurred_at")} == {
        name: given[name] for name in ("text", "kind", "tags", "source", "occurred_at")
    }
    assert set(found(client, token, "heron gate")) == {node, other}
    assert found(client, token, "heron gate", tags={"any": ["gate"]}) == [node]
    assert found(client, token, "heron gate", node_kind=["decision"]) == [node]
    assert found(client, token, "heron gate", to="2024-12-31T00:00:00Z") == [node]
    assert found(client, token, "heron gate", tags={"none": ["gate"]}) == [other]


def test_the_own_memory_is_one_and_another_agent_has_its_own(world: World, client: Client) -> None:
    scout, builder = world.token(world.scout), world.token(world.builder)
    first = post(client, "remember", scout, {"text": "The heron one."}).json()
    second = post(client, "remember", scout, {"text": "The heron two.", "asset": "mine"}).json()
    third = post(client, "remember", builder, {"text": "The heron three."}).json()
    assert first["asset"] == second["asset"] != third["asset"]
    assert set(found(client, scout, "heron")) == {first["node"], second["node"]}
    assert found(client, builder, "heron") == [third["node"]]


def test_a_read_binding_does_not_let_an_agent_write(world: World, client: Client) -> None:
    """And the answer is that of an asset which is not there; with write access it is stored."""
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="diary").id
    named = ids.public("asset", asset)
    token = world.token(world.scout)
    bound = ids.parse("binding", bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r")["id"])
    assert bound is not None
    assert post(client, "remember", token, {"text": "heron", "asset": named}).status_code == 404
    bindings.unbind(alice, bound, "to write")
    bindings.bind(alice, asset=asset, agent=world.scout.pk, access="write", reason="r")
    assert post(client, "remember", token, {"text": "heron", "asset": named}).status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": " "}, "text"),
        ({"text": "a", "messages": [{"content": "b"}]}, "text"),
        ({"messages": []}, "messages"),
        ({"messages": [{"content": "b", "mood": "c"}]}, "messages.0.mood"),
        ({"text": "a", "kind": "feeling"}, "kind"),
        ({"text": "a", "colour": "red"}, "colour"),
        ({"text": "a", "parent": "nod_" + "0" * 32}, "parent"),
    ],
)
def test_bad_input_names_the_field_and_stores_nothing(
    world: World, client: Client, body: dict[str, Any], field: str
) -> None:
    token = world.token(world.scout)
    answer = post(client, "remember", token, body)
    assert answer.status_code == 400
    assert field in answer.json()["fields"]
    assert found(client, token, "a b") == []


def test_a_parent_that_may_not_be_read_is_as_one_that_never_was(world: World, client: Client) -> None:
    """T004: a token locked to one person hangs nothing under a node about another."""
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="diary").id
    hidden = memories.remember(alice, text="about Tom", asset=asset, subjects=["tom"])["node"]
    sue = Subject.objects.create(team=world.team, external_id="sue")
    locked = world.token(world.alice, subject_id=sue.id)
    answers = [
        post(client, "remember", locked, {"text": "x", "asset": ids.public("asset", asset), "parent": parent})
        for parent in (hidden, ids.public("node", uuid4()))
    ]
    bodies = [answer.json() for answer in answers]
    for body in bodies:
        body.pop("request_id")
    assert [answer.status_code for answer in answers] == [400, 400]
    assert bodies[0] == bodies[1]
    own = post(client, "remember", locked, {"text": "about Sue", "asset": ids.public("asset", asset)}).json()
    child = {"text": "more of Sue", "asset": own["asset"], "parent": own["node"]}
    assert post(client, "remember", locked, child).status_code == 201


def test_an_import_stops_with_the_person_who_started_it(world: World) -> None:
    """P12: a suspended person's job fails at its next batch and stores nothing more."""
    alice = world.principal(world.alice)
    payload = json.dumps([{"speaker": "a", "content": f"line {n}"} for n in range(300)]).encode()
    started = imports.start_import(alice, payload=payload, name="talk")
    job = ids.parse("job", started["id"])
    assert job is not None
    assert not imports.run_batch(world.team.id, job)
    world.alice.is_active = False
    world.alice.save()
    assert imports.run_batch(world.team.id, job)
    ended = jobs.read_job(alice, job)
    assert (ended["state"], ended["done"]) == ("failed", imports.BATCH)
