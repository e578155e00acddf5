"""What was answered to a POST that carried an Idempotency-Key, so that a repeat has no second effect."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models

KEPT_FOR = timedelta(hours=24)


class KeptAnswers(models.QuerySet["KeptAnswer"]):
    def expired(self, now: datetime) -> KeptAnswers:
        return self.filter(created_at__lt=now - KEPT_FOR)


class KeptAnswer(models.Model):
    """One first answer. `slot` is a keyed hash of who asked, where, and with which key; `body` a
    keyed hash of what was sent; `sealed` the answer, encrypted with the key that the client holds.
    """

    slot = models.UUIDField(primary_key=True)
    body = models.UUIDField()
    sealed = models.BinaryField(default=b"")
    created_at = models.DateTimeField()

    objects = KeptAnswers.as_manager()

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="kept_answer_by_age")]

    def __str__(self) -> str:
        return str(self.slot)
