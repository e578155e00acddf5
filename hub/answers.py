"""Errors as problem+json, one shape for all of them."""

from __future__ import annotations

import logging
from typing import Any

from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from hub.problems import Missing, Problem

log = logging.getLogger(__name__)
TYPE = "application/problem+json"
CODES = {
    400: "invalid", 401: "unauthenticated", 403: "forbidden", 404: "missing",
    405: "method_not_allowed", 406: "not_acceptable", 413: "too_large",
    415: "unsupported_media_type", 429: "too_many_requests", 500: "failed",
}  # fmt: skip
TITLES = {
    401: "Say who you are", 405: "This address does not take that method",
    415: "Send JSON or multipart", 400: "The request is not valid", 403: "This act is not yours",
}  # fmt: skip


def body(
    request: HttpRequest, status: int, code: str, title: str, detail: str,
    fields: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The JSON of one problem."""
    found: dict[str, Any] = {
        "type": f"about:blank#{code}", "title": title, "status": status, "code": code,
        "detail": detail, "request_id": getattr(request, "request_id", ""),
    }  # fmt: skip
    if fields:
        found["fields"] = fields
    return found


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. An unknown error is left to Django's 500."""
    request: HttpRequest = context["request"]._request
    if isinstance(error, (Http404,)):
        error = Missing()
    if isinstance(error, Problem):
        content = body(request, error.status, error.code, error.title, error.detail, error.fields)
        return Response(content, status=error.status, content_type=TYPE)
    if not isinstance(error, exceptions.APIException):
        return None
    status = error.status_code
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    fields = _fields(error.detail) if isinstance(error, exceptions.ValidationError) else None
    detail = TITLES.get(status, "") if fields else str(error.detail)
    content = body(
        request, status, CODES.get(status, "invalid"), TITLES.get(status, "The request failed"),
        detail, fields,
    )  # fmt: skip
    return Response(content, status=status, content_type=TYPE, headers=headers)


def plain(request: HttpRequest, status: int, detail: str) -> JsonResponse:
    """A problem outside DRF: unknown addresses and failures."""
    code = CODES.get(status, "invalid")
    title = Missing.title if status == 404 else TITLES.get(status, "The request failed")
    return JsonResponse(body(request, status, code, title, detail), status=status, content_type=TYPE)


def _fields(detail: Any, prefix: str = "") -> dict[str, str]:
    if isinstance(detail, dict):
        found: dict[str, str] = {}
        for name, value in detail.items():
            found |= _fields(value, f"{prefix}.{name}" if prefix else str(name))
        return found
    if isinstance(detail, list):
        if detail and isinstance(detail[0], dict):
            return _fields({str(index): value for index, value in enumerate(detail)}, prefix)
        return {prefix: "; ".join(str(one) for one in detail)}
    return {prefix: str(detail)}
