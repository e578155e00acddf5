"""A command without a test is a promise; each is named by a test that runs it."""

from __future__ import annotations

import re

import pytest

from tests.architecture import source

COMMANDS = sorted(
    file.stem
    for folder in ("hub", "assets")
    for file in (source.ROOT / folder / "management" / "commands").glob("*.py")
    if file.stem != "__init__"
)

# What `up` runs by itself, and how a test starts it so that it does.
BY_UP = {"prepare": r"\bUp\(", "demo": r"""\bUp\([^)]*["']--demo["']"""}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_test_runs_the_command(command: str) -> None:
    named = re.compile(
        rf"""call_command\(\s*["']{command}["']|["']manage\.py["'],\s*["']{command}["']"""
        rf"""|management\.commands(\.|\simport\s.*\b){command}\b|\bmanage\(\s*["']{command}["']"""
        rf"""|{BY_UP.get(command, "(?!)")}"""
    )
    files = [
        file.relative_to(source.ROOT).as_posix()
        for file in (source.ROOT / "tests").rglob("test_*.py")
        if "architecture" not in file.parts and named.search(file.read_text("utf-8"))
    ]
    assert files, f"no test runs `manage.py {command}`"


def test_every_command_says_what_it_does() -> None:
    for command in COMMANDS:
        files = list(source.ROOT.glob(f"*/management/commands/{command}.py"))
        assert re.search(r"^    help = \S", files[0].read_text("utf-8"), re.MULTILINE), command
