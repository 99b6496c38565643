from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import UserError
from rulemine.kg.facts import Declarations, priors
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.rules.ask import NAMED, SELF_LOOP, TextCheck
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.recipe.recipe import QuestionSection, Recipe, SelectionSection
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.removal.selection import Selection, SelectionCounts
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures, Rule
from rulemine.seeds import stream
from tests import each, some_seeds
from tests.kinds.asking import ask as asked_of


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


def selection(kg: KnowledgeGraph, chosen, *rows) -> Selection:
    """Rows are (removed triple, position of the rule, body triples); everything may be asked for."""
    place = {triple: row for row, triple in enumerate(kg.labeled())}
    widest = max(len(body) for _, _, body in rows)
    bodies = [[place[t] for t in body] + [-1] * (widest - len(body)) for _, _, body in rows]
    head = np.array([place[triple] for triple, _, _ in rows], np.int64)
    rule, many, ones = np.array([rule for _, rule, _ in rows], np.int32), len(rows), np.ones
    return Selection(
        tuple(chosen), head, rule, np.array(bodies, np.int64), rule, np.full(many, 100, np.int16),
        ones((many, 2), bool), priors(kg)[head], ones(many, bool), ones(many, np.int64),
        ones(many, np.int64), SelectionCounts(0, 0, 0, 0),
    )  # fmt: skip


KG = KnowledgeGraph.from_triples(
    [
        ("ann", "wife", "bob"), ("bob", "husband", "ann"), ("cy", "wife", "bob"), ("bob", "husband", "cy"),
        ("bob", "knows", "ann"), ("ann", "knows", "bob"), ("dee", "wife", "bob"),
    ]
)  # fmt: skip
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


def test_a_hard_answer_that_may_not_be_asked_for_is_not_of_the_core():
    chosen = selection(KG, MARRIED, ANN, CY)
    chosen.directions[1] = False, True
    made = ask(KG, chosen, PHRASES, seed=seed_for("subject"))
    q = next(q for q in made.questions if q.topic == "bob")
    assert {row.answer: row.core for row in q.hard} == {"ann": True, "cy": False}


def test_a_reference_supplies_further_answers():
    more = [
        ("eve", "wife", "bob"), ("ann", "wife", "bob"), ("eve", "wife", "zed"), ("eve", "knows", "bob"),
    ]  # fmt: skip
    reference = KnowledgeGraph.from_triples(more)
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
    pairs = (("York", "New York"), ("a", "a"), ("ann", "bob"))
    stated = [t for s, o in pairs for t in ((s, "wife", o), (o, "husband", s))]
    kg = KnowledgeGraph.from_triples(stated)
    rows = [((s, "wife", o), 0, [(o, "husband", s)]) for s, o in pairs]
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


@each("name", ["?x", "{topic}", "=>", "%s", "a, b", '"q"'])
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


@each("seed", some_seeds(12))
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


@each("merge", [True, False])
def test_an_end_that_the_templates_do_not_ask_for_is_left_to_the_other_end(merge):
    for end, seed in (("object", seed_for("subject")), ("subject", seed_for("object"))):
        other = {"object": "subject", "subject": "object"}[end]
        templates = replace(PHRASES, unasked=frozenset({("wife", other)}))
        (q,) = ask(KG, selection(KG, MARRIED, ANN), templates, merge=merge, seed=seed).questions
        assert q.block.direction == end
    both = replace(PHRASES, unasked=frozenset({("wife", "subject"), ("wife", "object")}))
    with pytest.raises(UserError, match="its templates do not ask for this end"):
        ask(KG, selection(KG, MARRIED, ANN), both, merge=merge)


# Whether a text tells an answer.


def checker(entities, labels=None):
    names = name_entities(sorted(entities), seed=0, labels=labels)
    return TextCheck(names, load_templates("family", ["aunt"]))


def test_a_text_without_answers_passes():
    check = checker(["7", "72"])
    assert check.problem(("aunt", "subject", "72"), ["7"], "7") is None


def test_a_topic_that_contains_an_answer_is_refused():
    check = checker(["New York", "York", "x"])
    expected = (NAMED, "in the naming entity", "Who is New York the aunt of?")
    assert check.problem(("aunt", "object", "New York"), ["York"], "York") == expected
    check = checker(["The", "x"])  # which is a word of the template
    assert check.problem(("aunt", "subject", "x"), ["The"], "The") is not None


def test_all_namings_count_at_once():
    check = checker(["a1", "b2"], {"a1": "Kim Lee", "b2": "Kim"})
    problem = check.problem(("aunt", "object", "a1"), ["b2"], "b2")
    assert problem == (NAMED, "in the naming text", "Who is Kim Lee the aunt of?")


def test_a_private_number_in_a_phrase_is_seen():
    names = name_entities([f"n{i}" for i in range(40)], seed=0)
    five = next(n.entity for n in names if n.private == "e00005")
    topic = next(n.entity for n in names if n.private == "e00007")
    check = TextCheck(names, load_templates("", ["rent 5"]))
    problem = check.problem(("rent 5", "object", topic), [five], five)
    assert problem is not None
    assert (problem.detail, "5" in problem.text) == ("in the naming numeric", True)


def test_the_topic_may_be_an_answer_but_not_the_hard_one():
    check = checker(["x", "y"])
    assert check.problem(("aunt", "object", "x"), ["x", "y"], "y") is None
    problem = check.problem(("aunt", "object", "x"), ["x", "y"], "x")
    assert problem is not None
    assert (problem.reason, problem.text) == (SELF_LOOP, ""), "its text was not the reason"
