"""The pages of what is remembered: what they show, to whom, and that their forms do what they say."""

from __future__ import annotations

import gettext
import json
import re
import shlex
from uuid import UUID

import pytest
from django.test import Client

from assets.access import RULES
from assets.models.asset import KINDS, STATUSES, VISIBILITIES
from assets.services import assets, bindings, grants, memories
from assets.templatetags.labels import NAMES
from assets.tree.weight import HALF_LIFE
from assets.web import words
from hub import ids
from hub.models import AuditEvent, User
from tests.contracts.test_languages import CATALOGUE
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
ARMS = ("words", "vectors", "tree", "time", "graph")
RESULTS = ("passed", "failed", "not_reached", "would have passed", "would have failed")
STATES = ("live", "archived", "closed", "held")


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="hub.authn.signin.PeopleBackend")
    return client


def notes(world: World, *, name: str = "notes", visibility: str = "team") -> UUID:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name=name, visibility=visibility).id
    memories.remember(alice, text=f"The heron of {name} nests in May.", asset=asset)
    return asset


def agent_id(world: World, name: str) -> str:
    return ids.public("agent", getattr(world, name).pk)


def ask(client: Client, *who: str, **more: str) -> str:
    answer = client.get("/try", {"q": "heron", "as": ",".join(who), **more})
    assert answer.status_code == 200
    return answer.content.decode()


def columns(page: str) -> dict[str, str]:
    """The HTML of each column by the principal's name."""
    parts = page.split('<section class="card" aria-label="')[1:]
    return {part.partition('"')[0].partition(" (")[0]: part.partition("</section>")[0] for part in parts}


def field(html: str, name: str) -> str:
    found: list[str] = re.findall(rf'name="{name}" value="([^"]*)"', html)
    return found[0]


def test_three_columns_and_each_its_own_answer(world: World) -> None:
    asset = notes(world)
    bindings.bind(world.principal(world.alice), asset=asset, agent=world.scout.pk, reason="r")
    page = ask(
        signed_in(world.alice), agent_id(world, "scout"), agent_id(world, "builder"), "stranger", budget="500"
    )
    shown = columns(page)
    assert list(shown) == ["scout-1", "builder-1", "a stranger"]
    assert "The heron of notes" in shown["scout-1"]
    assert "words #1" in shown["scout-1"]
    assert re.search(r"about \d+ / 500 tokens", shown["scout-1"])
    assert "heron" not in shown["builder-1"]
    assert "Nothing, and nothing to know about." in shown["a stranger"]
    names = re.findall(r"<li class=\"passed\"><strong>([^<]+)</strong>", shown["scout-1"])
    assert names == [rule.name for rule in RULES]
    assert "<script" not in page
    assert " style=" not in page


def test_only_those_in_care_may_be_asked_for(world: World) -> None:
    scout, bob = agent_id(world, "scout"), ids.public("user", world.bob.id)
    assert "scout-1" in columns(ask(signed_in(world.alice), scout))
    assert "scout-1" in columns(ask(signed_in(world.admin), scout))
    assert "scout-1" not in ask(signed_in(world.bob), scout)
    assert "scout-1" not in ask(signed_in(world.charlie), scout)
    assert "bob" not in columns(ask(signed_in(world.admin), bob))


def test_a_column_never_shows_more_than_the_viewer_may_see(world: World) -> None:
    """An agent carries Alice's private notes; the admin asks as it and meets nothing of them."""
    asset = notes(world, name="diary", visibility="private")
    bindings.bind(world.principal(world.alice), asset=asset, agent=world.scout.pk, reason="r")
    scout = agent_id(world, "scout")
    assert "The heron of diary" in ask(signed_in(world.alice), scout)
    page = ask(signed_in(world.admin), scout)
    assert "diary" not in page
    assert asset.hex not in page
    assert "left out" not in page


def test_unbind_then_bind_again_with_the_same_terms(world: World) -> None:
    alice = world.principal(world.alice)
    asset = notes(world)
    bindings.bind(
        alice, asset=asset, role=world.roles["builder"].id, mode="always", priority=7, share=0.25,
        follow="head", reason="first",
    )  # fmt: skip
    client, builder = signed_in(world.alice), agent_id(world, "builder")
    before = bindings.list_bindings(alice)
    page = ask(client, builder)
    form = {name: field(page, name) for name in ("binding", "who", "again")} | {"reason": "too much"}
    page = client.post("/try/unbind", form, follow=True).content.decode()
    assert "gone for builder-1 (Builder); binding it again brings it back" in page
    assert "heron of notes" not in page
    assert bindings.list_bindings(alice) == []
    assert "Bind</button>" in ask(client, builder)  # asking again keeps the way back

    undo = page.partition('<form class="act undo"')[2].partition("</form>")[0]
    form = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', undo)) | {"reason": "and back"}
    page = client.post("/try/bind", form, follow=True).content.decode()
    assert "heron of notes" in page
    assert "gone for" not in page
    after = bindings.list_bindings(alice)
    changing = {"id", "reason"}
    assert [{k: v for k, v in one.items() if k not in changing} for one in after] == [
        {k: v for k, v in one.items() if k not in changing} for one in before
    ]
    acts = AuditEvent.objects.filter(door="web", actor_user=world.alice.id, outcome="allowed")
    assert {"binding.remove", "binding.create"} <= set(acts.values_list("action", flat=True))


def test_unbind_is_offered_only_to_who_may(world: World) -> None:
    """A person who may read an asset, but not manage it, sees the reason and no button."""
    asset = notes(world, visibility="restricted")
    alice = world.principal(world.alice)
    grants.grant(alice, asset=asset, to=("user", world.admin.id), level="read", reason="r")
    grants.grant(alice, asset=asset, to=("agent", world.scout.pk), level="read", reason="r")
    bound = bindings.bind(alice, asset=asset, agent=world.scout.pk, reason="r")["id"]
    page = columns(ask(signed_in(world.admin), agent_id(world, "scout")))["scout-1"]
    assert "heron of notes" in page
    assert "Unbind" not in page
    said = signed_in(world.admin).post(
        "/try/unbind", {"binding": bound, "reason": "r", "again": "/try?q=heron"}, follow=True
    )
    assert "This needs the right to manage the asset." in said.content.decode()
    assert [one["id"] for one in bindings.list_bindings(alice)] == [bound]


@pytest.mark.parametrize("place", ["//elsewhere.example/", "https://elsewhere.example/try?", "/trying"])
def test_no_form_leads_elsewhere(world: World, place: str) -> None:
    asset = ids.public("asset", notes(world))
    form = {"asset": asset, "agent": agent_id(world, "scout"), "reason": "r", "again": place}
    answer = signed_in(world.alice).post("/try/bind", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/try")


@pytest.mark.parametrize("name", ["pin", "priority", "share", "expires_at"])
def test_terms_that_no_page_sends_are_missing(world: World, name: str) -> None:
    asset = ids.public("asset", notes(world))
    form = {"asset": asset, "agent": agent_id(world, "scout"), "reason": "r", name: "never"}
    assert signed_in(world.alice).post("/try/bind", form).status_code == 404


def test_what_people_wrote_is_text(world: World) -> None:
    alice = world.principal(world.alice)
    asset = assets.create_asset(alice, name="n", title="<b>heron</b>", visibility="team").id
    memories.remember(alice, text="heron <img src=x onerror=alert(1)>", asset=asset)
    client = signed_in(world.alice)
    name = ids.public("user", world.alice.id)
    for page in (ask(client, name), client.get(f"/assets/{ids.public('asset', asset)}").content.decode()):
        assert "&lt;img" in page
        assert "<img" not in page
        assert "<b>heron" not in page
    strange = client.get("/try", {"q": "heron\x00 </pre><script>' $(x)", "as": name})
    assert strange.status_code == 200
    assert "<script" not in strange.content.decode()


def test_the_command_survives_every_question() -> None:
    question = """it's "$(rm -rf x)" `y` \\ 支付 !"""
    parts = shlex.split(words.curl("http://127.0.0.1:8000", question, 500))
    assert parts[2] == "http://127.0.0.1:8000/api/v1/retrieve"
    assert json.loads(parts[-1]) == {"query": question, "budget": {"tokens": 500}}


def test_a_list_and_an_asset(world: World) -> None:
    asset = notes(world)
    notes(world, name="diary", visibility="private")
    address = f"/assets/{ids.public('asset', asset)}"
    page = signed_in(world.bob).get("/assets").content.decode()
    assert address in page
    assert "diary" not in page
    page = signed_in(world.bob).get("/assets", {"kind": "wiki"}).content.decode()
    assert "No asset fits these filters." in page
    page = signed_in(world.bob).get(address).content.decode()
    for shown in ("Chat Memory", "draft", "v1", "alice", "The heron of notes"):
        assert shown in page
    assert signed_in(world.charlie).get(address).status_code == 404
    assert signed_in(world.bob).get("/assets", {"kind": "nothing"}).status_code == 404


def test_the_words_of_the_data_have_chinese() -> None:
    """Rules, kinds, states and reasons come from the data, so no template names them."""
    with CATALOGUE.open("rb") as file:
        known = gettext.GNUTranslations(file)
    used = {text for rule in RULES for text in (rule.name, rule.passed, rule.failed)}
    used |= {*ARMS, *RESULTS, *STATES, *STATUSES, *VISIBILITIES, *KINDS, *HALF_LIFE}
    used |= {"read", "change", "manage", "review", "write", "always", "retrieve", "on_demand", "head"}
    used |= {"expired", "revoked", "user", "grant", "denial", "Scout", "Builder", "Reviewer"}
    shown = {NAMES.get(text, text) for text in used}
    assert {text for text in shown if known.gettext(text) == text} == set()


def test_the_page_in_chinese(world: World) -> None:
    asset = notes(world)
    bindings.bind(world.principal(world.alice), asset=asset, agent=world.scout.pk, reason="r")
    client = signed_in(world.alice)
    answer = client.get(
        "/try", {"q": "heron", "as": f"{agent_id(world, 'scout')},stranger"},
        headers={"Accept-Language": "zh-CN"},
    )  # fmt: skip
    page = answer.content.decode()
    for text in ("文字 #1", "可见范围与授权", "解除绑定", "没有内容，也无从得知。", "直接绑定到该智能体。"):
        assert text in page
    for text in ("passed:", "Unbind", "words #"):
        assert text not in page
