"""Blocks of questions, in this process: the predictions of `answer`, whatever their size and order."""

import pickle
from functools import partial

import pytest

from rulemine.evaluation.answerers.model_free import blocks
from rulemine.evaluation.answerers.model_free.blocks import AnswererRun, answer_runs, spreads
from rulemine.evaluation.answerers.registry import answer
from rulemine.release.archive import PackedRelease

SYSTEMS = (
    "lookup",
    "neighbors:hops=2",
    "reasoner",
    "prior:k=2",
    "random",
    "embeddings:rank=2:epochs=1",
)


def elsewhere(function, items):
    """Calls a function as another process would, the last item first."""
    for item in reversed(items):
        yield pickle.loads(pickle.dumps(partial(function, item)))()


@pytest.mark.parametrize("split", ["test", None])
def test_blocks_give_the_predictions_of_one_call(release, monkeypatch, split):
    monkeypatch.setattr(blocks, "MOST_QUESTIONS", 1)
    runs = [
        AnswererRun(name, release.naming, "incomplete", split, None, 7, None) for name in SYSTEMS
    ]
    said: list[tuple[str, str]] = []
    found = dict(
        answer_runs(
            runs,
            {release.naming: release},
            elsewhere,
            note=lambda run, text: said.append((run.with_, text)),
        )
    )
    assert list(found) != runs, "runs that end first come first"
    expected: list[tuple[str, str]] = []
    for run in runs:
        name = run.with_
        assert found[run] == answer(
            release, name, split=split, seed=7, note=lambda text, n=name: expected.append((n, text))
        )
    assert sorted(said) == sorted(expected)


def test_what_asks_a_model_or_runs_a_program_stays(release):
    asking = ("bm25", "closed-book", "command", "trained-retriever:read=true")
    assert [spreads(name, release) for name in asking] == [""] * 4
    assert spreads("trained-retriever", release) == "run"
    assert spreads("lookup", release) == "questions"


def test_a_release_travels_where_its_folder_is_not_seen(release, tmp_path):
    packed = PackedRelease(release)
    assert packed.release.folder == release.folder.absolute()
    sent = pickle.loads(pickle.dumps(PackedRelease(release)))
    sent._folder = tmp_path / "not here"
    assert sent.release.folder != release.folder
    assert sent.release.identity == release.identity
    assert sent.release.questions() == release.questions()
    assert list(sent.release.kg().labeled()) == list(release.kg().labeled())
