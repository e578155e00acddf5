"""The one folder that holds everything of one machine: its layout, its secrets, its lock."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
import os
import secrets
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from hub.embedded.process import StartError

if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKET_PATH_LIMIT = 100  # bytes; the kernel allows 107
SECRET_NAMES = (
    "secret_key",
    "audit_key",
    "database_admin_password",
    "database_owner_password",
    "database_app_password",
)


class FolderInUseError(StartError):
    """Another process runs on this data folder."""


def default_path() -> Path:
    """HUB_DATA_DIR, else the usual place for root or for a person."""
    if named := os.environ.get("HUB_DATA_DIR"):
        return Path(named).expanduser().resolve()
    if os.geteuid() == 0:
        return Path("/var/lib/team-memory-hub")
    return Path.home() / ".local" / "share" / "team-memory-hub"


@dataclasses.dataclass(frozen=True)
class DataDir:
    """Paths below one data folder, and the secrets kept in it."""

    path: Path

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def engine(self) -> Path:
        return self.path / "engine"

    @property
    def broker(self) -> Path:
        return self.path / "broker"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def secrets_file(self) -> Path:
        return self.path / "secrets.json"

    @property
    def address_file(self) -> Path:
        return self.path / "run" / "base_url"

    @property
    def sockets(self) -> Path:
        """The folder of the sockets: `run`, or one under the temporary folder if that is too long."""
        run = self.path / "run"
        if len(os.fsencode(run / "pg" / ".s.PGSQL.5432")) <= SOCKET_PATH_LIMIT:
            return run
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"tmh-{os.geteuid()}-{digest}"

    def create(self) -> None:
        """Make the folders; the upper ones may be entered, not read, by PostgreSQL's account.

        Raises StartError when the folder of the sockets belongs to somebody else.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "run").mkdir(exist_ok=True)
        is_root = os.geteuid() == 0
        self.sockets.mkdir(exist_ok=True)
        if self.sockets.is_symlink() or self.sockets.stat().st_uid != os.geteuid():
            message = f"{self.sockets} belongs to another user: remove it, or set TMPDIR"
            raise StartError(message)
        self.path.chmod(0o711 if is_root else 0o700)
        self.sockets.chmod(0o711 if is_root else 0o700)
        for folder in (self.broker, self.logs):
            folder.mkdir(mode=0o700, exist_ok=True)

    def read_secrets(self) -> dict[str, str]:
        """The secrets by name, made on first use.

        Raises StartError when the database is there but its secrets are not.
        """
        kept: dict[str, str] = {}
        if self.secrets_file.exists():
            kept = json.loads(self.secrets_file.read_text(encoding="utf-8"))
        elif (self.postgres / "PG_VERSION").exists():
            message = f"{self.secrets_file} is missing, but the database is there: restore the file"
            raise StartError(message)
        missing = [name for name in SECRET_NAMES if name not in kept]
        if missing:
            kept |= {name: secrets.token_urlsafe(48) for name in missing}
            self._write_secrets(kept)
        return kept

    def _write_secrets(self, kept: dict[str, str]) -> None:
        handle, name = tempfile.mkstemp(dir=self.path, prefix=".secrets-")  # made with 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(self.secrets_file)

    def database_url(self, role: str) -> str:
        """The URL for `app`, `owner` or `admin`, over the unix socket."""
        password = self.read_secrets()[f"database_{role}_password"]
        host = quote(str(self.sockets / "pg"), safe="/")
        database = "postgres" if role == "admin" else "hub"
        return f"postgresql://hub_{role}:{password}@/{database}?host={host}"

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{quote(str(self.sockets / 'v.sock'))}?virtual_host=0"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process alone; released by the kernel when it ends.

        Raises FolderInUseError when another process holds it.
        """
        with (self.path / "up.lock").open("a+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                message = f"another `up` already runs on {self.path}"
                raise FolderInUseError(message) from None
            yield


def owner_url() -> str | None:
    """The owner's login of the database in use, or None where this process knows none."""
    if named := os.environ.get("DATABASE_OWNER_URL"):
        return named
    kept = os.environ.get("HUB_DATA_DIR", "")
    folder = DataDir(Path(kept)) if kept else None
    if folder is None or not folder.secrets_file.exists():
        return None
    is_embedded = os.environ.get("DATABASE_URL") == folder.database_url("app")
    return folder.database_url("owner") if is_embedded else None


def connect_environment(data_dir: str | Path, *, owner: bool = False) -> None:
    """Point the environment at the services of a data folder, where it names no others.

    With `owner`, DATABASE_URL becomes the owner's login. Raises StartError when the folder has
    no secrets yet, that is when `up` never ran on it.
    """
    folder = DataDir(Path(data_dir).expanduser().resolve())
    if not folder.secrets_file.exists():
        message = f"{folder.path} holds no hub yet: start one with `manage.py up`"
        raise StartError(message)
    kept = folder.read_secrets()
    environment = os.environ
    if "DATABASE_URL" not in environment:
        environment["DATABASE_URL"] = folder.database_url("app")
        environment.setdefault("DATABASE_OWNER_URL", folder.database_url("owner"))
    environment.setdefault("BROKER_URL", folder.broker_url)
    environment.setdefault("HUB_SECRET_KEY", kept["secret_key"])
    environment.setdefault("HUB_AUDIT_KEY", kept["audit_key"])
    environment.setdefault("HUB_DATA_DIR", str(folder.path))
    environment.setdefault("OMP_NUM_THREADS", "1")
    if folder.address_file.exists():
        address = folder.address_file.read_text(encoding="ascii").strip()
        environment.setdefault("HUB_BASE_URL", address)
    if owner:
        environment["DATABASE_URL"] = environment.get("DATABASE_OWNER_URL", environment["DATABASE_URL"])
