"""Finds keys and live tokens in a text before anything of it is stored.

Own bounded patterns, and named detect-secrets detectors for formats that have no prefix of
their own. Only the detectors' patterns are used: none of its filters, which may call out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assets.importers.secret_formats import FORMATS, Format, Verdict
from hub.authn import tokens

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector

RULES = 1  # raise when a format is added or changed: what was stored is then scanned again
LONGEST_KEY_BLOCK = 20_000  # characters
KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
KEY_BLOCK_END = re.compile(r"-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
PUTTY_KEY = re.compile(r"PuTTY-User-Key-File-[23]: [^\n]{1,80}")
HUB_TOKEN = re.compile(r"(?<![0-9A-Za-z])tmh_(?:usr|agt|act)_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}")
PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|changeme|dummy|redacted|your[_-]?|xxxx|0{8}|1234567890|\*{4}|<|\$\{|\{\{"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a secret stands, `text[start:end]`, and what to do: `block` refuses the text,
    `mark` stores it with a flag. The secret itself is not in it.
    """

    kind: str
    start: int
    end: int
    verdict: Verdict


def find_secrets(text: str) -> list[Finding]:
    """All findings in the order of the text; of two that overlap the graver or longer one."""
    found = [*_key_blocks(text), *_hub_tokens(text)]
    lowered = text.lower()
    for known in (*FORMATS, *_borrowed()):
        if known.hint not in (lowered if known.any_case else text):
            continue
        for match in known.pattern.finditer(text):
            start, end = match.span(known.group)
            if start < end:
                found.append(Finding(known.kind, start, end, _verdict(known, text[start:end])))
    return _apart(found)


def is_blocked(text: str) -> bool:
    """Does the text hold a secret that must not be stored?"""
    return any(finding.verdict == "block" for finding in find_secrets(text))


def _verdict(known: Format, secret: str) -> Verdict:
    """A placeholder of a manual has the form of a key and opens nothing: it is only marked."""
    if PLACEHOLDER.search(secret) or len(set(secret)) < 8:
        return "mark"
    return known.verdict


def _key_blocks(text: str) -> list[Finding]:
    found = []
    place = 0
    while "PRIVATE KEY" in text and (match := KEY_BLOCK.search(text, place)):
        last = KEY_BLOCK_END.search(text, match.end(), match.end() + LONGEST_KEY_BLOCK)
        place = (last or match).end()
        found.append(Finding("private_key", match.start(), place, "block"))
    for match in PUTTY_KEY.finditer(text) if "PuTTY-" in text else ():
        found.append(Finding("private_key", match.start(), match.end(), "block"))
    return found


def _hub_tokens(text: str) -> list[Finding]:
    """Our own tokens carry a checksum: one that does not verify never opened anything."""
    if "tmh_" not in text:
        return []
    return [
        Finding("hub_token", found.start(), found.end(), "block" if tokens.parse(found[0]) else "mark")
        for found in HUB_TOKEN.finditer(text)
    ]


@cache
def _borrowed() -> tuple[Format, ...]:
    """Detectors by name, loaded on first use. Those whose patterns repeat without a bound
    (cloudant, ibm, softlayer, npm, jwt, basic auth) are left out: a text could stall them.
    """
    from detect_secrets.plugins.artifactory import ArtifactoryDetector
    from detect_secrets.plugins.discord import DiscordBotTokenDetector
    from detect_secrets.plugins.mailchimp import MailchimpDetector
    from detect_secrets.plugins.twilio import TwilioKeyDetector

    named: tuple[tuple[str, str, RegexBasedDetector, Verdict], ...] = (
        ("artifactory_token", "AKC", ArtifactoryDetector(), "mark"),
        ("discord_bot_token", ".", DiscordBotTokenDetector(), "block"),
        ("mailchimp_key", "-us", MailchimpDetector(), "block"),
        ("twilio_key", "SK", TwilioKeyDetector(), "mark"),
    )
    return tuple(
        Format(kind, hint, pattern, verdict)
        for kind, hint, detector, verdict in named
        for pattern in detector.denylist
    )


def _apart(found: list[Finding]) -> list[Finding]:
    """One sweep from the left; where two overlap the graver, then the longer one stays."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda one: (one.start, -one.end)):
        if kept and finding.start < kept[-1].end:
            if _gravity(finding) > _gravity(kept[-1]):
                kept[-1] = finding
            continue
        kept.append(finding)
    return kept


def _gravity(finding: Finding) -> tuple[bool, int]:
    return finding.verdict == "block", finding.end - finding.start
