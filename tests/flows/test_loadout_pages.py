"""The admin equips roles in a real browser: draft, preview, save, history; with scripts and without."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.flows.visits import Visit, titles_for, visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("pages")]
QUESTION = "what must a review of retry logic check?"
NOTES = "Review notes"


def row(page: Page, title: str) -> Any:
    return page.locator("tr[data-row]").filter(has=page.get_by_role("link", name=title, exact=True))


def choose(page: Page, title: str, access: str) -> None:
    row(page, title).locator("[data-access]").select_option(access)


def save(here: Visit, reason: str) -> None:
    here.page.locator("textarea[name=reason]").fill(reason)
    here.press("Save with reason")


def roll_back_last(here: Visit, holder: str, reason: str) -> None:
    """To the state before the newest one."""
    here.go(f"/loadouts/{holder}/versions")
    second = here.page.locator("table tbody tr").nth(1)
    second.get_by_label("Reason").fill(reason)
    second.get_by_role("button").click()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_an_admin_equips_scout_and_takes_it_back(
    browser_here: Browser, visited: dict[str, Any], scripts: bool
) -> None:
    asset, holder = visited["assets"]["team-review-notes"], visited["roles"]["Scout"]
    assert asset not in titles_for(visited, "scout-1", QUESTION)
    admin = visit(browser_here, visited, "admin", scripts=scripts)
    admin.go("/loadouts")
    admin.page.get_by_role("link", name="Edit Scout").click()
    choose(admin.page, NOTES, "read")
    assert (
        admin.page.locator("[data-count]").inner_text()
        == f"{1 if scripts else 0} unsaved change{'' if scripts else 's'}"
    )
    admin.press("Preview effect")
    effect = admin.page.locator("#preview").inner_text()
    assert "scout-1" in effect
    assert f"+ {NOTES}" in effect
    assert "2 nodes gained, 0 lost" in effect
    assert "builder-1" not in effect
    assert "added" in row(admin.page, NOTES).inner_text()
    assert asset not in titles_for(visited, "scout-1", QUESTION)

    admin.press("Save with reason")
    assert admin.says("It cannot stand like this")
    assert admin.says("reason: say why")
    save(admin, "Scout watches reviews")
    assert admin.says("Saved as a new version.")
    assert asset in titles_for(visited, "scout-1", QUESTION)

    admin.page.get_by_role("link", name="History").click()
    assert f"+ {NOTES}" in admin.page.locator(".diff").inner_text()
    assert "Scout watches reviews" in admin.page.locator("tbody tr").first.inner_text()
    roll_back_last(admin, holder, "only a trial")
    assert admin.says("Rolled back")
    assert asset not in titles_for(visited, "scout-1", QUESTION)
    assert admin.wrong == []


def test_the_always_part_is_weighed_and_what_has_no_effect_is_said(
    browser_here: Browser, visited: dict[str, Any]
) -> None:
    carol = visit(browser_here, visited, "carol", scripts=False)
    carol.go(f"/assets/{visited['assets']['restricted-secret-sweep']}/access")
    carol.page.get_by_text("Grant it").click()
    grant = carol.page.locator("form[action$='/grant/add']")
    grant.get_by_label("To whom").select_option(label="Ada Admin")
    grant.get_by_label("Level").select_option("manage")
    grant.get_by_label("Reason").fill("equips the roles")
    carol.press("Grant")
    assert carol.says("Done. It holds from now on.")

    admin = visit(browser_here, visited, "admin", scripts=False)
    admin.go(f"/loadouts/{visited['roles']['Scout']}")
    choose(admin.page, "Secret sweep", "read")
    row(admin.page, "Release runbook").locator("select[name^=mode]").select_option("always")
    admin.page.locator("input[name=budget]").fill("100")
    admin.press("Preview effect")
    effect = admin.page.locator("#preview").inner_text()
    assert "Secret sweep: no effect. The visibility does not allow it, and no live grant does." in effect
    assert "no effect for scout-1: visibility and grants" in row(admin.page, "Secret sweep").inner_text()
    after = re.search(r"about 0 → (\d+) of 100 tokens", effect)
    assert after is not None
    assert int(after[1]) > 50
    assert admin.page.locator("input[name=budget]").input_value() == "100"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_stale_save_shows_both_and_keeps_the_draft(
    browser_here: Browser, visited: dict[str, Any], scripts: bool
) -> None:
    holder = visited["roles"]["Reviewer"]
    first = visit(browser_here, visited, "admin", scripts=scripts)
    second = visit(browser_here, visited, "admin", scripts=scripts)
    first.go(f"/loadouts/{holder}")
    second.go(f"/loadouts/{holder}")
    choose(first.page, "Release runbook", "")
    save(first, "not for reviewers")
    assert first.says("Saved as a new version.")

    choose(second.page, NOTES, "")
    second.page.locator("textarea[name=reason]").fill("notes are out of date")
    with second.page.expect_response(lambda one: one.request.method == "POST") as answered:
        second.press("Save with reason")
    assert answered.value.status == 412
    assert second.says("Somebody saved this loadout since you read it.")
    assert second.says("not for reviewers")
    assert f"− {NOTES}" in second.page.locator("#preview").inner_text()
    runbook = row(second.page, "Release runbook")
    assert runbook.locator(".theirs").inner_text() == "not bound"
    assert runbook.locator("[data-access]").input_value() == "read"
    assert row(second.page, NOTES).locator(".theirs").inner_text().startswith("read")
    assert row(second.page, NOTES).locator("[data-access]").input_value() == ""
    assert second.page.locator("textarea[name=reason]").input_value() == "notes are out of date"
    second.press("Save with reason")
    assert second.says("Saved as a new version.")
    second.go(f"/loadouts/{holder}/versions")
    third = second.page.locator("table tbody tr").nth(2)
    third.get_by_label("Reason").fill("back to the start")
    third.get_by_role("button").click()
    assert second.says("Rolled back")


def test_out_as_a_file_and_in_again(browser_here: Browser, visited: dict[str, Any], tmp_path: Path) -> None:
    admin = visit(browser_here, visited, "admin")
    admin.go(f"/loadouts/{visited['roles']['Reviewer']}")
    with admin.page.expect_download() as given:
        admin.page.get_by_role("link", name="Export").click()
    file = tmp_path / "reviewer.json"
    given.value.save_as(file)
    document = json.loads(file.read_text("utf-8"))
    named = {one["asset"] for one in document["items"]}
    assert visited["assets"]["team-review-notes"] in named
    admin.go(f"/loadouts/{visited['roles']['Scout']}")
    admin.page.locator("input[type=file]").set_input_files(str(file))
    admin.press("Show what it would do")
    assert "+ Review notes" in admin.page.locator("#preview").inner_text()
    assert "Saved" not in admin.page.locator(".said").all_inner_texts()
    file.write_text('{"format": "another"}', "utf-8")
    admin.page.locator("input[type=file]").set_input_files(str(file))
    admin.press("Show what it would do")
    assert admin.says("not an exported loadout")
    admin.press("Scout")
    assert admin.says("What saving would do")
    assert admin.wrong == []


def test_the_matrix_and_the_draft_go_by_keyboard(browser_here: Browser, visited: dict[str, Any]) -> None:
    admin = visit(browser_here, visited, "admin")
    admin.go("/loadouts")
    cells = admin.page.locator("[data-cell]")
    cells.first.focus()
    admin.page.keyboard.press("ArrowRight")
    admin.page.keyboard.press("ArrowDown")
    focused = admin.page.evaluate("document.activeElement.href")
    assert visited["roles"]["Builder"] in focused
    assert admin.page.locator("[data-cell][tabindex='0']").count() == 1
    admin.page.keyboard.press("Enter")
    admin.page.wait_for_url("**/loadouts/rol_*")
    access = row(admin.page, NOTES).locator("[data-access]")
    access.focus()
    for expected in ("read", "write", ""):
        admin.page.keyboard.press("Space")
        assert access.input_value() == expected
    admin.page.locator("[data-filter]").fill("runbook")
    assert row(admin.page, "Release runbook").is_visible()
    assert not row(admin.page, NOTES).is_visible()
    assert admin.wrong == []


def test_a_member_looks_and_changes_nothing(browser_here: Browser, visited: dict[str, Any]) -> None:
    bob = visit(browser_here, visited, "bob")
    bob.go("/loadouts")
    assert bob.page.get_by_role("link", name="Edit Scout").count() == 0
    assert bob.page.get_by_text("New role").count() == 0
    bob.page.get_by_role("link", name="Open Scout").click()
    assert bob.says("You may look at this loadout.")
    assert bob.page.locator("main form").count() == 0
    assert bob.page.locator("main select").count() == 0
