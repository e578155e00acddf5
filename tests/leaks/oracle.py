"""The reference policy: who may do what, over a world of plain values. No Django, no SQL.

It is the only second implementation of the rules and is read line by line. The first rule
that fails names the decision, in the order that the product prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from tests.leaks.things import (
    CHANGE,
    MANAGE,
    READ,
    REVIEW,
    Asset,
    Binding,
    Credential,
    Node,
    Principal,
    World,
)

SEEN, BOUND = "visibility and grants", "binding"
Answer = tuple[bool, str]


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
    """The version that `p` reads where it may read: an agent the one of its nearest binding,
    of two equally near the newer one.
    """
    if p.agent is None:
        return a.head
    given = [(b.distance, served(b, a)) for b in w.bindings(p.agent, a, now) if _counts(b, p, a)]
    near = min((distance for distance, number in given if number is not None), default=None)
    return max(
        (number for distance, number in given if distance == near and number is not None), default=None
    )


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


def may_write_about(w: World, subjects: Iterable[UUID | None]) -> bool:
    """Beside `decide` for a change: nothing by or about a fenced person is stored."""
    return not any(w.fenced(one) for one in subjects)


def visible(w: World, p: Principal, now: datetime, action: str = READ) -> set[UUID]:
    """The assets that `p` may use."""
    return {a.id for a in w.assets.values() if decide(w, p, action, a, now)[0]}
