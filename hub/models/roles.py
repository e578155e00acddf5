"""Named jobs in a team. A role is backed by a group, whose members hold it."""

from __future__ import annotations

import uuid

from django.contrib.auth.models import Group
from django.db import models

from hub.models.teams import Team


class Role(models.Model):
    """A named job (Scout, Builder, ...) held by agents and people; has one loadout."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="roles")
    name = models.CharField(max_length=80)
    group = models.OneToOneField(Group, models.CASCADE, related_name="role")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_role_name")]

    def __str__(self) -> str:
        return self.name
