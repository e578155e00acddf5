"""If-Match: a change is done to the state that the caller read, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from hub import etags
from hub.api.repeats import REFUSALS
from hub.problems import PreconditionRequired, StaleTag


def required(request: Request) -> str:
    """The header of a change. Raises PreconditionRequired, before anything is looked up."""
    wanted = request.headers.get("If-Match")
    if wanted is None or not wanted.strip():
        raise PreconditionRequired
    return wanted


def checked(
    wanted: str, current: Callable[[], Mapping[str, Any]], perform: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Do it if the present state still has a wanted tag. `current` reads the state under the lock
    of its row, in the transaction of the change: of two writers with one tag, one is too late.

    Raises StaleTag with the present tag.
    """
    if wanted.strip() == etags.ANY:  # whatever is there: the act itself finds out whether it is
        return perform()
    with transaction.atomic():
        try:
            present = etags.of(current())
            if not etags.matches(wanted, present):
                raise StaleTag(present)
            return perform()
        except REFUSALS as error:  # what was recorded of the refusal stays
            refusal = error
    raise refusal
