"""How children are started: own session, gone with their parent, without root where asked."""

from __future__ import annotations

import dataclasses
import os
import pwd
import signal
import stat
import subprocess
import sys
from pathlib import Path

CHILD = Path(__file__).with_name("child.py")
SYSTEM_USERS = ("memoryhub", "postgres", "nobody")


class StartError(Exception):
    """Something the embedded services need is missing; the message says what to do."""


@dataclasses.dataclass(frozen=True)
class Account:
    """The system account a child runs as."""

    name: str
    uid: int
    gid: int


def system_account() -> Account | None:
    """The account PostgreSQL drops to when we are root; None when we are not.

    Raises StartError when none of the usual accounts exists.
    """
    if os.geteuid() != 0:
        return None
    for name in SYSTEM_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    message = "PostgreSQL does not run as root: create an account with `useradd --system memoryhub`"
    raise StartError(message)


def command(
    argv: list[str],
    *,
    account: Account | None = None,
    dies_by: signal.Signals = signal.SIGTERM,
) -> list[str]:
    """The words that start `argv` as a child of this process, ended by `dies_by` when we die.

    Start it from the main thread: the kernel watches the thread that forked, not the process.
    """
    uid, gid = (account.uid, account.gid) if account else (-1, -1)
    start = [
        sys.executable,
        "-I",
        "-S",
        str(CHILD),
        str(os.getpid()),
        str(int(dies_by)),
    ]
    return [*start, str(uid), str(gid), *argv]


def first_closed(path: Path, account: Account) -> Path | None:
    """The topmost folder on the way to `path`, itself included, that `account` cannot enter."""
    for folder in [*reversed(path.resolve().parents), path.resolve()]:
        found = folder.stat()
        if found.st_uid == account.uid:
            bit = stat.S_IXUSR
        elif found.st_gid == account.gid:
            bit = stat.S_IXGRP
        else:
            bit = stat.S_IXOTH
        if not found.st_mode & bit:
            return folder
    return None


def stop(process: subprocess.Popen[bytes], number: signal.Signals, *, grace: float) -> None:
    """Ask a child to end, wait `grace` seconds, then kill its whole group."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
    kill_group(process.pid)
    process.wait()


def kill_group(pid: int) -> None:
    """Kill what is left of a child's session."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
