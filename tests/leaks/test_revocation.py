"""What was taken away is gone at the next request, on another connection and in another thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from assets import scope
from assets.models import AssetUserGrant, Binding
from assets.retrieval.types import Query
from assets.services import assets, bindings, denials, grants, memories, retrievals
from hub import ids
from hub.authn.lookup import principal_for_token
from hub.authn.principal import Principal
from hub.models import Membership, Token
from hub.problems import Missing
from hub.services import tokens
from tests.world import World

ROUNDS = 200
FUTURE = timedelta(hours=1)


class Elsewhere:
    """Another thread with a connection of its own, kept open over all rounds."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1)

    def ask(self, act: Callable[[], object]) -> object:
        return self.pool.submit(act).result(timeout=20)

    def close(self) -> None:
        self.ask(lambda: connection.close())
        self.pool.shutdown()


@pytest.fixture
def elsewhere(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    monkeypatch.setenv("HUB_EMBEDDER", "none")
    other = Elsewhere()
    yield other
    other.close()


def sees(who: Principal, asset: UUID) -> bool:
    """Whether every way of reading agrees that the asset is there (or that it is not)."""
    listed = asset in {row.id for row in assets.list_assets(who).items}
    try:
        assets.read_asset(who, asset)
        opened = True
    except Missing:
        opened = False
    assert listed == opened == (assets.count_assets(who) == 1)
    return opened


def bound(world: World, asset: UUID, expires_at: datetime | None = None) -> UUID:
    made = bindings.bind(
        world.principal(world.alice), asset=asset, agent=world.builder.account_id, follow="head",
        expires_at=expires_at,
    )  # fmt: skip
    found = ids.parse("binding", made["id"])
    assert found is not None
    return found


def memory(world: World, visibility: str) -> UUID:
    made = assets.create_asset(
        world.principal(world.alice), name=f"notes {visibility}", visibility=visibility
    )
    memories.remember(world.principal(world.alice), text="the lantern stands in the hall", asset=made.id)
    return made.id


@pytest.mark.timeout(120)
def test_unbind_and_expire(world: World, elsewhere: Elsewhere) -> None:
    """T030 (revocation): unbind, or an expiry that passes: the agent has nothing at its next ask."""
    asset, alice = memory(world, "private"), world.principal(world.alice)
    agent = world.principal(world.builder)
    for number in range(ROUNDS // 2):
        made = bound(world, asset, expires_at=timezone.now() + FUTURE if number % 2 else None)
        assert elsewhere.ask(lambda: sees(agent, asset))
        if number % 2:
            _expire_binding(world, made)
            assert not elsewhere.ask(lambda: sees(agent, asset))
        bindings.unbind(alice, made)
        assert not elsewhere.ask(lambda: sees(agent, asset))


def _expire_binding(world: World, made: UUID) -> None:
    with scope.browsing(world.principal(world.alice)):
        assert Binding.objects.filter(id=made).update(expires_at=timezone.now() - timedelta(seconds=1))


@pytest.mark.timeout(120)
def test_revoke_and_deny(world: World, elsewhere: Elsewhere) -> None:
    """T030 (revocation): a grant revoked or expired, a denial made: gone at the next ask."""
    asset, alice = memory(world, "restricted"), world.principal(world.alice)
    bob = world.principal(world.bob)
    for number in range(ROUNDS // 2):
        made = grants.grant(alice, asset=asset, to=("user", world.bob.id), level="read", reason="help")
        assert elsewhere.ask(lambda: sees(bob, asset))
        if number % 3 == 0:
            AssetUserGrant.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        elif number % 3 == 1:
            found = ids.parse("grant", made["id"])
            assert found is not None
            grants.revoke(alice, found)
        else:
            refused = denials.deny(alice, asset=asset, to=("user", world.bob.id), reason="left")
            assert not elsewhere.ask(lambda: sees(bob, asset))
            found = ids.parse("denial", refused["id"])
            assert found is not None
            denials.lift(alice, found)
            assert elsewhere.ask(lambda: sees(bob, asset))
            AssetUserGrant.objects.all().delete()
        assert not elsewhere.ask(lambda: sees(bob, asset))


def test_search_after_unbind(world: World, elsewhere: Elsewhere) -> None:
    """T034: a question asked after the unbinding finds nothing that was bound before."""
    asset, alice = memory(world, "private"), world.principal(world.alice)
    agent = world.principal(world.builder)

    def found() -> int:
        return len(retrievals.retrieve(agent, Query("lantern hall")).passages)

    for _ in range(10):
        made = bound(world, asset)
        assert elsewhere.ask(found) == 1
        bindings.unbind(alice, made)
        assert elsewhere.ask(found) == 0


def test_a_reading_keeps_its_snapshot(world: World, elsewhere: Elsewhere) -> None:
    """T030: a reading under way ends in its own snapshot; the one begun after it has nothing."""
    asset, alice = memory(world, "private"), world.principal(world.alice)
    agent, made = world.principal(world.builder), bound(world, asset)
    with scope.reading(agent) as allowed:
        elsewhere.ask(lambda: bindings.unbind(alice, made))
        query = "select t.node from {assets} join assets_nodetext t on t.asset = s.asset where {visible}"
        assert len(allowed.fetch(query)) == 1
    with scope.reading(agent) as allowed:
        assert allowed.size == 0


def test_token_leaving_and_suspension(world: World, elsewhere: Elsewhere) -> None:
    """P11, P12, P15: revoked, expired, suspended, left the team: nobody at the next request."""
    alice = world.principal(world.alice)
    text = world.token(world.bob)

    def nobody(text: str) -> bool:
        return elsewhere.ask(lambda: principal_for_token(text, "rest", "test")) is None

    assert not nobody(text)
    for change in ({"is_active": False}, {"is_active": True}):
        type(world.bob).objects.filter(id=world.bob.id).update(**change)
        assert nobody(text) is not change["is_active"]
    membership = Membership.objects.get(user=world.bob)
    membership.delete()
    assert nobody(text)
    assert elsewhere.ask(lambda: assets.list_assets(Principal(world.team.id, world.bob.id)).items) == ()
    for _ in range(10):
        row, fresh = tokens.mint(alice, agent=world.builder.account_id, actions=["read"])
        assert not nobody(fresh)
        tokens.revoke(alice, row.id)
        assert nobody(fresh)
    late = world.token(world.builder)
    Token.objects.filter(agent=world.builder.account_id).update(expires_at=timezone.now())
    assert nobody(late)
