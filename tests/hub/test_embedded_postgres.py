"""The embedded PostgreSQL: its roles, and its start after every kind of end."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from hub.embedded import engine, postgres
from hub.embedded.datadir import FolderInUseError
from hub.embedded.process import StartError, system_account

if TYPE_CHECKING:
    from collections.abc import Iterator


def new_folder(prefix: str = "tmh-pg-") -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix=prefix)
    Path(folder.name).chmod(0o711)
    return folder


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A folder with a cluster that is not running."""
    with new_folder() as name:
        with postgres.running(name, durable=False):
            pass
        yield Path(name)


def test_the_owner_owns_and_the_app_does_not(made: Path) -> None:
    with postgres.running(made, durable=False) as server:
        with psycopg.connect(server.owner_url, autocommit=True) as owner:
            powers = owner.execute(
                "select rolname, rolsuper, rolbypassrls, rolcreatedb, rolcanlogin from pg_roles"
                " where rolname like 'hub_%' order by rolname"
            ).fetchall()
            owner.execute("create table note (id int)")
        assert powers == [
            ("hub_admin", True, True, True, True),
            ("hub_app", False, False, False, True),
            ("hub_owner", False, False, True, True),
            ("hub_search", False, False, False, False),
        ]
        with psycopg.connect(server.app_url, autocommit=True) as app:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute("create table mine (id int)")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute("select * from note")


def test_the_owner_makes_databases_with_vectors_and_search_functions(
    made: Path,
) -> None:
    with postgres.running(made, durable=False) as server:
        with psycopg.connect(server.owner_url, autocommit=True) as owner:
            owner.execute("create database another")
        with psycopg.connect(server.owner_url, dbname="another") as owner:
            assert owner.execute("select '[1,2]'::vector <#> '[1,2]'").fetchone() == (-5.0,)
            owner.execute("create function find() returns int language sql as 'select 1'")
            owner.execute("grant create on schema public to hub_search")
            owner.execute("alter function find() owner to hub_search")
            owner.execute("revoke create on schema public from hub_search")


def test_a_wrong_password_and_a_lost_one_are_said(made: Path) -> None:
    secrets = made / "secrets.json"
    kept = secrets.read_text()
    assert secrets.stat().st_mode & 0o777 == 0o600
    try:
        secrets.write_text("{}")
        with (
            pytest.raises(StartError, match="does not know the password"),
            postgres.running(made),
        ):
            pass
        secrets.unlink()
        with pytest.raises(StartError, match="is missing"), postgres.running(made):
            pass
    finally:
        secrets.write_text(kept)
        secrets.chmod(0o600)


def test_one_folder_serves_one(made: Path) -> None:
    with (
        postgres.running(made, durable=False),
        pytest.raises(FolderInUseError, match="already runs"),
        postgres.running(made),
    ):
        pass


def test_it_starts_again_after_its_server_was_killed(made: Path) -> None:
    with postgres.running(made, durable=False) as server:
        pid = int((made / "postgres" / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, signal.SIGKILL)
        assert server.account == system_account()
    with (
        postgres.running(made, durable=False) as server,
        psycopg.connect(server.app_url) as app,
    ):
        assert app.execute("select 1").fetchone() == (1,)


@pytest.mark.skipif(not Path("/proc/self/exe").exists(), reason="needs /proc")
def test_a_reused_process_number_does_not_stop_the_start(made: Path) -> None:
    account = system_account()
    with subprocess.Popen(
        ["/bin/sleep", "60"],
        user=account.name if account else None,
    ) as other:
        (made / "postgres" / "postmaster.pid").write_text(f"{other.pid}\n{made}/postgres\n")
        with postgres.running(made, durable=False) as server:
            assert server.answers()
        other.kill()


def test_a_long_path_gets_short_sockets() -> None:
    with (
        new_folder(prefix="x" * 90) as name,
        postgres.running(name, durable=False) as server,
    ):
        sockets = server.folder.sockets
        assert not sockets.is_relative_to(name)
        with psycopg.connect(server.app_url) as app:
            assert app.execute("select 1").fetchone() == (1,)
    (sockets / "pg").rmdir()
    sockets.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another account")
def test_closed_binaries_are_copied_and_a_closed_folder_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with new_folder() as name:
        monkeypatch.setattr(engine, "first_closed", lambda path, _account: path)
        with postgres.running(name, durable=False) as server:
            assert server.binaries.is_relative_to(Path(name) / "engine")
        closed = Path(name) / "closed"
        closed.mkdir(mode=0o700)
        expected = f"cannot enter {closed}"
        with (
            pytest.raises(StartError, match=expected),
            postgres.running(closed / "data"),
        ):
            pass
