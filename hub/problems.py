"""What can go wrong in an act, said once; each door shapes it in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of refusal: its HTTP status, its title, and what the caller can do."""

    status: int
    title: str
    advice: str


KINDS: dict[str, Kind] = {
    "invalid": Kind(400, "The request is not valid", "Mend what `fields` names. Nothing was stored."),
    "unauthenticated": Kind(401, "Say who you are", "Send a live token as `Authorization: Bearer tmh_...`."),
    "forbidden": Kind(403, "This act is not yours", "Ask somebody who manages the thing, or use a token that may."),
    "missing": Kind(404, "Nothing here", "The thing does not exist, or you may not know of it: look at the id."),
    "method_not_allowed": Kind(405, "This address does not take that method", "`Allow` names those it takes."),
    "not_acceptable": Kind(406, "No such form of answer", "Accept `application/json`."),
    "conflict": Kind(409, "This does not fit the present state", "Read the thing again; `detail` says what is in the way."),
    "stale": Kind(412, "It changed in the meantime", "Read it again and repeat with the `ETag` of this answer."),
    "too_large": Kind(413, "The body is too large", "`detail` names the limit; send less, or an import."),
    "unsupported_media_type": Kind(415, "Send JSON or multipart", "Send `application/json` in UTF-8."),
    "key_reused": Kind(422, "This key stands for another request", "Take a new Idempotency-Key for a new request."),
    "secret_found": Kind(422, "The text holds a secret", "Take the secret out and send the text again. Nothing was stored."),
    "precondition_required": Kind(428, "Say which state you change", "Send the `ETag` of your last read as `If-Match`, or `*`."),
    "too_many_requests": Kind(429, "Too many requests", "Wait as many seconds as `Retry-After` says."),
    "failed": Kind(500, "Something failed here", "Try again, and name the request id if it stays."),
}  # fmt: skip


class Problem(Exception):
    """A refusal with a stable code. `detail` says what to do; `fields` names bad input, and
    `headers` go with the answer where a door has such.
    """

    status = 400
    code = "invalid"
    title = KINDS["invalid"].title

    def __init__(
        self, detail: str = "", *, fields: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.fields = dict(fields or {})
        self.headers = dict(headers or {})


class Invalid(Problem):
    """Input that cannot be used."""


class Missing(Problem):
    """The thing does not exist, or the asker may not know that it does."""

    status = 404
    code = "missing"
    title = KINDS["missing"].title

    def __init__(self) -> None:
        super().__init__("There is nothing here that you may see.")


class Forbidden(Problem):
    """The asker may know of the thing but not do this to it."""

    status = 403
    code = "forbidden"
    title = KINDS["forbidden"].title


class Conflict(Problem):
    """The act does not fit the present state."""

    status = 409
    code = "conflict"
    title = KINDS["conflict"].title


class StaleTag(Problem):
    """The thing is no longer what the asker read; the answer names what it is now."""

    status = 412
    code = "stale"
    title = KINDS["stale"].title

    def __init__(self, present: str) -> None:
        super().__init__("Somebody changed it since you read it.", headers={"ETag": present})


class TooLarge(Problem):
    """A body above the limit of its route (in bytes)."""

    status = 413
    code = "too_large"
    title = KINDS["too_large"].title

    def __init__(self, limit: int) -> None:
        super().__init__(f"This address takes at most {limit} bytes.")


class KeyReused(Problem):
    """One Idempotency-Key with two different bodies."""

    status = 422
    code = "key_reused"
    title = KINDS["key_reused"].title


class SecretFound(Problem):
    """A live key or private key stands in the text; nothing was stored."""

    status = 422
    code = "secret_found"
    title = KINDS["secret_found"].title


class PreconditionRequired(Problem):
    """A change without If-Match."""

    status = 428
    code = "precondition_required"
    title = KINDS["precondition_required"].title

    def __init__(self) -> None:
        super().__init__("Send the ETag of your last read as If-Match, or * for whatever is there.")


class TooMany(Problem):
    """A limit is reached; the next try is due after some seconds."""

    status = 429
    code = "too_many_requests"
    title = KINDS["too_many_requests"].title

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Wait {seconds} seconds and try again.", headers={"Retry-After": str(seconds)})
