"""Every string of the pages exists in Chinese, and the browser's language chooses it."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "templates" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.mo"


def strings() -> set[str]:
    """All translated strings of templates and page code."""
    found: set[str] = set()
    for file in (ROOT / "templates").rglob("*.html"):
        found |= set(re.findall(r"""\{% translate ["']([^"']+)["']""", file.read_text("utf-8")))
    for app in ("hub", "assets"):
        for file in (ROOT / app / "web").glob("*.py"):
            found |= set(re.findall(r'\b_\("([^"]+)"\)', file.read_text("utf-8")))
    return found


def test_no_string_is_without_chinese() -> None:
    with CATALOGUE.open("rb") as file:
        known = gettext.GNUTranslations(file)
    assert len(strings()) > 50
    assert {text for text in strings() if known.gettext(text) == text} == set()


@pytest.mark.django_db
def test_the_browser_chooses_the_language(client: Client) -> None:
    page = client.get("/sign-in", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).content.decode()
    assert "登录" in page
    assert 'lang="zh-hans"' in page
    assert "Sign in" in client.get("/sign-in", headers={"Accept-Language": "en"}).content.decode()
