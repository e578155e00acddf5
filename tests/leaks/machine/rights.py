"""Acts on the rights of an asset: grants, denials, bindings, visibility, quarantine, status."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from assets.services import bindings, denials, grants, statuses, visibility
from hub import ids
from hub.problems import Conflict, Forbidden, Invalid, Missing
from tests.leaks.machine.both import Both, Refusal, at_door
from tests.leaks.machine.cast import OWN
from tests.leaks.things import CHANGE, MANAGE, READ, REVIEW, Asset, Binding, Denial, Grant, Principal, is_live


def known(kind: str, answer: dict[str, Any]) -> UUID:
    """The id that the product gave."""
    found = ids.parse(kind, answer["id"])
    assert found is not None
    return found


def grant(both: Both, p: Principal, a: Asset, to: UUID, level: str, hours: int | None) -> None:
    end, right = both.end(hours), both.needs(p, a)
    if right is None and not both.is_here(to, a.team):
        right = Invalid
    answer = both.attempt("grant", right, lambda: grants.grant(
        at_door(p), asset=a.id, to=(both.kind(to), to), level=level, expires_at=end
    ))  # fmt: skip
    both.touched = a.id
    if answer is not None:
        _granted(both, a, to, level, hours, known("grant", answer))


def _granted(both: Both, a: Asset, to: UUID, level: str, hours: int | None, row: UUID) -> None:
    """A repeat renews the terms."""
    kept = [g for g in both.world.grants if (g.asset, g.to, g.level) != (a.id, to, level)]
    both.world.grants = [*kept, Grant(a.id, to, level, both.end(hours))]
    both.grants[a.id, to, level] = row


def revoke(both: Both, p: Principal, g: Grant) -> None:
    a = both.world.assets[g.asset]
    row = both.grants.get((g.asset, g.to, g.level))
    if row is None:
        return
    both.attempt("revoke", both.needs(p, a), lambda: grants.revoke(at_door(p), row))
    both.touched = a.id
    if both.needs(p, a) is None:
        both.world.grants.remove(g)


def deny(both: Both, p: Principal, a: Asset, to: UUID, hours: int | None) -> None:
    right = both.needs(p, a)
    if right is None and (not both.is_here(to, a.team) or to == a.owner):
        right = Invalid
    answer = both.attempt("deny", right, lambda: denials.deny(
        at_door(p), asset=a.id, to=(both.kind(to), to), reason="run", expires_at=both.end(hours)
    ))  # fmt: skip
    both.touched = a.id
    if answer is not None:
        made = Denial(a.id, to, both.end(hours))
        both.world.denials.append(made)
        both.denials.append((known("denial", answer), made))


def lift(both: Both, p: Principal, number: int) -> None:
    row, denial = both.denials[number % len(both.denials)]
    a = both.world.assets[denial.asset]
    right = both.needs(p, a)
    both.attempt("lift", right, lambda: denials.lift(at_door(p), row))
    both.touched = a.id
    if right is None:
        both.denials.remove((row, denial))
        both.world.denials.remove(denial)


def bind(
    both: Both, p: Principal, a: Asset, holder: UUID | None, hours: int | None, terms: dict[str, Any]
) -> None:
    """To an agent, a role's loadout, or (no holder) the base. `terms`: access, pin, follow."""
    world = both.world
    agent = holder if holder in world.agents else None
    role = holder if holder in world.roles else None
    there = [
        b for b in world.loadouts if (b.asset, b.team, b.agent, b.role) == (a.id, a.team, agent, role)
    ]  # fmt: skip
    right = both.needs(p, a)
    if right is None:
        if (holder is not None and not both.is_here(holder, a.team)) or (
            a.visibility == "private" and (agent is None or a.owner != p.user)
        ):
            right = Invalid
        elif any(is_live(b.expires_at, both.now) for b in there):
            right = Conflict
    answer = both.attempt("bind", right, lambda: bindings.bind(
        at_door(p), asset=a.id, agent=agent, role=role, base=holder is None, reason="run",
        expires_at=both.end(hours), **terms,
    ))  # fmt: skip
    both.touched = a.id
    if answer is not None:
        world.loadouts = [b for b in world.loadouts if b not in there]
        world.loadouts.append(Binding(
            known("binding", answer), a.id, a.team, agent=agent, role=role, access=terms["access"],
            pin=terms["pin"], wants_head=terms["follow"] == "head", made_by=p.user, expires_at=both.end(hours),
        ))  # fmt: skip


def unbind(both: Both, p: Principal, b: Binding) -> None:
    a = both.world.assets[b.asset]
    # A team knows of no other team's bindings.
    right = both.needs(p, a) if p.team == b.team else Missing
    both.attempt("unbind", right, lambda: bindings.unbind(at_door(p), b.id, "run"))
    both.touched = a.id
    if right is None:
        both.world.loadouts.remove(b)


def show(both: Both, p: Principal, a: Asset, to: str, grant_writers: bool) -> None:
    """Widen or narrow, with the grants that agents which write there would now need."""
    right = both.needs(p, a)
    writers = _writers(both, a, replace(a, visibility=to)) if grant_writers else []
    if right is None and writers:
        right = both.needs(p, replace(a, visibility=to))
    answer = both.attempt("show", right, lambda: visibility.set_visibility(
        at_door(p), asset=a.id, to=to, reason="run", grant_writers=grant_writers
    ))  # fmt: skip
    both.touched = a.id
    if answer is None:
        return
    both.change(a, visibility=to)
    rows = {one["to"]: one for one in grants.list_grants(at_door(p), a.id)} if writers else {}
    for agent in writers:
        _granted(both, a, agent, "change", None, known("grant", rows[ids.public("agent", agent)]))


def _writers(both: Both, before: Asset, after: Asset) -> list[UUID]:
    """Agents that could write and then no longer can."""
    agents = [one for one in both.world.agents.values() if one.team == before.team and one.enabled]
    asking = {one.id: Principal(one.team, agent=one.id, token=OWN) for one in agents}
    return [
        agent for agent, p in asking.items()
        if both.may(p, CHANGE, before) and not both.may(p, CHANGE, after)
    ]  # fmt: skip


def quarantine(both: Both, p: Principal, a: Asset, on: bool) -> None:
    right: Refusal = Missing
    if both.may(p, READ, a):
        allowed = both.may(p, REVIEW, a)
        if not allowed and p.agent is None:
            allowed = both.may(p, MANAGE, a) if on else p.user in _lifters(both, a)
        right = None if allowed else Forbidden
    both.attempt("quarantine" if on else "let back", right, lambda: statuses.set_quarantine(
        at_door(p), asset=a.id, quarantined=on, reason="run"
    ))  # fmt: skip
    both.touched = a.id
    if right is None:
        both.change(a, quarantined=on)


def _lifters(both: Both, a: Asset) -> list[UUID]:
    """The reviewers; where there is none, the owner who can still read it."""
    world = both.world
    here = [user for user, team in world.members if team == a.team and world.users[user].active]
    found = [user for user in here if both.may(Principal(a.team, user), REVIEW, a)]
    if not found and a.owner in here and both.may(Principal(a.team, a.owner), READ, a):
        return [a.owner]
    return found


def status(both: Both, p: Principal, a: Asset, to: str) -> None:
    before, action = statuses.WAYS[to]
    right = both.needs(p, a, action)
    if right is None:
        if a.status == "archived" and not both.may(p, MANAGE, a):
            right = Forbidden
        elif a.status not in before or (a.kind == "chat_memory" and to not in ("draft", "archived")):
            right = Conflict
    # Afterwards it is read again, which whoever archives from an agent's seat may not.
    answer = both.attempt(f"status {to}", right, lambda: statuses.set_status(
        at_door(p), asset=a.id, to=to, reason="run"
    ))  # fmt: skip
    both.touched = a.id
    if answer is not None:
        both.change(a, status=to, approved=a.head if to == "approved" else a.approved)
