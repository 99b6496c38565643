"""What a model was asked: the calls that questions and their texts lead to, written out once more.

The first call for a text, the first for its paraphrases, and those that judge a text follow from the
release alone: prompts, glosses, options, names, and the removed triple. So do their keys, under which the
journal has them. Later attempts quote reasons that no release keeps; they cannot be written out again.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rulemine.verify.names import Names
from rulemine.verify.prompts import Gloss, Prompt
from rulemine.verify.shapes import DIRECTIONS, NAMINGS
from rulemine.verify.wording import Verbalizer

__all__ = ["Call", "Calls", "Query", "draw"]

MOST_CHOICES = 50
"""Relations that a round trip chooses from at most."""

_TEXT = {"type": "string"}


def _schema(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_SCHEMAS = {
    "question": _schema(question=_TEXT),
    "paraphrase": _schema(questions={"type": "array", "items": _TEXT}),
    "audit": _schema(verdict={"type": "string", "enum": ["PASS", "FAIL"]}, reason=_TEXT),
    "round_trip": _schema(relation=_TEXT, direction={"type": "string", "enum": list(DIRECTIONS)}),
}
_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_WORD = re.compile(r"[^\W\d_]{3,}")


class Query(NamedTuple):
    """What a question asks, kept or not.

    Attributes:
        removed: Its removed triple.
        direction: The end asked for.
    """

    removed: tuple[str, str, str]
    direction: str

    @property
    def topic(self) -> str:
        """The end that is named."""
        return self.removed[0 if self.direction == "object" else 2]

    @property
    def relation(self) -> str:
        """The relation."""
        return self.removed[1]


class Call(NamedTuple):
    """A call.

    Attributes:
        key: SHA-256 of the version of the prompt, the model, the messages and the parameters.
        request: SHA-256 of the same without the version.
    """

    key: bytes
    request: bytes


class Calls:
    """Writes calls out; None where what they need is not in the release, which is noted elsewhere.

    Args:
        prompts: Purpose → its prompt.
        glosses: What the relations mean.
        names: The tables of names.
        verbalizer: The options.
    """

    def __init__(
        self,
        prompts: Mapping[str, Prompt],
        glosses: Mapping[str, Gloss],
        names: Names,
        verbalizer: Verbalizer,
    ) -> None:
        self._prompts, self._glosses, self._names = prompts, glosses, names
        self._verbalizer = verbalizer
        self._choices: dict[str, list[str]] = {}

    def question(self, query: Query, context: Sequence[str]) -> Call | None:
        """The first call for a text; the context is that of its topic, in words."""
        return self._about(query, "question", context, {})

    def paraphrase(self, query: Query, context: Sequence[str], text: str) -> Call | None:
        """The first call for the paraphrases of a text."""
        count = {"count": str(self._verbalizer.paraphrases)}
        return self._about(query, "paraphrase", context, count, {"questions": [{"text": text}]})

    def audit(self, query: Query, context: Sequence[str], text: str) -> Call | None:
        """The call by which the auditor judges a text."""
        return self._about(query, "audit", context, {"question": text})

    def round_trip(self, query: Query, text: str) -> Call | None:
        """The call by which relation and direction of a text are to be recognised."""
        if query.relation not in self._glosses or "round_trip" not in self._prompts:
            return None
        if query.relation not in self._choices:
            line = self._prompts["round_trip"].templates.get("relation", "")
            self._choices[query.relation] = [
                fill(line, {"relation": name, "statement": self.state(("S", name, "O"))})
                for name in self._chosen(query.relation)
            ]
        blocks = {"{relations}": self._choices[query.relation]}
        return self._call("round_trip", {"question": text}, blocks)

    def state(self, triple: Sequence[str]) -> str:
        """A triple in the words of its gloss; empty where it has none."""
        subject, relation, target = triple
        gloss = self._glosses.get(relation)
        return fill(gloss.statement, {"subject": subject, "object": target}) if gloss else ""

    def _about(
        self,
        query: Query,
        purpose: str,
        context: Sequence[str],
        more: dict[str, str],
        listed: Mapping[str, list[dict[str, str]]] | None = None,
    ) -> Call | None:
        prompt, gloss = self._prompts.get(purpose), self._glosses.get(query.relation)
        first, second = (self._names.entities.get(query.removed[end]) for end in (0, 2))
        if not (prompt and gloss and first and second) or query.direction not in DIRECTIONS:
            return None
        naming = self._verbalizer.naming
        subject, target = first.spelled[naming], second.spelled[naming]
        topic, answer = (subject, target) if query.direction == "object" else (target, subject)
        values = more | {
            "subject": subject,
            "relation": query.relation,
            "object": target,
            "topic": topic,
            "answer": answer,
            "meaning": self.state((subject, query.relation, target)),
            "asked": fill(getattr(gloss, f"{query.direction}s"), {"topic": topic}),
            "names": prompt.names.get(NAMINGS[naming], ""),
            "language": self._verbalizer.language,
        }
        blocks = {
            "{earlier}": [],
            "{context}": _lines(prompt, "context", ({"fact": f} for f in context)),
        }
        for name, rows in (listed or {}).items():
            blocks[f"{{{name}}}"] = _lines(prompt, name.removesuffix("s"), rows)
        return self._call(purpose, values, blocks)

    def _call(
        self, purpose: str, values: Mapping[str, str], blocks: Mapping[str, list[str]]
    ) -> Call:
        prompt, chosen = self._prompts[purpose], self._verbalizer
        lines: list[str] = []
        for line in prompt.templates.get("user", "").strip("\n").split("\n"):
            lines += blocks[line.strip()] if line.strip() in blocks else [fill(line, values)]
        system = fill(prompt.templates.get("system", "").strip("\n"), {})
        body = {
            "model": chosen.auditor if purpose == "audit" else chosen.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": "\n".join(lines)},
            ],
            "max_tokens": chosen.max_tokens,
            **({"temperature": chosen.temperature} if chosen.temperature >= 0 else {}),
            "seed": chosen.seed % 2**31,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": purpose, "strict": True, "schema": _SCHEMAS[purpose]},
            },
        }
        return Call(_digest({"prompt_version": prompt.version, **body}), _digest(body))

    def _chosen(self, relation: str) -> list[str]:
        """The relations that a round trip chooses from: all that can be told apart, or the nearest."""
        same = _endless(self._glosses[relation].statement)
        others = [
            name
            for name in sorted(self._glosses)
            if name != relation and _endless(self._glosses[name].statement) != same
        ]
        if len(others) >= MOST_CHOICES:
            mine = self._words(relation)
            drawn = draw(self._verbalizer.seed, len(others), "round_trip", relation)
            near = []
            for name, place in zip(others, drawn, strict=True):
                words = self._words(name)
                near.append((-len(mine & words) / len(mine | words), place, name))
            others = [name for _, _, name in sorted(near)[: MOST_CHOICES - 1]]
        return sorted([relation, *others])

    def _words(self, relation: str) -> set[str]:
        found = _WORD.findall(f"{relation} {self._glosses[relation].statement}".lower())
        return {relation, *found} - ({"subject", "object", "the"} - {relation})


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with its values put in as they are; what has none stays."""
    return _PART.sub(
        lambda found: values.get(found[1], found[0]) if found[1] else found[0][0], template
    )


def draw(seed: int, count: int, *names: str) -> list[int]:
    """The numbers below `count` in the order that the stream of a seed and some names draws."""
    text = "\x1f".join((str(seed), *names))
    digest = hashlib.sha256(text.encode()).digest()
    drawn = np.asarray(np.random.PCG64(int.from_bytes(digest, "big")).random_raw(count), np.uint64)
    return [int(n) for n in np.argsort(drawn >> np.uint64(11), kind="stable")]


def _lines(prompt: Prompt, key: str, rows: Iterable[Mapping[str, str]]) -> list[str]:
    return [fill(prompt.templates.get(key, ""), row) for row in rows]


def _endless(statement: str) -> str:
    """A statement that does not tell one end from the other."""
    return statement.replace("{subject}", "{}").replace("{object}", "{}")


def _digest(value: Any) -> bytes:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).digest()
