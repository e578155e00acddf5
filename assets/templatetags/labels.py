"""Words of the data as people read them: kinds, states, rules and reasons in the page's language."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

register = template.Library()

NAMES = {
    "chat_memory": "Chat Memory", "skill": "Skill", "wiki": "Wiki", "code_graph": "CodeGraph",
    "in_review": "in review", "not_reached": "not reached", "tool_failure": "tool failure",
    "task_state": "task state", "on_demand": "on demand", "write": "read and write",
}  # fmt: skip


@register.filter
def label(word: object) -> str:
    """A fixed word or sentence of the product, translated; never for what people wrote."""
    text = str(word or "")
    return gettext(NAMES.get(text, text)) if text else ""


@register.filter
def named(public: object, names: object) -> str:
    """The name of a public id, from a dictionary or something with `name`; else the id itself."""
    if not public:
        return "–"
    if isinstance(names, dict):
        return str(names.get(public, public))
    return str(names.name(public))  # type: ignore[attr-defined]
