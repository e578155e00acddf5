"""Texts in many scripts and odd shapes, and real ones from the public test data."""

from __future__ import annotations

import json
from pathlib import Path

ODD = [
    "",
    " ",
    "a",
    "The disk was full, so the deployment failed.",
    "部署失败是因为磁盘满了，我们下周去爬山。",
    "用 kubectl 重启 Deployment 之后，CPU 降到 35%。",
    "日本語のテキストです。カタカナとひらがな、半角ｶﾅ。",
    "مرحبا بالعالم، هذا نص تجريبي",
    "Привет, мир! Это проверка.",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "😀👩‍👩‍👧‍👦 flags 🇨🇳🇬🇧 and 🧿\U000e0041\U000e0042",
    "  odd \t\r\n\v\f white  \u3000 space\u00a0\u200b \u2028 ",
    "ﬁne ½ ² ℌ Å e\u0301 ＦＵＬＬ ㍿",
    "▁ marks ▁▁ inside ▁",
    "<s> <pad> </s> <unk> <mask>",
    "\u0001\u0002\u007f\u009f\ufffd\ufeff",
    "nul\0inside",
    "lone \ud800 surrogate \udfff",
    "\ufdfa\ufdfa\ufdfa",
    "https://example.org/a?b=c&d=%20 def f(x: int) -> None: return x[0]  # note",
    "é" * 600,
    "word " * 1500,
    "我们在北京的会议上讨论了新的计划。" * 120,
]


def real(folder: Path, count: int) -> list[str]:
    """The first texts of four public sets, English and Chinese, `count` in all."""
    sets = [
        _squad(folder / "xquad" / "xquad.en.part.json"),
        _squad(folder / "xquad" / "xquad.zh.part.json"),
        _strings(folder / "locomo" / "locomo5.json"),
        _strings(folder / "memorybank" / "memory_bank_cn.json"),
        _strings(folder / "memorybank" / "memory_bank_en.json"),
    ]
    each = count // len(sets)
    return [text for some in sets for text in some[:: max(len(some) // each, 1)][:each]]


def _squad(file: Path) -> list[str]:
    found = []
    for article in json.loads(file.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            found += [paragraph["context"], *(one["question"] for one in paragraph["qas"])]
    return found


def _strings(file: Path) -> list[str]:
    """Every sentence-like string of a file, in its order."""
    found: list[str] = []
    waiting = [json.loads(file.read_text("utf-8"))]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found += [one] if len(one) > 12 else []
        else:
            waiting += list(one.values() if isinstance(one, dict) else one if isinstance(one, list) else [])[
                ::-1
            ]
    return found
