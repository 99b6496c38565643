"""The readers ``webqsp`` and ``cwq``: questions with SPARQL over Freebase.

WebQuestionsSP (Yih et al., ACL 2016): ``WebQSP.train.json`` and ``WebQSP.test.json``, and ``WebQSP.json`` as
Think-on-Graph and Plan-on-Graph have it (a list, with ``topic_entity``), also where only names of answers are
left of it. A question may have several parses, each with answers of its own.

ComplexWebQuestions (Talmor and Berant, NAACL 2018): ``ComplexWebQuestions_SPLIT.json`` in all forms that are
about: ``answers`` as a list of objects (``answer``, ``answer_id``, ``aliases``), as an object of three lists,
or ``answer`` as a list of ids; and ``cwq.json`` as Think-on-Graph has it, with the name of one answer.

Names are those of Freebase's dump, ``m.0h3y`` and ``location.country.capital``, whatever the file or the
graph has: IRIs, ``ns:m.0h3y``, or ``/m/0h3y`` and ``/location/country/capital`` as FB15k-237 has them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rulemine.config import Section, option
from rulemine.errors import NoTreeError, QueryError, counted
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import SourceRow, read_rows
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.foreign.read_sparql import tree_with_limits
from rulemine.query.foreign.sparql_parsing import parse_leniently
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.query.tree import Anchor, Difference

__all__ = ["Cwq", "WebQsp", "freebase_query"]

_KEPT_OF_WEBQSP = ("ProcessedQuestion", "Parses", "qid_topic_entity")
_KEPT_OF_CWQ = (
    *("composition_answer", "machine_question", "webqsp_ID", "webqsp_question", "created"),
    "qid_topic_entity",
)
"""What of a row is kept as it is."""

_OBJECTS = tuple[dict, ...]  # type: ignore[type-arg]  # as JSON has them

_SIMPLE = re.compile(r"/[^/.]+(/[^/.]+)+")
_TEXTS = re.compile(
    r"FILTER\s*\(\s*!isLiteral\(\?x\) OR lang\(\?x\) = '' OR langMatches\(lang\(\?x\), 'en'\)\s*\)"
)
"""What is true of every entity: the generated queries begin with it."""

_REASONS = {"FILTER !=": "a FILTER that two variables differ", "LIMIT": "a LIMIT"}
"""What `tree_with_limits` leaves out, in words."""

_UNEQUAL = re.compile(r"FILTER\s*\(\s*\?x\s*!=\s*ns:([mg]\.\w+)\s*\)")
_ENTITY = re.compile(r"\bns:([mg]\.\w+)")
_TYPES = re.compile(r"ns:(?:common\.topic\.notable_types|type\.object\.type)\s+ns:[mg]\.\w+")


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
            complete=_freebase_triples(kg),
            incomplete=_freebase_triples(incomplete),
            labels=labels,
            definitions={
                "answers": "What the SPARQL of a parse gave on Freebase in 2015; a question may have several "
                "parses.",
                "f1": "For each question the best F1 of its parses, averaged over the questions that have a "
                "parse whose ParseQuality is Complete and whose QuestionQuality is Good.",
            },
            notes=(*notes, *_query_notes(questions)),
        )

    def _question(self, row: SourceRow, labels: dict[str, str]) -> ImportedQuestion:
        parses = [SourceRow(row.where, "", parse) for parse in row.get("Parses", _OBJECTS, ())]
        named = [
            (parse.get("TopicEntityMid", str), parse.get("TopicEntityName", str))
            for parse in parses
        ]
        named += row.get("topic_entity", dict, {}).items()
        for entity, label in named:
            _keep_label(labels, entity, label)
        topics = tuple(dict.fromkeys(_freebase_name(entity) for entity, _ in named if entity))
        by_parse = [_answers_of_parse(parse, labels) for parse in parses]
        used = by_parse if self.answers == "union" else by_parse[:1]
        if "Parses" not in row.fields:
            used = [_answer_texts(row.fields.get("answers", row.fields.get("answer")))]
        answers = tuple(dict.fromkeys(answer for some in used for answer in some))
        whole = (p for p, some in zip(parses, by_parse, strict=True) if set(some) == set(answers))
        first = next(whole, None)  # only SPARQL with all the answers can be held against them
        sparql = first.get("Sparql", str, "") if first else ""
        query, lacks = freebase_query(sparql)
        comments = [parse.get("AnnotatorComment", dict) for parse in parses]
        fields = {name: row.fields[name] for name in _KEPT_OF_WEBQSP if name in row.fields}
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


def _answers_of_parse(parse: SourceRow, labels: dict[str, str]) -> list[str]:
    found = []
    for answer in parse.get("Answers", _OBJECTS, ()):
        for name in _answer_texts(answer.get("AnswerArgument")):
            _keep_label(labels, name, answer.get("EntityName"))
            found.append(_freebase_name(name))
    return found


def _is_good(comment: Mapping[str, Any] | None) -> bool:
    marks = {"QuestionQuality": "Good", "ParseQuality": "Complete"}
    return comment is not None and all(comment.get(key) == mark for key, mark in marks.items())


@dataclass(frozen=True)
class Cwq(Section):
    """Questions composed of those of WebQSP."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or the files of a folder."""
        labels: dict[str, str] = {}
        questions = [_question_of_cwq(row, labels) for row in read_rows(path)]
        named = sum(bool(q.answers) and not any(map(_is_id, q.answers)) for q in questions)
        note = f"the answers of {named:,} of the {len(questions):,} questions are names, not ids"
        return ImportedSet(
            title="ComplexWebQuestions",
            source="https://www.tau-nlp.sites.tau.ac.il/compwebq",
            citation="Talmor, Berant: The Web as a Knowledge-Base for Answering Complex Questions. NAACL "
            "2018. https://aclanthology.org/N18-1059",
            questions=questions,
            complete=_freebase_triples(kg),
            incomplete=_freebase_triples(incomplete),
            labels=labels,
            definitions={
                "answers": "What the SPARQL gave on Freebase; any alias of an answer is right.",
                "precision@1": "The share of questions whose first answer is right.",
            },
            notes=(*((note,) if named else ()), *_query_notes(questions)),
        )


def _question_of_cwq(row: SourceRow, labels: dict[str, str]) -> ImportedQuestion:
    sparql = row.get("sparql", str, "")
    given = row.get("topic_entity", dict, {})
    for entity, label in given.items():
        _keep_label(labels, entity, label)
    answers, aliases = _answers_of_row(row, labels)
    query, lacks = freebase_query(sparql)
    fields = {name: row.fields[name] for name in _KEPT_OF_CWQ if name in row.fields}
    fields |= {"type": row.get("compositionality_type", str, "")}
    fields |= {"aliases": aliases} if aliases else {}
    return ImportedQuestion(
        id=row.need("ID", str),
        text=row.need("question", str),
        answers=answers,
        split=row.split or "test",
        topics=tuple(map(_freebase_name, given)) or _named_entities(sparql),
        query=query,
        sparql=sparql,
        fields=fields | ({"query_lacks": lacks} if lacks else {}),
    )


def _answers_of_row(
    row: SourceRow, labels: dict[str, str]
) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """The answers, by id where they have one, and the aliases of those that have some."""
    found: dict[str, None] = {}
    aliases: dict[str, list[str]] = {}
    for each in _objects(row.fields.get("answers", row.fields.get("answer"))):
        names = _answer_texts(each.get("answer_id")) or _answer_texts(each.get("answer"))
        for name in map(_freebase_name, names):
            found[name] = None
            if each.get("answer") != name:
                _keep_label(labels, name, each.get("answer"))
            if others := _answer_texts(each.get("aliases")):
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


def _freebase_name(name: str) -> str:
    """The name in Freebase's dump of an entity or a relation; what is no name of Freebase stays.

    Example:
        >>> _freebase_name("/m/0h3y"), _freebase_name("ns:m.0h3y"), _freebase_name("Algeria")
        ('m.0h3y', 'm.0h3y', 'Algeria')
    """
    name = name.removeprefix(FREEBASE).removeprefix("ns:")
    return name[1:].replace("/", ".") if _SIMPLE.fullmatch(name) else name


def _freebase_triples(path: Path | None) -> list[Triple] | None:
    """The triples of a graph, with the names of Freebase's dump; None: there is none.

    Raises:
        InputError: The file holds no graph.
    """
    if path is None:
        return None
    names: dict[str, str] = {}
    found: list[Triple] = []
    for triple in KnowledgeGraph.read(path).labeled():
        s, r, o = (names.setdefault(name, _freebase_name(name)) for name in triple)
        found.append((s, r, o))
    return found


def _named_entities(sparql: str) -> tuple[str, ...]:
    """The entities that a query names, each once, in its order; not those in FILTERs, and no types."""
    rest = _TYPES.sub("", _UNEQUAL.sub("", sparql))
    return tuple(dict.fromkeys(_ENTITY.findall(rest)))


def freebase_query(sparql: str) -> tuple[str, str]:
    """The query that a SPARQL of WebQSP or ComplexWebQuestions is, and what it lacks of it.

    What says that the answer is no text in another language is left out. ``FILTER (?x != ns:m.…)`` takes that
    entity from the answers; of a single link it is left out, because next to nothing is linked to itself. All
    else is kept, or there is no query: one that lacks a condition would have other answers.

    Args:
        sparql: The text; "" gives "" and "".

    Returns:
        The text of a query and ""; or "" and the reason why there is none.

    Example:
        >>> freebase_query("SELECT DISTINCT ?x WHERE { FILTER (?x != ns:m.0a) ns:m.0a ns:s ?y . ?y ns:t ?x }")
        ('(minus (p "t" (p "s" "m.0a")) "m.0a")', '')
    """
    if not sparql.strip():
        return "", ""
    text = _UNEQUAL.sub("", _TEXTS.sub("", sparql))
    try:
        tree, dropped = tree_with_limits(parse_leniently(text))
        if tree.size > 1:
            for entity in dict.fromkeys(_UNEQUAL.findall(sparql)):
                tree = Difference(tree, Anchor(entity))
    except NoTreeError as problem:
        return "", problem.reason
    except QueryError:
        return "", "it cannot be read"
    if dropped:
        return "", _REASONS[dropped[0]]
    if '"\\"' in tree.text:
        return "", "a literal"
    names = re.compile(rf'"(?:ns:|{re.escape(FREEBASE)})')
    return names.sub('"', tree.text), ""


def _query_notes(questions: Sequence[ImportedQuestion]) -> list[str]:
    """What to say of the queries of a set; nothing if it has no SPARQL."""
    reasons = Counter(q.fields.get("query_lacks", "") for q in questions if q.sparql)
    if not reasons:
        return []
    read = reasons.pop("", 0)
    number = counted(read + reasons.total(), "SPARQL query", "SPARQL queries")
    notes = [f"{read:,} of {number} can be read as queries over links"]
    if reasons:
        some = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        why = ", ".join(f"{reason} ({number:,})" for reason, number in some)
        notes.append(f"the others have what such queries lack: {why}")
    return notes


def _keep_label(labels: dict[str, str], entity: str | None, label: Any) -> None:
    """Keeps the first label of an entity that is a text."""
    if entity and isinstance(label, str) and label.strip():
        labels.setdefault(_freebase_name(entity), label)


def _answer_texts(value: Any) -> list[str]:
    """A text, a number or a list of them as texts, each once; all else is left out."""
    found = value if isinstance(value, list) else [value]
    some = (str(v) for v in found if isinstance(v, str | int | float) and not isinstance(v, bool))
    return [text for text in dict.fromkeys(some) if text]
