"""A retriever that is trained: on towns and dishes, where only training questions say which is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation import answer
from rulemine.evaluation.answerers.registry import asks_model, find_answerer
from rulemine.evaluation.answerers.trained.candidates import (
    SeenTriples,
    bag,
    candidates_of,
    farther_end,
)
from rulemine.evaluation.answerers.trained.retriever import (
    Example,
    TrainedRetriever,
    Weights,
    begin,
    loss_and_gradients,
    loss_of,
)
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.seeds import stream
from tests.evaluation.world import question, write_release

PEOPLE = 12
RELATIONS = tuple(f"r{n}" for n in range(10))
ASKED = {"Which town, {}?": "r3", "Which dish, {}?": "r6"}
NEAREST = TrainedRetriever(k=1, hidden=16, epochs=30)


def name(number: int) -> str:
    return f"e{number:05d}"


def end_of(person: int, relation: str) -> str:
    return name(PEOPLE + person * len(RELATIONS) + RELATIONS.index(relation))


FACTS = [(name(p), r, end_of(p, r)) for p in range(PEOPLE) for r in RELATIONS]
NAMES = [EntityNames(name(n), str(n), f"No {n}") for n in range(PEOPLE + PEOPLE * len(RELATIONS))]


def questions(right: Callable[[str], str] = lambda relation: relation) -> list[Question]:
    """Two about each person, eight of whom are in training, two in validation and two in the test.

    `right` gives the relation that the answers of test questions are of.
    """
    found = []
    for person, (text, relation) in product(range(PEOPLE), ASKED.items()):
        split = "train" if person < 8 else "validation" if person < 10 else "test"
        proved_by, topic = right(relation) if split == "test" else relation, name(person)
        end = [end_of(person, proved_by)]
        one = question(len(found), topic, proved_by, answers=end, hard=[], split=split)
        found.append(replace(one, question=text.format(topic)))
    return found


def written(folder: Path, asked: Sequence[Question]) -> Release:
    return write_release(folder, asked, incomplete=FACTS, removed=[], names=NAMES)


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return written(tmp_path_factory.mktemp("towns") / "release", questions())


def test_what_is_asked_for_is_learned(towns, tmp_path):
    asked = {q.id: q for q in towns.questions("test")}
    for labels in ("shortest", "evidence"):
        notes, seen = [], []
        told = {"note": notes.append, "progress": lambda *at, seen=seen: seen.append(at)}
        found = answer(towns, replace(NEAREST, labels=labels), folder=tmp_path, **told)
        assert len(found) == len(asked) == 4  # by chance one of ten triples is right, of four 0.4
        assert {p.id: p.retrieved for p in found} == {q.id: q.evidence for q in asked.values()}
        assert {p.id: p.answers for p in found} == {q.id: q.answers for q in asked.values()}
        assert "trained on 16 of 16 questions, 16 of whose 16 labeled triples are" in notes[0]
        assert seen == sorted(seen)
        assert seen[-1][0] == seen[-1][1]


def test_nothing_of_test_questions_is_learned(towns, tmp_path):
    other = written(tmp_path / "other", questions({"r3": "r6", "r6": "r3"}.get))
    asked = [[q.evidence for q in one.questions("test")] for one in (towns, other)]
    assert asked[0] != asked[1]
    found = [answer(one, NEAREST, folder=tmp_path / f) for one, f in ((towns, "a"), (other, "b"))]
    assert found[0] == found[1]
    ((a,), (b,)) = (list((tmp_path / folder).iterdir()) for folder in "ab")
    assert (a.name, a.read_bytes()) == (b.name, b.read_bytes())


def test_distances_by_hand():
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("c", "r", "b"), ("c", "s", "a")])
    some = candidates_of(kg, np.array([2, 0, 1]), ["a"], rounds=1)
    assert kg.labeled(some.rows) == [("a", "r", "b"), ("c", "r", "b"), ("c", "s", "a")]
    assert some.relations.tolist() == [0, 0, 1]
    # Distance 0, 1, none: along triples, against them, either way.
    a, b, c = [1, 0, 0] * 3, [0, 1, 0, 0, 0, 1, 0, 1, 0], [0, 0, 1, 0, 1, 0, 0, 1, 0]
    assert some.distances.tolist() == [a + b, c + b, c + a]
    assert farther_end(some).tolist() == [True, True, False]
    two = candidates_of(kg, np.array([0, 1, 2]), ["a", "nobody"], rounds=1)
    assert two.features[0, :3].tolist() == [0.5, 0.0, 0.5]
    assert some.some(np.array([1, 2])).relations.tolist() == [0, 1]


def example(words: str, labels: Sequence[bool], relations: int) -> Example:
    drawn = stream(3, words).uniform(len(labels) * 6).reshape(len(labels), 6)
    rows = np.arange(len(labels))
    of_relation = np.where(rows < len(labels) // 2, 0, relations - 1)
    seen = SeenTriples(rows, of_relation, (drawn > 0.5).astype(np.uint8), 1)
    return Example(
        bag(words.split()), np.arange(relations, dtype=np.float32), seen, np.array(labels)
    )


def test_loss_and_gradients_by_finite_differences():
    right = [True, False, False, True]
    examples = [example("who is it", right, 3), example("is", right[1::2], 3)]
    names = np.array([bag([text]) for text in ("who", "mother", "of")], np.float64)
    weights = Weights(*(part.astype(np.float64) for part in begin(2, 3, 6, stream(0, "w"))))
    loss, gradients = loss_and_gradients(weights, names, examples)
    assert loss == pytest.approx(np.mean([loss_of(weights, names, one) for one in examples]))
    step = 1e-6
    for values, gradient in zip(weights, gradients, strict=True):
        places = np.argwhere(gradient)[:40].tolist() + np.argwhere(gradient == 0)[:2].tolist()
        for at in map(tuple, places):
            value, losses = values[at], []
            for values[at] in (value - step, value + step):
                losses.append(loss_and_gradients(weights, names, examples)[0])
            values[at] = value
            assert (losses[1] - losses[0]) / (2 * step) == pytest.approx(gradient[at], abs=1e-6)


def test_a_model_reads_on_demand():
    assert not asks_model(find_answerer("trained-retriever"))
    assert asks_model(find_answerer("trained-retriever:read=true"))
    with pytest.raises(ConfigError, match="shortest or evidence"):
        find_answerer("trained-retriever:labels=paths")
