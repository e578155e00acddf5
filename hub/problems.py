"""What can go wrong in an act, said once; each door shapes it in its own way."""

from __future__ import annotations


class Problem(Exception):
    """A refusal with a stable code. `detail` says what to do; `fields` names bad input."""

    status = 400
    code = "invalid"
    title = "The request is not valid"

    def __init__(self, detail: str = "", *, fields: dict[str, str] | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.fields = fields or {}


class Invalid(Problem):
    """Input that cannot be used."""


class Missing(Problem):
    """The thing does not exist, or the asker may not know that it does."""

    status = 404
    code = "missing"
    title = "Nothing here"

    def __init__(self) -> None:
        super().__init__("There is nothing here that you may see.")


class Forbidden(Problem):
    """The asker may know of the thing but not do this to it."""

    status = 403
    code = "forbidden"
    title = "This act is not yours"


class Conflict(Problem):
    """The act does not fit the present state."""

    status = 409
    code = "conflict"
    title = "This does not fit the present state"


class SecretFound(Problem):
    """A live key or private key stands in the text; nothing was stored."""

    status = 422
    code = "secret_found"
    title = "The text holds a secret"
