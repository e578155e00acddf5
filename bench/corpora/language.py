"""Made-up words by Zipf's law: some common to all, some of a topic, some of one cluster."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMON, OF_TOPIC, OF_CLUSTER = 2_000, 200, 15  # words in each vocabulary
DRAWN = (12, 8, 5)  # words of a text from each
CHINESE_EVERY = 5  # each fifth topic speaks Chinese
ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
ENDINGS = ("", "n", "r", "l", "m", "th", "ck", "x")
CHARACTERS = (
    "数据库记忆团队检索服务支付错误测试部署版本用户权限日志网络缓存任务计划会议文档设计接口性能安全备份"
    "恢复监控报警配置变更审批代码仓库分支合同客户订单发票退款物流价格预算风险质量流程规则模型训练评估"
)


class Language:
    """The vocabularies of `clusters` clusters that belong to `topics` topics in turn."""

    def __init__(self, seed: int, topics: int, clusters: int) -> None:
        random = Random(seed)
        self.topics = topics
        seen: set[str] = set()
        self.common = [_english(random, seen) for _ in range(COMMON)]
        self.of_topic = [
            _words(random, seen, OF_TOPIC, chinese=self.is_chinese(topic)) for topic in range(topics)
        ]
        self.of_cluster = [
            _words(random, seen, OF_CLUSTER, chinese=self.is_chinese(cluster % topics))
            for cluster in range(clusters)
        ]

    @staticmethod
    def is_chinese(topic: int) -> bool:
        return topic % CHINESE_EVERY == CHINESE_EVERY - 1

    def texts(self, clusters: Sequence[int], random: np.random.Generator) -> list[str]:
        """One text of about 25 words for each given cluster."""
        common = _zipf(random, COMMON, (len(clusters), DRAWN[0]))
        topical = _zipf(random, OF_TOPIC, (len(clusters), DRAWN[1]))
        own = _zipf(random, OF_CLUSTER, (len(clusters), DRAWN[2]))
        found = []
        for cluster, first, second, third in zip(
            clusters, common.tolist(), topical.tolist(), own.tolist(), strict=True
        ):
            topic = cluster % self.topics
            if self.is_chinese(topic):
                words = [self.of_topic[topic][n] for n in second + second[::-1]]
                words += [self.of_cluster[cluster][n] for n in third]
                found.append("".join(words[:11]) + "，" + "".join(words[11:]) + "。")
                continue
            words = [self.common[n] for n in first]
            words[2:2] = [self.of_topic[topic][n] for n in second]
            words[5:5] = [self.of_cluster[cluster][n] for n in third]
            found.append(" ".join(words).capitalize() + ".")
        return found

    def question(self, cluster: int, random: np.random.Generator) -> str:
        """Six words: two common ones, two of the topic, two of the cluster."""
        topic = cluster % self.topics
        words = [self.common[n] for n in _zipf(random, 40, 2).tolist()]
        words += [self.of_topic[topic][n] for n in random.integers(0, 60, 2).tolist()]
        words += [self.of_cluster[cluster][n] for n in random.integers(0, OF_CLUSTER, 2).tolist()]
        return " ".join(words)


def _zipf(random: np.random.Generator, size: int, shape: int | tuple[int, int]) -> np.ndarray:
    worth = 1.0 / np.arange(2, size + 2)
    return random.choice(size, shape, p=worth / worth.sum())


def _words(random: Random, seen: set[str], count: int, *, chinese: bool) -> list[str]:
    make = _chinese if chinese else _english
    return [make(random, seen) for _ in range(count)]


def _english(random: Random, seen: set[str]) -> str:
    while True:
        parts = [random.choice(ONSETS) + random.choice(VOWELS) for _ in range(random.randint(2, 3))]
        word = "".join(parts) + random.choice(ENDINGS)
        if word not in seen:
            seen.add(word)
            return word


def _chinese(random: Random, seen: set[str]) -> str:
    while True:
        word = "".join(random.choice(CHARACTERS) for _ in range(random.choice((2, 2, 3))))
        if word not in seen:
            seen.add(word)
            return word
