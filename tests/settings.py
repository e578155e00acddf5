"""Settings of the test run: the product's own, on a database that the run starts itself."""

from __future__ import annotations

import os

os.environ.setdefault("HUB_SECRET_KEY", "tests-" + "k" * 50)
os.environ.setdefault("HUB_AUDIT_KEY", "tests-" + "a" * 50)
os.environ.setdefault(
    "HUB_LIMITS",
    ",".join(
        f"{name}=1000000/60"
        for name in ("search", "read", "write", "missing", "nobody", "sign_in", "sign_in_address")
    ),
)  # a run asks without end; tests of limits set their own

from hub.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick, tests only
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
STATIC_ROOT = BASE_DIR / "hub" / "static"  # noqa: F405
