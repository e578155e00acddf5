"""Signing in at the browser: people only, recorded, and never on to another site."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from hub.authn.signin import principal_of
from hub.models import AuditEvent, Membership, User
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(client: Client, name: str, password: str = "", **more: str) -> Any:
    values = {"username": name, "password": password or f"password-of-{name}", **more}
    return client.post("/sign-in", values)


def test_a_person_signs_in_and_it_is_recorded(world: World, client: Client) -> None:
    answer = sign_in(client, "alice")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/", follow=True).redirect_chain[-1][0] == "/try"
    event = AuditEvent.objects.get(action="sign_in", actor_user=world.alice.id)
    assert (event.outcome, event.team, event.door) == ("allowed", world.team.id, "web")
    assert client.get("/sign-out").status_code == 405
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert AuditEvent.objects.filter(action="sign_out", actor_user=world.alice.id).exists()
    assert client.get("/agents")["Location"].startswith("/sign-in")


def test_a_wrong_password_tells_nothing_of_the_name(world: World, client: Client) -> None:
    before = AuditEvent.objects.filter(action="sign_in", outcome="refused").count()
    known, unknown = sign_in(client, "alice", "wrong"), sign_in(client, "nobody", "wrong")
    assert known.status_code == unknown.status_code == 200
    assert "_auth_user_id" not in client.session
    assert 'role="alert"' in known.content.decode()
    refused = AuditEvent.objects.filter(action="sign_in", outcome="refused")
    assert refused.count() == before + 2
    assert not any("alice" in event.target for event in refused)


def test_accounts_of_agents_and_suspended_people_do_not_sign_in(world: World, client: Client) -> None:
    account = User.objects.get(id=world.scout.pk)
    account.set_password("password-of-scout")
    account.save()
    sign_in(client, account.username, "password-of-scout")
    assert "_auth_user_id" not in client.session
    User.objects.filter(id=world.bob.id).update(is_active=False)
    sign_in(client, "bob")
    assert "_auth_user_id" not in client.session


def test_a_suspended_person_is_out_at_the_next_request(world: World, client: Client) -> None:
    sign_in(client, "alice")
    assert client.get("/agents").status_code == 200
    User.objects.filter(id=world.alice.id).update(is_active=False)
    assert client.get("/agents").status_code == 302


@pytest.mark.parametrize("place", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:x"])
def test_nobody_is_sent_to_another_site(world: World, client: Client, place: str) -> None:
    assert sign_in(client, "alice", next=place)["Location"] == "/"


def test_a_form_from_elsewhere_is_refused(world: World) -> None:
    answer = sign_in(Client(enforce_csrf_checks=True), "alice")
    assert answer.status_code == 403


def test_the_session_acts_in_a_team_that_the_person_is_in(world: World, client: Client, rf: Any) -> None:
    request = rf.get("/")
    request.user, request.session = world.alice, {"team": str(world.other_team.id)}
    assert principal_of(request).team == world.team.id
    Membership.objects.create(team=world.other_team, user=world.alice, offices=["member"])
    assert principal_of(request).team == world.other_team.id
    Membership.objects.filter(user=world.alice).delete()
    assert principal_of(request).is_stranger


def test_pages_run_nothing_that_stands_in_them(world: World, client: Client) -> None:
    for address in ("/sign-in", "/no-such-page"):
        answer = client.get(address)
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        text = answer.content.decode()
        assert "<script>" not in text
        assert " style=" not in text
        assert "<style" not in text
