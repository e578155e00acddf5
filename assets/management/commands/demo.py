"""Make the demo team and write `demo.json` into the data folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from assets.services import demo


class Command(BaseCommand):
    help = "Make the demo team with its agents, memories and tokens (written to demo.json)."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DATA_DIR:
            raise CommandError("HUB_DATA_DIR is not set: name the folder with --data-dir.")
        file = Path(settings.DATA_DIR) / "demo.json"
        if demo.exists():
            self.stdout.write(f"The demo team is there already ({file}).")
            self._note_address(file)
            return
        with transaction.atomic():
            made = demo.build(settings.BASE_URL)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(made, out, indent=2, ensure_ascii=False)
        self.stdout.write(f"Demo team ready; names, passwords and tokens are in {file}")
        self.stdout.write(
            f"Sign in at {settings.BASE_URL}/sign-in as admin, password {made['admin']['password']}"
        )

    def _note_address(self, file: Path) -> None:
        """The port may differ from start to start."""
        if file.exists():
            made = json.loads(file.read_text("utf-8"))
            if made.get("base_url") != settings.BASE_URL:
                made["base_url"] = settings.BASE_URL
                file.write_text(json.dumps(made, indent=2, ensure_ascii=False), "utf-8")
