"""Every refusal has a code of one catalogue, and every code of it can happen and is explained."""

from __future__ import annotations

import re
from typing import Any

import pytest

from assets.services import assets
from hub import answers, ids
from hub.problems import KINDS, Problem
from tests.architecture import source
from tests.contracts.calls import call
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def kinds_of(parent: type[Problem]) -> set[type[Problem]]:
    return {parent, *(one for child in parent.__subclasses__() for one in kinds_of(child))}


def test_no_refusal_is_outside_the_catalogue() -> None:
    for kind in kinds_of(Problem):
        assert KINDS[kind.code].status == kind.status, kind
        assert KINDS[kind.code].title == kind.title, kind
    for status, code in answers.CODES.items():
        assert KINDS[code].status == status


def test_the_page_lists_each_code_with_its_status() -> None:
    text = (source.ROOT / "docs" / "api.md").read_text("utf-8")
    listed = {
        code: int(status) for code, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.MULTILINE)
    }
    buckets = {"search", "read", "write", "missing", "nobody", "sign_in", "sign_in_address"}
    told = re.findall(r"^\| `(\w+)` \| (\d+) \| [^|]+ \|$", text.partition("## Limits")[0], re.MULTILINE)
    assert {code: int(status) for code, status in told} == {code: one.status for code, one in KINDS.items()}
    assert buckets <= set(listed)


def test_each_code_can_happen_and_leads_to_its_explanation(
    world: World, settings: Any, monkeypatch: Any
) -> None:
    alice, admin = world.token(world.alice), world.token(world.admin)
    asset = ids.public("asset", assets.create_asset(world.principal(world.alice), name="notes").id)
    secret = world.token(world.scout)
    once = {"Idempotency-Key": "k"}
    call("POST", "assets", alice, {"name": "first"}, **once)
    found = {
        "invalid": call("POST", "assets", alice, {"name": ""}),
        "unauthenticated": call("GET", "me"),
        "forbidden": call("POST", "agents", alice, {"name": "a"}),
        "missing": call("GET", f"assets/{asset}", admin),
        "method_not_allowed": call("DELETE", "me", alice),
        "not_acceptable": call("GET", "me", alice, Accept="text/csv"),
        "conflict": call("POST", "assets", alice, {"name": "notes"}),
        "stale": call("PATCH", f"assets/{asset}", alice, {"title": "x"}, **{"If-Match": '"0"'}),
        "too_large": call("POST", "assets", alice, b'"' + b"x" * 1_100_000 + b'"'),
        "unsupported_media_type": call("POST", "assets", alice, b"a: b", **{"Content-Type": "text/yaml"}),
        "key_reused": call("POST", "assets", alice, {"name": "second"}, **once),
        "secret_found": call("POST", "remember", alice, {"text": f"use {secret}"}),
        "precondition_required": call("PATCH", f"assets/{asset}", alice, {"title": "x"}),
    }

    def fail(*_: Any, **__: Any) -> None:
        message = "a defect"
        raise RuntimeError(message)

    with monkeypatch.context() as patched:
        patched.setattr("assets.api.assets.assets.list_assets", fail)
        found["failed"] = call("GET", "assets", alice)
    settings.LIMITS = {**settings.LIMITS, "read": settings.LIMITS["read"].__class__(1)}
    call("GET", "me", admin)
    found["too_many_requests"] = call("GET", "me", admin)
    assert set(found) == set(KINDS)
    for code, answer in found.items():
        told = answer.json()
        assert (told["code"], told["status"], answer.status_code) == (
            code,
            KINDS[code].status,
            KINDS[code].status,
        )
        assert answer["Content-Type"] == answers.TYPE
        assert told["title"] == KINDS[code].title
        assert told["request_id"] == answer["X-Request-Id"]
        page = call("GET", told["type"].removeprefix("/api/v1/")).json()
        assert page == {
            "code": code,
            "status": told["status"],
            "title": told["title"],
            "advice": KINDS[code].advice,
        }


def test_the_catalogue_is_open_and_nothing_else_of_it(world: World) -> None:
    assert {one["code"] for one in call("GET", "problems").json()["items"]} == set(KINDS)
    assert call("GET", "problems/none-such").status_code == 404
    assert call("POST", "problems", world.token(world.alice), {}).status_code == 405
    tag = call("GET", "problems/stale")["ETag"]
    assert call("GET", "problems/stale", **{"If-None-Match": tag}).status_code == 304
