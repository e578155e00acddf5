"""T105: an Idempotency-Key gives one effect and one answer, however often and at once it comes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from assets.services import assets, memories
from hub import ids
from hub.models import AuditEvent, KeptAnswer, Token
from hub.models.idempotency import KEPT_FOR
from hub.tasks import sweep_requests
from tests.contracts import routes
from tests.contracts.calls import at_once, call
from tests.contracts.test_access_matrix import Scene
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "4f7e a key"


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def told(answer: Any) -> tuple[int, bytes, dict[str, str]]:
    """What a repeat must give again, byte for byte."""
    names = ("Content-Type", "Location", "ETag")
    return answer.status_code, answer.content, {n: answer.headers[n] for n in names if n in answer.headers}


def post(token: str, address: str, body: Any, key: str = KEY) -> Any:
    return call("POST", address, token, body, **{"Idempotency-Key": key, "If-Match": "*"})


def events(world: World, action: str) -> int:
    return AuditEvent.objects.filter(team=world.team.id, action=action, outcome="allowed").count()


def test_twenty_at_once_have_one_effect_and_one_answer(world: World) -> None:
    token = world.token(world.alice)
    asset = ids.public("asset", assets.create_asset(world.principal(world.alice), name="notes").id)
    body = {"text": "The heron sleeps at ten.", "asset": asset}
    answers = at_once(20, lambda _: post(token, "remember", body))
    assert {told(one)[0] for one in answers} == {201}
    assert len({told(one)[1] for one in answers}) == 1
    assert events(world, "remember") == 1
    assert sorted("Idempotency-Replayed" in one.headers for one in answers) == [False, *[True] * 19]
    listed = call("GET", f"assets/{asset}/nodes", token).json()["items"]
    assert [row["text"] for row in listed] == ["The heron sleeps at ten."]
    other = post(token, "remember", {**body, "text": "The heron sleeps at nine."})
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert events(world, "remember") == 1


def test_equal_json_is_equal_whatever_its_order(world: World) -> None:
    token = world.token(world.alice)
    first = call("POST", "assets", token, b'{"name": "a", "title": "b"}', **{"Idempotency-Key": KEY})
    second = call("POST", "assets", token, b'{"title":"b","name":"a"}', **{"Idempotency-Key": KEY})
    assert told(first) == told(second)
    assert first["ETag"]
    assert second["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers


def test_keys_are_of_one_principal_one_address_and_one_set_of_powers(world: World) -> None:
    body = {"name": "mine", "title": "t"}
    tokens = [world.token(world.alice), world.token(world.bob), world.token(world.charlie)]
    made = [post(token, "assets", body).json()["id"] for token in tokens]
    assert len(set(made)) == 3
    assert (
        post(world.token(world.alice), "assets", body).json()["id"] == made[0]
    )  # another token, equal powers
    weak = world.token(world.alice, actions=["read"])
    refused = post(weak, "assets", body)
    assert refused.status_code == 403
    assert made[0] not in refused.content.decode()
    assert post(tokens[0], "remember", {"text": "x"}).status_code == 201


def test_a_refusal_leaves_the_key_free_and_is_recorded(world: World) -> None:
    token = world.token(world.alice)
    hidden = assets.create_asset(world.principal(world.bob), name="his").id
    before = AuditEvent.objects.filter(outcome="refused").count()
    grant = {"to": ids.public("user", world.carol.id), "level": "read", "reason": "r"}
    assert post(token, f"assets/{ids.public('asset', hidden)}/grants", grant).status_code == 404
    assert AuditEvent.objects.filter(outcome="refused").count() == before + 1
    assert post(token, "assets", {"name": ""}).status_code == 400
    assert post(token, "assets", {"name": "right"}).status_code == 201
    assert post(token, "assets", {"name": "right"}, key="other").status_code == 409
    assert KeptAnswer.objects.count() == 1


def test_a_failure_in_between_leaves_neither_effect_nor_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = world.token(world.alice)

    def fail(*_: Any) -> bytes:
        message = "the power went"
        raise RuntimeError(message)

    with monkeypatch.context() as patched:
        patched.setattr("hub.api.repeats._seal", fail)
        assert post(token, "assets", {"name": "notes"}).status_code == 500
    assert call("GET", "assets", token).json()["items"] == []
    assert KeptAnswer.objects.count() == 0
    assert events(world, "asset.create") == 0
    assert post(token, "assets", {"name": "notes"}).status_code == 201


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "ключ".encode().decode("latin-1"), "a\tb"])
def test_a_key_that_cannot_be_kept_is_named(world: World, key: str) -> None:
    answer = post(world.token(world.alice), "assets", {"name": "a"}, key=key)
    assert answer.status_code == 400
    assert set(answer.json()["fields"]) == {"Idempotency-Key"}
    assert post(world.token(world.alice), "assets", {"name": "a"}, key="k" * 200).status_code == 201


def test_a_token_is_given_again_but_stands_nowhere(world: World) -> None:
    token = world.token(world.alice)
    body = {"for": ids.public("agent", world.builder.pk), "actions": ["read"]}
    first = post(token, "tokens", body)
    second = post(token, "tokens", body)
    assert told(first) == told(second)
    secret = first.json()["token"]
    assert Token.objects.filter(agent_id=world.builder.pk).count() == 1
    kept = KeptAnswer.objects.get()
    assert secret.encode() not in bytes(kept.sealed)
    with connection.cursor() as cursor:
        cursor.execute("select hub_keptanswer::text from hub_keptanswer")
        row = cursor.fetchone()[0]
    for part in (secret, secret.split("_")[3], KEY, first.json()["id"]):
        assert part not in row
        assert part.encode().hex() not in row
    assert events(world, "request.repeat") == 1


def test_a_revoked_token_gets_nothing_again(world: World) -> None:
    token = world.token(world.alice)
    assert post(token, "assets", {"name": "a"}).status_code == 201
    Token.objects.filter(user=world.alice).update(revoked_at=timezone.now())
    assert post(token, "assets", {"name": "a"}).status_code == 401


def test_every_changing_post_takes_a_key(world: World) -> None:
    """Each route of the declaration, twice as one who may: equal answers, the second a repeat."""
    scene = Scene(world)
    tokens = {"owner": scene.token("owner"), "admin": scene.token("admin")}
    tried = 0
    for route in routes.API:
        named = dict(route.named)
        who = next((one for one in ("owner", "admin") if named.get(one, route.others) < 300), None)
        if route.method != "POST" or who is None or route.address == "retrieve":
            continue
        address, body = scene.fill(route.address), scene.fill(route.body)
        answers = [post(tokens[who], address, body, key=f"once {address}") for _ in range(2)]
        assert told(answers[0]) == told(answers[1]), route
        assert answers[0].status_code < 300, route
        assert "Idempotency-Replayed" in answers[1].headers, route
        tried += 1
    assert tried >= 9


def test_a_form_is_repeated_whatever_its_boundary(world: World) -> None:
    token = world.token(world.alice)

    def send(boundary: str, text: str = '[{"speaker": "a", "content": "b"}]') -> Any:
        parts = (("name", "x"), ("text", text))
        lines = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in parts
        )
        return call(
            "POST", "imports", token, f"{lines}--{boundary}--\r\n".encode(),
            **{"Content-Type": f"multipart/form-data; boundary={boundary}", "Idempotency-Key": KEY},
        )  # fmt: skip

    first, second = send("one"), send("two")
    assert (first.status_code, told(first)) == (202, told(second))
    assert send("three", '[{"speaker": "a", "content": "c"}]').status_code == 422


def test_after_a_day_a_key_is_new(world: World) -> None:
    token = world.token(world.scout)
    first = post(token, "remember", {"text": "one"}).json()["node"]
    old = timezone.now() - KEPT_FOR - timedelta(seconds=1)
    KeptAnswer.objects.update(created_at=old)
    assert post(token, "remember", {"text": "two"}).json()["node"] != first
    assert sweep_requests() == 0
    KeptAnswer.objects.update(created_at=old)
    assert sweep_requests() == 1
    assert KeptAnswer.objects.count() == 0


def test_a_question_needs_no_key(world: World) -> None:
    memories.remember(world.principal(world.scout), text="the heron")
    for _ in range(2):
        answer = post(world.token(world.scout), "retrieve", {"query": "heron"})
        assert answer.status_code == 200
        assert "Idempotency-Replayed" not in answer.headers
    assert KeptAnswer.objects.count() == 0
