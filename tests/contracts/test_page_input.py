"""T070, T072: bad text in every field of every form of the pages; never a 5xx, and nothing is cut short."""

from __future__ import annotations

import pytest
from django.test import Client

from assets.services import assets
from tests.contracts import routes
from tests.contracts.test_access_matrix import Scene
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)
BAD = ["a\x00b", "x" * 20_000, "\ufffe", "'; drop table x; --", "", "   ", "1e999", "\u202eabc", "[]"]


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.embedding.engines.default", lambda: None)


def signed_in(world: World, who: str) -> Client:
    client = Client(raise_request_exception=False)
    person = {"owner": world.alice, "admin": world.admin}[who]
    client.force_login(person, backend="hub.authn.signin.PeopleBackend")
    return client


def test_no_form_falls_over(world: World) -> None:
    scene = Scene(world)
    tried, wrong = 0, []
    for route in routes.PAGES:
        for who in ("owner", "admin"):
            for field in route.body or {}:
                for bad in BAD:
                    body = {**scene.fill(route.body), field: bad}
                    answer = signed_in(world, who).post(f"/{scene.fill(route.address)}", body)
                    tried += 1
                    if answer.status_code >= 500:
                        wrong.append((route.address, who, field, bad[:20], answer.status_code))
    assert tried > 400
    assert wrong == []


def test_a_text_that_is_too_long_is_refused_and_not_cut(world: World) -> None:
    asset = assets.create_asset(world.principal(world.alice), name="notes").id
    for field, longest in (("title", 300), ("description", 10_000)):
        answer = signed_in(world, "owner").post(f"/assets/ast_{asset.hex}/edit", {field: "x" * (longest + 1)})
        assert answer.status_code == 422
        assert f"at most {longest} characters" in answer.content.decode()
    row = assets.read_asset(world.principal(world.alice), asset)
    assert (row.title, row.description) == ("", "")
