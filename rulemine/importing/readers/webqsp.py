"""The reader ``webqsp``: WebQuestionsSP (Yih et al., ACL 2016), questions with SPARQL over Freebase.

Read are ``WebQSP.train.json`` and ``WebQSP.test.json``, and ``WebQSP.json`` as Think-on-Graph and
Plan-on-Graph have it (a list, with ``topic_entity``), also where only names of answers are left of it.
A question may have several parses, each with answers of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.config import Section, option
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.readers.freebase import (
    answer_texts,
    freebase_name,
    freebase_query,
    freebase_triples,
    keep_label,
    query_notes,
)
from rulemine.importing.rows import SourceRow, read_rows

__all__ = ["WebQsp"]

_KEPT = ("ProcessedQuestion", "Parses", "qid_topic_entity")
_OBJECTS = tuple[dict, ...]  # type: ignore[type-arg]  # as JSON has them


@dataclass(frozen=True)
class WebQsp(Section):
    """Questions with the answers of their parses.

    Attributes:
        answers: Which count where a question has several parses: those of all (``union``), or of the first.
            The official evaluation takes, for each prediction, the parse with which it has the best F1.
    """

    answers: str = option("union", choices=("union", "first"))

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or the files of a folder."""
        labels: dict[str, str] = {}
        questions = [self._question(row, labels) for row in read_rows(path)]
        official = [q.fields["official"] for q in questions if "official" in q.fields]
        several = sum(len(q.fields.get("Parses", ())) > 1 for q in questions)
        used = "all parses count" if self.answers == "union" else "the first count"
        notes = []
        if several:
            notes.append(f"of {several:,} questions with several parses, the answers of {used}")
        if official:
            notes.append(
                f"the official evaluation counts {sum(official):,} of the {len(official):,} questions"
            )
        return ImportedSet(
            title="WebQSP",
            source="https://www.microsoft.com/en-us/download/details.aspx?id=52763",
            citation="Yih, Richardson, Meek, Chang, Suh: The Value of Semantic Parse Labeling for Knowledge "
            "Base Question Answering. ACL 2016. https://aclanthology.org/P16-2033",
            questions=questions,
            complete=None if kg is None else freebase_triples(kg),
            incomplete=None if incomplete is None else freebase_triples(incomplete),
            labels=labels,
            definitions={
                "answers": "What the SPARQL of a parse gave on Freebase in 2015; a question may have several "
                "parses.",
                "f1": "For each question the best F1 of its parses, averaged over the questions that have a "
                "parse whose ParseQuality is Complete and whose QuestionQuality is Good.",
            },
            notes=(*notes, *query_notes(questions)),
        )

    def _question(self, row: SourceRow, labels: dict[str, str]) -> ImportedQuestion:
        parses = [SourceRow(row.where, "", parse) for parse in row.get("Parses", _OBJECTS, ())]
        named = [
            (parse.get("TopicEntityMid", str), parse.get("TopicEntityName", str))
            for parse in parses
        ]
        named += row.get("topic_entity", dict, {}).items()
        for entity, label in named:
            keep_label(labels, entity, label)
        topics = tuple(dict.fromkeys(freebase_name(entity) for entity, _ in named if entity))
        by_parse = [_answers(parse, labels) for parse in parses]
        used = by_parse if self.answers == "union" else by_parse[:1]
        if "Parses" not in row.fields:
            used = [answer_texts(row.fields.get("answers", row.fields.get("answer")))]
        answers = tuple(dict.fromkeys(answer for some in used for answer in some))
        whole = (p for p, some in zip(parses, by_parse, strict=True) if set(some) == set(answers))
        first = next(
            whole, None
        )  # only the SPARQL of a parse with all answers can be held against them
        sparql = first.get("Sparql", str, "") if first else ""
        query, lacks = freebase_query(sparql)
        comments = [parse.get("AnnotatorComment", dict) for parse in parses]
        fields = {name: row.fields[name] for name in _KEPT if name in row.fields}
        fields |= {"official": any(map(_is_good, comments))} if any(comments) else {}
        return ImportedQuestion(
            id=row.need("QuestionId", str),
            text=row.need("RawQuestion", str),
            answers=answers,
            split=row.split or "test",
            topics=topics,
            query=query,
            sparql=sparql,
            fields=fields | ({"query_lacks": lacks} if lacks else {}),
        )


def _answers(parse: SourceRow, labels: dict[str, str]) -> list[str]:
    found = []
    for answer in parse.get("Answers", _OBJECTS, ()):
        for name in answer_texts(answer.get("AnswerArgument")):
            keep_label(labels, name, answer.get("EntityName"))
            found.append(freebase_name(name))
    return found


def _is_good(comment: Mapping[str, Any] | None) -> bool:
    marks = {"QuestionQuality": "Good", "ParseQuality": "Complete"}
    return comment is not None and all(comment.get(key) == mark for key, mark in marks.items())
