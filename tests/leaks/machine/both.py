"""The product and the world side by side: an act is done in both, and a refusal must be the right one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from hub.authn.principal import Principal as Caller
from hub.problems import Forbidden, Missing, Problem
from tests.leaks import oracle, things
from tests.leaks.machine import cast
from tests.leaks.plant import caller, plant
from tests.leaks.things import MANAGE, READ, Asset, Principal, World

T = TypeVar("T")
Refusal = type[Problem] | None


@dataclass
class Both:
    """A run. Rows of the product are known by the ids that its answers gave; `touched` is the
    asset that the last act was about, `told` counts the acts by outcome.
    """

    world: World
    texts: list[str]
    now: datetime
    asking: list[Principal]
    grants: dict[tuple[UUID, UUID, str], UUID] = field(default_factory=dict)
    denials: list[tuple[UUID, things.Denial]] = field(default_factory=list)
    touched: UUID | None = None
    told: Counter[str] = field(default_factory=Counter)
    named: int = 0

    @classmethod
    def begin(cls, seed: int) -> Both:
        """Plant the cast. Call inside a transaction, whose `now()` then stands still."""
        world = cast.begin(seed)
        texts = plant(world)
        return cls(world, texts, datetime.now(UTC), [one.principal for one in world.credentials])

    def attempt(self, name: str, right: Refusal, act: Callable[[], T]) -> T | None:
        """Do it in the product. It must be refused with exactly `right`, or go through where
        that is none; the answer, or none for a refusal.
        """
        met: Problem | None = None
        answer: T | None = None
        try:
            with transaction.atomic():
                answer = act()
        except Problem as refusal:
            met = refusal
        assert (type(met) if met else None) is right, f"{name} meets {met!r}, not {right}"
        self.told[f"{name} refused" if met else name] += 1
        return answer

    def needs(self, p: Principal, a: Asset, action: str = MANAGE) -> Refusal:
        """How an act is refused that needs this right: as missing where it may not be read."""
        if not self.may(p, READ, a):
            return Missing
        return None if self.may(p, action, a) else Forbidden

    def may(self, p: Principal, action: str, a: Asset) -> bool:
        return oracle.decide(self.world, p, action, a, self.now)[0]

    def is_admin(self, p: Principal) -> bool:
        return p.team is not None and p.agent is None and self.world.has(p.user, p.team, "admin")

    def actors(self) -> list[Principal]:
        """Who could be at a door now: no suspended person, no disabled agent."""
        world = self.world
        return [
            p for p in cast.principals(world)
            if (p.user is None or world.users[p.user].active)
            and (p.agent is None or world.agents[p.agent].enabled)
        ]  # fmt: skip

    def holders(self, team: UUID) -> list[UUID]:
        """People, agents and roles of a team, and one person of another."""
        world = self.world
        people = [user for user, place in world.members if place == team]
        agents = [one.id for one in world.agents.values() if one.team == team]
        roles = [one.id for one in world.roles.values() if one.team == team]
        others = [user for user, place in world.members if place != team and user not in people]
        return people + agents + roles + others[:1]

    def kind(self, x: UUID) -> str:
        return "role" if x in self.world.roles else "agent" if x in self.world.agents else "user"

    def is_here(self, x: UUID, team: UUID) -> bool:
        """Whether this person, agent or role is of the team."""
        world = self.world
        if x in world.roles:
            return world.roles[x].team == team
        return world.agents[x].team == team if x in world.agents else world.member(x, team)

    def change(self, a: Asset, **values: Any) -> None:
        self.world.assets[a.id] = replace(a, **values)
        self.touched = a.id

    def end(self, hours: int | None) -> datetime | None:
        return None if hours is None else self.now + timedelta(hours=hours, minutes=30)


def at_door(p: Principal) -> Caller:
    """Somebody who has just proved who they are."""
    return replace(caller(p), stepped_up=p.agent is None)


def pick(many: Sequence[T], number: int) -> T:
    return many[number % len(many)]
