"""Writes the question graphs of a release as row numbers, and reports their sizes and what they hold."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rulemine.errors import UserError
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import to_json
from rulemine.evaluation.reporting.groups import BY_HOPS, BY_SPLIT, by_form, tables_of
from rulemine.evaluation.statistics.score import Score
from rulemine.exports.question_graphs.options import QuestionGraphOptions
from rulemine.exports.question_graphs.with_evidence import GraphWithEvidence, graphs_with_evidence
from rulemine.files import write_jsonl, write_stream, write_text
from rulemine.release.reader import Release
from rulemine.release.storing.outputs import made_folder
from rulemine.text.tables import Value, one_decimal

__all__ = ["write_question_graphs"]

COLUMNS = (
    *("questions", "triples", "largest", "near", "whole", "gold", "gold near"),
    *("certificates", "certificates near", "confounders"),
)

NOTES = (
    "Means over questions. near: triples before evidence and confounders are added. whole: percentage whose "
    "neighborhood is all there. gold: triples of the full evidence that the graph states. certificates: "
    "triples of the certificates of what it lacks. gold near, certificates near: percentage of these that is "
    "near, of the questions that have any; in the end all are there.",
)


def write_question_graphs(
    release: Release,
    folder: Path,
    kg: str = "incomplete",
    *,
    split: str | None = None,
    options: QuestionGraphOptions | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Document:
    """Writes the question graphs of a release into a folder.

    ``graph.tsv.gz`` has the triples. ``rows.bin`` has the rows of all question graphs, one after another:
    numbers of lines of that file, counted from 0, as little-endian 32-bit integers. ``questions.jsonl`` has a
    line for each question: ``id``, ``split``, ``anchors``, ``first`` (where its rows begin), ``triples``
    (how many there are), and what `GraphWithEvidence` counts. ``report.json`` is the report, ``files.json``
    has the SHA-256 of each file.

    Args:
        release: The release.
        folder: The folder, new or of earlier question graphs, which are replaced.
        kg: The graph that a system is given.
        split: The questions; None: of all splits.
        options: How large they are; None: as usual.
        progress: Called with questions done and to do.

    Raises:
        OutputError: See `made_folder`.
        ReleaseError: There is no such graph or split, or a file is missing or was edited.
        UserError: The split has no questions.
    """
    options = options or QuestionGraphOptions()
    release.expect_entities("the question graph")
    questions = release.questions(split)
    if not questions:
        raise UserError(f"{release.path}: has no questions in the split {split or 'all'!r}.")
    graph = release.kg(kg)
    made = graphs_with_evidence(
        graph,
        questions,
        release.removals(),
        {names.name_in(release.naming): names.private for names in release.entities},
        steps=options.hops,
        most_entities=options.entities,
        most_triples=options.triples,
        seed=options.seed,
    )
    lines: list[dict[str, Any]] = []

    def pieces() -> Iterator[bytes]:
        first = 0
        for one in made:
            lines.append(_line(one, first))
            first += len(one.rows)
            progress(len(lines), len(questions))
            yield one.rows.astype("<i4").tobytes()

    with made_folder(folder, "rulemine question graphs", [release.path]) as fresh:
        graph.write(fresh / "graph.tsv.gz")
        write_stream(fresh / "rows.bin", pieces(), 4 * options.triples * len(questions))
        write_jsonl(fresh / "questions.jsonl", lines)
        headline, tables = tables_of(
            lines,
            questions,
            (BY_HOPS, by_form(questions), BY_SPLIT),
            COLUMNS,
            _figures,
            dict.fromkeys(("triples", "near", "gold", "certificates", "confounders"), one_decimal),
        )
        facts = {"release": release.name, "identity": release.identity, "graph": kg}
        facts |= {"split": split or "all", "hops": f"{options.hops}, or those of the query if more"}
        facts |= {"entities": f"{options.entities:,}", "triples": f"{options.triples:,}"}
        facts |= {"seed": str(options.seed)}
        document = Document("Question graphs", NOTES, facts, headline, tables=tables)
        write_text(fresh / "report.json", to_json(document))
    return document


def _line(one: GraphWithEvidence, first: int) -> dict[str, Any]:
    return {
        "id": one.question.id,
        "split": one.question.split,
        "anchors": list(one.question.anchors),
        "first": first,
        "triples": len(one.rows),
        "near": one.near,
        "whole": one.whole,
        "gold": one.gold,
        "gold_near": one.gold_near,
        "certificates": one.certificates,
        "certificates_near": one.certificates_near,
        "confounders": one.confounders,
    }


def _figures(lines: Sequence[dict[str, Any]]) -> tuple[Value, ...]:
    """The columns of some questions; a share of nothing is left out."""

    def mean(name: str, whole: str = "") -> Score:
        parts = [
            row[name] / (row[whole] if whole else 1) for row in lines if not whole or row[whole]
        ]
        return Score(math.fsum(parts) / len(parts) if parts else None, None, None)

    return (
        len(lines),
        mean("triples"),
        max(row["triples"] for row in lines),
        mean("near"),
        mean("whole"),
        mean("gold"),
        mean("gold_near", "gold"),
        mean("certificates"),
        mean("certificates_near", "certificates"),
        mean("confounders"),
    )
