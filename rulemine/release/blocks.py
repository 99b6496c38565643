"""What only questions of one kind have, a block for each kind; see `rulemine.release.records`."""

from dataclasses import dataclass

from rulemine.kg.graph import Triple

__all__ = [
    "CypherBlock",
    "Judgement",
    "MinimalQuery",
    "QueryBlock",
    "RowChange",
    "RuleBlock",
    "StructureBlock",
    "SubgraphBlock",
    "VariantBlock",
]


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """What only a question of the kind ``rules`` has; about its `Question.hard_answer`.

    Attributes:
        removed: The removed triple that is asked about.
        relation: The relation asked about, that of `removed`.
        direction: The end of `removed` that is asked for: ``object`` (the topic is the subject) or
            ``subject``.
        rule: Id of the rule of its certificate.
        rule_type: See `rulemine.rules.taxonomy`.
        rule_subtype: Likewise.
    """

    removed: Triple
    relation: str
    direction: str
    rule: str
    rule_type: str
    rule_subtype: str


@dataclass(frozen=True, slots=True)
class StructureBlock:
    """What only a question of the kind ``structures`` has.

    Attributes:
        relations: The relations of the query, sorted.
        intermediates: Every entity that a variable other than the answer takes in a derivation on the
            complete KG, without anchors and answers, sorted.
        answer_types: The types that all answers share, sorted (see `rulemine.kg.entity_types`).
        removed: The removed triples of `Question.evidence`, in its order, each once; none where every
            answer is stated.
        rules: The ids of the rules of their certificates, sorted.
    """

    relations: tuple[str, ...]
    intermediates: tuple[str, ...]
    answer_types: tuple[str, ...]
    removed: tuple[Triple, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MinimalQuery:
    """A query with fewest anchors that has the same answers on the complete KG.

    Attributes:
        anchors: Its anchors, sorted.
        query: The query.
    """

    anchors: tuple[str, ...]
    query: str


@dataclass(frozen=True, slots=True)
class SubgraphBlock:
    """What only a question of the kind ``subgraphs`` has (SynthKGQA).

    Attributes:
        relations: As of `StructureBlock`, and so the next three.
        intermediates: Likewise.
        removed: Likewise.
        rules: Likewise.
        answer: The answer that the writer had in mind.
        triples: The triples that the writer used: a witness of `answer` (of what nothing is taken from, in
            a query with a difference), sorted.
        subgraph: All triples that the writer saw, sorted.
        redundant: Whether fewer anchors give the same answers on the complete KG.
        minimal_shape: The shape code of the smallest such query; `Question.shape` where there is none.
        minimal: All queries with the fewest anchors that give them, sorted; the query itself where it is
            not redundant.
        test_type: Of test questions what training does not prepare for: ``ugt`` (its shape is reserved),
            ``urt`` (so is one of its relations), or ``id`` (neither); else empty.
        parent: The id of the question whose subgraph it was grown from; or "".
    """

    relations: tuple[str, ...]
    intermediates: tuple[str, ...]
    removed: tuple[Triple, ...]
    rules: tuple[str, ...]
    answer: str
    triples: tuple[Triple, ...]
    subgraph: tuple[Triple, ...]
    redundant: bool
    minimal_shape: str
    minimal: tuple[MinimalQuery, ...]
    test_type: tuple[str, ...]
    parent: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of a question, by the names of Table 2 of Dynamic-KGQA.

    Attributes:
        model: The judge.
        logical_structure_flag: Whether the question is grammatical and meaningful.
        logical_structure_reasoning: Why, as for the other flags; in the naming of the prompts.
        redundancy_flag: Whether it contains or gives away its answer.
        redundancy_reasoning: Likewise.
        answer_support_flag: Whether the facts support the answer.
        answer_support_reasoning: Likewise.
        answer_adequacy_flag: Whether the answer is direct and complete.
        answer_adequacy_reasoning: Likewise.
    """

    model: str
    logical_structure_flag: bool
    logical_structure_reasoning: str
    redundancy_flag: bool
    redundancy_reasoning: str
    answer_support_flag: bool
    answer_support_reasoning: str
    answer_adequacy_flag: bool
    answer_adequacy_reasoning: str


@dataclass(frozen=True, slots=True)
class VariantBlock:
    """What only a question of the kind ``variants`` has (Dynamic-KGQA).

    Attributes:
        relations: As of `StructureBlock`, and so the next three.
        intermediates: Likewise.
        removed: Likewise.
        rules: Likewise.
        answer: The answer that the writer had in mind.
        triples: The supporting facts: a witness of `answer`, sorted.
        subgraph: All triples that the writer saw, sorted.
        seed_text: The id of the seed text.
        seeds: The entities found in it, sorted.
        topic: What the question is about, of the topics of the recipe.
        unique: Whether `answer` is the only answer on the complete KG.
        redundant: Whether fewer anchors give the same answers on the complete KG.
        judgements: What each judge said; empty: it was not judged.
    """

    relations: tuple[str, ...]
    intermediates: tuple[str, ...]
    removed: tuple[Triple, ...]
    rules: tuple[str, ...]
    answer: str
    triples: tuple[Triple, ...]
    subgraph: tuple[Triple, ...]
    seed_text: str
    seeds: tuple[str, ...]
    topic: str
    unique: bool
    redundant: bool
    judgements: tuple[Judgement, ...]


QueryBlock = StructureBlock | SubgraphBlock | VariantBlock
"""What only a question of one kind has, of the kinds that ask queries of any form."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """The rows of a question on an incomplete graph.

    Attributes:
        level: The level of the graph.
        rows: How many rows it gives.
        lost: The rows of the complete graph that are not among them, sorted; a multiset.
        spurious: Those among them that the complete graph does not give, likewise.
    """

    level: int
    rows: int
    lost: tuple[str, ...]
    spurious: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CypherBlock:
    """What only a question of the kind ``cypher`` has (CypherBench). Rows are texts: compact JSON arrays.

    Attributes:
        match: Its MATCH template, of `rulemine.cypher.questions.templates.MATCHES`.
        returns: Its RETURN template, of `rulemine.cypher.questions.templates.RETURNS`.
        family: What that is called in Table 12 of the paper.
        cypher: The gold.
        columns: The names of its columns.
        rows: Its rows on the complete graph, a multiset: in the order of the result if that counts, rows with
            equal keys sorted; else sorted.
        ordered: Whether it counts.
        keys: If it does: what each row is sorted by, as an array of one value.
        tied: Where the greatest or least is asked for: all rows that may be the one, sorted.
        levels: What each level of the release takes from the rows, ascending.
        relations: The relations of the pattern, sorted.
        properties: The properties that the gold reads, as ``Type.property``, sorted.
        removed: The removed triples among those that it matches on the complete graph, sorted.
        removed_values: The removed values among those that it reads there: node, property; sorted.
        rules: The ids of the rules of the certificates of `removed`, sorted.
    """

    match: str
    returns: str
    family: str
    cypher: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    ordered: bool
    keys: tuple[str, ...]
    tied: tuple[str, ...]
    levels: tuple[RowChange, ...]
    relations: tuple[str, ...]
    properties: tuple[str, ...]
    removed: tuple[Triple, ...]
    removed_values: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the last level changes the rows."""
        return bool(self.levels[-1].lost or self.levels[-1].spurious)
