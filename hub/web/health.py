"""/healthz: the process answers and reaches its database."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, JsonResponse

from hub.policy import Policy


def healthz(request: HttpRequest) -> JsonResponse:
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return JsonResponse({"status": "ok"})


healthz.policy = Policy("health", "none", "", "", "none")  # type: ignore[attr-defined]
