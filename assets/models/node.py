"""Content as a tree: the node and the narrow tables beside it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from assets.models.asset import Asset
from assets.models.content import FOREVER, Content
from hub.models import Subject, Team

SEVERAL = uuid.UUID(int=1)  # the mark for "more than one person"; NodeSubject then decides


class Node(Content):
    """One row of one piece of content. `ident` lasts over changes; `since <= v < until`
    tells in which versions this row stands. Nothing here decays and nothing is searched.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    ident = models.UUIDField(default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    parent = models.UUIDField(null=True)
    path = models.CharField(max_length=500, db_collation="C")
    depth = models.PositiveSmallIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)
    kind = models.CharField(max_length=20)
    tier = models.CharField(max_length=12, default="episodic")
    title = models.CharField(max_length=300, blank=True)
    content = models.TextField(blank=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    is_constraint = models.BooleanField(default=False)
    is_pinned = models.BooleanField(default=False)
    state = models.CharField(max_length=10, default="live")
    occurred_at = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_until = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    author_user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    author_agent = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    source = models.CharField(max_length=300, blank=True)
    trust = models.FloatField(default=0.5)
    since = models.PositiveIntegerField(default=1)
    until = models.PositiveIntegerField(default=FOREVER)
    protection = models.CharField(max_length=10, default="plain")
    sealed = models.BinaryField(null=True)
    key_id = models.CharField(max_length=64, blank=True)
    extra = models.JSONField(default=dict, blank=True)

    class Meta(Content.Meta):
        indexes = [
            models.Index(fields=["asset", "path"], name="node_by_path"),
            models.Index(fields=["ident"], name="node_by_ident"),
            models.Index(fields=["asset"], name="node_constraints", condition=models.Q(is_constraint=True)),
            models.Index(fields=["asset", "source"], name="node_by_source", condition=~models.Q(source="")),
        ]

    def __str__(self) -> str:
        return self.title or str(self.ident)


class NodeText(Content):
    """What the words arm scans: tsvectors `words` and `bigrams` (columns not mapped here),
    length in words. Hash-partitioned by team; written by SQL in tree/write.py.
    """

    pk = models.CompositePrimaryKey("team", "node")
    team = models.UUIDField()
    node = models.UUIDField()
    asset = models.UUIDField()
    subject = models.UUIDField(null=True)
    length = models.IntegerField(default=0)
    occurred_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10)
    since = models.IntegerField()
    until = models.IntegerField()

    class Meta(Content.Meta):
        managed = False
        db_table = "assets_nodetext"

    def __str__(self) -> str:
        return f"words of {self.node}"


class NodeSignal(Content):
    """The numbers that move: importance, confidence, uses, weight. One row an ident."""

    ident = models.UUIDField(primary_key=True)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    parent = models.UUIDField(null=True)
    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(default=0.7)
    uses = models.PositiveIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True)
    half_life = models.FloatField(null=True)
    weight = models.FloatField(default=0.5)
    weighted_at = models.DateTimeField()

    class Meta(Content.Meta):
        pass

    def __str__(self) -> str:
        return f"signals of {self.ident}"


class NodeSubject(Content):
    """A person that a node is by, about, or mentions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    node = models.ForeignKey(Node, models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    subject = models.ForeignKey(Subject, models.CASCADE, related_name="+")
    part = models.CharField(max_length=10)

    class Meta(Content.Meta):
        constraints = [models.UniqueConstraint(fields=["node", "subject", "part"], name="one_subject_part")]

    def __str__(self) -> str:
        return f"{self.part} {self.subject_id}"
