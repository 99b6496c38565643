"""Verbalization templates: text with placeholders in braces."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from rulemine.errors import did_you_mean

__all__ = ["escape", "fill", "template_problem"]

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def fill(
    template: str,
    values: Mapping[str, str],
    adapt: Callable[[str, str], str] = lambda _before, value: value,
) -> str:
    """Fills in a template; the values are not interpreted.

    Args:
        template: A text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces.
        values: Placeholder → value; every placeholder of the template.
        adapt: Called with the text before a placeholder and its value; returns what is put in.

    Example:
        >>> fill("What is {topic}?", {"topic": "{topic} => ?x %s"})
        'What is {topic} => ?x %s?'
    """
    filled, end = "", 0
    for found in _PART.finditer(template):
        filled += template[end : found.start()]
        filled += found[0][0] if found[1] is None else adapt(filled, values[found[1]])
        end = found.end()
    return filled + template[end:]


def template_problem(template: str, placeholders: Sequence[str]) -> str | None:
    """The problem of a template that needs each placeholder exactly once; None if there is none."""
    return next(_problems(template, placeholders), None)


def _problems(template: str, placeholders: Sequence[str]) -> Iterator[str]:
    shown = repr(template)
    if any(c in template for c in "\t\n\r"):
        yield f"{shown} has a tab or a line break; one line was expected"
    parts = [found for found in _PART.finditer(template) if found[0] not in ("{{", "}}")]
    for found in parts:
        if found[1] is None:
            yield f"{shown} has a single {found[0]!r}; write it twice for a literal brace"
        elif found[1] not in placeholders:
            yield f"{shown} has {found[0]}; {did_you_mean(found[1], placeholders)}"
        around = template[: found.start()][-1:] + template[found.end() :][:1]
        if any(c.isalnum() or c == "_" for c in around):
            yield f"{shown}: {found[0]} touches a letter or digit; put a space between them"
    for name in placeholders:
        if (n := sum(found[1] == name for found in parts)) != 1:
            yield f"{shown} has {{{name}}} {n} times; exactly once was expected"


def escape(text: str) -> str:
    """Doubles the braces of a text, for a template that has it literally."""
    return text.replace("{", "{{").replace("}", "}}")
