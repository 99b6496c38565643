"""The records of a release: one frozen record per line kind, and how each is written and read.

Every triple and entity in a record is a name in the naming of its release (see `Naming`). Field
order is the order in the file. `FORMAT_VERSION` changes with any change that an older reader would
misread; readers are `rulemine.release`, `rulemine.verify`, and users' own scripts.
"""

import dataclasses
import functools
import types
import typing
from dataclasses import dataclass
from typing import Any, TypeVar

from rulemine.errors import InputError
from rulemine.kg import Triple

__all__ = [
    "FORMAT_VERSION",
    "NAMINGS",
    "SPLITS",
    "WORDINGS",
    "Certificate",
    "Diagnosis",
    "EntityNames",
    "Prediction",
    "Question",
    "Rejection",
    "Removal",
    "from_json",
    "to_json",
]

FORMAT_VERSION = 2

SPLITS = ("train", "validation", "test")

NAMINGS = ("private", "entity", "text", "paper")
"""How a release names entities: private id (fixed width), id of the source, unique text label, or the
private number without padding (as the published benchmark does)."""

DIRECTIONS = ("subject", "object")
"""Which end of the relation a question asks for."""

WORDINGS = ("template", "model", "fallback")
"""Where a question's text comes from: its relation's phrase, a language model, or the phrase because the
model's texts failed the checks."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of a removed triple that the incomplete KG still holds.

    Attributes:
        rule: Id of the rule.
        body: The body triples, in the order of the rule's body in ``rules.jsonl``.
    """

    rule: str
    body: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """A triple of the complete KG that the incomplete KG lacks.

    Attributes:
        triple: The removed triple.
        level: The smallest level (percent of all removals) at which it is removed; 100 without levels.
        certificates: At least one.
    """

    triple: Triple
    level: int
    certificates: tuple[Certificate, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What makes a question easy or hard.

    Attributes:
        proofs: Groundings of all rules that still prove the removed triple in the incomplete KG.
        shortest_proof: Body atoms of the shortest of them.
        reverse_edge: Relations from the object back to the subject of the removed triple that the
            incomplete KG still states, sorted; each gives the answer away in one hop.
        parallel_edge: Relations from subject to object still stated, likewise.
        answers_stated: How many of the answers the incomplete KG still states directly.
        head_coverage: Of the certificate's rule.
        std_confidence: Of the certificate's rule.
        pca_confidence: Of the certificate's rule.
    """

    proofs: int
    shortest_proof: int
    reverse_edge: tuple[str, ...]
    parallel_edge: tuple[str, ...]
    answers_stated: int
    head_coverage: float
    std_confidence: float
    pca_confidence: float


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a removed triple.

    Attributes:
        id: ``q`` and a number, the same in every naming.
        question: The text; it names the topic, never the answer.
        topic: The topic entity.
        relation: The relation asked about.
        direction: Which end is asked for: ``object`` (topic is the subject) or ``subject``.
        answers: All correct answers, sorted: those of the complete KG (and of the reference KG, where
            one was given) in the question's direction.
        hard_answer: The answer that the question was made from.
        hard_answers: The answers whose triple is removed, sorted.
        removed: The removed triple that the question was made from.
        level: The level of that triple, see `Removal`.
        rule: Id of the rule of the certificate.
        rule_type: See `rulemine.rule_type`.
        rule_subtype: Likewise.
        certificate: The body triples of the proof that is left, in the order of the rule's body.
        diagnosis: What makes it easy or hard.
        split: One of `SPLITS`.
        wording: One of `WORDINGS`.
        paraphrases: Further texts by the model, all different.
        patterns: The model's texts with ``{topic}`` in the place of the topic's name (``{{`` and ``}}``
            are braces): of the question, then of each paraphrase. Empty where the text is a phrase.
    """

    id: str
    question: str
    topic: str
    relation: str
    direction: str
    answers: tuple[str, ...]
    hard_answer: str
    hard_answers: tuple[str, ...]
    removed: Triple
    level: int
    rule: str
    rule_type: str
    rule_subtype: str
    certificate: tuple[Triple, ...]
    diagnosis: Diagnosis
    split: str
    wording: str = "template"
    paraphrases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """A question that was made and not kept, or whose text was not kept (stage ``verbalize``).

    Attributes:
        stage: The stage that rejected it.
        reason: Why, as a short fixed phrase that can be counted.
        question: Its id, or "" when it has none yet.
        removed: The removed triple.
        direction: Which end was asked for.
        rule: Id of the rule of its certificate.
        detail: What exactly was found.
    """

    stage: str
    reason: str
    question: str
    removed: Triple
    direction: str
    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The names of one entity, a row of ``entities.tsv``.

    Attributes:
        private: Private id: a seeded permutation, ``e`` and a fixed number of digits.
        entity: As in the source.
        text: A text label, unique in the release.
    """

    private: str
    entity: str
    text: str

    def name_in(self, naming: str) -> str:
        """The name in one of `NAMINGS`.

        Raises:
            InputError: The private id has no number, so the naming ``paper`` has no name.
        """
        if naming != "paper":
            return {"private": self.private, "entity": self.entity, "text": self.text}[naming]
        if not self.private[1:].isdecimal():
            raise InputError(f"private id {self.private!r} is not e and a number.")
        return str(int(self.private[1:]))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a system answered to a question: exactly one of the two forms.

    Attributes:
        id: Id of the question.
        raw_output: The system's text, to be matched (see `rulemine.evaluation.matching`), or None.
        answers: Entity names in the naming of the release, or None.
    """

    id: str
    raw_output: str | None = None
    answers: tuple[str, ...] | None = None


_R = TypeVar("_R")

_TEXTS = tuple[str, ...]


def to_json(record: Any) -> dict[str, Any]:
    """A record as a JSON object, fields in their order; tuples become arrays."""
    return {name: _plain(getattr(record, name)) for name in _layout(type(record))[0]}  # type: ignore[arg-type]  # classes are hashable


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is float:
        return value
    if isinstance(value, tuple):
        return [item if type(item) is str else _plain(item) for item in value]
    return to_json(value) if dataclasses.is_dataclass(value) else value


def from_json(kind: type[_R], row: dict[str, Any], where: str) -> _R:
    """A record out of a JSON object, every field checked for its type.

    Args:
        kind: The record class.
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: A field is missing, unknown, or of another type.
    """
    hints, fields = _layout(kind)  # type: ignore[arg-type]  # classes are hashable
    if unknown := row.keys() - hints.keys():
        raise InputError(f"{where}: unknown field(s) {', '.join(sorted(unknown))}.")
    values: dict[str, Any] = {}
    for f in fields:
        if f.name in row:
            value, hint = row[f.name], hints[f.name]
            # The common cases, worth no message: most of a release are texts and lists of answers.
            if type(value) is hint:
                values[f.name] = value
            elif hint == _TEXTS and type(value) is list and all(type(v) is str for v in value):
                values[f.name] = tuple(value)
            else:
                values[f.name] = _read(hint, value, f"{where}: field {f.name!r}")
        elif f.default is dataclasses.MISSING:
            raise InputError(f"{where}: field {f.name!r} is missing.")
    return kind(**values)


@functools.cache  # resolved anew for every line, the hints would take most of the reading time
def _layout(kind: type) -> tuple[dict[str, Any], tuple[dataclasses.Field[Any], ...]]:
    hints, fields = typing.get_type_hints(kind), dataclasses.fields(kind)
    return {f.name: hints[f.name] for f in fields}, fields


def _read(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is types.UnionType:
        options = [o for o in typing.get_args(hint) if o is not type(None)]
        return None if value is None else _read(options[0], value, where)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise InputError(f"{where}: an object was expected, found {value!r}.")
        return from_json(typing.cast(type, hint), value, where)
    if origin is tuple:
        inner = typing.get_args(hint)
        if not isinstance(value, list):
            raise InputError(f"{where}: an array was expected, found {value!r}.")
        if inner in ((str, ...), (str,) * len(value)) and all(type(v) is str for v in value):
            return tuple(value)  # lists of answers and triples are most of a release
        if inner[-1] is Ellipsis:
            return tuple(_read(inner[0], item, where) for item in value)
        if len(value) != len(inner):
            raise InputError(f"{where}: {len(inner)} items were expected, found {value!r}.")
        return tuple(_read(h, item, where) for h, item in zip(inner, value, strict=True))
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise InputError(f"{where}: {hint.__name__} was expected, found {value!r}.")
    return value
