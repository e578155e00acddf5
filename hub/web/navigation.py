"""What the navigation leads to: nothing that would then be refused."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from hub.authn import offices
from hub.authn.signin import principal_of
from hub.models.teams import ADMIN, AUDITOR, COMPLIANCE


def allowed(request: HttpRequest) -> dict[str, Any]:
    """For every template; asked of the database only by pages that draw the navigation."""
    return {
        "may_audit": SimpleLazyObject(
            lambda: offices.holds(principal_of(request), ADMIN, AUDITOR, COMPLIANCE)
        )
    }
