"""What is equipped: an asset in a loadout, or directly on an agent."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from assets.models.asset import Asset
from hub.models import Loadout, Team

APPROVED, HEAD = "approved", "head"


class Binding(models.Model):
    """An asset equipped to a loadout or an agent.

    `follow` is the version it gives (the approved one or the head), `pin` a fixed number.
    `automatic` marks the binding made by the agent's own writing.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # No index of its own: the second wall asks for the team in every query, and the planner would
    # then read all that a large team has bound, to look up what one agent carries.
    team = models.ForeignKey(Team, models.CASCADE, related_name="+", db_index=False)
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    loadout = models.ForeignKey(Loadout, models.CASCADE, null=True, related_name="+")
    agent = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    access = models.CharField(max_length=5, default="read")
    mode = models.CharField(max_length=10, default="retrieve")
    follow = models.CharField(max_length=8, default=APPROVED)
    pin = models.PositiveIntegerField(null=True)
    priority = models.PositiveSmallIntegerField(default=50)
    share = models.FloatField(null=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    automatic = models.BooleanField(default=False)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(loadout__isnull=False) ^ models.Q(agent__isnull=False),
                name="binding_has_one_holder",
            ),
            models.UniqueConstraint(
                fields=["loadout", "asset"], condition=models.Q(loadout__isnull=False),
                name="one_binding_per_loadout",
            ),
            models.UniqueConstraint(
                fields=["agent", "asset"], condition=models.Q(agent__isnull=False),
                name="one_binding_per_agent",
            ),
        ]  # fmt: skip
        indexes = [
            models.Index(
                fields=["loadout", "asset"], name="binding_of_loadout",
                include=["access", "pin", "expires_at"], condition=models.Q(loadout__isnull=False),
            ),
            models.Index(
                fields=["agent", "asset"], name="binding_of_agent",
                include=["access", "pin", "expires_at"], condition=models.Q(agent__isnull=False),
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"binding {self.id}"
