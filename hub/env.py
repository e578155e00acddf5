"""Reads settings from the environment; a wrong value stops the start in plain words."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


class SettingError(SystemExit):
    """A setting that cannot be used; the message names it and says what to do."""


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def flag(name: str, *, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    message = f"{name} must be true or false, not {value!r}"
    raise SettingError(message)


def number(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        return int(value)
    except ValueError:
        message = f"{name} must be a whole number, not {value!r}"
        raise SettingError(message) from None


def words(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def database(url: str) -> dict[str, Any]:
    """Turn `postgresql://user:password@host:port/name?host=/socket` into Django's form.

    Raises SettingError for any scheme but PostgreSQL's.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        message = "DATABASE_URL must begin with postgresql://"
        raise SettingError(message)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    host = query.pop("host", None) or parts.hostname or ""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "hub",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or query.pop("port", "")),
        # Planning a statement costs as much as running it: the server keeps what is asked again. A
        # plan for any values is used only where that was measured: assets.scope.reading allows it.
        "OPTIONS": {
            "server_side_binding": True,
            "prepare_threshold": 3,
            "options": "-c plan_cache_mode=force_custom_plan",
            **query,
        },
    }
