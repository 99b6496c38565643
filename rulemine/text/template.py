"""Verbalization templates: text with placeholders in braces."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rulemine.errors import did_you_mean

__all__ = ["escape", "fill", "template_problem"]


_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with names put in for its placeholders; the names are not interpreted.

    Args:
        template: A text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces.
        values: Placeholder → name; every placeholder of the template.

    Example:
        >>> fill("What is {topic}?", {"topic": "{topic} => ?x %s"})
        'What is {topic} => ?x %s?'
    """
    if "{" not in template and "}" not in template:
        return template
    literals, names = _taken_apart(template)
    filled = [literals[0]]
    for name, literal in zip(names, literals[1:], strict=True):
        filled += (values[name], literal)
    return "".join(filled)


@lru_cache(maxsize=1 << 12)  # prompts and templates are filled for thousands of questions
def _taken_apart(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    """What is wrong with a template that needs each of its placeholders exactly once; None: nothing."""
    shown = repr(template)
    if any(c in template for c in "\t\n\r"):
        return f"{shown} holds a tab or a line break; one line was expected"
    counts = dict.fromkeys(placeholders, 0)
    for found in _PART.finditer(template):
        if found[0] in ("{{", "}}"):
            continue
        if found[1] is None:
            return f"{shown} holds a lone {found[0]!r}; double it to mean the brace itself"
        if found[1] not in counts:
            return f"{shown} holds {found[0]}; {did_you_mean(found[1], placeholders)}"
        counts[found[1]] += 1
        around = template[: found.start()][-1:] + template[found.end() :][:1]
        if any(c.isalnum() or c == "_" for c in around):
            return f"{shown}: {found[0]} is glued to a letter or digit; put a blank between"
    for name, n in counts.items():
        if n != 1:
            return f"{shown} holds {{{name}}} {n} times; exactly once was expected"
    return None


def escape(text: str) -> str:
    """A text with its braces doubled, so that a template holds it literally."""
    return text.replace("{", "{{").replace("}", "}}")
