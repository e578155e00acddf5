"""The base of tables that hold content: rows are reached only through a Scope."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

FOREVER = 2_147_483_647  # `until` of a current row; never null, so scans need no extra test


class ClosedManager(models.Manager[Any]):
    """Raises on use: a query that names no Scope is a mistake, found at its first run."""

    def get_queryset(self) -> models.QuerySet[Any]:
        message = f"{self.model.__name__} rows are reached through a Scope, not by .objects"
        raise LookupError(message)


class Content(models.Model):
    """A table under row-level security. `rows` is for the modules that hold a Scope."""

    objects: ClassVar[ClosedManager] = ClosedManager()
    rows: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        abstract = True
        base_manager_name = "rows"
        default_manager_name = "rows"
