"""What must hold before a process serves or works."""

from __future__ import annotations

from django.conf import settings

from hub.env import SettingError

UNSET = "unset-"  # how the settings mark a key that nobody gave


def require_keys() -> None:
    """Raises SettingError without a key of this installation: sessions, cursors and the audit
    trail would be signed with a value that anybody can read in the source.
    """
    for name, value in (("HUB_SECRET_KEY", settings.SECRET_KEY), ("HUB_AUDIT_KEY", settings.AUDIT_KEY)):
        if value.startswith(UNSET):
            message = f"{name} is not set. Give it 50 or more random characters (docs/operations.md)."
            raise SettingError(message)
