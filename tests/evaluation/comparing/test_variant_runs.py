"""Variants compared: what is identical, paraphrased and unique, what is left out, and topics."""

import json
from dataclasses import replace

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.comparing.variant_runs import compare_runs
from rulemine.release.reader import Release
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, write_release
from tests.variants import rows_of, variant_question, write_variants

SEEDS = {f"t{i}": [ANN, BOB] for i in range(1, 7)}


def one_run(folder, changes=(), run=1, rows=None, **config):
    """Six seed texts with a question each; changed where told, None: no question."""
    about = [
        (ANN, "mother", CID), (ANN, "mother", EVE), (BOB, "father", CID), (BOB, "father", EVE),
        (DORA, "aunt", EVE), (CID, "brother", EVE),
    ]  # fmt: skip
    asked = {f"t{i}": variant_question(i, f"t{i}", *triple) for i, triple in enumerate(about, 1)}
    given = [q for q in (asked | dict(changes)).values() if q is not None]
    return write_variants(folder, given, rows or rows_of(SEEDS), run, **config)


def test_each_pair_is_identical_paraphrased_or_unique_or_left_out(tmp_path):
    other = (BOB, "father", EVE)
    changes = {
        # t1: the same text but for case and marks, and the same answer: identical
        "t1": variant_question(1, "t1", ANN, "mother", CID, text="who is  IT, {topic} ?!"),
        # t2: the same text, another answer: unique, though the query is the same
        "t2": variant_question(2, "t2", ANN, "mother", DORA, topic="places"),
        # t3: another text for the same query and answer: paraphrased
        "t3": variant_question(3, "t3", BOB, "father", CID, text="Whose child is {topic}?"),
        # t4: the same answer and facts by another query: paraphrased
        "t4": variant_question(4, "t4", CID, "brother", EVE, text="{topic}?", triples=[other]),
        # t5: the same answer, nothing else: unique
        "t5": variant_question(5, "t5", BOB, "father", EVE, text="For {topic}?"),
        "t6": None,
    }
    first = one_run(tmp_path / "run-1")
    table = compare_runs([first, one_run(tmp_path / "run-2", changes, run=2)])
    (pair,) = table.pairs
    assert (pair.first, pair.second) == ("run-1", "run-2")
    assert (pair.identical, pair.paraphrased, pair.unique) == (1, 2, 2)
    assert (pair.compared, pair.left_out) == (5, 1)
    assert [(run.run, run.seed_texts, run.without, run.questions) for run in table.runs] == [
        (1, 6, 0, 6),
        (2, 6, 1, 5),
    ]
    assert table.runs[1].topics == {"people": 4, "places": 1}
    assert (pair.topics.n, pair.topics.dof) == (10, 1)
    assert any("compares 5 seed texts, too few for intervals" in note for note in table.notes)


def test_every_question_of_a_seed_text_is_compared_with_all_of_the_other_release(tmp_path):
    extra = variant_question(0, "t1", BOB, "father", EVE, topic="places")
    asked = one_run(tmp_path / "a")
    more = one_run(tmp_path / "b", {"t0": extra})  # its second question of t1 is the other's first
    (pair,) = compare_runs([asked, more]).pairs
    assert (pair.identical, pair.unique, pair.compared) == (6, 1, 7)
    assert pair.topics.n == 12  # the first of each seed text alone
    (back,) = compare_runs([more, asked]).pairs
    assert (back.identical, back.unique, back.compared) == (6, 0, 6)
    table = compare_runs([asked, one_run(tmp_path / "c", run=2)])
    assert (table.pairs[0].identical, table.pairs[0].topics) == (6, None)  # of a single topic
    assert any("–: undefined" in note for note in table.notes)


def test_only_the_test_split_counts(tmp_path):
    others = list(SEEDS)[1:]
    rows = rows_of({"t1": SEEDS["t1"]})
    rows += [replace(row, split="train") for row in rows_of({key: SEEDS[key] for key in others})]
    asked = {t: variant_question(i, t, ANN, "mother", EVE) for i, t in enumerate(others, 2)}
    changes = {key: replace(q, split="train") for key, q in asked.items()}
    published = one_run(tmp_path / "p", changes, run=0, rows=rows)
    table = compare_runs([published, one_run(tmp_path / "run-1")])
    assert (table.pairs[0].compared, table.pairs[0].left_out) == (1, 0)


def test_forms(tmp_path):
    places = [one_run(tmp_path / name, run=i).path for i, name in enumerate(("p", "a", "b"))]
    table = compare_runs([Release.open(place) for place in places])
    assert [line.split()[:3] for line in table.to_table().splitlines() if "×" in line] == [
        ["p", "×", "a"], ["p", "×", "b"], ["a", "×", "b"],
    ]  # fmt: skip
    assert "does not show that topics are equally distributed" in table.to_table()
    content = json.loads(table.to_json())
    assert [(row["identical"], row["topics"]) for row in content["pairs"]] == [(6, None)] * 3
    assert "| p × a | 6 | 0 | 6 (100.0 %) | 0 (0.0 %) | 0 (0.0 %) | – |" in table.to_markdown()


def test_releases_that_are_no_variants_of_one(tmp_path):
    first = one_run(tmp_path / "a")

    def refused(releases, told):
        with pytest.raises(ConfigError, match=told):
            compare_runs(releases)

    refused([first], "found 1 release")
    refused([first, write_release(tmp_path / "r")], "of the kind rules")
    rows = rows_of({key: [ANN] for key in SEEDS})
    refused([first, one_run(tmp_path / "b", rows=rows)], "other entities for the same seed text")
    refused([first, one_run(tmp_path / "c", rows=rows_of({"x": [ANN]}))], "share no seed text")
