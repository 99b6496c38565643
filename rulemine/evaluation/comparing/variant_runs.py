"""Variants of a release compared: what is asked anew, and whether it is still about the same topics.

Two releases are compared on the seed texts of which both have a question; the others are left out and
counted. Each question of the second release is held against all that the first has of its seed text, and is

- *identical* to one of them: the same normalized text and the same answer;
- *paraphrased*, else: the same answer, and the same supporting triples or the same canonical query;
- *unique*: the rest.

Texts are normalized by `fold_loosely`, without the marks at their end; all is compared in source labels. The
paper (Dynamic-KGQA, Table 4) gives no criteria; these are ours. Topics are those of the first question of
each seed text that was accepted (the lowest id), compared as `rulemine.evaluation.statistics.significance`
says.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.notes import FEW_CLUSTERS, where_any
from rulemine.evaluation.reporting.tables import Tabled
from rulemine.evaluation.statistics.significance import ChiSquare, compare_classes
from rulemine.kinds.registry import kind_named
from rulemine.release.naming import questions_in
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely
from rulemine.text.tables import Cell, Show, Table, Values, p_value, percent

__all__ = ["RunFigures", "RunPair", "VariantTable", "compare_runs"]

ENOUGH = 5
"""Expected counts below make the χ² rough (Cochran, Biometrics 1954)."""

_HEADER = (
    "pair",
    "compared",
    "left out",
    "identical",
    "paraphrased",
    "unique",
    "χ²",
    "dof",
    "p",
    "V",
)
_SHOW: dict[str, Show] = {"χ²": "{:.2f}".format, "p": p_value, "V": "{:.3f}".format}


class RunFigures(NamedTuple):
    """A release.

    Attributes:
        name: What it is called.
        run: Its number; 0: the published release.
        identity: See `Release.identity`.
        seed_texts: Seed texts of its test split.
        without: Those that it has no question of.
        questions: Its test questions.
        topics: Topic → how many of the first questions are about it, sorted.
    """

    name: str
    run: int
    identity: str
    seed_texts: int
    without: int
    questions: int
    topics: dict[str, int]


class RunPair(NamedTuple):
    """Two releases on the same seed texts.

    Attributes:
        first: The name of one.
        second: That of the other.
        compared: Questions of the second, of seed texts of which both have some: the sum of the last three.
        left_out: Seed texts of which one has none.
        identical: Questions that are identical.
        paraphrased: Those that are paraphrased.
        unique: The rest.
        topics: The comparison of their topics; None where it is undefined.
    """

    first: str
    second: str
    compared: int
    left_out: int
    identical: int
    paraphrased: int
    unique: int
    topics: ChiSquare | None


@dataclass(frozen=True)
class VariantTable(Tabled):
    """Several variants, each with each; made by `compare_runs`.

    Attributes:
        title: What was compared.
        runs: The releases.
        pairs: The pairs, in the order of the releases.
        notes: What a reader must know, as sentences.
    """

    title: str
    runs: tuple[RunFigures, ...]
    pairs: tuple[RunPair, ...]
    notes: tuple[str, ...]

    def content(self) -> dict[str, Any]:
        """``title``, ``notes``, ``runs`` and ``pairs`` with the fields of their classes."""
        pairs = [
            row._asdict() | {"topics": None if row.topics is None else row.topics._asdict()}
            for row in self.pairs
        ]
        runs = [row._asdict() for row in self.runs]
        return {"title": self.title, "notes": list(self.notes), "runs": runs, "pairs": pairs}

    def tables(self) -> list[Table]:
        """The pairs, with shares beside counts; and the topics of each release."""
        topics = sorted({topic for run in self.runs for topic in run.topics})
        header = ("release", "seed texts", "without", "questions", *topics)
        runs: tuple[Values, ...] = tuple(
            (
                *(run.name, run.seed_texts, run.without, run.questions),
                *(run.topics.get(topic, 0) for topic in topics),
            )
            for run in self.runs
        )
        return [
            Table("pairs", self.title, _HEADER, tuple(map(_values, self.pairs)), show=_SHOW),
            Table("topics", "First questions by topic", header, runs),
        ]


def _values(row: RunPair) -> Values:
    shares = (
        Cell(f"{n:,}", f"{percent(n / row.compared)} %" if row.compared else "")
        for n in (row.identical, row.paraphrased, row.unique)
    )
    found = row.topics
    tests = found and (found.statistic, found.dof, found.p, (found.v, found.low, found.high))
    pair = f"{row.first} × {row.second}"
    return (pair, row.compared, row.left_out, *shares, *(tests or (None, None, None, None)))


class _Variant(NamedTuple):
    """The questions of each seed text that has some, by id, and the entities of all."""

    figures: RunFigures
    seeds: Mapping[str, tuple[str, ...]]
    asked: Mapping[str, Sequence[Question]]
    graph: str


def compare_runs(releases: Sequence[Release]) -> VariantTable:
    """Compares variants, each with each.

    Args:
        releases: Two or more releases of the kind ``variants`` with seed texts in common: fresh variants of a
            release, or this itself; only questions of the test split count.

    Raises:
        ConfigError: There are fewer, one is of another kind or graph, or two share no seed text.
        ReleaseError: A file of a release is missing or was edited.
    """
    if len(releases) < 2:
        raise ConfigError(f"found {len(releases)} release; expected two or more to compare.")
    names = [release.path.resolve().name for release in releases]
    if len(set(names)) < len(names):
        names = [str(release.path) for release in releases]
    read = [_read(release, name) for release, name in zip(releases, names, strict=True)]
    pairs = tuple(_pair(a, b) for a, b in combinations(read, 2))
    tested = [row.topics for row in pairs if row.topics is not None]
    few = min((topics.n // 2 for topics in tested), default=FEW_CLUSTERS)
    templates = [
        one.figures.name
        for one in read
        if any(q.wording == "template" for some in one.asked.values() for q in some)
    ]
    notes = where_any(
        (
            len(pairs),
            "Each question of the second release against all that the first has of its seed text. Identical: "
            "same normalized text and answer as one; paraphrased: same answer, and same supporting triples "
            "or same query; unique: the rest. Left out: seed texts of which one of the two has no question.",
        ),
        (
            len(pairs),
            "χ² of the topics of the first question of each seed text, not corrected; V = √(χ²/n), n the "
            "rows of both, with a 95 % bootstrap interval over seed texts. p > 0.05 does not show that "
            "topics are equally distributed: the interval of V says how far apart they may be. Rows are "
            "matched by seed text, which the test does not use, so that p is too large; the interval does.",
        ),
        (
            len(pairs) - len(tested),
            "–: undefined, as all questions compared are about one topic, or none is compared.",
        ),
        (
            sum(topics.least < ENOUGH for topics in tested),
            f"Of {{}} of {len(pairs)} pairs the χ² is rough: fewer than {ENOUGH} questions are expected of "
            "some topic. Compare more seed texts, or name fewer topics.",
        ),
        (
            few < FEW_CLUSTERS,
            f"Some pair compares {counted(few, 'seed text')}, too few for intervals to be relied on.",
        ),
        (
            len(templates),
            f"Texts of {', '.join(templates)} are templates: the same query always has the same text, so "
            "that what a model would paraphrase is identical here, and figures are not those of a model.",
        ),
    )
    return VariantTable(
        f"Variants of {releases[0].name}, by seed text",
        tuple(one.figures for one in read),
        pairs,
        tuple(notes),
    )


def _read(release: Release, name: str) -> _Variant:
    limits, config = kind_named(release.kind).limits, release.manifest["config"]
    if limits.fresh(config, 1, 0) is None:
        raise ConfigError(
            f"{release.path}: its questions are of the kind {release.kind}; expected releases of the kind "
            "variants, e.g. of the recipe variants-demo."
        )
    labels = translation(release.entities, release.naming, "entity")
    seeds = {
        row.id: tuple(sorted(labels[entity] for entity in row.entities))
        for row in release.seed_rows()
        if row.split == "test"
    }
    asked: dict[str, list[Question]] = {}
    for question in questions_in(release, release.questions("test"), "entity"):  # sorted by id
        asked.setdefault(question.block.seed_text, []).append(question)
    topics = Counter(some[0].block.topic for some in asked.values())
    figures = RunFigures(
        name,
        limits.run(config),
        release.identity,
        len(seeds),
        len(seeds.keys() - asked.keys()),
        sum(map(len, asked.values())),
        dict(sorted(topics.items())),
    )
    return _Variant(figures, seeds, asked, str(release.manifest["kg"].get("digest")))


def _pair(a: _Variant, b: _Variant) -> RunPair:
    places = f"{a.figures.name} and {b.figures.name}"
    if a.graph != b.graph:
        raise ConfigError(f"{places}: are about two graphs; expected variants of one release.")
    shared = sorted(a.seeds.keys() & b.seeds.keys())
    if not shared or any(a.seeds[key] != b.seeds[key] for key in shared):
        found = "share no seed text" if not shared else "have other entities for the same seed text"
        raise ConfigError(
            f"{places}: {found}; expected variants of one release. Make them: rulemine build DIR "
            "--runs 3 -o OUT."
        )
    both = [key for key in shared if key in a.asked and key in b.asked]
    kinds = Counter(
        min((_kind(other, question) for other in a.asked[key]), key=_KINDS.index)
        for key in both
        for question in b.asked[key]
    )
    topics = [[one.asked[key][0].block.topic for key in both] for one in (a, b)]
    tested = compare_classes(topics[0], topics[1])
    return RunPair(
        a.figures.name,
        b.figures.name,
        kinds.total(),
        len(shared) - len(both),
        kinds["identical"],
        kinds["paraphrased"],
        kinds["unique"],
        tested,
    )


_KINDS = ("identical", "paraphrased", "unique")


def _kind(a: Question, b: Question) -> str:
    if a.block.answer != b.block.answer:
        return "unique"
    if _normalized(a.question) == _normalized(b.question):
        return "identical"
    alike = set(a.block.triples) == set(b.block.triples)
    return "paraphrased" if alike or a.query == b.query else "unique"


def _normalized(text: str) -> str:
    return fold_loosely(text).strip().rstrip(QUESTION_MARKS + " .!")
