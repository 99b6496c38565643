"""The card of a release of the kind ``subgraphs``: what only such a card says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kinds.structures.figures import ALL
from rulemine.kinds.structures.page import (
    QUERY_SHARED,
    QUERY_STRATA,
    describe_missing,
    describe_structures,
    examples_of_structures,
    lead,
)
from rulemine.kinds.subgraphs.figures import CLASSES, SIZES
from rulemine.release.card.bins import range_label
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.card.markdown import percent, table
from rulemine.release.records import SPLITS
from rulemine.text.markdown import code

__all__ = ["SUBGRAPH_PAGE", "describe_acceptance"]

MOST_RELATIONS = 10
"""Relations that are listed."""

ENOUGH = "enough "
"""How the reasons begin of what was accepted and is not needed."""

_MEASURES = {
    "seeds": "topic entities",
    "hops": "hops",
    "answers": "answers",
    "evidence": "triples of evidence",
    "full_evidence": "triples of full evidence",
}

_SAMPLING = {
    "degree": "nodes and their neighbors drawn by the softmax of {degree_bias:g} / degree",
    "uniform": "nodes and their neighbors drawn uniformly",
    "breadth": "breadth first",
}


def _lead(name: str, manifest: Manifest) -> list[str]:
    shapes = counted(manifest["counts"]["subgraphs"][ALL]["shapes"], "shape")
    written = f"of {shapes}, each written for a subgraph of"
    return lead(name, manifest, "questions written for subgraphs of", written)


def _statistics(manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    rows = counts["subgraphs"]
    parts = [name for name in (*SPLITS, ALL) if rows[name]["questions"] or name == ALL]
    means = [("", *parts)]
    for key, said in (
        ("questions", "questions"),
        ("relations", "different relations"),
        ("entities", "different entities"),
        ("shapes", "different shapes"),
    ):
        means.append((said, *(f"{rows[part][key]:,}" for part in parts)))
    means.append(
        ("not minimal", *(percent(rows[p]["redundant"], rows[p]["questions"]) for p in parts))
    )
    means += [
        (f"{said}, mean", *(f"{rows[part][key]:.2f}" for part in parts))
        for key, said in _MEASURES.items()
    ]
    spread = [("", "questions by size")]
    for key, said in _MEASURES.items():
        found = counts["histograms"][key].items()
        sizes = (f"{range_label(size, SIZES)}: {n:,}" for size, n in found if n)
        spread.append((said, " · ".join(sizes) or "–"))
    return [
        "Relations and entities are those of the full evidence. A question is not minimal if some of its "
        "topic entities can be left out without changing the answers.",
        "",
        *table(means),
        "",
        f"In {percent(counts['more_evidence'], counts['questions'])} of the questions the full evidence, the "
        "triples of all derivations of all answers, is more than the one derivation in `evidence`.",
        "",
        *table(spread, text=True),
    ]


def _shapes(manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    classes: list[Sequence[object]] = [("shape", *CLASSES)]
    classes += [(shape, *row.values()) for shape, row in counts["classes"].items()]
    smaller = [("shape", "not minimal", "minimal shapes")]
    for shape, row in counts["minimal_shapes"].items():
        shown = " · ".join(f"{minimal}: {n:,}" for minimal, n in row.items())
        smaller.append((shape, f"{sum(row.values()):,}", shown))
    return [
        "Test questions are like those of train (`id`), of a shape that train lacks (`ugt`), or of a "
        "relation that train lacks (`urt`); if of both, they are counted under both.",
        "",
        *table(classes),
        *(["", "What is left of those that are not minimal:", "", *table(smaller, text=True)]
          if counts["minimal_shapes"] else []),
    ]  # fmt: skip


def _relations(manifest: Manifest) -> list[str]:
    rows: Mapping[str, Mapping[str, int]] = manifest["counts"]["relation_triples"]
    ordered = sorted(rows, key=lambda name: (-sum(rows[name].values()), name))
    alone = sum(not row["train"] for row in rows.values())
    shown: list[Sequence[object]] = [("triples of evidence", *SPLITS)]
    shown += [(code(name), *rows[name].values()) for name in ordered[:MOST_RELATIONS]]
    return [
        f"{counted(len(rows), 'relation')} in the evidence, {alone:,} of them not in that of train. "
        + ("The most frequent:" if len(rows) > MOST_RELATIONS else "They are:"),
        "",
        *table(shown),
    ]


def _origin(manifest: Manifest) -> list[str]:
    counts, options = manifest["counts"], manifest["config"]["subgraphs"]
    sampling = _SAMPLING[options["sampling"]].format(**options)
    told = counts["sampling"].get("subgraphs", {})
    return [
        f"- Subgraphs: until they have {options['nodes']} nodes or {options['edges']} triples, {sampling} "
        "(Algorithm 1 of SynthKGQA).",
        *(
            [
                f"- {grown:,} of the accepted questions are about a subgraph grown from that of another one."
            ]
            if (grown := told.get("grown"))
            else []
        ),
        f"- At most {options['max_answers']} answers and {options['max_evidence']} triples of full evidence.",
        *_split(told.get("split"), counts),
        _filter(told.get("final_filter")),
        *_paraphrases(told.get("paraphrases")),
        *_written(told),
        *describe_acceptance(told),
    ]


def _split(told: Mapping[str, Any] | None, counts: Mapping[str, Any]) -> Iterator[str]:
    if told is None:
        return
    dropped = {
        reason.removeprefix("split: "): n
        for reason, n in counts["rejected"].items()
        if reason.startswith("split: ")
    }
    yield (
        f"- Split: training has {counted(len(told['training_relations']), 'relation')}. No answer of a test "
        "question is one of a training question, and test has minimal questions only. Of "
        f"{counted(told['accepted'], 'accepted question')}, {sum(dropped.values()):,} are left out"
        + (": " if dropped else "")
        + "; ".join(f"{reason} ({n:,})" for reason, n in dropped.items())
        + "."
    )
    yield (
        f"- Test: every cell of shape and class should have {counted(told['per_cell'], 'question')}; the "
        "table of shapes says which have fewer, because no more were accepted."
    )


def _filter(told: Mapping[str, Any] | None) -> str:
    if told is None:
        return "- No model was shown the evidence of test questions to see whether it gives the answer."
    return (
        f"- Final filter: the judge `{told['model']}` was shown the evidence of {told['asked']:,} test "
        f"questions; {told['failed']:,} that it did not answer rightly twice in two are left out. "
        f"{counted(told['unreadable'], 'reply', 'replies')} could not be read, even when asked once more."
    )


def _paraphrases(told: Mapping[str, Any] | None) -> Iterator[str]:
    if told is None:
        return
    dropped = "; ".join(f"{reason} ({n:,})" for reason, n in told["dropped"].items())
    left = told["asked"] - sum(told["dropped"].values())
    yield (
        f"- Paraphrases: `{told['model']}` was asked for one of each of {told['asked']:,} questions, and "
        f"`{told['judge']}` whether both ask for the same; {left:,} were accepted"
        + f", the others dropped: {dropped}" * bool(dropped)
        + "."
    )


def _written(told: Mapping[str, Any]) -> Iterator[str]:
    """What was done about candidates before they were accepted."""
    if mended := told.get("mended"):
        yield (
            f"- {counted(mended['asked'], 'candidate')} went back to the writer once with what was wrong; "
            f"{mended['accepted']:,} of them were accepted then."
        )
    if dropped := told.get("dropped"):
        what = " and ".join(f"{kind} ({n:,})" for kind, n in dropped.items())
        yield f"- Dropped from queries of accepted questions, whose answers it changes on no graph: {what}."


def describe_acceptance(told: Mapping[str, Any]) -> list[str]:
    """How many candidates were accepted, and why the others were not, as lines of Markdown.

    Those that passed every check when there were enough questions are accepted ones; near duplicates are not.

    Args:
        told: What sampling counted: ``wanted``, ``questions``, ``drawn`` and ``rejected``, by reason.
    """
    if not told:
        return []
    drawn = told["drawn"]
    ordered = sorted(told["rejected"].items(), key=lambda item: (-item[1], item[0]))
    spare = {reason: n for reason, n in ordered if reason.startswith(ENOUGH)}
    accepted = told["questions"] + sum(spare.values())
    rows: list[Sequence[object]] = [
        ("candidates", "number", "share"),
        ("accepted", accepted, percent(accepted, drawn)),
    ]
    for reason, n in ordered:
        what = "of them not needed" if reason in spare else "rejected"
        rows.append((f"{what}: {reason}", n, percent(n, drawn)))
    return [
        f"- {counted(told['wanted'], 'question')} were wanted; {accepted:,} of "
        f"{counted(drawn, 'candidate')} were accepted"
        + f", {sum(spare.values()):,} of them not needed" * bool(spare)
        + ".",
        "",
        *table(rows),
    ]  # fmt: skip


SUBGRAPH_PAGE = KindPage(
    lead=_lead,
    sizes={
        "Statistics": _statistics,
        "Shapes": _shapes,
        "Relations": _relations,
        "Structures": describe_structures,
    },
    origins={"Proofs": describe_missing, "How questions were written": _origin},
    examples=examples_of_structures,
    shared=QUERY_SHARED,
    strata=QUERY_STRATA,
    block="`subgraphs` (relations, intermediate entities, removed triples of `evidence` and rules of their "
    "proofs; the writer's answer and triples, the subgraph it saw; whether topic entities can be left out, "
    "and the queries that remain; what training lacks; the question it was grown from)",
)
"""What the cards of the kind ``subgraphs`` say."""
