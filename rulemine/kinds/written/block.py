"""What only questions of the kinds ``subgraphs`` and ``variants`` have."""

from dataclasses import dataclass

from rulemine.release.records import Entity, Query, Triple

__all__ = ["Judgement", "MinimalQuery", "SubgraphBlock", "VariantBlock", "WrittenBlock"]


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """What a question has that was written for a subgraph.

    Attributes:
        answer: The answer that the writer had in mind.
        triples: The triples that the writer used: a witness of `answer` (of what nothing is taken from, in
            a query with a difference), sorted.
        subgraph: All triples that the writer saw, sorted.
    """

    answer: Entity
    triples: tuple[Triple, ...]
    subgraph: tuple[Triple, ...]


@dataclass(frozen=True, slots=True, order=True)
class MinimalQuery:
    """A query with fewest anchors that has the same answers on the complete KG.

    Attributes:
        anchors: Its anchors, sorted.
        query: The query.
    """

    anchors: tuple[Entity, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class SubgraphBlock(WrittenBlock):
    """What only a question of the kind ``subgraphs`` has (SynthKGQA).

    Attributes:
        redundant: Whether fewer anchors give the same answers on the complete KG; they never do.
        minimal_shape: The shape code of the smallest query that gives them, so `Question.shape`.
        minimal: The queries with the fewest anchors that give them, so the query itself.
        test_type: Of test questions what training does not prepare for: ``ugt`` (its shape is reserved),
            ``urt`` (so is one of its relations), or ``id`` (neither); else empty.
    """

    redundant: bool
    minimal_shape: str
    minimal: tuple[MinimalQuery, ...]
    test_type: tuple[str, ...]


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
class VariantBlock(WrittenBlock):
    """What only a question of the kind ``variants`` has (Dynamic-KGQA).

    Attributes:
        seed_text: The id of the seed text.
        seeds: The entities found in it, sorted.
        topic: What the question is about, of the topics of the recipe.
        unique: Whether `answer` is the only answer on the complete KG.
        redundant: Whether fewer anchors give the same answers on the complete KG; they never do.
        judgements: What each judge said; empty: it was not judged.
    """

    seed_text: str
    seeds: tuple[Entity, ...]
    topic: str
    unique: bool
    redundant: bool
    judgements: tuple[Judgement, ...]
