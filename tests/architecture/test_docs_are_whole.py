"""What can be set, run, asked, recorded or decided is written down, and links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from assets import access
from assets.mcp.dispatch import TOOLS
from assets.retrieval.recipes import RECIPES
from hub.audit.events import ACTIONS
from tests.architecture import source

DOCS = source.ROOT / "docs"
PAGES = sorted([source.ROOT / "README.md", *DOCS.rglob("*.md")])
RUN = (
    "python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.txt"
    " && .venv/bin/python manage.py up --demo"
)
TEST = (
    "python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements-dev.txt"
    " && .venv/bin/python -m pytest -n 2 --dist loadgroup"
)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def words(names: Iterator[str] | list[str], text: str) -> list[str]:
    """The names that `text` does not give in code marks."""
    return [name for name in names if f"`{name}`" not in text]


def routes(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, path)
        elif isinstance(entry, URLPattern):
            yield re.sub(r"<\w+:(\w+)>", r"{\1}", path)


def test_the_pages_are_there() -> None:
    names = {
        "architecture",
        "glossary",
        "permissions",
        "retrieval",
        "operations",
        "threat-model",
        "api",
        "mcp",
        "audit",
    }
    assert names <= {file.stem for file in DOCS.glob("*.md")}


def test_the_readme_has_the_two_commands() -> None:
    text = (source.ROOT / "README.md").read_text("utf-8")
    assert f"\n{RUN}\n" in text
    assert f"\n{TEST}\n" in text
    assert "manage.py tour" in text
    assert "HUB_TEST_DATA" in text
    assert "Chromium" in text


def test_the_map_of_the_readme_is_true() -> None:
    text = (source.ROOT / "README.md").read_text("utf-8")
    listed = re.search(r"## Map\n\n```\n(.+?)```", text, re.DOTALL)
    assert listed is not None
    lines = listed[1].strip().splitlines()
    assert len(lines) == 10
    for line in lines:
        for name in line.split("  ")[0].split(" "):
            assert (source.ROOT / name).exists(), name


def test_every_setting_is_explained() -> None:
    missing = words(sorted(source.settings_names() | {"HUB_TEST_DATA"}), page("operations"))
    assert not missing


def test_every_command_is_explained() -> None:
    names = sorted(
        file.stem for file in source.ROOT.glob("*/management/commands/*.py") if file.stem != "__init__"
    )
    assert len(names) >= 6
    assert not words(names, page("operations"))


def test_every_recorded_action_is_listed() -> None:
    assert not words(sorted(ACTIONS), page("audit"))
    listed = set(re.findall(r"^\| `([\w.]+)` \|", page("audit"), re.MULTILINE))
    assert listed == set(ACTIONS)


def test_every_rule_is_listed_in_order() -> None:
    text = page("permissions")
    assert access.ORDER in text
    listed = re.findall(r"^\| \d+ \| `([\w ]+)` \|", text, re.MULTILINE)
    assert listed == [rule.name for rule in access.RULES]
    nodes = re.findall(r"^\| [a-z] \| `([\w ]+)` \|", text, re.MULTILINE)
    assert nodes == [rule.name for rule in access.NODE_RULES]


def test_every_recipe_is_listed() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (.+) \|$", page("retrieval"), re.MULTILINE)
    assert dict(listed) == {name: recipe.sentence for name, recipe in RECIPES.items()}


def test_every_tool_is_listed_with_its_policy() -> None:
    listed = re.findall(r"^\| `(\w+)` \|.+\| `([\w.]+)`.*\| `(\w+)` \|$", page("mcp"), re.MULTILINE)
    assert listed == [(tool.name, tool.policy.audit, tool.bucket) for tool in TOOLS.values()]


def test_every_route_is_listed() -> None:
    found = sorted(set(routes(get_resolver().url_patterns)))
    interface = ["/" + path for path in found if path.startswith("api/v1/")]
    assert len(interface) > 15
    missing = [path for path in interface if f"`{path.removeprefix('/api/v1')}`" not in page("api")]
    assert not missing


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_links_lead_somewhere(file: Any) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", file.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (file.parent / target).exists(), target


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(file.name[:4]) for file in (DOCS / "decisions").glob("[0-9]*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
