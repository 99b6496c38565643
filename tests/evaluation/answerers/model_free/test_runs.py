"""Runs in other processes: the predictions of `answer`, in whatever order they end."""

import pickle
from functools import partial

import pytest

from rulemine.evaluation.answerers.model_free.runs import AnswererRun, answer_runs, spreads
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
def test_runs_give_the_predictions_of_one_call(release, split):
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
    assert list(found) == runs[::-1], "runs that end first come first"
    expected: list[tuple[str, str]] = []
    for run in runs:
        name = run.with_
        assert found[run] == answer(
            release, name, split=split, seed=7, note=lambda text, n=name: expected.append((n, text))
        )
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
