"""The records of a release: one frozen dataclass for each kind of line.

All entities in a record have their names in the naming of the release (see `NAMINGS`). Field order is
the order in the file. `FORMAT_VERSION` changes with any change that an older reader would misread;
readers are `rulemine.release.reader`, `rulemine.verify`, and users' own scripts.
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
"""Where the text of a question comes from: its relation's template, a language model, or the template
because no text of the model passed the checks."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of a removed triple whose body is in the incomplete KG.

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
    """The difficulty features of a question.

    Attributes:
        proofs: Remaining proofs: groundings of all rules that prove the removed triple in the incomplete KG.
        shortest_proof: Body atoms of the shortest of them.
        reverse_edge: Inverse edges: relations from the object to the subject of the removed triple that
            the incomplete KG still states, sorted; each gives the answer away in one hop.
        parallel_edge: Relations from subject to object still stated, likewise.
        answers_stated: How many of the answers the incomplete KG still states (easy answers).
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
        question: The text; it names the topic entity, never an answer.
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
        certificate: The body triples of a remaining proof, in the order of the rule's body.
        diagnosis: Its difficulty features.
        split: One of `SPLITS`.
        wording: One of `WORDINGS`.
        paraphrases: Further texts by the model, all different.
        patterns: The model's texts with ``{topic}`` in place of the topic entity's name (``{{`` and ``}}``
            are braces): of the question, then of each paraphrase. Empty if the text is from a template.
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
    """A question that was rejected, or whose model text was rejected (stage ``verbalize``).

    Attributes:
        stage: The stage that rejected it.
        reason: Why, as a short fixed text that can be counted.
        question: Its id, or "" if it has none yet.
        removed: The removed triple.
        direction: Which end was asked for.
        rule: Id of the rule of its certificate.
        detail: What exactly was found.
        text: The refused text, the same in every naming: from ``ask``, in the naming given in the detail;
            from ``verbalize``, the model's last text, verbatim. Empty if no text was refused, and in
            releases older than this field.
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
    """A system's answer to a question, in exactly one of two forms.

    Attributes:
        id: Id of the question.
        raw_output: The system's text, to be matched (see `rulemine.evaluation.matching`), or None.
        answers: Entity names in the naming of the release, or None.
    """

    id: str
    raw_output: str | None = None
    answers: tuple[str, ...] | None = None


def names_in(entities: Sequence[EntityNames], naming: str) -> tuple[str, ...]:
    """The entities' names in a naming, in the order given.

    Raises:
        ConfigError: There is no such naming.
    """
    if naming not in NAMINGS:
        raise ConfigError(f"no naming {naming!r}; {did_you_mean(naming, NAMINGS)}")
    return tuple(e.name_in(naming) for e in entities)


def translation(entities: Sequence[EntityNames], source: str, target: str) -> dict[str, str]:
    """Maps entity names of one naming to those of another."""
    return dict(zip(names_in(entities, source), names_in(entities, target), strict=True))
