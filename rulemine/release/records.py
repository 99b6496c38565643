"""The records of a release: one frozen dataclass for each kind of line.

All entities in a record have their names in the naming of the release (see `NAMINGS`). Field order is
the order in the file. `FORMAT_VERSION` changes with any change that an older reader would misread;
readers are `rulemine.release.reader`, `rulemine.verify`, and users' own scripts. The whole format is here,
but for the blocks of the kinds.

The type of a field says what is renamed with a release: `Entity`, `Triple`, `Query`, `Answer`, and
records and tuples of them. Renamed tuples are sorted again, unless the type says another order (`as_given`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from rulemine.codec import from_json
from rulemine.errors import ConfigError, did_you_mean
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kinds.registry import kind_named

__all__ = [
    "FORMAT_VERSION",
    "MISSING",
    "SEED_TEXTS",
    "SPLITS",
    "TWIN_GRAPHS",
    "UNPROVABLE",
    "WORDINGS",
    "Answer",
    "Certificate",
    "Cost",
    "Difficulty",
    "Entity",
    "HardAnswer",
    "Missing",
    "PerDirection",
    "Prediction",
    "Query",
    "Question",
    "Rejection",
    "Removal",
    "SeedRow",
    "Triple",
    "Twin",
    "Unseen",
    "as_given",
    "asked_row",
    "names_in",
    "question_from_json",
    "seeds_with_splits",
    "topic_values",
    "translation",
    "without_answers",
]

FORMAT_VERSION = 5

SPLITS = ("train", "validation", "test")

Entity = Annotated[str, "entity"]
"""The name of an entity."""

Query = Annotated[str, "query"]
"""A query, which names entities."""

Answer = Annotated[str, "answer"]
"""An answer, of the type that the kind has (`rulemine.kinds.answers`): an entity, or a row."""

Triple = tuple[Entity, str, Entity]
"""A triple of a graph, see `rulemine.kg.graph`."""


def as_given(values: tuple[Any, ...], _record: object) -> tuple[Any, ...]:
    """The order of a tuple that is not sorted again when it is renamed."""
    return values


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
    body: Annotated[tuple[Triple, ...], as_given]


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
        parallel_edge: Relations from subject to object still stated, sorted; each gives
            the answer away in one hop.
        std_confidence: Of the certificate's rule.
        pca_confidence: Of the certificate's rule.
        head_coverage: Of the certificate's rule.
        prior: For each direction, the fraction of the relation's topic entities that have this answer,
            0 < prior ≤ 1 (see `rulemine.kg.facts`).
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


MISSING = "missing.jsonl"


@dataclass(frozen=True, slots=True)
class Missing:
    """A triple of the complete KG that the incomplete KG lacks; alone, one that has no certificate.

    Attributes:
        triple: The triple.
        level: The percentage of the removal at which it goes, 1 … 100; the same for all statements of
            a fact.
    """

    triple: Triple
    level: int


@dataclass(frozen=True, slots=True)
class Removal(Missing):
    """A missing triple that the incomplete KG still proves.

    Attributes:
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

    directions: tuple[str, ...]
    certificate: Certificate
    selected_by: str | None
    difficulty: Difficulty
    core: bool
    further_certificates: Annotated[tuple[Certificate, ...], as_given] = ()


@dataclass(frozen=True, slots=True, order=True)
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

    answer: Answer
    missing: int
    level: int
    witness: Annotated[tuple[Triple, ...], as_given]
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
        kind: A name of `rulemine.kinds.registry.KINDS`.
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
        relations: The relations asked about, sorted.
        intermediates: Every entity that a variable other than the answer takes in a derivation on the
            complete KG, without anchors and answers, sorted; none of the kinds ``rules`` and ``cypher``.
        removed: The removed triples that `hard_answer` needs, in the order of `evidence`, each once; none
            where every answer is stated. Of the kind ``cypher``, those of all matches, sorted.
        rules: The ids of the rules of their certificates, sorted.
        split: One of `SPLITS`.
        unseen: What it has that no training question has.
        wording: One of `WORDINGS`.
        paraphrases: Further texts by the model, all different.
        patterns: The model's texts with ``{topic}`` in place of the topic entity's name (``{{`` and ``}}``
            are braces): of the question, then of each paraphrase; with several topic entities ``{topic1}``,
            ``{topic2}``, … in the order of their private ids. Empty if the text is from a template.
        block: What only its kind has: a record of its `rulemine.kinds.kind.Kind.block`, or, where that kind
            is not installed, an object as JSON has it.
    """

    id: str
    kind: str
    question: str
    anchors: tuple[Entity, ...]
    query: Query
    sparql: str
    structure: str
    shape: str
    hops: int
    answers: tuple[Answer, ...]
    stated: tuple[Answer, ...]
    hard: tuple[HardAnswer, ...]
    further: tuple[Answer, ...]
    hard_answer: Annotated[str | None, "answer"]
    core: bool
    evidence: Annotated[tuple[Triple, ...], as_given]
    full_evidence: tuple[Triple, ...]
    spurious: tuple[Answer, ...]
    value: int | None
    stated_value: int | None
    relations: tuple[str, ...]
    intermediates: tuple[Entity, ...]
    removed: tuple[Triple, ...]
    rules: tuple[str, ...]
    split: str
    unseen: Unseen
    wording: str
    paraphrases: tuple[str, ...]
    patterns: tuple[str, ...]
    block: Any

    @property
    def topic(self) -> str:
        """The topic entity of a question with one."""
        return self.anchors[0]

    @property
    def end(self) -> str:
        """The end of a removed triple that a question with a single link asks for; "" of all others."""
        return (
            ""
            if self.structure != "1p" or not self.removed
            else ("subject", "object")[self.removed[0][2] == self.hard_answer]
        )

    @property
    def hard_answers(self) -> tuple[str, ...]:
        """The answers of `hard`, sorted."""
        return tuple(row.answer for row in self.hard)

    @property
    def graded(self) -> bool:
        """Whether it is known of any answer whether the incomplete KG states it."""
        return bool(self.stated or self.hard or self.further)

    @property
    def level(self) -> int:
        """The level from which on `hard_answer` is not stated."""
        return next(row.level for row in self.hard if row.answer == self.hard_answer)

    @property
    def missing(self) -> int:
        """The removed triples that `hard_answer` needs; 0 where every answer is stated."""
        return next((row.missing for row in self.hard if row.answer == self.hard_answer), 0)


def question_from_json(row: dict[str, Any], where: str) -> Question:
    """Decodes a question of any kind; its block stays as it is where the kind is not installed.

    Args:
        row: The object.
        where: File and line, for the message.

    Raises:
        InputError: As `rulemine.codec.from_json`.
    """
    own = kind_named(str(row.get("kind"))).block
    if own is not None:
        row = row | {"block": from_json(own, row.get("block"), f"{where}: block")}
    return from_json(Question, row, where)


def asked_row(question: Question) -> dict[str, Any]:
    """What a system is given of a question."""
    return {"id": question.id, "question": question.question, "topic_entities": question.anchors}


def without_answers(row: Mapping[str, Any], kind: str, split: str) -> Question:
    """The question of which `asked_row` is all that is known; its block is None."""
    return Question(
        row["id"], kind, row["question"], tuple(row["topic_entities"]),
        query="", sparql="", structure="", shape="", hops=0, answers=(), stated=(), hard=(), further=(),
        hard_answer=None, core=False, evidence=(), full_evidence=(), spurious=(), value=None,
        stated_value=None, relations=(), intermediates=(), removed=(), rules=(), split=split,
        unseen=Unseen(False, False, False), wording=WORDINGS[0], paraphrases=(), patterns=(), block=None,
    )  # fmt: skip


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


UNPROVABLE = "unprovable.jsonl"

TWIN_GRAPHS = {"unprovable": "taken", "control": "control"}
"""Graphs that lack more than the incomplete KG → the field of `Twin` that says what."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A test question that is asked again on two more graphs, see `rulemine.removal.twins`.

    Attributes:
        question: Its id.
        taken: What ``kg/unprovable.tsv.gz`` lacks so that no answer can be derived: triples of the incomplete
            KG, all statements of each fact, sorted.
        control: What ``kg/control.tsv.gz`` lacks in its place: statements of as many facts, sorted.
    """

    question: str
    taken: tuple[Triple, ...]
    control: tuple[Triple, ...]


SEED_TEXTS = "seed_texts.jsonl"


@dataclass(frozen=True, slots=True)
class SeedRow:
    """A seed text of the kind ``variants``, as its entities; no release has the text itself.

    In the order in which they were asked about. From these lines alone fresh variants of the questions are
    made, see `rulemine.builder.rebuild`.

    Attributes:
        id: Its id, unique.
        entities: The entities found in it, sorted.
        topic: What it was drawn for, where topics were asked for; or "".
        split: The split of its questions; "" if it has none. In a fresh variant all are ``test``.
    """

    id: str
    entities: tuple[Entity, ...]
    topic: str
    split: str = ""

    def renamed(self, names: Mapping[str, str]) -> "SeedRow":
        """The row, without a split, with other names of entities."""
        return replace(
            self, entities=tuple(sorted(names[name] for name in self.entities)), split=""
        )


def seeds_with_splits(
    rows: Sequence[SeedRow], questions: Iterable[Question], run: int
) -> tuple[SeedRow, ...]:
    """Seed texts with the splits of their questions.

    Args:
        rows: The seed texts.
        questions: The questions of the release.
        run: The number of the variant; 0: the published release.
    """
    of = {q.block.seed_text: q.split for q in questions} if rows else {}
    return tuple(replace(row, split="test" if run else of.get(row.id, "")) for row in rows)


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
    """A system's answer to a question, in exactly one of five forms, and what led to it.

    Attributes:
        id: Id of the question.
        raw_output: The system's text, to be matched (see `rulemine.evaluation.matching.matching`), or None.
        answers: Entity names in the naming of the release, the first answer first, or None.
        cypher: Over a property graph: a query, or None.
        rows: Over a property graph: the rows of a result in order, each as a compact JSON array, or None.
        sparql: A query over entities and relations, or None; once it was run, its answers are in `answers`.
        retrieved: The triples that the system retrieved, in the naming of the release, in the order in
            which they were retrieved; None where it does not say.
        generated: Triples that a model proposed; they count as retrieved nowhere.
        ranking: Candidates with scores, the best first, whether or not they are among the answers; None
            where the system does not rank.
        cost: What it cost; None where that is not known.
        cut_off: For each reply that it rests on and that was cut off, the option that limits it, sorted.
        failed: Why a call of a model that it rests on has no reply; "": each has one.
    """

    id: str
    raw_output: str | None = None
    answers: tuple[str, ...] | None = None
    cypher: str | None = None
    rows: tuple[str, ...] | None = None
    sparql: str | None = None
    retrieved: tuple[Triple, ...] | None = None
    generated: tuple[Triple, ...] = ()
    ranking: tuple[tuple[str, float], ...] | None = None
    cost: Cost | None = None
    cut_off: tuple[str, ...] = ()
    failed: str = ""


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
