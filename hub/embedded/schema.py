"""Brings the database up to date in one process: `python -m hub.embedded.schema [--demo]`."""

from __future__ import annotations

import sys

import django
from django.core.management import call_command


def main(options: list[str]) -> None:
    """Migrate, then `prepare`, which says how to sign in. Needs the owner's login."""
    django.setup()
    call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
    call_command("prepare", *options)


if __name__ == "__main__":
    main(sys.argv[1:])
