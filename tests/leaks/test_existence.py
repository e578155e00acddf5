"""Nothing tells that a hidden thing exists: not a name, a number, a page's end, or a statistic."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from assets import scope
from assets.models import Edge
from assets.services import assets, bindings, memories
from hub import ids
from hub.models import User
from tests.leaks import timing
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
COUNTED = {"request_id", "retrieval"}


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores by words alone are the same at every asking."""
    monkeypatch.setenv("HUB_EMBEDDER", "none")


def call(client: Client, token: str, method: str, address: str, body: Any = None) -> tuple[int, Any]:
    answer = client.generic(
        method, f"/api/v1/{address}", data=b"" if body is None else json.dumps(body),
        content_type="application/json", headers={"Authorization": f"Bearer {token}", "If-Match": "*"},
    )  # fmt: skip
    found = answer.json() if answer.content else None
    return answer.status_code, bare(found)


def bare(value: Any) -> Any:
    """Without what differs at every request: its ids, times of computing, the seal of a cursor."""
    if isinstance(value, dict):
        value = {key: bool(one) if key == "next_cursor" else one for key, one in value.items()}
        return {
            key: bare(one) for key, one in value.items() if key not in COUNTED and not key.endswith("_ms")
        }
    if isinstance(value, float):
        return round(value, 3)  # a weight falls from one moment to the next
    return [bare(one) for one in value] if isinstance(value, list) else value


def hide(world: World, name: str, text: str, who: User | None = None) -> None:
    """A private asset with a memory."""
    owner = world.principal(who or world.alice)
    asset = assets.create_asset(owner, name=name, title=f"Title of {name}").id
    memories.remember(owner, text=text, asset=asset)


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_totals_ends_of_pages_and_scores_stay(world: World, client: Client, who: str) -> None:
    """T008: lists, counts, cursors, and the frequencies that scores are made of, with no hidden
    match and with many.
    """
    asker = getattr(world, who)
    mine, token = world.principal(asker), world.token(asker)
    for number in range(3):
        made = assets.create_asset(mine, name=f"note {number}").id
        memories.remember(mine, text=f"The lantern number {number} stands by the harbour.", asset=made)

    def seen() -> list[tuple[int, Any]]:
        return [
            call(client, token, "GET", "assets"),
            call(client, token, "GET", "assets?limit=2"),
            call(client, token, "GET", "assets?limit=3"),
            call(client, token, "GET", "bindings"),
            call(client, token, "GET", "loadouts"),
            call(client, token, "POST", "retrieve", {"query": "lantern harbour", "trace": True}),
            call(client, token, "POST", "retrieve", {"query": "walrus"}),
        ]

    before = seen()
    assert before[0][0] == before[5][0] == 200
    assert len(before[0][1]["items"]) == 3
    for number in range(12):
        hide(world, f"hidden {number}", "The lantern lantern harbour walrus.")
    assert seen() == before


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_the_name_of_a_hidden_asset_is_free(world: World, client: Client, who: str) -> None:
    """T010: the same name, title and content as a hidden one: made, without a hint of a twin."""
    hide(world, "diary", "The heron stands in the reeds.")
    token = world.token(getattr(world, who))
    body = {"name": "diary", "title": "Title of diary", "kind": "chat_memory"}
    status, made = call(client, token, "POST", "assets", body)
    assert status == 201
    told = [call(client, token, "POST", "remember", {"text": text, "asset": made["id"]})
            for text in ("The heron stands in the reeds.", "Something that nobody has written.")]  # fmt: skip
    assert [status for status, _ in told] == [201, 201]
    assert [(one["action"], one["because"]) for _, one in told] == [("created", "a new text")] * 2
    assert call(client, token, "POST", "assets", body)[0] == 409  # one's own name is told


def test_a_loadout_draft_takes_a_hidden_asset_for_none(world: World, client: Client) -> None:
    """T004: an item that names a hidden asset answers as one that names nothing; nothing is kept."""
    alice = world.principal(world.alice)
    hidden = ids.public("asset", assets.create_asset(alice, name="diary").id)
    token = world.token(world.admin)
    for address in ("loadouts/base", "loadouts/base/preview"):
        method = "POST" if address.endswith("preview") else "PUT"
        answers = [
            call(client, token, method, address, {"items": [{"asset": name}], "reason": "r"})
            for name in (hidden, ids.public("asset", uuid4()))
        ]
        assert answers[0] == answers[1]
        assert answers[0][0] == 400
    assert call(client, token, "GET", "loadouts/base")[1]["items"] == []


def test_an_edge_to_a_hidden_node_is_not_there(world: World, client: Client) -> None:
    """T021: what is read of a node, and found around it, is the same with a hidden neighbour."""
    alice = world.principal(world.alice)
    shared = assets.create_asset(alice, name="shared", visibility="team").id
    node = memories.remember(alice, text="The lantern stands by the harbour.", asset=shared)["node"]
    token = world.token(world.bob)

    def seen() -> list[tuple[int, Any]]:
        return [
            call(client, token, "GET", f"nodes/{node}"),
            call(client, token, "GET", f"assets/{ids.public('asset', shared)}/nodes"),
            call(client, token, "POST", "retrieve", {"query": "lantern", "trace": True}),
        ]

    before = seen()
    assert [status for status, _ in before] == [200, 200, 200]
    private = assets.create_asset(alice, name="diary").id
    other = memories.remember(alice, text="The lantern of the diary.", asset=private)["node"]
    ends = ids.parse("node", node), ids.parse("node", other)
    assert ends[0] is not None
    assert ends[1] is not None
    with scope.tending(world.team.id, shared):  # an edge lies with the asset that it starts from
        Edge(
            team_id=world.team.id, asset_id=shared, source_ident=ends[0],
            target_asset_id=private, target_ident=ends[1], kind="refers_to",
            recorded_at=timezone.now(),
        ).save(force_insert=True)  # fmt: skip
    assert seen() == before


def test_of_an_agent_only_its_carer_learns_what_it_carries(world: World, client: Client) -> None:
    """T009: ends of pages of loadouts and bindings do not move for who may not read the asset."""
    alice = world.principal(world.alice)
    private = assets.create_asset(alice, name="diary").id
    token, agent = world.token(world.bob), ids.public("agent", world.scout.pk)

    def seen() -> list[tuple[int, Any]]:
        return [
            call(client, token, "GET", address)
            for address in ("bindings", f"loadouts/{agent}", f"loadouts/{agent}/versions", "loadouts?limit=1")
        ]

    before = seen()
    assert before[1][0] == 200
    bindings.bind(alice, asset=private, agent=world.scout.pk, reason="private")
    assert seen() == before


def test_the_measure_of_time_can_tell() -> None:
    """T018: by command; here only that the comparison sees a difference and sees none."""
    same, later = [float(number % 97) for number in range(400)], [number % 97 + 30.0 for number in range(400)]
    assert timing.mann_whitney(same, same[1:]) > 0.5
    assert timing.mann_whitney(same, later) < 0.001
