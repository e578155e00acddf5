"""Loadouts: the versioned set of bindings of a role, or a team's base; and what an agent was given directly."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from hub.models.agents import Agent
from hub.models.roles import Role
from hub.models.teams import Team


class Loadout(models.Model):
    """What a role carries. `role` is none for the base that every role of the team extends."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="loadouts")
    role = models.OneToOneField(Role, models.CASCADE, null=True, related_name="loadout")
    version = models.PositiveIntegerField(default=0)
    budget_tokens = models.PositiveIntegerField(default=8000)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team"], condition=models.Q(role__isnull=True), name="one_base_loadout"
            )
        ]

    def __str__(self) -> str:
        return f"loadout of {self.role_id or 'everyone'}"


class LoadoutVersion(models.Model):
    """A saved state of a loadout, or of what one agent carries directly, with who saved it and why.

    `entries` names things by public id; `digest` is SHA-256 over them, in hexadecimal.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    loadout = models.ForeignKey(Loadout, models.CASCADE, null=True, related_name="versions")
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="loadout_versions")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(blank=True)
    entries = models.JSONField(default=list)
    digest = models.CharField(max_length=64, blank=True)
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(loadout__isnull=False) ^ models.Q(agent__isnull=False),
                name="loadout_version_has_one_holder",
            ),
            models.UniqueConstraint(
                fields=["loadout", "number"], condition=models.Q(loadout__isnull=False),
                name="one_loadout_version",
            ),
            models.UniqueConstraint(
                fields=["agent", "number"], condition=models.Q(agent__isnull=False),
                name="one_agent_version",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.loadout_id or self.agent_id} v{self.number}"
