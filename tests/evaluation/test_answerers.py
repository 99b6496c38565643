"""Answerers without a model by hand, and the table of all of them."""

from dataclasses import replace
from random import Random

import pytest

from rulemine.errors import ConfigError, ReleaseError
from rulemine.evaluation import answer
from rulemine.evaluation.baselines import SYSTEMS, baselines
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query import evaluate as evaluate_query
from rulemine.query import parse
from rulemine.release.reader import Release
from rulemine.rules.formats import parse_readable
from rulemine.text.tables import markdown_of, text_of
from tests import some_seeds
from tests.evaluation.conftest import refusal
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, write_release
from tests.releases import built
from tests.small_graphs import heads_of, small_graph, small_rules

EXPECTED = {
    ("lookup", "incomplete"): {"q00001": [CID], "q00002": [], "q00003": [], "q00004": [CID, EVE]},
    ("lookup", "complete"): {
        "q00001": [CID, EVE], "q00002": [ANN], "q00003": [ANN], "q00004": [CID, DORA, EVE],
    },
    ("neighbors", "incomplete"): {
        "q00001": [BOB, CID], "q00002": [ANN, CID, EVE], "q00003": [BOB, CID, DORA],
        "q00004": [ANN, CID, EVE],
    },
    # The father of Dora follows from no rule; the mother of Cid and Eve does.
    ("reasoner", "incomplete"): {
        "q00001": [CID, EVE], "q00002": [ANN], "q00003": [ANN], "q00004": [CID, EVE],
    },
}  # fmt: skip


def test_answers_by_hand(release):
    def of(name, kg):
        return {p.id: list(p.answers) for p in answer(release, name, kg=kg, split=None)}

    assert {case: of(*case) for case in EXPECTED} == EXPECTED


def test_neighbours_further_away_and_of_several_topics(release, tmp_path):
    found = {p.id: set(p.answers) for p in answer(release, "neighbors:hops=2", split=None)}
    assert found["q00002"] == {ANN, CID, EVE, DORA}  # Bob himself has no edge to himself
    asked = [
        question(1, DORA, "aunt", "object", [EVE], [EVE]),
        replace(question(2, CID), anchors=(CID, DORA)),
    ]
    both = write_release(tmp_path / "r", asked)
    assert DORA in answer(both, "neighbors:hops=3")[0].answers, "by an edge to herself"
    assert answer(both, "neighbors")[1].answers == (ANN, BOB, DORA, EVE)


def test_random_entity_depends_on_question_and_seed_alone(release):
    everything = {p.id: p.answers for p in answer(release, "random", split=None)}
    test = {p.id: p.answers for p in answer(release, "random", split="test")}
    assert test.items() <= everything.items()
    draws = {answer(release, "random", seed=s)[0].answers for s in range(60)}
    assert draws == {(name,) for name in (ANN, BOB, CID, DORA, EVE)}


def test_an_answerer_is_given_what_it_needs_and_never_the_answers(release):
    given = []

    class Curious:
        def __call__(self, beside, questions):
            given.append((beside, questions))
            return [set() for _ in questions]

    class Needy(Curious):
        needs = ("query", "train", "rules")

    class Greedy:
        needs = ("answers",)

    answer(release, Curious())
    answer(release, Needy())
    (less, asked), (more, asked_more) = given
    assert all(q._fields == ("id", "question", "anchors", "query") for q in asked)
    assert ({q.query for q in asked}, less.rules, less.train) == ({""}, (), ())
    assert all(q.query for q in asked_more)
    assert more.rules == release.rules()
    assert [q.id for q in more.train] == ["q00004"]
    assert [row.triple for row in more.removals] == [(BOB, "father", DORA)], "of known questions"
    with pytest.raises(ConfigError, match=r"Greedy\.needs: 'answers'"):
        answer(release, Greedy())


def test_parts_never_hold_the_questions_that_are_asked(tmp_path):
    names = [EntityNames(f"e{i:05d}", str(i), f"n{i}") for i in range(40)]
    asked = [
        question(i, f"e{i % 25:05d}", "r", "object", ["e00030"], ["e00030"],
                 split=("train", "validation", "test")[i % 3])
        for i in range(1, 36)
    ]  # fmt: skip
    release = write_release(tmp_path / "r", asked, names=names)

    class Dealer:
        needs = ("train",)

        def __call__(self, given, questions):
            self.questions, self.parts = questions, given.parts(questions)
            return [set() for _ in questions]

    both = {"train", "validation"}
    for split, left in (
        (None, both), ("validation", {"train"}), ("train", {"validation"}), ("test", both),
    ):  # fmt: skip
        dealer = Dealer()
        answer(release, dealer, split=split)
        numbers = sorted(n for part in dealer.parts for n in part.numbers)
        assert numbers == list(range(len(dealer.questions)))
        assert (len(dealer.parts) > 1) is (split is None)
        for part in dealer.parts:
            its = [dealer.questions[n] for n in part.numbers]
            ids = {q.id for q in its}
            assert ids.isdisjoint(q.id for q in part.train)
            assert {q.split for q in part.train} == left
            if split is None and not any(q.split == "test" for q in asked if q.id in ids):
                topics = {topic for q in its for topic in q.anchors}
                assert topics.isdisjoint(t for q in part.train for t in q.anchors)


def test_own_answerer_by_id_or_by_name(release):
    for said, expected in (
        ({0}, (ANN,)),
        ({"z", EVE}, (EVE, "z")),
        ([4, 0, 4, 2], (EVE, ANN, CID)),
    ):
        found = answer(release, lambda kg, questions, said=said: [said for _ in questions])
        assert found[0].answers == expected


TRAINING = [
    question(1, ANN, "mother", "object", [CID, EVE], [EVE], split="train"),
    question(2, BOB, "mother", "object", [CID], [CID], split="train"),
    question(3, BOB, "father", "object", [DORA, EVE], [DORA], split="train"),
    question(4, CID, "aunt", "object", [EVE], [EVE], split="train"),
]
PRIORS = [
    # of the relation and direction: Cid twice, Eve once
    (("mother", "object"), 1, [CID]), (("mother", "object"), 5, [CID, EVE]),
    # the hard answer before the stated one
    (("father", "object"), 1, [DORA]),
    # never asked: the commonest of all, Eve three times, Cid twice, Dora once
    (("mother", "subject"), 1, [EVE]), (("wife", "object"), 2, [EVE, CID]),
]  # fmt: skip


def test_prior_by_hand(tmp_path):
    for number, (asked, k, expected) in enumerate(PRIORS):
        given = [*TRAINING, question(5, DORA, *asked, [ANN], [ANN])]
        release = write_release(tmp_path / str(number), given)
        for kg in ("complete", "incomplete"):
            found = answer(release, f"prior:k={k}", kg=kg)
            assert [list(p.answers) for p in found] == [expected], (asked, k)


def test_prior_counts_the_training_questions_alone(tmp_path):
    asked = [
        question(1, ANN, "r", answers=[EVE]),
        question(2, BOB, "r", answers=[CID], hard=[CID], split="train"),
        question(3, CID, "r", answers=[DORA], hard=[DORA], split="validation"),
        question(4, EVE, "r", answers=[DORA], hard=[DORA], split="validation"),
    ]
    (found,) = answer(write_release(tmp_path / "r", asked), "prior")
    assert found.answers == (CID,)


def test_every_statement_of_a_fact_answers(tmp_path):
    stated = [(ANN, "spouse", BOB), (ANN, "parent", CID), (DORA, "child", ANN), (ANN, "aunt", EVE)]
    asked = [
        question(1, ANN, "spouse", "object", [BOB], [BOB]),
        question(2, BOB, "spouse", "object", [ANN], [ANN]),
        question(3, ANN, "parent", "object", [EVE], [EVE]),
        question(4, CID, "child", "object", [ANN], [ANN]),
    ]
    release = write_release(
        tmp_path / "r", asked, incomplete=stated, rules=[parse_readable("aunt(y,x) ⇒ child(x,y)")],
        declarations=Declarations.of(symmetric=["spouse"], inverse=[("parent", "child")]),
    )  # fmt: skip
    for name, more in (("lookup", []), ("reasoner", [EVE])):
        found = [list(p.answers) for p in answer(release, name)]
        assert found == [[BOB], [ANN], [CID, DORA, *more], [ANN]], name


def test_wrong_options(release):
    cases = (
        ({"with_": "lokup"}, "did you mean 'lookup'"), ({"split": "tset"}, "did you mean 'test'"),
        ({"with_": "neighbors:hops=0"}, "hops is 0"), ({"with_": "prior:k=0"}, "k is 0"),
        ({"with_": "prior:hops=2"}, "unknown key 'hops'"), ({"sample": 0}, "sample is 0"),
        ({"with_": "neighbors:hop=2"}, "did you mean 'hops'"), ({"seed": -1}, "seed is -1"),
        ({"with_": "neighbors:hops"}, "'hops' is no option"),
        ({"with_": "lookup:k=1"}, "unknown key 'k'; known: none"),
        ({"kg": "incomplete-101"}, "no graph 'incomplete-101'"), ({"kg": "half"}, "no graph 'half'"),
    )  # fmt: skip
    kinds = (ConfigError, ReleaseError)
    assert [
        told for more, told in cases if told not in refusal(kinds, answer, release, **more)
    ] == []


STRUCTURES = [
    '(p "r" "a")', '(p- "r" "b")', '(p "r" (p "r" "a"))', '(p- "r" (p "q" (p "r" "b")))',
    '(and (p "r" "a") (p- "r" "c"))', '(p "r" (and (p "q" "a") (p "r" "d")))',
    '(and (p "r" (p- "r" "b")) (p "q" "e"))', '(p "q" (or (p "r" "c") (p "r" (p "r" "d"))))',
    '(minus (p "r" "a") (p "r" (p "q" "b")))', '(p "r" (minus (p "q" "a") (p "r" "b")))',
    '(count (p "r" (p "r" "e")))',
]  # fmt: skip


def test_reasoner_executes_queries_after_one_step(tmp_path):
    asked, grown = [replace(question(i), query=query) for i, query in enumerate(STRUCTURES)], 0
    for number in some_seeds(40):
        random = Random(number)
        drawn, rules = small_graph(random, 8, 14, 5), small_rules(random, 1 + number % 4)
        stated = sorted({*drawn.labeled(), *((entity, "s", entity) for entity in "abcde")})
        kg = KnowledgeGraph.from_triples(stated)
        derived = [head for rule in rules for head in heads_of(kg, rule)]
        after = KnowledgeGraph.from_triples(stated + derived)
        grown += len(after) > len(kg)
        release = write_release(tmp_path / str(number), asked, incomplete=stated, rules=rules)
        expected = [evaluate_query(after, parse(q)).answers for q in STRUCTURES]
        assert [p.answers for p in answer(release, "reasoner")] == expected, number
    assert grown > 2


def test_every_answerer_on_both_graphs(release):
    told = []
    found = baselines(release, split=None, progress=lambda done, total: told.append(done))
    text = text_of(found)
    assert {text.count(f"  {name} ") for name in SYSTEMS["entities"]} == {4}
    sections = ["the core (1)", "all questions (4)"]
    places = [
        text.index(f"\n{kg} KG, {s}\n") for kg in ("complete", "incomplete") for s in sections
    ]
    assert places == sorted(places)
    assert "nearest is given the query behind each question.\n" in text
    assert told == list(range(2 * len(SYSTEMS["entities"])))


def test_rows_tell_understanding_from_inferring():
    text = markdown_of(baselines(Release.open(built("coast") / "release"), split=None))
    table = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if "|" in line
    ]
    assert table[0][:4] == ["system", "EX", "row HHR", "Hard F1"]
    start = next(at for at, row in enumerate(table) if row[0].startswith("**incomplete KG, all"))
    rows = {row[0]: row for row in table[start:]}
    gold, reasoner = rows["gold-cypher"], rows["reasoner"]
    assert 0 < float(gold[1]) < 100
    assert gold[2:4] == ["0.0", "0.0"]
    assert float(reasoner[2]) > 0
    assert float(reasoner[3]) > 50
