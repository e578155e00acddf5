"""The spot cases of the policy, asked of the oracle, of the rules, and at the doors."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from assets.services import assets, memories
from hub import ids
from hub.authn.principal import Principal
from hub.problems import Missing
from tests.leaks import compare, oracle, spot, things
from tests.leaks.plant import caller, plant
from tests.world import World

PARTS = spot.parts()
each = pytest.mark.parametrize("part", PARTS, ids=[part.label for part in PARTS])


def test_all_cases_are_here() -> None:
    """T001: fifteen cases."""
    assert {part.label.split(".")[0] for part in PARTS} == {f"case {number}" for number in range(1, 16)}


@each
def test_oracle(part: spot.Part) -> None:
    """T001: the oracle gives the right of the table."""
    now = datetime.now(UTC)
    for ask in part.asks:
        found = oracle.decide(part.world, ask.who, ask.action, part.asset, now)
        assert found == (ask.allowed, ask.rule), ask
        if ask.version is not None:
            assert oracle.version(part.world, ask.who, part.asset, now) == ask.version
    for who, seen in part.held:
        nodes = [oracle.node_visible(part.world, who, part.asset, n, now) for n in part.world.nodes]
        assert nodes == [True, seen], who


@pytest.mark.django_db
@each
def test_rules(part: spot.Part) -> None:
    """T001: the product's rules, lists, readings and explanations give the same."""
    now, world = datetime.now(UTC), part.world
    plant(world)
    for ask in part.asks:
        wrong = compare.lists(world, ask.who, now) + compare.decisions(world, ask.who, ask.action, now)
        wrong += compare.reads(world, ask.who, part.asset, now)
        assert wrong + compare.explained(world, ask.who, ask.action, part.asset, now) == []
        if ask.version is not None:
            assert assets.read_asset(caller(ask.who), part.asset.id).version == ask.version
    for who, _ in part.held:
        assert compare.reads(world, who, part.asset, now) == []


def body(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.json().items() if name != "request_id"}


@pytest.mark.django_db
@each
def test_rest(part: spot.Part) -> None:
    """T001, T010: over REST what may not be read is answered as an id that does not exist."""
    texts = plant(part.world)
    now = datetime.now(UTC)
    for ask, text in zip(part.asks, texts, strict=True):
        client = APIClient(HTTP_AUTHORIZATION=f"Bearer {text}")
        allowed = oracle.decide(part.world, ask.who, things.READ, part.asset, now)[0]
        for route in ("/api/v1/assets/{}", "/api/v1/assets/{}/nodes"):
            answer = client.get(route.format(ids.public("asset", part.asset.id)))
            nothing = client.get(route.format(ids.public("asset", uuid4())))
            assert nothing.status_code == 404
            assert answer.status_code == (200 if allowed else 404)
            assert allowed or body(answer) == body(nothing)
        listed = client.get("/api/v1/assets").json()["items"]
        assert len(listed) == int(allowed)


def remembered(who: Principal) -> Any:
    return ids.parse("asset", memories.remember(who, text="the lantern stands in the hall")["asset"])


@pytest.mark.django_db
def test_written_authority_through_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """T001: cases 3, 4 and 5 with memory that the service itself wrote."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")
    world = World.build()
    own = world.principal(world.scout)
    for_alice = world.principal(world.scout, user=world.alice.id)
    for_bob = world.principal(world.scout, user=world.bob.id)
    builder = world.principal(world.builder)
    by_itself, for_her = remembered(own), remembered(for_alice)
    for who, asset in ((own, by_itself), (for_alice, for_her)):
        assert assets.read_asset(who, asset).actions == ("read", "change")
    refused = [
        (builder, by_itself),
        (builder, for_her),
        (for_alice, by_itself),
        (for_bob, by_itself),
        (for_bob, for_her),
        (own, for_her),
    ]
    for who, asset in refused:
        with pytest.raises(Missing):
            assets.read_asset(who, asset)
