"""The reader ``cwq``: ComplexWebQuestions (Talmor and Berant, NAACL 2018), SPARQL over Freebase.

Read are ``ComplexWebQuestions_SPLIT.json`` in all forms that are about: ``answers`` as a list of objects
(``answer``, ``answer_id``, ``aliases``), as an object of three lists, or ``answer`` as a list of ids; and
``cwq.json`` as Think-on-Graph has it, with ``topic_entity`` and the name of one answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rulemine.config import Section
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.readers.freebase import (
    answer_texts,
    freebase_name,
    freebase_query,
    freebase_triples,
    keep_label,
    named_entities,
    query_notes,
)
from rulemine.importing.rows import SourceRow, read_rows

__all__ = ["Cwq"]

_KEPT = (
    "composition_answer",
    "machine_question",
    "webqsp_ID",
    "webqsp_question",
    "created",
    "qid_topic_entity",
)


@dataclass(frozen=True)
class Cwq(Section):
    """Questions composed of those of WebQSP."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or the files of a folder."""
        labels: dict[str, str] = {}
        questions = [_question(row, labels) for row in read_rows(path)]
        named = sum(bool(q.answers) and not any(map(_is_id, q.answers)) for q in questions)
        note = f"the answers of {named:,} of the {len(questions):,} questions are names, not ids"
        return ImportedSet(
            title="ComplexWebQuestions",
            source="https://www.tau-nlp.sites.tau.ac.il/compwebq",
            citation="Talmor, Berant: The Web as a Knowledge-Base for Answering Complex Questions. NAACL "
            "2018. https://aclanthology.org/N18-1059",
            questions=questions,
            complete=None if kg is None else freebase_triples(kg),
            incomplete=None if incomplete is None else freebase_triples(incomplete),
            labels=labels,
            definitions={
                "answers": "What the SPARQL gave on Freebase; any alias of an answer is right.",
                "precision@1": "The share of questions whose first answer is right.",
            },
            notes=(*((note,) if named else ()), *query_notes(questions)),
        )


def _question(row: SourceRow, labels: dict[str, str]) -> ImportedQuestion:
    sparql = row.get("sparql", str, "")
    given = row.get("topic_entity", dict, {})
    for entity, label in given.items():
        keep_label(labels, entity, label)
    answers, aliases = _answers(row, labels)
    query, lacks = freebase_query(sparql)
    fields = {name: row.fields[name] for name in _KEPT if name in row.fields}
    fields |= {"type": row.get("compositionality_type", str, "")}
    fields |= {"aliases": aliases} if aliases else {}
    return ImportedQuestion(
        id=row.need("ID", str),
        text=row.need("question", str),
        answers=answers,
        split=row.split or "test",
        topics=tuple(map(freebase_name, given)) or named_entities(sparql),
        query=query,
        sparql=sparql,
        fields=fields | ({"query_lacks": lacks} if lacks else {}),
    )


def _answers(
    row: SourceRow, labels: dict[str, str]
) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """The answers, by id where they have one, and the aliases of those that have some."""
    found: dict[str, None] = {}
    aliases: dict[str, list[str]] = {}
    for each in _objects(row.fields.get("answers", row.fields.get("answer"))):
        names = answer_texts(each.get("answer_id")) or answer_texts(each.get("answer"))
        for name in map(freebase_name, names):
            found[name] = None
            if each.get("answer") != name:
                keep_label(labels, name, each.get("answer"))
            if others := answer_texts(each.get("aliases")):
                aliases[name] = others
    return tuple(found), aliases


def _objects(given: Any) -> list[Mapping[str, Any]]:
    """Answers in any form as objects."""
    if isinstance(given, dict):  # three lists
        names = ("answer_id", "answer", "aliases")
        columns = [value if isinstance(value := given.get(name), list) else [] for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip_longest(*columns)]
    some = given if isinstance(given, list) else [given]
    return [each if isinstance(each, dict) else {"answer_id": each} for each in some]


def _is_id(answer: str) -> bool:
    return answer.startswith(("m.", "g."))
