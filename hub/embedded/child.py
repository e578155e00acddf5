"""Becomes another program after giving up root and tying its life to its parent's.

Run as a script, `python child.py PARENT SIGNAL UID GID PROGRAM ARGUMENT...`, so that no code runs
between fork and exec in a process that has threads. UID and GID are -1 to stay as we are.
"""

from __future__ import annotations

import ctypes
import os
import sys

SET_PARENT_DEATH_SIGNAL = 1


def become(parent: int, signal_number: int, uid: int, gid: int, argv: list[str]) -> None:
    """Replace this process by `argv`; it gets `signal_number` when `parent` dies (Linux)."""
    if uid >= 0:  # ids first: changing them clears the parent-death signal
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal_number)
    if os.getppid() != parent:  # it died before we could ask to be told
        os._exit(1)
    os.execv(argv[0], argv)  # noqa: S606


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:5]]
    become(numbers[0], numbers[1], numbers[2], numbers[3], sys.argv[5:])
