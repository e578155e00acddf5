"""A visitor at the pages of the demo hub: signs in, walks, and notes whatever a page should not do."""

from __future__ import annotations

import json
import re
import urllib.request
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from playwright.sync_api import Browser, Page


@dataclass
class Visit:
    """One signed-in person with a page; `wrong` collects failures that nobody may overlook."""

    page: Page
    base: str
    wrong: list[str] = field(default_factory=list)

    def go(self, path: str) -> int:
        answer = self.page.goto(self.base + path)
        return answer.status if answer is not None else 0

    def press(self, name: str, nth: int = 0) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name, exact=True).nth(nth).click()

    def says(self, text: str) -> bool:
        return self.page.get_by_text(text).first.is_visible()


def visit(
    browser: Browser, demo: dict[str, Any], name: str, *, scripts: bool = True, **context: Any
) -> Visit:
    opened = browser.new_context(
        java_script_enabled=scripts, **({"viewport": {"width": 1280, "height": 900}} | context)
    )
    page = opened.new_page()
    base = demo["base_url"]
    found = Visit(page, base)
    page.on("request", lambda one: found.wrong.append(one.url) if not one.url.startswith(base) else None)
    page.on("pageerror", lambda error: found.wrong.append(str(error)))
    page.on(
        "console",
        lambda said: found.wrong.append(said.text) if "Content Security Policy" in said.text else None,
    )
    page.on("response", lambda one: found.wrong.append(one.url) if one.status >= 500 else None)
    page.goto(base + "/sign-in")
    page.locator("#id_username").fill(name)
    page.locator("#id_password").fill(demo["users"][name]["password"])
    page.locator("form.narrow button").click()
    page.wait_for_url("**/try")
    return found


def titles_for(demo: dict[str, Any], agent: str, question: str) -> set[str]:
    """The titles of assets in an agent's answer over REST, on its own token."""
    body = json.dumps({"query": question, "budget": {"tokens": 4000}}).encode()
    request = urllib.request.Request(
        demo["base_url"] + "/api/v1/retrieve", data=body,
        headers={
            "Authorization": f"Bearer {demo['agents'][agent]['token']}", "Content-Type": "application/json",
        },
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=20) as answer:
        return {one["asset"] for one in json.load(answer)["items"]}


def pages_of(demo: dict[str, Any]) -> list[str]:
    """One address of each kind of page, on things that the whole team may know."""
    asset, role = demo["assets"]["team-runbook"], demo["roles"]["Scout"]
    agent = demo["agents"]["scout-1"]["id"]
    return [
        "/try", "/assets", "/loadouts", f"/loadouts/{role}", f"/loadouts/{role}/versions", "/loadouts/base",
        f"/loadouts/{agent}", "/agents", f"/agents/{agent}", "/access",
        f"/access?action=read&asset={asset}", "/access/what-can", "/access/who-can",
        f"/assets/{asset}", f"/assets/{asset}/versions", f"/assets/{asset}/access",
    ]  # fmt: skip


def crawl(visit: Visit, begin: list[str], most: int = 150) -> dict[str, tuple[int, str]]:
    """Every address that the pages lead to, with the status and the page that it answers."""
    waiting = list(begin)
    seen: dict[str, tuple[int, str]] = {}
    while waiting and len(seen) < most:
        path = waiting.pop(0)
        if path in seen:
            continue
        answer = visit.page.request.get(visit.base + path)
        seen[path] = answer.status, answer.text()
        links = [unescape(link) for link in re.findall(r'<a [^>]*href="([^"#]+)', seen[path][1])]
        waiting += [link if link.startswith("/") else path.partition("?")[0] + link for link in links]
    return seen
