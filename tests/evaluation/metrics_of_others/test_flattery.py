"""What outputs without any knowledge score on questions over Family, by how entities are named."""

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS

ROOT = Path(__file__).parents[3]
FAMILY = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data") / "family/all.tsv"

QUESTIONS = 220


def documented():
    """Metric → the values of its row in the table of the documentation."""
    page = (ROOT / "docs/metrics-of-others.md").read_text(encoding="utf-8")
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
