"""Everything one machine runs, in order: PostgreSQL, broker, schema, web, worker, beat."""

from __future__ import annotations

import asyncio
import dataclasses
import http.client
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.embedded import postgres
from hub.embedded.broker import Broker
from hub.embedded.postgres import Postgres
from hub.embedded.process import StartError, command
from hub.embedded.supervisor import Child, Supervisor

if TYPE_CHECKING:
    from hub.embedded.datadir import DataDir

PROJECT = Path(__file__).resolve().parents[2]
PORT_FREE_WITHIN = 8.0  # seconds: the last run may still be ending
WEB_WITHIN = 120.0


@dataclasses.dataclass(frozen=True)
class Address:
    """Where the web process listens, and the URL people use."""

    host: str
    port: int

    @property
    def near(self) -> str:
        """The host to reach it by from this machine."""
        every = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
        return every.get(self.host, self.host)

    @property
    def url(self) -> str:
        named = f"[{self.near}]" if ":" in self.near else self.near
        return os.environ.get("HUB_BASE_URL") or f"http://{named}:{self.port}"

    def answers(self) -> bool:
        """Whether /healthz says that the web process is well."""
        connection = http.client.HTTPConnection(self.near, self.port, timeout=5)
        try:
            connection.request("GET", "/healthz", headers={"Host": f"127.0.0.1:{self.port}"})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def free_address(host: str, port: int) -> Address:
    """The address, with a free port for port 0. Raises StartError when the port is taken."""
    deadline = time.monotonic() + PORT_FREE_WITHIN
    while True:
        try:
            family = socket.getaddrinfo(host, port)[0][0]
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
                return Address(host, int(probe.getsockname()[1]))
        except OSError as error:
            if time.monotonic() > deadline:
                message = f"cannot listen on {host} port {port} ({error.strerror}): try --port"
                raise StartError(message) from None
            time.sleep(0.25)


class Machine:
    """One run of `up` on a locked data folder."""

    def __init__(self, folder: DataDir, address: Address, *, demo: bool) -> None:
        self.folder = folder
        self.address = address
        self.demo = ["--demo"] if demo else []
        self.supervisor = Supervisor(PROJECT, folder.logs)
        self.postgres = None if "DATABASE_URL" in os.environ else Postgres(folder.path)
        self.broker = None if "BROKER_URL" in os.environ else Broker(folder.path)
        self.stages: list[list[Child]] = [[], [], []]  # in the order of stopping

    async def run(self) -> None:
        """Start everything and stay until SIGINT, SIGTERM or SIGHUP. Raises StartError."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stopping.set)
        starting = asyncio.create_task(self._start())
        asked = asyncio.create_task(stopping.wait())
        failed = self.supervisor.failed
        try:
            first: list[asyncio.Future[Any]] = [starting, asked, failed]
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()  # raises what stopped the start
                await asyncio.wait(first[1:], return_when=asyncio.FIRST_COMPLETED)
            if failed.done():
                failed.result()
            self.supervisor.say("up", "stopping")
        finally:
            starting.cancel()
            asked.cancel()
            await asyncio.wait({starting, asked})
            await self.supervisor.stop(*self.stages)
            if not failed.cancel() and not failed.cancelled():
                failed.exception()  # seen: another failure is already on its way
        self.supervisor.say("up", "stopped")

    async def _start(self) -> None:
        began = time.monotonic()
        say = self.supervisor.say
        say("up", f"data folder {self.folder.path}")
        (self.folder.path / "staticfiles").mkdir(exist_ok=True)  # named by the settings
        environment = self._environment()
        owner = environment | {"DATABASE_URL": environment["DATABASE_OWNER_URL"]}
        application = {name: value for name, value in environment.items() if name != "DATABASE_OWNER_URL"}
        await asyncio.gather(self._start_postgres(), self._start_broker())
        python = sys.executable
        schema = [python, "-m", "hub.embedded.schema", *self.demo]
        await self.supervisor.once("prepare", schema, owner)
        self._keep(0, Child("web", lambda: command(self._web()), application, grace=8))
        self._keep(0, Child("worker", lambda: command(_WORKER), environment, grace=15))
        beat = [*_CELERY, "beat", "--loglevel", "warning", "--pidfile", ""]
        beat += ["--schedule", str(self.folder.path / "run" / "beat")]
        self._keep(0, Child("beat", lambda: command(beat), application))
        await self.supervisor.until("the web process", self.address.answers, WEB_WITHIN)
        if self.demo:
            await self.supervisor.once("demo", [python, "manage.py", "demo"], environment)
        say("up", f"ready in {time.monotonic() - began:.1f} s: {self.address.url}")
        say("up", "Ctrl-C stops everything")

    def _keep(self, stage: int, child: Child) -> None:
        self.stages[stage].append(child)
        self.supervisor.keep(child)

    async def _start_postgres(self) -> None:
        if self.postgres is None:
            self.supervisor.say("up", "using the database named by DATABASE_URL")
            return
        server = self.postgres
        if server.account:
            shared = " (better its own: useradd --system memoryhub)"
            advice = shared if server.account.name == "nobody" else ""
            say = f"started by root, so PostgreSQL runs as {server.account.name}{advice}"
            self.supervisor.say("up", say)
        await asyncio.to_thread(server.prepare)
        environment = {"PATH": os.defpath, "LC_ALL": "C"}
        child = Child(
            "postgres",
            server.command_again,
            environment,
            stop_by=signal.SIGINT,
            grace=postgres.STOP_WITHIN,
            is_patient=postgres.is_held,
        )
        self._keep(2, child)
        await self.supervisor.until("PostgreSQL", server.answers, postgres.READY_WITHIN)
        await asyncio.to_thread(server.create_roles)

    async def _start_broker(self) -> None:
        if self.broker is None:
            self.supervisor.say("up", "using the broker named by BROKER_URL")
            return
        child = Child("broker", self.broker.command, {"PATH": os.defpath, "LC_ALL": "C"})
        self._keep(1, child)
        await self.supervisor.until("the broker", self.broker.answers, 60)

    def _environment(self) -> dict[str, str]:
        """What the hub's own processes read; secrets travel by no other way."""
        kept = self.folder.read_secrets()
        hosts = dict.fromkeys(["127.0.0.1", "localhost", "[::1]", self.address.host])
        found = {
            "DJANGO_SETTINGS_MODULE": "hub.settings",
            "HUB_DATA_DIR": str(self.folder.path),
            "HUB_SECRET_KEY": kept["secret_key"],
            "HUB_AUDIT_KEY": kept["audit_key"],
            "HUB_ALLOWED_HOSTS": ",".join(hosts),
            "BROKER_URL": self.folder.broker_url,
        } | dict(os.environ)
        if self.postgres is not None:
            found["DATABASE_URL"], found["DATABASE_OWNER_URL"] = self.postgres.urls()
        found.setdefault("DATABASE_OWNER_URL", found["DATABASE_URL"])
        # One thread for each query's embedding: more of them only wait for each other.
        fixed = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        return found | fixed | {"HUB_BASE_URL": self.address.url, "HUB_PORT": str(self.address.port)}

    def _web(self) -> list[str]:
        # No access log: addresses hold what people searched for.
        return [
            *(
                sys.executable,
                "-m",
                "uvicorn",
                "hub.asgi:application",
                "--lifespan",
                "on",
            ),
            *("--host", self.address.host, "--port", str(self.address.port)),
            *("--no-access-log", "--no-server-header", "--log-level", "warning"),
            *("--timeout-keep-alive", "30", "--timeout-graceful-shutdown", "4"),
        ]


_CELERY = [sys.executable, "-m", "celery", "-A", "hub.celery", "--quiet"]
_WORKER = [
    *(
        *_CELERY,
        "worker",
        "--pool",
        "prefork",
        "--concurrency",
        "1",
        "--loglevel",
        "warning",
    ),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
]


def run(folder: DataDir, *, host: str, port: int, demo: bool) -> None:
    """Run the hub on `folder` until it is told to stop.

    Raises StartError, also when another `up` holds the folder.
    """
    folder.create()
    with folder.locked():
        address = free_address(host, port)
        folder.address_file.write_text(address.url + "\n", encoding="ascii")
        asyncio.run(_run(folder, address, demo=demo))


async def _run(folder: DataDir, address: Address, *, demo: bool) -> None:
    await Machine(folder, address, demo=demo).run()
