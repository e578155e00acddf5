"""A throw-away database for the commands of this folder, asked as the app's login asks it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def own_database() -> Iterator[None]:
    """Django set up on a migrated cluster of its own, which is removed afterwards."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ["HUB_EMBEDDER"] = "none"
    import django
    from django.core.management import call_command

    from hub import env
    from hub.embedded import postgres

    with tempfile.TemporaryDirectory(prefix="hub-leaks-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with postgres.running(folder, durable=False) as server:
            django.setup()
            from django.db import connection

            connection.settings_dict.update(env.database(server.owner_url))
            call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
            connection.close()
            connection.settings_dict.update(env.database(server.app_url))
            try:
                yield
            finally:
                connection.close()
