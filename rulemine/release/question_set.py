"""Question sets, which the stages ask, balance, verbalize and split pass on, each a whole one.

Guarantees: questions are sorted by id; every name is a source label; the names cover exactly the
entities of the complete KG and those that the reference KG adds as answers of the questions; reading
gives back what was written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import from_json, parse_object
from rulemine.files import read_jsonl, read_text, write_jsonl
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations, Reading
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Question, Rejection, question_from_json

__all__ = ["QuestionSet", "read_question_set", "read_records", "write_question_set"]

_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions with their rejections, names and reference triples.

    Attributes:
        questions: Sorted by id.
        rejections: The questions that were rejected, in the order of rejection.
        names: The names of all entities, sorted by private id.
        kg_entities: How many of them are in the complete KG; they have the lowest private ids.
        reference: Triples of the reference KG that are not in the complete KG and give an answer to
            one of the questions, sorted.
        declarations: Which relations state the same facts.
        sampling: What was drawn of each structure, for the manifest; empty for the kind ``rules``.
        records: File → its records, of the files that only releases of the kind have.
    """

    questions: tuple[Question, ...]
    rejections: tuple[Rejection, ...]
    names: tuple[EntityNames, ...]
    kg_entities: int
    reference: tuple[Triple, ...] = ()
    declarations: Declarations = field(default_factory=Declarations)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    records: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def keep(self, questions: Sequence[Question], rejections: Sequence[Rejection]) -> "QuestionSet":
        """The set with some questions only, and without names and triples that no question needs.

        Args:
            questions: The questions to keep, sorted by id.
            rejections: The rejections of the others, appended to the earlier ones.
        """
        wider = [q for q in questions if q.further]
        asked = {
            (relation, end, q.topic)
            for q in wider
            if q.end
            for relation, end in self.declarations.statements(q.removed[0][1], q.end)
        }
        # What a query of several links takes is not seen from a triple: it keeps those of its relations.
        others = {relation for q in wider if not q.end for relation in q.relations}
        reference = tuple(
            (s, r, o)
            for s, r, o in self.reference
            if r in others or (r, "object", s) in asked or (r, "subject", o) in asked
        )
        added = {end for s, _, o in reference for end in (s, o)}
        return replace(
            self,
            questions=tuple(questions),
            rejections=(*self.rejections, *rejections),
            names=tuple(
                row
                for row in self.names
                if int(row.private[1:]) < self.kg_entities or row.entity in added
            ),
            reference=reference,
        )


def write_question_set(folder: Path, asked: QuestionSet) -> None:
    """Writes to ``questions.jsonl``, ``rejected.jsonl``, ``names.jsonl`` and ``asked.jsonl``.

    Raises:
        OutputError: A file cannot be written.
    """
    write_jsonl(folder / "questions.jsonl", asked.questions)
    write_jsonl(folder / "rejected.jsonl", asked.rejections)
    write_jsonl(folder / "names.jsonl", asked.names)
    write_jsonl(
        folder / "asked.jsonl",
        [
            {
                "kg_entities": asked.kg_entities,
                "reference": asked.reference,
                "declarations": asked.declarations.readings,
                "sampling": asked.sampling,
                "records": asked.records,
            }
        ],
    )


def read_question_set(folder: Path) -> QuestionSet:
    """Reads what `write_question_set` wrote.

    Raises:
        InputError: A file is missing or malformed.
    """
    file = folder / "asked.jsonl"
    rest = parse_object(read_text(file), str(file))
    path = folder / "questions.jsonl"
    questions = tuple(question_from_json(row, f"{path}: line {n}") for n, row in read_jsonl(path))
    files = kind_named(questions[0].kind).files if questions else ()
    return QuestionSet(
        questions,
        read_records(folder / "rejected.jsonl", Rejection),
        read_records(folder / "names.jsonl", EntityNames),
        rest["kg_entities"],
        from_json(tuple[Triple, ...], rest["reference"], str(file)),
        Declarations(from_json(dict[str, Reading], rest["declarations"], str(file))),
        rest["sampling"],
        {
            own.name: tuple(
                from_json(own.record, row, str(file)) for row in rest["records"][own.name]
            )
            for own in files
            if own.name in rest["records"]
        },
    )


def read_records(path: Path, kind: type[_R]) -> tuple[_R, ...]:
    """The records of a file, one a line.

    Raises:
        InputError: The file is missing or malformed.
    """
    return tuple(from_json(kind, row, f"{path}: line {n}") for n, row in read_jsonl(path))
