"""The records of a release: one frozen dataclass for each kind of line.

All entities in a record have their names in the naming of the release (see `NAMINGS`). Field order is
the order in the file. `FORMAT_VERSION` changes with any change that an older reader would misread;
readers are `rulemine.release.reader`, `rulemine.verify`, and users' own scripts. Over 400 lines because
the whole format is in one place, but for the blocks of the kinds (`rulemine.release.blocks`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulemine.codec import from_json
from rulemine.errors import ConfigError, InputError, did_you_mean
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import Triple
from rulemine.release.blocks import (
    CypherBlock,
    Judgement,
    MinimalQuery,
    QueryBlock,
    RowChange,
    RuleBlock,
    StructureBlock,
    SubgraphBlock,
    VariantBlock,
)

__all__ = [
    "FORMAT_VERSION",
    "QUESTION_KINDS",
    "SPLITS",
    "WORDINGS",
    "Certificate",
    "Cost",
    "CypherBlock",
    "CypherQuestion",
    "Difficulty",
    "HardAnswer",
    "Judgement",
    "MinimalQuery",
    "PerDirection",
    "Prediction",
    "QueryBlock",
    "QueryQuestion",
    "Question",
    "Rejection",
    "Removal",
    "RowChange",
    "RuleBlock",
    "RuleQuestion",
    "StructureBlock",
    "StructureQuestion",
    "SubgraphBlock",
    "SubgraphQuestion",
    "Unseen",
    "VariantBlock",
    "VariantQuestion",
    "names_in",
    "question_from_json",
    "rule_questions",
    "topic_values",
    "translation",
]

FORMAT_VERSION = 3

SPLITS = ("train", "validation", "test")


WORDINGS = ("template", "model", "fallback")
"""Where the text of a question comes from: its relation's template, a language model, or the template
because no text of the model passed the checks."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of a removed triple whose body is in the incomplete KG.

    Attributes:
        rule: Id of the rule.
        proves: Its head in this proof: the removed triple, or another statement of the same fact (see
            `rulemine.kg.facts`).
        body: The body triples, in the order of the rule's body in ``rules.jsonl``.
    """

    rule: str
    proves: Triple
    body: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class PerDirection:
    """A number for each end that can be asked for.

    Attributes:
        subject: When the subject is asked for (the object is the topic entity).
        object: When the object is asked for.
    """

    subject: float
    object: float


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The difficulty features of a removed triple, on the graph without all removed triples.

    Attributes:
        proofs: Remaining proofs: groundings of all rules that prove the triple, or another removed
            statement of its fact that the complete graph has.
        shortest_proof: Body atoms of the shortest of them.
        inverse_edge: Relations from the object to the subject that are still stated, sorted; each gives
            the answer away in one hop.
        parallel_edge: Relations from subject to object still stated, likewise.
        std_confidence: Of the certificate's rule.
        pca_confidence: Of the certificate's rule.
        head_coverage: Of the certificate's rule.
        prior: For each direction, the fraction of the relation's topic entities that have this answer,
            0 < prior ≤ 1 (see `rulemine.kg.priors`).
        lift: `std_confidence` / prior, for each direction.
    """

    proofs: int
    shortest_proof: int
    inverse_edge: tuple[str, ...]
    parallel_edge: tuple[str, ...]
    std_confidence: float
    pca_confidence: float
    head_coverage: float
    prior: PerDirection
    lift: PerDirection


@dataclass(frozen=True, slots=True)
class Removal:
    """A triple of the complete KG that the incomplete KG lacks.

    Attributes:
        triple: The removed triple.
        level: The percentage of the removal at which it goes, 1 … 100; the same for all statements of
            a fact.
        directions: The ends that may be asked for (``subject``, ``object``), sorted: those in which
            the prior of the answer is low enough.
        certificate: The best remaining proof.
        selected_by: Id of the rule that selected the triple; None if that is the certificate's rule.
        difficulty: Its difficulty features.
        core: Whether it is part of the core: nothing joins its two ends any more once it is removed,
            and its certificate is sound enough (see ``docs/release.md``).
        further_certificates: The other proofs that were kept for it; only the published procedure
            (selection ``brink``) keeps more than one.
    """

    triple: Triple
    level: int
    directions: tuple[str, ...]
    certificate: Certificate
    selected_by: str | None
    difficulty: Difficulty
    core: bool
    further_certificates: tuple[Certificate, ...] = ()


@dataclass(frozen=True, slots=True)
class HardAnswer:
    """An answer that the incomplete KG does not state.

    Attributes:
        answer: The entity.
        missing: The least number of removed triples in a derivation of it, ≥ 1.
        level: From this level on, it is not stated.
        witness: The triples of its cheapest derivation on the complete KG.
        core: Whether all removed triples of the witness are in the core, each asked for in one of its
            directions.
    """

    answer: str
    missing: int
    level: int
    witness: tuple[Triple, ...]
    core: bool


@dataclass(frozen=True, slots=True)
class Unseen:
    """What a question has that no training question has. False for training questions.

    Attributes:
        rule: The rule of its certificate.
        relation: Its relation, in either direction.
        answer: Its hard answer, in any row of `hard`.
    """

    rule: bool
    relation: bool
    answer: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question: a query with a text. No two questions of a release share either, but in ``brink``.

    Attributes:
        id: ``q`` and a number, the same in every naming.
        kind: See `QUESTION_KINDS`.
        question: The text; it names the topic entities, never an answer.
        anchors: The topic entities, sorted.
        query: What it asks, as one line of `rulemine.query.tree`, in the naming of the release.
        sparql: The same as SPARQL, see `rulemine.query.sparql`.
        structure: ``1p`` … ``up``, else the shape code; see `rulemine.query.structures`.
        shape: The shape code.
        hops: Greatest distance of an anchor from the answer, ≥ 1.
        answers: All correct answers, sorted: the disjoint union of the next three.
        stated: Those that the incomplete KG states, sorted.
        hard: Those that it does not state but the complete KG does, sorted by answer.
        further: Those that only the reference KG gives, sorted.
        hard_answer: The one of `hard` that the question asks for; None where every answer is stated.
        core: Whether `hard_answer` is in the core.
        evidence: The triples of the witness of `hard_answer`.
        full_evidence: The triples of all witnesses of all answers on the complete KG, sorted.
        spurious: Entities that only the incomplete KG gives; empty for queries without difference.
        value: The value on the complete KG, for counts.
        stated_value: The value on the incomplete KG, for counts.
        split: One of `SPLITS`.
        unseen: What it has that no training question has.
        wording: One of `WORDINGS`.
        paraphrases: Further texts by the model, all different.
        patterns: The model's texts with ``{topic}`` in place of the topic entity's name (``{{`` and ``}}``
            are braces): of the question, then of each paraphrase; with several topic entities ``{topic1}``,
            ``{topic2}``, … in the order of their private ids. Empty if the text is from a template.
    """

    id: str
    kind: str
    question: str
    anchors: tuple[str, ...]
    query: str
    sparql: str
    structure: str
    shape: str
    hops: int
    answers: tuple[str, ...]
    stated: tuple[str, ...]
    hard: tuple[HardAnswer, ...]
    further: tuple[str, ...]
    hard_answer: str | None
    core: bool
    evidence: tuple[Triple, ...]
    full_evidence: tuple[Triple, ...]
    spurious: tuple[str, ...]
    value: int | None
    stated_value: int | None
    split: str
    unseen: Unseen
    wording: str
    paraphrases: tuple[str, ...]
    patterns: tuple[str, ...]

    @property
    def topic(self) -> str:
        """The topic entity of a question with one."""
        return self.anchors[0]

    @property
    def hard_answers(self) -> tuple[str, ...]:
        """The answers of `hard`, sorted."""
        return tuple(row.answer for row in self.hard)

    @property
    def level(self) -> int:
        """The level from which on `hard_answer` is not stated."""
        return next(row.level for row in self.hard if row.answer == self.hard_answer)

    @property
    def missing(self) -> int:
        """The removed triples that `hard_answer` needs; 0 where every answer is stated."""
        return next((row.missing for row in self.hard if row.answer == self.hard_answer), 0)

    @property
    def block(self) -> Any:
        """What only its kind has: the field that is called like it."""
        return getattr(self, self.kind)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations asked about, sorted."""
        raise NotImplementedError

    @property
    def removed(self) -> tuple[Triple, ...]:
        """The removed triples that `hard_answer` needs."""
        raise NotImplementedError

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """The rules of their certificates, sorted."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RuleQuestion(Question):
    """A question of the kind ``rules``: one link, from a removed triple.

    Attributes:
        rules: What only this kind has.
    """

    rules: RuleBlock

    @property
    def relations(self) -> tuple[str, ...]:
        """See `Question`."""
        return (self.rules.relation,)

    @property
    def removed(self) -> tuple[Triple, ...]:
        """See `Question`."""
        return (self.rules.removed,)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """See `Question`."""
        return (self.rules.rule,)


@dataclass(frozen=True, slots=True)
class QueryQuestion(Question):
    """A question that is a query of any form: of every kind but ``rules``."""

    @property
    def relations(self) -> tuple[str, ...]:
        """See `Question`."""
        own: QueryBlock = self.block
        return own.relations

    @property
    def removed(self) -> tuple[Triple, ...]:
        """See `Question`."""
        own: QueryBlock = self.block
        return own.removed

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """See `Question`."""
        own: QueryBlock = self.block
        return own.rules


@dataclass(frozen=True, slots=True)
class StructureQuestion(QueryQuestion):
    """A question of the kind ``structures``: one of the nine logical structures.

    Attributes:
        structures: What only this kind has.
    """

    structures: StructureBlock


@dataclass(frozen=True, slots=True)
class SubgraphQuestion(QueryQuestion):
    """A question of the kind ``subgraphs``: written for a sampled subgraph.

    Attributes:
        subgraphs: What only this kind has.
    """

    subgraphs: SubgraphBlock


@dataclass(frozen=True, slots=True)
class VariantQuestion(QueryQuestion):
    """A question of the kind ``variants``: written for the entities of a seed text.

    Attributes:
        variants: What only this kind has.
    """

    variants: VariantBlock


@dataclass(frozen=True, slots=True)
class CypherQuestion(Question):
    """A question of the kind ``cypher``: a pattern over a property graph, with what is returned of it.

    What `Question` says means here: `query` is a line of `rulemine.cypher.questions.pattern_text`, without
    `sparql`; `structure` is the category of the MATCH template, `shape` the template; `hops` may be 0, and
    `anchors` empty; answers are the distinct rows, as texts, and `spurious` likewise; `patterns` is never
    empty. The witness of a hard row has the triples of one match that gives it, or, where a row rests on all
    of its matches, the removed ones of them; `missing` counts removed values too. `full_evidence` has the
    triples of all matches, or those of `evidence` where they are too many.

    Attributes:
        cypher: What only this kind has.
    """

    cypher: CypherBlock

    @property
    def relations(self) -> tuple[str, ...]:
        """See `Question`."""
        return self.cypher.relations

    @property
    def removed(self) -> tuple[Triple, ...]:
        """See `Question`."""
        return self.cypher.removed

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """See `Question`."""
        return self.cypher.rules


QUESTION_KINDS: dict[str, type[Question]] = {
    "rules": RuleQuestion,
    "structures": StructureQuestion,
    "subgraphs": SubgraphQuestion,
    "variants": VariantQuestion,
    "cypher": CypherQuestion,
}
"""`Question.kind` → the record of such questions."""


def rule_questions(questions: Iterable[Question]) -> tuple[RuleQuestion, ...]:
    """Those of the kind ``rules``; a release has questions of one kind."""
    return tuple(q for q in questions if isinstance(q, RuleQuestion))


def question_from_json(row: dict[str, Any], where: str) -> Question:
    """Decodes a question of any kind.

    Args:
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: The kind is unknown, or as `rulemine.codec.from_json`.
    """
    kind = QUESTION_KINDS.get(str(row.get("kind")))
    if kind is None:
        known = ", ".join(QUESTION_KINDS)
        raise InputError(f"{where}: kind is {row.get('kind')!r}; expected one of {known}.")
    return from_json(kind, row, where)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A question that was rejected, or whose model text was rejected (stage ``verbalize``).

    Attributes:
        stage: The stage that rejected it.
        reason: Why, as a short fixed text that can be counted.
        question: Its id, or "" if it has none yet.
        removed: The removed triple; None for questions of another kind than ``rules``.
        direction: Which end of it was asked for; or "".
        rule: Id of the rule of its certificate; or "".
        detail: What exactly was found.
        text: The refused text, the same in every naming: from ``ask``, in the naming given in the detail;
            from ``verbalize``, the model's last text, verbatim, or a paraphrase, whose reason says so. Empty
            if no text was refused.
        query: What was asked, for questions of another kind than ``rules``; or "".
    """

    stage: str
    reason: str
    question: str
    removed: Triple | None
    direction: str
    rule: str
    detail: str
    text: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer cost.

    Attributes:
        calls: Calls of a model.
        prompt_tokens: Tokens sent, as the endpoint counts them.
        completion_tokens: Tokens received.
        seconds: From sending to receiving, over all calls; None where that was not measured.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """A system's answer to a question, in exactly one of four forms, and what led to it.

    Attributes:
        id: Id of the question.
        raw_output: The system's text, to be matched (see `rulemine.evaluation.matching.matching`), or None.
        answers: Entity names in the naming of the release, the first answer first, or None.
        cypher: Over a property graph: a query, or None.
        rows: Over a property graph: the rows of a result in order, each as a compact JSON array, or None.
        retrieved: The triples that the system retrieved, in the naming of the release, in the order in
            which they were retrieved; None where it does not say.
        generated: Triples that a model proposed; they count as retrieved nowhere.
        ranking: Candidates with scores, the best first, whether or not they are among the answers; None
            where the system does not rank.
        cost: What it cost; None where that is not known.
        cut_off: For each reply that it rests on and that was cut off, the option that limits it, sorted.
    """

    id: str
    raw_output: str | None = None
    answers: tuple[str, ...] | None = None
    cypher: str | None = None
    rows: tuple[str, ...] | None = None
    retrieved: tuple[Triple, ...] | None = None
    generated: tuple[Triple, ...] = ()
    ranking: tuple[tuple[str, float], ...] | None = None
    cost: Cost | None = None
    cut_off: tuple[str, ...] = ()


def topic_values(anchors: Sequence[str], private: Mapping[str, str]) -> dict[str, str]:
    """What the placeholders of a question's `Question.patterns` stand for.

    Args:
        anchors: Its topic entities.
        private: Entity → private id.

    Returns:
        ``topic`` → the only one; or ``topic1``, ``topic2``, … → each, by private id.
    """
    ordered = sorted(anchors, key=private.__getitem__)
    if len(ordered) == 1:
        return {"topic": ordered[0]}
    return {f"topic{number}": anchor for number, anchor in enumerate(ordered, start=1)}


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
