"""Metrics of other projects, in cases that were also computed with the public code of each project.

A prediction is a text, or a list of answers; scores are in the order of the metrics, null where the original
fails or skips. GTSQA's exact metrics have no public code: they are what its paper says.
"""

import csv
import io
import json
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation import evaluate
from rulemine.evaluation.metrics_of_others.protocol import Judged
from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS, chosen
from rulemine.release.records import Prediction
from tests import ROOT, each
from tests.evaluation.conftest import cases_of
from tests.evaluation.world import BOB, CID, EVE, question, write_release


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list) else value


@each("case", cases_of(__file__, "worked_cases.jsonl"))
def test_every_project_scores_as_its_own_code_does(case):
    given = {"question": "Who?", "prediction": ""} | case
    judged = Judged(**{key: frozen(given[key]) for key in Judged._fields if key in given})
    metrics = METRICS_OF_OTHERS[case["project"]]
    found, first = metrics.score(judged), case.get("first", 0)
    assert len(found) == len(metrics.beside)
    wanted = case["scores"] or [None] * len(found)
    assert found[first : first + len(wanted)] == pytest.approx(tuple(wanted), abs=1e-12)


def test_long_outputs_take_linear_time():
    for text in ('{"Answer":[' * 100_000, "{" * 300_000, '{"Answer": "' * 50_000, "[" * 300_000):
        judged = Judged("Where?", ("Ann",), text, ranking=(("Ann", 1.0),))
        for name, project in METRICS_OF_OTHERS.items():
            assert len(project.score(judged)) == len(project.beside), name


def test_the_documented_table_of_outputs_that_know_nothing():
    """220 questions, evenly spaced in the sorted graph: who are the … of …?"""
    folder = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
    if not (file := folder / "family/all.tsv").exists():
        pytest.skip(f"{file} is not there")
    page = (ROOT / "docs/importing.md").read_text("utf-8")
    table = re.findall(r"^\| `(\w+)` \|([ \d.|]+)\|$", page, re.MULTILINE)
    triples = [line.split("\t") for line in file.read_text().splitlines()]
    numbers = {e: n for n, e in enumerate(sorted({end for s, _, o in triples for end in (s, o)}))}
    answers = defaultdict(set)
    for subject, relation, obj in triples:
        answers[subject, relation].add(numbers[obj])
    keys = sorted(answers)
    asked = [sorted(answers[keys[n * len(keys) // 220]]) for n in range(220)]
    everyone = ", ".join(map("e{:05d}".format, range(len(numbers))))
    outputs = [("{}", ""), ("e{:05d}", everyone)]
    outputs += [(form, form.format(1)) for form in ("{}", "E{}", "e{:05d}")]
    assert len(table) == 12
    for metric, cells in table:
        project = METRICS_OF_OTHERS[metric.partition("_")[0]]
        at, found = list(project.beside).index(metric), []
        for form, said in outputs:
            judged = (Judged("Who?", tuple(map(form.format, names)), said) for names in asked)
            found.append(round(100 * sum(project.score(one)[at] for one in judged) / 220, 1))
        assert found == [float(cell) for cell in cells.split("|")], metric


# Of the questions of the split test: [CID, EVE] (hard EVE, core), [ANN], [ANN].
GIVEN = [Prediction("q00001", raw_output=f"{{{CID}}}"), Prediction("q00002", raw_output="")]


def value(report, metric, subset, name="score"):
    (found,) = (s for s in report.others.scores if (s.metric, s.subset) == (metric, subset))
    return getattr(found, name) if name in ("n", "beside") else getattr(found, name).value


def test_table_by_hand(release):
    report = evaluate(release, GIVEN, metrics="tog,structgpt", resamples=50)
    # ToG: CID is right, the empty output too, the missing one is left out; StructGPT: 1, 0, 0.
    of_all = {"n": 2, "score": 1.0, "beside": "hits_any", "ours": 1 / 3, "flatters": 1 - 1 / 3,
              "over_hard_f1": 1.0}  # fmt: skip
    for metric, subset, wanted in (
        ("tog_exact_match", "all", of_all),
        ("tog_exact_match", "core", {"n": 1, "score": 1.0, "flatters": 0.0}),
        ("structgpt_hits_at_1", "all", {"n": 3, "flatters": 0.0}),
    ):
        assert {name: value(report, metric, subset, name) for name in wanted} == wanted
    assert report.overall["hits_any"].value == 1 / 3
    assert any("most of theirs leave them out" in note for note in report.others.notes)


def test_every_format_has_it(release):
    report = evaluate(release, GIVEN, metrics="all", resamples=5)
    plain = json.loads(report.to_json())["metrics_of_others"]
    assert set(plain) == {*METRICS_OF_OTHERS, "notes"}
    pog = plain["pog"]["pog_exact_match"]["all"]["score"]["value"]
    assert pog == 0.5  # "" is right, {CID} is no JSON
    rows = csv.DictReader(io.StringIO(report.to_csv()))
    found = [(row["group"], row["value"]) for row in rows if row["metric"] == "tog_exact_match"]
    assert found == [("core", "1.0"), ("all", "1.0")]
    for text in (report.to_table(), report.to_markdown()):
        below = text[text.index("Metrics of other projects") :]
        tog = [line for line in below.splitlines() if "tog_exact_match" in line and "3" in line]
        assert "+66.7" in tog[0]
        assert "Without a value, for want of a ranking or of triples: gnnrag_hit," in below
    shown = {row[0] for row in report.others.tables()[0].rows}
    assert shown & {"rog_hit", "gnnrag_hit"} == {"rog_hit"}


def test_rankings_and_triples_in_another_naming(release):
    ranking = (("Eve", 0.9), ("Bob", 0.06), ("Cid", 0.04))
    retrieved = (("Ann", "mother", "Cid"), ("Ann", "wife", "Bob"))
    given = [Prediction("q00001", answers=(), ranking=ranking, retrieved=retrieved)]
    report = evaluate(release, given, naming="text", metrics="gnnrag,gtsqa,brink", resamples=5)
    wanted = {
        "gnnrag_recall": 0.5,  # Eve, Bob: Cid comes after 0.95
        # Stated of the evidence is (Ann, mother, Cid); the hard answer Eve is no end of what was retrieved.
        "gtsqa_triple_precision": 0.5, "gtsqa_triple_recall": 1.0, "gtsqa_answer_recall": 0.5,
        "brink_hits_hard": 0.0,
    }  # fmt: skip
    assert {metric: value(report, metric, "core") for metric in wanted} == wanted
    ours = value(report, "gtsqa_triple_f1", "core", "ours")
    assert ours == report.headline.scores["triple_f1"].value
    assert value(report, "gtsqa_triple_f1", "core", "over_hard_f1") is None


def test_brink_is_the_matching_mode_brink(release):
    given = [
        Prediction("q00001", raw_output=f"{EVE}, the {BOB}\n{EVE}."),
        Prediction("q00003", answers=("E00000!", "")),
    ]
    report = evaluate(release, given, matching="brink", metrics="brink", resamples=5)
    assert [s.score for s in report.others.scores if s.subset == "all"] == [
        report.overall[name] for name in ("hits_any", "precision", "recall", "f1", "hits_hard")
    ]
    assert report.overall["precision"].value == 0.5


def test_ours_is_over_the_questions_that_the_project_asks(tmp_path):
    asked = [question(1), question(2, hard=[])]
    release = write_release(tmp_path / "r", asked)
    given = [Prediction("q00001", answers=(EVE,)), Prediction("q00002", answers=(BOB,))]
    report = evaluate(release, given, metrics="brink,rog", resamples=5)
    assert report.overall["hits_any"].value == value(report, "rog_hit", "all", "ours") == 0.5
    assert value(report, "brink_hits_any", "all", "n") == 1
    assert value(report, "brink_hits_any", "all", "ours") == 1.0
    assert value(report, "brink_hits_any", "all", "flatters") == 0.0
    assert "nor in ours beside them: brink 1 of 2." in report.others.notes[0]


def test_names_of_projects():
    assert list(chosen(" tog, rog,tog")) == ["tog", "rog"]
    assert list(chosen("all")) == list(METRICS_OF_OTHERS)
    for wrong, told in (("tgo", "did you mean 'tog'"), (",", "names no project")):
        with pytest.raises(ConfigError, match=told):
            chosen(wrong)
