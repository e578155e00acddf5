"""Each filter of a retrieval narrows; a filter or a value that is unknown is refused with the list."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


class Alice:
    """Asks over REST and gives the contents that came back."""

    def __init__(self, world: World, client: Client) -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {world.token(world.alice)}"}

    def post(self, path: str, body: Any) -> Any:
        return self.client.post(f"/api/v1{path}", body, content_type="application/json", headers=self.headers)

    def remember(self, text: str, **more: Any) -> dict[str, Any]:
        answer = self.post("/remember", {"text": text, **more})
        assert answer.status_code == 201, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def ask(self, filters: dict[str, Any], query: str = "heron") -> set[str]:
        answer = self.post("/retrieve", {"query": query, "filters": filters})
        assert answer.status_code == 200, answer.content
        return {item["text"].removeprefix("heron ") for item in answer.json()["items"]}


@pytest.fixture
def alice(world: World, client: Client) -> Alice:
    one = Alice(world, client)
    one.remember("heron one", kind="fact", tags=["river", "bird"], occurred_at="2024-05-01T10:00:00Z")
    one.remember("heron two", kind="event", tags=["river"], occurred_at="2024-06-01T10:00:00Z")
    one.remember("heron three", kind="tool_failure", tags=["bird"], subjects=["person-7"])
    return one


@pytest.mark.parametrize(
    ("filters", "right"),
    [
        ({}, {"one", "two", "three"}),
        ({"kind": ["chat_memory"]}, {"one", "two", "three"}),
        ({"kind": ["wiki"]}, set()),
        ({"node_kind": ["fact"]}, {"one"}),
        ({"node_kind": ["fact", "event"]}, {"one", "two"}),
        ({"tier": ["semantic"]}, {"one"}),
        ({"tier": ["procedural"]}, {"three"}),
        ({"tags": {"any": ["river", "bird"]}}, {"one", "two", "three"}),
        ({"tags": {"all": ["river", "bird"]}}, {"one"}),
        ({"tags": {"none": ["river"]}}, {"three"}),
        ({"tags": {"any": ["bird"], "none": ["river"]}}, {"three"}),
        ({"subject": "person-7"}, {"three"}),
        ({"subject": "nobody"}, set()),
        ({"from": "2024-05-15T00:00:00Z", "to": "2024-07-01T00:00:00Z"}, {"two"}),
        ({"to": "2024-05-15T00:00:00Z"}, {"one"}),
        ({"as_of": "2020-01-01T00:00:00Z"}, set()),
        ({"min_trust": 0.5}, {"one", "two", "three"}),
        ({"min_trust": 0.95}, set()),
        ({"state": ["live"]}, {"one", "two", "three"}),
        ({"state": ["archived"]}, set()),
    ],
)
def test_a_filter_narrows(alice: Alice, filters: dict[str, Any], right: set[str]) -> None:
    assert alice.ask(filters) == right


def test_an_asset_filter_narrows_and_a_hidden_one_finds_nothing(alice: Alice) -> None:
    asset = alice.remember("heron four")["asset"]
    assert alice.ask({"asset": [asset]}) == {"one", "two", "three", "four"}
    assert alice.ask({"asset": ["ast_" + "0" * 32]}) == set()


def test_a_tag_alone_lists_without_a_question(alice: Alice) -> None:
    assert alice.ask({"tags": {"any": ["river"]}}, query="") == {"one", "two"}


def test_a_time_in_the_question_brings_what_happened_then(alice: Alice) -> None:
    answer = alice.post("/retrieve", {"query": "which bird came in June 2024?"}).json()
    assert answer["items"][0]["text"] == "heron two"
    assert {why["arm"] for why in answer["items"][0]["why"]} == {"time"}


@pytest.mark.parametrize(
    ("filters", "field", "says"),
    [
        ({"colour": ["red"]}, "filters.colour", "allowed are: as_of, asset, from, kind"),
        ({"tags": {"some": ["x"]}}, "filters.tags.some", "allowed are: all, any, none"),
        ({"kind": ["walrus"]}, "filters.kind.0", "one of chat_memory, skill, wiki, code_graph"),
        ({"tier": ["deep"]}, "filters.tier.0", "one of episodic, semantic, procedural"),
        ({"state": ["gone"]}, "filters.state.0", "one of live, archived, closed, held"),
        ({"asset": ["nod_" + "0" * 32]}, "filters.asset.0", "not an id that begins with ast_"),
        ({"min_trust": 2}, "filters.min_trust", "less than or equal to 1"),
        (
            {"from": "2024-07-01T00:00:00Z", "to": "2024-05-15T00:00:00Z"},
            "filters.from",
            "is after `to`",
        ),
    ],
)
def test_an_unknown_filter_or_value_is_named(
    alice: Alice, filters: dict[str, Any], field: str, says: str
) -> None:
    answer = alice.post("/retrieve", {"query": "heron", "filters": filters})
    assert answer.status_code == 400
    assert says in answer.json()["fields"][field]


@pytest.mark.parametrize("word", ["支付", "发布", "冻结", "主分支", "值班"])
def test_a_short_chinese_word_that_occurs_is_never_empty(alice: Alice, word: str) -> None:
    alice.remember("支付接口发布前必须先冻结主分支，并通知值班同事。")
    assert alice.ask({}, query=word)
