"""Monthly partitions of append-only tables. Run by the owner's login: at migration and by `prepare`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

MONTHLY = ("hub_auditevent", "assets_operation")


def months(start: date, count: int) -> list[tuple[date, date]]:
    """`count` months from the one of `start`, each as (first day, first day of the next)."""
    first = start.replace(day=1)
    found = []
    for _ in range(count):
        following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        found.append((first, following))
        first = following
    return found


def ensure(connection: BaseDatabaseWrapper, table: str, count: int = 13) -> list[str]:
    """Create the partitions of `table` for this month and the next ones; returns new names."""
    made = []
    with connection.cursor() as cursor:
        for first, following in months(datetime.now(UTC).date(), count):
            name = f"{table}_{first:%Y_%m}"
            cursor.execute("select to_regclass(%s)", [name])
            if cursor.fetchone()[0] is not None:
                continue
            cursor.execute(
                f"create table \"{name}\" partition of \"{table}\" for values from ('{first}') to ('{following}')"
            )
            cursor.execute(f'revoke all on "{name}" from hub_app')
            made.append(name)
    return made
