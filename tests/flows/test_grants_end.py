"""Grants, denials and bindings end by themselves; status, quarantine, widening and leaving do what they say."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.test import RequestFactory
from django.utils import timezone

from assets import scope
from assets.models import Asset, AssetUserGrant, Binding, Denial
from assets.services import (
    assets,
    audiences,
    bindings,
    denials,
    explanations,
    grants,
    memories,
    statuses,
    visibility,
)
from hub import ids
from hub.authn import signin
from hub.authn.principal import Principal
from hub.models import Agent, Token, User
from hub.problems import Conflict, Forbidden, Invalid, Missing
from hub.services import teams
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def reads(who: Principal, asset: UUID) -> bool:
    try:
        return assets.read_asset(who, asset).id == asset
    except Missing:
        return False


def seen(who: Principal) -> tuple[set[UUID], int]:
    listed = {row.id for row in assets.list_assets(who).items}
    return listed, assets.count_assets(who)


def signed_in(world: World, who: User) -> Principal:
    """At the browser, the password just given again."""
    return replace(world.principal(who), stepped_up=True)


def test_what_has_an_end_ends_by_itself_everywhere(world: World) -> None:
    alice, bob, builder = (world.principal(one) for one in (world.alice, world.bob, world.builder))
    soon = timezone.now() + timedelta(hours=1)
    asset = assets.create_asset(alice, name="sweep", visibility="restricted").id
    grants.grant(alice, asset=asset, to=("user", world.bob.id), level="read", expires_at=soon)
    grants.grant(alice, asset=asset, to=("agent", world.builder.pk), level="read")
    bindings.bind(alice, asset=asset, agent=world.builder.pk, expires_at=soon, reason="an hour")
    assert reads(bob, asset)
    assert reads(builder, asset)
    past = timezone.now() - timedelta(seconds=1)
    AssetUserGrant.objects.filter(user=world.bob).update(expires_at=past)
    with scope.browsing(alice):
        Binding.objects.filter(agent=world.builder.account).update(expires_at=past)
    for who in (bob, builder):
        assert not reads(who, asset)
        assert seen(who) == (set(), 0)
        found = explanations.explain(alice, who=who, action="read", asset=asset)
        assert not found.allowed
    able = {one["name"] for one in audiences.who_can(alice, asset=asset).items}
    assert able == {"alice"}
    bindings.bind(alice, asset=asset, agent=world.builder.pk, reason="again, where one has ended")
    assert reads(builder, asset)


def test_a_denial_ends_and_add_and_remove_undo_each_other(world: World) -> None:
    alice, bob = world.principal(world.alice), world.principal(world.bob)
    asset = assets.create_asset(alice, name="notes", visibility="team").id
    denied = denials.deny(
        alice, asset=asset, to=("user", world.bob.id), expires_at=timezone.now() + timedelta(hours=1)
    )
    assert not reads(bob, asset)
    with scope.browsing(alice):
        Denial.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert reads(bob, asset)
    denials.lift(alice, ids.parse("denial", denied["id"]) or asset)
    again = denials.deny(alice, asset=asset, to=("user", world.bob.id), reason="for good")
    assert not reads(bob, asset)
    denials.lift(alice, ids.parse("denial", again["id"]) or asset)
    assert reads(bob, asset)


def test_what_has_ended_is_listed_as_ended_and_in_the_past_is_refused(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="restricted").id
    past = timezone.now() - timedelta(seconds=1)
    with pytest.raises(Invalid):
        grants.grant(alice, asset=asset, to=("user", world.bob.id), level="read", expires_at=past)
    granted = grants.grant(alice, asset=asset, to=("user", world.bob.id), level="read")
    assert granted["is_live"]
    AssetUserGrant.objects.update(expires_at=past)
    assert [one["is_live"] for one in grants.list_grants(alice, asset)] == [False]


def test_four_eyes_keep_an_owner_from_approving_their_own(world: World) -> None:
    carol, admin = world.principal(world.carol), world.principal(world.admin)
    asset = assets.create_asset(carol, name="wiki", kind="wiki", visibility="team").id
    statuses.set_status(carol, asset=asset, to="in_review", reason="ready")
    teams.set_offices(admin, user=world.bob.id, offices_held=["reviewer"], reason="a second one")
    with pytest.raises(Forbidden):
        statuses.set_status(carol, asset=asset, to="approved", reason="my own")
    with pytest.raises(Conflict):
        teams.change_team(admin, four_eyes=False, reason="in a hurry")
    world.bob.is_active = False
    world.bob.save()
    assert statuses.set_status(carol, asset=asset, to="approved", reason="alone").status == "approved"
    world.bob.is_active = True
    world.bob.save()
    statuses.set_status(carol, asset=asset, to="deprecated", reason="old")
    approved = statuses.set_status(world.principal(world.bob), asset=asset, to="approved", reason="good")
    assert approved.status == "approved"
    with scope.browsing(carol):
        assert Asset.rows.get(id=asset).approved == approved.head


def test_a_team_that_switched_four_eyes_off_gets_them_back_with_the_second_reviewer(world: World) -> None:
    admin = world.principal(world.admin)
    assert not teams.change_team(admin, four_eyes=False, reason="one reviewer only")["four_eyes"]
    teams.set_offices(admin, user=world.bob.id, offices_held=["reviewer"], reason="a second one")
    assert teams.read_team(admin)["four_eyes"]


def test_statuses_go_their_ways_only(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="wiki", kind="wiki", visibility="team").id
    with pytest.raises(Conflict):
        statuses.set_status(alice, asset=asset, to="deprecated", reason="never approved")
    with pytest.raises(Conflict):
        statuses.set_status(
            world.principal(world.carol), asset=asset, to="approved", version=7, reason="another head"
        )
    with pytest.raises(Missing):
        statuses.set_status(world.principal(world.charlie), asset=asset, to="approved", reason="r")
    with pytest.raises(Forbidden):
        statuses.set_status(world.principal(world.bob), asset=asset, to="approved", reason="r")
    memory = assets.create_asset(alice, name="memory").id
    with pytest.raises(Conflict):
        statuses.set_status(alice, asset=memory, to="in_review", reason="as a whole")
    assert statuses.set_status(alice, asset=memory, to="archived", reason="done").status == "archived"
    assert statuses.set_status(alice, asset=memory, to="draft", reason="again").status == "draft"


def test_quarantine_stops_all_but_inspectors_and_a_reviewer_lifts_it(world: World) -> None:
    alice, bob, carol, admin = (
        world.principal(one) for one in (world.alice, world.bob, world.carol, world.admin)
    )
    asset = assets.create_asset(alice, name="wiki", kind="wiki", visibility="team").id
    with pytest.raises(Forbidden):
        statuses.set_quarantine(bob, asset=asset, quarantined=True, reason="odd")
    statuses.set_quarantine(admin, asset=asset, quarantined=True, reason="odd")
    assert [reads(who, asset) for who in (alice, bob, carol, admin)] == [True, False, True, False]
    with pytest.raises(Missing):
        statuses.set_quarantine(admin, asset=asset, quarantined=False, reason="fine")
    with pytest.raises(Forbidden):
        statuses.set_quarantine(alice, asset=asset, quarantined=False, reason="mine")
    statuses.set_quarantine(carol, asset=asset, quarantined=False, reason="looked at it")
    assert reads(bob, asset)
    diary = assets.create_asset(alice, name="diary").id  # no reviewer can read it: its owner lifts
    statuses.set_quarantine(alice, asset=diary, quarantined=True, reason="careful")
    statuses.set_quarantine(alice, asset=diary, quarantined=False, reason="fine")


def test_widening_is_shown_needs_a_person_and_is_undone_in_one_act(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes").id
    memories.remember(alice, text="Bob likes herons", asset=asset, subjects=["bob"])
    memories.remember(alice, text="herons sleep", asset=asset)
    bindings.bind(alice, asset=asset, agent=world.builder.pk, access="write", reason="writes here")
    found = visibility.preview(alice, asset=asset, to="team")
    assert {one["name"] for one in found["gain"]} == {"bob", "carol", "dora", "admin"}
    assert (found["gain_count"], found["nodes"], found["about_nobody"]) == (4, 2, 1)
    assert found["subjects"] == [{"subject": "bob", "nodes": 1}]
    assert [one["name"] for one in found["writers_lost"]] == ["builder-1"]
    assert found["widens"]
    token = replace(alice, token=UUID(int=1), stepped_up=True)
    for who in (alice, token):
        with pytest.raises(Forbidden):
            visibility.set_visibility(who, asset=asset, to="team", reason="for all")
    assert not reads(world.principal(world.bob), asset)
    visibility.set_visibility(
        signed_in(world, world.alice), asset=asset, to="team", reason="for all", grant_writers=True
    )
    assert reads(world.principal(world.bob), asset)
    able = {one["name"] for one in audiences.who_can(alice, asset=asset, action="change").items}
    assert "builder-1" in able
    undone = visibility.set_visibility(token, asset=asset, to="private", reason="a mistake")
    assert undone == {"visibility": "private", "before": "team", "gained": 0, "lost": 4}
    assert not reads(world.principal(world.bob), asset)
    with pytest.raises(Missing):
        visibility.preview(world.principal(world.bob), asset=asset, to="team")


def test_a_live_key_must_go_first(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes").id
    node = ids.parse("node", memories.remember(alice, text="harmless", asset=asset)["node"])
    key = world.token(world.scout)
    with scope.tending(world.team.id, asset):
        from assets.models import Node

        Node.rows.filter(ident=node).update(content=f"use {key} there")
    found = visibility.preview(alice, asset=asset, to="team")
    assert [(one["kind"], one["verdict"], one["count"]) for one in found["findings"]] == [
        ("hub_token", "block", 1)
    ]
    assert key not in str(found)
    with pytest.raises(Conflict):
        visibility.set_visibility(signed_in(world, world.alice), asset=asset, to="team", reason="r")


def test_step_up_holds_for_ten_minutes_of_one_session(world: World) -> None:
    request = RequestFactory().get("/")
    request.user, request.session = world.alice, {}  # type: ignore[assignment]
    assert not signin.step_up(request, "wrong")
    assert not signin.principal_of(request).stepped_up
    assert signin.step_up(request, "password-of-alice")
    assert signin.principal_of(request).stepped_up
    request.session[signin.STEPPED_UP_AT] -= signin.STEP_UP_FOR + 1
    assert not signin.principal_of(request).stepped_up


def test_the_last_admin_stays_and_who_leaves_takes_nothing_along(world: World) -> None:
    admin, alice = world.principal(world.admin), world.principal(world.alice)
    with pytest.raises(Conflict):
        teams.remove_member(admin, user=world.admin.id, reason="tired")
    with pytest.raises(Conflict):
        teams.set_offices(admin, user=world.admin.id, offices_held=["member"], reason="tired")
    with pytest.raises(Conflict):
        teams.remove_member(admin, user=world.alice.id, reason="leaves")
    with pytest.raises(Forbidden):
        teams.remove_member(alice, user=world.bob.id, reason="no admin")
    with pytest.raises(Missing):
        teams.set_offices(admin, user=world.charlie.id, offices_held=["admin"], reason="of another team")
    world.token(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="team").id
    left = teams.remove_member(admin, user=world.alice.id, reason="leaves", successor=world.bob.id)
    assert (left["agents_handed_over"], left["tokens_ended"]) == (3, 1)
    assert not reads(alice, asset)
    assert set(Agent.objects.values_list("responsible_id", flat=True)) == {world.bob.id}
    assert not Token.objects.filter(user=world.alice, revoked_at__isnull=True).exists()
    teams.set_offices(admin, user=world.bob.id, offices_held=["admin"], reason="a second one")
    teams.remove_member(admin, user=world.admin.id, reason="now it is fine")
    with pytest.raises(Forbidden):
        teams.set_offices(admin, user=world.bob.id, offices_held=["member"], reason="after leaving")
