"""Bearer tokens for the API. This module imports no views: the settings name it."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from hub.authn.lookup import principal_for_token
from hub.authn.principal import Principal


class Caller:
    """What DRF takes for a user: only the principal."""

    is_authenticated = True

    def __init__(self, principal: Principal) -> None:
        self.principal = principal
        self.pk = principal.agent or principal.user


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer tmh_...`, before the body is read."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"bearer":
            return None
        text = parts[1].decode("latin-1") if len(parts) == 2 else ""
        request_id = getattr(request._request, "request_id", "")
        principal = principal_for_token(text, "rest", request_id)
        if principal is None:
            raise AuthenticationFailed("This token is not valid.")
        return Caller(principal), text

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="hub"'
