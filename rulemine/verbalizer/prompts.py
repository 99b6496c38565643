"""What a language model is told: templates out of a TOML file that users can edit.

A template is a text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces. A placeholder alone on
its line stands for any number of lines. Guarantees: every placeholder of a template is known and every one
that is needed is there; names are put in verbatim, whatever they contain, and are never interpreted; the
user messages of questions, paraphrases and audits hold ``Removed Triple``, ``Question Entity`` and
``Answer Entity`` each on a line of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from rulemine.config import packaged, read_toml
from rulemine.errors import ConfigError, list_problems
from rulemine.files import read_text
from rulemine.kg.graph import Triple
from rulemine.llm.call import Message
from rulemine.phrasing.glosses import Gloss
from rulemine.text.template import fill
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.prompt_schema import BLOCK, PURPOSES, problems_of

__all__ = ["PURPOSES", "Prompts", "load_prompts"]

MOST_QUOTED = 300
"""Characters that are quoted of an earlier attempt, and of the reason against it."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a file.

    Attributes:
        text: The file, as it is.
        sections: Purpose → key → template.
        names: Naming → how its names look, in words.
    """

    text: str
    sections: Mapping[str, Mapping[str, Any]] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)

    def question(
        self, brief: Brief, earlier: Sequence[tuple[str, str]], language: str
    ) -> tuple[Message, ...]:
        """Asks for a question.

        Args:
            brief: What it is about.
            earlier: The attempts so far and the reason against each.
            language: Its language, by its English name.
        """
        blocks = {
            "context": self._context("question", brief),
            "earlier": self._earlier("question", earlier),
        }
        return self._messages("question", self._values(brief) | {"language": language}, blocks)

    def paraphrase(
        self,
        brief: Brief,
        questions: Sequence[str],
        count: int,
        earlier: Sequence[tuple[str, str]],
        language: str,
    ) -> tuple[Message, ...]:
        """Asks for further wordings of a question.

        Args:
            brief: What it is about.
            questions: The texts that there are already, at least one.
            count: How many more are wanted.
            earlier: As for `question`.
            language: Likewise.
        """
        line = self.sections["paraphrase"]["question"]
        blocks = {
            "context": self._context("paraphrase", brief),
            "questions": [fill(line, {"text": text}) for text in questions],
            "earlier": self._earlier("paraphrase", earlier),
        }
        values = {"language": language, "count": str(count)}
        return self._messages("paraphrase", self._values(brief) | values, blocks)

    def audit(self, brief: Brief, question: str) -> tuple[Message, ...]:
        """Asks whether a question, the direction and the removed triple agree."""
        blocks = {"context": self._context("audit", brief)}
        return self._messages("audit", self._values(brief) | {"question": question}, blocks)

    def round_trip(self, question: str, choices: Sequence[Gloss]) -> tuple[Message, ...]:
        """Asks which relation a question is about, and which end it asks for.

        Args:
            question: The question.
            choices: The glosses of the relations to choose from.
        """
        line = self.sections["round_trip"]["relation"]
        rows = [_choice(line, gloss) for gloss in choices]
        return self._messages("round_trip", {"question": question}, {"relations": rows})

    def gloss(
        self,
        relation: str,
        samples: Sequence[Triple],
        earlier: Sequence[tuple[str, str]],
        language: str,
    ) -> tuple[Message, ...]:
        """Asks what a relation means.

        Args:
            relation: The relation.
            samples: Some of its triples.
            earlier: As for `question`.
            language: Likewise.
        """
        line = self.sections["gloss"]["sample"]
        blocks = {
            "samples": [fill(line, {"subject": s, "object": o}) for s, _, o in samples],
            "earlier": self._earlier("gloss", earlier),
        }
        return self._messages("gloss", {"relation": relation, "language": language}, blocks)

    def _values(self, brief: Brief) -> dict[str, str]:
        subject, relation, object_ = brief.removed
        return {
            "subject": subject,
            "relation": relation,
            "object": object_,
            "topic": brief.topic_name,
            "answer": brief.hard_answer.name_in(brief.naming),
            "meaning": brief.gloss.state(subject, object_),
            "asked": brief.asked,
            "names": self.names[brief.naming],
        }

    def _context(self, purpose: str, brief: Brief) -> list[str]:
        line = self.sections[purpose]["context"]
        return [fill(line, {"fact": fact}) for fact in brief.context]

    def _earlier(self, purpose: str, earlier: Iterable[tuple[str, str]]) -> list[str]:
        line = self.sections[purpose]["earlier"]
        return [fill(line, {"text": _quoted(t), "reason": _quoted(r)}) for t, r in earlier]

    def _messages(
        self, purpose: str, values: Mapping[str, str], blocks: Mapping[str, Sequence[str]]
    ) -> tuple[Message, ...]:
        section = self.sections[purpose]
        lines: list[str] = []
        for text, block in _parts(section["user"]):
            lines += blocks[block] if block else [fill(text, values)]
        return (
            {"role": "system", "content": fill(section["system"].strip("\n"), {})},
            {"role": "user", "content": "\n".join(lines)},
        )


@lru_cache(maxsize=len(PURPOSES))
def _parts(template: str) -> tuple[tuple[str, str], ...]:
    """A template in parts: lines that are filled as they are, or else the name of a block."""
    parts: list[tuple[str, str]] = []
    for line in template.strip("\n").split("\n"):
        if block := BLOCK.fullmatch(line):
            parts.append(("", block[1]))
        elif parts and not parts[-1][1]:
            parts[-1] = (f"{parts[-1][0]}\n{line}", "")
        else:
            parts.append((line, ""))
    return tuple(parts)


@lru_cache(maxsize=1 << 14)  # every round trip shows many of them
def _choice(line: str, gloss: Gloss) -> str:
    return fill(line, {"relation": gloss.relation, "statement": gloss.state("S", "O")})


def _quoted(text: str) -> str:
    """A model's words on one line, cut to a decent length."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_QUOTED else f"{line[:MOST_QUOTED]}…"


def load_prompts(source: str) -> Prompts:
    """The prompts of a file.

    Args:
        source: A TOML file, or "" for the one that comes with the package.

    Raises:
        ConfigError: The file cannot be read or is not TOML; or sections, templates or placeholders are
            missing, unknown or of another type: all of it in one message.
    """
    default = packaged("verbalizer", "prompts.toml")
    path = Path(source) if source else default
    tables = read_toml(path)
    if problems := problems_of(tables):
        advice = f"A prompt file that is whole: {default}"
        raise ConfigError(list_problems(str(path), problems, advice))
    sections = {purpose: tables[purpose] for purpose in PURPOSES}
    return Prompts(read_text(path), sections, tables["names"])
