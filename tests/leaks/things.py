"""A world of plain values: people, agents, assets and rights, and what is true in it. No Django."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

READ, CHANGE, MANAGE, REVIEW = "read", "change", "manage", "review"
ACTIONS = (READ, CHANGE, MANAGE, REVIEW)
LEVELS = {READ: 1, CHANGE: 2, MANAGE: 3}
FOREVER = 2_147_483_647


@dataclass(frozen=True)
class User:
    id: UUID
    name: str
    fenced: bool = False
    active: bool = True
    superuser: bool = False


@dataclass(frozen=True)
class Agent:
    id: UUID
    name: str
    team: UUID
    responsible: UUID
    enabled: bool = True


@dataclass(frozen=True)
class Role:
    id: UUID
    name: str
    team: UUID
    holders: frozenset[UUID]


@dataclass(frozen=True)
class Subject:
    """A person that content is about. `user` is the account of the same person, if any."""

    id: UUID
    team: UUID
    user: UUID | None = None
    fenced: bool = False


@dataclass(frozen=True)
class Asset:
    id: UUID
    name: str
    team: UUID
    owner: UUID
    kind: str = "chat_memory"
    visibility: str = "private"
    status: str = "draft"
    head: int = 1
    approved: int | None = None
    quarantined: bool = False
    erased: bool = False
    created_by_agent: UUID | None = None
    written_for: UUID | None = None


@dataclass(frozen=True)
class Node:
    """One row of a piece of content. `subjects` are (person, author | about | mentioned)."""

    id: UUID
    asset: UUID
    word: str
    state: str = "live"
    since: int = 1
    until: int = FOREVER
    subjects: tuple[tuple[UUID, str], ...] = ()


@dataclass(frozen=True)
class Grant:
    asset: UUID
    to: UUID  # a user, an agent or a role
    level: str
    expires_at: datetime | None = None


@dataclass(frozen=True)
class Denial:
    asset: UUID
    to: UUID
    expires_at: datetime | None = None


@dataclass(frozen=True)
class Binding:
    """Equipped directly to an agent, to a role's loadout, or (both none) to a team's base."""

    id: UUID
    asset: UUID
    team: UUID
    agent: UUID | None = None
    role: UUID | None = None
    access: str = "read"
    pin: int | None = None
    wants_head: bool = False
    made_by: UUID | None = None
    automatic: bool = False
    expires_at: datetime | None = None

    @property
    def distance(self) -> int:
        return 0 if self.agent else 1 if self.role else 2


@dataclass(frozen=True)
class Token:
    """What a credential narrows to. A browser sign-in carries every action."""

    actions: frozenset[str] = frozenset(ACTIONS)
    kinds: frozenset[str] | None = None
    subject: UUID | None = None

    def covers(self, a: Asset) -> bool:
        return self.kinds is None or a.kind in self.kinds


@dataclass(frozen=True)
class Principal:
    """A user, an agent, or an agent acting for a user; neither is a stranger."""

    team: UUID | None
    user: UUID | None = None
    agent: UUID | None = None
    token: Token = Token()


@dataclass(frozen=True)
class Credential:
    """A stored token with everything that can end it."""

    principal: Principal
    issued_at: datetime
    expires_at: datetime
    revoked: bool = False


@dataclass
class World:
    teams: dict[UUID, bool] = field(default_factory=dict)  # id -> is it live (not archived)
    one_eye: set[UUID] = field(default_factory=set)  # teams that have switched four eyes off
    users: dict[UUID, User] = field(default_factory=dict)
    members: dict[tuple[UUID, UUID], frozenset[str]] = field(default_factory=dict)
    agents: dict[UUID, Agent] = field(default_factory=dict)
    roles: dict[UUID, Role] = field(default_factory=dict)
    subjects: dict[UUID, Subject] = field(default_factory=dict)
    assets: dict[UUID, Asset] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    denials: list[Denial] = field(default_factory=list)
    loadouts: list[Binding] = field(default_factory=list)
    credentials: list[Credential] = field(default_factory=list)

    def fenced(self, x: UUID | None) -> bool:
        """A person, by account or as a Subject, whose erasure has reached the fence."""
        if x is None:
            return False
        if x in self.subjects:
            subject = self.subjects[x]
            return subject.fenced or (subject.user is not None and self.users[subject.user].fenced)
        return x in self.users and self.users[x].fenced

    def member(self, user: UUID, team: UUID) -> bool:
        return (user, team) in self.members

    def has(self, user: UUID | None, team: UUID, office: str) -> bool:
        return user is not None and office in self.members.get((user, team), frozenset())

    def four_eyes(self, team: UUID, office: str) -> bool:
        """The team wants it and at least two hold the office who are not suspended."""
        holders = [user for (user, place), held in self.members.items() if place == team and office in held]
        return team not in self.one_eye and sum(self.users[user].active for user in holders) >= 2

    def author(self, a: Asset) -> UUID:
        """Who wrote what is under review: the owner, as long as an asset has one author."""
        return a.owner

    def parties(self, x: UUID) -> set[UUID]:
        """The holder and every role it holds now."""
        return {x} | {role.id for role in self.roles.values() if x in role.holders}

    def denial(self, x: UUID | None, a: Asset, now: datetime) -> bool:
        return x is not None and any(
            d.asset == a.id and d.to in self.parties(x) and is_live(d.expires_at, now) for d in self.denials
        )

    def granted(self, x: UUID, a: Asset, level: str, now: datetime) -> bool:
        return any(
            g.asset == a.id and g.to in self.parties(x) and is_live(g.expires_at, now)
            and LEVELS[g.level] >= LEVELS[level]
            for g in self.grants
        )  # fmt: skip

    def bindings(self, g: UUID, a: Asset, now: datetime) -> list[Binding]:
        """Nearest first: direct, of the roles held, of the base that those roles extend."""
        held = {role.id for role in self.roles.values() if g in role.holders and role.team == a.team}
        found = [
            b for b in self.loadouts
            if b.asset == a.id and is_live(b.expires_at, now)
            and (b.agent == g or (b.role in held) or (b.agent is None and b.role is None and bool(held)))
        ]  # fmt: skip
        return sorted(found, key=lambda b: (b.distance, b.id))


def is_live(expires_at: datetime | None, now: datetime) -> bool:
    return expires_at is None or expires_at > now
