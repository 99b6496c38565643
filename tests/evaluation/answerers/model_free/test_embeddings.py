import os
import subprocess
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation import answer
from rulemine.evaluation.answerers.model_free.embeddings import (
    Embeddings,
    LinkScores,
    Vectors,
    begin,
    learn,
    links_of,
    loss_and_gradients,
)
from rulemine.evaluation.answerers.model_free.learned import one_blas_thread
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.walk import OpenEnds
from tests import ROOT
from tests.evaluation.world import ANN, CID, EVE, question, write_release

SMALL = Embeddings(rank=4, epochs=3, batch=8)


def random_triples(entities, relations, n, seed=0):
    drawn = np.random.default_rng(seed).integers(0, [entities, relations, entities], (n, 3))
    return np.unique(drawn, axis=0).astype(np.int32)


def random_vectors(entities, relations, rank):
    random = np.random.default_rng(1)
    return Vectors(*(random.standard_normal((n, 2 * rank)) for n in (entities, 2 * relations)))


def as_complex(rows):
    return rows[:, : rows.shape[1] // 2] + 1j * rows[:, rows.shape[1] // 2 :]


def test_loss_by_its_definition():
    triples = random_triples(6, 3, 15)
    vectors = random_vectors(6, 3, 4)
    entities, relations = map(as_complex, vectors)
    expected = 0.0
    for s, r, o in triples.tolist():
        for a, link, b in ((s, r, o), (o, r + 3, s)):
            scores = (entities[a] * relations[link] * entities.conj()).sum(axis=1).real
            expected -= scores[b] - np.log(np.exp(scores).sum())
            used = np.concatenate((entities[a], relations[link], entities[b]))
            expected += 0.3 / 3 * (abs(used) ** 3).sum()
    assert loss_and_gradients(vectors, links_of(triples, 3), 0.3)[0] == pytest.approx(expected)


def test_gradients_are_finite_differences():
    links = links_of(random_triples(6, 3, 15), 3)
    vectors = random_vectors(6, 3, 4)
    _, gradients = loss_and_gradients(vectors, links, 0.3)
    step = 1e-6
    for values, gradient in zip(vectors, gradients, strict=True):
        for at in np.ndindex(values.shape):
            value, losses = values[at], []
            for values[at] in (value - step, value + step):
                losses.append(loss_and_gradients(vectors, links, 0.3)[0])
            values[at] = value
            assert (losses[1] - losses[0]) / (2 * step) == pytest.approx(gradient[at], abs=1e-5)


def test_learning_lowers_the_loss():
    triples = random_triples(60, 3, 200)
    vectors, links = begin(60, 3, 16, 0), links_of(triples, 3)
    before = loss_and_gradients(vectors, links, 0.1)[0]
    with one_blas_thread():
        list(learn(vectors, links, epochs=20, batch=64, learning_rate=0.1, n3=0.1, seed=0))
    assert loss_and_gradients(vectors, links, 0.1)[0] < 0.6 * before
    scores = vectors.directions(triples[:, 0], triples[:, 1]) @ vectors.entities.T
    best = [set(np.flatnonzero(row == row.max())) for row in scores]
    known = {(s, r, o) for s, r, o in triples.tolist()}
    hits = [
        all((s, r, e) in known for e in of) for of, (s, r, _) in zip(best, triples, strict=True)
    ]
    assert np.mean(hits) > 0.9, "what was learned ranks first"


GRAPH = KnowledgeGraph.from_triples(
    (f"e{s}", f"r{r}", f"e{o}")
    for s, r, o in random_triples(7, 2, 25, seed=3).tolist()
    if s != o or r == 0
)
QUERIES = [
    '(p "r0" "e1")', '(p- "r1" (p "r0" "e1"))', '(p "r1" (p- "r1" (p "r0" "e1")))',
    '(and (p "r0" "e1") (p- "r1" "e2"))', '(p "r1" (or (p "r0" "e1") (p- "r1" "e2")))',
    '(minus (p "r0" "e1") (p- "r1" "e2"))',
]  # fmt: skip


def truths(kg, vectors, relation, direction, topics, places=None):
    """How likely every end of some links is, shape (topics, entities)."""
    places = np.arange(len(kg.entities)) if places is None else places
    links = links_of(kg.triples, len(kg.relations))
    model = LinkScores(vectors, links, kg.relation_ids, places)
    found = np.zeros((len(topics), len(kg.entities)))
    for topic, entity, truth in model.ends(OpenEnds(relation, direction, np.array(topics))):
        found[topic, entity] = truth
    return found


def test_truth_by_definition():
    vectors = random_vectors(7, 2, 3)
    entities, relations = map(as_complex, vectors)
    for relation, direction in product(("r0", "r1"), ("object", "subject")):
        number, turn = GRAPH.relation_ids[relation], 1 if direction == "object" else -1
        place = number + 2 * (direction == "subject")
        of_relation = GRAPH.triples[GRAPH.triples[:, 1] == number][:, [0, 2]]
        pairs = {tuple(pair[::turn]) for pair in of_relation.tolist()}
        loops = any(s == o for s, o in pairs)
        found = truths(GRAPH, vectors, relation, direction, range(7))
        for start in range(7):
            scores = np.exp((entities[start] * relations[place] * entities.conj()).sum(axis=1).real)
            stated = {o for s, o in pairs if s == start}
            others = [end for end in range(7) if end not in stated and (loops or end != start)]
            best = max(scores[end] for end in others)
            expected = [1 if e in stated else (e in others) * scores[e] / best for e in range(7)]
            assert found[start] == pytest.approx(expected, abs=3e-4)
            assert set(np.flatnonzero(found[start] == 1).tolist()) == stated
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("a", "r", "c")])  # nothing else is left
    assert truths(kg, random_vectors(3, 1, 2), "r", "object", [0]).tolist() == [[0, 1, 1]]


def test_what_the_graph_lacks_is_not_true():
    queries = ('(p "r0" "nobody")', '(p "nothing" "e1")', '(p "r0" (p "nothing" "e1"))')
    asked = [OpenQuestion("q", "", ("e1",), text) for text in queries]
    assert [one.answers for one in SMALL(Context(kg=GRAPH), asked)] == [[]] * 3
    assert SMALL(Context(kg=KnowledgeGraph.from_triples([])), asked[:1])[0].answers == []


LEARN = """
import hashlib, numpy as np
from rulemine.evaluation.answerers.model_free.learned import one_blas_thread
from rulemine.evaluation.answerers.model_free.embeddings import begin, learn, links_of
triples = np.random.default_rng(0).integers(0, [2000, 5, 2000], (1000, 3)).astype(np.int32)
with one_blas_thread():
    vectors = begin(2000, 5, 64, 0)
    next(learn(vectors, links_of(triples, 5), epochs=1, batch=512, learning_rate=0.1, n3=0.1, seed=0))
print(hashlib.sha256(vectors.entities.tobytes()).hexdigest())
"""


def test_threads_change_nothing():
    digests = [
        subprocess.run(
            [sys.executable, "-c", LEARN], env=os.environ | {"OPENBLAS_NUM_THREADS": threads},
            capture_output=True, text=True, check=True, cwd=ROOT,
        ).stdout
        for threads in "12"
    ]  # fmt: skip
    assert digests[0] == digests[1]


def test_answers_to_a_question_do_not_depend_on_others():
    given = Context(kg=GRAPH, order={name: i for i, name in enumerate(GRAPH.entities)})
    asked = [OpenQuestion(str(i), "", ("e1",), text) for i, text in enumerate(QUERIES)]
    together = SMALL(given, asked)
    assert together == [SMALL(given, [q])[0] for q in asked]
    for found in together:
        assert [name for name, _ in found.ranking][: len(found.answers)] == found.answers
        scores = [score for _, score in found.ranking]
        assert scores == sorted(scores, reverse=True)


def test_stated_answers_are_given_and_the_threshold_is_of_the_training_questions(tmp_path):
    asked = [
        question(1, ANN, "mother", "object", [CID, EVE], [EVE]),
        question(2, ANN, "wife", "object", ["e00001"], ["e00001"], split="validation"),
    ]
    release = write_release(tmp_path / "r", asked)
    (found,) = answer(release, SMALL)
    # The validation question has nothing to infer, so what is stated is all that is answered.
    assert found.answers == (CID,)
    assert found.ranking[0] == (CID, 1.0)
    told = []
    (alone,) = answer(write_release(tmp_path / "s", asked[:1]), SMALL, note=told.append)
    assert alone.ranking == found.ranking
    assert "No question about a single link to choose a threshold on" in told[0]


def test_learning_that_does_not_converge_is_said():
    with pytest.raises(ConfigError, match="learning_rate is 1e\\+30"):
        replace(SMALL, learning_rate=1e30)(Context(kg=GRAPH), [])
