"""Keys: as options of commands, after ``--set``, and behind the name of a form (``sparql:port=8890``)."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from textwrap import fill, wrap
from typing import Any, get_args, get_origin

from rulemine.cli.console import expect, say
from rulemine.config import Key, Section, build, keys_of, option, override, parse_setting
from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.study.options import StudyOptions
from rulemine.exports.registry import EXPORTS
from rulemine.files import read_lines
from rulemine.importing.registry import IMPORTS
from rulemine.kinds.registry import KINDS
from rulemine.llm.options import EndpointOptions
from rulemine.mining import MiningOptions, Resources
from rulemine.recipe.recipe import BASE, KEYS, keys_with
from rulemine.registry import Registry

__all__ = [
    "JudgingOptions", "ModelOptions", "add_keys", "chosen", "describe_keys", "form_of", "given", "list_keys",
    "pairs_in", "refuse_beside_cluster", "settable", "settings_in", "split_of",
]  # fmt: skip


@dataclass(frozen=True)
class ModelOptions(Section):
    """Where a model is.

    Attributes:
        endpoint: Where it is, and what may be asked of it.
    """

    endpoint: EndpointOptions = field(default_factory=EndpointOptions)


@dataclass(frozen=True)
class JudgeSection(Section):
    """How judges are asked.

    Attributes:
        prompts: The prompts of the judges, TOML; empty: the packaged file.
        temperature: Of all calls; below 0: not sent; empty: 0, and 0.7 for a model that sits more than once.
        max_tokens: Tokens of a reply.
    """

    prompts: str = option("", file=True)
    temperature: float | None = option(None)
    max_tokens: int = option(1024, least=1)


@dataclass(frozen=True)
class JudgingOptions(ModelOptions):
    """How judges are asked, and where they are.

    Attributes:
        judge: How they are asked.
    """

    judge: JudgeSection = field(default_factory=JudgeSection)


@dataclass(frozen=True)
class Tasks(Section):
    """Questions over a property graph.

    Attributes:
        per_template: Tasks of each MATCH template, at most.
        seed: Which tasks.
    """

    per_template: int = option(40, least=1, most=10_000)
    seed: int = option(0, least=0)


@dataclass(frozen=True)
class QuestionsForm(Section):
    """Which questions of a release a system is given.

    Attributes:
        split: train, validation, test or all.
        sample: The first so many of one fixed order, the core first; empty: all.
    """

    split: str = option("test")
    sample: int | None = option(None)


@dataclass(frozen=True)
class Supervision(Section):
    """How triples of shortest paths are compared with the evidence.

    Attributes:
        split: train, validation, test or all.
        answers: What paths lead to: the answer that a question asks for, or all of the complete graph.
        model: A model that reads the paths; empty: none.
        replies: A folder for its replies; none is asked for again.
        sample: The first so many questions that it reads; empty: all.
        max_tokens: Tokens of its reply, at most.
        format: Of what is printed.
    """

    split: str = option("all")
    answers: str = option("asked", choices=("asked", "all"))
    model: str = option("")
    replies: str = option("")
    sample: int | None = option(None)
    max_tokens: int = option(256, least=1)
    format: str = option("table", choices=("table", "json", "csv", "markdown", "latex", "html"))


@dataclass(frozen=True)
class Page(Section):
    """A page of the questions of a release.

    Attributes:
        split: train, validation, test or all.
        port: A port on this machine; 0: any that is free.
    """

    split: str = option("test")
    port: int = option(8765)


@dataclass(frozen=True)
class Endpoint(Section):
    """A SPARQL endpoint over the graph of a release.

    Attributes:
        kg: complete, incomplete or incomplete-LEVEL.
        naming: private, entity or text; empty: that of the release.
        iris: freebase (ns:m.e00039) or release (entity:NAME).
        port: A port on this machine; 0: any that is free.
        timeout: Seconds after which a query is ended.
        max_rows: Rows of a result; the rest is cut off.
    """

    kg: str = option("incomplete")
    naming: str = option("")
    iris: str = option("freebase")
    port: int = option(8890)
    timeout: float = option(30.0)
    max_rows: int = option(100_000)


def form_of(written: str, option: str, **forms: type[Section]) -> Any:
    """What a text such as ``sparql:port=8890`` names, made with its options.

    Args:
        written: The text.
        option: The option that it is the value of, for messages.
        forms: Name → its options.

    Raises:
        ConfigError: There is no such form, it has no such option, or a value is out of range.
    """
    made = forms.get(written.partition(":")[0])
    names = ", ".join(key.name for key in keys_of(made())) if made else ", ".join(forms)
    known: Registry[type[Section]] = Registry("", option, Section, forms)
    return known.made(written, next(iter(forms)), f"Options: {names}.")


def split_of(name: str) -> str | None:
    """The split of a name; None for ``all``."""
    return None if name == "all" else name


def add_keys(parser: ArgumentParser, command: str) -> None:
    """Adds the options of a command that are keys, see `given`, and to its help the names of a registry."""
    resources = [*keys_of(Resources(), "resources.")]
    without_limit = [key for key in resources if key.name != "resources.limit_seconds"]
    flags = {
        # Options of the miner are only keys here: there are too many.
        "build": [*(key for key in KEYS if not key.name.startswith("mining.")), *without_limit],
        "verify": without_limit,
        "mine": [*keys_of(MiningOptions(), "mining."), *resources],
        "study": keys_of(StudyOptions(), "study."),
        "data gloss": [key for key in KEYS if key.name in ("seed", "verbalizer.model")],
    }
    for key in flags.get(command, ()):
        if key.flag:
            parser.add_argument(key.flag, dest=_SETS + key.name, help=_in_short(key), **_read(key))
    registries: dict[str, Iterable[str]] = {"export": EXPORTS, "import": IMPORTS}
    if command in registries and parser.epilog:
        parser.epilog = parser.epilog.format(", ".join(registries[command]))


def settable(command: str) -> Iterable[Key]:
    """The keys that ``--set`` of a command takes, where it takes those of a recipe or a study."""
    if command == "build":
        return keys_with(*KINDS)
    return {"data gloss": KEYS, "study": keys_of(StudyOptions())}.get(command, ())


_SETS = "set "
"""Prefix of the destination of an option that sets a key; the key follows."""


def _read(key: Key) -> dict[str, Any]:
    """How `argparse` reads the option of a key."""
    if key.hint is bool:
        return {"action": "store_const", "const": True}
    kind = next(k for k in (*get_args(key.hint), key.hint) if k not in (None, Ellipsis))
    usual = "FILE" if key.option.file else {int: "N", float: "X"}.get(kind, "NAME")
    if get_origin(key.hint) is tuple:
        how = {"type": partial(_several, kind), "action": "extend"}
        return {**how, "metavar": key.option.metavar or "A,B"}
    return {"type": partial(_single, kind), "metavar": key.option.metavar or usual}


def _several(kind: type, text: str) -> list[Any]:
    """The values of ``a,b,…``, or of ``@FILE`` with one per line."""
    parts = read_lines(Path(text[1:])) if text.startswith("@") else text.split(",")
    values = [_single(kind, part.strip()) for part in parts if part.strip()]
    expect(values, f"{text!r} names nothing; expected a,b,… or @FILE with one per line.")
    return values


def _single(kind: type, text: str) -> Any:
    """Converts text to a type; returns it as it is if that fails, to be reported with all other problems."""
    try:
        return kind(text)
    except ValueError:
        return text


def given(arguments: Namespace, section: str = "") -> dict[str, Any]:
    """Key → value, for the options of `add_keys` that were given.

    Args:
        arguments: The parsed arguments.
        section: Only keys with this prefix are returned, without it, e.g. ``mining.``.
    """
    start = _SETS + section
    return {
        place.removeprefix(start): value
        for place, value in vars(arguments).items()
        if place.startswith(start) and value is not None
    }


def refuse_beside_cluster(arguments: Namespace) -> None:
    """Refuses resources of this process where workers have theirs.

    Raises:
        ConfigError: There is a cluster, and such an option.
    """
    if arguments.cluster and (idle := sorted(given(arguments, "resources."))):
        option = f"--{idle[0].replace('_', '-')}"
        raise ConfigError(
            f"{option}: is for mining in this process. With --cluster, threads and memory are those that the "
            "workers were started with, and there is no limit of time. Leave it out."
        )


def pairs_in(arguments: Namespace) -> list[tuple[tuple[str, ...], Any]]:
    """The keys and values of ``--set``.

    Raises:
        ConfigError: One has no ``=``; or the folder of a batch is empty, as an unset variable of a shell is:
            without one, calls would be sent and cost.
    """
    found = [parse_setting(text) for text in arguments.set]
    expect(
        (("endpoint", "batch"), "") not in found,
        "--set endpoint.batch: nothing is named; expected a folder.",
    )
    return found


def settings_in(arguments: Namespace) -> dict[str, Any]:
    """The values of ``--set``, as nested tables."""
    found: dict[str, Any] = {}
    for path, value in pairs_in(arguments):
        found = override(found, path, value)
    return found


def chosen(arguments: Namespace, kind: type[Any]) -> Any:
    """The options that ``--set`` gives.

    Args:
        arguments: The parsed arguments.
        kind: A dataclass, whose fields are the keys.

    Raises:
        ConfigError: There is no such key, or a value is out of range.
    """
    names = ", ".join(key.name for key in keys_of(kind()))
    return build(kind, settings_in(arguments), "--set", f"Keys: {names}.")


TOP = "recipe"
"""What the keys that stand in no section are called together."""


def list_keys(wanted: str) -> None:
    """Prints the keys of recipes, those of a section or one of them, and ends the program.

    Raises:
        ConfigError: There is no such section or key.
    """
    sections: dict[str, list[Key]] = {}
    for key in (BASE, *keys_with(*KINDS)):
        sections.setdefault(key.name.rpartition(".")[0] or TOP, []).append(key)
    every = [key for found in sections.values() for key in found]
    listed = sections.get(wanted) or [k for k in every if wanted in (k.name, k.path[-1])]
    if listed:
        say(describe_keys(listed))
    elif not wanted:
        for section, found in sections.items():
            names = ", ".join(key.path[-1] for key in found)
            shown = fill(names, 79, initial_indent="  ", subsequent_indent="  ")
            say(f"{f'[{section}]' if section != TOP else 'At the top of a recipe'}\n{shown}")
        say(f"\nWhat they are: rulemine build --keys SECTION (mining, {TOP}, …) or KEY")
    else:
        hint = did_you_mean(wanted, [*sections, *(key.name for key in every)])
        raise ConfigError(f"--keys: {wanted!r} is no section and no key; {hint}")
    raise SystemExit(0)


def describe_keys(keys: Iterable[Key]) -> str:
    """Lists all keys, in lines of at most 79 characters."""
    lines: list[str] = []
    for key in keys:
        head = f"{key.name} = {key.default}".removesuffix(" = ")
        lines += wrap(head, 77, initial_indent="  ", subsequent_indent="      ")
        # Choices are in the meaning.
        bounds = key.values[:1].upper() + key.values[1:] + "." if key.option.bounded else ""
        lines += [f"      {line}" for line in wrap(f"{key.meaning} {bounds}", 73)]
    return "\n".join(lines)


def _in_short(key: Key) -> str:
    """The beginning of a key's meaning, in lower case, and its default."""
    sentence = re.split(r"\.(?: (?=[A-Z])|$)", key.meaning)[0]
    sentence = re.split(
        r"(?<=.{20})(?:: |; | \(|, (?:in|from|e\.g\.|which|where|up|as|by|whatever|writing|rather) )",
        sentence,
    )[0]
    if not re.match("[A-Z]{2}", sentence):
        sentence = sentence[:1].lower() + sentence[1:]
    default = "" if key.hint is bool else key.default.strip('"[]')
    return (f"{sentence} ({default})" if default else sentence).replace("%", "%%")
