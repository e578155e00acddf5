"""Admins equip roles and agents: drafts, previews, versions, and nothing of what is hidden."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from assets.services import assets, bindings, grants, loadout_previews, loadouts, memories, packs
from assets.services.loadouts import Stale
from hub import ids
from hub.authn.principal import Principal
from hub.models import LoadoutVersion
from hub.problems import Forbidden, Invalid, Missing
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def made(who: Principal, name: str, visibility: str = "team", text: str = "the heron sleeps") -> UUID:
    asset = assets.create_asset(who, name=name, visibility=visibility).id
    memories.remember(who, text=text, asset=asset)
    return asset


def item(asset: UUID, **terms: Any) -> dict[str, Any]:
    return {"asset": ids.public("asset", asset), **terms}


def role(world: World, name: str) -> str:
    return ids.public("role", world.roles[name].id)


def saved(who: Principal, holder: str, items: list[dict[str, Any]], reason: str = "work") -> dict[str, Any]:
    etag = loadouts.read_loadout(who, holder)["etag"]
    return loadouts.save(who, holder=holder, items=items, etag=etag, reason=reason)


def test_a_saved_loadout_reaches_the_agents_of_the_role(world: World) -> None:
    admin, builder = world.principal(world.admin), world.principal(world.builder)
    asset = made(world.principal(world.alice), "runbook")
    with pytest.raises(Missing):
        assets.read_asset(builder, asset)
    found = saved(admin, role(world, "builder"), [item(asset, mode="always")])
    assert [one["mode"] for one in found["items"]] == ["always"]
    assert assets.read_asset(builder, asset).id == asset
    with pytest.raises(Missing):
        assets.read_asset(world.principal(world.scout), asset)


def test_a_stale_save_gets_both_versions_and_changes_nothing(world: World) -> None:
    admin, alice = world.principal(world.admin), world.principal(world.alice)
    holder = role(world, "builder")
    first, second = made(alice, "one"), made(alice, "two")
    etag = loadouts.read_loadout(admin, holder)["etag"]
    loadouts.save(admin, holder=holder, items=[item(first)], etag=etag, reason="first")
    with pytest.raises(Stale) as caught:
        loadouts.save(admin, holder=holder, items=[item(second)], etag=etag, reason="second")
    assert [one["asset"] for one in caught.value.current["items"]] == [ids.public("asset", first)]
    assert [one["asset"] for one in caught.value.yours] == [ids.public("asset", second)]
    assert len(loadouts.list_versions(admin, holder).items) == 1


def test_sixty_bindings_edited_one_by_one_all_survive(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    holder = role(world, "builder")
    many = [assets.create_asset(alice, name=f"a{number}", visibility="team").id for number in range(60)]
    for asset in many:
        bindings.bind(alice, asset=asset, role=world.roles["builder"].id, reason="work")
    for place in range(60):
        items = [
            {name: one[name] for name in ("asset", "mode", "access", "priority")}
            for one in loadouts.read_loadout(admin, holder)["items"]
        ]
        items[place]["priority"] = 51
        saved(admin, holder, items)
    found = loadouts.read_loadout(admin, holder)["items"]
    assert {one["asset"] for one in found} == {ids.public("asset", one) for one in many}
    assert {one["priority"] for one in found} == {51}


def test_what_an_admin_may_not_see_is_neither_shown_nor_lost(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    holder = role(world, "builder")
    hidden, shown = made(alice, "secret plans", "agent"), made(alice, "runbook")
    before = loadouts.read_loadout(admin, holder)["etag"]
    bindings.bind(alice, asset=hidden, role=world.roles["builder"].id, reason="quiet")
    assert loadouts.read_loadout(admin, holder)["etag"] == before
    assert loadouts.list_versions(admin, holder).items == ()
    saved(admin, holder, [item(shown)])
    saved(admin, holder, [])
    told = str([loadouts.list_versions(admin, holder).items, loadouts.list_loadouts(admin).items])
    assert ids.public("asset", hidden) not in told
    assert "quiet" not in told
    assert [one["number"] for one in loadouts.list_versions(admin, holder).items] == [2, 1]
    assert assets.read_asset(world.principal(world.builder), hidden).id == hidden
    assert len(loadouts.list_versions(alice, holder).items) == 3
    assert LoadoutVersion.objects.filter(loadout__role=world.roles["builder"]).count() == 3


def test_each_item_that_cannot_stand_is_named_and_nothing_is_half_applied(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    holder = role(world, "builder")
    good, hidden = made(alice, "runbook"), made(alice, "diary", "private")
    restricted = made(alice, "sweep", "restricted")
    grants.grant(alice, asset=restricted, to=("user", world.admin.id), level="read")
    draft = [item(good), item(hidden), item(restricted), item(UUID(int=7)), item(good, mode="loud")]
    with pytest.raises(Invalid) as caught:
        saved(admin, holder, draft[:4])
    hides, missing = caught.value.fields["items.1.asset"], caught.value.fields["items.3.asset"]
    assert hides == missing
    assert "manage" in caught.value.fields["items.2.asset"]
    assert set(caught.value.fields) == {"items.1.asset", "items.2.asset", "items.3.asset"}
    with pytest.raises(Invalid) as caught:
        saved(admin, holder, draft)
    assert {"items.4.mode", "items.4.asset"} <= set(caught.value.fields)
    assert loadouts.read_loadout(admin, holder)["items"] == []


def test_only_admins_edit_roles_and_only_those_in_charge_an_agent(world: World) -> None:
    alice, bob = world.principal(world.alice), world.principal(world.bob)
    asset = made(alice, "runbook")
    with pytest.raises(Forbidden):
        saved(alice, role(world, "builder"), [item(asset)])
    agent = ids.public("agent", world.builder.pk)
    with pytest.raises(Missing):
        saved(bob, agent, [])
    saved(alice, agent, [item(asset)])
    with pytest.raises(Missing):
        loadouts.read_loadout(world.principal(world.charlie), agent)
    with pytest.raises(Missing):
        loadouts.read_loadout(world.principal(world.scout), agent)


def test_versions_differ_and_lead_back(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    holder = role(world, "builder")
    one, two = made(alice, "one"), made(alice, "two")
    saved(admin, holder, [item(one)], "first")
    saved(admin, holder, [item(one, pin=1), item(two)], "second")
    newest, oldest = loadouts.list_versions(admin, holder).items
    assert (newest["reason"], oldest["reason"]) == ("second", "first")
    old, new = (ids.parse("version", row["id"]) or UUID(int=0) for row in (oldest, newest))
    found = loadouts.diff(admin, holder, old=old, new=new)
    assert [row["asset"] for row in found["added"]] == [ids.public("asset", two)]
    assert [row["after"]["pin"] for row in found["changed"]] == [1]
    etag = loadouts.read_loadout(admin, holder)["etag"]
    back = loadouts.roll_back(admin, holder=holder, version=old, etag=etag, reason="back")
    assert [(row["asset"], row["pin"]) for row in back["items"]] == [(ids.public("asset", one), None)]
    assert [row["reason"] for row in loadouts.list_versions(admin, holder).items] == [
        "back",
        "second",
        "first",
    ]


def test_out_and_in_as_json_changes_nothing(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    asset = made(alice, "one")
    saved(admin, role(world, "builder"), [item(asset, share=0.5, mode="always")])
    document = loadouts.export_loadout(admin, role(world, "builder"))
    etag = loadouts.read_loadout(admin, role(world, "scout"))["etag"]
    loadouts.import_loadout(
        admin, holder=role(world, "scout"), document=document, etag=etag, reason="the same as Builder"
    )
    copy = loadouts.export_loadout(admin, role(world, "scout"))
    assert copy["items"] == document["items"]
    with pytest.raises(Invalid):
        loadouts.import_loadout(
            admin, holder=role(world, "scout"), document={"format": "x"}, etag="", reason="r"
        )


def test_the_preview_tells_effect_tokens_and_what_stops_a_binding(world: World) -> None:
    alice, admin = world.principal(world.alice), world.principal(world.admin)
    holder = role(world, "builder")
    runbook = made(alice, "runbook", text="x" * 400)
    sweep = made(alice, "sweep", "restricted")
    grants.grant(alice, asset=sweep, to=("user", world.admin.id), level="manage")
    draft = [item(runbook, mode="always"), item(sweep, access="write")]
    found = loadout_previews.preview(admin, holder=holder, items=draft)["agents"]
    assert [one["name"] for one in found] == ["builder-1"]
    assert found[0]["gained"] == [ids.public("asset", runbook)]
    assert (found[0]["nodes_gained"], found[0]["nodes_lost"]) == (1, 0)
    assert found[0]["tokens"] == {"before": 0, "after": 100, "budget": 8000, "over": 0}
    assert [(one["asset"], one["rule"]) for one in found[0]["without_effect"]] == [
        (ids.public("asset", sweep), "visibility and grants")
    ]
    assert loadouts.read_loadout(admin, holder)["items"] == []
    saved(admin, holder, draft)
    back = loadout_previews.preview(admin, holder=holder, items=[])["agents"][0]
    assert back["lost"] == [ids.public("asset", runbook)]
    assert (back["nodes_gained"], back["nodes_lost"]) == (0, 1)


def test_the_pack_holds_the_always_part_and_keeps_its_etag(world: World) -> None:
    alice, admin, builder = (world.principal(one) for one in (world.alice, world.admin, world.builder))
    always, other = made(alice, "one", text="the heron rests"), made(alice, "two", text="the crane flies")
    assert packs.read_pack(builder).context == packs.NOTHING
    saved(admin, role(world, "builder"), [item(always, mode="always"), item(other)])
    pack = packs.read_pack(builder)
    assert "> the heron rests" in pack.context
    assert "crane" not in pack.context
    assert packs.read_pack(builder) == pack
    memories.remember(alice, text="and wakes at nine", asset=always)
    assert packs.read_pack(builder).etag != pack.etag
    etag = loadouts.read_loadout(admin, role(world, "builder"))["etag"]
    loadouts.save(
        admin, holder=role(world, "builder"), items=[item(always, mode="always")], etag=etag,
        reason="less", budget_tokens=100,
    )  # fmt: skip
    memories.remember(alice, text="a long tale of birds " * 100, asset=always)
    small = packs.read_pack(builder)
    assert small.budget == 100
    assert small.tokens <= 100
