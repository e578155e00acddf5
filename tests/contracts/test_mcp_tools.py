"""T002, T011: every tool has a policy and a plain strict schema, and decides as its route of REST does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.utils.module_loading import import_string
from jsonschema import Draft202012Validator

from assets.api.remember import MessageIn, RememberIn, RememberOut
from assets.api.retrieve import AnswerOut, BudgetIn, FiltersIn, ItemOut, RetrieveIn, SharesIn, TagsIn
from assets.api.shapes import AssetOut, NodeOut
from assets.mcp import arguments, dispatch
from assets.mcp.schemas import Schema
from assets.mcp.tools import Result, Tool
from hub.audit.events import ACTIONS
from hub.authn.lookup import principal_for_token
from hub.limits import LIMITS
from hub.models import AuditEvent
from hub.policy import Policy
from hub.problems import Invalid, TooMany
from tests.contracts import routes
from tests.contracts.calls import call
from tests.contracts.test_access_matrix import CANARY, Scene
from tests.contracts.test_missing_is_equal import absent_names, acting, filled
from tests.world import World

# What each tool is asked in the scene, and the routes of REST that decide the same.
EXAMPLES: dict[str, list[tuple[dict[str, Any], tuple[str, str, Any]]]] = {
    "search": [({"query": "heron"}, ("POST", "retrieve", {"query": "heron"}))],
    "read": [
        ({"id": "{node}"}, ("GET", "nodes/{node}", None)),
        ({"id": "{asset}"}, ("GET", "assets/{asset}", None)),
        ({"id": "{asset}", "limit": 1}, ("GET", "assets/{asset}/nodes?limit=1", None)),
    ],
    "remember": [
        (
            {"text": "a new text", "asset": "{asset}"},
            ("POST", "remember", {"text": "a new text", "asset": "{asset}"}),
        ),
        (
            {"text": "x", "asset": "{asset}", "kind": "fact"},
            ("POST", "remember", {"text": "x", "asset": "{asset}"}),
        ),
        ({"text": "x", "parent": "{node}"}, ("POST", "remember", {"text": "x", "parent": "{node}"})),
    ],
}
WHO = [*routes.PEOPLE, *routes.AGENTS]
KNOWN = {
    "type", "properties", "required", "additionalProperties", "items", "description", "default", "enum", "pattern",
    "format", "minLength", "maxLength", "minimum", "maximum", "maxItems",
}  # fmt: skip


def faults(tool: Tool) -> list[str]:
    """What a tool does not declare, or declares wrongly."""
    policy: object = tool.policy
    if not isinstance(policy, Policy):
        return ["no policy"]
    wrong = {
        "authentication": policy.authentication != "token",
        "action": policy.action not in {"read", "change"},
        "audit": policy.audit not in ACTIONS,
        "throttle": tool.bucket not in LIMITS,
        "words": not (tool.title and len(tool.about) > 40),
    }
    return [name for name, is_wrong in wrong.items() if is_wrong]


def parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for one in schema.get("properties", {}).values():
        yield from parts(one)
    if "items" in schema:
        yield from parts(schema["items"])


def test_every_mount_and_every_tool_has_a_policy() -> None:
    assert list(settings.MOUNTS) == ["/mcp"]
    for name in settings.MOUNTS.values():
        assert import_string(name).policy.authentication == "token"
    assert {name: faults(tool) for name, tool in dispatch.TOOLS.items()} == {name: [] for name in EXAMPLES}
    assert len(dispatch.TOOLS) <= 10


def test_a_tool_without_a_policy_would_be_found() -> None:
    tool = dispatch.TOOLS["search"]
    assert faults(replace(tool, policy=None)) == ["no policy"]  # type: ignore[arg-type]
    assert faults(replace(tool, policy=Policy("x", "none", "", "", "none"))) == [
        "authentication", "action", "audit", "throttle",
    ]  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_schemas_are_plain_and_strict(name: str) -> None:
    tool = dispatch.TOOLS[name]
    for schema in (*parts(tool.takes), *parts(tool.gives)):
        assert set(schema) <= KNOWN, schema
        assert isinstance(schema["type"], str), schema
        if schema["type"] == "array":
            assert schema["items"]["type"]
        if schema["type"] == "object":
            assert set(schema["required"]) <= set(schema["properties"])
    assert tool.takes["type"] == tool.gives["type"] == "object"
    for schema in parts(tool.takes):
        if schema["type"] == "object":
            assert schema["additionalProperties"] is False
        if schema["type"] == "string":
            assert {"maxLength", "enum", "pattern", "format"} & set(schema), schema
    for schema in (tool.takes, tool.gives):
        Draft202012Validator.check_schema(schema)


def test_tools_take_and_give_what_rest_does() -> None:
    search, read, remember = (dispatch.TOOLS[name] for name in ("search", "read", "remember"))
    taken, given = search.takes["properties"], search.gives["properties"]
    pairs: list[tuple[Any, dict[str, Any], set[str]]] = [
        (RetrieveIn, taken, {"trace"}),
        (BudgetIn, taken["budget"]["properties"], set()),
        (SharesIn, taken["budget"]["properties"]["shares"]["properties"], set()),
        (FiltersIn, taken["filters"]["properties"], set()),
        (TagsIn, taken["filters"]["properties"]["tags"]["properties"], set()),
        (AnswerOut, given, {"trace"}),
        (ItemOut, given["items"]["items"]["properties"], set()),
        (RememberIn, remember.takes["properties"], set()),
        (MessageIn, remember.takes["properties"]["messages"]["items"]["properties"], set()),
        (RememberOut, remember.gives["properties"], set()),
        (NodeOut, read.gives["properties"]["node"]["properties"], set()),
        (AssetOut, read.gives["properties"]["asset"]["properties"], set()),
    ]
    for serializer, properties, left_out in pairs:
        assert set(serializer().fields) - left_out == set(properties), serializer


GOOD_AND_BAD: list[tuple[str, dict[str, Any]]] = [
    ("search", {}), ("search", {"query": "x"}), ("search", {"query": 1}), ("search", {"query": None}),
    ("search", {"query": "x" * 4001}), ("search", {"query": "x", "colour": 1}),
    ("search", {"query": "x", "budget": []}), ("search", {"query": "x", "budget": {"tokens": True}}),
    ("search", {"query": "x", "budget": {"tokens": 0}}), ("search", {"query": "x", "budget": {"tokens": 5.0}}),
    ("search", {"query": "x", "budget": {"shares": {"wiki": 1.5}}}), ("search", {"query": "x", "order": "age"}),
    ("search", {"query": "x", "filters": {"kind": "wiki"}}), ("search", {"query": "x", "filters": {"kind": ["wiki"]}}),
    ("search", {"query": "x", "filters": {"asset": ["ast_" + "0" * 32]}}),
    ("search", {"query": "x", "filters": {"asset": ["nod_" + "0" * 32]}}),
    ("search", {"query": "x", "filters": {"tags": {"any": ["a"] * 51}}}),
    ("read", {"id": "x"}), ("read", {"id": "x" * 41}), ("read", {"id": "x", "limit": 201}), ("read", {"limit": 1}),
    ("remember", {"text": "x"}), ("remember", {"messages": [{"content": "x"}]}), ("remember", {"messages": [{}]}),
    ("remember", {"text": "x", "kind": "gossip"}), ("remember", {"text": "x", "subjects": [1]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), GOOD_AND_BAD)
def test_arguments_are_read_as_the_schema_says(name: str, given: dict[str, Any]) -> None:
    """Against the validator of the standard, an implementation of its own."""
    takes = dispatch.TOOLS[name].takes
    try:
        arguments.read(takes, given)
        accepted = True
    except Invalid:
        accepted = False
    assert accepted == Draft202012Validator(takes).is_valid(given)


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"])
def test_what_no_text_is_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        arguments.read(dispatch.TOOLS["search"].takes, {"query": text})
    assert refused.value.fields == {"query": "holds NUL or half of a surrogate pair"}


def test_times_without_an_offset_are_utc() -> None:
    def read(text: str) -> Any:
        return arguments.read(dispatch.TOOLS["remember"].takes, {"text": "x", "occurred_at": text})[
            "occurred_at"
        ]

    assert read("2030-01-31T09:00:00") == read("2030-01-31T09:00:00Z") == read("2030-01-31T11:00:00+02:00")
    for text in ("yesterday", "2030-02-31T09:00:00Z", ""):
        with pytest.raises(Invalid):
            read(text)


def outcome(world: World, token: str, name: str, given: dict[str, Any]) -> Result | str:
    principal = principal_for_token(token, "mcp", "req_contract")
    assert principal is not None
    return dispatch.call(principal, dispatch.TOOLS[name], given)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", [*WHO, "acting"])
def test_decisions_are_those_of_rest(world: World, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    assert set(EXAMPLES) == set(dispatch.TOOLS)
    scene = Scene(world)
    token = acting(world, world.scout, world.bob) if who == "acting" else scene.token(who)
    for name, examples in EXAMPLES.items():
        for given, (method, address, body) in examples:
            asked = call(method, filled(address, scene.names), token, filled(body, scene.names))
            found = outcome(world, token, name, filled(given, scene.names))
            absent = outcome(world, token, name, filled(given, absent_names(scene)))
            if asked.status_code >= 400:
                assert isinstance(found, str), (name, given, asked.status_code)
                assert found.split(":")[0] == asked.json()["code"]
                assert found == absent
            else:
                assert isinstance(found, Result), (name, given, found)
                assert not list(Draft202012Validator(dispatch.TOOLS[name].gives).iter_errors(found.data))
            if who not in {"owner", "bound"}:
                assert CANARY not in json.dumps(found if isinstance(found, str) else [found.text, found.data])


@pytest.mark.django_db(transaction=True)
def test_every_call_that_acts_is_on_record(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    scene = Scene(world)
    token = scene.token("owner")
    for name, tool in dispatch.TOOLS.items():
        before = AuditEvent.objects.filter(team=world.team.id, action=tool.policy.audit, door="mcp").count()
        given = filled(EXAMPLES[name][0][0], scene.names)
        assert isinstance(outcome(world, token, name, given), Result)
        events = AuditEvent.objects.filter(team=world.team.id, action=tool.policy.audit, door="mcp")
        assert events.count() == before + 1
        assert {event.request_id for event in events} == {"req_contract"}


@pytest.mark.django_db(transaction=True)
def test_calls_and_misses_are_counted(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)
    settings.LIMITS = {**settings.LIMITS, "search": replace(LIMITS["search"], requests=2)}
    settings.LIMITS["missing"] = replace(LIMITS["missing"], requests=2)
    token = world.token(world.scout)
    searches = [outcome(world, token, "search", {"query": "x"}) for _ in range(3)]
    assert [isinstance(one, Result) for one in searches] == [True, True, False]
    assert str(searches[2]).startswith("too_many_requests: Wait ")
    guesses = [str(outcome(world, token, "read", {"id": f"nod_{'0' * 32}"})).split(":")[0] for _ in range(4)]
    assert guesses == ["missing", "missing", "missing", "too_many_requests"]
    settings.LIMITS["read"] = replace(LIMITS["read"], requests=1)
    with pytest.raises(TooMany):
        dispatch.message(world.principal(world.scout))


@pytest.mark.django_db(transaction=True)
def test_a_failure_of_ours_tells_only_its_number(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **named: Any) -> Any:
        raise RuntimeError(CANARY)

    monkeypatch.setattr("assets.services.retrievals.retrieve", broken)
    found = outcome(world, world.token(world.scout), "search", {"query": "x"})
    assert str(found).startswith("failed: ")
    assert "req_contract" in str(found)
    assert CANARY not in str(found)
