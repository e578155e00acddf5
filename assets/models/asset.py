"""The governed unit of memory."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from assets.models.content import Content
from hub.models import Team

CHAT_MEMORY, SKILL, WIKI, CODE_GRAPH = "chat_memory", "skill", "wiki", "code_graph"
KINDS = (CHAT_MEMORY, SKILL, WIKI, CODE_GRAPH)
PRIVATE, TEAM, RESTRICTED, AGENT = "private", "team", "restricted", "agent"
VISIBILITIES = (PRIVATE, TEAM, RESTRICTED, AGENT)
STATUSES = ("draft", "in_review", "approved", "deprecated", "archived")


class Asset(Content):
    """Kind, owner, visibility, status, labels, head. Names are unique per owner only, so
    that a refused name tells nothing about another person's assets.

    `created_by_agent` and `written_for` record the authority under which an agent wrote it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12)
    name = models.CharField(max_length=120)
    title = models.CharField(max_length=300, blank=True)
    description = models.TextField(blank=True)
    labels = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_by_agent = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    written_for = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    visibility = models.CharField(max_length=12, default=PRIVATE)
    status = models.CharField(max_length=12, default="draft")
    quarantined = models.BooleanField(default=False)
    erased_at = models.DateTimeField(null=True, blank=True)
    head = models.PositiveIntegerField(default=0)
    approved = models.PositiveIntegerField(null=True)  # the newest approved version
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(Content.Meta):
        default_permissions = ()
        permissions = [
            ("read_asset", "may read"), ("change_asset", "may change"), ("manage_asset", "may manage"),
        ]  # fmt: skip
        constraints = [
            models.UniqueConstraint(fields=["team", "owner", "name"], name="one_name_per_owner"),
            models.UniqueConstraint(
                fields=["team", "created_by_agent", "written_for"], nulls_distinct=False,
                condition=models.Q(created_by_agent__isnull=False), name="one_memory_per_authority",
            ),
        ]  # fmt: skip
        indexes = [models.Index(fields=["team", "id"], name="asset_by_team")]

    def __str__(self) -> str:
        return self.title or self.name


class AssetCounter(Content):
    """What every write of an asset moves; narrow, so that updates stay on the page."""

    asset = models.OneToOneField(
        Asset, models.CASCADE, primary_key=True, related_name="+", db_column="asset_id"
    )
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    sequence = models.BigIntegerField(default=0)
    labels = models.BigIntegerField(default=0)
    row_count = models.BigIntegerField(default=0)
    characters = models.BigIntegerField(default=0)

    class Meta(Content.Meta):
        pass

    def __str__(self) -> str:
        return f"counter of {self.asset_id}"
