"""Versions of an asset. For chat memory the number is the operation sequence."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from assets.models.asset import Asset
from assets.models.content import Content
from hub.models import Team


class Version(Content):
    """A numbered state of an asset; approved once `approved_at` is set."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    note = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    approved_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Content.Meta):
        constraints = [models.UniqueConstraint(fields=["asset", "number"], name="one_version_number")]

    def __str__(self) -> str:
        return f"{self.asset_id} v{self.number}"
