"""How often somebody did something lately. Unlogged: a crash forgets counts, and nothing else."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models

KEPT_FOR = timedelta(days=2)  # longer than any window can grow


class RequestCounts(models.QuerySet["RequestCount"]):
    def expired(self, now: datetime) -> RequestCounts:
        return self.filter(started_at__lt=now - KEPT_FOR)


class RequestCount(models.Model):
    """Requests of one caller in one bucket. `slot` is a keyed hash of both, so that no address or
    name stands here; `strikes` counts the full windows in a row, where a bucket grows its delay.
    """

    slot = models.UUIDField(primary_key=True)
    started_at = models.DateTimeField()
    requests = models.PositiveIntegerField()
    strikes = models.PositiveSmallIntegerField(default=0)

    objects = RequestCounts.as_manager()

    def __str__(self) -> str:
        return str(self.slot)
