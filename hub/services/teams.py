"""The team and who is in it: people with their offices, taken in and out by its admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from hub import audit, ids
from hub.authn import offices
from hub.authn.principal import Principal
from hub.models import Agent, Membership, Team, Token, User
from hub.models.teams import ADMIN, MEMBER, OFFICES, REVIEWER
from hub.problems import Conflict, Invalid, Missing


def read_team(principal: Principal, *, lock: bool = False) -> dict[str, Any]:
    """The team of the caller; `lock` holds its row. Raises Missing for a stranger."""
    with transaction.atomic():
        rows = Team.objects.select_for_update() if lock else Team.objects.all()
        row = rows.get(id=principal.in_team)
        audit.record(principal, "team.read", target=ids.public("team", row.id))
    return _team(row)


def change_team(
    principal: Principal, *, name: str | None = None, four_eyes: bool | None = None, reason: str
) -> dict[str, Any]:
    """Rename the team or set four eyes. Raises Forbidden, Invalid, Conflict: four eyes stay on
    while a second reviewer is there.
    """
    offices.require(principal, ADMIN)
    _reason(reason)
    if name is not None and not 1 <= len(name.strip()) <= 100:
        raise Invalid(fields={"name": "1 to 100 characters"})
    with transaction.atomic():
        row = Team.objects.select_for_update().get(id=principal.in_team)
        if four_eyes is False and _active(row.id, REVIEWER).count() >= 2:
            raise Conflict("There is a second reviewer: four eyes stay on.")
        row.name = row.name if name is None else name.strip()
        row.four_eyes = row.four_eyes if four_eyes is None else four_eyes
        row.save(update_fields=["name", "four_eyes"])
        Team.rights_changed(row.id)
        audit.record(
            principal, "team.change", target=ids.public("team", row.id),
            payload={"name": name, "four_eyes": four_eyes, "reason": reason},
        )  # fmt: skip
    return _team(row)


def list_members(principal: Principal) -> list[dict[str, Any]]:
    """The people of the team, for its people; an agent learns of its responsible person only."""
    with transaction.atomic():
        audit.record(principal, "member.list")
        return [shape(row) for row in _known(principal).order_by("user__username")]


def read_member(principal: Principal, user: UUID, *, lock: bool = False) -> dict[str, Any]:
    """One of those that the list shows; `lock` holds its row. Raises Missing."""
    with transaction.atomic():
        rows = _known(principal).filter(user_id=user)
        row = (rows.select_for_update(of=("self",)) if lock else rows).first()
        if row is not None:
            audit.record(principal, "member.list", target=ids.public("user", user))
            return shape(row)
    audit.refused(principal, "member.list", target=str(user))
    raise Missing


def _known(principal: Principal) -> QuerySet[Membership]:
    rows = Membership.objects.filter(team_id=principal.in_team).select_related("user")
    if principal.agent is not None:
        rows = rows.filter(user__agents_in_care__account_id=principal.agent)
    return rows


def add_member(
    principal: Principal, *, username: str, offices_held: Sequence[str] = (MEMBER,), reason: str
) -> dict[str, Any]:
    """Take a person of this hub into the team. Raises Forbidden, Invalid, Conflict."""
    offices.require(principal, ADMIN)
    _reason(reason)
    held = _offices(offices_held)
    with transaction.atomic():
        team = Team.objects.select_for_update().get(id=principal.in_team)
        person = User.people.filter(username=username, is_active=True).first()
        if person is None:
            raise Invalid(fields={"username": "nobody of this name"})
        row, is_new = Membership.objects.get_or_create(team=team, user=person, defaults={"offices": held})
        if not is_new:
            raise Conflict("This person is in the team already.")
        _changed(team)
        audit.record(
            principal, "member.add", target=ids.public("user", person.id),
            payload={"offices": held, "reason": reason},
        )  # fmt: skip
    return shape(row)


def set_offices(
    principal: Principal, *, user: UUID, offices_held: Sequence[str], reason: str
) -> dict[str, Any]:
    """Which offices a member holds. Raises Forbidden, Missing, Invalid, Conflict (the last admin)."""
    offices.require(principal, ADMIN)
    _reason(reason)
    held = _offices(offices_held)
    with transaction.atomic():
        team, row = _member(principal, user)
        if ADMIN in row.offices and ADMIN not in held:
            _another_admin(team, user)
        before, row.offices = row.offices, held
        row.save(update_fields=["offices"])
        _changed(team)
        audit.record(
            principal, "member.change", target=ids.public("user", user),
            payload={"before": before, "offices": held, "reason": reason},
        )  # fmt: skip
    return shape(row)


def remove_member(
    principal: Principal, *, user: UUID, reason: str, successor: UUID | None = None
) -> dict[str, Any]:
    """Take a person out: roles, offices and tokens of this team end at once. Agents in the
    person's care go to `successor`. Raises Forbidden, Missing, Invalid, Conflict (the last
    admin, or agents without a successor).
    """
    offices.require(principal, ADMIN)
    _reason(reason)
    with transaction.atomic():
        team, row = _member(principal, user)
        if ADMIN in row.offices:
            _another_admin(team, user)
        agents = Agent.objects.filter(team=team, responsible_id=user)
        if successor is not None and (
            successor == user
            or not Membership.objects.filter(team=team, user_id=successor, user__is_active=True).exists()
        ):
            raise Invalid(fields={"successor": "another member of the team"})
        if successor is None and agents.exists():
            raise Conflict("Agents are in this person's care: name a successor.")
        handed = agents.update(responsible_id=successor) if successor else 0
        person = row.user
        person.groups.remove(*person.groups.filter(role__team=team))
        ended = Token.objects.filter(team=team, user_id=user, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        )
        row.delete()
        _changed(team)
        audit.record(
            principal, "member.remove", target=ids.public("user", user),
            payload={"reason": reason, "agents": handed, "tokens": ended, "successor": str(successor or "")},
        )  # fmt: skip
    return {"user": ids.public("user", user), "agents_handed_over": handed, "tokens_ended": ended}


def shape(row: Membership) -> dict[str, Any]:
    roles = row.user.groups.filter(role__team_id=row.team_id).order_by("role__name")
    return {
        "user": ids.public("user", row.user_id), "username": row.user.username, "name": str(row.user),
        "offices": row.offices, "is_active": row.user.is_active, "since": row.created_at,
        "roles": [ids.public("role", group.role.id) for group in roles.select_related("role")],
    }  # fmt: skip


def _team(row: Team) -> dict[str, Any]:
    return {
        "id": ids.public("team", row.id), "name": row.name, "four_eyes": row.four_eyes,
        "created_at": row.created_at,
    }  # fmt: skip


def _changed(team: Team) -> None:
    """Rights moved; and with the second reviewer four eyes go on."""
    if not team.four_eyes and _active(team.id, REVIEWER).count() >= 2:
        Team.objects.filter(id=team.id).update(four_eyes=True)
    Team.rights_changed(team.id)


def _active(team: UUID, office: str) -> Any:
    return Membership.objects.filter(team_id=team, offices__contains=[office], user__is_active=True)


def _another_admin(team: Team, user: UUID) -> None:
    if not _active(team.id, ADMIN).exclude(user_id=user).exists():
        raise Conflict("This is the last admin of the team: name another one first.")


def _member(principal: Principal, user: UUID) -> tuple[Team, Membership]:
    """The team, locked so that two admins cannot each remove the other, and the member."""
    team = Team.objects.select_for_update().get(id=principal.in_team)
    row = Membership.objects.filter(team=team, user_id=user).select_related("user").first()
    if row is None:
        raise Missing
    return team, row


def _offices(wanted: Sequence[str]) -> list[str]:
    if any(one not in OFFICES for one in wanted):
        raise Invalid(fields={"offices": f"some of {', '.join(OFFICES)}"})
    return [one for one in OFFICES if one == MEMBER or one in wanted]


def _reason(reason: str) -> None:
    if not reason.strip():
        raise Invalid(fields={"reason": "say why"})
