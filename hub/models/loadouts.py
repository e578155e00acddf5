"""Loadouts: the versioned set of bindings of a role, or a team's base."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

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
    """A saved state of a loadout, with who saved it and why. `entries` names things by public id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    loadout = models.ForeignKey(Loadout, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(blank=True)
    entries = models.JSONField(default=list)
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["loadout", "number"], name="one_loadout_version")]

    def __str__(self) -> str:
        return f"{self.loadout_id} v{self.number}"
