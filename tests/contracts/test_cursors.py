"""Pages lose and repeat nothing, whatever is equal and whatever changes between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from assets import scope
from assets.models import Asset, Binding, Node
from assets.services import assets, bindings, denials, memories
from hub import ids
from hub.models import Token
from tests.contracts.calls import call
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
COUNT = 500
TAG = "pond"


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def pages(
    token: str, address: str, between: Callable[[int, list[str]], None] | None = None, limit: int = 37
) -> list[str]:
    """The ids of all pages in order; `between` acts after each page."""
    found: list[str] = []
    cursor, number = "", 0
    mark = "&" if "?" in address else "?"
    while True:
        more = f"&cursor={cursor}" if cursor else ""
        answer = call("GET", f"{address}{mark}limit={limit}{more}", token)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        found += [row["id"] for row in page["items"]]
        if page["next_cursor"] is None:
            return found
        assert len(page["items"]) == limit
        cursor, number = page["next_cursor"], number + 1
        if between is not None:
            between(number, found)


def many_nodes(world: World) -> UUID:
    """An asset of the team with COUNT nodes, all recorded at the same moment."""
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="pond", visibility="team").id
    for _ in range(2):
        messages = [{"speaker": "a", "content": f"heron {n}"} for n in range(COUNT // 2)]
        memories.remember(alice, messages=messages, asset=asset, tags=[TAG])
    with scope.tending(world.team.id, asset):
        assert Node.rows.filter(asset_id=asset).update(recorded_at=timezone.now()) >= COUNT
    return asset


def many_assets(world: World, count: int = COUNT) -> list[UUID]:
    """Assets of the team, all made at the same moment."""
    alice = world.principal(world.alice)
    made = [
        assets.create_asset(alice, name=f"pond {n}", visibility="team", labels=[TAG]).id for n in range(count)
    ]
    with scope.browsing(alice):
        Asset.rows.filter(id__in=made).update(created_at=timezone.now())
    return made


def test_pages_of_equal_moments_lose_and_repeat_nothing(world: World) -> None:
    bob = world.token(world.bob)
    asset = ids.public("asset", many_nodes(world))
    for address in (f"assets/{asset}/nodes", f"assets/{asset}/nodes?tag={TAG}", f"nodes?tag={TAG}"):
        found = pages(bob, address)
        assert len(found) == len(set(found)) == COUNT, address
    made = {ids.public("asset", one) for one in many_assets(world)}
    for address in ("assets", f"assets?label={TAG}"):
        found = pages(bob, address)
        assert len(found) == len(set(found)), address
        assert set(found) - {asset} == made


def test_what_stays_visible_appears_once_while_rights_change(world: World) -> None:
    """Between the pages Bob is refused some assets and others become private; new ones come."""
    alice, bob = world.principal(world.alice), world.token(world.bob)
    made = many_assets(world, 120)
    gone: set[str] = set()
    came: set[str] = set()
    shown_before: dict[int, set[str]] = {}

    def shift(number: int, found: list[str]) -> None:
        left = [one for one in made if ids.public("asset", one) not in gone]
        for row in (left[number], left[-number]):
            if number % 2:
                denials.deny(alice, asset=row, to=("user", world.bob.id), reason="r")
            else:
                with scope.browsing(alice):
                    Asset.rows.filter(id=row).update(visibility="private")
            gone.add(ids.public("asset", row))
        came.add(ids.public("asset", assets.create_asset(alice, name=f"new {number}", visibility="team").id))
        shown_before[number] = set(found) | gone

    found = pages(bob, "assets", shift, limit=11)
    assert len(found) == len(set(found))
    stayed = {ids.public("asset", one) for one in made} - gone
    assert stayed <= set(found)
    for number, known in shown_before.items():
        after = set(found[number * 11 :])
        assert not after & (known & set(found[: number * 11]))  # none twice
    hidden_first = {one for one in gone if one not in found}
    assert hidden_first  # some were hidden before their page came
    assert len(gone) >= 10
    last = {row["id"] for row in call("GET", "assets?limit=200", bob).json()["items"]}
    assert not last & gone


def test_an_agent_unbound_between_pages_sees_no_more(world: World) -> None:
    asset = many_nodes(world)
    alice = world.principal(world.alice)
    made = bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r", follow="head")
    token, address = world.token(world.scout), f"assets/{ids.public('asset', asset)}/nodes"
    by_tag = call("GET", f"nodes?tag={TAG}&limit=50", token).json()
    in_tree = call("GET", f"{address}?limit=50", token).json()
    assert len(by_tag["items"]) == len(in_tree["items"]) == 50
    bindings.unbind(alice, ids.parse("binding", made["id"]) or asset)
    after = call("GET", f"nodes?tag={TAG}&cursor={by_tag['next_cursor']}", token)
    assert (after.status_code, after.json()["items"], after.json()["next_cursor"]) == (200, [], None)
    assert call("GET", f"{address}?cursor={in_tree['next_cursor']}", token).status_code == 404
    assert not Binding.objects.filter(agent_id=world.scout.pk).exists()


def test_a_cursor_opens_nothing_for_another(world: World) -> None:
    many_assets(world, 12)
    own = ids.public("asset", assets.create_asset(world.principal(world.charlie), name="mine").id)
    cursor = call("GET", "assets?limit=5", world.token(world.bob)).json()["next_cursor"]
    for who in (world.charlie, world.builder, world.scout):
        found = call("GET", f"assets?cursor={cursor}", world.token(who))
        assert found.status_code == 200
        assert {row["id"] for row in found.json()["items"]} <= {own}


@pytest.mark.parametrize("address", ["assets", f"nodes?tag={TAG}", "tokens", "assets/{asset}/nodes"])
def test_a_cursor_that_we_did_not_write_is_refused(world: World, address: str) -> None:
    alice = world.token(world.alice)
    asset = ids.public("asset", many_assets(world, 3)[0])
    address = address.format(asset=asset)
    real = call("GET", "assets?limit=1", alice).json()["next_cursor"]
    moment = timezone.now().isoformat()
    places: list[Any] = [{}, [], [1, 2], ["x", "y"], [moment, 7], None, 3]
    forged = [
        "x", "x:y:z", "%00", "{}", real[:-1] + ("A" if real[-1] != "A" else "B"), real.replace(":", ""),
        signing.dumps([moment, "0" * 32]), signing.dumps([moment, "0" * 32], salt="cursor"),
        *(signing.dumps(place, salt=f"cursor:{name}") for name in ("", "nodes", "tokens", "path")
          for place in places),
    ]  # fmt: skip
    if address != "assets":
        forged.append(real)
    mark = "&" if "?" in address else "?"
    for text in forged:
        answer = call("GET", f"{address}{mark}cursor={text}", alice)
        assert answer.status_code == 400, (text, answer.content)
        assert set(answer.json()["fields"]) == {"cursor"}


def test_tokens_have_next_pages(world: World) -> None:
    token = world.token(world.alice)
    for _ in range(60):
        world.token(world.alice)
    for _ in range(20):
        world.token(world.scout)  # in her care
    world.token(world.bob)
    Token.objects.update(created_at=timezone.now())
    found = pages(token, "tokens", limit=20)
    assert len(found) == len(set(found)) == 81


def test_the_audit_page_has_next_pages(world: World, client: Client) -> None:
    token = world.token(world.alice)
    for _ in range(130):
        call("GET", "me", token)
    client.force_login(world.admin, backend="hub.authn.signin.PeopleBackend")
    first = client.get("/audit?action=me.read")
    assert len(first.context["events"]) == 100
    second = client.get(f"/audit?action=me.read&cursor={first.context['next_cursor']}")
    assert len(second.context["events"]) == 30
    assert second.context["next_cursor"] is None
    seen = {row["id"] for page in (first, second) for row in page.context["events"]}
    assert len(seen) == 130
    assert client.get("/audit?cursor=forged").status_code == 404


def test_labels_and_tags_must_all_hold(world: World) -> None:
    alice, token = world.principal(world.alice), world.token(world.alice)
    for name, labels in (("both", ["Red", "blue"]), ("one", ["Red"]), ("none", [])):
        assets.create_asset(alice, name=name, labels=labels)

    def names(query: str) -> set[str]:
        return {row["name"] for row in call("GET", f"assets?{query}", token).json()["items"]}

    assert names("label=Red") == {"both", "one"}
    assert names("label=Red&label=blue") == {"both"}
    assert names("label=Red&kind=wiki") == set()
    assert names("label=red' or 1=1") == set()
    row = assets.create_asset(alice, name="tagged").id
    memories.remember(alice, text="one", asset=row, tags=["a", "b"])
    memories.remember(alice, text="two", asset=row, tags=["a"])
    assert names("tag=a") == names("tag=a&tag=b") == {"tagged"}
    assert names("tag=c") == set()
    address = f"assets/{ids.public('asset', row)}/nodes"

    def texts(query: str) -> set[str]:
        return {one["text"] for one in call("GET", query, token).json()["items"]} - {""}

    assert texts(f"{address}?tag=a") == texts("nodes?tag=a") == {"one", "two"}
    assert texts(f"{address}?tag=a&tag=b") == texts("nodes?tag=a&tag=b") == {"one"}
    assert call("GET", "nodes", token).status_code == 400
    bob = world.token(world.bob)
    assert call("GET", "nodes?tag=a", bob).json()["items"] == []
    assert call("GET", "assets?tag=a", bob).json()["items"] == []
