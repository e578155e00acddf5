"""Random worlds for the policy, the same for the same seed, with every value that a rule reads.

An erasure that reaches a person with an account fences the account; one without an account
is fenced as a Subject. An automatic binding was made by the agent, not by the owner.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

from tests.leaks.things import (
    ACTIONS,
    FOREVER,
    Agent,
    Asset,
    Binding,
    Credential,
    Denial,
    Grant,
    Node,
    Principal,
    Role,
    Subject,
    Token,
    User,
    World,
)  # fmt: skip

KINDS = ("chat_memory", "skill", "wiki", "code_graph")
VISIBILITIES = ("private", "team", "restricted", "agent")
STATUSES = ("draft", "in_review", "approved", "approved", "deprecated", "archived")
OFFICES = ("admin", "reviewer", "compliance", "auditor")
TEAMS, PEOPLE, AGENTS, ROLES, ASSETS = 3, 5, 3, 2, 14  # each but the first per team


class Maker:
    """One world being made. Every draw comes from one seeded source."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.world = World()
        self.now = datetime.now(UTC)

    def id(self) -> UUID:
        return UUID(int=self.draw.getrandbits(128), version=4)

    def often(self, share: float) -> bool:
        return self.draw.random() < share

    def end(self) -> datetime | None:
        """No end, one to come, or one that has passed."""
        return self.draw.choice((None, None, self.now + timedelta(days=3), self.now - timedelta(minutes=5)))

    def people(self, team: UUID, label: int) -> None:
        for number in range(PEOPLE):
            user = User(
                self.id(), f"person-{label}-{number}", fenced=self.often(0.08),
                active=not self.often(0.1), superuser=self.often(0.15),
            )  # fmt: skip
            self.world.users[user.id] = user
            if number == PEOPLE - 1 and self.often(0.7):
                continue  # left the team, may still own something there
            held = {office for office in OFFICES if self.often(0.3)}
            self.world.members[user.id, team] = frozenset({"member", *held})
        for _ in range(3):
            account = self.draw.choice([None, *self.world.users])
            subject = Subject(self.id(), team, account, fenced=account is None and self.often(0.3))
            self.world.subjects[subject.id] = subject

    def machines(self, team: UUID, label: int) -> None:
        here = [user for user, place in self.world.members if place == team]
        agents = [
            Agent(self.id(), f"agent-{label}-{number}", team, self.draw.choice(here), not self.often(0.1))
            for number in range(AGENTS)
        ]
        self.world.agents |= {agent.id: agent for agent in agents}
        for number in range(ROLES):
            holders = {one for one in (*here, *(a.id for a in agents)) if self.often(0.4)}
            role = Role(self.id(), f"role-{label}-{number}", team, frozenset(holders))
            self.world.roles[role.id] = role

    def asset(self, team: UUID, label: str) -> Asset:
        people = [one.id for one in self.world.users.values() if one.name.startswith(f"person-{label[0]}-")]
        head = self.draw.randint(1, 4)
        return Asset(
            self.id(), f"asset-{label}", team, self.draw.choice(people),
            kind=self.draw.choice(KINDS), head=head, status=self.draw.choice(STATUSES),
            visibility="tem" if self.often(0.05) else self.draw.choice(VISIBILITIES),
            approved=self.draw.choice((None, head, max(1, head - 1))),
            quarantined=self.often(0.08), erased=self.often(0.05),
        )  # fmt: skip

    def assets(self, team: UUID, label: int) -> None:
        for number in range(ASSETS):
            self.add(self.asset(team, f"{label}-{number}"))
        for agent in [one for one in self.world.agents.values() if one.team == team]:
            members = [user for user, place in self.world.members if place == team]
            for user in (None, self.draw.choice(members)):
                self.own_memory(agent, user, f"{label}-{agent.name}-{user}")

    def own_memory(self, agent: Agent, user: UUID | None, label: str) -> None:
        """What an agent writes: private, bound to it, under its own authority or a user's."""
        drawn = self.asset(agent.team, label)
        owner = user or agent.responsible
        if self.often(0.15):  # handed over since
            owner = drawn.owner
        asset = Asset(
            drawn.id, drawn.name, agent.team, owner, head=drawn.head, created_by_agent=agent.id,
            written_for=user, quarantined=drawn.quarantined, status=drawn.status,
            visibility=drawn.visibility if self.often(0.2) else "private",
        )  # fmt: skip
        self.add(asset)
        mates = [one.id for one in self.world.agents.values() if one.team == agent.team and one != agent]
        for writer in [agent.id, *([self.draw.choice(mates)] if self.often(0.2) else [])]:
            self.world.loadouts.append(
                Binding(
                    self.id(), asset.id, agent.team, agent=writer, access="write", automatic=True,
                    made_by=writer,
                )
            )  # fmt: skip

    def add(self, asset: Asset) -> None:
        self.world.assets[asset.id] = asset
        for number in range(self.draw.randint(1, 2)):
            since = self.draw.randint(1, asset.head)
            until = FOREVER if self.often(0.8) else since + self.draw.randint(1, 2)
            here = [one.id for one in self.world.subjects.values() if one.team == asset.team]
            about = self.draw.sample(here, self.draw.choice((0, 0, 0, 1, 1, 2)))
            self.world.nodes.append(
                Node(
                    self.id(), asset.id, f"canary{asset.id.hex[:10]}n{number}", since=since, until=until,
                    state=self.draw.choice(("live", "live", "live", "live", "held", "archived")),
                    subjects=tuple((one, self.draw.choice(("author", "about", "mentioned"))) for one in about),
                )
            )  # fmt: skip

    def rights(self, team: UUID) -> None:
        """Grants, denials and bindings, live and dead, of every kind of holder."""
        world, draw = self.world, self.draw
        roles = [one.id for one in world.roles.values() if one.team == team]
        agents = [one.id for one in world.agents.values() if one.team == team]
        holders = [user for user, place in world.members if place == team] + roles + agents
        for asset in [one for one in world.assets.values() if one.team == team]:
            seen: set[tuple[UUID, str]] = set()
            for _ in range(
                draw.randint(0, 4) if asset.visibility in ("restricted", "team") else draw.randint(0, 1)
            ):
                key = draw.choice(holders), draw.choice(("read", "change", "manage"))
                if key not in seen:
                    world.grants.append(Grant(asset.id, *key, self.end()))
                seen.add(key)
            if self.often(0.15):
                denied = draw.choice(holders)
                if denied != asset.owner:
                    world.denials.append(Denial(asset.id, denied, self.end()))
            written = {b.agent for b in world.loadouts if b.asset == asset.id}
            for agent in agents:
                if agent not in written and self.often(0.3):
                    self.bind(asset, agent=agent)
            for role in roles:
                if self.often(0.3):
                    self.bind(asset, role=role)
            if self.often(0.2):
                self.bind(asset)

    def bind(self, asset: Asset, agent: UUID | None = None, role: UUID | None = None) -> None:
        former = self.draw.choice(list(self.world.users))
        self.world.loadouts.append(
            Binding(
                self.id(), asset.id, asset.team, agent=agent, role=role,
                access=self.draw.choice(("read", "write")),
                pin=self.draw.choice((None, None, None, 1, 2)), wants_head=self.often(0.3),
                made_by=asset.owner if self.often(0.7) else former, expires_at=self.end(),
            )
        )  # fmt: skip

    def credentials(self) -> None:
        for p in principals(self.world, self.draw):
            issued = self.now - timedelta(minutes=self.draw.choice((0, 1, 20)) if p.user and p.agent else 1)
            life = timedelta(minutes=15) if p.user and p.agent else self.draw.choice(
                (timedelta(days=1), timedelta(days=1), timedelta(seconds=30))
            )  # fmt: skip
            self.world.credentials.append(Credential(p, issued, issued + life, revoked=self.often(0.15)))


def make(seed: int) -> World:
    """At least 3 teams, 12 people, 40 assets, and every visibility, an unknown one too."""
    maker = Maker(seed)
    teams = [maker.id() for _ in range(TEAMS)]
    for label, team in enumerate(teams):
        maker.world.teams[team] = not (label == TEAMS - 1 and maker.often(0.1))
        maker.people(team, label)
    first = next(iter(maker.world.users))
    maker.world.members[first, teams[1]] = frozenset({"member"})  # one person in two teams
    for label, team in enumerate(teams):
        maker.machines(team, label)
        maker.assets(team, label)
        maker.rights(team)
    maker.credentials()
    aside = Random(f"eyes {seed}")  # so that a later setting leaves the other draws as they were
    maker.world.one_eye |= {team for team in teams if aside.random() < 0.25}
    return maker.world


# Kinds of principal that are not asked here, with the reason (all others are: people with every
# office, superuser flag included, strangers, leavers, agents bound or not, delegated, locked).
NOT_BUILT = {"P14": "a background worker asks with the scope of whoever started its job"}


def principals(world: World, draw: Random) -> list[Principal]:
    """Everybody who may ask: people in their teams and in others', agents on their own tokens,
    acting for a user, narrowed by action, kind or Subject.
    """
    found = [Principal(team, user) for user, team in world.members]
    found += [
        Principal(team, user)
        for user in world.users
        for team in world.teams
        if (user, team) not in world.members
    ][::5]
    own = Token(frozenset({"read", "change"}))
    for agent in world.agents.values():
        found.append(Principal(agent.team, agent=agent.id, token=own))
        members = [user for user, team in world.members if team == agent.team]
        written_for = [
            a.written_for for a in world.assets.values() if a.created_by_agent == agent.id and a.written_for
        ]
        for user in {draw.choice(members), *written_for}:
            found.append(Principal(agent.team, user, agent.id, own))
        here = [one.id for one in world.subjects.values() if one.team == agent.team]
        found.append(Principal(agent.team, agent=agent.id, token=Token(own.actions, None, draw.choice(here))))
        found.append(
            Principal(
                agent.team, agent=agent.id,
                token=Token(
                    frozenset(draw.sample(ACTIONS, draw.randint(1, 3))),
                    draw.choice((None, frozenset(), frozenset(draw.sample(KINDS, 2)))),
                ),
            )
        )  # fmt: skip
    elsewhere = draw.choice(list(world.agents.values()))
    found.append(Principal(draw.choice(list(world.teams)), agent=elsewhere.id, token=own))
    return found
