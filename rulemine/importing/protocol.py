"""What a reader of somebody else's question set gives back.

A reader knows one form of files and nothing of releases; `rulemine.importing.importer` makes the release.
It keeps the names, texts and answers of the source as they are: what is wrong with them is for the audit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["ImportedQuestion", "ImportedSet", "Reader"]


@dataclass(frozen=True, slots=True)
class ImportedQuestion:
    """A question as its source has it. What the source does not say is empty, or None.

    Attributes:
        id: Its id in the source; unique in the set.
        text: The question.
        answers: The stated answers, in the order of the source and as often as it lists them: entities of the
            graph, or plain texts where there is no graph; of Cypher questions, rows as compact JSON arrays,
            or nothing where only the Cypher says them.
        split: ``train``, ``validation`` or ``test``.
        topics: The topic entities.
        hard: The answers that the source says the incomplete graph does not state; None: it does not say.
        hard_answer: The one of them that the source asks for, where it names one; "": it does not. Without
            `hard`, the graphs say which others there are.
        query: A query of `rulemine.query.parser`, in the names of the graph.
        sparql: The SPARQL of the source, word for word.
        cypher: The Cypher of the source, word for word.
        evidence: The triples that the source says the answers rest on, in its order.
        graph: The property graph that the question is about, a key of `ImportedSet.property_graphs`.
        paraphrases: Further texts.
        fields: Whatever else the source says, as JSON has it; ``type`` is its own type of the question.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    split: str = "test"
    topics: tuple[str, ...] = ()
    hard: tuple[str, ...] | None = None
    hard_answer: str = ""
    query: str = ""
    sparql: str = ""
    cypher: str = ""
    evidence: tuple[Triple, ...] = ()
    graph: str = ""
    paraphrases: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """A question set and its graphs.

    Attributes:
        title: Its name, and version if known.
        source: Where it is from.
        license: Its license; "" if unknown.
        citation: How to cite it; "" if unknown.
        questions: The questions of all splits.
        complete: The triples of the complete graph; None: the set has no graph.
        incomplete: Those of the incomplete graph, a part of `complete`; None: nothing is removed.
        graphs: The triples that each question comes with, a part of `complete`, in the order of `questions`;
            None: questions come with none.
        labels: Entity → its label, of those that have one.
        property_graphs: The property graphs by name.
        definitions: Figure → how the authors define it, in a sentence, for the audit.
        notes: What a reader of the release must know, such as what was left out and how often.
    """

    title: str
    source: str
    questions: Sequence[ImportedQuestion]
    license: str = ""
    citation: str = ""
    complete: Iterable[Triple] | None = None
    incomplete: Iterable[Triple] | None = None
    graphs: Iterable[Iterable[Triple]] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    property_graphs: Mapping[str, PropertyGraph] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Reader(Protocol):
    """Reads one form; a frozen `rulemine.config.Section` whose fields are its options, as for exports."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a set.

        Args:
            path: A file or a folder.
            kg: A file with the complete graph, where the form has none or another is wanted.
            incomplete: A file with the incomplete graph.

        Raises:
            InputError: A file is missing, or has not the form; the message says where, what was found, what
                was expected.
        """
        ...
