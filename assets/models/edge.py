"""Typed links between two pieces of content, which may lie in two assets."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from assets.models.asset import Asset
from assets.models.content import FOREVER, Content
from hub.models import Team


class Edge(Content):
    """A link of a kind between two idents; both ends are checked on reading."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    source_ident = models.UUIDField()
    target_asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    target_ident = models.UUIDField()
    kind = models.CharField(max_length=20)
    weight = models.FloatField(default=1.0)
    resolution = models.CharField(max_length=12, blank=True)
    since = models.PositiveIntegerField(default=1)
    until = models.PositiveIntegerField(default=FOREVER)
    valid_from = models.DateTimeField(null=True)
    valid_until = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    source = models.CharField(max_length=300, blank=True)
    extra = models.JSONField(default=dict, blank=True)

    class Meta(Content.Meta):
        indexes = [
            models.Index(fields=["source_ident", "kind"], name="edge_from"),
            models.Index(fields=["target_ident", "kind"], name="edge_to"),
        ]

    def __str__(self) -> str:
        return f"{self.source_ident} {self.kind} {self.target_ident}"
