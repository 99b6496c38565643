"""From a question to a call: templates in a TOML file that users can edit, filled in.

A template is a text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces. A placeholder alone on its
line that is named like another key of the section, or its plural, stands for any number of lines, each filled
in from the template of that key. The packaged file says which sections, keys and placeholders a copy of it
must have. Guarantees: a file without problems renders for every question; names are put in verbatim, whatever
they contain; the same options and arguments give the same call; the user messages of questions, paraphrases
and audits have ``Removed Triple``, ``Question Entity`` and ``Answer Entity`` each on a line of its own.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rulemine.config import packaged, read_toml_text
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.graph import Triple
from rulemine.llm.call import Call, Message
from rulemine.phrasing.glosses import Glosses
from rulemine.text.template import fill
from rulemine.text.visible_reply import visible_reply
from rulemine.verbalizer.checks import QuestionInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.replies import SCHEMAS, TextProblem, explain

__all__ = ["SEEDS", "Calls", "Prompts", "Shown", "load_prompts"]

MAX_QUOTED = 300
"""Most characters quoted of an earlier attempt, and of the reason why it was rejected."""

SEEDS = 2**31
"""Seeds of calls are below this: some servers keep them in 32 bits."""

Shown = Mapping[str, Any]
"""Placeholder → its value; of one that stands for lines, a mapping of the same form for each line."""

Earlier = Sequence[tuple[str, TextProblem]]
"""Rejected texts, and why."""

_LABELED = (
    "Removed Triple: ({subject}, {relation}, {object})",
    "Question Entity: {topic}",
    "Answer Entity: {answer}",
)
"""Lines that a copy must have exactly once where the packaged template has them."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True)
class Prompts:
    """The prompts of a file.

    Attributes:
        text: The text of the file.
        sections: Section → key → template. Of purposes of calls ``system`` and ``user`` are the messages.
        packaged: The packaged file that such a file can be a copy of, below the package.
    """

    text: str
    sections: Mapping[str, Mapping[str, str]] = field(repr=False)
    packaged: str = ""

    @property
    def names(self) -> Mapping[str, str]:
        """Naming → what its names look like, in words."""
        return self.sections["names"]

    def messages(self, purpose: str, shown: Shown) -> tuple[Message, ...]:
        """Renders the messages of a call.

        Args:
            purpose: The section of the prompt.
            shown: What the placeholders of its template stand for, and maybe more.
        """
        section = self.sections[purpose]
        lines: list[str] = []
        for line in section["user"].strip("\n").split("\n"):
            if key := _template_of_lines(line.strip(), section):
                lines += (fill(section[key], row) for row in shown[line.strip()[1:-1]])
            else:
                lines.append(fill(line, shown))
        return (
            {"role": "system", "content": fill(section["system"].strip("\n"), {})},
            {"role": "user", "content": "\n".join(lines)},
        )


def load_prompts(
    source: str, packaged_file: str = "verbalizer/prompts.toml", spare: Collection[str] = ()
) -> Prompts:
    """Loads and checks a prompt file.

    Args:
        source: A TOML file, or "" for the packaged one.
        packaged_file: The packaged one, a path below the package.
        spare: Sections that may be missing, as only another kind of question needs them.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Sections, templates or placeholders are missing, unknown or of the wrong type; one
            message lists all.
    """
    default = packaged(packaged_file)
    wanted, text = read_toml_text(default)
    path = Path(source) if source else default
    tables, text = read_toml_text(path) if source else (wanted, text)
    if problems := list(_problems(tables, wanted, spare)):
        advice = f"A complete prompt file to copy: {default}"
        raise ConfigError(list_problems(str(path), problems, advice))
    return Prompts(text, tables, packaged_file)


def _template_of_lines(placeholder: str, section: Mapping[str, Any]) -> str:
    """The key of the template of one line, if a placeholder, in its braces, stands for lines; else ""."""
    name = placeholder[1:-1] if placeholder[:1] + placeholder[-1:] == "{}" else ""
    keys = (key for key in (name, name.removesuffix("s")) if key in section)
    return next(keys, "")


def _problems(
    tables: Mapping[str, Any], wanted: Mapping[str, Any], spare: Collection[str]
) -> Iterator[str]:
    """The problems of a prompt file beside the packaged one, one line each, in the order of that."""
    for name in (name for name in tables if name not in wanted):
        yield f"unknown section [{name}]; {did_you_mean(name, wanted)}"
    for name, templates in wanted.items():
        table = tables.get(name)
        if table is None and name not in spare:
            yield f"section [{name}] is missing"
        elif table is not None and not isinstance(table, dict):
            yield f"{name} is {table!r}; a section [{name}] was expected"
        elif table is not None:
            yield from (f"[{name}] {problem}" for problem in _section_problems(table, templates))


def _section_problems(table: Mapping[str, Any], wanted: Mapping[str, str]) -> Iterator[str]:
    for key, value in table.items():
        if key not in wanted:
            yield f"unknown key {key!r}; {did_you_mean(key, wanted)}"
        elif not isinstance(value, str) or not value.strip():
            yield f"{key} is {value!r}; a text was expected"
    for key, packaged_text in wanted.items():
        if key not in table:
            yield f"key {key} is missing"
        elif isinstance(table[key], str):
            for problem in _template_problems(table[key], packaged_text, key, wanted):
                yield f"{key}: {problem}"


def _template_problems(
    template: str, packaged_text: str, key: str, section: Mapping[str, str]
) -> Iterator[str]:
    lines = [line.strip() for line in template.split("\n")]
    known = dict.fromkeys(part[1] for part in _PART.finditer(packaged_text) if part[1])
    parts = [part for part in _PART.finditer(template) if part[0] not in ("{{", "}}")]
    for part in parts:
        if part[1] is None:
            yield f"has a single {part[0]!r}; write it twice for a literal brace"
        elif part[1] not in known:
            hint = did_you_mean(part[1], known) if known else "it takes no placeholders"
            yield f"has {part[0]}; {hint}"
        elif (
            key == "user"
            and _template_of_lines(part[0], section)
            and lines.count(part[0]) != template.count(part[0])
        ):
            yield f"{part[0]} stands for whole lines; put it on its own line"
    named = {part[1] for part in parts}
    yield from (f"needs the placeholder {{{name}}}" for name in known if name not in named)
    if key not in ("system", "user") and len(lines) > 1:
        yield "has a line break; one line was expected"
    for line in _LABELED:
        if line in packaged_text and lines.count(line) != 1:
            yield f"must have the line {line!r} exactly once"


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes the calls of a build.

    Attributes:
        prompts: The prompts.
        chosen: The options: models, parameters, judge, paraphrases.
        seed: The seed of the build.
        glosses: The relation descriptions; none where the model has to write them.
    """

    prompts: Prompts
    chosen: VerbalizerSection
    seed: int
    glosses: Glosses = field(default_factory=lambda: Glosses(()))

    def question(self, item: QuestionInput, earlier: Earlier = ()) -> Call:
        """Asks for a question.

        Args:
            item: The question.
            earlier: The rejected texts so far; where there is one to be mended, another model is asked if
                one is named.
        """
        return self._about(item, "question", {}, earlier, rewriter=self.chosen.rewriter_model)

    def paraphrase(
        self, item: QuestionInput, questions: Sequence[str], count: int, earlier: Earlier = ()
    ) -> Call:
        """Asks for `count` paraphrases of a question that has some texts; else as `question`."""
        texts = [{"text": text} for text in questions]
        return self._about(item, "paraphrase", {"count": str(count), "questions": texts}, earlier)

    def audit(self, item: QuestionInput, question: str) -> Call:
        """Asks the judge whether a question asks for what it should."""
        call = self._about(item, "audit", {"question": question})
        return replace(call, model=self.chosen.judge_model or call.model)

    def words(
        self, purpose: str, relation: str, samples: Sequence[Triple], earlier: Earlier = ()
    ) -> Call:
        """Asks for words for a relation, given some of its triples."""
        triples = [{"subject": s, "object": o} for s, _, o in samples]
        shown = {"relation": relation, "language": self.chosen.language, "samples": triples}
        return self.call(purpose, relation, shown, earlier)

    def _about(
        self,
        item: QuestionInput,
        purpose: str,
        more: Shown,
        earlier: Earlier = (),
        rewriter: str = "",
    ) -> Call:
        """A call with all that prompts say about a question."""
        shown = {
            "asked": item.asked,
            "names": self.prompts.names[item.naming],
            "language": self.chosen.language,
            **item.shown(),
            **more,
        }
        forms = self.prompts.sections.get("structures", {})
        shown["form"] = forms.get(item.question.structure, "")
        return self.call(item.prefix + purpose, item.question.id, shown, earlier, rewriter)

    def call(
        self,
        purpose: str,
        subject: str,
        shown: Shown,
        earlier: Earlier = (),
        rewriter: str = "",
    ) -> Call:
        """A call to the model that writes.

        Args:
            purpose: The section of the prompt.
            subject: What it is about, for error messages.
            shown: See `Prompts.messages`.
            earlier: The rejected texts so far, quoted. Those that were cut off before any word are not: they
                are asked for again as they were, as a further sample.
            rewriter: The model that is asked instead where there is a text to be mended; empty: the same.
        """
        chosen = self.chosen
        rows = [
            {"text": _quoted(text), "reason": _quoted(explain(problem))}
            for text, problem in earlier
            if problem.code != "cut_off" or visible_reply(text).strip()
        ]
        return Call(
            purpose=purpose,
            subject=subject,
            model=(rewriter if rows else "") or chosen.model,
            messages=self.prompts.messages(purpose, {"earlier": rows, **shown}),
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature if chosen.temperature >= 0 else None,
            seed=self.seed % SEEDS,
            sample=len(earlier) - len(rows),
            schema=SCHEMAS.get(purpose),
        )


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED else f"{line[:MAX_QUOTED]}…"
