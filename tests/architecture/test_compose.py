"""The team server's description: complete, healthy, and only in words the settings know."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.architecture import source

COMPOSE = (source.ROOT / "docker-compose.yml").read_text("utf-8")
EXAMPLE = (source.ROOT / ".env.example").read_text("utf-8")
FILE: dict[str, Any] = yaml.safe_load(COMPOSE)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
OPTIONAL_KEY = "HUB_EMBEDDER_KEY"  # of a service that not every hub uses
OURS = ("migrate", "web", "worker", "beat")


def example_names() -> set[str]:
    """Names in .env.example, those that are commented out too."""
    return set(re.findall(r"^#? ?([A-Z_]+)=", EXAMPLE, re.MULTILINE))


def asked() -> dict[str, bool]:
    """Variable that compose takes from .env -> whether it stops without it."""
    found: dict[str, bool] = {}
    for name, rest in re.findall(r"(?<!\$)\$\{([A-Z_]+)([^}]*)\}", COMPOSE):
        found[name] = found.get(name, False) or rest.startswith(":?")
    return found


def test_the_services_are_there() -> None:
    assert set(SERVICES) == {"database", "broker", *OURS}
    assert "pgvector" in SERVICES["database"]["image"]
    assert "pg18" in SERVICES["database"]["image"]


@pytest.mark.parametrize("name", OURS)
def test_our_services_use_settings_that_exist(name: str) -> None:
    unknown = set(SERVICES[name]["environment"]) - source.settings_names()
    assert not unknown


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_what_runs_on_is_watched(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}


def test_only_migrate_has_the_owners_login() -> None:
    holders = [name for name in OURS if "hub_owner" in str(SERVICES[name]["environment"])]
    assert holders == ["migrate"]
    for name in ("web", "worker", "beat"):
        assert "hub_app" in SERVICES[name]["environment"]["DATABASE_URL"]
        assert SERVICES[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_nothing_but_the_web_process_is_published() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["web"]
    assert all(str(port).startswith("127.0.0.1:") for port in SERVICES["web"]["ports"])


def test_no_password_has_a_default() -> None:
    secret = {name for name in asked() if name.endswith(("_PASSWORD", "_KEY"))} - {OPTIONAL_KEY}
    assert len(secret) >= 5
    assert all(asked()[name] for name in secret)
    assert all(re.search(rf"^{name}=$", EXAMPLE, re.MULTILINE) for name in secret)


def test_the_optional_key_is_empty_until_it_is_given() -> None:
    assert f"${{{OPTIONAL_KEY}:-}}" in COMPOSE
    assert f"# {OPTIONAL_KEY}=\n" in EXAMPLE


def test_the_example_names_all_that_is_read_and_no_more() -> None:
    assert set(asked()) | source.settings_names() == example_names()


def test_the_roles_are_bound_by_row_level_security() -> None:
    text = FILE["configs"]["roles"]["content"].lower()
    for role in ("hub_owner", "hub_app", "hub_search"):
        assert f"create role {role}" in text
    assert "superuser" not in text
    assert "bypassrls" not in text
