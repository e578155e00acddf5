"""The page of an asset in a real browser: who has it, widening and its undo, and only acts that are allowed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.flows.visits import crawl, pages_of, visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("pages")]
PRIVATE = ("Alice's own notes", "Alice&#x27;s own notes", "private-alice-diary", "platform team")


def test_widening_is_shown_first_and_undone_in_one_click(
    browser_here: Browser, visited: dict[str, Any]
) -> None:
    diary = visited["assets"]["private-alice-diary"]
    bob = visit(browser_here, visited, "bob", scripts=False)
    alice = visit(browser_here, visited, "alice", scripts=False)
    assert bob.go(f"/assets/{diary}") == 404
    alice.go(f"/assets/{diary}/visibility")
    alice.page.get_by_label("Make it visible to").select_option("team")
    alice.press("Show what it would do")
    shown = alice.page.locator(".rows").inner_text()
    assert "bob" in shown
    assert "1 nodes" in shown
    assert bob.go(f"/assets/{diary}") == 404

    alice.page.locator("#reason").fill("the team may know")
    alice.page.locator("#password").fill("not her password")
    alice.press("Widen")
    assert alice.says("That is not your password.")
    assert alice.page.locator("#reason").input_value() == "the team may know"
    assert bob.go(f"/assets/{diary}") == 404
    alice.page.locator("#password").fill(visited["users"]["alice"]["password"])
    alice.press("Widen")
    assert alice.says("The visibility was changed.")
    assert bob.go(f"/assets/{diary}") == 200

    alice.press("Undo")
    assert alice.page.locator(".facts").inner_text().count("private") == 1
    assert alice.page.get_by_role("button", name="Undo").count() == 0
    assert bob.go(f"/assets/{diary}") == 404


def test_grants_and_denials_come_and_go(browser_here: Browser, visited: dict[str, Any]) -> None:
    sweep = visited["assets"]["restricted-secret-sweep"]
    carol = visit(browser_here, visited, "carol", scripts=False)
    bob = visit(browser_here, visited, "bob", scripts=False)
    assert bob.go(f"/assets/{sweep}") == 404
    for what, press, expected in (("grant", "Grant", 200), ("denial", "Deny", 404)):
        carol.go(f"/assets/{sweep}/access")
        form = carol.page.locator(f"form[action$='/{what}/add']")
        carol.page.locator("details", has=form).locator("summary").click()
        form.get_by_label("To whom").select_option(label="Bob")
        form.get_by_label("Reason").fill("for a while")
        form.get_by_label("Ends on (empty: never)").fill("2099-12-31")
        form.get_by_role("button", name=press, exact=True).click()
        assert bob.go(f"/assets/{sweep}") == expected
    table = carol.page.locator("section", has=carol.page.locator("#denials"))
    assert "2099-12-31" in table.inner_text()
    line = table.locator("tbody tr", has_text="Bob")
    line.get_by_label("Reason").fill("over")
    line.get_by_role("button", name="Lift").click()
    assert bob.go(f"/assets/{sweep}") == 200
    line = carol.page.locator("section", has=carol.page.locator("#grants")).locator(
        "tbody tr", has_text="Bob"
    )
    line.get_by_label("Reason").fill("over")
    line.get_by_role("button", name="Revoke").click()
    assert bob.go(f"/assets/{sweep}") == 404


def test_words_labels_status_and_filters(browser_here: Browser, visited: dict[str, Any]) -> None:
    alice = visit(browser_here, visited, "alice", scripts=False)
    runbook = visited["assets"]["team-runbook"]
    alice.go(f"/assets/{runbook}/edit")
    alice.page.get_by_label("Labels, with commas between").fill("ops，release, ops")
    alice.press("Save")
    assert alice.page.locator("a.chip").all_inner_texts() == ["ops", "release"]
    alice.page.locator("a.chip", has_text="release").click()
    assert alice.page.locator("tbody a:not(.chip)").all_inner_texts() == ["Release runbook"]
    alice.go("/assets?owner=me&visibility=private")
    assert alice.page.locator("tbody a").all_inner_texts() == ["Alice's own notes"]
    alice.go("/assets?status=approved&kind=skill")
    assert alice.says("No asset fits these filters.")
    alice.go(f"/assets/{runbook}/edit")
    alice.page.get_by_label("Labels, with commas between").fill("x" * 61)
    alice.press("Save")
    assert alice.says("1 to 60 characters each")
    alice.go(f"/assets/{runbook}")
    alice.page.get_by_text("Change the status").click()
    alice.page.locator("form[action$='/status']").get_by_label("Reason").fill("put away")
    assert alice.page.locator("select[name=to] option").all_inner_texts() == ["archived"]
    alice.press("Change")
    assert alice.says("The status was changed.")
    assert "archived" in alice.page.locator(".facts").inner_text()
    alice.page.get_by_text("Change the status").click()
    alice.page.locator("form[action$='/status']").get_by_label("Reason").fill("needed again")
    alice.press("Change")
    assert "draft" in alice.page.locator(".facts").inner_text()


def test_an_agent_is_made_and_its_token_shown_once(browser_here: Browser, visited: dict[str, Any]) -> None:
    admin = visit(browser_here, visited, "admin")
    admin.go("/agents")
    admin.page.get_by_text("New agent").click()
    admin.page.locator("#name").fill("tester-1")
    admin.press("Make the agent")
    admin.page.locator("form", has_text="Give the role").get_by_label("Reason").fill("tries it")
    admin.press("Give the role")
    address = admin.page.url
    admin.page.locator("form", has_text="Make a token").get_by_label("Name").fill("laptop")
    admin.press("Make a token")
    token = admin.page.locator("#token").inner_text()
    assert token.startswith("tmh_")
    assert admin.page.locator("pre", has_text="mcpServers").inner_text().count(token) == 1
    answer = admin.page.request.get(
        f"{visited['base_url']}/api/v1/me", headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status == 200
    admin.page.get_by_role("link", name="I stored it").click()
    assert admin.page.url == address
    assert token not in admin.page.content()
    line = admin.page.locator("tbody tr", has_text="laptop")
    assert "live" in line.inner_text()
    assert "UTC" in line.inner_text()
    line.get_by_role("button").click()
    assert "revoked" in admin.page.locator("tbody tr", has_text="laptop").inner_text()
    refused = admin.page.request.get(
        f"{visited['base_url']}/api/v1/me", headers={"Authorization": f"Bearer {token}"}
    )
    assert refused.status == 401
    assert admin.wrong == []


@pytest.mark.parametrize("name", ["admin", "alice", "bob", "carol", "dora"])
def test_nothing_shown_leads_to_a_refusal(browser_here: Browser, visited: dict[str, Any], name: str) -> None:
    """Every link of every page opens; only Alice meets her private notes on the way."""
    here = visit(browser_here, visited, name, scripts=False)
    seen = crawl(here, pages_of(visited))
    assert len(seen) > 20
    refused = {path: status for path, (status, _page) in seen.items() if status != 200}
    assert refused == {}
    met = {path for path, (_status, page) in seen.items() if any(word in page for word in PRIVATE)}
    assert bool(met) == (name == "alice"), met
    assert here.wrong == []


def test_a_member_sees_no_button_that_is_not_his(browser_here: Browser, visited: dict[str, Any]) -> None:
    bob = visit(browser_here, visited, "bob", scripts=False)
    for path in pages_of(visited):
        bob.go(path)
        names = set(bob.page.locator("main button").all_inner_texts())
        assert names <= {"Ask", "Filter", "Explain", "Show", "Compare the chosen two"}, (path, names)
