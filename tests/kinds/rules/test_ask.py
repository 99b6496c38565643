import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rulemine.builder.assemble import edges_between
from rulemine.errors import UserError
from rulemine.kg.facts import Declarations, priors
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.recipe.recipe import QuestionSection, Recipe, SelectionSection
from rulemine.release.question_set import QuestionSet
from rulemine.removal.selection import Selection, SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.removal.steps import certify_as_chosen, select_brink
from rulemine.rules.formats import parse_readable, read_rules
from rulemine.rules.rule import Measures, Rule
from rulemine.seeds import stream
from tests import ROOT, some_seeds
from tests.kinds.asking import ask as asked_of

SHARED = ROOT.parent / "shared"
DATA = Path(os.environ.get("RULEMINE_DATA") or SHARED / "data")
GOLDEN = DATA.parent / "amie" / "golden" / "family-3atoms.amie.txt"


def ask(kg, chosen, templates, *, merge=True, seed=0, max_answers=0, **given) -> QuestionSet:
    """The questions about what is removed; without merging, one for each row."""
    mode = SelectionSection(mode="maximal" if merge else "brink")
    within = QuestionSection(max_answers=max_answers)
    recipe = Recipe("t", "t.tsv", seed=seed, selection=mode, questions=within)
    if not merge:
        templates = replace(templates, declarations=Declarations())  # as Inputs.templates
    return asked_of(recipe, kg, chosen, templates, **given)


def rules(*texts: str) -> tuple[Rule, ...]:
    made = (parse_readable(text) for text in texts)
    return tuple(Rule(r.head, r.body, Measures(1, 4, 2, 3, 0)) for r in made)


def features(kg: KnowledgeGraph, head, rule, *, core=True):
    """The other fields of a selection: nothing is too common, everything may be asked for."""
    many = len(head)
    return {
        "selected_by": np.array(rule, np.int32),
        "level": np.full(many, 100, np.int16),
        "directions": np.ones((many, 2), bool),
        "prior": priors(kg)[np.array(head, np.int64)],
        "core": np.full(many, core),
        "proofs": np.ones(many, np.int64),
        "shortest": np.ones(many, np.int64),
        "counts": SelectionCounts(0, 0, 0, 0),
    }


def selection(kg: KnowledgeGraph, chosen, *rows) -> Selection:
    """Rows are (removed triple, position of the rule, body triples)."""

    def row(triple) -> int:
        return kg.labeled().index(triple)

    widest = max(len(body) for _, _, body in rows)
    bodies = [[row(t) for t in body] + [-1] * (widest - len(body)) for _, _, body in rows]
    return Selection(
        tuple(chosen),
        np.array([row(t) for t, _, _ in rows], np.int64),
        np.array([rule for _, rule, _ in rows], np.int32),
        np.array(bodies, np.int64),
        **features(kg, [row(t) for t, _, _ in rows], [rule for _, rule, _ in rows]),
    )


KG = KnowledgeGraph.from_triples(
    [
        ("ann", "wife", "bob"),
        ("bob", "husband", "ann"),
        ("cy", "wife", "bob"),
        ("bob", "husband", "cy"),
        ("bob", "knows", "ann"),
        ("ann", "knows", "bob"),
        ("dee", "wife", "bob"),
    ]
)
MARRIED = rules("husband(y,x) ⇒ wife(x,y)", "knows(x,y) ⇒ wife(x,y)")
ANN = (("ann", "wife", "bob"), 0, [("bob", "husband", "ann")])
CY = (("cy", "wife", "bob"), 0, [("bob", "husband", "cy")])
PHRASES = load_templates("", ["wife", "husband", "knows", "likes"])


def seed_for(direction: str) -> int:
    for seed in range(100):
        (q,) = ask(KG, selection(KG, MARRIED, ANN), PHRASES, seed=seed).questions
        if q.block.direction == direction:
            return seed
    raise AssertionError


def test_answers_are_completed_in_the_direction_of_the_question():
    seed = seed_for("subject")
    (q,) = ask(KG, selection(KG, MARRIED, ANN), PHRASES, seed=seed).questions
    assert (q.topic, q.relations[0], q.hard_answer) == ("bob", "wife", "ann")
    assert q.answers == ("ann", "cy", "dee")
    assert q.hard_answers == ("ann",)
    (q,) = ask(KG, selection(KG, MARRIED, ANN), PHRASES, seed=seed_for("object")).questions
    assert (q.topic, q.answers, q.hard_answer) == ("ann", ("bob",), "bob")


def test_all_removed_answers_are_hard():
    made = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=0)
    for q in made.questions:
        if q.block.direction == "subject":
            assert q.hard_answers == ("ann", "cy")
            assert q.stated == ("dee",)


def test_a_hard_answer_that_may_not_be_asked_for_is_not_of_the_core():
    chosen = selection(KG, MARRIED, ANN, CY)
    chosen.directions[1] = False, True
    made = ask(KG, chosen, PHRASES, seed=seed_for("subject"))
    q = next(q for q in made.questions if q.topic == "bob")
    assert {row.answer: row.core for row in q.hard} == {"ann": True, "cy": False}


def test_a_reference_supplies_further_answers():
    reference = KnowledgeGraph.from_triples(
        [
            ("eve", "wife", "bob"),
            ("ann", "wife", "bob"),
            ("eve", "wife", "zed"),
            ("eve", "knows", "bob"),
        ]
    )
    seed = seed_for("subject")
    made = ask(KG, selection(KG, MARRIED, ANN), PHRASES, reference=reference, seed=seed)
    (q,) = made.questions
    assert q.answers == ("ann", "cy", "dee", "eve")
    assert q.hard_answers == ("ann",)
    assert (q.stated, q.further) == (("cy", "dee"), ("eve",))
    assert made.reference == (("eve", "wife", "bob"),)
    assert [n.entity for n in made.names][-1] == "eve"
    assert made.kg_entities == 4


def test_what_would_name_its_answer_is_rejected_with_the_reason():
    kg = KnowledgeGraph.from_triples(
        [
            ("York", "wife", "New York"),
            ("New York", "husband", "York"),
            ("a", "wife", "a"),
            ("a", "husband", "a"),
            ("ann", "wife", "bob"),
            ("bob", "husband", "ann"),
        ]
    )
    rows = [
        ((s, "wife", o), 0, [(o, "husband", s)])
        for s, o in (("York", "New York"), ("a", "a"), ("ann", "bob"))
    ]
    for seed in range(8):
        made = ask(kg, selection(kg, MARRIED, *rows), PHRASES, seed=seed)
        reasons = {r.removed[0]: r.reason for r in made.rejections}
        asked = {q.removed[0]: q for q in made.questions}
        assert reasons["a"] == "the topic is the hard answer"
        york = asked.get(("York", "wife", "New York"))
        # Only the question that names New York gives York away.
        assert york.topic == "York" if york else reasons["York"] == "the text names an answer"
        assert len(made.questions) + len(made.rejections) == 3


def test_without_merging_the_other_end_does_not_stand_in_for_one_that_names_its_answer():
    kg = KnowledgeGraph.from_triples(
        [("York", "wife", "New York"), ("New York", "husband", "York"), *KG.labeled()]
    )
    york = (("York", "wife", "New York"), 0, [("New York", "husband", "York")])
    drawn = set()
    for seed in range(16):
        made = ask(kg, selection(kg, MARRIED, york, ANN), PHRASES, merge=False, seed=seed)
        asked = [q.topic for q in made.questions if q.removed[0] == york[0]]
        refused = [(r.direction, r.reason) for r in made.rejections]
        named = [("subject", "the text names an answer")]
        assert (asked, refused) in ((["York"], []), ([], named))
        drawn.add(bool(asked))
    assert drawn == {True, False}


def test_nothing_left_says_what_to_do():
    kg = KnowledgeGraph.from_triples([("a", "wife", "a"), ("a", "husband", "a")])
    chosen = selection(kg, MARRIED, (("a", "wife", "a"), 0, [("a", "husband", "a")]))
    with pytest.raises(
        UserError,
        match=r"no question is left: every draft was rejected \(1 because the topic is the hard",
    ):
        ask(kg, chosen, PHRASES)


@pytest.mark.parametrize("name", ["?x", "{topic}", "=>", "%s", "a, b", '"q"'])
def test_awkward_names_are_asked_about_verbatim(name):
    kg = KnowledgeGraph.from_triples([(name, "wife", "bob"), ("bob", "husband", name)])
    chosen = selection(kg, MARRIED, ((name, "wife", "bob"), 0, [("bob", "husband", name)]))
    for seed in range(6):
        (q,) = ask(kg, chosen, load_templates("family", ["wife"]), seed=seed).questions
        expected = {"object": f"Who is {name} the wife of?", "subject": "Who are the wives of bob?"}
        assert q.question == expected[q.block.direction]


def random_build(seed: int):
    draw = stream(seed, "ask test")
    triples = {(f"n{draw.below(8)}", f"r{draw.below(2)}", f"n{draw.below(8)}") for _ in range(70)}
    kg = KnowledgeGraph.from_triples(sorted(triples))
    chosen = rules("r0(y,x) ⇒ r1(x,y)", "r0(x,z) ∧ r0(z,y) ⇒ r1(x,y)")
    rows = [
        ((x, "r1", y), 0, [(y, "r0", x)])
        for x, r, y in sorted(triples)
        if r == "r1" and (y, "r0", x) in triples
    ]
    rows += [
        ((x, "r1", y), 1, [(x, "r0", z), (z, "r0", y)])
        for x, r, y in sorted(triples)
        if r == "r1"
        for z in kg.entities
        if {(x, "r0", z), (z, "r0", y)} <= triples
    ]
    labels = {"n1": "n2", "n3": "n one"}
    templates = load_templates("", ["r0", "r1"])
    return triples, ask(kg, selection(kg, chosen, *rows), templates, labels=labels, seed=seed), rows


@pytest.mark.parametrize("seed", some_seeds(12))
def test_invariants_hold_on_random_graphs(seed):
    triples, made, rows = random_build(seed)
    removed = {row[0] for row in rows}
    assert len(made.questions) + len(made.rejections) == len(removed)
    assert [q.id for q in made.questions] == [
        f"q{i:05d}" for i in range(1, len(made.questions) + 1)
    ]
    order = [(q.removed[0], ("subject", "object").index(q.block.direction)) for q in made.questions]
    assert order == sorted(order)
    for q in made.questions:
        here, there = (0, 2) if q.block.direction == "object" else (2, 0)
        mine = {t for t in triples if t[1] == q.relations[0] and t[here] == q.topic}
        assert q.answers == tuple(sorted(t[there] for t in mine))
        assert q.hard_answers == tuple(sorted(t[there] for t in mine & removed))
        assert q.hard_answer in q.hard_answers
        assert q.removed[0][here] == q.topic
        assert q.removed[0][there] == q.hard_answer
        assert q.topic != q.hard_answer
        assert q.topic not in q.answers or (q.topic, q.relations[0], q.topic) in triples
        assert q.stated == tuple(sorted(t[there] for t in mine - removed))
        assert q.evidence == (q.removed[0],)
        assert q.full_evidence == tuple(sorted(mine))
        word = "p" if q.block.direction == "object" else "p-"
        assert q.query == f'({word} "{q.relations[0]}" "{q.topic}")'
        assert (q.structure, q.shape, q.hops) == ("1p", "(1)", 1)
        # One question per query, one per triple; of the core first, then by name.
        assert q.hard_answer == min(q.hard, key=lambda row: (not row.core, row.answer)).answer
        assert q.topic in q.question


def test_the_order_of_rows_changes_nothing_and_the_seed_does():
    first, again, other = (random_build(seed)[1] for seed in (3, 3, 4))
    assert first == again
    assert first != other
    one = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=1)
    assert one == ask(KG, selection(KG, MARRIED, CY, ANN), PHRASES, seed=1)


def test_the_coin_is_fair():
    many = [(f"s{i:04}", "wife", f"o{i:04}") for i in range(2000)]
    kg = KnowledgeGraph.from_triples([*many, *((o, "husband", s) for s, _, o in many)])
    size = len(many)
    position = {t: i for i, t in enumerate(kg.labeled())}
    chosen = Selection(
        MARRIED,
        np.array([position[t] for t in many], np.int64),
        np.zeros(size, np.int32),
        np.array([[position[(o, "husband", s)]] for s, _, o in many], np.int64),
        **features(kg, [position[t] for t in many], np.zeros(size)),
    )
    sides = Counter(q.block.direction for q in ask(kg, chosen, PHRASES).questions)
    assert abs(sides["object"] - 1000) < 110


@pytest.mark.skipif(
    not (DATA / "family" / "facts.tsv").exists() or not GOLDEN.exists(),
    reason="the Family data set or its rules are not on this machine",
)
def test_family_in_paper_mode_has_the_published_share_of_reverse_edges():
    kg = KnowledgeGraph.read(DATA / "family" / "facts.tsv")
    chosen = certify_as_chosen(Setting.of(kg), select_brink(kg, read_rules(GOLDEN)), 0)
    made = ask(kg, chosen, load_templates("family", kg.relations), merge=False)
    removed = {q.removed[0] for q in made.questions}
    left = kg.without(chosen.removed)
    heads = kg.triples[chosen.head]
    inverse = edges_between(left, heads[:, 2], heads[:, 0])
    with_reverse = {row for row, edge in zip(chosen.head.tolist(), inverse, strict=True) if edge}
    assert (len(made.questions), len(removed), len(made.rejections)) == (2217, 1830, 0)
    assert round(100 * len(with_reverse) / len(removed), 1) == 42.7
    q = next(
        q for q in made.questions if q.relations[0] == "aunt" and q.block.direction == "subject"
    )
    assert q.question == f"Who are the aunts of {q.topic}?"


def test_a_limit_of_answers_decides_the_end_that_is_asked_for_or_rejects():
    # ann has one husband, bob three wives.
    for seed in range(8):
        asked = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=seed, max_answers=2)
        assert [(q.block.direction, q.answers) for q in asked.questions] == [
            ("object", ("bob",))
        ] * 2
        free = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=seed)
        within = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=seed, max_answers=3)
        assert within.questions == free.questions, "a limit that all keep to changes nothing"
    more = [(wife, "wife", man) for wife in ("ann", "cy") for man in ("eli", "fox", "gus")]
    reference = KnowledgeGraph.from_triples([*KG.labeled(), *more[:5]])
    for seed in range(8):
        chosen = selection(KG, MARRIED, ANN, CY)
        asked = ask(KG, chosen, PHRASES, seed=seed, max_answers=3, reference=reference)
        directions = {q.removed[0][0]: q.block.direction for q in asked.questions}
        assert directions["ann"] == "subject", "she has four husbands with the reference"
        assert directions.keys() == {"ann", "cy"}
    with pytest.raises(UserError, match="no question is left"):
        ask(KG, selection(KG, MARRIED, ANN), PHRASES, max_answers=2, reference=reference)


def declared(relations, **declarations):
    """Derived templates with declarations."""
    rows = load_templates("", relations).rows
    return Templates(rows, declarations=Declarations.of(**declarations))


def test_what_asks_the_same_is_one_question():
    # bob's wives are both removed: whoever asks for them asks for both.
    for seed in range(8):
        made = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=seed)
        assert len({q.question for q in made.questions}) == len(made.questions)
        for q in made.questions:
            assert q.hard_answers == (("ann", "cy") if q.topic == "bob" else ("bob",))
        asked_for = {q.removed[0] for q in made.questions}
        assert len(asked_for) == len(made.questions), "a triple is asked for once"
    apart = ask(KG, selection(KG, MARRIED, ANN, CY), PHRASES, seed=seed_for("subject"), merge=False)
    assert len(apart.questions) == 2


def test_a_common_answer_is_not_asked_for():
    chosen = selection(KG, MARRIED, ANN, CY)
    chosen.directions[:, 0] = False
    for seed in range(8):
        made = ask(KG, chosen, PHRASES, seed=seed)
        assert [q.block.direction for q in made.questions] == ["object", "object"]
    # The triple of ann may be asked for from bob, that of cy may not; it is hard all the same.
    chosen.directions[:] = [[True, False], [False, True]]
    made = ask(KG, chosen, PHRASES)
    (bob,) = (q for q in made.questions if q.topic == "bob")
    assert (bob.hard_answer, bob.core) == ("ann", True)
    assert [(row.answer, row.core) for row in bob.hard] == [("ann", True), ("cy", False)]


def test_the_core_is_asked_for_first():
    chosen = selection(KG, MARRIED, ANN, CY)
    chosen.directions[:, 1] = False
    for core, wanted in (((True, True), "ann"), ((False, True), "cy"), ((False, False), "ann")):
        chosen.core[:] = core
        (q,) = ask(KG, chosen, PHRASES).questions
        assert (q.hard_answer, q.core) == (wanted, any(core))


def test_declared_relations_answer_together():
    # Who knows whom is stated one way; who married whom, by two relations.
    kg = KnowledgeGraph.from_triples(
        [("ann", "knows", "bob"), ("cy", "knows", "ann"), ("ann", "wife", "bob"),
         ("bob", "husband", "ann"), ("cy", "wife", "bob"), ("bob", "husband", "dee")]
    )  # fmt: skip
    templates = declared(kg.relations, symmetric=["knows"], inverse=[("wife", "husband")])
    wed = [(t, 0, [("ann", "knows", "bob")]) for t in (ANN[0], ("bob", "husband", "ann"))]
    for seed in range(8):
        (q,) = ask(kg, selection(kg, MARRIED, *wed), templates, seed=seed).questions
        if q.topic == "bob":
            assert (q.hard_answers, q.stated) == (("ann",), ("cy", "dee"))
            assert q.query == '(or (p "husband" "bob") (p- "wife" "bob"))'
            assert (q.structure, q.shape, q.hops) == ("1p", "(1)", 1)
            assert q.full_evidence == tuple(t for t in kg.labeled() if t[1] != "knows")
        else:
            assert (q.answers, q.hard_answers) == (("bob",), ("bob",))
    known = (("cy", "knows", "ann"), 1, [("ann", "wife", "bob")])
    for seed in range(8):
        (q,) = ask(kg, selection(kg, MARRIED, known), templates, seed=seed).questions
        if q.topic == "ann":
            assert (q.hard_answers, q.stated) == (("cy",), ("bob",))
    reference = KnowledgeGraph.from_triples([("ann", "knows", "cy"), ("zed", "knows", "cy")])
    made = [
        ask(kg, selection(kg, MARRIED, known), templates, seed=seed, reference=reference)
        for seed in range(8)
    ]
    q = next(q for one in made for q in one.questions if q.topic == "cy")
    assert (q.hard_answers, q.further) == (("ann",), ("zed",))
    assert q.query == '(or (p "knows" "cy") (p- "knows" "cy"))'
    assert q.full_evidence == (("cy", "knows", "ann"),), "further answers have none"
