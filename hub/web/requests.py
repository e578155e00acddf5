"""Each request has an id, which stands in the answer, the audit trail and the logs."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from hub.problems import Problem
from hub.web import errors


class RequestIdMiddleware:
    """Names the request and forbids shared caches to keep an answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """No form of a page may hold a NUL: no text of ours can keep one."""
        if request.method != "POST" or request.path.startswith("/api/"):
            return None  # the API reads its own bodies and names the field
        for name, values in request.POST.lists():
            if any("\x00" in text for text in (name, *values)):
                return errors.page(request, 400, "A field holds a character that cannot be stored (NUL).")
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """What a page's act refused, as a page."""
        if isinstance(error, Problem):
            return errors.page(request, error.status, error.detail)
        return None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = f"req_{secrets.token_hex(8)}"  # type: ignore[attr-defined]
        response = self.get_response(request)
        response["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
        if not request.path.startswith("/static/"):
            response["Cache-Control"] = "private, no-store"
            response["Vary"] = "Authorization, Cookie"
        return response
