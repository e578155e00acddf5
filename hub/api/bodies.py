"""How bodies are read: never more than the route takes, in UTF-8, and JSON in its strict form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.utils.datastructures import MultiValueDict
from rest_framework.exceptions import UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser
from rest_framework.request import Request

from hub.policy import MIB
from hub.problems import TooLarge

DEEPEST = 32  # nested arrays and objects
LONGEST_NUMBER = 40  # characters; no number of ours needs more than 20
MOST_NAMED = 20  # bad places that one answer names
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class Refused:
    """Stands in a parsed body where something may not stand, until the walk names its place."""

    def __init__(self, why: str) -> None:
        self.why = why


class Limited:
    """A stream that gives no more than `limit` bytes. Raises TooLarge at the next one: a body
    sent in chunks does not say beforehand how long it is.
    """

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self.stream, self.limit, self.left = stream, limit, limit

    def read(self, size: int = -1) -> bytes:
        most = self.left + 1
        data = self.stream.read(most if size < 0 else min(size, most))
        self.left -= len(data)
        if self.left < 0:
            raise TooLarge(self.limit)
        return data


class StrictJson(BaseParser):
    """JSON in UTF-8: no twin names, no NaN or infinity, no NUL, no half surrogate pair, no depth
    without end. Raises a validation error that names each bad place, and TooLarge.
    """

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return loads(Limited(stream, _limit(parser_context)).read())


class StrictMultipart(MultiPartParser):
    """Forms with files, whose names and texts must be UTF-8."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles[Any, Any]:
        # As Latin-1 every byte survives, so that what is not UTF-8 can be refused, not replaced.
        context = {**(parser_context or {}), "encoding": "latin-1"}
        limited = Limited(stream, _limit(parser_context))
        found: DataAndFiles[Any, Any] = super().parse(limited, media_type, context)  # type: ignore[arg-type]
        texts = found.data.copy()
        texts.clear()
        for name, values in found.data.lists():
            texts.setlist(_utf8(name, name), [_utf8(name, value) for value in values])
        files: MultiValueDict[str, Any] = MultiValueDict()
        for name, uploads in found.files.lists():
            for upload in uploads:
                upload.name = _utf8(name, upload.name or "")
            files.setlist(_utf8(name, name), uploads)
        return DataAndFiles(texts, files)


def check_type(request: Request) -> None:
    """Raises UnsupportedMediaType for a body that says it is in anything but UTF-8."""
    charset = (request._request.content_params or {}).get("charset", "utf-8")
    if charset.strip("\"'").lower() not in {"utf-8", "utf8"}:
        raise UnsupportedMediaType(request.content_type, detail="Send the text in UTF-8.")


def check_length(request: Request, limit: int) -> None:
    """Raises TooLarge for a body that says that it is longer than `limit` bytes."""
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return  # its length is not known; Limited counts it
    text = str(request.META.get("CONTENT_LENGTH") or "0")
    if text.isdecimal() and int(text[:20]) > limit:
        raise TooLarge(limit)


def loads(raw: bytes) -> Any:
    """The value of a JSON text. Raises a validation error by field."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raise ValidationError({"body": "begins with a byte order mark: send plain UTF-8"})
    _check_depth(raw)
    # Bad bytes survive as half surrogates, so that the walk below can name their field.
    text = raw.decode("utf-8", "surrogateescape")
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_constant=lambda name: Refused(f"{name} is no JSON number"),
            parse_int=_whole, parse_float=_real,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise ValidationError({"body": f"not JSON: {error}"}) from error
    wrong: dict[str, str] = {}
    for place, why in _wrong(found, ""):
        wrong[place or "body"] = why
        if len(wrong) == MOST_NAMED:
            break
    if wrong:
        raise ValidationError(wrong)
    return found


def _check_depth(raw: bytes) -> None:
    """Before parsing, so that no recursion is ever spent on it."""
    depth = 0
    for token in TOKEN.finditer(raw):
        first = raw[token.start()]
        if first in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise ValidationError({"body": f"nested deeper than {DEEPEST} at byte {token.start()}"})
        elif first in b"]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                found[name] = Refused("stands twice")
            seen.add(name)
    return found


def _whole(text: str) -> Any:
    return int(text) if len(text) <= LONGEST_NUMBER else Refused(f"a number of {len(text)} digits")


def _real(text: str) -> Any:
    number = float(text) if len(text) <= LONGEST_NUMBER else float("inf")
    return number if number - number == 0 else Refused("a number too large")


def _wrong(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if (why := _wrong_text(value)) is not None:
            yield place, why
    elif isinstance(value, Refused):
        yield place, value.why
    elif isinstance(value, dict):
        for name, one in value.items():
            inner = f"{place}.{name}" if place else name
            if (why := _wrong_text(name)) is not None:
                yield inner.replace("\x00", ""), f"its name {why}"
            yield from _wrong(one, inner)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _wrong(one, f"{place}.{number}" if place else str(number))


def _wrong_text(text: str) -> str | None:
    if "\x00" in text:
        return "holds NUL"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"is not valid Unicode at character {error.start}"
    return None


def _utf8(name: str, text: Any) -> str:
    try:
        found: str = text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValidationError({name: f"is not UTF-8 at byte {error.start}"}) from error
    if "\x00" in found:
        raise ValidationError({name: "holds NUL"})
    return found


def _limit(context: Mapping[str, Any] | None) -> int:
    policy = getattr((context or {}).get("view"), "policy", None)
    return policy.largest_body if policy is not None else MIB
