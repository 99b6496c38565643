"""What a report says: by hand, group by group, of a level, of rankings and strict lists."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import ConfigError, PredictionError, ReleaseError
from rulemine.evaluation import METRICS, breakdown, evaluate, write_predictions
from rulemine.evaluation.metrics import COLUMNS, score
from rulemine.evaluation.scorer import STRICT, Scorer, shared_level
from rulemine.release.groups import sample
from rulemine.release.records import HardAnswer, Prediction
from tests.evaluation.conftest import refusal
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    QUESTIONS,
    question,
    removals_of,
    write_release,
)

# Of the questions of the split test: [CID, EVE] (hard EVE, core), [ANN], [ANN]. The first and the third are
# about the same removed triple, with four proofs.
GIVEN = [
    Prediction("q00001", raw_output=f"It is {CID}, or {BOB}."),
    Prediction("q00002", answers=(ANN,)),
    Prediction("q00003", raw_output="No idea"),
]


def values(row):
    return {name: estimate.value for name, estimate in row.scores.items()}


def test_report_by_hand(release):
    report = evaluate(release, GIVEN)
    assert (report.n, report.missing, report.naming) == (3, 0, "private")
    assert report.matching == "vocabulary"
    assert report.headline == report.rows[0] == report.row("core", "core")
    assert report.headline.n == 1
    assert values(report.headline) == {
        "hits_any": 1, "hits_at_1": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5, "hits_hard": 0,
        "hhr": 0, "hits_any_hard": 0, "hard_recall": 0, "hard_f1": 0, **dict.fromkeys(STRICT, 0),
    }  # fmt: skip
    assert report.rows[1] == report.row("all", "all")
    third, half = 1 / 3, (0.5 + 1) / 3
    assert values(report.rows[1]) == pytest.approx({
        "hits_any": 2 / 3, "hits_at_1": 2 / 3, "precision": half, "recall": half, "f1": half,
        "hits_hard": third, "hits_any_hard": third, "hard_recall": third, "hard_f1": third, "hhr": 0.5,
        **dict.fromkeys(STRICT, third),
    })  # fmt: skip
    assert values(report.row("rule_type", "inversion"))["hhr"] == 1.0
    assert values(report.row("rule_subtype", "common subject"))["hhr"] is None
    assert values(report.row("rule_subtype", "common subject"))["hits_any"] == 0.0
    assert report.row("inverse_edge", "left").n == 1
    assert values(report.row("proofs", "3–5"))["f1"] == 0.25
    unseen = ("rule", "relation", "answer", "nothing")
    assert [report.row("unseen", group).n for group in unseen] == [1, 0, 1, 2]
    assert report.clusters.tolist() == [0, 1, 0]
    assert any("headline form 1 cluster, too few" in note for note in report.notes)
    assert report.row("rule_type", "symmetry").n == 0
    assert set(values(report.row("rule_type", "symmetry")).values()) == {None}
    # What is the same for all questions is not told apart.
    assert not {r.breakdown for r in report.rows} & {"structure", "hops", "missing", "level"}


def test_order_of_predictions_changes_nothing_and_the_seed_intervals_alone(release):
    one, two = evaluate(release, GIVEN), evaluate(release, GIVEN, seed=1)
    assert one.to_json() == evaluate(release, GIVEN[::-1]).to_json() != two.to_json()
    assert values(one.rows[0]) == values(two.rows[0])


# What differs of a question beside its record, and the difficulty of what was removed.
VARIED = [
    (question(1, "t1", "r1", core=True, level=20, unseen=["rule"], kind="inversion", subtype="inversion"),
     {"structure": "2p", "hops": 2}, {"pca_confidence": 0.8}, 1, 0),
    (question(2, "t2", "r2", answers=[CID], hard=[CID], core=True, level=60, kind="other",
              subtype="common subject"),
     {"structure": "pi", "hops": 2}, {"pca_confidence": 0.79, "proofs": 5, "inverse_edge": ("r",)}, 2, 1),
    (question(3, "t3", "r3", hard=[EVE, CID], level=61, split="train"),
     {"structure": "3p", "hops": 3}, {"shortest_proof": 1, "proofs": 6}, 3, 1),
    (question(4, "t4", "r4", level=25, unseen=["relation", "answer"]),
     {"structure": "(5)", "hops": 3}, {"shortest_proof": 2, "proofs": 11, "parallel_edge": ("r",)}, 4, 0),
    (question(5, "t5", "r5", answers=[EVE], level=100, kind="symmetry", subtype="symmetry"),
     {"structure": "2p", "hops": 2}, {"shortest_proof": 2, "proofs": 3}, 1, 0),
]  # fmt: skip
GROUPS = {
    "core": {"core": "12"}, "granted": {"granted": "1"}, "likely": {"likely": "2"}, "all": {"all": "12345"},
    "proof": {"core": "12", "restated": "3", "side edge": "4", "other": "5"},
    "structure": {"2p": "15", "3p": "3", "pi": "2", "(5)": "4"}, "hops": {"2": "125", "3": "34"},
    "missing": {"1": "15", "2": "2", "3+": "34"}, "inference": {"partial": "23", "full": "145"},
    "rule_type": {"symmetry": "5", "inversion": "1", "composition": "34", "other": "2"},
    "rule_subtype": {"common subject": "2"},
    "proofs": {"1": "1", "3–5": "25", "6–10": "3", ">10": "4"},
    "inverse_edge": {"left": "2", "not left": "1345"},
    "unseen": {"rule": "1", "relation": "4", "answer": "4", "nothing": "25"},
    "split": {"train": "3", "test": "1245"}, "level": {"25": "14", "60": "2", "100": "35"},
}  # fmt: skip


def test_rows_equal_scoring_each_group_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(breakdown, "CORE_SHOWN", 2)
    asked, difficulty = [], {}
    for q, own, of_removed, missing, stated in VARIED:
        hard = tuple(replace(row, missing=missing) for row in q.hard)
        evidence = q.evidence + (("x", "stated", "y"),) * stated
        asked.append(replace(q, **own, hard=hard, evidence=evidence))
        difficulty[q.id] = of_removed
    removals = removals_of(asked, difficulty)
    release = write_release(tmp_path / "r", asked, removals=removals, levels=[25, 60, 100])
    said = ([EVE, BOB], [CID], [CID, EVE], [], [BOB, EVE])
    given = [Prediction(q.id, answers=tuple(names)) for q, names in zip(asked, said, strict=True)]
    report = evaluate(release, given, split=None, resamples=20)
    rows = [row for row in report.rows if row.n and row.breakdown != "mean_of_structures"]
    for row in rows:
        inside = [
            score(p.answers, set(q.answers), q.hard_answer, set(q.hard_answers))
            for q, p in zip(asked, given, strict=True)
            if q.id[-1] in GROUPS[row.breakdown][row.group]
        ]
        means = dict(zip(COLUMNS, np.mean(inside, axis=0), strict=True))
        hits = means.pop("hits_any_asked")
        means["hhr"] = means["hits_hard"] / hits if hits else None
        wanted = {name: means[name] for name in METRICS}
        assert values(row) == pytest.approx(wanted, abs=1e-12), (row.breakdown, row.group)
    wanted = [
        (name, group, len(ids)) for name, groups in GROUPS.items() for group, ids in groups.items()
    ]
    assert [(row.breakdown, row.group, row.n) for row in rows] == wanted
    monkeypatch.undo()
    few = evaluate(release, given, split=None, resamples=1)
    assert [row.breakdown for row in few.rows[:2]] == ["core", "all"]


def test_a_release_without_a_core_says_so(tmp_path):
    release = write_release(tmp_path / "r", [question(1), question(2, BOB, "husband", hard=[CID])])
    report = evaluate(release, [Prediction("q00001", EVE), Prediction("q00002", "")])
    assert report.headline == report.row("all", "all")
    with pytest.raises(KeyError):
        report.row("core", "core")
    content = json.loads(report.to_json())
    assert (content["headline"], content["core"], content["all"]["n"]) == ("all", None, 2)
    for text in (report.to_table(), report.to_markdown()):
        assert "0 in the core" in text
        assert "No question here is in the core: the headline is over all questions." in text


def test_questions_without_a_hard_answer_are_left_out_of_hard_scores_and_counted(tmp_path):
    asked = [
        question(1),
        question(2, BOB, "father", answers=[CID, DORA], hard=[]),
        question(3, DORA, "aunt", answers=[EVE], hard=[EVE]),
    ]
    said = (("q00001", (CID, EVE)), ("q00002", (CID,)), ("q00003", ()))
    given = [Prediction(id_, answers=answers) for id_, answers in said]
    report = evaluate(write_release(tmp_path / "r", asked), given)
    assert report.without_hard_answer == 1
    assert [report.row("missing", links).n for links in ("0", "1")] == [1, 2]
    assert "inference" not in {row.breakdown for row in report.rows}
    assert any(note.startswith("1 of 3 questions have no hard answer") for note in report.notes)
    found = values(report.headline)
    assert (found["hits_any"], found["recall"]) == (2 / 3, 0.5)
    assert found["hhr"] == 1.0  # of q00001 and q00003
    assert {found[n] for n in ("hits_hard", "hits_any_hard", "hard_recall", "hard_f1")} == {0.5}
    assert report.row("rule_type", "composition").n == 2
    alone = evaluate(write_release(tmp_path / "s", asked[1:2]), given[1:2])
    stated = {"hits_any": 1, "hits_at_1": 1, "precision": 1, "recall": 0.5, "f1": 2 / 3}
    assert values(alone.headline) == {**dict.fromkeys(METRICS, None), **stated}


def test_json(release):
    content = json.loads(evaluate(release, GIVEN, missing="empty").to_json())
    for row, n, hhr in (("core", 1, 0.0), ("all", 3, 0.5)):
        assert (content[row]["n"], content[row]["scores"]["hhr"]["value"]) == (n, hhr)
    assert list(content["all"]["scores"]) == [*METRICS, *STRICT]
    assert not {"core", "all"} & set(content["breakdowns"])
    none = {"value": None, "low": None, "high": None}
    assert content["breakdowns"]["rule_subtype"]["common subject"]["scores"]["hhr"] == none
    head = (
        "release",
        "matching",
        "naming",
        "split",
        "n",
        "confidence",
        "seed",
        "missing",
        "headline",
    )
    wanted = ["small", "vocabulary", "private", "test", 3, 0.95, 0, 0, "core"]
    assert [content[k] for k in head] == wanted


def test_table_and_markdown(release):
    report = evaluate(release, GIVEN)
    lines = report.to_table().splitlines()
    rows = {line.split()[0]: line.split() for line in reversed(lines) if line.strip()}
    assert rows["all"] == ["all", "3†", "33.3", "50.0", "2†", "33.3", "66.7", "50.0", "50.0"]
    assert rows["core"] == ["core", "1†", "0.0", "0.0", "1†", "0.0", "100.0", "50.0", "50.0"]
    assert next(line for line in lines if "common subject" in line).split()[4] == "–"  # HHR
    assert "3 questions, 1 in the core" in lines[0]
    assert all(len(line) <= 105 for line in lines)
    markdown = report.to_markdown().splitlines()
    line = next(text for text in markdown if text.startswith("| common subject"))
    assert line.split("|")[4].strip() == "–"
    pipes = {text.count("|") for text in markdown if text.startswith("|")}
    assert pipes == {10, 6}  # the second table: strict scores


def test_missing_and_strange_answers_are_told(release):
    given = [Prediction("q00002", answers=(ANN, "nobody")), Prediction("q00003", answers=())]
    report = evaluate(release, given, missing="empty")
    assert (report.missing, report.overall["precision"].value) == (1, 0.5 / 3)
    assert report.notes[0].startswith("Warning: predictions for 2 of 3 questions (66.7 %)")
    assert [note.split(" ", 1)[0] for note in report.notes][1:3] == ["1", "1"]


def test_what_does_not_fit(release, tmp_path):
    wrong = []
    for given, options, told in (
        (GIVEN[:2], {"missing": "error"}, "1 of 3 questions"),
        ([], {}, "3 of 3 questions of split 'test' have no prediction"),
        ([*GIVEN, GIVEN[0]], {}, "prediction 4 (q00001): id 'q00001' again"),
        (GIVEN, {"split": "tets"}, "did you mean 'test'"), ([], {"split": "validation"}, "has no question"),
        (GIVEN, {"matching": "exact"}, "'exact' is not a mode"),
        (GIVEN, {"naming": "texts"}, "did you mean 'text'"), (GIVEN, {"resamples": 0}, "resamples is 0"),
        (GIVEN, {"seed": -1}, "seed is -1"),
    ):  # fmt: skip
        said = refusal((ConfigError, PredictionError), evaluate, release, given, **options)
        wrong += [(told, said)] * (told not in said)
    assert wrong == []
    lacking = write_release(tmp_path / "r", removals=removals_of(QUESTIONS[1:2]))
    with pytest.raises(ReleaseError, match=r"removed\.jsonl: lacks .*'q00001'"):
        evaluate(lacking, GIVEN)


def test_what_a_split_at_random_gives_away_is_told(tmp_path):
    asked = [
        question(1, split="train"),
        question(2, EVE, "mother", "subject", [ANN], [ANN]),  # the same fact, turned round
        question(3, BOB, "husband", "object", [ANN], [ANN]),
    ]
    release = write_release(tmp_path / "r", asked)
    for split in ("group", "random"):
        release.manifest["config"]["questions"] = {"split": split}
        notes = evaluate(release, [Prediction("q00002", ANN)]).notes
        assert any(n.startswith("1 of 2 questions of test") for n in notes) == (split == "random")


@pytest.fixture
def leveled(tmp_path):
    """Two questions: EVE goes at 20 and is core, DORA at 60 and is not; ANN goes at 60; CID is stated."""
    first = question(1, answers=[CID, DORA, EVE], hard=[EVE, DORA], core=True)
    levels = ((DORA, 60, False), (EVE, 20, True))
    hard = tuple(HardAnswer(a, 1, at, ((ANN, "mother", a),), core) for a, at, core in levels)
    first = replace(first, hard=hard, evidence=((ANN, "mother", EVE),))
    asked = [first, question(2, BOB, "husband", answers=[ANN], hard=[ANN], level=60)]
    return write_release(
        tmp_path / "leveled", asked, removals=removals_of(asked), levels=[20, 60, 100]
    )


EVERYTHING = [
    Prediction("q00001", answers=(CID, DORA, EVE, ANN)),
    Prediction("q00002", answers=(ANN,)),
]


def test_hard_f1_at_a_level_by_hand(leveled):
    # q00001: P′ = {DORA, EVE, ANN}, H = {DORA, EVE}: 4/5; over the core P′ = {EVE, ANN}, H = {EVE}: 2/3.
    # Below 60 DORA is still stated: P′ = {EVE, ANN}, H = {EVE}; q00002 has no hard answer.
    low = "missing at level {}: 1 of 2 questions have theirs still stated"
    for level, all_ in ((100, (4 / 5 + 1) / 2), (60, (4 / 5 + 1) / 2), (59, 2 / 3), (20, 2 / 3)):
        for of in ({"level": level}, {"kg": f"incomplete-{level}"}):
            report = evaluate(leveled, EVERYTHING, **of)
            assert (report.level, report.headline.group) == (level, "core")
            assert report.overall["hard_f1"].value == pytest.approx(all_)
            assert report.headline.scores["hard_f1"].value == pytest.approx(2 / 3)
            assert report.without_hard_answer == (level < 60)
            assert any(low.format(level) in note for note in report.notes) == (level < 60)


def test_levels_of_two_graphs(leveled):
    """Of the complete graph the level is that of the other; of two levels it is the lower."""
    for kg, other, level in (
        ("complete", "incomplete-20", 20), ("incomplete-60", "incomplete-20", 20),
        ("complete", "incomplete", 100), ("complete", "complete", 100), ("incomplete-0", "complete", 100),
    ):  # fmt: skip
        assert shared_level(leveled, kg, other) == level
    for level in (0, 101):
        with pytest.raises(ConfigError, match=f"level is {level}; expected"):
            evaluate(leveled, EVERYTHING, level=level)
    with pytest.raises(ReleaseError, match="has no graph 'incomplete-101'"):
        evaluate(leveled, EVERYTHING, kg="incomplete-101")


def test_rankings_of_the_hard_answer(release):
    given = [
        # Hard is EVE; CID, the other answer, is filtered: rank 2.
        Prediction("q00001", answers=(), ranking=((CID, 0.9), (BOB, 0.8), (EVE, 0.5), (DORA, 0.1))),
        Prediction("q00002", answers=(ANN,), ranking=((ANN, 0.5), (BOB, 0.5))),  # a tie: 1.5
        Prediction("q00003", answers=(ANN,)),  # ranks nothing: 0
    ]
    report = evaluate(release, given)
    found = values(report.row("all", "all"))
    assert found["mrr"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert (found["hard_hits_at_1"], found["hard_hits_at_10"]) == (0, 2 / 3)
    assert values(report.headline)["mrr"] == 0.5
    assert "Predictions that rank nothing have the reciprocal rank 0: 1." in report.notes
    assert report.scores[1][report.columns.index("mrr")] == pytest.approx(2 / 3)
    for other in (evaluate(release, GIVEN), evaluate(release, given, matching="brink")):
        assert "mrr" not in other.metrics


def test_strict_scores_beside_lenient_ones(release):
    given = [
        Prediction("q00001", raw_output=f"The answer is {EVE}."),  # no item of a list
        Prediction("q00002", raw_output=f"- {ANN}\n"),
        Prediction("q00003", answers=(ANN,)),  # a list stays a list
    ]
    found = values(evaluate(release, given).row("all", "all"))
    assert (found["hits_any"], found["strict_hits_any"]) == (1, 2 / 3)
    assert (found["hard_f1"], found["strict_hard_f1"]) == (1, 2 / 3)
    assert (found["f1"], found["strict_f1"]) == pytest.approx(((2 / 3 + 2) / 3, 2 / 3))
    assert values(evaluate(release, given).headline)["strict_hard_f1"] == 0
    for options in ({"matching": "ids"}, {"matching": "brink"}):
        assert "strict_f1" not in evaluate(release, given, **options).metrics
    assert "strict_f1" not in evaluate(release, given[2:], missing="empty").metrics


def test_resamples_without_a_hit_are_left_out_and_told(tmp_path):
    asked = [question(i, f"e{i:05d}", f"r{i}", answers=[EVE], hard=[EVE]) for i in range(4)]
    given = [Prediction(f"q{i:05d}", answers=(EVE,) if i == 0 else ()) for i in range(4)]
    report = evaluate(write_release(tmp_path / "r", asked), given, resamples=400)
    dropped = report.row("all", "all").dropped
    assert dropped == pytest.approx((3 / 4) ** 4, abs=0.08)
    assert report.overall["hhr"] == pytest.approx((1.0, 0.05, 1.0))  # one hit in one cluster
    assert json.loads(report.to_json())["all"]["hhr_dropped"] == dropped
    assert any(f"HHR: {100 * dropped:.1f} % for all questions." in note for note in report.notes)


def test_a_file_says_what_it_is(tmp_path, release):
    run = {"release": release.identity, "name": "small", "kg": "complete", "system": "lookup"}
    write_predictions(tmp_path / "p.jsonl", GIVEN, run)
    report = evaluate(release, tmp_path / "p.jsonl")
    assert report.system == "lookup"
    assert report.to_json() == evaluate(release, GIVEN, kg="complete").to_json()
    with pytest.raises(PredictionError, match="says kg 'complete', and --kg says 'incomplete'"):
        evaluate(release, tmp_path / "p.jsonl", kg="incomplete")
    write_predictions(tmp_path / "q.jsonl", GIVEN, run | {"release": "0" * 64, "name": "other"})
    with pytest.raises(PredictionError, match=r"for another release \('other', 000000000000…\)"):
        evaluate(release, tmp_path / "q.jsonl")
    write_predictions(tmp_path / "n.jsonl", GIVEN, run | {"naming": "text"})
    report = evaluate(release, tmp_path / "n.jsonl")  # in truth they are private
    assert report.notes[0].startswith("Warning: of the first 3, 0 name an entity of the release")


def test_a_sample_is_what_was_asked(tmp_path, release):
    first, *_ = sample(release.questions("test"), 1)
    assert first.core
    given = [p for p in GIVEN if p.id == first.id]
    write_predictions(tmp_path / "p.jsonl", given, {"release": release.identity, "sample": 1})
    asked = {"sample": 1, "missing": "error"}
    for report in (evaluate(release, tmp_path / "p.jsonl"), evaluate(release, GIVEN, **asked)):
        assert (report.ids, report.sample, report.missing) == ((first.id,), 1, 0)
        assert "a sample of 1 question, 1 in the core" in report.to_table()
    whole = evaluate(release, given)
    coverage = json.loads(whole.to_json())["coverage"]
    assert (whole.n, whole.missing, coverage) == (3, 2, pytest.approx(1 / 3))
    assert whole.notes[0].startswith("Warning: predictions for 1 of 3 questions (33.3 %)")


def test_many_reports_of_one_scorer_are_those_of_each_alone(leveled):
    scorer = Scorer(leveled, resamples=50)
    for kg in ("complete", "incomplete-20", "incomplete"):
        for given in (EVERYTHING, EVERYTHING[:1]):
            alone = evaluate(leveled, given, kg=kg, resamples=50).to_json()
            for naming in ("private", None):
                assert scorer(given, kg=kg, naming=naming).to_json() == alone
