"""Whether the answers of a question set are those of its queries, and whether its texts are sound."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.figures import Measure
from rulemine.cypher.rows import row_of
from rulemine.errors import QueryError
from rulemine.kg.entity_names import EntityNames
from rulemine.kinds.registry import kind_named
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.tree import Projection
from rulemine.release.records import Question
from rulemine.text.mentions import cut, find_mentions_of_all
from rulemine.text.naming_rules import named_answer
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely

__all__ = ["answer_measures", "canonical_query", "normalized_text"]

HUGE = 100
"""More answers than anybody would read."""

NO_ANSWERS = "the set states no answers, only queries."

_NO_ID = f"e{'9' * 40}"
"""Stands for the private ids of entities: only names that the set gives them are looked for."""


def normalized_text(question: Question) -> str:
    """A text in one spelling: case, typography, white space and the mark at its end do not matter."""
    return fold_loosely(question.question).strip().rstrip(f"{QUESTION_MARKS}. ")


def canonical_query(question: Question) -> str:
    """A query in one spelling; that of the source with single blanks where no other is known; or ""."""
    text = question.query or kind_named(question.kind).published(question).query
    if text.startswith("("):
        with suppress(QueryError):  # an expression of others
            return parse(text).text
    return " ".join(text.split())


def answer_measures(of: AuditedSet, progress: Progress) -> Iterator[Measure]:
    """The figures on answers."""
    stated = of.states_answers
    yield from _executed(of)
    names = _named_in_text(of, progress)
    yield Measure("in_text", names, "no question has an answer that is a name.")
    for key, why, of_question in (
        ("same_text", "", normalized_text),
        ("same_query", "no question has a query.", canonical_query),
    ):
        yield Measure(key, _ambiguous(of, of_question), why if stated else NO_ANSWERS)
    none = [not q.answers and of.states(q) for q in of.questions]
    left_out: list[str] = []
    if stated and "rejected.jsonl" in of.release.manifest["files"]:
        there = {q.id for q in of.questions}
        refused = [row.question for row in of.release.rejections() if row.stage == "import"]
        left_out = [id_ for id_ in dict.fromkeys(refused) if id_ not in there]
    yield Measure("no_answer", none if stated else None, NO_ANSWERS, left_out=left_out)
    many = [len(q.answers) > HUGE if of.states(q) else None for q in of.questions]
    yield Measure("many_answers", many, NO_ANSWERS)
    known = set() if of.complete is None else of.complete.entity_ids.keys()
    lost = [not known >= set(q.anchors) if q.anchors else None for q in of.questions]
    why = "the set has no graph." if of.complete is None else "no question names its topics."
    yield Measure(
        "topics",
        None if of.complete is None or of.has_rows else lost,
        "topics are names of nodes." if of.has_rows else why,
    )


def _executed(of: AuditedSet) -> Iterator[Measure]:
    found = of.executed("complete") if of.states_answers else [None] * len(of.questions)
    none = not any(answers is not None for answers in found)
    why = of.why_no_query if of.states_answers else NO_ANSWERS

    def stated(q: Question) -> frozenset[str]:
        return frozenset(q.answers).difference(q.further if of.has_reference else ())

    pairs = [
        (q, rows if of.states(q) else None) for q, rows in zip(of.questions, found, strict=True)
    ]
    missing = [None if rows is None else bool(stated(q) - rows) for q, rows in pairs]
    yield Measure("missing", missing, why)
    extra = [None if rows is None else bool(rows - stated(q)) for q, rows in pairs]
    yield Measure("extra", extra, why)
    kg = None if of.has_rows or none else of.complete
    why = "answers are rows." if of.has_rows else why

    def given_by(form: Callable[[Question], str]) -> list[frozenset[str] | None]:
        if kg is None:
            return [None] * len(of.questions)
        return of.answers_to(kg, [form(q) if q.query else "" for q in of.questions])

    turned = given_by(_other_way)
    explained = [
        None if answers is None else bool((stated(q) - answers) & (back or frozenset()))
        for q, answers, back in zip(of.questions, found, turned, strict=True)
    ]
    yield Measure(
        "other_direction",
        explained if any(back is not None for back in turned) else None,
        why if kg is None else "no query asks for an end of a relation.",
    )
    declared = of.declarations.readings and kg is not None
    wider = given_by(lambda q: expanded(parse(q.query), of.declarations).text if declared else "")
    grown = [
        None if answers is None or more is None else bool(more - answers - stated(q))
        for q, answers, more in zip(of.questions, found, wider, strict=True)
    ]
    yield Measure(
        "declared",
        grown if declared else None,
        why if kg is None else "nothing is declared about the relations.",
    )


def _other_way(question: Question) -> str:
    """The query that asks for the other end of its last relation; "" where there is none or several."""
    query = parse(question.query)
    if not isinstance(query, Projection):
        return ""
    return Projection(query.relation, not query.inverse, query.of).text


def _named_in_text(of: AuditedSet, progress: Progress) -> list[bool | None]:
    """Whether the text of a question names an answer, outside the names of its topics."""
    known = {row.name_in(of.release.naming): row for row in of.release.entities}

    def names(entity: str) -> EntityNames:
        own = known.get(entity)
        return (
            EntityNames(_NO_ID, own.entity, own.text)
            if own
            else EntityNames(_NO_ID, entity, entity)
        )

    hits: list[bool | None] = []
    for number, q in enumerate(of.questions):
        progress(number, len(of.questions))
        topics = [names(a) for a in q.anchors]
        answers = [names(a) for a in _named(q, of.has_rows)]
        apart = [a for a in answers if a not in topics]
        if not apart or kind_named(q.kind).choices(q):
            hits.append(None)
            continue
        spelled = dict.fromkeys(name for t in topics for name in (t.text, t.entity))
        written = list(spelled | dict.fromkeys(q.anchors))
        spans = find_mentions_of_all(q.question, written)
        pieces = cut(q.question, tuple(span for span, _ in spans))
        own = [EntityNames(_NO_ID, written[at], written[at]) for _, at in spans]
        hits.append(named_answer(pieces, own, apart) is not None)
    return hits


def _named(question: Question, has_rows: bool) -> Sequence[str]:
    """The names that are answers: of rows, the texts in them that the query does not name itself."""
    if not has_rows:
        return question.answers
    cells = (cell for row in question.answers for cell in row_of(row))
    texts = (cell for cell in cells if isinstance(cell, str) and cell.strip())
    return list(dict.fromkeys(text for text in texts if text not in question.query))


def _ambiguous(of: AuditedSet, form: Callable[[Question], str]) -> list[bool | None]:
    """Whether another question about the same graph has the same form and other answers."""
    keys = [(of.graph_of(q), form(q) if of.states(q) else "") for q in of.questions]
    answers = defaultdict(set)
    for key, q in zip(keys, of.questions, strict=True):
        answers[key].add(tuple(sorted(q.answers)))
    return [len(answers[key]) > 1 if key[1] else None for key in keys]
