"""The API's common ground: one form of refusal, nothing unknown passes, nothing is kept by caches."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from hub import ids
from hub.models import Agent
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def post(client: Client, address: str, body: Any, token: str) -> Any:
    return client.post(f"/api/v1/{address}", body, content_type="application/json", headers=bearer(token))


@pytest.mark.parametrize(
    "header", [None, "Bearer", "Bearer tmh_agt_x", "Bearer a b", "Basic YTpi", "Bearer ü"]
)
def test_without_a_live_token_nobody_is_let_in(client: Client, header: str | None) -> None:
    headers = {"Authorization": header.encode().decode("latin-1")} if header else {}
    answer = client.get("/api/v1/me", headers=headers)
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "unauthenticated"
    assert answer.json()["request_id"] == answer["X-Request-Id"]


def test_a_session_does_not_open_the_api(world: World, client: Client) -> None:
    client.force_login(world.alice, backend="hub.authn.signin.PeopleBackend")
    assert client.get("/api/v1/me").status_code == 401


def test_me_says_who_by_this_token(world: World, client: Client) -> None:
    answer = client.get("/api/v1/me", headers=bearer(world.token(world.scout)))
    assert answer.json() == {
        "team": ids.public("team", world.team.id), "user": None, "agent": ids.public("agent", world.scout.pk),
        "actions": ["change", "read"], "kinds": None, "subject": None, "offices": [], "budget_tokens": 8000,
        "roles": [{"id": ids.public("role", world.roles["scout"].id), "name": "Scout"}],
        "loadouts": [ids.public("agent", world.scout.pk), ids.public("role", world.roles["scout"].id), "base"],
    }  # fmt: skip
    assert answer["Cache-Control"] == "private, no-store"
    assert answer["Vary"] == "Authorization, Cookie"


def test_what_is_not_known_is_named_and_refused(world: World, client: Client) -> None:
    token = world.token(world.admin)
    answer = post(client, "agents", {"name": "new-1", "is_superuser": True}, token)
    assert (answer.status_code, set(answer.json()["fields"])) == (400, {"is_superuser"})
    answer = client.get("/api/v1/agents?team=other", headers=bearer(token))
    assert (answer.status_code, set(answer.json()["fields"])) == (400, {"team"})
    answer = post(client, "tokens", {"for": "usr_1", "actions": []}, token)
    assert (answer.status_code, set(answer.json()["fields"])) == (400, {"for", "actions"})
    assert not Agent.objects.filter(name="new-1").exists()


@pytest.mark.parametrize("body", ["[]", '"text"', "null", "3", "{", '{"name": null}'])
def test_a_body_that_is_no_object_is_invalid(world: World, client: Client, body: str) -> None:
    assert post(client, "agents", body, world.token(world.admin)).status_code == 400


@pytest.mark.parametrize(
    ("method", "address", "status", "code"),
    [
        ("get", "nowhere", 404, "missing"),
        ("delete", "me", 405, "method_not_allowed"),
        ("delete", "tokens/tok_x", 404, "missing"),
        ("delete", f"tokens/tok_{'0' * 32}", 404, "missing"),
    ],
)
def test_refusals_have_one_form(
    world: World, client: Client, method: str, address: str, status: int, code: str
) -> None:
    headers = {**bearer(world.token(world.admin)), "If-Match": "*"}
    answer = getattr(client, method)(f"/api/v1/{address}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "code", "detail", "request_id"}


def test_an_admin_makes_an_agent_and_its_token_works(world: World, client: Client) -> None:
    admin = world.token(world.admin)
    made = post(client, "agents", {"name": "new-1"}, admin)
    assert made.status_code == 201
    assert post(client, "agents", {"name": "new-1"}, admin).status_code == 409
    issued = post(client, "tokens", {"for": made.json()["id"], "actions": ["read"]}, admin)
    assert issued.status_code == 201
    text = issued.json()["token"]
    assert client.get("/api/v1/me", headers=bearer(text)).json()["agent"] == made.json()["id"]
    listed = client.get("/api/v1/tokens", headers=bearer(admin))
    assert text not in listed.content.decode()
    assert [row["name"] for row in client.get("/api/v1/agents", headers=bearer(text)).json()["items"]] == [
        "new-1"
    ]
    off = client.patch(
        f"/api/v1/agents/{made.json()['id']}", {"is_enabled": False},
        content_type="application/json", headers={**bearer(admin), "If-Match": made["ETag"]},
    )  # fmt: skip
    assert off.json()["is_enabled"] is False
    assert client.get("/api/v1/me", headers=bearer(text)).status_code == 401


def test_a_read_only_token_issues_nothing_over_the_api(world: World, client: Client) -> None:
    weak = world.token(world.alice, actions=["read"])
    answer = post(client, "tokens", {"actions": ["read", "change", "manage"]}, weak)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_roles_are_given_and_taken(world: World, client: Client) -> None:
    admin = world.token(world.admin)
    role = post(client, "roles", {"name": "Keeper"}, admin).json()["id"]
    for holds, names in ((True, ["Keeper", "Scout"]), (False, ["Scout"])):
        body = {"holder": ids.public("agent", world.scout.pk), "holds": holds}
        assert post(client, f"roles/{role}/holders", body, admin).status_code == 204
        seen = client.get("/api/v1/roles", headers=bearer(world.token(world.scout))).json()["items"]
        assert [row["name"] for row in seen] == names
    stranger = {"holder": ids.public("user", world.charlie.id)}
    assert post(client, f"roles/{role}/holders", stranger, admin).status_code == 400


def test_health_needs_nobody(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
