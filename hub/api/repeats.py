"""Idempotency-Key: the first answer to a POST is kept, and an equal POST gets it again.

The key's row is claimed in the transaction of the effect: of twins in parallel one works and
the others wait for its answer, and after a crash neither effect nor answer is there.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from hub import audit
from hub.authn.principal import Principal
from hub.models import KeptAnswer
from hub.problems import Invalid, KeyReused, Problem

KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")
REFUSALS = (Problem, APIException, Http404)


def key_of(request: Request) -> str | None:
    """The key of a request. Raises Invalid for one that cannot be kept."""
    text = request.headers.get("Idempotency-Key")
    if text is not None and not KEY.fullmatch(text):
        raise Invalid(fields={"Idempotency-Key": "1 to 200 printable ASCII characters"})
    return text


def once(
    request: Request, principal: Principal, key: str, perform: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """What `perform` answers, or answered before under this key, byte for byte.

    Refusals are not kept: the key stays free. Raises KeyReused for another body.
    """
    body = _digest("body", _canonical(request.data))
    slot = _digest("slot", _asker(principal), request.method or "", request.path, key)
    refusal: Exception | None = None
    with transaction.atomic():
        kept = _claim(slot, body)
        if kept.sealed:
            if kept.body != body:
                raise KeyReused("Its first request had another body.")
            audit.record(principal, "request.repeat", target=request.path[-80:])
            answer = _open(kept, key)
            answer["Idempotency-Replayed"] = "true"
            return answer
        try:
            answer = _plain(perform())
        except REFUSALS as error:  # what it recorded of the refusal stays, the claim does not
            kept.delete()
            refusal = error
        else:
            kept.sealed = _seal(kept, key, answer)
            kept.save(update_fields=["sealed"])
            return answer
    raise refusal


def _claim(slot: UUID, body: UUID) -> KeptAnswer:
    """The row of this slot, new or with an answer. Waits while a twin is at work."""
    now = timezone.now()
    KeptAnswer.objects.expired(now).filter(slot=slot).delete()
    kept, _ = KeptAnswer.objects.get_or_create(slot=slot, defaults={"body": body, "created_at": now})
    return kept


def _asker(principal: Principal) -> str:
    """Who asks and with which powers: a narrower token must not read a wider one's answers."""
    kinds = None if principal.kinds is None else sorted(principal.kinds)
    return json.dumps(
        [
            principal.team,
            principal.user,
            principal.agent,
            sorted(principal.actions),
            kinds,
            principal.subject,
        ],
        default=str,
    )


def _canonical(data: Any) -> str:
    """One text for equal bodies: a form's boundary and the order of names do not count."""
    if hasattr(data, "lists"):
        data = dict(data.lists())
    return json.dumps(data, sort_keys=True, default=_file)


def _file(upload: Any) -> list[str]:
    digest = hashlib.sha256()
    for chunk in upload.chunks():
        digest.update(chunk)
    upload.seek(0)
    return [str(upload.name), digest.hexdigest()]


def _plain(answer: HttpResponseBase) -> HttpResponse:
    """The answer with its bytes settled, the same for the first asker and every later one."""
    data = answer.data if isinstance(answer, Response) else None
    content = b"" if data is None else JSONRenderer().render(data)
    plain = HttpResponse(content, status=answer.status_code, content_type="application/json")
    for name, value in answer.headers.items():
        if name != "Content-Type":
            plain[name] = value
    if not content:
        del plain["Content-Type"]
    return plain


def _seal(kept: KeptAnswer, key: str, answer: HttpResponse) -> bytes:
    # An answer may hold a token or a person's words, and only a digest of a token may be
    # stored. The client's key is part of the encryption key and is stored nowhere, so that
    # neither the database nor a dump of it, even with the hub's own key, opens an answer.
    head = json.dumps([answer.status_code, dict(answer.headers)])
    nonce = os.urandom(12)
    return nonce + AESGCM(_secret(kept, key)).encrypt(
        nonce, head.encode() + b"\n" + answer.content, kept.slot.bytes
    )


def _open(kept: KeptAnswer, key: str) -> HttpResponse:
    sealed = bytes(kept.sealed)
    plain = AESGCM(_secret(kept, key)).decrypt(sealed[:12], sealed[12:], kept.slot.bytes)
    head, _, content = plain.partition(b"\n")
    status, headers = json.loads(head)
    answer = HttpResponse(content, status=status)
    del answer["Content-Type"]
    for name, value in headers.items():
        answer[name] = value
    return answer


def _secret(kept: KeptAnswer, key: str) -> bytes:
    return hmac.digest(
        settings.SECRET_KEY.encode(), b"kept answer\x00" + kept.slot.bytes + key.encode(), "sha256"
    )


def _digest(purpose: str, *parts: str) -> UUID:
    text = json.dumps([purpose, *parts]).encode()
    return UUID(bytes=hmac.digest(settings.SECRET_KEY.encode(), text, "sha256")[:16])
