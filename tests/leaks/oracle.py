"""The reference policy: who may do what, over a world of plain values. No Django, no SQL.

It is the only second implementation of the rules and is read line by line. The first rule
that fails names the decision, in the order that the product prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

READ, CHANGE, MANAGE, REVIEW = "read", "change", "manage", "review"
ACTIONS = (READ, CHANGE, MANAGE, REVIEW)
LEVELS = {READ: 1, CHANGE: 2, MANAGE: 3}
FOREVER = 2_147_483_647
SEEN, BOUND = "visibility and grants", "binding"
Answer = tuple[bool, str]


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
        holders = [user for (user, place), held in self.members.items() if place == team and office in held]
        return len(holders) >= 2

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


def credential_is_live(w: World, c: Credential, now: datetime) -> bool:
    """Without this there is no principal at all: 401."""
    p = c.principal
    if c.revoked or c.expires_at <= now or p.team is None or not w.teams[p.team]:
        return False
    if p.user is not None and not w.users[p.user].active:
        return False
    if p.agent is not None and not w.agents[p.agent].enabled:
        return False
    return not (p.user and p.agent) or now - c.issued_at <= timedelta(minutes=15)


def decide(w: World, p: Principal, action: str, a: Asset, now: datetime) -> Answer:
    """May `p` do `action` to `a` at `now`, and the rule that says so."""
    if a.erased:
        return False, "erased"
    if w.fenced(a.owner) and a.visibility == "private":
        return False, "fenced"
    if action != READ and w.fenced(p.user):  # no writes for them anywhere
        return False, "fenced"
    if a.quarantined and not _inspector(w, p, action, a):
        return False, "quarantined"
    if w.denial(p.user, a, now) or w.denial(p.agent, a, now):
        return False, "denied"
    if action not in p.token.actions or not p.token.covers(a):
        return False, "token scope"
    if p.team != a.team or (p.user is None and p.agent is None):
        return False, "team"
    if p.user and not w.member(p.user, a.team):  # the owner included
        return False, "team"
    if p.agent and w.agents[p.agent].team != a.team:
        return False, "team"
    rule = "default no"
    if p.user:  # both must agree: the intersection
        ok, rule = _user(w, p, action, a, now)
        if not ok:
            return False, rule
    if p.agent:
        ok, rule = _agent(w, p, p.agent, action, a, now)
        if not ok:
            return False, rule
    return True, rule


def _inspector(w: World, p: Principal, action: str, a: Asset) -> bool:
    """People only; the later rules still apply to them."""
    return p.agent is None and action in (READ, REVIEW) and (
        p.user == a.owner or w.has(p.user, a.team, "reviewer")
    )  # fmt: skip


def _user(w: World, p: Principal, action: str, a: Asset, now: datetime) -> Answer:
    u, own = p.user, p.user == a.owner
    assert u is not None
    if a.visibility in ("private", "agent"):
        reads = own
    elif a.visibility == "team":
        reads = True
    elif a.visibility == "restricted":
        reads = own or w.granted(u, a, READ, now)
    else:  # an unknown value: no, the owner too
        reads = False
    if not reads or action == READ:
        return reads, SEEN
    if action == REVIEW:
        others = u != w.author(a) or not w.four_eyes(a.team, "reviewer")
        return w.has(u, a.team, "reviewer") and others, SEEN
    steward = a.visibility == "team" and w.has(u, a.team, "admin")
    return own or steward or w.granted(u, a, action, now), SEEN


def _agent(w: World, p: Principal, g: UUID, action: str, a: Asset, now: datetime) -> Answer:
    if action in (MANAGE, REVIEW):  # a person with step-up does these
        return False, "default no"
    bound = [b for b in w.bindings(g, a, now) if _counts(b, p, a)]
    by_grant = a.visibility in ("team", "restricted")  # a binding widens neither of these
    if a.visibility == "private":
        reads = bool(bound)
    elif a.visibility in ("team", "agent"):
        reads = True
    elif a.visibility == "restricted":
        reads = w.granted(g, a, READ, now)
    else:
        reads = False
    if not reads:
        return False, SEEN
    if action == CHANGE and by_grant and not w.granted(g, a, CHANGE, now):
        return False, SEEN
    if not any(served(b, a) is not None for b in bound):
        return False, BOUND
    return action == READ or any(b.access == "write" for b in bound), BOUND


def _counts(b: Binding, p: Principal, a: Asset) -> bool:
    """Private: bound directly by the present owner, or written under this very authority."""
    if a.visibility != "private":
        return True
    written = b.automatic and a.created_by_agent == p.agent and a.written_for == p.user
    return b.distance == 0 and (b.made_by == a.owner or written)


def served(b: Binding, a: Asset) -> int | None:
    """The version that a binding gives, or None."""
    if a.status == "archived":
        return None
    if b.pin is not None:
        return b.pin
    return a.head if a.kind == "chat_memory" or b.wants_head else a.approved


def version(w: World, p: Principal, a: Asset, now: datetime) -> int | None:
    """The version that `p` reads where it may read: an agent the one of its nearest binding."""
    if p.agent is None:
        return a.head
    given = [served(b, a) for b in w.bindings(p.agent, a, now) if _counts(b, p, a)]
    return next((number for number in given if number is not None), None)


def node_visible(w: World, p: Principal, a: Asset, n: Node, now: datetime) -> bool:
    v = version(w, p, a, now)
    about = {s for s, part in n.subjects if part in ("author", "about")}
    return (
        v is not None
        and decide(w, p, READ, a, now)[0]
        and not any(w.fenced(s) for s in about)
        and (p.token.subject is None or about <= {p.token.subject})
        and (n.state != "held" or _inspector(w, p, READ, a))
        and n.since <= v < n.until
    )


def visible(w: World, p: Principal, now: datetime, action: str = READ) -> set[UUID]:
    """The assets that `p` may use."""
    return {a.id for a in w.assets.values() if decide(w, p, action, a, now)[0]}
