"""The parts of the documentation that are made from the code, when mkdocs builds the site.

A page asks for a part with a line such as ``<!-- commands -->``; `PARTS` has their names.
Guarantee: what the parser, the recipe and the packages have is what the pages say; an unknown part is
an error.
"""

import argparse
import html
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from rulemine.cli.main import make_parser
from rulemine.config import Key, keys_of
from rulemine.evaluation.study.options import StudyOptions
from rulemine.kinds.registry import KINDS
from rulemine.recipe.recipe import BASE, keys_with

_PART = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)


def commands() -> str:
    """Every command with its arguments, in the order of ``rulemine --help``."""
    lines: list[str] = []
    for name, parser in _parsers(make_parser(), "rulemine"):
        description = (parser.description or "").strip()
        needed = [a for a in parser._actions if not a.option_strings or a.required]
        words = [name, *(f"{''.join(a.option_strings[:1])} {_value(a)}".strip() for a in needed)]
        lines += [f"## {name}", description, f"    {' '.join(words)} [options]"]
        lines += _tables(parser)
        if parser.epilog:
            lines.append("\n".join(f"    {line}" for line in parser.epilog.splitlines()))
    return "\n\n".join(lines)


def options() -> str:
    """Every key of a recipe, a table per section."""
    lines: list[str] = []
    for section, members in groupby(
        (BASE, *keys_with(*KINDS)), lambda key: key.name.rpartition(".")[0]
    ):
        lines += ["", f"## [{section}]" if section else "## Top level", ""]
        lines += _table_of_keys(members, "mine " if section == "mining" else "")
    return "\n".join(lines)


def study() -> str:
    """Every key of a study but those of the endpoint."""
    own = [key for key in keys_of(StudyOptions()) if not key.name.startswith("endpoint.")]
    return "\n".join(
        _table_of_keys(key._replace(flag="--with") if key.name == "systems" else key for key in own)
    )


def _table_of_keys(keys: Iterable[Key], command: str = "") -> Iterator[str]:
    yield from ("| key | default | option | values | what it is |", "|---|---|---|---|---|")
    for key in keys:
        name = key.name.rpartition(".")[2]
        flag = f"`{command}{key.flag}`" if key.flag else ""
        values = "" if key.values == "text" else _cell(key.values)
        default = f"`{key.default}`" if key.default else ""
        yield f"| {' | '.join([f'`{name}`', default, flag, values, _cell(key.meaning)])} |"


def python() -> str:
    """Every public name, under the first package that has it."""
    lines: list[str] = []
    seen: set[int] = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        public = {name: id(getattr(module, name)) for name in getattr(module, "__all__", ())}
        if not public:
            continue
        lines += [f"## {package}", "", (module.__doc__ or "").partition("\n\n")[0], ""]
        above = [f"`{name}`" for name, thing in public.items() if thing in seen]
        if above:
            lines += [f"Also {', '.join(above)}: see above.", ""]
        lines += [f"::: {package}.{name}\n" for name, thing in public.items() if thing not in seen]
        seen |= set(public.values())
    return "\n".join(lines)


PACKAGES = ["rulemine"] + [
    f"rulemine.{name}"
    for name in (
        *("kg", "query", "cypher", "rules", "mining", "datasets", "release", "builder"),
        *("phrasing", "llm", "verbalizer", "evaluation", "evaluation.study", "verify"),
    )
]
"""In the order in which the reference has them; those without public names are left out."""

PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "options": options,
    "python": python,
    "study": study,
}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of each page."""
    return _PART.sub(lambda found: PARTS[found[1]](), markdown)


def _parsers(
    parser: argparse.ArgumentParser, prefix: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                deeper = list(_parsers(below, f"{prefix} {word}"))
                yield from deeper or [(f"{prefix} {word}", below)]


def _tables(parser: argparse.ArgumentParser) -> Iterator[str]:
    """A table for each group of arguments."""
    formatter = argparse.HelpFormatter(parser.prog)
    head = ["| argument | what it is |", "|---|---|"]
    rows: list[str] = []
    for group in parser._action_groups:
        if group.description:  # a group of its own; those without are one table
            yield "\n".join(head + rows)
            yield f"{(group.title or '').capitalize()}. {group.description}"
            rows = []
        for action in group._group_actions:
            if not isinstance(action, argparse._HelpAction):
                rows.append(
                    f"| `{_invocation(action)}` | {_cell(formatter._expand_help(action))} |"
                )
    yield "\n".join(head + rows)


def _invocation(action: argparse.Action) -> str:
    return " ".join(filter(None, [", ".join(action.option_strings), _value(action)]))


def _value(action: argparse.Action) -> str:
    return argparse.HelpFormatter("")._format_args(action, action.dest.upper())


def _cell(text: str) -> str:
    return re.sub(r"([|*])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
