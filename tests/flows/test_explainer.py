"""Why, who can, what can, and what would have to change: told by the rules themselves."""

from __future__ import annotations

import os
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from assets import scope
from assets.models import Asset
from assets.services import (
    assets,
    audiences,
    bindings,
    denials,
    explanations,
    flip_steps,
    flips,
    grants,
    memories,
    statuses,
    visibility,
)
from assets.services.flips import Flip
from hub import ids
from hub.authn.principal import Principal
from hub.models import Membership
from hub.problems import Forbidden, Missing
from hub.services import teams
from tests.leaks import oracle, plant, things, worlds
from tests.world import World

# 150 decisions; HUB_TEST_SEEDS=10 for 500.
SAMPLES, SEEDS = 50, range(100, 100 + int(os.environ.get("HUB_TEST_SEEDS", "3")))
# What no act of this product turns, and what a person alone does.
FINAL = {*flips.HOPELESS.values()}


def taken(found: Flip, who: Principal, row: UUID) -> Principal:
    """Take the steps through the services, as the people who may; gives who then asks."""
    for step in found.steps:
        with scope.browsing(who):
            asset = Asset.rows.get(id=row)
            by = _who_acts(step, asset)
        acts = Principal(team=asset.team_id, user=by, stepped_up=True, door="web")
        who = flips._told(who, [step])
        _act(step, acts, row)
    return who


def _who_acts(step: flip_steps.Step, asset: Asset) -> UUID:
    match step:
        case flip_steps.Lift(quarantine=True):
            return flip_steps.lifters(asset)[0]
        case flip_steps.Approve():
            return flip_steps.reviewers(asset)[0]
        case flip_steps.Office():
            rows = Membership.objects.filter(team_id=asset.team_id, user__is_active=True)
            return rows.filter(offices__contains=["admin"])[0].user_id
        case flip_steps.Widen():
            return asset.owner_id
    return flip_steps.steward(asset)


def _act(step: flip_steps.Step, acts: Principal, asset: UUID) -> None:
    match step:
        case flip_steps.Lift(quarantine=True):
            statuses.set_quarantine(acts, asset=asset, quarantined=False, reason="flip")
        case flip_steps.Lift(denial=UUID() as denial):
            denials.lift(acts, denial)
        case flip_steps.Grant():
            grants.grant(acts, asset=asset, to=step.to, level=step.level, reason="flip")
        case flip_steps.Visible():
            visibility.set_visibility(acts, asset=asset, to=step.visibility, reason="flip")
        case flip_steps.Office():
            member = Membership.objects.get(team_id=acts.in_team, user_id=step.user)
            teams.set_offices(acts, user=step.user, offices_held=[*member.offices, "reviewer"], reason="flip")
        case flip_steps.Bind():
            if step.replaces:
                bindings.unbind(acts, step.replaces, "flip")
            bindings.bind(
                acts, asset=asset, agent=step.agent, access=step.access, follow=step.follow,
                pin=step.pin, reason="flip",
            )  # fmt: skip
        case flip_steps.Approve():
            statuses.set_status(acts, asset=asset, to="approved", reason="flip")
        case flip_steps.Restore():
            statuses.set_status(acts, asset=asset, to="draft", reason="flip")
        case flip_steps.Refuse(binding=UUID() as binding):
            bindings.unbind(acts, binding, "flip")
        case flip_steps.Refuse(grant=UUID() as granted):
            grants.revoke(acts, granted)
        case flip_steps.Refuse(to=(kind, holder)):
            denials.deny(acts, asset=asset, to=(kind, holder), reason="flip")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_counterfactual_applied_flips_the_decision(seed: int) -> None:
    """In every one of the samples that it calls possible; the others say why it is not."""
    turned, others = 0, []
    world, draw = worlds.make(seed), Random(seed)
    with transaction.atomic():
        plant.plant(world)
        who_asks = [p for p in worlds.principals(world, draw) if p.team is not None]
        while turned < SAMPLES:
            p, action = draw.choice(who_asks), draw.choice(things.ACTIONS)
            a = draw.choice([one for one in world.assets.values() if one.team == p.team])
            with transaction.atomic():
                outcome = _flipped(world, plant.caller(p), action, a)
                transaction.set_rollback(True)
            if outcome == "turned":
                turned += 1
            else:
                others.append(outcome)
        transaction.set_rollback(True)
    assert FINAL & set(others)
    assert {one.split(" ")[0] for one in set(others) - FINAL} <= {"The", "Nobody", "Four"}


def _flipped(world: things.World, who: Principal, action: str, a: things.Asset) -> str:
    scope.walls(who.team, "{}")
    before = flips.failing(who, action, a.id) is None
    found = flips.find(who, action, a.id)
    assert (flips.failing(who, action, a.id) is None) == before, "the trial left something behind"
    if not found.possible:
        return found.because
    asker = taken(found, who, a.id)
    scope.walls(who.team, "{}")
    after = flips.failing(asker, action, a.id) is None
    assert after != before, (who, action, a, found)
    return "turned"


@pytest.mark.django_db(transaction=True)
def test_who_can_and_what_can_are_the_oracle_seen_from_both_sides() -> None:
    asked = 0
    for seed in range(120, 126):
        world, draw = worlds.make(seed), Random(seed)
        with transaction.atomic():
            plant.plant(world)
            for a in draw.sample(list(world.assets.values()), 12):
                for action in things.ACTIONS:
                    asked += _same_audience(world, a, action)
            for p in draw.sample(worlds.principals(world, draw), 8):
                asked += _same_reach(world, p, draw)
            transaction.set_rollback(True)
    assert asked > 100


def _same_audience(world: things.World, a: things.Asset, action: str) -> int:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    own = things.Token(frozenset({"read", "change"}))
    right = {
        ids.public("user", user)
        for user, team in world.members
        if team == a.team and world.users[user].active
        and oracle.decide(world, things.Principal(team, user), action, a, now)[0]
    } | {
        ids.public("agent", one.id)
        for one in world.agents.values()
        if one.team == a.team and one.enabled
        and oracle.decide(world, things.Principal(a.team, agent=one.id, token=own), action, a, now)[0]
    }  # fmt: skip
    manager = next(
        (
            user for user, team in world.members
            if team == a.team and oracle.decide(world, things.Principal(team, user), "manage", a, now)[0]
        ),
        None,
    )  # fmt: skip
    if manager is None:
        return 0
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = audiences.who_can(
            Principal(team=a.team, user=manager), asset=a.id, action=action, limit=2, cursor=cursor
        )
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert {one["principal"] for one in found} == right
    assert len(found) == len(right)
    return 1


def _same_reach(world: things.World, p: things.Principal, draw: Random) -> int:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    asker = things.Principal(p.team, draw.choice([user for user, team in world.members if team == p.team]))
    right = oracle.visible(world, p, now) & oracle.visible(world, asker, now)
    found, cursor = [], None
    while True:
        page = audiences.what_can(plant.caller(asker), who=plant.caller(p), limit=3, cursor=cursor)
        found += [row.id for row, _ in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert set(found) == right
    assert len(found) == len(right)
    return 1


def explained(world: World, asker: Any, who: Any, asset: UUID, **more: Any) -> Any:
    return explanations.explain(
        world.principal(asker), who=world.principal(who), action="read", asset=asset, **more
    )


@pytest.mark.django_db(transaction=True)
def test_the_explanation_names_the_row_and_the_way_out(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="restricted").id
    bindings.bind(alice, asset=asset, role=world.roles["builder"].id, reason="work")
    denied = denials.deny(alice, asset=asset, to=("role", world.roles["builder"].id), reason="privacy")
    found = explained(world, world.alice, world.builder, asset, with_flip=True)
    assert (found.allowed, found.rule) == (False, "denied")
    line = next(one for one in found.rules if one.result == "failed")
    assert audiences.public_row(line.row) == f"denial {denied['id']}"
    assert [step.as_json()["act"] for step in found.flip.steps] == ["lift", "grant"]
    with pytest.raises(Missing):
        explained(world, world.bob, world.builder, asset)
    team = assets.create_asset(alice, name="more", visibility="team").id
    with pytest.raises(Forbidden):
        audiences.who_can(world.principal(world.bob), asset=team)


@pytest.mark.django_db(transaction=True)
def test_a_node_is_explained_by_its_own_rules(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="team").id
    first = ids.parse("node", memories.remember(alice, text="one", asset=asset)["node"])
    second = ids.parse("node", memories.remember(alice, text="two", asset=asset)["node"])
    bindings.bind(alice, asset=asset, agent=world.builder.pk, pin=1, reason="the first version")
    assert explained(world, world.alice, world.builder, None, node=first).allowed  # type: ignore[arg-type]
    found = explained(world, world.alice, world.builder, None, node=second, with_flip=True)  # type: ignore[arg-type]
    assert (found.allowed, found.rule) == (False, "node version")
    assert not found.flip.possible
    with pytest.raises(Missing):
        explained(world, world.charlie, world.builder, None, node=first)  # type: ignore[arg-type]
