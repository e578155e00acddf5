"""What `doctor` makes of the versions it finds."""

from __future__ import annotations

import pytest

from hub.management.commands.doctor import judge_postgres, judge_vector


@pytest.mark.parametrize(
    ("number", "is_embedded", "colour", "words"),
    [
        (140012, False, "red", "too old"),
        (150019, False, "amber", "update it"),
        (150020, False, "green", "PostgreSQL"),
        (180006, True, "amber", "fine for trying out"),
        (180006, False, "amber", "advised 18.7"),
        (180007, True, "green", "PostgreSQL"),
        (190000, False, "green", "PostgreSQL"),
    ],
)
def test_the_database_is_judged_by_its_version(
    number: int, is_embedded: bool, colour: str, words: str
) -> None:
    found = judge_postgres(number, "x", is_embedded=is_embedded)
    assert found.colour == colour
    assert words in found.text


@pytest.mark.parametrize(
    ("version", "colour"),
    [
        (None, "red"),
        ("0.7.4", "red"),
        ("0.8.6", "amber"),
        ("0.8.7", "green"),
        ("0.10.0", "green"),
    ],
)
def test_pgvector_is_judged_by_its_version(version: str | None, colour: str) -> None:
    assert judge_vector(version).colour == colour
