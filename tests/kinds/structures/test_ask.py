"""Every question obeys every rule, found anew by brute force."""

from collections import Counter
from functools import cache
from types import SimpleNamespace

from rulemine.kg.facts import Declarations
from rulemine.kinds.checks import Unaskable
from rulemine.kinds.neighbors import usually_one
from rulemine.kinds.structures.ask import _pools
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.query.tree import Anchor, Intersection, Projection, Union
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.records import Question
from rulemine.text.normalization import mentions
from tests import each
from tests.kinds.structures.worlds import RULES, RandomWorld, less, nodes

SEEDS = range(3)

MAX_SHARE = 0.5

OF_RULE = {rule.id: i for i, rule in enumerate(RULES)}


@cache
def world_of(seed: int) -> tuple[RandomWorld, tuple[Question, ...]]:
    """A world and the questions about it."""
    world = RandomWorld(seed)
    found = world.ask(excluded=["re"], max_share=MAX_SHARE).questions
    assert len({q.structure for q in found}) >= len(STRUCTURES) - 1  # such a world has few "up"
    return world, found


@each("seed", SEEDS)
def test_queries_are_of_the_nine_structures_and_every_branch_is_needed(seed: int) -> None:
    world, questions = world_of(seed)
    unions = 0
    for q in questions:
        tree = world.tree(q.query)
        assert structure_of(tree).name == q.structure
        assert (structure_of(tree).shape, structure_of(tree).hops) == (q.shape, q.hops)
        leaves = [node.entity for node in nodes(tree) if isinstance(node, Anchor)]
        assert sorted(leaves) == sorted(set(leaves)) == list(q.anchors)
        assert "re" not in q.relations
        assert structure_of(tree, Declarations()).atoms <= 3
        for root in (
            tree.parts if isinstance(tree, Union) else [tree]
        ):  # an end that is not asked for
            assert not (isinstance(root, Projection) and root.relation == "rd" and root.inverse)
        answers = world.answers(tree)
        assert all(world.answers(other) != answers for other in less(tree))
        for node in nodes(tree):
            if isinstance(node, Intersection | Union):
                parts = [world.answers(part) for part in node.parts]
                pairs = [(a, b) for i, a in enumerate(parts) for b in parts[:i]]
                assert not any(a <= b or b <= a for a, b in pairs)
            if isinstance(node, Union):
                unions += 1
                assert len({(part.relation, part.inverse) for part in node.parts}) == 1
    assert unions


def test_another_link_goes_on_from_what_is_usually_one(monkeypatch) -> None:
    monkeypatch.setattr("rulemine.kinds.neighbors.USUAL", 0.4)
    first, world = set(), world_of(0)[0]
    usual = usually_one(world.kg, world.declarations)
    for q in world.ask(usual=0.4, names=("2p",)).questions:
        below = world.tree(q.query).of
        first.add((below.relation, below.inverse))
    assert first
    assert first <= usual


def _restated(world: RandomWorld, q: Question) -> bool:
    """Whether a triple that stays joins an anchor and the hard answer, which the evidence does not."""
    used = {frozenset((s, o)) for s, r, o in q.evidence if (s, r, o) not in world.removed}
    left = {frozenset((s, o)) for s, r, o in world.kg.labeled() if (s, r, o) not in world.removed}
    return any(frozenset((anchor, q.hard_answer)) in left - used for anchor in q.anchors)


@each("seed", SEEDS)
def test_nothing_is_asked_that_is_restated(seed: int) -> None:
    world, questions = world_of(seed)
    assert {q.structure for q in questions if q.hard_answer and _restated(world, q)} & {"1p", "2p"}
    asked = world.ask(excluded=["re"], max_share=MAX_SHARE, restated=False, ratios=(2, 1, 1))
    hard = [q for q in asked.questions if q.hard_answer]
    assert {q.structure for q in hard} >= {"1p", "2i"}
    assert not any(_restated(world, q) for q in hard)
    assert any(Unaskable.RESTATED in row["rejected"] for row in asked.sampling.values())


@each("seed", SEEDS)
def test_answers_grades_and_evidence_are_those_of_all_derivations(seed: int) -> None:
    world, questions = world_of(seed)
    for q in questions:
        tree = world.tree(q.query)
        answers = world.answers(tree)
        assert {*q.answers} == answers
        assert 1 <= len(answers) <= 20
        assert {*q.stated} == world.answers(tree, complete=False)
        assert {row.answer: row.missing for row in q.hard} == {
            answer: world.missing(tree, answer) for answer in answers - {*q.stated}
        }
        every = [d for answer in q.answers for d in world.derivations(tree, answer)]
        triples = {triple for d in every for triple, _ in d.steps}
        between = set().union(*(d.between for d in every))
        assert list(q.full_evidence) == sorted(triples)
        assert len(triples) <= 100
        assert not {*q.anchors} & (between | {*q.answers})
        assert {*q.intermediates} == between - {*q.answers}
        for row in q.hard:  # from when on an answer is not stated
            steps = ([t for t, _ in d.steps] for d in world.derivations(tree, row.answer))
            levels = ([world.removed[t][2] for t in some if t in world.removed] for some in steps)
            assert row.level == max(min(some, default=101) for some in levels)


@each("seed", SEEDS)
def test_answers_share_a_type_and_so_do_the_ends_of_unions(seed: int) -> None:
    world, questions = world_of(seed)

    def alike(names) -> frozenset[int]:
        return world.types.shared(world.kg.entity_ids[name] for name in names)

    for q in questions:
        assert q.block.answer_types == world.types.labels(alike(q.answers)) != ()
        for node in nodes(world.tree(q.query)):
            if isinstance(node, Union):
                assert alike(q.anchors)
                assert alike(world.answers(node))


@each("seed", SEEDS)
def test_the_hard_answer_is_the_first_that_may_be_asked_for(seed: int) -> None:
    world, questions = world_of(seed)
    hard = 0
    for q in questions:
        tree = world.tree(q.query)
        rows = []
        for row in q.hard:
            fits = [
                d.steps
                for d in world.derivations(tree, row.answer)
                if {triple for triple, _ in d.steps} == {*row.witness}
            ]
            assert fits
            removed = [(t, end) for t, end in fits[0] if t in world.removed]
            allowed = all(world.removed[t][0][end == "object"] for t, end in removed)
            core = allowed and all(world.removed[t][1] for t, _ in removed)
            assert row.core == core
            if allowed:
                rows.append((not core, row.missing, row.answer, row.witness))
        assert bool(q.hard) == bool(rows)
        if not rows:
            assert (q.hard_answer, q.core, q.missing, q.removed) == (None, False, 0, ())
            assert q.rules == ()
            first = world.derivations(tree, q.stated[0])
            assert {*q.evidence} in [{triple for triple, _ in d.steps} for d in first]
            assert not {*q.evidence} & world.removed.keys()
            continue
        hard += 1
        (outside, missing, answer, witness) = min(rows)
        assert (q.hard_answer, q.core, q.missing) == (answer, not outside, missing)
        assert q.evidence == witness
        assert q.removed == tuple(dict.fromkeys(t for t in witness if t in world.removed))
        places = [sorted(world.removed).index(t) % len(RULES) for t in q.removed]
        assert {OF_RULE[rule] for rule in q.rules} == set(places)
    assert hard > len(questions) / 4


@each("seed", SEEDS)
def test_texts_ids_splits_and_what_questions_share(seed: int) -> None:
    _, questions = world_of(seed)
    anchors: dict[str, set[str]] = {split: set() for split in ("train", "validation", "test")}
    for q in questions:
        assert all(mentions(q.question, anchor) for anchor in q.anchors)
        assert not any(mentions(q.question, name) for name in {*q.answers, *q.intermediates})
        anchors[q.split] |= {*q.anchors}
    assert (
        len({q.question for q in questions}) == len({q.query for q in questions}) == len(questions)
    )
    order = [(list(STRUCTURES).index(q.structure), q.query) for q in questions]
    assert order == sorted(order)
    assert [q.id for q in questions] == [f"q{i:05d}" for i in range(1, len(questions) + 1)]
    assert sum(map(len, anchors.values())) == len(set().union(*anchors.values()))
    for (_, split), count in Counter((q.structure, q.split) for q in questions).items():
        assert count <= {"train": 12, "validation": 4, "test": 6}[split]
    assert max(Counter(q.structure for q in questions).values()) <= 12


def test_each_entity_is_dealt_to_one_split() -> None:
    recipe, kg = SimpleNamespace(questions=QuestionSection()), SimpleNamespace(entities=range(99))
    pools = _pools(SimpleNamespace(recipe=recipe, kg=kg, seed=0))  # type: ignore[arg-type]
    assert (sum(anchors.astype(int) for _, _, anchors in pools) == 1).all()
