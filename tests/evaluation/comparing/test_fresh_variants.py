"""A release of seed texts and a fresh variant of it in the contamination report."""

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation import write_predictions
from rulemine.evaluation.comparing.contamination import compare_with_fresh
from rulemine.kg.entity_names import EntityNames
from rulemine.release.groups import groups_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.evaluation.world import ANN, CID, EVE, NAMES
from tests.variants import rows_of, variant_question, write_variants

COUNT = 24
PLACES = tuple(EntityNames(*3 * [f"{letter}{i}"]) for letter in "pf" for i in range(COUNT))


def release(folder, letter: str, run: int = 0, same: int = 0, **config) -> Release:
    """A question for each seed text; the last of the fresh ones ask what the published ones do."""
    asked = [
        variant_question(
            i, f"t{i}", ("p" if i >= COUNT - same else letter) + str(i), f"r{i}", EVE,
            hops=1 + i % 2, seeds=(ANN,), text=f"{letter}, {{topic}}?",
        )
        for i in range(COUNT)
    ]  # fmt: skip
    rows = rows_of({f"t{i}": [ANN] for i in range(COUNT)})
    return write_variants(folder, asked, rows, run, (*NAMES, *PLACES), **config)


def predicted(path, of: Release, right: int):
    said = [Prediction(f"q{i:05d}", answers=(EVE if i < right else CID,)) for i in range(COUNT)]
    run = {"release": of.identity, "name": "small", "system": "s", "kg": "incomplete"}
    write_predictions(path, said, run)
    return path


def test_queries_that_come_up_again_are_left_out_on_both_sides(tmp_path, command):
    published, fresh = release(tmp_path / "p", "p"), release(tmp_path / "f", "f", run=1, same=4)
    files = [
        predicted(tmp_path / "p.jsonl", published, 24),
        predicted(tmp_path / "f.jsonl", fresh, 6),
    ]
    found = compare_with_fresh(published, files[:1], fresh, files[1:], ("hard_f1",), resamples=100)
    (row,) = [row for row in found.rows if row.subset == "all"]
    assert (row.n, row.n_fresh, row.published, row.fresh) == (20, 20, 1, 0.3)
    assert row.difference.value == pytest.approx(0.7)
    assert row.p < 0.01
    assert row.seen is not None
    assert any("4 queries" in note and "its 24 questions" in note for note in found.notes)
    assert not any(note.startswith("Warning") for note in found.notes)
    ended = command("compare", published.path, files[0], "--fresh", fresh.path, files[1])
    assert (ended.status, "20 published, 20 fresh" in ended.out) == (0, True)


def test_strata_are_hops(tmp_path):
    """All of one hop are right in the one and all of two hops in the other: no mix makes up for that."""
    published, fresh = release(tmp_path / "p", "p"), release(tmp_path / "f", "f", run=1)
    said = {"p": 0, "f": 1}
    for letter, odd in said.items():
        write_predictions(
            tmp_path / f"{letter}.jsonl",
            [
                Prediction(f"q{i:05d}", answers=(EVE if i % 2 == odd else CID,))
                for i in range(COUNT)
            ],
        )
    found = compare_with_fresh(
        published, [tmp_path / "p.jsonl"], fresh, [tmp_path / "f.jsonl"], ("hard_f1",), resamples=5
    )
    assert [(row.published, row.fresh) for row in found.rows if row.subset == "all"] == [(0.5, 0.5)]


def test_the_fresh_one_goes_second_and_other_kinds_may_share_nothing(tmp_path):
    published, fresh = release(tmp_path / "p", "p"), release(tmp_path / "f", "f", run=1)
    with pytest.raises(ConfigError, match=r"is a fresh variant \(run 1\) of the published one"):
        compare_with_fresh(fresh, [], published, [])
    again = release(tmp_path / "g", "f", same=2, seed=1)
    with pytest.raises(ConfigError, match="share 2 queries"):
        compare_with_fresh(published, [], again, [])


def test_questions_on_one_seed_text_are_drawn_together():
    first, second = (variant_question(i, "t1", ANN, f"r{i}", EVE, hard=False) for i in (1, 2))
    other = variant_question(3, "t2", ANN, "r3", EVE, hard=False)
    assert groups_of([first, other, second]) == [[0, 2], [1]]
