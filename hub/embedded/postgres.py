"""The PostgreSQL of one machine: made, started, waited for and stopped by us, on a unix socket."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from hub.embedded import engine, roles
from hub.embedded.datadir import DataDir
from hub.embedded.process import StartError, command, first_closed, stop, system_account

if TYPE_CHECKING:
    from collections.abc import Iterator

READY_WITHIN = 600.0  # seconds: recovery after a crash may take minutes
STOP_WITHIN = 30.0
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "work_mem": "8MB",
    "max_wal_size": "1GB",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "unix_socket_permissions": "0777",  # the folder is closed, and every login needs its password
    # A log line never carries what people wrote.
    "log_line_prefix": "[%p] ",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "fatal",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
# What a server says when one that was killed has not let go of the folder yet.
HELD = ("pre-existing shared memory block", "lock file", "Is another postmaster")
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def is_held(text: str) -> bool:
    """Whether a server's last lines say that one of the last run is still ending."""
    return any(phrase in text for phrase in HELD)


class Postgres:
    """One cluster in a data folder.

    `durable=False` is for clusters thrown away after a test.
    """

    def __init__(self, data_dir: str | Path, *, durable: bool = True) -> None:
        self.folder = DataDir(Path(data_dir).expanduser().resolve())
        self.durable = durable
        self.account = system_account()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def app_url(self) -> str:
        """The login of the application: neither owner nor free of row-level security."""
        return self.folder.database_url("app")

    @property
    def owner_url(self) -> str:
        """The login that owns the tables: migrations and maintenance."""
        return self.folder.database_url("owner")

    def urls(self) -> tuple[str, str]:
        return self.app_url, self.owner_url

    def prepare(self) -> None:
        """Make the folders and, the first time, the cluster.

        Raises StartError when the account PostgreSQL runs as cannot enter the folder, or when
        the cluster cannot be made.
        """
        self.folder.create()
        if self.account and (closed := first_closed(self.folder.path, self.account)):
            message = (
                f"PostgreSQL runs as {self.account.name}, who cannot enter {closed}:"
                " choose another --data-dir, or open it with chmod o+x"
            )
            raise StartError(message)
        sockets = self.folder.sockets / "pg"
        sockets.mkdir(mode=0o700, exist_ok=True)
        self._give(sockets)
        self.binaries = engine.reachable(self.folder, self.account) / "bin"
        if not (self.folder.postgres / "PG_VERSION").exists():
            self._initialise()

    def command(self) -> list[str]:
        """The words that start the server; call `prepare` first."""
        settings = SETTINGS | ({} if self.durable else NOT_DURABLE)
        settings["unix_socket_directories"] = str(self.folder.sockets / "pg")
        argv = [str(self.binaries / "postgres"), "-D", str(self.folder.postgres)]
        for name, value in settings.items():
            argv += ["-c", f"{name}={value}"]
        # SIGINT is the fast shutdown: sessions are ended, nothing is lost.
        return command(argv, account=self.account, dies_by=signal.SIGINT)

    def command_again(self) -> list[str]:
        """The same for a start after an end, once stale lock files are gone."""
        self._remove_stale_files()
        return self.command()

    def answers(self) -> bool:
        """Whether the server takes a query now.

        Raises StartError when it refuses our password.
        """
        try:
            with psycopg.connect(self.folder.database_url("admin"), connect_timeout=5) as session:
                session.execute("select 1")
        except psycopg.OperationalError as error:
            if "authentication failed" in str(error):
                message = f"the database does not know the password in {self.folder.secrets_file}"
                raise StartError(message) from None
            return False
        return True

    def create_roles(self) -> None:
        """Make the roles, the database and the extension where they are missing."""
        roles.create(self.folder.database_url("admin"), self.folder.read_secrets())

    def start(self) -> None:
        """Start and wait until the database is ready. Its log goes to `logs/postgres.log`.

        Raises StartError when it is not ready within ten minutes.
        """
        self.prepare()
        deadline = time.monotonic() + READY_WITHIN
        path = self.folder.logs / "postgres.log"
        while True:
            with path.open("ab") as log:
                before = log.tell()
                self._process = subprocess.Popen(  # noqa: S603
                    self.command_again(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    cwd="/",
                )
            try:
                if self._is_ready(self._process, deadline):
                    self.create_roles()
                    return
                said = path.read_bytes()[before:].decode("utf-8", "replace")
                if not is_held(said):
                    message = f"PostgreSQL does not start: {said.strip()}"
                    raise StartError(message)
            except BaseException:
                self.stop()
                raise
            time.sleep(0.5)

    def stop(self) -> None:
        """Stop the server this object started; nothing happens if there is none."""
        if self._process is not None:
            stop(self._process, signal.SIGINT, grace=STOP_WITHIN)
            self._process = None

    def _is_ready(self, process: subprocess.Popen[bytes], deadline: float) -> bool:
        while process.poll() is None:
            if self.answers():
                return True
            self._check(deadline)
            time.sleep(0.05)
        return False

    def _check(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            log = self.folder.logs / "postgres.log"
            message = f"PostgreSQL is not ready after {READY_WITHIN:.0f} s; see {log}"
            raise StartError(message)

    def _initialise(self) -> None:
        # Made beside its place and renamed, so that an interrupted start leaves no half of it.
        unfinished = self.folder.path / "postgres.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self._give(unfinished)
        # The password file must belong to the account; a pipe is refused.
        handle, name = tempfile.mkstemp(dir=self.folder.sockets / "pg")
        password_file = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(self.folder.read_secrets()["database_admin_password"])
            self._give(password_file)
            argv = [
                str(self.binaries / "initdb"),
                f"--pgdata={unfinished}",
                "--username=hub_admin",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--data-checksums",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions",
                *([] if self.durable else ["--no-sync"]),
            ]
            done = subprocess.run(  # noqa: S603
                command(argv, account=self.account),
                check=False,
                capture_output=True,
                text=True,
                cwd="/",
                env={"LC_ALL": "C", "PATH": os.defpath},
            )
        finally:
            password_file.unlink(missing_ok=True)
        if done.returncode != 0:
            message = f"the database could not be made: {done.stderr.strip()}"
            raise StartError(message)
        unfinished.rename(self.folder.postgres)

    def _give(self, path: Path) -> None:
        if self.account:
            os.chown(path, self.account.uid, self.account.gid)

    def _remove_stale_files(self) -> None:
        """Remove lock files that name a process which is not our server.

        PostgreSQL would refuse for ever when the number was reused by the same account. We hold
        the lock of the folder, so nobody else starts a server here.
        """
        if not Path("/proc/self/exe").exists():
            return
        socket_lock = self.folder.sockets / "pg" / ".s.PGSQL.5432.lock"
        for path in (self.folder.postgres / "postmaster.pid", socket_lock):
            if path.exists() and not self._is_our_server(path):
                path.unlink(missing_ok=True)

    def _is_our_server(self, lock_file: Path) -> bool:
        try:
            number = abs(int(lock_file.read_text(encoding="utf-8").split("\n", 1)[0]))
            process = Path("/proc") / str(number)
            at_home = (process / "cwd").readlink() == self.folder.postgres
            return at_home and (process / "exe").readlink().name == "postgres"
        except (OSError, ValueError):
            return False


@contextmanager
def running(data_dir: str | Path, *, durable: bool = True) -> Iterator[Postgres]:
    """A started PostgreSQL with `app_url` and `owner_url`, stopped at the end.

    Raises StartError, also when another process uses the folder.
    """
    server = Postgres(data_dir, durable=durable)
    server.folder.create()
    with server.folder.locked():
        server.start()
        try:
            yield server
        finally:
            server.stop()
