"""Words that say too little to be searched for. They are indexed and left out of queries."""

from __future__ import annotations

ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being between
both but by can can't could couldn't did didn't do does doesn't doing don't down during each few
for from further had hadn't has hasn't have haven't having he he's her here hers herself him
himself his how i i'd i'll i'm i've if in into is isn't it it's its itself just let's me might
more most must my myself no nor not of off on once only or other our ours ourselves out over own
same shall she she's should shouldn't so some such than that that's the their theirs them
themselves then there there's these they they're this those through to too under until up us
very was wasn't we we're were weren't what what's when where which while who who's whom whose why
will with won't would wouldn't you you're your yours yourself yourselves
"""
CHINESE = "的 了 吗 呢 吧 啊 呀 么 是 在 和 与 及 或 也 都 就 而 着 之 其 把 被 什么 哪些 哪个 怎么 如何 多少"

STOP_WORDS = frozenset(ENGLISH.split()) | frozenset(CHINESE.split())
