"""Acts on who is who: roles, members, offices, agents, tokens, delegation, fences, and the clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from assets import scope
from assets.models import AssetRoleGrant, AssetUserGrant, Binding, Denial
from hub.authn import tokens as forms
from hub.models import Subject, Token, User
from hub.problems import Conflict, Forbidden, Invalid, Missing
from hub.services import agents, roles, teams, tokens
from tests.leaks import things
from tests.leaks.machine.both import Both, Refusal
from tests.leaks.plant import caller
from tests.leaks.things import Credential, Principal

LIFE = timedelta(minutes=15)


def hold(both: Both, p: Principal, role: things.Role, holder: UUID, holds: bool) -> None:
    """Give a role (and so its loadout) to a person or an agent, or take it away."""
    right: Refusal = None if both.is_admin(p) else Forbidden
    if right is None and role.team != p.team:
        right = Missing
    elif right is None and not both.is_here(holder, role.team):
        right = Invalid
    both.attempt("hold" if holds else "drop", right, lambda: roles.hold(
        caller(p), role=role.id, holder=(both.kind(holder), holder), holds=holds, reason="run"
    ))  # fmt: skip
    if right is None:
        held = role.holders | {holder} if holds else role.holders - {holder}
        both.world.roles[role.id] = replace(role, holders=held)


def join(both: Both, p: Principal, user: things.User) -> None:
    assert p.team is not None
    right: Refusal = None if both.is_admin(p) else Forbidden
    if right is None and not user.active:
        right = Invalid
    elif right is None and both.world.member(user.id, p.team):
        right = Conflict
    name = f"{user.name}-{user.id.hex}"
    both.attempt("join", right, lambda: teams.add_member(caller(p), username=name, reason="run"))
    if right is None:
        both.world.members[user.id, p.team] = frozenset({"member"})
        both.asking.append(Principal(p.team, user.id))


def leave(both: Both, p: Principal, user: UUID) -> None:
    """Roles, tokens and the care of agents end with it; what is owned there stays."""
    assert p.team is not None
    world, team = both.world, p.team
    mine = [one for one in world.agents.values() if one.team == team and one.responsible == user]
    right = _of_member(both, p, user)
    if right is None and world.has(user, team, "admin") and not _other_admin(both, team, user):
        right = Conflict
    elif right is None and user == p.user and mine:
        right = Invalid  # nobody succeeds themselves
    both.attempt("leave", right, lambda: teams.remove_member(
        caller(p), user=user, reason="run", successor=p.user if mine else None
    ))  # fmt: skip
    if right is not None:
        return
    assert p.user is not None
    world.agents |= {one.id: replace(one, responsible=p.user) for one in mine}
    del world.members[user, team]
    for role in [one for one in world.roles.values() if one.team == team]:
        world.roles[role.id] = replace(role, holders=role.holders - {user})
    world.credentials = [
        replace(one, revoked=True) if (one.principal.team, one.principal.user) == (team, user) else one
        for one in world.credentials
    ]


def office(both: Both, p: Principal, user: UUID, name: str) -> None:
    """Give an office, or take it where it is held."""
    assert p.team is not None
    world, team = both.world, p.team
    held = world.members.get((user, team), frozenset({"member"}))
    wanted = held ^ {name}
    right = _of_member(both, p, user)
    if right is None and "admin" in held - wanted and not _other_admin(both, team, user):
        right = Conflict
    both.attempt("office", right, lambda: teams.set_offices(
        caller(p), user=user, offices_held=sorted(wanted), reason="run"
    ))  # fmt: skip
    if right is None:
        world.members[user, team] = wanted
        _second_reviewer(both, team)


def four_eyes(both: Both, p: Principal, on: bool) -> None:
    assert p.team is not None
    right: Refusal = None if both.is_admin(p) else Forbidden
    if right is None and not on and _reviewers(both, p.team) >= 2:
        right = Conflict
    both.attempt("four eyes", right, lambda: teams.change_team(caller(p), four_eyes=on, reason="run"))
    if right is None:
        (both.world.one_eye.discard if on else both.world.one_eye.add)(p.team)


def _reviewers(both: Both, team: UUID) -> int:
    world = both.world
    return sum(
        place == team and "reviewer" in held and world.users[user].active
        for (user, place), held in world.members.items()
    )


def _second_reviewer(both: Both, team: UUID) -> None:
    if _reviewers(both, team) >= 2:
        both.world.one_eye.discard(team)


def _of_member(both: Both, p: Principal, user: UUID) -> Refusal:
    if not both.is_admin(p):
        return Forbidden
    assert p.team is not None
    return None if both.world.member(user, p.team) else Missing


def _other_admin(both: Both, team: UUID, user: UUID) -> bool:
    world = both.world
    return any(
        place == team and one != user and "admin" in held and world.users[one].active
        for (one, place), held in world.members.items()
    )


def suspend(both: Both, user: things.User) -> None:
    """Suspend a person, or take them back."""
    User.objects.filter(id=user.id).update(is_active=not user.active)
    both.world.users[user.id] = replace(user, active=not user.active)
    both.told["suspend"] += 1


def disable(both: Both, p: Principal, agent: things.Agent) -> None:
    """Switch an agent off, or on again."""
    right: Refusal = None if both.is_admin(p) else Forbidden
    if right is None and agent.team != p.team:
        right = Missing
    both.attempt("disable", right, lambda: agents.set_enabled(caller(p), agent.id, enabled=not agent.enabled))
    if right is None:
        both.world.agents[agent.id] = replace(agent, enabled=not agent.enabled)


def delegate(both: Both, agent: things.Agent, user: UUID) -> None:
    """The agent gets a token of 15 minutes with which it acts for the user."""
    enabled, here = agent.enabled, both.world.member(user, agent.team)
    found = both.attempt("delegate", None if enabled and here else Forbidden, lambda: tokens.mint_delegated(
        agent=agent.id, user=user, team=agent.team, actions=["read", "change"]
    ))  # fmt: skip
    if found is not None:
        p = Principal(agent.team, user, agent.id, things.Token(frozenset({"read", "change"})))
        both.world.credentials.append(Credential(p, both.now, timezone.now() + LIFE))
        both.texts.append(found[1])
        both.asking.append(p)


def end_token(both: Both, p: Principal, number: int) -> None:
    """Revoke a token: one's own, an agent's in one's care, or (an admin) any agent's."""
    world = both.world
    place = number % len(world.credentials)
    one, row = world.credentials[place], _row(both.texts[place])
    right: Refusal = None
    if one.principal.team != p.team or p.agent is not None:
        right = Missing
    elif one.principal.user != p.user or one.principal.agent is not None:
        machine = world.agents.get(one.principal.agent) if one.principal.agent else None
        if machine is None or (machine.responsible != p.user and not both.is_admin(p)):
            right = Missing
    both.attempt("end token", right, lambda: tokens.revoke(caller(p), row))
    if right is None:
        world.credentials[place] = replace(one, revoked=True)


def _row(text: str) -> UUID:
    parsed = forms.parse(text)
    assert parsed is not None
    return Token.objects.get(public_id=parsed.public_id).id


def fence(both: Both, user: things.User) -> None:
    """An erasure reaches the person, or is called off."""
    User.objects.filter(id=user.id).update(fenced_at=None if user.fenced else both.now)
    both.world.users[user.id] = replace(user, fenced=not user.fenced)
    both.told["fence"] += 1


def fence_subject(both: Both, subject: things.Subject) -> None:
    """The same for a person who is only written about."""
    Subject.objects.filter(id=subject.id).update(fenced_at=None if subject.fenced else both.now)
    both.world.subjects[subject.id] = replace(subject, fenced=not subject.fenced)
    both.told["fence"] += 1


def wait(both: Both, hours: int) -> None:
    """The clock goes on: everything that ends does so by as much sooner."""
    world, by = both.world, timedelta(hours=hours)
    for model in (AssetUserGrant, AssetRoleGrant):
        model.objects.update(expires_at=F("expires_at") - by)
    Token.objects.update(expires_at=F("expires_at") - by)
    for team in world.teams:
        scope.walls(team, "{}")
        for rows in (Denial, Binding):
            rows.objects.filter(team_id=team).update(expires_at=F("expires_at") - by)
    world.grants = [replace(g, expires_at=g.expires_at and g.expires_at - by) for g in world.grants]
    world.loadouts = [replace(b, expires_at=b.expires_at and b.expires_at - by) for b in world.loadouts]
    moved = [(row, replace(d, expires_at=d.expires_at and d.expires_at - by)) for row, d in both.denials]
    both.denials, world.denials = moved, [d for _, d in moved]
    world.credentials = [replace(c, expires_at=c.expires_at - by) for c in world.credentials]
    both.told["wait"] += 1
