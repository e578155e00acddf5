"""The import contracts hold, and each one breaks when its rule is broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BELOW = "hub never knows what is remembered"
HUB = "hub layers"
ASSETS = "assets layers: five doors, one core"
ROWS = "doors and retrieval reach rows only through a Scope"
ARMS = "retrieval arms do not know each other"
PLAIN = "the decisions are plain Python"

# file that gets a line, the line, the contract that must break
VIOLATIONS = (
    ("hub/services/agents.py", "import assets.access", BELOW),
    ("hub/audit/record.py", "import hub.services.agents", HUB),
    ("hub/web/agents.py", "import hub.api.me", HUB),
    ("assets/access.py", "import assets.scope", ASSETS),
    ("assets/services/memories.py", "import assets.tasks", ASSETS),
    ("assets/api/retrieve.py", "import assets.web.urls", ASSETS),
    ("assets/mcp/retrieve.py", "import assets.api.retrieve", ASSETS),
    ("assets/mcp/retrieve.py", "from assets.models import Node", ROWS),
    ("assets/api/retrieve.py", "from assets.models import Node", ROWS),
    ("assets/retrieval/arms/words.py", "import assets.models.node", ROWS),
    ("assets/retrieval/arms/words.py", "import assets.retrieval.arms.vectors", ARMS),
    ("assets/tree/weight.py", "import django.utils.timezone", PLAIN),
    ("assets/retrieval/budget.py", "import hub.models", PLAIN),
    ("hub/authn/tokens.py", "import rest_framework", PLAIN),
)


def broken(tree: Path) -> tuple[set[str], str]:
    """The names of the contracts that do not hold in `tree`, and the whole output."""
    call = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(call, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    assert "Contracts:" in output, output
    return set(re.findall(r"^(.+) BROKEN", output, re.MULTILINE)), output


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", tree)
    for package in ("hub", "assets"):
        shutil.copytree(
            ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__", "static")
        )
    return tree


def test_the_code_keeps_every_contract(copy: Path) -> None:
    found, output = broken(copy)
    assert not found, output


@pytest.mark.parametrize(("file", "line", "contract"), VIOLATIONS)
def test_a_planted_violation_breaks_the_right_contract(
    copy: Path, file: str, line: str, contract: str
) -> None:
    target = copy / file
    before = target.read_text("utf-8")
    try:
        target.write_text(f"{before}\n{line}\n", "utf-8")
        found, output = broken(copy)
    finally:
        target.write_text(before, "utf-8")
    assert contract in found, output


def test_every_contract_has_a_violation_planted() -> None:
    named = re.findall(
        r'\[\[tool\.importlinter\.contracts\]\]\nname = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8")
    )
    assert set(named) == {contract for _, _, contract in VIOLATIONS}
