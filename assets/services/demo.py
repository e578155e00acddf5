"""The demo team: one cast and one story, in English and Chinese, with every visibility."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.utils import timezone

from assets.services import assets, bindings, grants, memories
from hub import ids
from hub.authn import tokens
from hub.authn.principal import ALL_ACTIONS, Principal
from hub.models import Agent, Loadout, Membership, Role, Team, Token, User

TEAM, OTHER_TEAM = "Payments", "Logistics"
PEOPLE = {
    "admin": ("Ada Admin", ["member", "admin"]), "alice": ("Alice", ["member"]),
    "bob": ("Bob", ["member"]), "carol": ("Carol", ["member", "reviewer"]),
    "dora": ("Dora", ["member", "compliance"]), "charlie": ("Charlie", ["member"]),
}  # fmt: skip
AGENTS = {"scout-1": "Scout", "builder-1": "Builder", "reviewer-1": "Reviewer"}

RUNBOOK = [
    (
        "decision",
        "We release the payment API with a blue-green switch; the old side stays warm for one hour.",
        9,
    ),
    (
        "constraint",
        "Never release the payment API on a Friday: the bank's support desk is closed until Monday.",
        18,
    ),
    (
        "fact",
        "A release of the payment API begins with the changelog, then the smoke test, then ten per cent of the traffic.",
        12,
    ),
    ("fact", "支付接口发布前必须先冻结主分支，并通知值班同事。", 7),
]
BUILD_NOTES = [
    (
        "fact",
        "The release checklist of the payment API has nine points; point four is the database migration dry run.",
        2,
    ),
    (
        "tool_failure",
        "The migration of the refunds table timed out in staging; running it in batches of 5,000 rows worked.",
        5,
    ),
    ("fact", "发布清单第四项：先在预发环境试运行数据库迁移，再发布支付接口。", 3),
]
REVIEW_NOTES = [
    (
        "preference",
        "Carol wants every change of the payment API to name the test that would have caught the fault.",
        20,
    ),
    ("fact", "A review of retry logic must check the idempotency key: in March a charge was made twice.", 33),
]
SECRET_SWEEP = [
    (
        "fact",
        "The key of the settlement bank is rotated on the first Tuesday of the quarter; only two people hold it.",
        4,
    ),
]
ALICE_DIARY = [
    ("preference", "I want to move to the platform team after the payment API release; nobody knows yet.", 6),
]


@dataclass(frozen=True, slots=True)
class Seed:
    """An asset of the story: its key in demo.json, its owner, its memories."""

    key: str
    owner: str
    visibility: str
    title: str
    memories: list[tuple[str, str, int]]


SEEDS = (
    Seed("team-runbook", "alice", "team", "Release runbook", RUNBOOK),
    Seed("agent-build-notes", "alice", "agent", "Build notes", BUILD_NOTES),
    Seed("team-review-notes", "carol", "team", "Review notes", REVIEW_NOTES),
    Seed("restricted-secret-sweep", "carol", "restricted", "Secret sweep", SECRET_SWEEP),
    Seed("private-alice-diary", "alice", "private", "Alice's own notes", ALICE_DIARY),
)
EQUIPPED = (
    ("team-runbook", "Scout", "alice"), ("team-runbook", "Builder", "alice"),
    ("agent-build-notes", "Builder", "alice"), ("team-review-notes", "Reviewer", "carol"),
    ("team-runbook", "Reviewer", "alice"), ("restricted-secret-sweep", "Reviewer", "carol"),
    ("restricted-secret-sweep", "Builder", "carol"),
)  # fmt: skip


def build(base_url: str) -> dict[str, Any]:
    """Make the demo team and give what `demo.json` holds. Ask `exists` first."""
    team, other = Team.objects.create(name=TEAM), Team.objects.create(name=OTHER_TEAM)
    people: dict[str, User] = {}
    passwords: dict[str, str] = {}
    for name, (full, offices) in PEOPLE.items():
        passwords[name] = secrets.token_urlsafe(12)
        people[name] = User.objects.create_user(username=name, password=passwords[name], first_name=full)
        Membership.objects.create(
            team=other if name == "charlie" else team, user=people[name], offices=offices
        )
    Loadout.objects.create(team=team)
    roles = {name: _role(team, name) for name in AGENTS.values()}
    agents = {name: _agent(team, name, roles[role], people["alice"]) for name, role in AGENTS.items()}
    keys = _story(team, people, roles)
    return {
        "base_url": base_url, "team": ids.public("team", team.id),
        "admin": {"username": "admin", "password": passwords["admin"]},
        "agents": {
            name: {"id": ids.public("agent", agent.account_id), "token": _token(team, agent=agent)}
            for name, agent in agents.items()
        },
        "users": {
            name: {
                "id": ids.public("user", user.id), "username": name, "password": passwords[name],
                "token": _token(other if name == "charlie" else team, user=user),
            }
            for name, user in people.items()
        },
        "roles": {name: ids.public("role", role.id) for name, role in roles.items()},
        "assets": keys,
    }  # fmt: skip


def _role(team: Team, name: str) -> Role:
    role = Role(team=team, name=name)
    role.group = Group.objects.create(name=f"role:{role.id}")
    role.save()
    Loadout.objects.create(team=team, role=role)
    return role


def _agent(team: Team, name: str, role: Role, responsible: User) -> Agent:
    account = User(username=f"agent-{secrets.token_hex(8)}", kind=User.AGENT)
    account.set_unusable_password()
    account.save()
    account.groups.add(role.group)
    return Agent.objects.create(account=account, team=team, name=name, responsible=responsible)


def _token(team: Team, *, agent: Agent | None = None, user: User | None = None) -> str:
    text, parsed = tokens.new("agent" if agent else "personal")
    Token.objects.create(
        public_id=parsed.public_id, digest=parsed.digest, kind=parsed.kind, team=team, user=user,
        agent_id=agent.account_id if agent else None, name="demo",
        actions=["read", "change"] if agent else sorted(ALL_ACTIONS),
        expires_at=timezone.now() + timedelta(days=30),
    )  # fmt: skip
    return text


def _story(team: Team, people: dict[str, User], roles: dict[str, Role]) -> dict[str, str]:
    now = timezone.now()
    keys: dict[str, UUID] = {}
    for seed in SEEDS:
        owner = Principal(team=team.id, user=people[seed.owner].id, request_id="demo")
        asset = assets.create_asset(owner, name=seed.key, title=seed.title, visibility=seed.visibility)
        keys[seed.key] = asset.id
        for kind, text, days in seed.memories:
            _tell(owner, asset.id, kind, text, now - timedelta(days=days))
    for key, role, by in EQUIPPED:
        bindings.bind(
            Principal(team=team.id, user=people[by].id, request_id="demo"),
            asset=keys[key], role=roles[role].id, reason="what this role needs",
        )  # fmt: skip
    grants.grant(
        Principal(team=team.id, user=people["carol"].id, request_id="demo"),
        asset=keys["restricted-secret-sweep"], to=("role", roles["Reviewer"].id), level="read",
        reason="reviewers watch for leaked keys",
    )  # fmt: skip
    return {key: ids.public("asset", value) for key, value in keys.items()}


def _tell(owner: Principal, asset: UUID, kind: str, text: str, at: datetime) -> None:
    memories.remember(owner, text=text, asset=asset, kind=kind, occurred_at=at)


def exists() -> bool:
    """Whether a demo team is there already."""
    return User.objects.filter(username="alice").exists()
