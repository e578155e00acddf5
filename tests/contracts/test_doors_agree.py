"""The same question at two doors: equal rows, and an audit row of the same act."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from assets.services import assets, bindings, memories
from hub.models import AuditEvent
from tests.world import World

ASSET = re.compile(r"ast_[0-9a-f]{32}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["alice", "bob", "admin", "charlie"])
def test_rest_and_pages_agree(
    world: World, client: Client, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    alice = world.principal(world.alice)
    for visibility in ("private", "team", "restricted", "agent"):
        asset = assets.create_asset(alice, name=visibility, visibility=visibility).id
        memories.remember(alice, text=f"the heron of {visibility}", asset=asset)
        bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r")
    user = getattr(world, who)
    headers = {"Authorization": f"Bearer {world.token(user)}"}
    client.force_login(user, backend="hub.authn.signin.PeopleBackend")

    listed = {row["id"] for row in client.get("/api/v1/assets", headers=headers).json()["items"]}
    shown = set(ASSET.findall(client.get("/assets").content.decode()))
    assert listed == shown
    assert len(listed) == {"alice": 4, "bob": 1, "admin": 1, "charlie": 0}[who]

    asked = client.post(
        "/api/v1/retrieve", {"query": "heron"}, content_type="application/json", headers=headers
    ).json()
    page = client.get(f"/try?q=heron&as=usr_{user.id.hex}").content.decode()
    assert {item["asset"] for item in asked["items"]} == set(ASSET.findall(page))
    for item in asked["items"]:
        assert item["text"] in page
    for action in ("asset.list", "retrieve"):
        doors = AuditEvent.objects.filter(action=action, actor_user=user.id).values_list("door", flat=True)
        assert sorted(doors) == ["rest", "web"]
