"""People, agents, rights and registry rows of the corpus, by the ORM and the owner's login."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction

from assets.models import Asset, AssetCounter, Binding, EmbeddingModel
from bench.corpora.plan import Plan
from bench.corpora.space import BUILD, DIMENSION, ENGINE
from hub.authn import tokens
from hub.models import Agent, Loadout, Membership, Team, Token, User

if TYPE_CHECKING:
    from collections.abc import Mapping

FAR = datetime(2100, 1, 1, tzinfo=UTC)


def make(plan: Plan) -> tuple[UUID, dict[int, str]]:
    """Everything but nodes. Gives the embedding model and a token for each scope's agent."""
    with transaction.atomic():
        Team.objects.bulk_create(Team(id=team, name=f"team {n}") for n, team in enumerate(plan.teams))
        Loadout.objects.bulk_create(Loadout(team_id=team) for team in plan.teams)
        User.objects.bulk_create(
            User(id=owner, username=f"owner-{owner}", password="!") for owner, _, _ in plan.owners
        )
        Membership.objects.bulk_create(
            Membership(user_id=owner, team_id=team, offices=["member"]) for owner, team, _ in plan.owners
        )
        Asset.rows.bulk_create(
            (
                Asset(
                    id=one.id, team_id=one.team, kind="chat_memory", name=f"memory {number}",
                    owner_id=one.owner, visibility="team", status="approved", head=one.rows,
                )
                for number, one in enumerate(plan.assets)
            ),
            batch_size=2_000,
        )  # fmt: skip
        model = EmbeddingModel.objects.create(name=ENGINE, build=BUILD, dimension=DIMENSION)
        return model.id, {size: _agent(plan, size, assets) for size, assets in plan.scopes.items()}


def counters(plan: Plan, characters: Mapping[UUID, int]) -> None:
    """What each asset holds, once its rows are there."""
    AssetCounter.rows.bulk_create(
        AssetCounter(
            asset_id=one.id, team_id=one.team, sequence=one.rows, labels=one.rows, row_count=one.rows,
            characters=characters[one.id],
        )
        for one in plan.assets
    )  # fmt: skip


def _agent(plan: Plan, size: int, assets: tuple[UUID, ...]) -> str:
    team, responsible = plan.teams[0], plan.owners[0][0]
    account = User.objects.create(username=f"agent-{size}", kind=User.AGENT, password="!")
    Agent.objects.create(account=account, team_id=team, name=f"agent-{size}", responsible_id=responsible)
    Binding.objects.bulk_create(
        (
            Binding(team_id=team, asset_id=asset, agent_id=account.pk, follow="head", made_by_id=responsible)
            for asset in assets
        ),
        batch_size=2_000,
    )
    text, parsed = tokens.new("agent")
    Token.objects.create(
        public_id=parsed.public_id, digest=parsed.digest, kind=parsed.kind, team_id=team,
        agent_id=account.pk, actions=["read"], expires_at=FAR,
    )  # fmt: skip
    return text
