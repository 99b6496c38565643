"""Whether the answers of a question set are those of its queries, and whether its texts are sound."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.figures import DIGITS, EXAMPLES, Measure, measure, share
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

SECTION = "answers"

_NO_ANSWERS = "the set states no answers, only queries."

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
    yield from _executed(of)
    yield _named_in_text(of, progress)
    for key, title, of_question in (
        ("same_text", "same text, other answers", normalized_text),
        ("same_query", "same query, other answers", canonical_query),
    ):
        yield _ambiguous(of, key, title, of_question)
    yield _without(of)
    yield measure(
        SECTION, "many_answers", f"more than {HUGE} answers",
        f"Share of the questions that have more than {HUGE} answers.",
        share([len(q.answers) > HUGE if of.states(q) else None for q in of.questions])
        if of.states_answers
        else None,
        _NO_ANSWERS,
    )  # fmt: skip
    yield _topics(of)


def _executed(of: AuditedSet) -> Iterator[Measure]:
    found = of.executed("complete") if of.states_answers else [None] * len(of.questions)
    none = not any(answers is not None for answers in found)
    why = of.why_no_query if of.states_answers else _NO_ANSWERS

    def stated(q: Question) -> frozenset[str]:
        return frozenset(q.answers).difference(q.further if of.has_reference else ())

    def scores(hit: Callable[[Question, frozenset[str]], bool]) -> list[bool | None]:
        pairs = zip(of.questions, found, strict=True)
        return [hit(q, rows) if rows is not None and of.states(q) else None for q, rows in pairs]

    for key, title, definition, hit in (
        (
            "missing", "stated, not confirmed by the query",
            "Share of the questions with a query that state an answer which the query does not give on the "
            "complete graph: not confirmed, where that graph is not the set's own (answers that only a "
            "reference graph has are not counted).",
            lambda q, answers: bool(stated(q) - answers),
        ),
        (
            "extra", "given by the query, not stated",
            "Share of the questions with a query that gives an answer on the complete graph which they do "
            "not state.",
            lambda q, answers: bool(answers - stated(q)),
        ),
    ):  # fmt: skip
        yield measure(SECTION, key, title, definition, None if none else share(scores(hit)), why)
    kg = None if of.has_rows or none else of.complete
    why = "answers are rows." if of.has_rows else why

    def given_by(form: Callable[[Question], str]) -> list[frozenset[str] | None]:
        if kg is None:
            return []
        return of.answers_to(kg, [form(q) if q.query else "" for q in of.questions])

    turned = given_by(_other_way)
    explained = [
        None if answers is None else bool((stated(q) - answers) & (back or frozenset()))
        for q, answers, back in zip(of.questions, found, turned, strict=True)
    ] if any(back is not None for back in turned) else None  # fmt: skip
    yield measure(
        SECTION, "other_direction", "stated in the other direction",
        "Share of the questions with a query that state an answer which the query does not give, but would "
        "if it asked for the other end of its last relation.",
        share(explained) if explained else None,
        why if kg is None else "no query asks for an end of a relation.",
    )  # fmt: skip
    declared = bool(of.declarations.readings) and kg is not None
    wider = given_by(lambda q: expanded(parse(q.query), of.declarations).text) if declared else []
    grown = [
        None if answers is None or more is None else bool(more - answers - stated(q))
        for q, answers, more in zip(of.questions, found, wider, strict=True)
    ] if declared else None  # fmt: skip
    yield measure(
        SECTION, "declared", "lacks answers of declared synonyms",
        "Share of the questions with a query that do not state an answer which the graph gives by another "
        "statement of the same facts: relations declared symmetric, inverse or the same.",
        share(grown) if grown else None,
        why if kg is None else "nothing is declared about the relations.",
    )  # fmt: skip


def _other_way(question: Question) -> str:
    """The query that asks for the other end of its last relation; "" where there is none or several."""
    query = parse(question.query)
    if not isinstance(query, Projection):
        return ""
    return Projection(query.relation, not query.inverse, query.of).text


def _named_in_text(of: AuditedSet, progress: Progress) -> Measure:
    known = of.names

    def names(entity: str) -> EntityNames:
        own = known.get(entity)
        entity, text = (own.entity, own.text) if own else (entity, entity)
        return EntityNames(_NO_ID, entity, text)

    hits: list[bool | None] = []
    for number, q in enumerate(of.questions):
        progress(number, len(of.questions))
        hits.append(None)
        if kind_named(q.kind).choices(q):
            continue
        topics = [names(a) for a in q.anchors]
        spelled = dict.fromkeys(name for t in topics for name in (t.text, t.entity))
        written = list(spelled | dict.fromkeys(q.anchors))
        spans = find_mentions_of_all(q.question, written)
        pieces = cut(q.question, tuple(span for span, _ in spans))
        own = [EntityNames(_NO_ID, written[at], written[at]) for _, at in spans]
        answers = [names(a) for a in _named(q, of.has_rows)]
        if apart := [a for a in answers if a not in topics]:
            hits[-1] = named_answer(pieces, own, apart) is not None
    return measure(
        SECTION, "in_text", "answer in the text",
        "Share of the questions whose text names an answer, as a whole word and outside the names of its "
        "topics (of rows, also of what the query names); questions that offer answers to choose from are not "
        "counted.",
        share(hits), "no question has an answer that is a name.",
    )  # fmt: skip


def _named(question: Question, has_rows: bool) -> Sequence[str]:
    """The names that are answers: of rows, the texts in them that the query does not name itself."""
    if not has_rows:
        return question.answers
    cells = (cell for row in question.answers for cell in row_of(row))
    texts = (cell for cell in cells if isinstance(cell, str) and cell.strip())
    return list(dict.fromkeys(text for text in texts if text not in question.query))


def _ambiguous(
    of: AuditedSet, key: str, title: str, of_question: Callable[[Question], str]
) -> Measure:
    texts = [of_question(q) if of.states(q) else "" for q in of.questions]
    keys = [(of.graph_of(q), text) for q, text in zip(of.questions, texts, strict=True)]
    answers: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for key_of, q in zip(keys, of.questions, strict=True):
        answers[key_of].add(tuple(sorted(q.answers)))
    return measure(
        SECTION, key, title,
        f"Share of the questions that have the {title.split(',')[0].removeprefix('same ')} of another "
        "question about the same graph with other answers.",
        share([len(answers[name]) > 1 if name[1] else None for name in keys])
        if of.states_answers
        else None,
        "no question has a query." if of.states_answers else _NO_ANSWERS,
    )  # fmt: skip


def _without(of: AuditedSet) -> Measure:
    """Questions without an answer; those that were left out for that when the set was read count too."""
    none = [q.id for q in of.questions if not q.answers and of.states(q)]
    if "rejected.jsonl" in of.release.manifest["files"]:
        none += [row.question for row in of.release.rejections() if row.stage == "import"]
    total = len({*none, *(q.id for q in of.questions)})
    found = measure(
        SECTION, "no_answer", "no answer",
        "Share of the questions that have no answer; such questions are left out of imported sets, and no "
        "other figure is over them.",
        None, _NO_ANSWERS,
    )  # fmt: skip
    if not of.states_answers:
        return found
    value, named = round(len(none) / total, DIGITS), tuple(none[:EXAMPLES])
    return Measure(replace(found.figure, why="", value=value, n=total, examples=named), None)


def _topics(of: AuditedSet) -> Measure:
    known = set() if of.complete is None else of.complete.entity_ids.keys()
    lost = [not known >= set(q.anchors) if q.anchors else None for q in of.questions]
    return measure(
        SECTION, "topics", "topic not in the graph",
        "Share of the questions with topics of which the complete graph lacks one.",
        None if of.complete is None or of.has_rows else share(lost),
        "topics are names of nodes." if of.has_rows else "the set has no graph."
        if of.complete is None else "no question names its topics.",
    )  # fmt: skip
