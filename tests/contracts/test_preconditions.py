"""T103: a change names the state that it is meant for, and of two writers one is told."""

from __future__ import annotations

from typing import Any

import pytest

from assets.services import assets, bindings, memories
from hub import etags, ids
from hub.api.base import CHANGES, OneView
from hub.models import AuditEvent
from tests.contracts import routes
from tests.contracts.calls import at_once, call
from tests.contracts.test_access_matrix import Scene, patterns
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def change(token: str, address: str, body: Any, tag: str | None) -> Any:
    headers = {} if tag is None else {"If-Match": tag}
    return call("PATCH", address, token, body, **headers)


@pytest.fixture
def asset(world: World) -> str:
    return ids.public("asset", assets.create_asset(world.principal(world.alice), name="notes").id)


def test_two_writers_with_one_tag_are_one_change_and_one_refusal(world: World, asset: str) -> None:
    token = world.token(world.alice)
    for attempt in range(5):
        tag = call("GET", f"assets/{asset}", token)["ETag"]
        titles = [{"title": f"{attempt}-{number}"} for number in range(2)]

        def write(number: int, tag: str = tag, titles: list[dict[str, str]] = titles) -> Any:
            return change(token, f"assets/{asset}", titles[number], tag)

        answers = at_once(2, write)
        assert sorted(one.status_code for one in answers) == [200, 412]
        done, late = sorted(answers, key=lambda one: one.status_code)
        assert late.json()["code"] == "stale"
        now = call("GET", f"assets/{asset}", token)
        assert now.json()["title"] == done.json()["title"]
        assert late["ETag"] == done["ETag"] == now["ETag"] != tag
    assert (
        AuditEvent.objects.filter(team=world.team.id, action="asset.change", outcome="allowed").count() == 5
    )


def test_without_a_tag_nothing_is_looked_up(world: World, asset: str) -> None:
    token, stranger = world.token(world.alice), world.token(world.charlie)
    for who in (token, stranger):
        answer = change(who, f"assets/{asset}", {"title": "x"}, None)
        assert (answer.status_code, answer.json()["code"]) == (428, "precondition_required")
    assert call("GET", f"assets/{asset}", token).json()["title"] == ""


@pytest.mark.parametrize("tag", ['"another"', "nonsense", 'W/"{tag}"', '"", "x"'])
def test_a_tag_that_is_not_the_state_changes_nothing(world: World, asset: str, tag: str) -> None:
    token = world.token(world.alice)
    present = call("GET", f"assets/{asset}", token)["ETag"]
    answer = change(token, f"assets/{asset}", {"title": "x"}, tag.format(tag=present.strip('"')))
    assert answer.status_code == 412
    assert answer["ETag"] == present
    assert call("GET", f"assets/{asset}", token)["ETag"] == present
    assert change(token, f"assets/{asset}", {"title": "x"}, f'"other", {present}').status_code == 200
    assert change(token, f"assets/{asset}", {"title": "y"}, "*").status_code == 200


def test_a_known_state_is_not_sent_again(world: World, asset: str) -> None:
    token = world.token(world.alice)
    tag = call("GET", f"assets/{asset}", token)["ETag"]
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        answer = call("GET", f"assets/{asset}", token, **{"If-None-Match": known})
        assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)
    memories.remember(
        world.principal(world.alice), text="the heron", asset=ids.parse("asset", asset) or "mine"
    )
    again = call("GET", f"assets/{asset}", token, **{"If-None-Match": tag})
    assert again.status_code == 200
    assert again["ETag"] != tag


def test_a_tag_does_not_move_with_what_its_reader_may_not_see(world: World) -> None:
    """A grant to Carol, a denial and a binding are Alice's to know, and not Bob's."""
    alice = world.principal(world.alice)
    row = assets.create_asset(alice, name="shared", visibility="team").id
    address, bob = f"assets/{ids.public('asset', row)}", world.token(world.bob)
    before = call("GET", address, bob)["ETag"]
    scene_grant = {"to": ids.public("user", world.carol.id), "level": "change", "reason": "r"}
    assert call("POST", f"{address}/grants", world.token(world.alice), scene_grant).status_code == 201
    bindings.bind(alice, asset=row, agent=world.scout.pk, reason="r")
    assert call("GET", address, bob)["ETag"] == before


def test_every_route_that_changes_one_thing_asks_for_its_state(world: World) -> None:
    """428 without, 412 for another, and 2xx for the tag of GET, for each that the owner or admin may do."""
    scene = Scene(world)
    tokens = {"owner": scene.token("owner"), "admin": scene.token("admin")}
    tried = set()
    for route in sorted(routes.API, key=lambda one: one.method == "DELETE"):
        if route.method not in CHANGES:
            continue
        named = dict(route.named)
        who = next(one for one in ("owner", "admin") if named.get(one, route.others) < 300)
        address, body, token = scene.fill(route.address), scene.fill(route.body), tokens[who]
        assert call(route.method, address, token, body).status_code == 428, route
        shown = call("GET", address.partition("?")[0], token)
        assert shown.status_code == 200, route
        stale = call(route.method, address, token, body, **{"If-Match": '"0"'})
        assert (stale.status_code, stale["ETag"]) == (412, shown["ETag"]), route
        done = call(route.method, address, token, body, **{"If-Match": shown["ETag"]})
        assert done.status_code == named.get(who, route.others), route
        tried.add(route.address)
    assert len(tried) >= 7


# Its 412 carries both states, what stands and what was sent; the test above covers it too.
OWN_CHECK = {"api/v1/loadouts/<str:holder>"}


def test_every_view_that_changes_one_thing_is_of_this_kind() -> None:
    wrong = [
        address
        for address, view in patterns()
        if address.startswith("api/")
        and address not in OWN_CHECK
        and any(hasattr(view.cls, method.lower()) for method in CHANGES)
        and not issubclass(view.cls, OneView)
    ]
    assert wrong == []


def test_a_change_of_what_may_only_be_read_is_forbidden_and_recorded(world: World) -> None:
    row = assets.create_asset(world.principal(world.alice), name="shared", visibility="team").id
    address, bob = f"assets/{ids.public('asset', row)}", world.token(world.bob)
    tag = call("GET", address, bob)["ETag"]
    assert change(bob, address, {"title": "his"}, tag).status_code == 403
    refused = AuditEvent.objects.filter(action="asset.change", outcome="refused", actor_user=world.bob.id)
    assert refused.count() == 1


def test_what_can_be_changed_of_an_asset(world: World, asset: str) -> None:
    token = world.token(world.alice)
    body = {
        "name": "field notes", "title": "Field notes", "description": "of the pond",
        "labels": [" Birds ", "BIRDS", "ﬁsh", "Pond"],
    }  # fmt: skip
    shown = change(token, f"assets/{asset}", body, "*").json()
    assert shown["labels"] == ["Birds", "fish", "Pond"]
    assert (shown["name"], shown["title"], shown["description"]) == (
        "field notes",
        "Field notes",
        "of the pond",
    )
    assert change(token, f"assets/{asset}", {"labels": []}, "*").json()["title"] == "Field notes"
    assets.create_asset(world.principal(world.alice), name="taken")
    for wrong, status in (
        ({"name": "taken"}, 409), ({"name": " "}, 400), ({"labels": [" "]}, 400), ({"kind": "wiki"}, 400),
        ({"labels": [str(n) for n in range(21)]}, 400), ({"labels": ["x" * 61]}, 400), ({"visibility": "team"}, 400),
    ):  # fmt: skip
        assert change(token, f"assets/{asset}", wrong, "*").status_code == status, wrong


def test_tags_compare_as_http_says() -> None:
    tag = etags.of({"a": 1})
    assert etags.matches("*", tag)
    assert etags.matches(f' "x" , {tag}', tag)
    assert not etags.matches(f"W/{tag}", tag)
    assert etags.matches(f"W/{tag}", tag, weakly=True)
    assert not etags.matches(tag.strip('"'), tag)
    assert etags.of({"b": 1, "a": 2}) == etags.of({"a": 2, "b": 1}) != etags.of({"a": 2})
