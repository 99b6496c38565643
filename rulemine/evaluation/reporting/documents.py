"""The reports of one system, of several compared, and of the questions of a release alone, as documents.

Their questions each have their proof, what every system did with it, and why that counted. Entities and
triples are in the naming of the release, whatever the naming of the predictions; what a system wrote stays as
it wrote it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.breakdown import PROOF, group_titles
from rulemine.evaluation.comparing.comparison import SHOWN, Differences
from rulemine.evaluation.predictions import PredictionFile, read_predictions
from rulemine.evaluation.reporting.document import (
    MOST_QUESTIONS,
    Document,
    Outcome,
    Picture,
    QuestionRow,
)
from rulemine.evaluation.reporting.report import Frame, Report
from rulemine.evaluation.reporting.titles import (
    FURTHER,
    SUBSETS,
    TITLES,
    scores_in_words,
    subsets_in_words,
)
from rulemine.evaluation.spelling import Spelling
from rulemine.evaluation.statistics.bootstrap import CONFIDENCE
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import form_of, is_built, kind_named
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, Removal, translation
from rulemine.release.show import TITLES as PARTS
from rulemine.release.show import read_views
from rulemine.text.tables import Table

__all__ = [
    "MOST_SAID",
    "SystemRun",
    "document_of_comparison",
    "document_of_questions",
    "document_of_run",
    "question_rows",
    "run_of_file",
]

_DRAWN = ("hits_any", "hits_hard", "hard_f1")
"""The scores of the figures."""

_FIGURES = ("rule_type", "structure", "missing")
"""The breakdowns that are drawn."""

_FIRST = ("hard_f1", "hits_hard", "hhr", "hits_any", "f1", "precision", "recall")
"""The scores that tables begin with; the others follow in the order of the report."""


MOST_SAID = 2000
"""Characters kept of the output of a system."""

MOST_TRIPLES = 60
"""Triples kept of what it retrieved, and entities of what it answered."""

_NAMED = 3
"""Answers that a sentence names."""

Progress = Callable[[int, int], None]
"""Called with (questions done, all questions)."""

Removals = Mapping[Triple, Removal]


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


def document_of_run(
    release: Release, run: SystemRun, progress: Progress = lambda done, total: None
) -> Document:
    """The report of one system: its scores, by group too, and every question.

    Args:
        release: The release.
        run: What the system did.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    report = run.report
    rows, labels = question_rows(release, [run], None, progress)
    headline, *tables = _tables(report)
    return Document(
        title=f"{run.system} on the {run.kg} graph of {release.name}",
        notes=report.notes,
        facts={
            "system": run.system,
            "graph": run.kg,
            "release": release.name,
            "split": report.split,
            "sample": "all questions" if report.sample is None else f"{report.sample:,} questions",
            "naming": report.naming,
            "matching": report.matching,
            "intervals": f"{100 * CONFIDENCE:g} % bootstrap, {report.resamples:,} resamples of clusters, "
            f"seed {report.seed}",
        },
        headline=headline,
        figures=tuple(_figures(report)),
        tables=(*tables, *report.of_queries, *(report.others.tables() if report.others else ())),
        questions=rows,
        labels=labels,
    )


def document_of_questions(
    release: Release, split: str | None = "test", progress: Progress = lambda done, total: None
) -> Document:
    """The questions of a release with their proofs.

    Args:
        release: The release.
        split: The split; None for all.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: There is no such split, or a file is missing or was edited.
    """
    rows, labels = question_rows(release, (), split, progress)
    form = kind_named(release.kind).groups[0]
    asked = Counter(form_of(row.question) for row in rows)
    core = Counter(form_of(row.question) for row in rows if row.question.core)
    header = (form.title, "questions", *["core"] * is_built(release.kind))
    counts = [(name, asked[name], core[name]) for name in sorted(asked)]
    counts.append(("all", asked.total(), core.total()))
    numbers = tuple(row[: len(header)] for row in counts)
    return Document(
        title=f"Questions of {release.name}",
        facts={
            "release": release.name,
            "split": split or "all",
            "naming": release.naming,
            "kind": release.kind,
        },
        headline=Table("headline", f"Questions by {form.title}", header, numbers),
        questions=rows,
        labels=labels,
    )


def run_of_file(release: Release, file: PredictionFile, report: Report) -> SystemRun:
    """What a system did, as its prediction file says.

    Args:
        release: The release.
        file: The file.
        report: How it was scored.

    Raises:
        PredictionError: A prediction is malformed.
    """
    official = report.matching == "brink"
    predictions = read_predictions(
        file, release.questions(), split=None, missing="empty", official=official
    )
    return SystemRun(report.system or file.path.stem, report.kg, predictions, report)


def _all(report: Report) -> str:
    """All questions that were asked, in words."""
    return "all questions" if report.sample is None else f"the {report.n:,} questions of the sample"


def _tables(report: Report) -> Iterator[Table]:
    """The headline, the further tables, and one for each breakdown."""
    subsets, rows = report.frame.where(breakdown=SUBSETS), ("group", "n")
    apart = {metric for _, metrics, _ in FURTHER for metric in metrics}
    of_answers = [m for m in report.metrics if m in TITLES and m not in apart]
    of_answers.sort(key=lambda m: _FIRST.index(m) if m in _FIRST else len(_FIRST))
    yield subsets.table(
        "headline", "Scores, percent", of_answers, rows=rows, notes=_in_words(report, of_answers)
    )
    for number, (about, metrics, _) in enumerate(FURTHER, start=1):
        if not set(metrics).isdisjoint(report.metrics):
            title = about.format(kg=report.kg)
            title = title[0].upper() + title[1:]
            yield subsets.table(f"further-{number}", title, metrics, rows=rows)
    for breakdown, called in group_titles(report.kind).items():
        some = report.frame.where(breakdown=breakdown)
        if some.rows and breakdown not in SUBSETS:
            title = f"By {called}, {_all(report)}, percent"
            yield some.table(breakdown, title, of_answers, rows=rows)


def _in_words(report: Report, metrics: Sequence[str]) -> tuple[str, ...]:
    """What the core, its parts and all questions are, and what the scores are, as sentences."""
    sizes = ((row.breakdown, row.n) for row in report.rows)
    return subsets_in_words(sizes), *scores_in_words(metrics, ["hhr"])


def _figures(report: Report) -> Iterator[Picture]:
    drawn = Frame(tuple(row for row in report.frame.where(metric=_DRAWN).rows if row.n))
    for breakdown in _FIGURES:
        some = drawn.where(breakdown=breakdown)
        if len({row.group for row in some.rows}) > 1:
            title = group_titles(report.kind)[breakdown]
            yield some.picture(
                f"figure-{breakdown}",
                f"Scores by {title}",
                f"Over {_all(report)}, by {title}; bars with {100 * CONFIDENCE:g} % intervals. "
                "Hits@Hard and hard F1 count what must be inferred.",
                rows=("metric",),
                across=title,
            )


def document_of_comparison(
    release: Release,
    runs: Sequence[SystemRun],
    differences: Differences,
    progress: Progress = lambda done, total: None,
) -> Document:
    """The report of several systems.

    Args:
        release: The release.
        runs: What they did, scored on the same questions at one level.
        differences: Each compared with each.
        progress: Called with (questions done, all questions).

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    rows, labels = question_rows(release, runs, None, progress)
    report = runs[0].report
    frame = Frame.of((run.system, run.report) for run in runs)
    named = Frame.of((f"{run.system}, {run.kg}", run.report) for run in runs)
    asked = {row.breakdown for row in report.rows}
    first, *others = (
        frame.where(breakdown=subset).table(
            f"scores-{subset}", f"Scores, {title}, percent", SHOWN, rows=("system", "graph", "n")
        )
        for subset, title in SUBSETS.items()
        if subset in asked
    )
    headline = SUBSETS[report.headline.breakdown]
    by_proof = frame.where(breakdown=PROOF.key, metric="hard_f1").table(
        "by-proof", f"{TITLES['hard_f1']} by {PROOF.title}, percent", columns="group"
    )
    below = replace(
        differences.tables()[0],
        title="Differences, percentage points",
        notes=differences.notes[-1:],  # the others stand above
    )
    return Document(
        title=f"{len(runs)} systems on {release.name}",
        notes=differences.notes[:-1],
        facts={
            "release": f"{release.name} ({release.identity[:12]})",
            "split": report.split,
            "questions": f"{report.n:,}",
            "hard answers": f"those missing at level {report.level}",
        },
        headline=replace(first, id="headline", notes=(*first.notes, *_in_words(report, SHOWN))),
        figures=(
            named.where(breakdown=report.headline.breakdown, metric=_DRAWN).picture(
                "systems",
                f"Systems, {headline}",
                f"Over {headline}, with 95 % intervals. Hits@Hard and Hard F1 count what must be inferred.",
                rows=("metric",),
                columns="system",
            ),
        ),
        tables=(*others, *[by_proof] * bool(by_proof.rows), below),
        questions=rows,
        labels=labels,
    )


def question_rows(
    release: Release,
    runs: Sequence[SystemRun],
    split: str | None = "test",
    progress: Progress = lambda done, total: None,
) -> tuple[tuple[QuestionRow, ...], dict[str, str]]:
    """The rows of the questions.

    Args:
        release: The release.
        runs: What systems did; none for the questions alone.
        split: The split; None for all. With runs, only questions that one of them was scored on.
        progress: See `Progress`.

    Returns:
        The rows, sorted by id; and the readable labels of the entities in them that have one beside their
        name.

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    removals = {row.triple: row for row in release.removals()}
    readers = [_Reader(release, run, removals) for run in runs]
    asked = set().union(*(run.report.ids for run in runs))
    questions = [q for q in release.questions(split) if q.id in asked or not runs]
    on_page = {q.id for q in sample(questions, MOST_QUESTIONS)}
    told = {q.id: q for q in questions if q.id in on_page and q.evidence}  # none without a release
    views = read_views(release, told.values()) if told else None
    rows = []
    for number, question in enumerate(questions):
        progress(number, len(questions))
        view = views.of(question) if views and question.id in told else ()
        parts = list(zip(PARTS, view, strict=False))[2:5]
        proofs = _proofs(question, removals)
        row = QuestionRow(
            question,
            tuple(dict.fromkeys(chain.from_iterable((t, *body) for t, body in proofs.items()))),
            {title: lines for title, lines in parts if lines},
            tuple(
                reader.outcome(question, proofs, MOST_TRIPLES * (question.id in on_page))
                for reader in readers
                if question.id in reader.places
            ),
        )
        rows.append(row)
    return tuple(rows), _labels(release, rows)


def _proofs(question: Question, removals: Removals) -> dict[Triple, tuple[Triple, ...]]:
    """The triples that the hard answer rests on, each with its proof; without one if it was not removed."""
    found: dict[Triple, tuple[Triple, ...]] = {}
    for triple in question.evidence:
        row = removals.get(triple)
        known = (row.certificate, *row.further_certificates) if row else ()
        own = (proof for proof in known if proof.rule in question.rules)
        found[triple] = next((proof.body for proof in chain(own, known)), ())
    return found


class _Reader:
    """Reads what one system did."""

    def __init__(self, release: Release, run: SystemRun, removals: Removals) -> None:
        self._run, self._removals = run, removals
        self._names = translation(release.entities, run.report.naming, release.naming)
        self._spelling = Spelling(
            chain(self._names, release.relations() if release.answers == "entities" else ())
        )
        self._level = release.level_of(run.kg)
        self._given = {p.id: p for p in run.predictions}
        self.places = {id_: place for place, id_ in enumerate(run.report.ids)}

    def outcome(
        self, question: Question, proofs: Mapping[Triple, tuple[Triple, ...]], kept: int
    ) -> Outcome:
        """What it did with a question that it was asked.

        Args:
            question: The question.
            proofs: See `_proofs`.
            kept: Most triples that are kept.
        """
        report, place = self._run.report, self.places[question.id]
        given = self._given.get(question.id)
        answers = tuple(map(_cut, report.answers[place]))
        kinds = _kinds(question, report.level)
        stated = bool(kinds["hard"]) and question.level > self._level
        verdict, why = _judged(kinds, answers, stated=stated)
        if given is None:
            verdict, why = (
                "missing",
                "There is no prediction for this question; it counts as empty.",
            )
        columns = zip(report.columns, report.scores[place].tolist(), strict=True)
        scores = {column: None if value != value else value for column, value in columns}
        retrieved = None if given is None else given.retrieved
        found = self._told(retrieved or ())
        if retrieved is not None and kinds["hard"]:
            proved, inferred = scores.get("proof_retrieved") == 1, verdict == "hard"
            why += self._why_retrieval({*found}, proofs, proved=proved, inferred=inferred)
        return Outcome(
            system=self._run.system,
            kg=self._run.kg,
            verdict=verdict,
            why=why,
            said=_cut((given and (given.raw_output or given.cypher or given.sparql)) or ""),
            answers=answers[:MOST_TRIPLES],
            retrieved=found[:kept],
            retrieved_count=None if retrieved is None else len(retrieved),
            generated=self._told(given.generated[:kept] if given else ()),
            scores=scores,
            of_query={} if report.queries is None else report.queries[question.id].columns,
        )

    def _told(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """Triples in the naming of the release, and in its letters."""
        own, names = self._spelling.of, self._names
        return tuple(
            (names.get(own(s)) or _cut(s), _cut(own(r)), names.get(own(o)) or _cut(o))
            for s, r, o in triples
        )

    def _why_retrieval(
        self,
        found: set[Triple],
        proofs: Mapping[Triple, tuple[Triple, ...]],
        *,
        proved: bool,
        inferred: bool,
    ) -> str:
        """What came of retrieving the proof, as a sentence after others."""
        if proved:
            then = "." if inferred else ", and it was not inferred: a failure of reasoning."
            return f" A proof of it was retrieved{then}"
        need: set[Triple] = set()
        for triple, body in proofs.items():
            # A removed triple that this graph still states may be found itself, or its whole proof.
            stated = triple not in self._removals or self._removals[triple].level > self._level
            whole = bool(body) and found.issuperset(body) and triple not in found
            need.update((triple,) if stated and not whole else body)
        have = len(need & found)
        verb = "was" if have == 1 else "were"
        said = f" Of the {counted(len(need), 'triple')} of its proof, {have} {verb} retrieved"
        return said + ("." if inferred else ": a failure of retrieval.")


def _kinds(question: Question, level: int) -> dict[str, set[str]]:
    """Verdict → the answers that it is about, at the level at which a question is scored; the best first."""
    hard = {row.answer for row in question.hard if row.level <= level}
    further = {*question.further}
    stated = {*question.answers} - hard - further
    asked = hard & {question.hard_answer}
    return {"hard": asked, "other_hard": hard, "stated": stated, "further": further}


_ONLY = {
    "other_hard": "Another answer that must be inferred",
    "stated": "Only what the incomplete graph states",
    "further": "Only what not even the complete graph states",
}
"""Verdict → what was given in the place of the hard answer."""


def _judged(
    kinds: Mapping[str, set[str]], answers: Sequence[str], *, stated: bool
) -> tuple[str, str]:
    """The verdict on answers, and why it is so, as sentences.

    Args:
        kinds: See `_kinds`.
        answers: The answers.
        stated: Whether the graph that was answered from states the hard answer.
    """
    if not answers:
        return "empty", "It named no entity."
    right = [a for a in answers if any(a in kind for kind in kinds.values())]
    if not right:
        return "wrong", f"None of {counted(len(answers), 'answer')} is right."
    wrong = len(answers) - len(right)
    verb = "is" if wrong == 1 else "are"
    rest = f" {counted(wrong, 'other answer')} {verb} wrong." * bool(wrong)
    if not kinds["hard"]:
        return "right", f"Nothing had to be inferred; given: {_some(right)}.{rest}"
    (asked,) = kinds["hard"]
    verdict = next(verdict for verdict, kind in kinds.items() if not kind.isdisjoint(answers))
    if verdict == "hard":
        how = "this graph states it" if stated else "this graph does not state it"
        return verdict, f"The hard answer {asked} was given; {how}.{rest}"
    given = f"{_ONLY[verdict]} was given: {_some([a for a in answers if a in kinds[verdict]])}"
    return verdict, f"{given}; the hard answer {asked} was not.{rest}"


def _some(answers: Sequence[str]) -> str:
    """Answers, the first few by name."""
    more = f" and {len(answers) - _NAMED:,} more" if len(answers) > _NAMED else ""
    return f"{', '.join(answers[:_NAMED])}{more}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}… ({len(text):,} characters)"


def _labels(release: Release, rows: Sequence[QuestionRow]) -> dict[str, str]:
    """Entity → its text label, of the entities in the rows whose name says less."""
    seen: set[str] = set()
    for question, proof, _, outcomes in rows:
        seen.update(question.anchors, question.hard_answers, question.stated, question.further)
        triples = chain(proof, *((*o.retrieved, *o.generated) for o in outcomes))
        seen.update(chain.from_iterable(triple[::2] for triple in triples))
        seen.update(*(outcome.answers for outcome in outcomes))
    names = translation(release.entities, release.naming, "text")
    return {e: names[e] for e in sorted(seen & names.keys()) if names[e] != e}
