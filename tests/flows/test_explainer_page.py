"""Why, who can and what can, in a real browser; the change that flips an answer is made there, too."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from assets import access
from tests.flows.visits import titles_for, visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("pages")]
QUESTION = "what is on the release checklist?"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_builder_yes_scout_no_and_the_flip(
    browser_here: Browser, visited: dict[str, Any], scripts: bool
) -> None:
    notes = visited["assets"]["agent-build-notes"]
    alice = visit(browser_here, visited, "alice", scripts=scripts)
    alice.go("/access")
    alice.page.get_by_label("Who").select_option(label="builder-1")
    alice.page.get_by_label("Asset").select_option(notes)
    alice.press("Explain")
    assert alice.page.locator("#answer").inner_text() == "✓ YES: builder-1, read — binding"
    names = alice.page.locator(".rule-table tbody th").all_inner_texts()
    assert names == [rule.name for rule in access.RULES]
    said = alice.page.locator(".rule-table tbody").inner_text()
    assert "It is bound to the agent." in said
    assert "bnd_" in said

    alice.page.locator(".same-for a", has_text="scout-1").click()
    alice.page.wait_for_url(f"**who={visited['agents']['scout-1']['id']}**")
    assert alice.page.locator("#answer").inner_text() == "✗ NO: scout-1, read — binding"
    failed = alice.page.locator("tr.failed")
    assert failed.count() == 1
    assert "It is not bound to the agent in this way." in failed.inner_text()
    assert alice.page.locator("tr.not_reached").count() == 1
    assert "Bind it to scout-1 with access read" in alice.page.locator(".steps").inner_text()
    assert notes not in titles_for(visited, "scout-1", QUESTION)

    alice.page.locator(".answer").get_by_label("Reason").fill("scouts read along")
    alice.press("Do this and ask again")
    assert alice.says("Done. This is the answer now.")
    assert alice.page.locator("#answer").inner_text() == "✓ YES: scout-1, read — binding"
    assert notes in titles_for(visited, "scout-1", QUESTION)

    assert "Take away the binding" in alice.page.locator(".steps").inner_text()
    alice.page.locator(".answer").get_by_label("Reason").fill("only a trial")
    alice.press("Do this and ask again")
    assert alice.page.locator("#answer").inner_text() == "✗ NO: scout-1, read — binding"
    assert notes not in titles_for(visited, "scout-1", QUESTION)
    assert alice.wrong == []


def test_who_can_and_what_can(browser_here: Browser, visited: dict[str, Any]) -> None:
    alice = visit(browser_here, visited, "alice", scripts=False)
    notes = visited["assets"]["agent-build-notes"]
    alice.go("/access/who-can")
    alice.page.get_by_label("Asset").select_option(notes)
    alice.press("Show")
    able = set(alice.page.locator("tbody th").all_inner_texts())  # others may have made builders
    assert {"alice", "builder-1"} <= able
    assert not able & {"scout-1", "bob", "charlie", "Ada Admin", "admin"}
    alice.go("/access/what-can")
    alice.page.get_by_label("Who").select_option(label="scout-1")
    alice.press("Show")
    assert alice.page.locator("tbody th").all_inner_texts() == ["Release runbook"]


def test_of_others_only_an_admin_asks(browser_here: Browser, visited: dict[str, Any]) -> None:
    """A member asks for themselves; what one may not know of is missing for an admin as well."""
    bob = visit(browser_here, visited, "bob", scripts=False)
    bob.go("/access")
    assert bob.page.locator("select[name=who] option").all_inner_texts() == ["yourself"]
    runbook, scout = visited["assets"]["team-runbook"], visited["agents"]["scout-1"]["id"]
    assert bob.go(f"/access?who={scout}&action=read&asset={runbook}") == 404
    assert bob.go(f"/access?action=read&asset={runbook}") == 200
    admin = visit(browser_here, visited, "admin", scripts=False)
    for key in ("private-alice-diary", "agent-build-notes"):
        assert admin.go(f"/access?who={scout}&action=read&asset={visited['assets'][key]}") == 404
        assert visited["assets"][key] not in admin.page.locator("main").inner_html()
