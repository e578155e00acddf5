"""The fixed cast: Alice owns, Bob is on her team, Carol reviews, Dora is compliance, Charlie
is of another team; scout-1, builder-1, reviewer-1 and their roles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from hub.authn import tokens
from hub.authn.principal import Principal
from hub.models import Agent, Loadout, Membership, Role, Team, Token, User


@dataclass(frozen=True)
class World:
    team: Team
    other_team: Team
    alice: User
    bob: User
    carol: User
    dora: User
    admin: User
    charlie: User
    scout: Agent
    builder: Agent
    reviewer: Agent
    roles: dict[str, Role]

    @classmethod
    def build(cls) -> World:
        team, other = Team.objects.create(name="Payments"), Team.objects.create(name="Elsewhere")
        people = {
            name: User.objects.create_user(username=name, password=f"password-of-{name}")
            for name in ("alice", "bob", "carol", "dora", "admin", "charlie")
        }
        offices = {"carol": ["reviewer"], "dora": ["compliance"], "admin": ["admin"]}
        for name, user in people.items():
            Membership.objects.create(
                team=other if name == "charlie" else team, user=user,
                offices=["member", *offices.get(name, [])],
            )  # fmt: skip
        roles, agents = {}, {}
        Loadout.objects.create(team=team)
        for name in ("scout", "builder", "reviewer"):
            group = Group.objects.create(name=f"role:{team.id}:{name}")
            role = Role.objects.create(team=team, name=name.title(), group=group)
            Loadout.objects.create(team=team, role=role)
            account = User.objects.create(username=f"{name}-1", kind=User.AGENT)
            account.groups.add(group)
            agents[name] = Agent.objects.create(
                account=account, team=team, name=f"{name}-1", responsible=people["alice"]
            )
            roles[name] = role
        return cls(team=team, other_team=other, **people, **agents, roles=roles)  # type: ignore[arg-type]

    def principal(self, who: User | Agent, **changes: Any) -> Principal:
        """A principal as a door would build it."""
        if isinstance(who, Agent):
            base = Principal(
                team=who.team_id, agent=who.account_id, actions=frozenset({"read", "change"}),
                door="rest", request_id="test",
            )  # fmt: skip
        else:
            membership = Membership.objects.filter(user=who).first()
            base = Principal(
                team=membership.team_id if membership else None, user=who.id,
                door="web", request_id="test",
            )  # fmt: skip
        return replace(base, **changes)

    def token(self, who: User | Agent, **changes: Any) -> str:
        """A live token of a person or an agent, as text."""
        is_agent = isinstance(who, Agent)
        text, parsed = tokens.new(changes.get("kind", "agent" if is_agent else "personal"))
        membership = None if is_agent else Membership.objects.filter(user_id=who.pk).first()
        values: dict[str, Any] = {
            "public_id": parsed.public_id, "digest": parsed.digest, "kind": parsed.kind,
            "team_id": who.team_id if is_agent else membership.team_id,  # type: ignore[union-attr]
            "actions": ["read", "change"] if is_agent else ["read", "change", "manage", "review"],
            "expires_at": timezone.now() + timedelta(days=1),
            "agent_id" if is_agent else "user_id": who.pk,
        }  # fmt: skip
        Token.objects.create(**(values | changes))
        return text
