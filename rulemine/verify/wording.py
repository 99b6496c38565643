"""Verbalization: by the template of the relation, or by a pattern from a language model.

Checks that a text from a template is the template of ``relations.tsv`` with the name of the topic entity,
that a model's text and each of its paraphrases is its pattern with that name, that they all differ, and
that wordings are those that the options allow.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from rulemine.verify.folder import MANIFEST_NAME
from rulemine.verify.mentions import occurrences
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import NAMINGS

__all__ = [
    "GLOSSES",
    "PROMPT",
    "Pieces",
    "VerbalizerConfig",
    "check_refused",
    "check_wording",
    "pieces_of",
    "read_verbalizer",
    "texts_of",
]

PROMPT, GLOSSES = "llm/prompt.toml", "llm/glosses.toml"

Pieces = tuple[str, ...]
"""A text cut at the name of its topic entity: the name joins the pieces to the text."""

_PART = re.compile(r"\{\{|\}\}|\{topic\}|[{}]")


@dataclass(frozen=True, slots=True)
class VerbalizerConfig:
    """The options of verbalization.

    Attributes:
        is_model: Whether a language model verbalized the questions.
        model: Its name.
        judge: The name of the judge; empty: none.
        round_trip: Whether texts had to pass the round-trip check.
        paraphrases: Most paraphrases per question.
        drops: Whether a question without an accepted text was dropped; otherwise it has the template.
        naming: Index in `NAMINGS` of the naming of the prompts.
        attempts: Most texts asked for per question.
    """

    is_model: bool = False
    model: str = ""
    judge: str = ""
    round_trip: bool = False
    paraphrases: int = 0
    drops: bool = False
    naming: int = 0
    attempts: int = 1

    @property
    def judges(self) -> tuple[str, ...]:
        """The purposes of the calls that every text must pass."""
        return ("audit",) * bool(self.judge) + ("round_trip",) * self.round_trip

    @property
    def models(self) -> dict[str, str]:
        """Purpose of calls → the model called."""
        purposes = ("question", *self.judges, *("paraphrase",) * bool(self.paraphrases))
        return {name: self.judge if name == "audit" else self.model for name in purposes}


def read_verbalizer(config: dict[str, Any], naming: str, findings: Findings) -> VerbalizerConfig:
    """Reads the options; invalid ones become problems.

    Args:
        config: The options of the build, from the manifest.
        naming: The naming of the release, used if that of the prompts cannot be read.
        findings: Collects the problems.
    """
    section = config.get("verbalizer", {})
    wanted: dict[str, Any] = {
        "name": lambda v: v in ("template", "openai"),
        "model": lambda v: isinstance(v, str),
        "judge_model": lambda v: isinstance(v, str),
        "round_trip": lambda v: isinstance(v, bool),
        "paraphrases": lambda v: type(v) is int and v >= 0,
        "on_failure": lambda v: v in ("template", "drop"),
        "naming": lambda v: v in NAMINGS,
        "language": lambda v: isinstance(v, str) and v,
        "temperature": lambda v: type(v) in (int, float) and math.isfinite(v),
        "max_tokens": lambda v: type(v) is int and v > 0,
        "attempts": lambda v: type(v) is int and v > 0,
        "prompt": lambda v: v == PROMPT,
        "glosses": lambda v: v == GLOSSES,
    }
    good: dict[str, Any] = {}
    if not isinstance(section, dict):
        findings.add(MANIFEST_NAME, None, "verbalizer", shown(section), "an object, in config")
        section = {}
    by_model = section.get("name") == "openai"
    for key, fits in wanted.items():
        value = section.get(key)
        # Values of other types may not even be comparable.
        if isinstance(value, str | bool | int | float) and fits(value):
            good[key] = value
        elif by_model or (key == "name" and key in section):
            found = f"config.verbalizer.{key} = {shown(value)}"
            findings.add(MANIFEST_NAME, None, "verbalizer", found, "a valid value of this option")
    if by_model and (unknown := sorted(set(section) - set(wanted))):
        found = f"config.verbalizer.{', '.join(unknown)}"
        findings.add(MANIFEST_NAME, None, "verbalizer", found, "no such option")
    if by_model and not good.get("model"):
        expected = "config.verbalizer.model, the name of a model"
        findings.add(MANIFEST_NAME, None, "verbalizer", "none", expected)
    return VerbalizerConfig(
        by_model,
        good.get("model", ""),
        good.get("judge_model", ""),
        good.get("round_trip", False),
        good.get("paraphrases", 0),
        good.get("on_failure") == "drop",
        NAMINGS.index(good.get("naming", naming)),
        good.get("attempts", 1),
    )


def pieces_of(template: str) -> Pieces | None:
    """Cuts a template at ``{topic}`` and undoubles its braces; None if it has a single brace."""
    pieces, last = [""], 0
    for found in _PART.finditer(template):
        pieces[-1] += template[last : found.start()]
        last = found.end()
        if found[0] == "{topic}":
            pieces.append("")
        elif len(found[0]) == 2:
            pieces[-1] += found[0][0]
        else:
            return None
    pieces[-1] += template[last:]
    return tuple(pieces)


def texts_of(row: dict[str, Any]) -> list[tuple[str, Pieces]]:
    """The texts of a question, each with its pieces: those of its pattern if that fits.

    Otherwise a text is cut where it first names the topic entity: "in", but not inside "linked".
    """
    topic, patterns = row["topic"], row.get("patterns", [])
    found = []
    for place, text in enumerate((row["question"], *row.get("paraphrases", ()))):
        pieces = pieces_of(patterns[place]) if place < len(patterns) else None
        if pieces is None or topic.join(pieces) != text:
            spots = occurrences(text, topic) if topic else []
            low, high = spots[0] if spots else (len(text), len(text))
            pieces = (text[:low], text[high:])
        found.append((text, pieces))
    return found


def check_wording(
    here: Located, names: Names, verbalizer: VerbalizerConfig, findings: Findings
) -> None:
    """Checks the origin of the texts of one question.

    Args:
        here: The question.
        names: The tables of names, with the templates.
        verbalizer: The options.
        findings: Collects the problems.
    """

    def add(invariant: str, found: str, expected: str) -> None:
        findings.add(here.file, here.line, invariant, found, expected)

    row = here.row
    wording = row.get("wording", "template")
    allowed = ("model", "fallback") if verbalizer.is_model else ("template",)
    if wording not in allowed:
        expected = f"{' or '.join(allowed)} (manifest, config.verbalizer.name)"
        add("wording", shown(wording), expected)
    if wording == "model":
        _check_patterns(row, verbalizer.paraphrases, add)
        return
    if extra := [key for key in ("paraphrases", "patterns") if row.get(key)]:
        add("wording", f"{' and '.join(extra)} of wording {wording}", "none")
    template = names.relations.get(row["relation"])
    if template is None:
        return
    pieces = pieces_of(template[f"ask_{row['direction']}"])
    if pieces is None or len(pieces) < 2:
        found = shown(template[f"ask_{row['direction']}"])
        line = names.relation_lines[row["relation"]]
        findings.add(
            RELATIONS, line, "template", found, "a text with {topic}, other braces doubled"
        )
    elif row["question"] != row["topic"].join(pieces):
        expected = f"{shown(row['topic'].join(pieces))}, the template of {RELATIONS}"
        add("text is the template", shown(row["question"]), expected)


def check_refused(here: Located, names: Names, findings: Findings) -> None:
    """Checks the text of a rejection: stage ``ask`` rejects template texts; a model's is in the journal."""
    row = here.row
    text, stage = row.get("text", ""), row["stage"]
    if not text or stage == "verbalize":
        return
    subject, relation, target = row["removed"]
    template = names.relations.get(relation, {}).get(f"ask_{row['direction']}", "")
    topic = names.entities.get(subject if row["direction"] == "object" else target)
    pieces = pieces_of(template)
    possible = [name.join(pieces) for name in topic.spelled] if topic and pieces else []
    if stage != "ask" or text not in possible:
        expected = f"the template of {RELATIONS} with a name of the topic entity, by stage ask"
        findings.add(here.file, here.line, "refused text", shown(text), expected)


def _check_patterns(row: dict[str, Any], most: int, add: Any) -> None:
    texts, patterns = [row["question"], *row["paraphrases"]], row["patterns"]
    if len(patterns) != len(texts):
        add("patterns", f"{len(patterns)}", f"{len(texts)}: of the question and each paraphrase")
    if len(row["paraphrases"]) > most:
        found = f"{len(row['paraphrases'])} paraphrases"
        add("paraphrases", found, f"at most {most} (manifest, config.verbalizer.paraphrases)")
    for text, pattern in zip(texts, patterns, strict=False):
        pieces = pieces_of(pattern)
        if pieces is None or len(pieces) < 2:
            add("patterns", shown(pattern), "a text with {topic}, other braces doubled")
        elif row["topic"].join(pieces) != text:
            add("text is its pattern", shown(text), shown(row["topic"].join(pieces)))
    for what, values in (("texts", texts), ("patterns", patterns)):
        if len({_same(value) for value in values}) != len(values):
            add("paraphrases", f"equal {what}", "distinct ones")


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
