"""A real PostgreSQL for the run. The owner creates and migrates, the tests run as the app."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hub import env
from hub.embedded import postgres

if TYPE_CHECKING:
    from tests.world import World


@pytest.fixture(scope="session")
def database_server() -> Iterator[Any]:
    """A throw-away cluster of its own for each worker process."""
    folder = Path(tempfile.mkdtemp(prefix="hub-test-"))
    folder.chmod(0o711)
    try:
        with postgres.running(folder, durable=False) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(database_server: Any) -> None:
    from django.db import connection

    connection.settings_dict.update(env.database(database_server.owner_url))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any, database_server: Any) -> Iterator[None]:
    from django.db import connection

    app = env.database(database_server.app_url)
    owner = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    with django_db_blocker.unblock():
        connection.cursor().execute("grant truncate on all tables in schema public to hub_app")
        connection.close()
        connection.settings_dict.update(USER=app["USER"], PASSWORD=app["PASSWORD"])
    yield
    with django_db_blocker.unblock():
        connection.close()
        connection.settings_dict.update(owner)


@pytest.fixture
def world(transactional_db: None) -> World:
    from tests.world import World

    return World.build()


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of public test data; tests that need it are named in the README."""
    folder = Path(os.environ.get("HUB_TEST_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("HUB_TEST_DATA is absent")
    return folder.resolve()
