"""The preview of a draft is what happens after saving it: the same rules, asked before and after."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test import Client

from assets import access, scope
from assets.models import Binding
from assets.services import assets, bindings, loadout_previews, loadouts, packs
from assets.services import loadout_drafts as drafts
from hub import ids
from hub.authn.principal import Principal
from hub.models import Agent, LoadoutVersion
from hub.problems import Problem
from hub.services import loadouts as holders
from tests.leaks import plant, things, worlds
from tests.world import World

# 150 drafts; HUB_TEST_SEEDS=10 for 500.
SAMPLES, SEEDS = 50, range(200, 200 + int(os.environ.get("HUB_TEST_SEEDS", "3")))
NODES = "select t.node from {assets} join assets_nodetext t on t.asset = s.asset where t.team = %(team)s::uuid and {visible}"


def state(admin: Principal, agent: Agent) -> dict[str, Any]:
    """What the agent may read and change and what its always part takes, as far as the asker knows."""
    who = loadout_previews.as_agent(admin, agent)
    outer = scope.resolve(admin)
    reads = scope.resolve(who, within=outer)
    nodes = {row["node"] for row in reads.fetch(NODES)}
    tokens = packs.size(reads, agent.pk)
    changes = scope.resolve(who, "change", within=outer)
    return {"reads": named(reads), "changes": named(changes), "nodes": nodes, "tokens": tokens}


def named(found: scope.Scope) -> set[str]:
    return {ids.public("asset", UUID(one)) for one in found.assets.strip("{}").split(",") if one}


def edited(draw: Random, admin: Principal, holder: holders.Holder, world: things.World) -> list[Any]:
    """The present items, some taken out, some with other terms, some added."""
    with scope.browsing(admin):
        seen = drafts.readable(admin)
        now = [one.entry() for one in drafts.current(holder, seen=seen)]
        mine = named(scope.resolve(admin, "manage"))
    if draw.random() < 0.1:  # and now and then what is not theirs to bind
        mine |= {ids.public("asset", one) for one in seen}
    kept = [one for one in now if one["asset"] not in mine or draw.random() < 0.8]
    here = [a for a in world.assets.values() if a.team == admin.team and ids.public("asset", a.id) in mine]
    added = draw.sample(here, min(len(here), draw.randint(0, 4)))
    items = kept + [
        {"asset": ids.public("asset", a.id)}
        for a in added
        if ids.public("asset", a.id) not in {one["asset"] for one in now}
    ]
    for one in items:
        if one["asset"] in mine and draw.random() < 0.4:
            one |= {
                "access": draw.choice(("read", "write")), "mode": draw.choice(("always", "retrieve")),
                "pin": draw.choice((None, 1, 2)), "follow": draw.choice(("approved", "head")),
            }  # fmt: skip
    return items


def bound(who: Principal) -> list[Any]:
    with scope.browsing(who):
        return list(Binding.objects.order_by("id").values())


def stopped(who: Principal, items: list[Any]) -> set[tuple[str, str, str]]:
    found = set()
    for one in items:
        for action in ("read", "change") if one.get("access") == "write" else ("read",):
            results = scope.decide(who, action, ids.parse("asset", one["asset"]) or UUID(int=0)) or []
            failed = [rule.name for rule, (ok, _) in zip(access.RULES, results, strict=True) if not ok]
            if failed:
                found.add((one["asset"], action, failed[0]))
                break
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_preview_equals_what_happens_after_saving(seed: int) -> None:
    done = moved = refused = 0
    world, draw = worlds.make(seed), Random(seed)
    with transaction.atomic():
        plant.plant(world)
        admins = [
            Principal(team=team, user=user)
            for (user, team), held in world.members.items()
            if "admin" in held and not world.users[user].fenced
        ]
        while done < SAMPLES:
            admin = draw.choice(admins)
            holder = draw.choice(holders.holders(admin))
            with transaction.atomic():
                outcome = compared(draw, admin, holder, world)
                transaction.set_rollback(True)
            if outcome is None:
                refused += 1
            else:
                done, moved = done + 1, moved + outcome
        transaction.set_rollback(True)
    assert moved > SAMPLES // 4, "too few drafts that change anything"
    assert refused < SAMPLES, "too few drafts that may be saved"


def compared(draw: Random, admin: Principal, holder: holders.Holder, world: things.World) -> bool | None:
    items = edited(draw, admin, holder, world)
    agents = holders.agents_of(holder)
    with scope.browsing(admin):
        before = [state(admin, agent) for agent in agents]
    budget = None if holder.agent else draw.choice((None, 100, 5000))
    try:
        rows = list(LoadoutVersion.objects.values_list("id")), bound(admin)
        told = loadout_previews.preview(admin, holder=holder.public, items=items, budget_tokens=budget)
        left = list(LoadoutVersion.objects.values_list("id")), bound(admin)
        assert left == rows, "the preview left something behind"
        etag = loadouts.read_loadout(admin, holder.public)["etag"]
        loadouts.save(
            admin, holder=holder.public, items=items, etag=etag, reason="edit", budget_tokens=budget
        )
    except Problem:
        return None
    moved = False
    with scope.browsing(admin):
        for agent, was, said in zip(agents, before, told["agents"], strict=True):
            now = state(admin, agent)
            assert set(said["gained"]) == now["reads"] - was["reads"]
            assert set(said["lost"]) == was["reads"] - now["reads"]
            assert set(said["writes_gained"]) == now["changes"] - was["changes"]
            assert set(said["writes_lost"]) == was["changes"] - now["changes"]
            assert said["nodes_gained"] == len(now["nodes"] - was["nodes"])
            assert said["nodes_lost"] == len(was["nodes"] - now["nodes"])
            most = holders.budget_of(agent.pk, holder.team)
            assert said["tokens"] == {
                "before": was["tokens"], "after": now["tokens"], "budget": most,
                "over": max(0, now["tokens"] - most),
            }  # fmt: skip
            who = loadout_previews.as_agent(admin, agent)
            scope.walls(admin.team, "{}")
            found = {(one["asset"], one["action"], one["rule"]) for one in said["without_effect"]}
            assert found == stopped(who, items)
            moved = moved or was != now
    return moved


def put(client: Client, token: str, holder: str, etag: str, items: list[Any]) -> Any:
    return client.put(
        f"/api/v1/loadouts/{holder}", data=json.dumps({"items": items, "reason": "work"}),
        content_type="application/json", headers={"Authorization": f"Bearer {token}", "If-Match": etag},
    )  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_of_two_concurrent_edits_one_is_saved_and_one_gets_both(world: World) -> None:
    alice, token = world.principal(world.alice), world.token(world.admin)
    holder = ids.public("role", world.roles["builder"].id)
    many = [ids.public("asset", assets.create_asset(alice, name=name, visibility="team").id) for name in "ab"]
    for _ in range(5):
        etag = Client().get(f"/api/v1/loadouts/{holder}", headers={"Authorization": f"Bearer {token}"})[
            "ETag"
        ]
        versions = LoadoutVersion.objects.count()

        def edit(asset: str, etag: str = etag) -> Any:
            try:
                return put(Client(), token, holder, etag, [{"asset": asset}])
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(edit, many))
        assert sorted(one.status_code for one in answers) == [200, 412]
        late = next(one.json() for one in answers if one.status_code == 412)
        saved = next(one.json() for one in answers if one.status_code == 200)
        assert late["current"]["items"] == saved["items"]
        assert [one["asset"] for one in late["yours"]] != [one["asset"] for one in saved["items"]]
        assert LoadoutVersion.objects.count() == versions + 1
        put(Client(), token, holder, f'"{saved["etag"]}"', [])


@pytest.mark.django_db(transaction=True)
def test_sixty_bindings_made_at_once_all_survive(world: World) -> None:
    alice = world.principal(world.alice)
    many = [assets.create_asset(alice, name=f"a{number}", visibility="team").id for number in range(60)]

    def bind(asset: UUID) -> None:
        try:
            bindings.bind(alice, asset=asset, role=world.roles["builder"].id, reason="work")
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(bind, many))
    found = loadouts.read_loadout(alice, ids.public("role", world.roles["builder"].id))["items"]
    assert {one["asset"] for one in found} == {ids.public("asset", one) for one in many}
    numbers = LoadoutVersion.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 61))


@pytest.mark.django_db(transaction=True)
def test_the_pack_answers_304_while_it_is_the_same(world: World, client: Client) -> None:
    headers = {"Authorization": f"Bearer {world.token(world.builder)}"}
    first = client.get("/api/v1/me/pack", headers=headers)
    same = client.get("/api/v1/me/pack", headers=headers | {"If-None-Match": first["ETag"]})
    assert (first.status_code, same.status_code, same.content) == (200, 304, b"")
