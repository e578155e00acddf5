#!/usr/bin/env python
"""The command line: finds the data folder, then hands over to Django."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from hub.embedded.datadir import DataDir, connect_environment, default_path
from hub.embedded.process import StartError

AS_OWNER = {"migrate", "prepare", "makemigrations", "sqlmigrate", "showmigrations"}
WITHOUT_FOLDER = {"up", "help", "--help", "-h", "--version", "version"}


def take_data_dir(argv: list[str]) -> tuple[list[str], str | None]:
    """Split `--data-dir DIR` (or `--data-dir=DIR`) from the other words.

    Raises SystemExit when the folder is not named.
    """
    kept: list[str] = []
    found: str | None = None
    words = iter(argv)
    for word in words:
        if word == "--data-dir":
            found = next(words, None)
            if found is None:
                raise SystemExit("--data-dir needs a folder")
        elif word.startswith("--data-dir="):
            found = word.partition("=")[2]
        else:
            kept.append(word)
    return kept, found


def main(argv: list[str]) -> None:
    """Run one command on the data folder it names, else on the default one if that is in use."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    name = argv[1] if len(argv) > 1 else "help"
    if name not in WITHOUT_FOLDER:
        argv, data_dir = take_data_dir(argv)
        try:
            if data_dir is not None or DataDir(default_path()).secrets_file.exists():
                connect_environment(data_dir or default_path(), owner=name in AS_OWNER)
        except (StartError, PermissionError) as error:
            raise SystemExit(f"{name}: {error}") from None
    execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv)
