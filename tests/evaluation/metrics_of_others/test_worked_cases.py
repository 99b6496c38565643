import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS
from tests.evaluation.metrics_of_others import worked_cases as cases

ON_TEXTS = {
    "rog": cases.ROG, "gretriever": cases.G_RETRIEVER, "gcr": cases.GCR, "structgpt": cases.STRUCT_GPT,
    "tog": cases.TOG, "pog": cases.POG, "gog": cases.GOG, "gtsqa_exact": cases.GTSQA_EXACT,
    "dynamickgqa": cases.DYNAMIC_KGQA, "gtsqa": cases.GTSQA,
}  # fmt: skip


def check(project, judged, expected, first=0):
    """Whether the values from one of them on are as expected; None: all undefined."""
    found = METRICS_OF_OTHERS[project].score(judged)
    assert len(found) == len(METRICS_OF_OTHERS[project].beside)
    wanted = [None] * len(found) if expected is None else list(expected)
    assert found[first : first + len(wanted)] == pytest.approx(wanted, abs=1e-12)


def test_of_texts():
    for project, worked in ON_TEXTS.items():
        for answers, prediction, expected in worked:
            check(project, Judged("Who?", tuple(answers), prediction), expected)
    for question, answers, prediction, expected in cases.SUBGRAPH_RAG:
        check("subgraphrag", Judged(question, tuple(answers), prediction), expected)
    for answers, prediction, expected in cases.BRINK:
        judged = Judged("Who?", tuple(answers), prediction, hard_answer=answers[0])
        check("brink", judged, expected)
    check("brink", Judged("Who?", ("Ann",), "Ann"), (1, 1, 1, 1, None))  # without a hard answer


def test_of_triples_and_probabilities():
    for gold, retrieved, expected in cases.GTSQA_TRIPLES:
        given = None if retrieved is None else tuple(retrieved)
        judged = Judged("Who?", ("a", "z"), "", retrieved=given, evidence=tuple(gold))
        check("gtsqa", judged, expected, first=2)
    for answers, topics, ranking, expected in cases.GNN_RAG:
        given = None if ranking is None else tuple(ranking)
        judged = Judged("Who?", tuple(answers), "", topics=tuple(topics), ranking=given)
        check("gnnrag", judged, expected)


def test_brink_cuts_at_spaces_on_request():
    judged = Judged("Who?", ("Ann", "New York"), "Ann New York", hard_answer="Ann")
    check("brink", judged, (0, 0, 0, 0, 0))
    check("brink_spaces", judged, (1, 1 / 3, 1 / 2, 2 / 5, 1))


def test_long_outputs_take_linear_time():
    for text in ('{"Answer":[' * 100_000, "{" * 300_000, '{"Answer": "' * 50_000, "[" * 300_000):
        judged = Judged("Where?", ("Ann",), text, ranking=(("Ann", 1.0),))
        for name, project in METRICS_OF_OTHERS.items():
            assert len(project.score(judged)) == len(project.beside), name


ROOT = Path(__file__).parents[3]
FAMILY = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data") / "family/all.tsv"

QUESTIONS = 220


def documented():
    """Metric → the values of its row in the table of the documentation."""
    page = (ROOT / "docs/importing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|([ \d.|]+)\|$", page, re.MULTILINE)
    return {name: [float(cell) for cell in cells.split("|")] for name, cells in rows}


def questions():
    """How many entities there are; the numbers of the answers of 220 questions (who are the … of …?), evenly
    spaced in the sorted graph."""
    triples = [line.split("\t") for line in FAMILY.read_text().splitlines()]
    numbers = {e: n for n, e in enumerate(sorted({end for s, _, o in triples for end in (s, o)}))}
    answers = defaultdict(set)
    for subject, relation, obj in triples:
        answers[subject, relation].add(numbers[obj])
    asked = sorted(answers)
    spread = [asked[n * len(asked) // QUESTIONS] for n in range(QUESTIONS)]
    return len(numbers), [sorted(answers[key]) for key in spread]


def means(project, metrics, asked, form, said):
    """The means of metrics of a project in percent, to one decimal, of an output that is always the same."""
    found = METRICS_OF_OTHERS[project]
    values = [found.score(Judged("Who?", tuple(map(form.format, a)), said)) for a in asked]
    columns = [list(found.beside).index(metric) for metric in metrics]
    return [round(100 * sum(row[c] for row in values) / len(values), 1) for c in columns]


def test_documented_table_of_flattery():
    if not FAMILY.exists():
        pytest.skip(f"{FAMILY} is not there")
    table = documented()
    entities, asked = questions()
    everyone = ", ".join(map("e{:05d}".format, range(entities)))
    outputs = [
        ("{}", ""),
        ("e{:05d}", everyone),
        *((form, form.format(1)) for form in ("{}", "E{}", "e{:05d}")),
    ]
    assert len(table) == 12
    for project in sorted({metric.partition("_")[0] for metric in table}):
        metrics = [metric for metric in table if metric.partition("_")[0] == project]
        found = [means(project, metrics, asked, *output) for output in outputs]
        assert dict(zip(metrics, zip(*found, strict=True), strict=True)) == {
            metric: tuple(table[metric]) for metric in metrics
        }
