"""The outbox: what must still be done, written in the transaction that made it necessary."""

from __future__ import annotations

import uuid

from django.db import models


class Outbox(models.Model):
    """One piece of work by task name, with ids only. Done when `done_at` is set."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    task = models.CharField(max_length=60)
    arguments = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    is_dead = models.BooleanField(default=False)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["next_at"], name="outbox_open",
                condition=models.Q(done_at__isnull=True, is_dead=False),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.task} {self.id}"
