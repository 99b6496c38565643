"""The records of a release: one frozen record per line kind, and how each is written and read.

Every triple and entity in a record is a name in the naming of its release (see `Naming`). Field
order is the order in the file. `FORMAT_VERSION` changes with any change that an older reader would
misread; readers are `rulemine.release.reader`, `rulemine.verify`, and users' own scripts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rulemine.errors import ConfigError, did_you_mean
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import Triple

__all__ = [
    "FORMAT_VERSION",
    "SPLITS",
    "WORDINGS",
    "Certificate",
    "Difficulty",
    "Prediction",
    "Question",
    "Rejection",
    "Removal",
    "names_in",
    "translation",
]

FORMAT_VERSION = 2

SPLITS = ("train", "validation", "test")


WORDINGS = ("template", "model", "fallback")
"""Where a question's text comes from: its relation's template, a language model, or the template because the
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
class Difficulty:
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
        rule_type: See `rulemine.rules.taxonomy`.
        rule_subtype: Likewise.
        certificate: The body triples of the proof that is left, in the order of the rule's body.
        diagnosis: What makes it easy or hard.
        split: One of `SPLITS`.
        wording: One of `WORDINGS`.
        paraphrases: Further texts by the model, all different.
        patterns: The model's texts with ``{topic}`` in the place of the topic's name (``{{`` and ``}}``
            are braces): of the question, then of each paraphrase. Empty where the text is a template.
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
    diagnosis: Difficulty
    split: str
    wording: str = "template"
    paraphrases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """A question that was made and not kept, or whose text was not kept (stage ``verbalize``).

    Attributes:
        stage: The stage that rejected it.
        reason: Why, as a short fixed text that can be counted.
        question: Its id, or "" when it has none yet.
        removed: The removed triple.
        direction: Which end was asked for.
        rule: Id of the rule of its certificate.
        detail: What exactly was found.
        text: The text that was refused, the same in every naming: by ``ask``, in the naming that its
            detail names; by ``verbalize``, the last that the model wrote, as it came. Empty where no
            text was refused, and in releases from before there was this field.
    """

    stage: str
    reason: str
    question: str
    removed: Triple
    direction: str
    rule: str
    detail: str
    text: str = ""


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


def names_in(entities: Sequence[EntityNames], naming: str) -> tuple[str, ...]:
    """The names of entities in a naming, in the order given.

    Raises:
        ConfigError: There is no such naming.
    """
    if naming not in NAMINGS:
        raise ConfigError(f"naming: {naming!r} is none; {did_you_mean(naming, NAMINGS)}")
    return tuple(e.name_in(naming) for e in entities)


def translation(entities: Sequence[EntityNames], source: str, target: str) -> dict[str, str]:
    """Entity names of one naming → those of another."""
    return dict(zip(names_in(entities, source), names_in(entities, target), strict=True))
