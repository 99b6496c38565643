"""The questions of a report: each with its proof, what every system did with it, and why that counted.

Entities and triples are in the naming of the release, whatever the naming of the predictions; what a system
wrote stays as it wrote it.
"""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.matching.vocabulary import composed
from rulemine.evaluation.reporting.document import Outcome, QuestionRow
from rulemine.evaluation.reporting.report import Report
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import form_of
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import (
    Prediction,
    Question,
    Removal,
    translation,
)
from rulemine.release.show import TITLES, read_views

__all__ = ["MOST_QUESTIONS", "MOST_SAID", "MOST_TRIPLES", "SystemRun", "question_rows"]

MOST_SAID = 2000
"""Characters kept of the output of a system."""

MOST_TRIPLES = 60
"""Triples kept of what it retrieved, and entities of what it answered."""

MOST_QUESTIONS = 2000
"""Questions on a page; triples are kept for these alone."""

_NAMED = 3
"""Answers that a sentence names."""


class SystemRun(NamedTuple):
    """A system's answers to the questions of a release, and their scores.

    Attributes:
        system: The system, as in the headline.
        kg: The graph that it was given: ``complete``, ``incomplete`` or ``incomplete-<level>``.
        predictions: What it predicted.
        report: How that was scored.
    """

    system: str
    kg: str
    predictions: Sequence[Prediction]
    report: Report


def question_rows(
    release: Release,
    runs: Sequence[SystemRun],
    split: str | None = "test",
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[QuestionRow, ...], dict[str, str]]:
    """The rows of the questions.

    Args:
        release: The release.
        runs: What systems did; none for the questions alone.
        split: The split; None for all. With runs, only questions that one of them was scored on.
        progress: Called with (questions done, all questions).

    Returns:
        The rows, sorted by id; and the readable labels of the entities in them that have one beside their
        name.

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    proofs = _Proofs(release)
    readers = [_Reader(release, run) for run in runs]
    asked = set().union(*(run.report.ids for run in runs)) if runs else None
    questions = [q for q in release.questions(split) if asked is None or q.id in asked]
    on_page = {q.id for q in sample(questions, MOST_QUESTIONS)}
    told = {q.id: q for q in questions if q.id in on_page and q.evidence}  # none without a release
    views = read_views(release, told.values()) if told else None
    rows = []
    for number, question in enumerate(questions):
        if progress is not None:
            progress(number, len(questions))
        kept = MOST_TRIPLES if question.id in on_page else 0
        outcomes = (reader.outcome(question, proofs, kept) for reader in readers)
        view = views.of(question) if views and question.id in told else ()
        parts = list(zip(TITLES, view, strict=False))[2:5]
        shown = {title: lines for title, lines in parts if lines}
        rows.append(_row(question, proofs, shown, tuple(o for o in outcomes if o is not None)))
    return tuple(rows), _labels(release, rows)


class _Proofs:
    """The proofs of the removed triples of a release."""

    def __init__(self, release: Release) -> None:
        self._removals: dict[Triple, Removal] = {r.triple: r for r in release.removals()}

    def body(self, triple: Triple, question: Question) -> tuple[Triple, ...]:
        """The proof of a removed triple that the question is about; () for a triple that is stated."""
        removal = self._removals.get(triple)
        if removal is None:
            return ()
        found = (removal.certificate, *removal.further_certificates)
        return next((c.body for c in found if c.rule in question.rules), found[0].body)

    def of(self, question: Question) -> Iterator[Triple]:
        """The triples that the hard answer rests on, each followed by its proof if it was removed."""
        for triple in question.evidence:
            yield from (triple, *self.body(triple, question))

    def needed(self, question: Question, found: Container[Triple], level: int) -> set[Triple]:
        """The triples of the proof on the graph of a level, given what was found there.

        A removed triple that this graph still states may be found itself, or its whole proof.
        """
        need: set[Triple] = set()
        for triple in question.evidence:
            removal, body = self._removals.get(triple), self.body(triple, question)
            stated = removal is None or removal.level > level
            proved = bool(body) and all(part in found for part in body)
            need.update(body if not stated or (proved and triple not in found) else (triple,))
        return need


class _Found:
    """Triples in another naming, asked for in that of the release."""

    def __init__(self, triples: Collection[Triple], names: Mapping[str, str]) -> None:
        self._triples, self._names = frozenset(map(_composed, triples)), names

    def __contains__(self, triple: object) -> bool:
        s, r, o = triple if isinstance(triple, tuple) else ("", "", "")
        return _composed((self._names.get(s, s), r, self._names.get(o, o))) in self._triples


def _composed(triple: Triple) -> Triple:
    s, r, o = (part if part.isascii() else composed(part) for part in triple)
    return s, r, o


def _row(
    question: Question,
    proofs: _Proofs,
    shown: Mapping[str, tuple[str, ...]],
    outcomes: tuple[Outcome, ...],
) -> QuestionRow:
    return QuestionRow(
        id=question.id,
        text=question.question,
        split=question.split,
        anchors=question.anchors,
        query=question.query,
        form=form_of(question),
        core=question.core,
        missing=question.missing,
        hard_answer=question.hard_answer,
        hard=question.hard_answers,
        stated=question.stated,
        further=question.further,
        proof=tuple(dict.fromkeys(proofs.of(question))),
        shown=shown,
        outcomes=outcomes,
    )


class _Reader:
    """Reads what one system did."""

    def __init__(self, release: Release, run: SystemRun) -> None:
        report = run.report
        own = translation(release.entities, report.naming, release.naming)
        self._run, self._names = run, own
        self._others = {name: other for other, name in own.items()}
        self._composed = {composed(other): name for other, name in own.items()}
        self._level = release.level_of(run.kg)
        self._given = {p.id: p for p in run.predictions}
        self._places = {id_: place for place, id_ in enumerate(report.ids)}

    def outcome(self, question: Question, proofs: _Proofs, kept: int) -> Outcome | None:
        """What it did with a question; None if it was not asked.

        Args:
            question: The question.
            proofs: Those of the release.
            kept: Most triples that are kept.
        """
        place = self._places.get(question.id)
        if place is None:
            return None
        prediction = self._given.get(question.id)
        answers = tuple(map(_cut, self._run.report.answers[place]))
        gold = _gold(question, self._run.report.level)
        verdict = "missing" if prediction is None else _verdict(gold, answers)
        reason = _why(gold, verdict, answers, stated=self._states(question))
        retrieved = None if prediction is None else prediction.retrieved
        queries = self._run.report.queries
        values = map(float, self._run.report.scores[place])
        columns = zip(self._run.report.columns, values, strict=True)
        scores = {column: None if v != v else v for column, v in columns}
        if retrieved is not None and gold.asked is not None:
            found = _Found(retrieved, self._others)
            need = proofs.needed(question, found, self._level)
            have = sum(triple in found for triple in need)
            proved = scores.get("proof_retrieved") == 1
            reason += _why_retrieval(have, len(need), proved=proved, given=gold.asked in answers)
        generated = prediction.generated if prediction else ()
        return Outcome(
            system=self._run.system,
            kg=self._run.kg,
            verdict=verdict,
            why=reason,
            said=_cut(
                (prediction and (prediction.raw_output or prediction.cypher or prediction.sparql))
                or ""
            ),
            answers=answers[:MOST_TRIPLES],
            retrieved=tuple(map(self._told, (retrieved or ())[:kept])),
            retrieved_count=None if retrieved is None else len(retrieved),
            generated=tuple(map(self._told, generated[:kept])),
            scores=scores,
            of_query={} if queries is None else queries[question.id].columns,
        )

    def _states(self, question: Question) -> bool:
        """Whether the graph that it was given states the hard answer."""
        return question.hard_answer is not None and question.level > self._level

    def _told(self, triple: Triple) -> Triple:
        s, r, o = triple
        return self._entity(s), _cut(r), self._entity(o)

    def _entity(self, name: str) -> str:
        return self._names.get(name) or self._composed.get(composed(name)) or _cut(name)


class _Gold(NamedTuple):
    """The answers of a question at the level at which it is scored."""

    asked: str | None
    hard: tuple[str, ...]
    stated: tuple[str, ...]
    further: tuple[str, ...]


def _gold(question: Question, level: int) -> _Gold:
    hard = tuple(row.answer for row in question.hard if row.level <= level)
    asked = question.hard_answer if question.hard_answer in hard else None
    stated = tuple(a for a in question.answers if a not in {*hard, *question.further})
    return _Gold(asked, hard, stated, question.further)


def _verdict(gold: _Gold, answers: Sequence[str]) -> str:
    given = set(answers)
    if not given:
        return "empty"
    if gold.asked in given:
        return "hard"
    kinds = {"other_hard": gold.hard, "stated": gold.stated, "further": gold.further}
    found = next((verdict for verdict, kind in kinds.items() if given.intersection(kind)), "wrong")
    return "right" if gold.asked is None and found != "wrong" else found


def _why(gold: _Gold, verdict: str, answers: Sequence[str], *, stated: bool) -> str:
    """Why an answer counted or not, as sentences."""
    right = {*gold.hard, *gold.stated, *gold.further}
    wrong = sum(a not in right for a in answers)
    beside = f" {counted(wrong, 'other answer')} {'is' if wrong == 1 else 'are'} wrong."
    rest = beside if wrong else ""
    if verdict == "missing":
        return "There is no prediction for this question; it counts as empty."
    if verdict == "empty":
        return "It named no entity."
    if verdict == "wrong":
        return f"None of {counted(len(answers), 'answer')} is right."
    if verdict == "right":
        return f"Nothing had to be inferred; given: {_some(tuple(right), answers)}.{rest}"
    if verdict == "hard":
        how = "this graph states it" if stated else "this graph does not state it"
        return f"The hard answer {gold.asked} was given; {how}.{rest}"
    what, kind = {
        "other_hard": ("Another answer that must be inferred", gold.hard),
        "stated": ("Only what the incomplete graph states", gold.stated),
        "further": ("Only what not even the complete graph states", gold.further),
    }[verdict]
    return f"{what} was given: {_some(kind, answers)}; the hard answer {gold.asked} was not.{rest}"


def _some(kind: Sequence[str], answers: Sequence[str]) -> str:
    """Which answers of a kind were given, the first few by name."""
    found = [a for a in answers if a in kind]
    more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    return f"{', '.join(found[:_NAMED])}{more}"


def _why_retrieval(have: int, need: int, *, proved: bool, given: bool) -> str:
    """What came of retrieving the proof, as a sentence after others."""
    if proved:
        then = "." if given else ", and it was not inferred: a failure of reasoning."
        return f" A proof of it was retrieved{then}"
    verb = "was" if have == 1 else "were"
    found = f" Of the {counted(need, 'triple')} of its proof, {have} {verb} retrieved"
    return found + ("." if given else ": a failure of retrieval.")


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}… ({len(text):,} characters)"


def _labels(release: Release, rows: Sequence[QuestionRow]) -> dict[str, str]:
    """Entity → its text label, of the entities in the rows whose name says less."""
    seen: set[str] = set()
    for row in rows:
        seen.update(row.anchors, row.hard, row.stated, row.further)
        seen.update(end for triple in row.proof for end in triple[::2])
        for outcome in row.outcomes:
            seen.update(outcome.answers)
            seen.update(end for t in (*outcome.retrieved, *outcome.generated) for end in t[::2])
    names: Mapping[str, str] = translation(release.entities, release.naming, "text")
    return {e: names[e] for e in sorted(seen & names.keys()) if names[e] != e}
