"""Vectors, kept apart from text and narrow."""

from __future__ import annotations

import uuid

from django.db import models
from pgvector.django import HalfVectorField

from assets.models.content import Content


class EmbeddingModel(models.Model):
    """An embedder by name, engine build and dimension. Vectors of two never share a search."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    build = models.CharField(max_length=80)
    dimension = models.PositiveIntegerField()
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "build"], name="one_engine_build")]

    def __str__(self) -> str:
        return f"{self.name} ({self.build})"


class Embedding(Content):
    """One vector of one node row by one model. Hash-partitioned by team."""

    pk = models.CompositePrimaryKey("team", "node", "model")
    team = models.UUIDField()
    node = models.UUIDField()
    model = models.UUIDField()
    asset = models.UUIDField()
    subject = models.UUIDField(null=True)
    state = models.CharField(max_length=10)
    since = models.IntegerField()
    until = models.IntegerField()
    vector = HalfVectorField()

    class Meta(Content.Meta):
        managed = False
        db_table = "assets_embedding"

    def __str__(self) -> str:
        return f"vector of {self.node}"
