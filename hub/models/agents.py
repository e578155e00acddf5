"""Machine principals. An agent's key is its account's key, so one id names it everywhere."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from hub.models.teams import Team


class Agent(models.Model):
    """A machine principal in one team, with a responsible person."""

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="agent"
    )
    team = models.ForeignKey(Team, models.CASCADE, related_name="agents")
    name = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    responsible = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="agents_in_care")
    is_enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_agent_name")]

    def __str__(self) -> str:
        return self.name
