"""The audit trail: in the act's own transaction, committed to, encrypted, and only ever added to."""

from __future__ import annotations

import hashlib
import hmac
from uuid import UUID, uuid4

import pytest
from cryptography.exceptions import InvalidTag
from django.db import ProgrammingError, connection, transaction
from django.test import Client

from hub import audit
from hub.audit.record import _key, core_of
from hub.models import AuditEvent
from hub.services import audits
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def kept(event: UUID) -> AuditEvent:
    return AuditEvent.objects.get(id=event)


def test_an_event_goes_with_its_act(world: World) -> None:
    alice = world.principal(world.alice)
    with transaction.atomic():
        audit.record(alice, "me.read")
        transaction.set_rollback(True)
    assert not AuditEvent.objects.filter(actor_user=world.alice.id).exists()


def test_an_act_without_a_name_is_not_recorded(world: World) -> None:
    with pytest.raises(KeyError):
        audit.record(world.principal(world.alice), "asset.borrow")


def test_mac_and_leaf_hold_after_reading_back(world: World) -> None:
    asset = uuid4()
    row = kept(audit.record(
        world.principal(world.scout), "node.read", asset=asset, target="nod_x", version=7, rule="binding",
        payload={"words": "heron"},
    ))  # fmt: skip
    core, commitment, mac = core_of(row), bytes(row.commitment), bytes(row.mac)
    assert mac == hmac.digest(_key("mac"), core + commitment, "sha256")
    assert bytes(row.leaf) == hashlib.sha256(b"\x00" + core + commitment + mac).digest()
    for name, other in (("outcome", "refused"), ("asset", uuid4()), ("version", 8), ("actor_agent", None)):
        changed = kept(row.id)
        setattr(changed, name, other)
        assert core_of(changed) != core, name


def test_the_payload_is_closed_bound_to_its_event_and_destroyable(world: World) -> None:
    alice = world.principal(world.alice)
    first = kept(audit.record(alice, "me.read", payload={"words": "the heron"}))
    second = kept(audit.record(alice, "me.read", payload={"words": "the heron"}))
    assert audit.payload_of(first) == {"words": "the heron"}
    assert b"heron" not in bytes(first.payload_ct or b"")
    assert bytes(first.commitment) != bytes(second.commitment)  # salted: equal payloads do not show
    first.payload_ct, first.payload_nonce = second.payload_ct, second.payload_nonce
    with pytest.raises(InvalidTag):
        audit.payload_of(first)
    second.payload_ct = None
    assert audit.payload_of(second) == {}


def test_a_refusal_does_not_say_what_exists(world: World) -> None:
    audit.refused(world.principal(world.bob), "asset.read", target="ast_of_alice")
    row = AuditEvent.objects.get(actor_user=world.bob.id)
    assert row.outcome == "refused"
    assert row.target
    assert "alice" not in row.target


@pytest.mark.parametrize("words", ["update hub_auditevent set rule = 'x'", "delete from hub_auditevent"])
def test_the_app_may_only_add(world: World, words: str) -> None:
    audit.record(world.principal(world.alice), "me.read")
    with pytest.raises(ProgrammingError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(words)


def test_events_stay_in_their_team(world: World) -> None:
    audit.record(world.principal(world.charlie), "me.read")
    audit.record(world.principal(world.alice), "me.read")
    rows, _ = audits.list_events(world.principal(world.admin), action="me.read")
    assert {row["actor"] for row in rows} == {"alice"}


@pytest.mark.parametrize(
    ("who", "status"), [("admin", 200), ("dora", 200), ("alice", 404), ("carol", 404), ("charlie", 404)]
)
def test_the_page_is_for_those_whose_office_it_is(
    world: World, client: Client, who: str, status: int
) -> None:
    client.force_login(getattr(world, who), backend="hub.authn.signin.PeopleBackend")
    assert client.get("/audit").status_code == status
