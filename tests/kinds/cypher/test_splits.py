"""Which questions over a property graph are drawn, and in which split."""

import random
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from rulemine.cypher import PatternQuery
from rulemine.cypher.questions.pattern_text import query_text
from rulemine.errors import UserError
from rulemine.kinds.cypher.ask import asked_last, draw
from rulemine.kinds.cypher.block import RowChange
from rulemine.kinds.cypher.options import SPLIT_WAYS
from rulemine.kinds.cypher.pool import Wanted, signature_of
from rulemine.kinds.locks import LockReason
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, HardAnswer, Question
from tests import some_seeds
from tests.oracles.random_patterns import random_graph, random_queries
from tests.releases import built

QUERIES = list(chain.from_iterable(random_queries(random_graph(seed), seed) for seed in range(4)))
KEYS = {
    "signature": signature_of,
    "domain": lambda query: query.match.nodes[0].type,
    "question": lambda query: query.match,
}
TRIPLES = [(f"a{number}", "r", f"b{number}") for number in range(400)]
Candidates = list[tuple[Question, PatternQuery]]


@pytest.fixture(scope="module")
def candidates() -> Candidates:
    """Questions of all templates of which half lose a row; some match many removed triples."""
    release = Release.open(built("coast") / "release")
    first = release.questions()[0]
    dice, made = random.Random(5), {}
    for query in QUERIES:
        removed = tuple(sorted(dice.sample(TRIPLES, dice.choice((0, 1, 1, 2, 3, 12)))))
        hard = dice.random() < 0.5 and bool(removed)
        row = HardAnswer('["x"]', len(removed), 100, removed, dice.random() < 0.5)
        block = replace(
            first.block, returns=query.result.template,
            levels=(RowChange(100, 1, ('["x"]',) * hard, ()),),
        )  # fmt: skip
        made[query_text(query)] = (
            replace(
                first, query=query_text(query), shape=query.match.template, hard=(row,) * hard,
                full_evidence=removed, core=hard and row.core, removed=removed, block=block,
            ),
            query,
        )  # fmt: skip
    return list(made.values())


def drawn(candidates: Candidates, seed: int = 0, **options: object) -> dict[str, str]:
    wanted = Wanted((7, 1, 2), 10, 0.5, "question")
    return draw(candidates, RemovedFacts(TRIPLES), replace(wanted, **options), seed)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("by", ["signature", "question"])
@pytest.mark.parametrize("seed", some_seeds(3))
def test_what_belongs_together_stays_together_and_order_does_not_matter(
    candidates: Candidates, by: str, seed: int
) -> None:
    splits = drawn(candidates, seed, by=by)
    for finer in ("question", by):
        found: dict[object, set[str]] = {}
        for question, query in candidates:
            if question.query in splits:
                found.setdefault(KEYS[finer](query), set()).add(splits[question.query])  # type: ignore[no-untyped-call]
        assert all(len(some) == 1 for some in found.values())
    assert set(splits.values()) == set(SPLITS)
    order = random.Random(seed).sample(candidates, len(candidates))
    assert drawn(order, seed, by=by) == splits


@pytest.mark.parametrize("by", ["signature", "question"])
def test_nothing_that_a_split_needs_is_given_away_by_later_ones(
    candidates: Candidates, by: str
) -> None:
    splits, facts = drawn(candidates, by=by), RemovedFacts(TRIPLES)
    made = [replace(q, split=splits[q.query]) for q, _ in candidates if q.query in splits]
    assert sum(bool(facts.needed_by(q)) for q in made if q.split == "test") > 5
    assert facts.leaked(made, "test") == facts.leaked(made, "validation") == 0
    assert max(len(facts.needed_by(q)) for q in made if q.split != "train") <= 5
    fewer = drawn(candidates, by=by, max_facts=1)
    needed = [len(facts.needed_by(q)) for q, _ in candidates if fewer.get(q.query) == "test"]
    assert max(needed) == 1
    reasons = draw(candidates, facts, Wanted((7, 1, 2), 10, 0.5, by), 0)[1]
    assert LockReason.GIVES in reasons.values()
    assert not reasons.keys() & splits.keys()


def test_sizes_are_the_ratios_and_templates_keep_their_numbers(candidates: Candidates) -> None:
    splits = drawn(candidates)
    shape = {question.query: question.shape for question, _ in candidates}
    there = Counter(shape.values())
    made = Counter(shape[query] for query in splits)
    assert max(made.values()) == 10
    assert sum(made.values()) >= 0.95 * sum(min(10, number) for number in there.values())
    sizes = Counter(splits.values())
    for name, share in zip(SPLITS, (0.7, 0.1, 0.2), strict=True):
        assert abs(sizes[name] / len(splits) - share) <= 0.07
    tested = {shape[query] for query, name in splits.items() if name == "test"}
    named = {template for template, number in there.items() if number >= 20 and "*" in template}
    assert named <= tested


def test_test_has_as_much_of_the_core_as_is_wanted(candidates: Candidates) -> None:
    core = {question.query for question, _ in candidates if question.core}

    def tested(wanted: int) -> int:
        splits = drawn(candidates, test_core=wanted)
        return sum(splits.get(query) == "test" for query in core)

    assert tested(25) >= 25 > tested(0)


def test_seeds_differ_and_signatures_do_not_depend_on_what_is_asked_for(
    candidates: Candidates,
) -> None:
    assert drawn(candidates, 1) != drawn(candidates, 2)
    one = [query for query in QUERIES if query.match.template in ("(n)->(m0)", "(n)<-(m0)")]
    assert set(map(signature_of, one)) == {
        "Person knows Person", "Person livesIn Größe", "Person RETURN Größe", "Größe knows Person",
        "Größe neighbor² Größe",
    }  # fmt: skip


def test_too_few_groups_are_told_with_another_way(candidates: Candidates) -> None:
    with pytest.raises(
        UserError, match=r"have 2 domains; 3 splits need .*signature, domain, question"
    ):
        drawn(candidates, by="domain")
    assert set(SPLIT_WAYS) == KEYS.keys()


def test_weak_proofs_are_asked_for_last_unless_most_are_weak() -> None:
    half = {triple: 0.2 + 0.4 * (i % 2) for i, triple in enumerate(TRIPLES)}
    assert asked_last(half) == {*TRIPLES[::2]}
    assert asked_last(half | {("a1", "r", "b1"): 0.3}) == set()
