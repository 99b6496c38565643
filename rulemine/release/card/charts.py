"""What the plots of a release show: its figures as small bar charts, by its kind of questions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rulemine.errors import counted
from rulemine.kinds.query_figures import ALL, MISSING
from rulemine.kinds.subgraphs.figures import SIZES
from rulemine.release.card.bins import bin_label, range_label
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES

__all__ = ["Bar", "Chart", "charts_of"]

MOST_BARS = 10
"""Bars of a chart of what there may be many of."""


class Bar(NamedTuple):
    """A row of a chart.

    Attributes:
        label: What it shows.
        all: The number for all questions; None to leave the bar out.
        core: The number for the core, likewise.
    """

    label: str
    all: float | None
    core: float | None = None


class Chart(NamedTuple):
    """A small bar chart.

    Attributes:
        title: Its title.
        bars: Its rows.
        percent: Whether the numbers are percentages; bars then end at 100.
        long: Whether labels are too long to stand beside the bars.
    """

    title: str
    bars: Sequence[Bar]
    percent: bool = False
    long: bool = False


def charts_of(counts: Mapping[str, Any]) -> list[Chart]:
    """The charts with at least one bar.

    Args:
        counts: The counts of a manifest, see `rulemine.release.card.figures`.
    """
    kinds = {
        "subgraphs": _of_subgraphs,
        "variants": _of_variants,
        "statistics": _of_structures,
        "questions": _of_rules,
    }
    own = next(charts for key, charts in kinds.items() if key in counts)
    return [chart for chart in (*own(counts), *_of_all(counts)) if chart.bars]


def _both(counts: Mapping[str, Any], key: str) -> list[Bar]:
    some, core = counts[f"questions_by_{key}"], counts[f"core_by_{key}"]
    names = list(some)
    used = [i for i, bin_ in enumerate(names) if some[bin_]]
    shown = names[used[0] : used[-1] + 1] if used else []
    return [Bar(bin_label(key, bin_), some[bin_], core[bin_]) for bin_ in shown]


def _of_rules(counts: Mapping[str, Any]) -> list[Chart]:
    types, core_types = counts["questions_by_type"], counts["core_by_type"]
    some, core = counts["questions_by_subtype"], counts["core_by_subtype"]
    return [
        Chart("Rule types", [Bar(k, types[k], core_types[k]) for k in RULE_TYPES]),
        Chart("Body atoms of the proof", _both(counts, "body_atoms")),
        Chart("Standard confidence of the proof", _both(counts, "confidence")),
        Chart(
            "Sub-types of “other”",
            [Bar(SUBTYPE_NAMES.get(k, k), some[k], core[k]) for k in RULE_SUBTYPES if some[k]],
        ),
        Chart("Prior of the answer", _both(counts, "prior")),
        Chart("Lift: confidence / prior", _both(counts, "lift")),
        Chart("Remaining proofs", _both(counts, "proofs")),
        Chart("Body atoms of the shortest proof left", _both(counts, "shortest_proof")),
    ]


def _of_structures(counts: Mapping[str, Any]) -> list[Chart]:
    whole = counts["statistics"][ALL]
    rows = {
        name: row for name, row in counts["statistics"].items() if name != ALL and row["questions"]
    }
    if not rows:
        return []
    missing, inference, degrees, types = _of_queries(counts)
    return [
        Chart(
            "Structures", [Bar(name, row["questions"], row["core"]) for name, row in rows.items()]
        ),
        missing,
        inference,
        *(
            Chart(
                f"{counted(int(n), 'link')} missing",
                [Bar(name, row["by_missing"][n]) for name, row in rows.items()],
            )
            for n in MISSING
            if whole["by_missing"][n]
        ),
        Chart("Triples of full evidence, mean", _means(rows, "triples")),
        Chart("Answers, mean", _means(rows, "answers")),
        Chart("Words and numbers of the text, mean", _means(rows, "tokens")),
        degrees,
        types,
    ]


def _of_queries(counts: Mapping[str, Any]) -> tuple[Chart, Chart, Chart, Chart]:
    """Missing links, inference, degrees and rule types, of queries of every kind."""
    whole = counts["statistics"][ALL]
    inference = {
        "none": "every answer stated",
        "partial": "partial inference",
        "full": "full inference",
    }
    degrees = zip(
        ("least", "25 %", "median", "75 %", "most"), whole["degrees"].values(), strict=True
    )
    return (
        Chart(
            "Links that the hard answer misses",
            [
                Bar(f"{n} or more" if n == MISSING[-1] else counted(int(n), "link"), times)
                for n, times in whole["by_missing"].items()
            ],
        ),
        Chart("Inference", [Bar(said, whole["by_inference"][k]) for k, said in inference.items()]),
        Chart("Degree of topic entities", [Bar(said, n) for said, n in degrees]),
        Chart(
            "Missing links by rule type", [Bar(k, n) for k, n in counts["missing_by_type"].items()]
        ),
    )


def _of_subgraphs(counts: Mapping[str, Any]) -> list[Chart]:
    if not counts["questions"]:
        return []
    classes, relations = counts["classes"], counts["relation_triples"]
    histograms = {
        "seeds": "Topic entities",
        "hops": "Hops",
        "answers": "Answers",
        "evidence": "Triples of evidence",
        "full_evidence": "Triples of full evidence",
    }
    return [
        Chart("Shapes of train", _most({k: row["train"] for k, row in classes.items()})),
        *(
            Chart(title, _most({k: row[of] for k, row in classes.items()}))
            for of, title in (
                ("id", "Test: shapes as in train"),
                ("ugt", "Test: unseen shapes"),
                ("urt", "Test: shapes, a relation unseen"),
            )
        ),
        *(
            Chart(
                title,
                [Bar(range_label(k, SIZES), n) for k, n in counts["histograms"][key].items() if n],
            )
            for key, title in histograms.items()
        ),
        Chart(
            "Relations, triples of evidence",
            _most({k: sum(row.values()) for k, row in relations.items()}),
            long=True,
        ),
        *_of_queries(counts),
    ]


def _of_variants(counts: Mapping[str, Any]) -> list[Chart]:
    if not counts["questions"]:
        return []
    structures = {k: row["questions"] for k, row in counts["statistics"].items() if k != ALL}
    topics = {topic or "none": sum(row.values()) for topic, row in counts["topics"].items()}
    return [
        Chart("Topics", _most(topics), long=True),
        Chart("Structures", _most(structures)),
        *_of_queries(counts),
    ]


def _most(sizes: Mapping[str, int]) -> list[Bar]:
    """The largest, but for those that are 0."""
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [Bar(name, n) for name, n in ordered[:MOST_BARS] if n]


def _means(rows: Mapping[str, Any], key: str) -> list[Bar]:
    return [Bar(name, row[key]) for name, row in rows.items()]


def _of_all(counts: Mapping[str, Any]) -> list[Chart]:
    asked = counts.get("hard_by_split", counts["questions_by_split"])
    test, core_test = asked["test"], counts["core_by_split"]["test"]
    completed = [
        Bar("by completion", n) for n in [counts.get("answers_completed")] if n is not None
    ]
    return [
        Chart("Splits", _both(counts, "split")),
        Chart(
            "Guessing: Hits@Hard on test",
            [
                Bar(
                    "1 guess" if guesses == "1" else f"{guesses} guesses",
                    _percent(hits, test),
                    _percent(counts["core_guessed"][guesses], core_test),
                )
                for guesses, hits in counts["guessed"].items()
            ],
            percent=True,
        ),
        Chart(
            "Concentration",
            [
                Bar(
                    f"top {what}",
                    _percent(counts[f"top_{what}"], counts["questions"]),
                    _percent(counts[f"core_top_{what}"], counts["core"]),
                )
                for what in ("answer", "relation")
            ],
            percent=True,
        ),
        Chart("Test questions: shared with train", _shared(counts["splits"]["test"]), percent=True),
        Chart(
            "Answers",
            [
                Bar("stated", counts["answers_stated"]),
                Bar("hard", counts["answers_hard"], counts["answers_core"]),
                Bar("further", counts["answers_further"]),
                *completed,
            ],
        ),
        Chart(
            "Triples",
            [
                Bar("complete graph", counts["triples_complete"]),
                Bar("rare answer", counts["triples_askable"]),
                Bar("removed", counts["triples_removed"], counts["removed_core"]),
                Bar("not asked about", counts["removed_not_asked"]),
            ],
        ),
        Chart("Edges left between the two ends", _edges(counts), percent=True),
        Chart("Rejected", [Bar(why, n) for why, n in counts["rejected"].items()], long=True),
    ]


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _shared(row: Mapping[str, Any] | None) -> list[Bar]:
    if row is None or row["overlap"] is None:
        return []
    return [
        Bar(what, 100 * row["overlap"][what]) for what in ("topic", "answer", "relation", "rule")
    ]


def _edges(counts: Mapping[str, Any]) -> list[Bar]:
    kinds = {"inverse": "inverse_edge_left", "parallel": "parallel_edge_left"}
    kinds["restating"] = "restating_edge_left"
    return [Bar(name, _percent(counts[key], counts["questions"])) for name, key in kinds.items()]
