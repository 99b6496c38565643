"""Splits of questions over a property graph."""

import random
from collections import Counter
from itertools import chain

import pytest

from rulemine.builder.cypher.options import SPLIT_WAYS
from rulemine.builder.cypher.splits import assign, signature_of
from rulemine.cypher import PatternQuery
from rulemine.errors import UserError
from rulemine.release.records import SPLITS
from tests.oracles.random_patterns import random_graph, random_queries

QUERIES = list(chain.from_iterable(random_queries(random_graph(seed), seed) for seed in range(4)))
KEYS = {
    "signature": signature_of,
    "domain": lambda query: query.match.nodes[0].type,
    "question": lambda query: query.match,
}


def keyed(queries: list[PatternQuery], splits: list[str], by: str) -> dict[object, set[str]]:
    found: dict[object, set[str]] = {}
    for query, name in zip(queries, splits, strict=True):
        found.setdefault(KEYS[by](query), set()).add(name)  # type: ignore[no-untyped-call]
    return found


@pytest.mark.parametrize("by", ["signature", "question"])
@pytest.mark.parametrize("seed", range(6))
def test_what_belongs_together_stays_together_and_order_does_not_matter(by: str, seed: int) -> None:
    dice = random.Random(seed)
    queries = dice.sample(QUERIES, dice.choice((30, 200, len(QUERIES))))
    splits = assign(queries, (7, 1, 2), seed, by)
    for finer in ("question", by):
        assert all(len(some) == 1 for some in keyed(queries, splits, finer).values())
    assert set(splits) == set(SPLITS)
    order = dice.sample(range(len(queries)), len(queries))
    assert assign([queries[at] for at in order], (7, 1, 2), seed, by) == [
        splits[at] for at in order
    ]


@pytest.mark.parametrize(("by", "off", "rare"), [("signature", 0.03, 100), ("question", 0.01, 10)])
def test_sizes_are_near_the_ratios_and_templates_in_test(by: str, off: float, rare: int) -> None:
    splits = assign(QUERIES, (7, 1, 2), 1, by)
    sizes = Counter(splits)
    for name, share in zip(SPLITS, (0.7, 0.1, 0.2), strict=True):
        assert abs(sizes[name] / len(QUERIES) - share) <= off
    returns = Counter(query.result.template for query in QUERIES)
    tested = {q.result.template for q, name in zip(QUERIES, splits, strict=True) if name == "test"}
    assert {template for template, number in returns.items() if number >= rare} <= tested


def test_seeds_differ_and_signatures_do_not_depend_on_what_is_asked_for() -> None:
    assert len({tuple(assign(QUERIES, (7, 1, 2), seed, "signature")) for seed in range(4)}) > 1
    one = [query for query in QUERIES if query.match.template in ("(n)->(m0)", "(n)<-(m0)")]
    assert set(map(signature_of, one)) == {
        "Person knows Person", "Person livesIn Größe", "Person RETURN Größe", "Größe knows Person",
        "Größe neighbor² Größe",
    }  # fmt: skip


def test_too_few_groups_are_told_with_another_way() -> None:
    with pytest.raises(
        UserError, match=r"have 2 domains; 3 splits need .*signature, domain, question"
    ):
        assign(QUERIES, (7, 1, 2), 0, "domain")
    assert set(SPLIT_WAYS) == KEYS.keys()
