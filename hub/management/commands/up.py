"""`manage.py up`: runs the whole hub on this machine until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hub import env
from hub.embedded import machine
from hub.embedded.datadir import DataDir, default_path
from hub.embedded.process import StartError


class Command(BaseCommand):
    help = "Run the hub: database, broker, web, worker and beat, from one data folder."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="fill in the demo team")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=env.number("HUB_PORT", 8000))
        parser.add_argument("--data-dir", type=Path, default=None, help="where everything is kept")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = options["data_dir"] or default_path()
        folder = DataDir(chosen.expanduser().resolve())
        try:
            machine.run(folder, host=options["host"], port=options["port"], demo=options["demo"])
        except StartError as error:
            raise CommandError(str(error)) from error
