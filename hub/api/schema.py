"""How the API description speaks of our tokens, and of the headers that all routes share."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from hub.api.base import HubView, OneView

KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER,
    description="An equal request with this key gets the first answer again and has no second effect.",
)  # fmt: skip
MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True,
    description="The ETag of the state that is changed, or * for whatever is there.",
)  # fmt: skip
NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER,
    description="The ETag of the state that the caller has; 304 when it is still the same.",
)  # fmt: skip


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer tmh_...`"""

    target_class = "hub.authn.bearer.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "tmh"}


class HubSchema(AutoSchema):
    """Adds the headers by which a request is repeated or made conditional."""

    def get_override_parameters(self) -> list[Any]:
        found = list(super().get_override_parameters())
        if self.method == "POST" and isinstance(self.view, HubView) and not self.view.policy.only_asks:
            found.append(KEY)
        if isinstance(self.view, OneView):
            found.append(NONE_MATCH if self.method == "GET" else MATCH)
        return found
