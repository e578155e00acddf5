"""The secret scan: live keys are refused, manuals and prose pass, nothing is slow or calls out."""

from __future__ import annotations

import random
import socket
import string
import time
from itertools import pairwise

import pytest

from assets.importers import secrets
from assets.importers.secret_formats import FORMATS
from hub.authn import tokens

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def some(count: int, alphabet: str = LETTERS) -> str:
    return "".join(random.Random(count * 7 + len(alphabet)).choices(alphabet, k=count))


LIVE = {
    "aws_access_key": "AKIA" + some(16, string.ascii_uppercase + "234567"),
    "aws_secret_key": "aws_secret_access_key = " + some(40),
    "github_token": "ghp_" + some(36),
    "gitlab_token": "glpat-" + some(20),
    "slack_token": "xoxb-" + some(12, "123456789") + "-" + some(24),
    "stripe_key": "sk_live_" + some(24),
    "anthropic_key": "sk-ant-api03-" + some(90),
    "openai_key": "sk-proj-" + some(64),
    "google_api_key": "AIza" + some(35),
    "json_web_token": f"eyJ{some(20)}.eyJ{some(40)}.{some(43)}",
    "npm_token": "npm_" + some(36),
    "pypi_token": "pypi-AgEIcHlwaS5vcmc" + some(80),
    "hugging_face_token": "hf_" + some(34, string.ascii_letters),
    "sendgrid_key": f"SG.{some(22)}.{some(43)}",
    "digitalocean_token": "dop_v1_" + some(64, HEX),
    "azure_storage_key": f"AccountKey={some(86)}==",
    "telegram_bot_token": "987654321:AA" + some(33),
    "discord_bot_token": f"M{some(23)}.{some(6)}.{some(27)}",
    "mailchimp_key": some(32, HEX) + "-us12",
    "hub_token": tokens.new("agent")[0],
}
PEM = "-----BEGIN {0}PRIVATE KEY-----\nMIIB{1}\n-----END {0}PRIVATE KEY-----"


@pytest.mark.parametrize("kind", LIVE)
def test_a_live_key_is_blocked_wherever_it_stands(kind: str) -> None:
    for text in (LIVE[kind], f"please use {LIVE[kind]}, thanks", f"密钥是“{LIVE[kind]}”。"):
        (finding,) = [one for one in secrets.find_secrets(text) if one.verdict == "block"]
        assert finding.kind == kind
        assert text[finding.start : finding.end] in LIVE[kind]
        assert secrets.is_blocked(text)


@pytest.mark.parametrize("name", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_found_from_begin_to_end(name: str) -> None:
    text = f"key:\n{PEM.format(name, some(64))}\nend"
    (finding,) = secrets.find_secrets(text)
    assert (finding.kind, finding.verdict) == ("private_key", "block")
    assert text[finding.end :] == "\nend"


def test_a_cut_private_key_is_still_one() -> None:
    assert secrets.is_blocked("-----BEGIN RSA PRIVATE KEY-----\nMIIB")


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "tmh_agt_" + some(10) + "_" + "A" * 49,
        "postgresql://hub:hunter2pass@localhost/hub",
        'password = "correct-horse"',
    ],
)
def test_placeholders_and_passwords_in_passing_are_marked_only(text: str) -> None:
    assert [one.verdict for one in secrets.find_secrets(text)] == ["mark"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the token bucket and the secret of good bread: patience",
        "sk-learn, task-oriented, desk-side: " + "risk-averse " * 10,
        "commit " + some(40, HEX) + " sha256:" + some(64, HEX),
        "2f1c9c1e-6c5f-4f5e-8a53-0f6a1d3b7a55",
        "https://example.org/path?page=2#part",
        "AKIA is the prefix of such keys",
        "密码的重要性不言而喻",
    ],
)
def test_prose_and_digests_pass(text: str) -> None:
    assert secrets.find_secrets(text) == []


def test_a_finding_does_not_hold_the_secret() -> None:
    for text in LIVE.values():
        assert all(text[one.start : one.end] not in repr(one) for one in secrets.find_secrets(text))


def test_two_secrets_are_two_findings_that_do_not_overlap() -> None:
    text = " ".join(LIVE.values())
    found = secrets.find_secrets(text)
    assert {one.kind for one in found} >= set(LIVE) - {"aws_secret_key"}
    assert all(one.end <= other.start for one, other in pairwise(found))


HOSTILE = [
    "a",
    "eyJ",
    "sk-",
    "aws key",
    "://a:",
    "bearer ",
    ". ",
    "key=",
    "A",
    "key ",
    "AKC",
    "密码：",
]


@pytest.mark.parametrize("part", [*HOSTILE, "-----BEGIN PRIVATE KEY-----"])
def test_no_text_makes_it_slow(part: str) -> None:
    secrets.find_secrets("warm up")
    text = (part * 60_000)[:60_000]
    began = time.process_time()
    secrets.find_secrets(text)
    assert time.process_time() - began < 1.0


def test_a_kilobyte_takes_less_than_two_milliseconds() -> None:
    text = ("the quick brown token of a task, key: value; 部署 http://x.y/z?k=v " * 20)[:1000]
    secrets.find_secrets(text)
    began = time.process_time()
    for _ in range(50):
        secrets.find_secrets(text)
    assert (time.process_time() - began) / 50 < 0.002


def test_it_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the scan opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    secrets._borrowed.cache_clear()
    for text in LIVE.values():
        secrets.find_secrets(text)


def test_about_sixty_formats_each_with_a_bound() -> None:
    assert len({one.kind for one in FORMATS}) >= 50
    for one in FORMATS:
        assert "+?" not in one.pattern.pattern
        assert ".*" not in one.pattern.pattern
