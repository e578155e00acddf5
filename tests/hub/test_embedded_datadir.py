"""The data folder: what commands learn from it, and what they must not."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hub.embedded.datadir import DataDir, connect_environment
from hub.embedded.process import StartError
from manage import take_data_dir

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "HUB_SECRET_KEY", "HUB_AUDIT_KEY",
    "HUB_DATA_DIR", "HUB_BASE_URL", "OMP_NUM_THREADS",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that the old value comes back
        monkeypatch.delenv(name)
    made = DataDir(tmp_path)
    made.create()
    made.read_secrets()
    return made


def test_secrets_are_made_once_and_closed(folder: DataDir) -> None:
    assert folder.secrets_file.stat().st_mode & 0o777 == 0o600
    first = folder.read_secrets()
    assert first == folder.read_secrets()
    assert len(set(first.values())) == len(first)
    assert json.loads(folder.secrets_file.read_text()) == first


def test_commands_are_pointed_at_the_folder(folder: DataDir) -> None:
    folder.address_file.write_text("http://127.0.0.1:8123\n")
    connect_environment(folder.path)
    assert os.environ["DATABASE_URL"] == folder.database_url("app")
    assert os.environ["DATABASE_OWNER_URL"] == folder.database_url("owner")
    assert os.environ["BROKER_URL"] == folder.broker_url
    assert os.environ["HUB_SECRET_KEY"] == folder.read_secrets()["secret_key"]
    assert os.environ["HUB_BASE_URL"] == "http://127.0.0.1:8123"


def test_the_owners_login_is_for_those_who_ask(folder: DataDir) -> None:
    connect_environment(folder.path, owner=True)
    assert os.environ["DATABASE_URL"] == folder.database_url("owner")


def test_a_named_database_wins(folder: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@elsewhere/hub")
    connect_environment(folder.path, owner=True)
    assert os.environ["DATABASE_URL"] == "postgresql://app@elsewhere/hub"
    assert "DATABASE_OWNER_URL" not in os.environ


def test_an_unused_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"manage\.py up"):
        connect_environment(tmp_path / "nothing")


def test_the_folder_is_taken_out_of_the_words() -> None:
    words = ["manage.py", "doctor", "--data-dir", "/a", "-v", "1"]
    assert take_data_dir(words) == (["manage.py", "doctor", "-v", "1"], "/a")
    assert take_data_dir(["manage.py", "doctor", "--data-dir=/b"])[1] == "/b"
    assert take_data_dir(["manage.py", "doctor"]) == (["manage.py", "doctor"], None)
    with pytest.raises(SystemExit, match="needs a folder"):
        take_data_dir(["manage.py", "doctor", "--data-dir"])
