"""What chat memory has beside nodes: the append-only log of operations."""

from __future__ import annotations

import uuid

from django.db import models

from assets.models.content import Content


class Operation(Content):
    """One logged change of a tree. Append-only, partitioned by month.

    `sequence` counts per asset without gaps: it is taken under the asset's row lock.
    """

    pk = models.CompositePrimaryKey("at", "id")
    id = models.UUIDField(default=uuid.uuid4, editable=False)
    at = models.DateTimeField()
    team = models.UUIDField()
    asset = models.UUIDField()
    sequence = models.BigIntegerField()
    kind = models.CharField(max_length=20)
    ident = models.UUIDField(null=True)
    actor_user = models.UUIDField(null=True)
    actor_agent = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    payload = models.JSONField(default=dict)

    class Meta(Content.Meta):
        managed = False
        db_table = "assets_operation"

    def __str__(self) -> str:
        return f"{self.kind} #{self.sequence}"
