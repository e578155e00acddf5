"""Pages for what is missing or failed; under /api the same as problem+json."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from hub import answers as problems
from hub.problems import Missing


def missing(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return page(request, 404, Missing().detail)


def failed(request: HttpRequest) -> HttpResponse:
    return page(request, 500, "Something failed here. Try again, and name the request id if it stays.")


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return page(request, 403, "This act is not yours, or the form was open too long: load it again.")


def invalid(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return page(request, 400, "The request is not valid.")


def page(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    """A refusal as a page, or as problem+json under /api."""
    if request.path.startswith("/api/"):
        return problems.plain(request, status, detail)
    return render(
        request, "hub/error.html",
        {"status": status, "detail": gettext(detail), "request_id": getattr(request, "request_id", "")},
        status=status,
    )  # fmt: skip
