"""Commands that a person runs on a data folder: the first admin, the demo, a lost password."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from hub.models import Membership, User
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def test_prepare_makes_one_admin_and_says_how_to_sign_in() -> None:
    said = StringIO()
    call_command("prepare", stdout=said)
    found = re.search(r"as admin, password (\S+)", said.getvalue())
    assert found
    assert User.people.get(username="admin").check_password(found[1])
    assert Membership.objects.get().offices == ["member", "admin"]
    again = StringIO()
    call_command("prepare", stdout=again)
    assert again.getvalue() == ""
    assert User.objects.count() == 1


def test_reset_login_gives_a_new_password(world: World) -> None:
    said = StringIO()
    call_command("reset_login", "alice", stdout=said)
    world.alice.refresh_from_db()
    assert not world.alice.check_password("password-of-alice")
    assert any(world.alice.check_password(word) for word in said.getvalue().split())


def test_demo_writes_the_cast_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", str(tmp_path))
    call_command("demo", stdout=StringIO())
    file = tmp_path / "demo.json"
    assert file.stat().st_mode & 0o077 == 0
    first = json.loads(file.read_text("utf-8"))
    assert set(first["agents"]) == {"scout-1", "builder-1", "reviewer-1"}
    assert set(first["users"]) == {"admin", "alice", "bob", "carol", "dora", "charlie"}
    kinds = {key.partition("-")[0] for key in first["assets"]}
    assert kinds == {"private", "team", "restricted", "agent"}
    call_command("demo", stdout=StringIO())
    assert json.loads(file.read_text("utf-8")) == first
