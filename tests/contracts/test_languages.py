"""Every string of the pages exists in Chinese, and the browser's language chooses it."""

from __future__ import annotations

import gettext
import re
from pathlib import Path
from uuid import UUID

import pytest
from django.test import Client

from assets import access
from assets.services import explanations, flips
from assets.services import flip_steps as steps
from assets.services.flip_steps import Step

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "templates" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.mo"


def strings() -> set[str]:
    """All translated strings of templates and page code."""
    found: set[str] = set()
    for file in (ROOT / "templates").rglob("*.html"):
        text = file.read_text("utf-8")
        found |= set(re.findall(r"""\{% translate ["']([^"']+)["']""", text))
        for block in re.findall(r"\{% blocktranslate[^%]*%\}(.*?)\{% (?:plural|endblock)", text, re.DOTALL):
            found.add(re.sub(r"\{\{ (\w+) \}\}", r"%(\1)s", block.strip()))
    for app in ("hub", "assets"):
        for file in (ROOT / app / "web").glob("*.py"):
            found |= set(re.findall(r'\b_\("([^"]+)"\)', file.read_text("utf-8")))
    return found


def test_no_string_is_without_chinese() -> None:
    with CATALOGUE.open("rb") as file:
        known = gettext.GNUTranslations(file)
    assert len(strings()) > 50
    assert {text for text in strings() if known.gettext(text) == text} == set()


def test_what_flips_an_answer_is_said_in_chinese() -> None:
    """Each step, and each sentence that says why there is none."""
    one, agent = UUID(int=7), UUID(int=8)
    taken: list[Step] = [
        steps.Lift(one), steps.Lift(one, denial=agent), steps.Widen(one), steps.Grant(one, ("agent", agent)), steps.Visible(one),
        steps.Office(one), steps.Approve(one), steps.Restore(one), steps.Refuse(one), steps.Refuse(one, grant=agent),
        steps.Refuse(one, binding=agent),
        *(
            steps.Bind(one, agent, follow=follow, pin=pin, replaces=replaces)
            for follow, pin in (("approved", None), ("head", None), ("approved", 3))
            for replaces in (None, agent)
        ),
    ]  # fmt: skip
    sentences = {step.words()[0] for step in taken} | {
        *flips.HOPELESS.values(),
        *explanations.NODE_FLIPS.values(),
    }
    sentences |= {
        one for rule in access.NODE_RULES for one in (rule.passed, rule.failed, f"node {rule.name}")
    }
    with CATALOGUE.open("rb") as file:
        known = gettext.GNUTranslations(file)
    assert len(sentences) > 30
    assert {text for text in sentences if known.gettext(text) == text} == set()


@pytest.mark.django_db
def test_the_browser_chooses_the_language(client: Client) -> None:
    page = client.get("/sign-in", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).content.decode()
    assert "登录" in page
    assert 'lang="zh-hans"' in page
    assert "Sign in" in client.get("/sign-in", headers={"Accept-Language": "en"}).content.decode()
