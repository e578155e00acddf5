"""T062: floods of asking, of guessing ids and of signing in end at a stated limit, exactly."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from assets.services import memories
from hub import ids, limits
from hub.authn import counting
from hub.env import SettingError
from hub.models import AuditEvent, RequestCount
from hub.tasks import sweep_requests
from tests.contracts import routes
from tests.contracts.calls import at_once, call
from tests.contracts.test_access_matrix import Scene
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy")


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def limited(settings: LazySettings, text: str) -> None:
    settings.LIMITS = {**settings.LIMITS, **{
        name: limit for name, limit in limits.read(text).items() if f"{name}=" in text
    }}  # fmt: skip


def later(seconds: int) -> None:
    """As if that much time had passed."""
    for row in RequestCount.objects.all():
        RequestCount.objects.filter(slot=row.slot).update(
            started_at=row.started_at - timedelta(seconds=seconds)
        )


@pytest.mark.parametrize("bucket", ["search", "read", "write"])
def test_twenty_clients_at_once_never_pass_the_limit(world: World, settings: Any, bucket: str) -> None:
    limited(settings, f"{bucket}=30/60")
    token = world.token(world.alice)
    asked: dict[str, tuple[str, str, Any]] = {
        "search": ("POST", "retrieve", {"query": "heron"}), "read": ("GET", "me", None),
        "write": ("POST", "assets", {"name": ""}),
    }  # fmt: skip
    answers = at_once(20, lambda _: [call(*asked[bucket][:2], token, asked[bucket][2]) for _ in range(3)])
    codes = [one.status_code for many in answers for one in many]
    passed = [code for code in codes if code != 429]
    assert len(passed) == 30
    for many in answers:
        for one in many:
            assert one["RateLimit-Limit"] == "30"
            assert one["RateLimit-Policy"] == "30;w=60"
            if one.status_code == 429:
                assert 1 <= int(one["Retry-After"]) <= 60
                assert one["RateLimit-Remaining"] == "0"
                assert one.json()["code"] == "too_many_requests"


def test_every_answer_says_what_is_left(world: World) -> None:
    scene = Scene(world)
    for who in ("owner", "stranger", "anonymous"):
        token = scene.token(who)
        for route in routes.API:
            answer = call(route.method, scene.fill(route.address), token, scene.fill(route.body))
            assert all(name in answer.headers for name in NAMES), (who, route)
    assert all(name in call("GET", "problems").headers for name in NAMES)


def test_a_window_ends_and_others_are_not_touched(world: World, settings: Any) -> None:
    limited(settings, "read=2/60,write=2/60")
    alice, bob = world.token(world.alice), world.token(world.bob)
    assert [call("GET", "me", alice).status_code for _ in range(3)] == [200, 200, 429]
    assert call("GET", "me", world.token(world.alice)).status_code == 429  # another token, one person
    assert call("GET", "me", bob).status_code == 200
    assert call("POST", "retrieve", alice, {"query": "x"}).status_code == 200
    assert call("POST", "assets", alice, {"name": "a"}).status_code == 201
    later(61)
    assert [call("GET", "me", alice).status_code for _ in range(3)] == [200, 200, 429]


def test_guessing_ids_ends_while_asking_goes_on(world: World, settings: Any) -> None:
    limited(settings, "missing=5/60")
    token = world.token(world.builder)
    memories.remember(world.principal(world.builder), text="the heron")

    def guess() -> Any:
        return call("GET", f"nodes/{ids.public('node', uuid4())}", token)

    codes = [guess().status_code for _ in range(10)]
    assert codes == [404] * 6 + [429] * 4
    held = guess()
    assert 1 <= int(held["Retry-After"]) <= 60
    assert call("GET", "assets", token).status_code == 429
    assert len(call("POST", "retrieve", token, {"query": "heron"}).json()["items"]) == 1
    later(61)
    assert [guess().status_code for _ in range(7)] == [404] * 6 + [429]
    assert 60 < int(guess()["Retry-After"]) <= 120  # twice as long, since it goes on


def test_twenty_guessers_at_once_pass_by_no_more_than_are_under_way(world: World, settings: Any) -> None:
    limited(settings, "missing=10/60")
    token = world.token(world.builder)
    codes = [
        code
        for many in at_once(
            20,
            lambda _: [
                call("GET", f"nodes/{ids.public('node', uuid4())}", token).status_code for _ in range(10)
            ],
        )
        for code in many
    ]
    assert 11 <= codes.count(404) <= 11 + 20
    assert codes.count(404) + codes.count(429) == 200


def test_who_has_no_token_is_counted_by_address(world: World, settings: Any) -> None:
    limited(settings, "nobody=5/60")
    codes = [call("GET", "me", f"tmh_agt_{n}").status_code for n in range(8)]
    assert codes == [401] * 5 + [429] * 3
    assert call("GET", "me", world.token(world.alice)).status_code == 200  # the address is not locked


def sign_in(name: str, password: str, address: str = "192.0.2.1") -> Any:
    return Client().post("/sign-in", {"username": name, "password": password}, REMOTE_ADDR=address)


def test_guessing_a_password_waits_longer_each_time(world: World, settings: Any) -> None:
    limited(settings, "sign_in=3/60")
    assert [sign_in("alice", "guess").status_code for _ in range(5)] == [200, 200, 200, 429, 429]
    right = sign_in("ALICE", "password-of-alice")
    assert right.status_code == 429
    assert "Too many tries" in right.content.decode()
    assert 1 <= int(right["Retry-After"]) <= 60
    waits = []
    for wait in (60, 120, 240):
        later(wait + 1)
        codes = [sign_in("alice", "guess").status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        waits.append(int(sign_in("alice", "guess")["Retry-After"]))
    assert [60 < waits[0] <= 120, 120 < waits[1] <= 240, 240 < waits[2] <= 480] == [True] * 3
    assert sign_in("alice", "password-of-alice", "198.51.100.7").status_code == 302
    refused = AuditEvent.objects.filter(action="sign_in", outcome="refused", rule="too many tries")
    assert refused.count() >= 6


def test_the_answer_is_the_same_whether_the_name_exists(world: World, settings: Any) -> None:
    limited(settings, "sign_in=2/60")
    shown = []
    for name in ("alice", "nobody-of-this-name"):
        answers = [sign_in(name, "guess") for _ in range(4)]
        shown.append([(one.status_code, one.get("Retry-After")) for one in answers])
    assert shown[0] == shown[1]


def test_many_names_from_one_address_end_too(world: World, settings: Any) -> None:
    limited(settings, "sign_in_address=5/60")
    codes = [sign_in(f"name-{n}", "guess").status_code for n in range(7)]
    assert codes == [200] * 5 + [429] * 2


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("192.0.2.1", "192.0.2.2", False), ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False), ("", "", True),
    ],
)  # fmt: skip
def test_a_network_of_version_6_is_one_caller(one: str, other: str, equal: bool) -> None:
    names = [counting.address_name({"REMOTE_ADDR": address}) for address in (one, other)]
    assert (names[0] == names[1]) is equal


def test_no_name_and_no_address_is_stored(world: World) -> None:
    sign_in("alice", "guess")
    call("GET", "me", world.token(world.alice))
    with connection.cursor() as cursor:
        cursor.execute("select hub_requestcount::text from hub_requestcount")
        text = str(cursor.fetchall())
        cursor.execute("select relpersistence from pg_class where relname = 'hub_requestcount'")
        assert cursor.fetchone()[0] == "u"
    for part in ("alice", "192.0.2.1", world.alice.id.hex, str(world.alice.id)):
        assert part not in text
    RequestCount.objects.update(started_at=timezone.now() - timedelta(days=3))
    assert sweep_requests() == RequestCount.objects.count() + 3
    assert RequestCount.objects.count() == 0


def test_a_question_costs_few_statements(world: World) -> None:
    token = world.token(world.scout)
    memories.remember(world.principal(world.scout), text="The heron sleeps at ten.")
    call("POST", "retrieve", token, {"query": "heron"})
    with CaptureQueriesContext(connection) as asked:
        assert call("POST", "retrieve", token, {"query": "heron"}).status_code == 200
    counts = [one for one in asked.captured_queries if "hub_requestcount" in one["sql"]]
    assert len(counts) == 1
    sent = [one["sql"][:100] for one in asked.captured_queries if one["sql"] not in {"BEGIN", "COMMIT"}]
    assert len(sent) <= 12, sent


@pytest.mark.parametrize(
    "text", ["reads=1/60", "read=0/60", "read=1", "read=1/0", "read=-1/60", "read=1/60;"]
)
def test_a_wrong_setting_stops_the_start(text: str) -> None:
    with pytest.raises(SettingError, match="HUB_LIMITS"):
        limits.read(text)


def test_a_setting_changes_what_it_names() -> None:
    found = limits.read(" search=5/10, sign_in=2/60 ")
    assert found["search"] == limits.Limit(5, 10)
    assert found["sign_in"] == limits.Limit(2, 60, grows=True)
    assert found["read"] == limits.LIMITS["read"]
