"""Who was allowed or refused what on an asset. Guardian stores the grants; it decides nothing."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from assets.models.asset import Asset
from hub.models import Role, Team

LEVELS = ("read", "change", "manage")


class Terms(models.Model):
    """Why, by whom and until when."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    reason = models.TextField(blank=True)
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class AssetUserGrant(Terms, UserObjectPermissionBase):
    """A grant to a person or an agent (by its account)."""

    content_object = models.ForeignKey(Asset, models.CASCADE, related_name="+")

    class Meta(UserObjectPermissionBase.Meta):
        abstract = False

    def __str__(self) -> str:
        return f"grant {self.id}"


class AssetRoleGrant(Terms, GroupObjectPermissionBase):
    """A grant to all holders of a role (by its group)."""

    content_object = models.ForeignKey(Asset, models.CASCADE, related_name="+")

    class Meta(GroupObjectPermissionBase.Meta):
        abstract = False

    def __str__(self) -> str:
        return f"grant {self.id}"


class Denial(models.Model):
    """A refusal for a person, an agent or a role; it wins over every grant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    role = models.ForeignKey(Role, models.CASCADE, null=True, related_name="+")
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["asset"], name="denial_by_asset")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False) ^ models.Q(role__isnull=False),
                name="denial_has_one_target",
            )
        ]

    def __str__(self) -> str:
        return f"denial {self.id}"
