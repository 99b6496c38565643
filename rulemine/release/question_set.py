"""The questions of a build on their way: what asking, balancing and splitting hand on.

Guarantees: questions are sorted by id; every name is a source label; the names cover exactly the
entities of the complete KG and those that the reference KG adds as answers of the questions; reading
gives back what was written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rulemine.codec import from_json, parse_object, to_json
from rulemine.files import read_jsonl, read_text, write_jsonl
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import Triple
from rulemine.release.records import Question, Rejection

__all__ = ["QuestionSet", "read_question_set", "write_question_set"]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions and what belongs to them.

    Attributes:
        questions: Sorted by id.
        rejections: What was made and not kept, in the order in which it was rejected.
        names: The names of all entities, sorted by private id.
        kg_entities: How many of them are in the complete KG; theirs are the lowest private numbers.
        reference: Triples of the reference KG that are not in the complete KG and give an answer to
            one of the questions, sorted.
    """

    questions: tuple[Question, ...]
    rejections: tuple[Rejection, ...]
    names: tuple[EntityNames, ...]
    kg_entities: int
    reference: tuple[Triple, ...] = ()

    def keep(self, questions: Sequence[Question], rejections: Sequence[Rejection]) -> "QuestionSet":
        """The same with some questions only, and without what nothing refers to any more.

        Args:
            questions: Those that stay, sorted by id.
            rejections: Why the others do not; they come after the earlier ones.
        """
        asked = {(q.topic, q.relation, q.direction) for q in questions}
        reference = tuple(
            (s, r, o)
            for s, r, o in self.reference
            if (s, r, "object") in asked or (o, r, "subject") in asked
        )
        ends = {end for s, _, o in reference for end in (s, o)}
        names = tuple(
            row
            for row in self.names
            if int(row.private[1:]) < self.kg_entities or row.entity in ends
        )
        return replace(
            self,
            questions=tuple(questions),
            rejections=(*self.rejections, *rejections),
            names=names,
            reference=reference,
        )


def write_question_set(folder: Path, asked: QuestionSet) -> None:
    """Writes to ``questions.jsonl``, ``rejected.jsonl``, ``names.jsonl`` and ``asked.jsonl``.

    Raises:
        OutputError: A file cannot be written.
    """
    write_jsonl(folder / "questions.jsonl", map(to_json, asked.questions))
    write_jsonl(folder / "rejected.jsonl", map(to_json, asked.rejections))
    write_jsonl(folder / "names.jsonl", map(to_json, asked.names))
    rest = {"kg_entities": asked.kg_entities, "reference": [list(t) for t in asked.reference]}
    write_jsonl(folder / "asked.jsonl", [rest])


def read_question_set(folder: Path) -> QuestionSet:
    """Reads what `write_question_set` wrote.

    Raises:
        InputError: A file is missing or malformed.
    """

    def rows(name: str) -> Iterator[tuple[str, dict[str, object]]]:
        path = folder / name
        return ((f"{path}: line {number}", row) for number, row in read_jsonl(path))

    file = folder / "asked.jsonl"
    rest = parse_object(read_text(file), str(file))
    return QuestionSet(
        tuple(from_json(Question, row, at) for at, row in rows("questions.jsonl")),
        tuple(from_json(Rejection, row, at) for at, row in rows("rejected.jsonl")),
        tuple(from_json(EntityNames, row, at) for at, row in rows("names.jsonl")),
        rest["kg_entities"],
        tuple((s, r, o) for s, r, o in rest["reference"]),
    )
