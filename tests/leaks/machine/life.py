"""The random acts of a team's life; after each, four sampled principals are told what the oracle says."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from random import Random
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)  # fmt: skip

from assets.services.statuses import WAYS
from tests.leaks import things, worlds
from tests.leaks.machine import asking, content, people, rights
from tests.leaks.machine.both import Both, pick

NUMBER = st.integers(0, 10_000)
END = st.sampled_from((None, None, 2, 10, 48))  # hours
LEVEL = st.sampled_from(("read", "change", "manage"))
TERMS = st.fixed_dictionaries({
    "access": st.sampled_from(("read", "write")), "pin": st.sampled_from((None, None, None, 1, 2)),
    "follow": st.sampled_from(("approved", "head")),
})  # fmt: skip
STATUS = st.sampled_from(("in_review", "approved", "approved", "deprecated", "archived", "draft"))
UPSETS = (
    "suspend", "disable", "end token", "fence", "fence subject", "erase", "delegate", "delegate", "hand over",
)  # fmt: skip
TOLD: Counter[str] = Counter()  # all acts of this process, by outcome
DONE: Counter[str] = Counter()  # runs, steps


class LivingTeam(RuleBasedStateMachine):
    """One run: its team, in a transaction that is taken back at the end."""

    both: Both

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.steps = 0

    @initialize(seed=NUMBER)
    def begin(self, seed: int) -> None:
        self.stack.enter_context(transaction.atomic())
        self.both = Both.begin(seed)
        DONE["runs"] += 1

    def teardown(self) -> None:
        if hasattr(self, "both"):
            TOLD.update(self.both.told)
            if not transaction.get_connection().needs_rollback:
                transaction.set_rollback(True)
        self.stack.close()

    @invariant()
    def everybody_is_told_the_same(self) -> None:
        self.steps += 1
        DONE["steps"] += 1
        draw = Random(f"{self.both.named} {self.steps} {len(self.both.world.nodes)}")
        found = asking.wrong(self.both, draw)
        assert not found, "\n".join(found[:5])

    def actor(self, number: int) -> things.Principal:
        return pick(self.both.actors(), number)

    def asset(self, number: int) -> things.Asset:
        return pick(list(self.both.world.assets.values()), number)

    def person(self, number: int) -> things.User:
        return pick(list(self.both.world.users.values()), number)

    def agent(self, number: int) -> things.Agent:
        return pick(list(self.both.world.agents.values()), number)

    def able(self, number: int, a: things.Asset, action: str = "manage") -> things.Principal:
        """Mostly somebody who may do it to the asset, so that much goes through; else anybody."""
        able = [p for p in self.both.actors() if self.both.may(p, action, a)]
        return pick(able, number) if able and number % 5 else self.actor(number)

    def admin(self, number: int) -> things.Principal:
        able = [p for p in self.both.actors() if self.both.is_admin(p)]
        return pick(able, number) if able and number % 5 else pick(
            [p for p in self.both.actors() if p.team is not None], number
        )  # fmt: skip

    @rule(who=NUMBER, kind=st.sampled_from(worlds.KINDS), visibility=st.sampled_from(worlds.VISIBILITIES))
    def create(self, who: int, kind: str, visibility: str) -> None:
        content.create(self.both, self.actor(who), kind, visibility)

    @rule(who=NUMBER, to=NUMBER, level=LEVEL, of=NUMBER, hours=END)
    def share(self, who: int, to: int, level: str, of: int, hours: int | None) -> None:
        a = self.asset(of)
        rights.grant(
            self.both, self.able(who, a), a, pick(self.both.holders(a.team), to), level, hours
        )  # fmt: skip

    @precondition(lambda self: self.both.world.grants)
    @rule(who=NUMBER, which=NUMBER)
    def revoke(self, who: int, which: int) -> None:
        g = pick(self.both.world.grants, which)
        rights.revoke(self.both, self.able(who, self.both.world.assets[g.asset]), g)

    @rule(who=NUMBER, to=NUMBER, of=NUMBER, hours=END)
    def deny(self, who: int, to: int, of: int, hours: int | None) -> None:
        a = self.asset(of)
        rights.deny(self.both, self.able(who, a), a, pick(self.both.holders(a.team), to), hours)

    @precondition(lambda self: self.both.denials)
    @rule(who=NUMBER, which=NUMBER)
    def lift(self, who: int, which: int) -> None:
        denial = pick(self.both.denials, which)[1]
        rights.lift(self.both, self.able(who, self.both.world.assets[denial.asset]), which)

    @rule(who=NUMBER, to=NUMBER, of=NUMBER, hours=END, terms=TERMS)
    def bind(self, who: int, to: int, of: int, hours: int | None, terms: dict[str, Any]) -> None:
        a, world = self.asset(of), self.both.world
        holders = [None, *(one for one in self.both.holders(a.team) if one not in world.users)]
        rights.bind(self.both, self.able(who, a), a, pick(holders, to), hours, terms)

    @precondition(lambda self: self.both.world.loadouts)
    @rule(who=NUMBER, which=NUMBER)
    def unbind(self, who: int, which: int) -> None:
        b = pick(self.both.world.loadouts, which)
        rights.unbind(self.both, self.able(who, self.both.world.assets[b.asset]), b)

    @rule(who=NUMBER, of=NUMBER, to=st.sampled_from(worlds.VISIBILITIES), writers=st.booleans())
    def widen_or_narrow(self, who: int, of: int, to: str, writers: bool) -> None:
        a = self.asset(of)
        rights.show(self.both, self.able(who, a), a, to, writers)

    @rule(who=NUMBER, of=NUMBER, on=st.booleans())
    def quarantine(self, who: int, of: int, on: bool) -> None:
        a = self.asset(of)
        rights.quarantine(self.both, self.able(who, a, "review" if who % 2 else "manage"), a, on)

    @rule(who=NUMBER, of=NUMBER, to=STATUS)
    def approve_or_archive(self, who: int, of: int, to: str) -> None:
        a = self.asset(of)
        rights.status(self.both, self.able(who, a, WAYS[to][1]), a, to)

    @rule(who=NUMBER, role=NUMBER, holder=NUMBER, holds=st.booleans())
    def equip_role(self, who: int, role: int, holder: int, holds: bool) -> None:
        found = pick(list(self.both.world.roles.values()), role)
        holders = [one for one in self.both.holders(found.team) if one not in self.both.world.roles]
        people.hold(self.both, self.admin(who), found, pick(holders, holder), holds)

    @rule(who=NUMBER, user=NUMBER, act=st.sampled_from(("join", "leave", "reviewer", "admin", "eyes")))
    def membership(self, who: int, user: int, act: str) -> None:
        p, person = self.admin(who), self.person(user)
        if act == "join":
            people.join(self.both, p, person)
        elif act == "leave":
            people.leave(self.both, p, person.id)
        elif act == "eyes":
            people.four_eyes(self.both, p, bool(user % 2))
        else:
            people.office(self.both, p, person.id, act)

    @rule(hours=st.sampled_from((1, 4, 12)))
    def wait(self, hours: int) -> None:
        people.wait(self.both, hours)

    @rule(who=NUMBER, of=NUMBER, about=NUMBER)
    def remember(self, who: int, of: int, about: int) -> None:
        a, subjects = self.asset(of), list(self.both.world.subjects)
        able = [p for p in self.both.asking if self.both.may(p, "change", a)]
        p = pick(able, who) if able and who % 4 else pick(self.both.asking, who)
        same = p.team == self.both.world.subjects[subjects[0]].team
        content.remember(self.both, p, a, pick(subjects, about) if about % 3 == 0 and same else None)

    @rule(who=NUMBER)
    def remember_mine(self, who: int) -> None:
        agents = [p for p in self.both.asking if p.agent is not None]
        content.remember_mine(self.both, pick(agents, who))

    @rule(of=NUMBER, which=NUMBER, under=NUMBER, act=st.sampled_from(("write", "change", "move", "hold")))
    def edit(self, of: int, which: int, under: int, act: str) -> None:
        rows = content.current(self.both)
        n = pick(rows, which)
        if act == "write":
            content.write(self.both, self.asset(of))
        elif act == "change":
            content.change(self.both, n)
        elif act == "move":
            content.move(self.both, n, pick([one for one in rows if one.asset == n.asset], under))
        else:
            content.hold(self.both, n)

    @rule(who=NUMBER, which=NUMBER, other=NUMBER, act=st.sampled_from(UPSETS))
    def upset(self, who: int, which: int, other: int, act: str) -> None:
        both, a = self.both, self.asset(which)
        here = [user for user, team in both.world.members if team == a.team]
        if act == "suspend":
            people.suspend(both, self.person(which))
        elif act == "disable":
            people.disable(both, self.admin(who), self.agent(which))
        elif act == "end token":
            people.end_token(both, self.actor(who), which)
        elif act == "fence":
            people.fence(both, self.person(which))
        elif act == "fence subject":
            people.fence_subject(both, pick(list(both.world.subjects.values()), which))
        elif act == "erase":
            content.erase(both, a)
        elif act == "delegate":
            people.delegate(both, self.agent(which), self.person(other).id)
        elif here:
            content.hand_over(both, a, pick(here, other))


def live(runs: int, steps: int, seed: int, *, shrink: bool = True) -> None:
    """So many runs of so many acts each. Raises AssertionError for the first that differs."""
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    chosen = settings(
        max_examples=runs, stateful_step_count=steps, deadline=None, database=None, phases=phases,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    run_state_machine_as_test(seeded(seed)(LivingTeam), settings=chosen)
