"""The form of tokens: `tmh_<type>_<10-character id>_<43-character secret><6-character checksum>`."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TYPES = {"personal": "usr", "agent": "agt", "delegated": "act"}
PATTERN = re.compile(r"^tmh_(usr|agt|act)_([0-9A-Za-z]{10})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parts of a well-formed token: its type, public id and the digest of its secret."""

    kind: str
    public_id: str
    digest: bytes


def checksum(text: str) -> str:
    """Six base-62 characters of SHA-256, so that a typing error is seen offline."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    letters = []
    for _ in range(6):
        number, rest = divmod(number, 62)
        letters.append(ALPHABET[rest])
    return "".join(letters)


def new(kind: str) -> tuple[str, Parsed]:
    """A fresh token (43 base-62 characters hold 256 bits) and what is stored of it."""
    public_id = "".join(secrets.choice(ALPHABET) for _ in range(10))
    secret = "".join(secrets.choice(ALPHABET) for _ in range(43))
    body = f"tmh_{TYPES[kind]}_{public_id}_{secret}"
    return body + checksum(body), Parsed(kind, public_id, digest(secret))


def parse(text: str) -> Parsed | None:
    """The parts of a token, or None when its form or checksum is wrong."""
    found = PATTERN.match(text)
    if found is None or not hmac.compare_digest(checksum(text[:-6]), found[4]):
        return None
    kind = next(name for name, short in TYPES.items() if short == found[1])
    return Parsed(kind, found[2], digest(found[3]))


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
