"""Long work with progress: imports now, other jobs later."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from assets.models.asset import Asset
from hub.models import Team


class Job(models.Model):
    """A piece of long work. It runs in small transactions, each of which moves `done`, so
    that a restart goes on where the last one ended. `payload` is dropped when it is done.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    agent = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, null=True, related_name="+")
    state = models.CharField(max_length=10, default="queued")
    stage = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    error = models.TextField(blank=True)
    arguments = models.JSONField(default=dict)
    payload = models.BinaryField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
