"""Tokens: what their text says, when they end, who issues them, and that none makes a stronger one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from hub.authn import tokens as form
from hub.authn.lookup import principal_for_token
from hub.authn.principal import MANAGE, Principal
from hub.models import Agent, Membership, Team, Token, User
from hub.problems import Forbidden, Invalid, Missing, Problem
from hub.services import agents, roles, tokens
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def look_up(text: str) -> Principal | None:
    return principal_for_token(text, "rest", "test")


def test_the_text_is_checked_before_the_database_is_asked() -> None:
    text, parsed = form.new("agent")
    assert form.parse(text) == parsed
    assert text.startswith("tmh_agt_")
    wrong = "0" if text[-1] != "0" else "1"
    for other in (text[:-1] + wrong, text.replace("_agt_", "_usr_"), text + "\n", text[:-1], "", "ü"):
        assert form.parse(other) is None, other


def test_a_live_token_says_who_asks(world: World) -> None:
    found = look_up(world.token(world.scout, kinds=["chat_memory"]))
    assert found is not None
    assert (found.team, found.agent, found.user) == (world.team.id, world.scout.pk, None)
    assert found.actions == {"read", "change"}
    assert found.kinds == frozenset({"chat_memory"})
    person = look_up(world.token(world.alice))
    assert person is not None
    assert person.is_person


def _expire(world: World) -> None:
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def _revoke(world: World) -> None:
    Token.objects.update(revoked_at=timezone.now())


def _archive(world: World) -> None:
    Team.objects.update(archived_at=timezone.now())


def _suspend(world: World) -> None:
    User.objects.update(is_active=False)


def _other_secret(world: World) -> None:
    Token.objects.update(digest=form.digest("x"))


@pytest.mark.parametrize("end", [_expire, _revoke, _archive, _suspend, _other_secret])
def test_what_ends_a_token_ends_it_at_once(world: World, end: Callable[[World], None]) -> None:
    texts = [world.token(world.scout), world.token(world.alice)]
    assert all(look_up(text) for text in texts)
    end(world)
    assert not any(look_up(text) for text in texts)


def test_a_disabled_agent_and_a_person_who_left_have_none(world: World) -> None:
    scout, alice = world.token(world.scout), world.token(world.alice)
    acting = tokens.mint_delegated(agent=world.scout.pk, user=world.bob.id, team=world.team.id)[1]
    assert look_up(acting)
    agents.set_enabled(world.principal(world.admin), world.scout.pk, enabled=False)
    assert look_up(scout) is None
    assert look_up(acting) is None
    Membership.objects.filter(user=world.alice).delete()
    assert look_up(alice) is None


def test_a_delegated_token_is_short_and_ends_with_the_users_membership(world: World) -> None:
    row, text = tokens.mint_delegated(agent=world.scout.pk, user=world.bob.id, team=world.team.id)
    assert row.expires_at <= timezone.now() + timedelta(minutes=15)
    found = look_up(text)
    assert found is not None
    assert (found.agent, found.user, found.is_person) == (world.scout.pk, world.bob.id, False)
    Membership.objects.filter(user=world.bob).delete()
    assert look_up(text) is None
    with pytest.raises(Forbidden):
        tokens.mint_delegated(agent=world.scout.pk, user=world.charlie.id, team=world.team.id)
    with pytest.raises(Invalid):
        tokens.mint_delegated(
            agent=world.scout.pk, user=world.alice.id, team=world.team.id, actions=["manage"]
        )


def test_the_secret_is_not_kept(world: World) -> None:
    alice = world.principal(world.alice)
    row, text = tokens.mint(alice, name="laptop")
    secret = text.rpartition("_")[2][:-6]
    assert look_up(text)
    stored = " ".join(str(value) for value in Token.objects.filter(id=row.id).values().get().values())
    assert secret not in stored
    assert secret not in str(tokens.list_tokens(alice))


@pytest.mark.parametrize(
    ("who", "problem"), [("alice", None), ("admin", None), ("bob", Missing), ("charlie", Missing)]
)
def test_an_agents_token_is_issued_by_those_who_run_it(
    world: World, who: str, problem: type[Problem] | None
) -> None:
    asker = world.principal(getattr(world, who))
    if problem is None:
        assert tokens.mint(asker, agent=world.scout.pk)[0].agent_id == world.scout.pk
    else:
        with pytest.raises(problem):
            tokens.mint(asker, agent=world.scout.pk)


def test_what_a_token_cannot_be(world: World) -> None:
    alice, now = world.principal(world.alice), timezone.now()
    wrongs: tuple[dict[str, Any], ...] = (
        {"actions": []}, {"actions": ["rule"]}, {"agent": world.scout.pk, "actions": ["manage"]},
        {"expires_at": now - timedelta(1)}, {"expires_at": now + timedelta(366)},
        {"agent": world.scout.pk, "expires_at": now + timedelta(91)},
    )  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(Invalid):
            tokens.mint(alice, **wrong)


def test_revoking_is_for_ones_own_and_missing_for_the_rest(world: World) -> None:
    alice = world.principal(world.alice)
    mine, text = tokens.mint(alice)
    agents_one = tokens.mint(alice, agent=world.scout.pk)[0]
    for other in (world.principal(world.bob), world.principal(world.charlie), world.principal(world.scout)):
        for token in (mine.id, agents_one.id, uuid4()):
            with pytest.raises(Missing):
                tokens.revoke(other, token)
    tokens.revoke(alice, mine.id)
    assert look_up(text) is None
    tokens.revoke(world.principal(world.admin), agents_one.id)


def test_agents_govern_nothing(world: World) -> None:
    acting = world.principal(world.scout, user=world.admin.id)
    for asker in (world.principal(world.scout), acting):
        for act in (
            lambda asker=asker: tokens.mint(asker),
            lambda asker=asker: agents.create_agent(asker, name="x"),
            lambda asker=asker: agents.set_enabled(asker, world.scout.pk, enabled=False),
            lambda asker=asker: roles.create_role(asker, name="x"),
            lambda asker=asker: roles.hold(
                asker, role=world.roles["scout"].id, holder=("agent", world.scout.pk), holds=True
            ),
        ):
            with pytest.raises(Forbidden):
                act()
    assert Agent.objects.get(pk=world.scout.pk).is_enabled


def test_no_token_makes_a_stronger_one(world: World) -> None:
    weak = world.principal(world.admin, actions=frozenset({"read"}))
    with pytest.raises(Forbidden):
        tokens.mint(weak, actions=["read", "change", "manage"])
    with pytest.raises(Forbidden):
        tokens.mint(weak, agent=world.scout.pk, actions=["read", "change"])
    some = world.principal(world.alice, actions=frozenset({"read", MANAGE}))
    assert tokens.mint(some, actions=["read"])
    with pytest.raises(Forbidden):
        tokens.mint(some, actions=["change"])
    narrow = world.principal(world.alice, kinds=frozenset({"skill"}))
    for kinds in (None, ["skill", "chat_memory"]):
        with pytest.raises(Forbidden):
            tokens.mint(narrow, kinds=kinds)
    assert tokens.mint(narrow, kinds=["skill"])
    with pytest.raises(Forbidden):
        tokens.mint(world.principal(world.alice, subject=uuid4()))


def test_governing_needs_a_token_that_may_manage(world: World) -> None:
    weak = world.principal(world.admin, actions=frozenset({"read", "change"}))
    with pytest.raises(Forbidden):
        agents.create_agent(weak, name="x")
    with pytest.raises(Forbidden):
        agents.set_enabled(weak, world.scout.pk, enabled=False)
    with pytest.raises(Forbidden):
        roles.create_role(weak, name="x")
    other = tokens.mint(world.principal(world.admin))[0].id
    with pytest.raises(Forbidden):
        tokens.revoke(weak, other)
    tokens.revoke(world.principal(world.admin, actions=frozenset({"read"}), token=other), other)
