"""Runs in other processes: the predictions of `answer`, in whatever order they end."""

import pickle
from functools import partial

import pytest

from rulemine.evaluation.answerers.model_free.runs import AnswererRun, answer_runs, spreads
from rulemine.evaluation.answerers.registry import answer
from rulemine.release.archive import PackedRelease

SYSTEMS = (
    "lookup", "neighbors:hops=2", "reasoner", "prior:k=2", "random", "embeddings:rank=2:epochs=1",
)  # fmt: skip


def elsewhere(function, items):
    """Calls a function as another process would, the last item first."""
    for item in reversed(items):
        yield pickle.loads(pickle.dumps(partial(function, item)))()


@pytest.mark.parametrize("split", ["test", None])
def test_runs_give_the_predictions_of_one_call(release, split):
    naming, said, expected = release.naming, [], []
    runs = [AnswererRun(name, naming, "incomplete", split, None, 7, None) for name in SYSTEMS]
    told = answer_runs(
        runs, {naming: release}, elsewhere, note=lambda run, text: said.append((run.with_, text))
    )
    found = dict(told)
    assert list(found) == runs[::-1], "runs that end first come first"
    for run in runs:
        notes = []
        assert found[run] == answer(release, run.with_, split=split, seed=7, note=notes.append)
        expected += [(run.with_, text) for text in notes]
    assert sorted(said) == sorted(expected)


def test_what_asks_a_model_or_runs_a_program_stays(release):
    asking = ("bm25", "closed-book", "command", "trained-retriever:read=true")
    assert not any(spreads(name, release) for name in asking)
    assert spreads("trained-retriever", release)
    assert spreads("lookup", release)


def test_a_release_travels_where_its_folder_is_not_seen(release, tmp_path):
    packed = PackedRelease(release)
    assert packed.release.folder == release.folder.absolute()
    sent = pickle.loads(pickle.dumps(PackedRelease(release)))
    sent._folder = tmp_path / "not here"
    assert sent.release.folder != release.folder
    assert sent.release.identity == release.identity
    assert sent.release.questions() == release.questions()
    assert list(sent.release.kg().labeled()) == list(release.kg().labeled())
