"""T001, T003, T007, T011: every route and page, every kind of principal, from one declaration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from assets.services import assets, bindings, denials, grants, imports, memories
from hub import ids
from hub.models import Agent, Membership, Token, User
from hub.policy import Policy
from hub.problems import Missing
from tests.contracts import routes
from tests.world import World

CANARY = "quetzalcanary"


def patterns(found: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for one in found or get_resolver().url_patterns:
        if isinstance(one, URLResolver):
            yield from patterns(one.url_patterns, prefix + str(one.pattern))
        elif isinstance(one, URLPattern):
            yield prefix + str(one.pattern), one.callback


def shape(address: str) -> str:
    """`assets/{asset}/nodes?x` and `assets/<str:asset>/nodes` as `assets/*/nodes`."""
    parts = address.partition("?")[0].split("/")
    return "/".join("*" if part.startswith(("{", "<")) else part for part in parts)


def test_every_address_is_declared_and_has_a_policy() -> None:
    declared = {f"api/v1/{shape(route.address)}" for route in routes.API}
    declared |= {f"api/v1/{shape(address)}" for address in routes.OPEN_API}
    declared |= {shape(route.address) for route in routes.PAGES} | routes.OPEN
    found = dict(patterns())
    assert {shape(address) for address in found} == declared
    for address, view in found.items():
        policy = getattr(getattr(view, "view_class", None), "policy", None) or getattr(view, "policy", None)
        policy = policy or getattr(getattr(view, "cls", None), "policy", None)
        assert isinstance(policy, Policy), address


def test_every_method_of_the_api_is_declared() -> None:
    declared = {(route.method, f"api/v1/{shape(route.address)}") for route in routes.API}
    declared |= {("GET", f"api/v1/{shape(address)}") for address in routes.OPEN_API}
    for address, view in patterns():
        if not address.startswith("api/"):
            continue
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(view.cls, method):
                assert (method.upper(), shape(address)) in declared


class Scene:
    """A private asset of Alice, bound to scout-1, with one of everything that can be on it."""

    def __init__(self, world: World) -> None:
        self.world = world
        alice = world.principal(world.alice)
        asset = assets.create_asset(alice, name="diary").id
        node = memories.remember(alice, text=f"The heron says {CANARY}.", asset=asset)["node"]
        binding = bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r")["id"]
        job = imports.start_import(
            alice, payload=json.dumps([{"speaker": "a", "content": "b"}]).encode(), name="x", asset=asset
        )["id"]
        grant = grants.grant(
            alice, asset=asset, to=("user", world.bob.id), level="read", reason="no effect on private"
        )["id"]
        denial = denials.deny(alice, asset=asset, to=("user", world.carol.id), reason="r")["id"]
        world.token(world.alice)
        token = Token.objects.get(user=world.alice)
        self.names = {
            "asset": ids.public("asset", asset), "node": node, "binding": binding, "job": job,
            "grant": grant, "denial": denial, "token": ids.public("token", token.id),
            "agent": ids.public("agent", world.builder.pk), "second": ids.public("agent", world.reviewer.pk),
            "role": ids.public("role", world.roles["scout"].id),
            "holder": ids.public("role", world.roles["scout"].id),
            "user": ids.public("user", world.carol.id), "absent": "ver_" + "0" * 32,
            "template": "scout", "what": "denial",
        }  # fmt: skip

    def fill(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.format(**self.names)
        if isinstance(value, dict):
            return {key: self.fill(one) for key, one in value.items()}
        return value

    def token(self, who: str) -> str:
        world = self.world
        people: dict[str, User | Agent] = {
            "owner": world.alice, "teammate": world.bob, "admin": world.admin,
            "compliance": world.dora, "stranger": world.charlie, "superuser": world.bob,
            "bound": world.scout, "unbound": world.builder,
            "revoked": world.scout, "expired": world.scout, "suspended": world.carol, "left": world.carol,
        }  # fmt: skip
        if who == "anonymous":
            return ""
        past = timezone.now() - timedelta(seconds=1)
        changes = {"revoked": {"revoked_at": past}, "expired": {"expires_at": past}}.get(who, {})
        text = world.token(people[who], **changes)
        if who == "superuser":
            world.bob.is_superuser = world.bob.is_staff = True
            world.bob.save()
        if who == "suspended":
            world.carol.is_active = False
            world.carol.save()
        if who == "left":
            Membership.objects.filter(user=world.carol).delete()
        return text


def expected(route: routes.Route, who: str) -> int:
    if who in routes.NOBODY:
        return 401
    return dict(route.named).get(who, route.others)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", [*routes.PEOPLE, *routes.AGENTS, *routes.NOBODY])
def test_api_cells(world: World, client: Client, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    scene = Scene(world)
    token = scene.token(who)
    headers = {"If-Match": "*", **({"Authorization": f"Bearer {token}"} if token else {})}
    wrong = []
    for route in sorted(routes.API, key=lambda one: one.method == "DELETE"):
        answer = client.generic(
            route.method, f"/api/v1/{scene.fill(route.address)}",
            data=json.dumps(scene.fill(route.body)) if route.body else "",
            content_type="application/json", headers=headers,
        )  # fmt: skip
        if answer.status_code != expected(route, who):
            wrong.append((route.method, route.address, answer.status_code, expected(route, who)))
        if who not in {"owner", "bound"}:
            assert CANARY not in answer.content.decode()
    assert wrong == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["owner", "teammate", "admin", "compliance", "stranger", "anonymous"])
def test_page_cells(world: World, client: Client, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    scene = Scene(world)
    people = {
        "owner": world.alice, "teammate": world.bob, "admin": world.admin,
        "compliance": world.dora, "stranger": world.charlie,
    }  # fmt: skip
    if who in people:
        client.force_login(people[who], backend="hub.authn.signin.PeopleBackend")
    wrong = []
    for route in routes.PAGES:
        address = "/" + scene.fill(route.address)
        answer = (
            client.get(address) if route.method == "GET" else client.post(address, scene.fill(route.body))
        )
        right = 302 if who == "anonymous" else expected(route, who)
        if answer.status_code != right:
            wrong.append((route.method, route.address, answer.status_code, right))
        if who != "owner":
            assert CANARY not in answer.content.decode()
            assert "diary" not in answer.content.decode()
    assert wrong == []


@pytest.mark.django_db(transaction=True)
def test_an_agent_never_manages_whatever_its_token_says(world: World) -> None:
    """P7: the rule refuses, not only the form of the token."""
    principal = replace(world.principal(world.scout), actions=frozenset({"read", "change", "manage"}))
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="notes", visibility="team").id
    with pytest.raises(Missing):
        bindings.bind(principal, asset=asset, agent=world.scout.pk, reason="self-service")
