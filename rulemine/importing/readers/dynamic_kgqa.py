"""The reader ``dynamic-kgqa``: Dynamic-KGQA (arXiv 2503.05049), and the files of its authors' Think-on-Graph.

Entities are IRIs, as in the rows, and their labels what the authors read from these. Relations have the names
that `rulemine.kg.rdf` gives IRIs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.config import Section
from rulemine.errors import counted
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import SourceRow, claimed, labels_beside, read_rows, unequal_names
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.rdf import relation_names

__all__ = ["DynamicKgqaReader", "readable"]

TRIPLES = tuple[tuple[str, str, str], ...]

_YAGO = "http://yago-knowledge.org/resource/"

_READ = {
    "id", "question", "answer", "answer_readable", "answer_uri", "all_answers_uri", "supporting_facts",
    "supporting_facts_uri", "subgraph", "subgraph_size", "qid_topic_entity",
}  # fmt: skip
"""Fields that have a place of their own; the others stay `ImportedQuestion.fields`."""


_ONE_RUN = "Name a file of one run, or give each question about a text its 'question_num'."


@dataclass(frozen=True)
class DynamicKgqaReader(Section):
    """Questions with supporting facts; the graph is the union of the subgraphs that they were written for."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file or a folder.

        Raises:
            InputError: A file is missing, or a row has not the form.
        """
        rows = list(read_rows(path))
        subgraphs = [row.nested("subgraph", TRIPLES, ()) for row in rows]
        facts = [_facts(row) for row in rows]
        relations = relation_names({r for some in (*subgraphs, *facts) for _, r, _ in some}, {})
        complete = _graph(kg, relations)
        if complete is None and any(subgraphs):  # they overlap
            complete = list({(s, relations[r], o): 1 for own in subgraphs for s, r, o in own})
        with_graph = complete is not None
        labels = _labels(rows, (*subgraphs, *facts), path)
        names: Mapping[str, str] = {} if with_graph else unequal_names(labels)
        problems: Counter[str] = Counter()
        places: dict[str, str] = {}
        questions = [
            _question(
                row,
                claimed(_id(row), row, places, _ONE_RUN),
                tuple((s, relations[r], o) for s, r, o in stated),
                names,
                problems,
            )
            for row, stated in zip(rows, facts, strict=True)
        ]
        return ImportedSet(
            title="Dynamic-KGQA",
            source="https://huggingface.co/datasets/preetam7/dynamic_kgqa",
            license="CC BY-SA 3.0",
            citation="Dammu, Naidu, Shah: Dynamic-KGQA: A Scalable Framework for Generating Adaptive "
            "Question Answering Datasets. 2025. https://arxiv.org/abs/2503.05049",
            questions=questions,
            complete=complete,
            incomplete=_graph(incomplete, relations),
            labels=labels if with_graph else {},
            definitions=_DEFINITIONS,
            notes=tuple(
                f"{counted(n, 'question')}: {text}" for text, n in sorted(problems.items())
            ),
        )


_DEFINITIONS = {
    "hit": "Whether the reply contains the answer, both in lower case without punctuation and articles.",
    "answer_support_flag": "Whether a judge finds the answer supported by the supporting facts, directly "
    "or by inference; of published questions three judges did.",
    "subgraph_size": "The number of triples that the writer of the question saw.",
}


def readable(iri: str) -> str:
    """What an IRI of YAGO reads as.

    Example:
        >>> readable("http://yago-knowledge.org/resource/Lama__u0028_genus_u0029_")
        'Lama (genus)'
    """
    part = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    return re.sub("_u([0-9a-fA-F]{4})_", lambda found: chr(int(found[1], 16)), part).replace(
        "_", " "
    )


def _question(
    row: SourceRow,
    key: str,
    facts: tuple[Triple, ...],
    names: Mapping[str, str],
    problems: Counter[str],
) -> ImportedQuestion:
    text = row.need("question", str)
    uri = row.get("answer_uri", str, "")
    answers = row.nested("all_answers_uri", tuple[str, ...], None)
    if answers is None:
        answers = (uri or row.need("answer_readable", str),)
    topics = [_expanded(topic) for topic in row.nested("qid_topic_entity", dict, {})]
    if not topics:
        topics = _leaves(facts, uri)
        problems[
            "topics are the entities that one supporting fact alone has; the rows say none"
        ] += 1
    fields = {name: value for name, value in row.fields.items() if name not in _READ}
    return ImportedQuestion(
        id=key,
        text=text,
        answers=tuple(names.get(answer, answer) for answer in answers),
        split=row.split or "test",
        topics=tuple(names.get(topic, topic) for topic in topics),
        evidence=tuple((names.get(s, s), r, names.get(o, o)) for s, r, o in facts),
        fields=fields,
    )


def _facts(row: SourceRow) -> tuple[Triple, ...]:
    """The supporting facts as IRIs; of rows that the public pipeline has just made, as these have them."""
    if found := row.nested("supporting_facts_uri", TRIPLES, ()):
        return tuple(found)
    made = [
        [fact.get(part) for part in ("subject", "predicate", "object")]
        if isinstance(fact, dict)
        else fact
        for fact in row.nested("supporting_facts", tuple[Any, ...], ())
    ]
    return tuple(
        SourceRow(row.where, row.split, {"supporting_facts": made}).need(
            "supporting_facts", TRIPLES
        )
    )


def _id(row: SourceRow) -> str:
    """Ids are those of seed texts; of several questions about a text, each has the number of its own."""
    number = row.get("question_num", int)
    return row.key() if number is None else f"{row.key()}-{number}"


def _labels(
    rows: list[SourceRow], graphs: Iterable[Iterable[Triple]], path: Path
) -> dict[str, str]:
    """IRI → label: that of ``entities.tsv`` beside the rows, that of the answer, or the readable IRI."""
    labels = {end: readable(end) for triples in graphs for s, _, o in triples for end in (s, o)}
    for row in rows:
        for topic, label in row.nested("qid_topic_entity", dict, {}).items():
            if isinstance(label, str):
                labels.setdefault(_expanded(topic), label)
        if uri := row.get("answer_uri", str, ""):
            labels[uri] = row.get("answer_readable", str, readable(uri))
    return labels | labels_beside(path)


def _leaves(facts: Iterable[Triple], answer: str) -> list[str]:
    """The entities other than the answer that one fact alone has: the facts lead from them to the answer."""
    often = Counter(end for s, _, o in facts for end in dict.fromkeys((s, o)))
    return [end for end, times in often.items() if times == 1 and end != answer]


def _expanded(name: str) -> str:
    """An IRI, of which the files of Think-on-Graph have ``yago:NAME``."""
    return _YAGO + name.removeprefix("yago:") if name.startswith("yago:") else name


def _graph(path: Path | None, relations: Mapping[str, str]) -> list[Triple] | None:
    """The triples of a file with a graph of IRIs; None: there is no file."""
    if path is None:
        return None
    kg = KnowledgeGraph.read(path)
    names = {r: relations.get(kg.relation_iris.get(r, r), r) for r in kg.relations}
    return [(s, names[r], o) for s, r, o in kg.labeled()]
