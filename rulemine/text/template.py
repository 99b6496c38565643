"""Verbalization templates: text with placeholders in braces."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

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
    if "{" not in template and "}" not in template:
        return template
    literals, names = _parse(template)
    filled = [literals[0]]
    for name, literal in zip(names, literals[1:], strict=True):
        filled += (adapt("".join(filled), values[name]), literal)
    return "".join(filled)


@lru_cache(maxsize=1 << 12)  # prompts and templates are filled for thousands of questions
def _parse(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text around the placeholders of a template, and their names: one fewer."""
    literals, names = [""], list[str]()
    end = 0
    for found in _PART.finditer(template):
        literals[-1] += template[end : found.start()]
        end = found.end()
        if found[0] in ("{{", "}}"):
            literals[-1] += found[0][0]
        else:
            literals.append("")
            names.append(found[1])
    literals[-1] += template[end:]
    return tuple(literals), tuple(names)


def template_problem(template: str, placeholders: Sequence[str]) -> str | None:
    """The problem of a template that needs each placeholder exactly once; None if there is none."""
    shown = repr(template)
    if any(c in template for c in "\t\n\r"):
        return f"{shown} has a tab or a line break; one line was expected"
    counts = dict.fromkeys(placeholders, 0)
    for found in _PART.finditer(template):
        if found[0] in ("{{", "}}"):
            continue
        if found[1] is None:
            return f"{shown} has a single {found[0]!r}; write it twice for a literal brace"
        if found[1] not in counts:
            return f"{shown} has {found[0]}; {did_you_mean(found[1], placeholders)}"
        counts[found[1]] += 1
        around = template[: found.start()][-1:] + template[found.end() :][:1]
        if any(c.isalnum() or c == "_" for c in around):
            return f"{shown}: {found[0]} touches a letter or digit; put a space between them"
    for name, n in counts.items():
        if n != 1:
            return f"{shown} has {{{name}}} {n} times; exactly once was expected"
    return None


def escape(text: str) -> str:
    """Doubles the braces of a text, for a template that has it literally."""
    return text.replace("{", "{{").replace("}", "}}")
