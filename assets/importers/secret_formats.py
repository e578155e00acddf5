"""The formats of keys and tokens that the secret scan knows: one bounded pattern each.

`hint` is a literal that every match holds: a text without it is not searched. Every repeat
has an upper bound, so that no text can make a search slow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["block", "mark"]


@dataclass(frozen=True, slots=True)
class Format:
    """`group` is the part of the match that is the secret."""

    kind: str
    hint: str
    pattern: re.Pattern[str]
    verdict: Verdict = "block"
    group: int = 0
    any_case: bool = False  # the hint is looked for in the lower-cased text


def _live(kind: str, hint: str, rest: str, verdict: Verdict = "block") -> Format:
    """A token that begins with `hint`; a letter or digit before it makes it another word."""
    pattern = re.compile(rf"(?<![0-9A-Za-z]){re.escape(hint)}{rest}")
    return Format(kind, hint, pattern, verdict)


_HEX = "[0-9a-f]"
_WORD = "[0-9A-Za-z]"
_URL = "[0-9A-Za-z_-]"
_END = r"(?![0-9A-Za-z])"

FORMATS: tuple[Format, ...] = (
    *(
        _live("aws_access_key", prefix, rf"[0-9A-Z]{{16}}{_END}")
        for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    Format(
        "aws_secret_key",
        "aws",
        re.compile(
            r"(?i)aws.{0,30}?(?:key|secret|token|pass)[^0-9a-z/+\n]{1,8}([0-9a-z/+]{40})(?![0-9a-z/+=])"
        ),
        group=1,
        any_case=True,
    ),
    *(
        _live("github_token", prefix, rf"{_WORD}{{36,255}}")
        for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
    ),
    _live("github_token", "github_pat_", r"\w{40,255}"),
    *(
        _live("gitlab_token", prefix, r"[0-9A-Za-z_.-]{20,300}")
        for prefix in (
            "glpat-",
            "gldt-",
            "glft-",
            "glsoat-",
            "glrt-",
            "glcbt-",
            "glimt-",
            "glptt-",
            "glagent-",
            "gloas-",
            "GR1348941",
        )
    ),
    *(
        _live("slack_token", prefix, r"[0-9A-Za-z-]{10,250}")
        for prefix in (
            "xoxa-",
            "xoxb-",
            "xoxp-",
            "xoxo-",
            "xoxs-",
            "xoxr-",
            "xoxe-",
            "xoxe.xox",
            "xapp-",
        )
    ),
    _live("slack_webhook", "https://hooks.slack.com/", r"(?:services|workflows)/[0-9A-Za-z_/]{20,200}"),
    _live("discord_webhook", "https://discord.com/api/webhooks/", rf"\d{{15,22}}/{_URL}{{40,100}}"),
    *(_live("stripe_key", prefix, rf"{_WORD}{{16,255}}") for prefix in ("sk_live_", "rk_live_")),
    *(_live("stripe_test_key", prefix, rf"{_WORD}{{16,255}}", "mark") for prefix in ("sk_test_", "rk_test_")),
    _live("webhook_secret", "whsec_", r"[0-9A-Za-z+/=]{24,100}"),
    _live("anthropic_key", "sk-ant-", rf"{_URL}{{32,250}}"),
    *(
        _live("openai_key", prefix, rf"{_URL}{{32,250}}")
        for prefix in ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-")
    ),
    _live("openai_key", "sk-", rf"{_WORD}{{32,64}}{_END}"),
    _live("google_api_key", "AIza", rf"{_URL}{{35}}(?!{_URL})"),
    _live("google_oauth_token", "ya29.", rf"{_URL}{{30,300}}"),
    _live("google_oauth_secret", "GOCSPX-", rf"{_URL}{{20,60}}"),
    _live("json_web_token", "eyJ", rf"{_URL}{{8,2000}}\.eyJ{_URL}{{8,4000}}\.{_URL}{{16,1400}}"),
    _live("npm_token", "npm_", rf"{_WORD}{{36}}{_END}"),
    _live("pypi_token", "pypi-AgE", rf"{_URL}{{50,400}}"),
    _live("rubygems_key", "rubygems_", rf"{_HEX}{{48}}{_END}"),
    _live("docker_token", "dckr_pat_", rf"{_URL}{{20,80}}"),
    _live("hugging_face_token", "hf_", rf"[A-Za-z]{{30,60}}{_END}"),
    _live("replicate_token", "r8_", rf"{_WORD}{{37}}{_END}"),
    _live("groq_key", "gsk_", rf"{_WORD}{{40,80}}{_END}"),
    _live("xai_key", "xai-", rf"{_WORD}{{60,100}}{_END}"),
    *(_live("digitalocean_token", prefix, rf"{_HEX}{{64}}") for prefix in ("dop_v1_", "doo_v1_", "dor_v1_")),
    _live("sendgrid_key", "SG.", rf"{_URL}{{22}}\.{_URL}{{43}}"),
    _live("mailgun_key", "key-", rf"{_HEX}{{32}}{_END}"),
    *(
        _live("shopify_token", prefix, "[0-9a-fA-F]{32}")
        for prefix in ("shpat_", "shpss_", "shpca_", "shppa_")
    ),
    *(_live("square_token", prefix, rf"{_URL}{{22,60}}") for prefix in ("sq0atp-", "sq0csp-")),
    _live("atlassian_token", "ATATT3", r"[0-9A-Za-z_=-]{100,300}"),
    _live("linear_key", "lin_api_", rf"{_WORD}{{32,60}}"),
    _live("notion_token", "ntn_", rf"{_WORD}{{40,60}}"),
    _live("notion_token", "secret_", rf"{_WORD}{{43}}{_END}"),
    _live("figma_token", "figd_", rf"{_URL}{{30,60}}"),
    _live("doppler_token", "dp.pt.", rf"{_WORD}{{40,50}}"),
    *(_live("sentry_token", prefix, r"[0-9A-Za-z_=+/-]{40,400}") for prefix in ("sntrys_", "sntryu_")),
    *(_live("grafana_token", prefix, r"[0-9A-Za-z_=+/-]{32,400}") for prefix in ("glsa_", "glc_")),
    *(_live("vault_token", prefix, rf"{_URL}{{24,300}}") for prefix in ("hvs.", "hvb.", "hvr.")),
    _live("age_secret_key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    *(
        _live("planetscale_token", prefix, r"[0-9A-Za-z_.=-]{32,80}")
        for prefix in ("pscale_tkn_", "pscale_pw_", "pscale_oauth_")
    ),
    _live("postman_key", "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    _live("new_relic_key", "NRAK-", "[0-9A-Z]{27}"),
    _live("databricks_token", "dapi", rf"{_HEX}{{32}}(?:-\d)?{_END}"),
    _live("tailscale_key", "tskey-", rf"{_URL}{{20,100}}"),
    _live("terraform_token", "", rf"{_WORD}{{14}}\.atlasv1\.{_URL}{{60,80}}"),
    _live("one_password_token", "ops_eyJ", rf"{_URL}{{200,2000}}"),
    _live("telegram_bot_token", "", rf"\d{{8,10}}:AA{_URL}{{33}}(?!{_URL})"),
    Format("azure_storage_key", "AccountKey=", re.compile(r"AccountKey=([0-9A-Za-z+/]{86}==)"), group=1),
    Format("azure_signature", "sig=", re.compile(r"[?&]sig=([0-9A-Za-z%]{43,80}%3[dD])"), group=1),
    Format(
        "password_in_url",
        "://",
        re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/?#@'\"<>]{1,100}:([^\s:/?#@'\"<>]{3,200})@"),
        "mark",
        group=1,
    ),
    Format(
        "bearer_header",
        "bearer ",
        re.compile(r"(?i)\bbearer ([0-9a-z._~+/-]{24,2000}={0,2})"),
        "mark",
        group=1,
        any_case=True,
    ),
    *(
        Format(
            "assigned_secret",
            hint,
            re.compile(
                rf"(?i){hint}[\"']?[ \t]{{0,3}}(?::=|[:=：])[ \t]{{0,3}}[\"']([^\s\"']{{8,200}})[\"']"
            ),
            "mark",
            group=1,
            any_case=True,
        )
        for hint in (
            "password",
            "passwd",
            "secret",
            "api_key",
            "apikey",
            "api-key",
            "token",
            "密码",
            "口令",
        )
    ),
)
