"""Writes a world of plain values into the database, in bulk, as the app's login sees it.

Ids in the database are those of the world, so that answers compare without a mapping.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction

from assets.models import (
    Asset,
    AssetCounter,
    AssetRoleGrant,
    AssetUserGrant,
    Binding,
    Denial,
    Node,
    NodeSignal,
    NodeSubject,
)  # fmt: skip
from assets.models.node import SEVERAL
from assets.tree import analyse, path
from hub.authn import tokens
from hub.authn.principal import Principal
from hub.models import Agent, Loadout, Membership, Role, Subject, Team, Token, User
from tests.leaks import things

TEXT = (
    "insert into assets_nodetext (team, node, asset, subject, words, bigrams, length, occurred_at,"
    " state, since, until) values (%s, %s, %s, %s, %s::tsvector, '', %s, %s, %s, %s, %s)"
)


def caller(p: things.Principal) -> Principal:
    """The principal of the world as a door would build it."""
    return Principal(
        team=p.team, user=p.user, agent=p.agent, actions=p.token.actions, kinds=p.token.kinds,
        subject=p.token.subject, door="rest", request_id="leaks",
    )  # fmt: skip


def plant(world: things.World) -> list[str]:
    """Write everything; gives the texts of the world's credentials, in their order."""
    now = datetime.now(UTC)
    with transaction.atomic():
        loadouts = _parties(world, now)
        texts = _credentials(world)
        for team in world.teams:
            here = [a for a in world.assets.values() if a.team == team]
            wall = "{" + ",".join(str(a.id) for a in here) + "}"
            with connection.cursor() as cursor:
                cursor.execute(
                    "select set_config('hub.team', %s, true), set_config('hub.assets', %s, true)",
                    [str(team), wall],
                )
            _assets(here, now)
            _nodes(world, here, now)
            _rights(world, {a.id for a in here}, team, loadouts)
    return texts


def _parties(world: things.World, now: datetime) -> dict[tuple[UUID, UUID | None], UUID]:
    Team.objects.bulk_create(
        Team(
            id=team, name=f"team {team}", archived_at=None if live else now,
            four_eyes=team not in world.one_eye,
        )
        for team, live in world.teams.items()
    )  # fmt: skip
    User.objects.bulk_create(
        User(
            id=one.id, username=f"{one.name}-{one.id.hex}", is_active=one.active, password="!",
            is_superuser=one.superuser, is_staff=one.superuser, fenced_at=now if one.fenced else None,
        )
        for one in world.users.values()
    )  # fmt: skip
    User.objects.bulk_create(
        User(id=one.id, username=f"{one.name}-{one.id.hex}", kind=User.AGENT, password="!")
        for one in world.agents.values()
    )
    Membership.objects.bulk_create(
        Membership(user_id=user, team_id=team, offices=sorted(held))
        for (user, team), held in world.members.items()
    )
    Agent.objects.bulk_create(
        Agent(
            account_id=one.id, team_id=one.team, name=one.name, responsible_id=one.responsible,
            is_enabled=one.enabled,
        )
        for one in world.agents.values()
    )  # fmt: skip
    Subject.objects.bulk_create(
        Subject(
            id=one.id, team_id=one.team, external_id=str(one.id), user_id=one.user,
            fenced_at=now if one.fenced else None,
        )
        for one in world.subjects.values()
    )  # fmt: skip
    roles = list(world.roles.values())
    groups = Group.objects.bulk_create(Group(name=f"role:{one.id}") for one in roles)
    Role.objects.bulk_create(
        Role(id=one.id, team_id=one.team, name=one.name, group=group)
        for one, group in zip(roles, groups, strict=True)
    )
    through = User.groups.through
    through.objects.bulk_create(
        through(user_id=holder, group_id=group.pk)
        for one, group in zip(roles, groups, strict=True)
        for holder in one.holders
    )
    made = Loadout.objects.bulk_create(
        [Loadout(team_id=team) for team in world.teams]
        + [Loadout(team_id=one.team, role_id=one.id) for one in roles]
    )
    return {(one.team_id, one.role_id): one.id for one in made}


def _credentials(world: things.World) -> list[str]:
    texts, rows = [], []
    for one in world.credentials:
        p = one.principal
        assert p.team is not None
        kind = "delegated" if p.user and p.agent else "agent" if p.agent else "personal"
        text, parsed = tokens.new(kind)
        texts.append(text)
        rows.append(
            Token(
                public_id=parsed.public_id, digest=parsed.digest, kind=kind, team_id=p.team,
                user_id=p.user, agent_id=p.agent, actions=sorted(p.token.actions),
                kinds=None if p.token.kinds is None else sorted(p.token.kinds),
                subject_id=p.token.subject, expires_at=one.expires_at,
                revoked_at=one.issued_at if one.revoked else None,
            )
        )  # fmt: skip
    Token.objects.bulk_create(rows)
    return texts


def _assets(here: list[things.Asset], now: datetime) -> None:
    Asset.rows.bulk_create(
        Asset(
            id=a.id, team_id=a.team, kind=a.kind, name=f"{a.name}-{a.id.hex[:8]}", title=a.name,
            owner_id=a.owner, created_by_agent_id=a.created_by_agent, written_for_id=a.written_for,
            visibility=a.visibility, status=a.status, quarantined=a.quarantined,
            erased_at=now if a.erased else None, head=a.head, approved=a.approved,
        )
        for a in here
    )  # fmt: skip
    AssetCounter.rows.bulk_create(
        AssetCounter(asset_id=a.id, team_id=a.team, sequence=a.head, labels=9, row_count=2) for a in here
    )


def _nodes(world: things.World, here: list[things.Asset], now: datetime) -> None:
    team_of = {a.id: a.team for a in here}
    nodes = [n for n in world.nodes if n.asset in team_of]
    Node.rows.bulk_create(
        Node(
            id=n.id, ident=n.id, team_id=team_of[n.asset], asset_id=n.asset, path=path.label(number),
            depth=1, sequence=1, kind="fact", content=f"{n.word} common", state=n.state,
            recorded_at=now, since=n.since, until=n.until,
        )
        for number, n in enumerate(nodes, start=1)
    )  # fmt: skip
    NodeSignal.rows.bulk_create(
        NodeSignal(ident=n.id, team_id=team_of[n.asset], asset_id=n.asset, weighted_at=now) for n in nodes
    )
    NodeSubject.rows.bulk_create(
        NodeSubject(node_id=n.id, team_id=team_of[n.asset], asset_id=n.asset, subject_id=one, part=part)
        for n in nodes
        for one, part in n.subjects
    )
    with connection.cursor() as cursor:
        cursor.executemany(TEXT, [_text(n, team_of[n.asset]) for n in nodes])


def _text(n: things.Node, team: UUID) -> tuple[Any, ...]:
    about = {one for one, part in n.subjects if part in ("author", "about")}
    subject = None if not about else SEVERAL if len(about) > 1 else next(iter(about))
    analysed = analyse.analyse(f"{n.word} common")
    words = analyse.to_tsvector_text(analysed.words)
    return team, n.id, n.asset, subject, words, analysed.length, None, n.state, n.since, n.until


def _rights(
    world: things.World, here: set[UUID], team: UUID, loadouts: dict[tuple[UUID, UUID | None], UUID]
) -> None:
    permissions = {
        one.codename.removesuffix("_asset"): one.id
        for one in Permission.objects.filter(content_type__app_label="assets", content_type__model="asset")
    }
    groups = dict(Role.objects.filter(team_id=team).values_list("id", "group_id"))
    grants = [g for g in world.grants if g.asset in here]
    AssetUserGrant.objects.bulk_create(
        AssetUserGrant(
            user_id=g.to, permission_id=permissions[g.level], content_object_id=g.asset,
            expires_at=g.expires_at,
        )
        for g in grants
        if g.to not in world.roles
    )  # fmt: skip
    AssetRoleGrant.objects.bulk_create(
        AssetRoleGrant(
            group_id=groups[g.to], permission_id=permissions[g.level], content_object_id=g.asset,
            expires_at=g.expires_at,
        )
        for g in grants
        if g.to in world.roles
    )  # fmt: skip
    Denial.objects.bulk_create(
        Denial(
            team_id=team, asset_id=d.asset, expires_at=d.expires_at,
            user_id=None if d.to in world.roles else d.to, role_id=d.to if d.to in world.roles else None,
        )
        for d in world.denials
        if d.asset in here
    )  # fmt: skip
    Binding.objects.bulk_create(
        Binding(
            id=b.id, team_id=team, asset_id=b.asset, agent_id=b.agent,
            loadout_id=None if b.agent else loadouts[team, b.role], access=b.access, pin=b.pin,
            follow="head" if b.wants_head else "approved", made_by_id=b.made_by,
            automatic=b.automatic, expires_at=b.expires_at,
        )
        for b in world.loadouts
        if b.asset in here
    )  # fmt: skip
