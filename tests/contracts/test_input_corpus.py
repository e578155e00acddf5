"""T070 to T073, T075, T076: bad and strange input at every field, parameter and id of every route.

What is refused is a 4xx that names the field; what is taken comes back byte for byte; nothing
is ever a 5xx. Each test records how many inputs it sent (`inputs` in the report's properties).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from assets.services import assets
from hub import ids
from tests.contracts import places, routes
from tests.contracts.calls import call
from tests.contracts.places import Place
from tests.contracts.test_access_matrix import Scene
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
Record = Callable[[str, object], None]

# (what, raw JSON): may stand in no field of any kind, and the answer names the field.
NEVER: dict[str, bytes] = {
    "NUL": rb'"a\u0000b"', "lone high surrogate": rb'"\ud800"', "lone low surrogate": rb'"x\udc00"',
    "reversed pair": rb'"\udc00\ud800"', "not UTF-8": b'"\xff\xfe"', "overlong": b'"\xc0\xaf"',
    "encoded surrogate": b'"\xed\xa0\x80"', "cut short": b'"\xe4\xbd"', "NaN": b"NaN", "Infinity": b"Infinity",
    "-Infinity": b"-Infinity", "1e999": b"1e999", "-1e999": b"-1e999", "5,000 digits": b"9" * 5000,
    "long fraction": b"0." + b"3" * 5000, "NUL in a name": rb'{"a\u0000": 1}', "inner twins": b'{"a": 1, "a": 1}',
}  # fmt: skip
# Text that no parser may stumble over: refused by the field, or taken as it is.
STRANGE: dict[str, Any] = {
    "null": None, "true": True, "zero": 0, "minus": -1, "huge": 10**18, "float": 1e308,
    "empty": "", "blank": "   ", "list": [[]], "object": {}, "text": "x", "long": "x" * 10_240, "many": ["x"] * 10_000,
    "code": "'\"`;--') drop table hub_user; -- 100%_\\ ../../etc {{7*7}}{%x%}${x} %s%n{0}{asset} owner__password $.a[*]",
    "control": "\x01\x1b[31m\x7f", "constructor": {"lc": 1, "type": "constructor", "id": ["os", "system"]},
    "vector": [1e39, -1e39], "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪", "right to left": "שלום \u202eabc\u202c",
    "marks": "a" + "\u0301" * 1000, "hidden": "x\U000e0041\U000e007f\u200b\ufeff", "not a character": "\ufffe\uffff",
}  # fmt: skip
NAMES = (
    "_connector", "owner__password", "owner.id", "a'b", 'a"b', "a;b", "%", "$.x", "id", "team", "user_id",
    "__proto__", "\u202e", "a\nb", "on_behalf_of",
)  # fmt: skip
TEXTS = {
    "joined emoji": "👩‍👩‍👧‍👦 and 👨🏽‍🚀", "flags": "🇩🇪🇨🇳🏴󠁧󠁢󠁥󠁮󠁧󠁿", "right to left": "مرحبا \u202eabc\u202c שלום",
    "marks": "o" + "\u0308" * 1000, "Turkish": "İstanbul ıI iİ", "NFC": "é", "NFD": "e\u0301",
    "homoglyphs": "раураl paypal", "tag block": "x\U000e0001\U000e0041\U000e007f", "zero width": "a\u200b\u200c\u2060\ufeffb",
    "bidi": "\u2066a\u2069\u202eb\u202c", "blanks": "  two\tand\r\n  lines \u00a0\u3000", "sql": "'; drop table x; --",
    "html": "<script>alert(1)</script>", "private": "\ue000\U0010fffd", "not a character": "\ufffe\uffff",
    "controls": "\x01\x02\x1b[0m\x7f\x85", "Chinese": "鹭在十点睡觉，𠮷野家。", "ligature": "ﬁ ① Ａ",
}  # fmt: skip


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)  # thousands of refusals


class Sender:
    """Sends as somebody who may, counts, and keeps what a hub must never answer."""

    def __init__(self, world: World) -> None:
        self.scene = Scene(world)
        self.tokens = {who: self.scene.token(who) for who in ("owner", "admin")}
        self.count = 0
        self.wrong: list[object] = []

    def able(self, route: routes.Route) -> str:
        named = dict(route.named)
        return self.tokens[next((w for w in ("owner", "admin") if named.get(w, route.others) < 300), "admin")]

    def send(
        self, route: routes.Route, body: bytes | None, what: object, address: str = "", **headers: str
    ) -> Any:
        self.count += 1
        where = address or self.scene.fill(route.address)
        answer = call(route.method, where, self.able(route), body, **{"If-Match": "*", **headers})
        if answer.status_code >= 500:
            self.wrong.append((route.method, where, what, answer.status_code))
        elif answer.status_code >= 400:
            told = answer.json()
            if answer["Content-Type"] != "application/problem+json" or told["status"] != answer.status_code:
                self.wrong.append((route.method, where, what, "no problem", answer.content[:200]))
        return answer

    def refused(
        self, route: routes.Route, body: bytes | None, what: object, field: str | None, **rest: Any
    ) -> None:
        """A 400 that names the field, or any field where none is given."""
        statuses = rest.pop("statuses", (400,))
        answer = self.send(route, body, what, **rest)
        fields = set(answer.json().get("fields", ())) if answer.status_code >= 400 else set()
        if answer.status_code not in statuses or (field is not None and field not in fields):
            self.wrong.append(
                (route.method, route.address, what, field, answer.status_code, answer.content[:200])
            )

    def done(self, record: Record) -> None:
        record("inputs", self.count)
        assert self.wrong == []


@pytest.fixture
def sender(world: World) -> Sender:
    return Sender(world)


def with_body() -> list[tuple[routes.Route, list[Place]]]:
    found = [
        (route, places.fields(route.method, route.address)) for route in routes.API if route.body is not None
    ]
    assert len(found) >= 11
    assert sum(len(fields) for _, fields in found) >= 80
    return found


def test_what_may_stand_nowhere_is_refused_by_name(sender: Sender, record_property: Record) -> None:
    for route, fields in with_body():
        body = sender.scene.fill(route.body)
        for place in fields:
            for what, raw in NEVER.items():
                name = {"NUL in a name": f"{place.name}.a", "inner twins": f"{place.name}.a"}.get(
                    what, place.name
                )
                sender.refused(route, places.written(body, place, raw), (what, place.name), name)
            if isinstance(place.path[-1], str):
                twins = places.written(body, place, b'"a"', twice=True)
                sender.refused(route, twins, ("twins", place.name), place.name)
    assert sender.count > 1000
    sender.done(record_property)


def test_what_is_strange_is_taken_or_refused_by_name(sender: Sender, record_property: Record) -> None:
    for route, fields in with_body():
        body = sender.scene.fill(route.body)
        for place in fields:
            for what, value in STRANGE.items():
                raw = json.dumps(value, ensure_ascii=False).encode()
                answer = sender.send(route, places.written(body, place, raw), (what, place.name))
                if answer.status_code == 400 and not answer.json().get("fields"):
                    sender.wrong.append((route.address, place.name, what, answer.content[:200]))
    assert sender.count > 2000
    sender.done(record_property)


def test_unknown_names_are_refused_by_name(sender: Sender, record_property: Record) -> None:
    for route, fields in with_body():
        body = sender.scene.fill(route.body)
        inner = [
            place for place in fields if place.schema.get("type") == "object" and "properties" in place.schema
        ]
        for name in NAMES:
            if name not in (route.body or {}):
                sender.refused(route, json.dumps({**body, name: 1}).encode(), name, name)
            for place in inner:
                raw = json.dumps({name: 1}).encode()
                sender.refused(route, places.written(body, place, raw), name, f"{place.name}.{name}")
    for route in routes.API:
        mark = "&" if "?" in route.address else "?"
        for name in NAMES:
            address = f"{sender.scene.fill(route.address)}{mark}{quote(name)}=x"
            sender.refused(route, None, name, None if route.body else name, address=address)
    sender.done(record_property)


def test_whole_bodies_that_cannot_be_read(sender: Sender, record_property: Record) -> None:
    for route, _ in with_body():
        body = json.dumps(sender.scene.fill(route.body))
        bad = {
            "nothing": b"", "not JSON": b"{broken", "mark": b"\xef\xbb\xbf" + body.encode(),
            "UTF-16": body.encode("utf-16"), "UTF-16 bare": body.encode("utf-16-le"), "UTF-32": body.encode("utf-32"),
            "deep": b"[" * 100_000, "deep objects": b'{"a":' * 100_000, "deep in a field": b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}",
            "list": b"[]", "text": b'"x"', "null": b"null", "number": b"1", "after": body.encode() + b"{}",
            "comma": body.encode()[:-1] + b",}", "quotes": b"{'a': 1}", "bytes": bytes(range(256)),
        }  # fmt: skip
        for what, raw in bad.items():
            if what == "nothing":  # an empty change is one, and changes nothing
                sender.refused(
                    route, raw, what, None, statuses=(200, 400) if route.method == "PATCH" else (400,)
                )
            else:
                sender.refused(route, raw, what, "body")
        for charset in ("utf-16", "latin-1", "klingon", "utf-7"):
            kind = f"application/json; charset={charset}"
            sender.refused(route, body.encode(), charset, None, statuses=(415,), **{"Content-Type": kind})
        for kind in (
            "text/plain",
            "application/xml",
            "application/x-www-form-urlencoded",
            "application/pickle",
            "x",
        ):
            sender.refused(route, body.encode(), kind, None, statuses=(415,), **{"Content-Type": kind})
        huge = (
            b'{"a": "' + b"x" * (51 * 1024 * 1024 if route.address == "imports" else 10 * 1024 * 1024) + b'"}'
        )
        sender.refused(route, huge, "10 MB", None, statuses=(413,))
    sender.done(record_property)


def test_parameters(sender: Sender, record_property: Record) -> None:
    values = ["", "%00", "%ff", "%ed%a0%80", "a%00b", "'", "1e9", "-1", "0", "1000000", "NaN", "9" * 5000, "x" * 600,
              "null", "[]", "%F0%9F%8F%B3", "%E2%80%AE", "owner__password", "a;b", "1%20or%201=1"]  # fmt: skip
    tried = 0
    for route in routes.API:
        base = sender.scene.fill(route.address)
        for name in places.parameters(route.method, route.address):
            tried += 1
            for value in values:
                address = f"{base.partition('?')[0]}?{name}={value}"
                answer = sender.send(route, None, (name, value[:20]), address=address)
                if "%00" in value and answer.status_code != 400:
                    sender.wrong.append((address, answer.status_code))
            sender.send(route, None, "many", address=f"{base.partition('?')[0]}?" + f"{name}=a&" * 1000)
            if name == "limit":
                for size in ("0", "201", "1000000", "-5", "1.5", "x"):
                    mark = "&" if "?" in base else "?"
                    sender.refused(route, None, size, "limit", address=f"{base}{mark}limit={size}")
    assert tried >= 12
    sender.done(record_property)


def test_ids_in_addresses(sender: Sender, record_property: Record) -> None:
    values = ["x", "%00", "%ff", "'", "ast_", "ast_" + "g" * 32, "ast_" + "0" * 31, "nod_" + "0" * 32, "%2e%2e%2f",
              "ast_" + "٠" * 32, "AST_" + "0" * 32, "ast_" + "-" * 32, "x" * 5000, "{}", "%F0%9F%8F%B3",
              "ast_0x" + "0" * 30, "ast_" + "0" * 32 + "%20"]  # fmt: skip
    for route in routes.API:
        path = route.address.partition("?")[0]
        if "{" not in path:
            continue
        start, _, rest = path.partition("{")
        for value in values:
            address = f"{start}{quote(value, safe='%')}{sender.scene.fill(rest.partition('}')[2])}"
            body = None if route.body is None else json.dumps(sender.scene.fill(route.body)).encode()
            sender.refused(route, body, value[:40], None, address=address, statuses=(404, 403, 400))
    sender.done(record_property)


def test_texts_come_back_byte_for_byte(sender: Sender, world: World, record_property: Record) -> None:
    token, alice = sender.tokens["owner"], world.principal(world.alice)
    asset = ids.public("asset", assets.create_asset(alice, name="texts").id)
    for what, text in TEXTS.items():
        for raw in (
            json.dumps({"text": text, "asset": asset}),
            json.dumps({"text": text, "asset": asset}, ensure_ascii=False),
        ):
            made = call("POST", "remember", token, raw.encode())
            assert made.status_code == 201, (what, made.content)
            assert call("GET", f"nodes/{made.json()['node']}", token).json()["text"] == text, what
        edit = {"title": text[:300], "description": text}
        shown = call("PATCH", f"assets/{asset}", token, edit, **{"If-Match": "*"}).json()
        assert (shown["title"], shown["description"]) == (text[:300].strip(), text.strip()), what
        asked = call("POST", "retrieve", token, {"query": text})
        assert asked.status_code == 200
        sender.count += 4
    stored = {row["text"] for row in call("GET", f"assets/{asset}/nodes?limit=200", token).json()["items"]}
    assert {TEXTS["NFC"], TEXTS["NFD"]} <= stored  # twins stay two
    sender.done(record_property)


class Closed:
    """A body that fails the test when it is read."""

    def read(self, *_: object) -> bytes:
        message = "the body was read"
        raise AssertionError(message)

    readline = read


@pytest.mark.parametrize("length", ["52428800", "100"])
@pytest.mark.parametrize(
    "kind", ["application/json", "multipart/form-data; boundary=x", "application/pickle"]
)
def test_nobody_is_refused_before_the_body_is_read(world: World, client: Any, length: str, kind: str) -> None:
    """T012"""
    for route in routes.API:
        for token in ("", "tmh_agt_wrong", world.token(world.scout)[:-1]):
            answer = client.generic(
                route.method, f"/api/v1/{Scene.fill(_Names(), route.address)}", content_type=kind,  # type: ignore[arg-type]
                headers={"Authorization": f"Bearer {token}"} if token else {},
                **{"wsgi.input": Closed(), "CONTENT_LENGTH": length},
            )  # fmt: skip
            assert answer.status_code == 401, route


class _Names:
    prefixes = {**ids.PREFIXES, "second": "agt", "holder": "rol", "absent": "ver"}
    names = {name: f"{prefix}_{'0' * 32}" for name, prefix in prefixes.items()} | {
        "template": "scout",
        "what": "denial",
    }


def test_a_known_caller_is_refused_before_a_large_body_is_read(world: World, client: Any) -> None:
    answer = client.generic(
        "POST", "/api/v1/remember", content_type="application/json",
        headers={"Authorization": f"Bearer {world.token(world.scout)}"},
        **{"wsgi.input": Closed(), "CONTENT_LENGTH": "52428800"},
    )  # fmt: skip
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "host", ["a/b", "a?b", "a#b", "a@testserver", "testserver@evil", "elsewhere.example", "", "a b", "[::1"]
)
def test_a_host_that_is_not_ours_is_refused(world: World, host: str) -> None:
    """T013, with identity from the token alone."""
    token = world.token(world.scout)
    for address in ("me", "assets", "problems"):
        assert call("GET", address, token, Host=host).status_code == 400


def test_identity_never_comes_from_headers(world: World) -> None:
    token = world.token(world.scout)
    own = call("GET", "me", token).json()
    alice = ids.public("user", world.alice.id)
    for name in (
        "X-Forwarded-User",
        "X_Forwarded_User",
        "X-On-Behalf-Of",
        "Remote-User",
        "X-User-Id",
        "X-Forwarded-Host",
    ):
        assert call("GET", "me", token, **{name: alice}).json() == own
        assert call("GET", "me", "", **{name: alice}).status_code == 401
