"""Errors as problem+json, one shape for all of them. `type` is an address that explains the code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from hub.problems import KINDS, Invalid, Missing, Problem

TYPE = "application/problem+json"
LONGEST_NAME = 200  # characters of a field's name that an answer repeats
CODES = {kind.status: code for code, kind in reversed(KINDS.items())}  # the first code of each status


def body(
    request: HttpRequest, status: int, code: str, title: str, detail: str,
    fields: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The JSON of one problem."""
    found: dict[str, Any] = {
        "type": f"/api/v1/problems/{code}", "title": title, "status": status, "code": code,
        "detail": readable(detail), "request_id": getattr(request, "request_id", ""),
    }  # fmt: skip
    if fields:
        found["fields"] = {readable(name)[:LONGEST_NAME]: readable(text) for name, text in fields.items()}
    return found


def readable(text: str) -> str:
    """Half surrogate pairs as question marks: what was refused must still be nameable in UTF-8."""
    return text.encode("utf-8", "replace").decode()


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. An unknown error is left to Django's 500."""
    request: HttpRequest = context["request"]._request
    if isinstance(error, Http404):
        error = Missing()
    if isinstance(error, SuspiciousOperation) and not isinstance(error, RequestDataTooBig):
        error = Invalid(fields={"body": "cannot be read"})
    if isinstance(error, Problem):
        content = body(request, error.status, error.code, error.title, error.detail, error.fields)
        return Response(content, status=error.status, content_type=TYPE, headers=error.headers)
    if isinstance(error, RequestDataTooBig):
        return _told(request, 413, KINDS["too_large"].advice)
    if not isinstance(error, exceptions.APIException):
        return None
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    fields = _fields(error.detail) if isinstance(error, exceptions.ValidationError) else None
    detail = "" if fields else str(error.detail)
    return _told(request, error.status_code, detail, fields, headers)


def plain(request: HttpRequest, status: int, detail: str) -> JsonResponse:
    """A problem outside DRF: unknown addresses and failures."""
    code = CODES.get(status, "invalid")
    content = body(request, status, code, KINDS[code].title, detail)
    return JsonResponse(content, status=status, content_type=TYPE)


def _told(
    request: HttpRequest, status: int, detail: str, fields: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:  # fmt: skip
    code = CODES.get(status, "invalid")
    title = KINDS[code].title
    content = body(request, status, code, title, detail or title, fields)
    return Response(content, status=status, content_type=TYPE, headers=headers)


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
