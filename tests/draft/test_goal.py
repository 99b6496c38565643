"""What a step of the ladder costs is counted, and steps are in order."""

import itertools
import random

import pytest

from rulemine.draft.goal import LADDER, SHARES, mining_work, proving_work
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.formats import read_rules
from tests.releases import built
from tests.small_graphs import small_graph


def joins(kg: KnowledgeGraph) -> tuple[int, int]:
    """Pairs of relation ends that meet at an entity, and pairs at the two entities of a triple."""
    ends = {
        (entity, relation, side)
        for s, relation, o in kg.labeled()
        for side, entity in enumerate((s, o))
    }
    at = {entity: sum(end[0] == entity for end in ends) for entity in kg.entities}
    return sum(n * n for n in at.values()), sum(at[s] * at[o] for s, _, o in kg.labeled())


@pytest.mark.parametrize("seed", range(5))
def test_the_work_of_mining_is_counted_in_joins(seed: int) -> None:
    kg = small_graph(random.Random(seed), least=5)
    at_entities, along_triples = joins(kg)
    assert mining_work(kg, 3) == at_entities / 1e6
    assert mining_work(kg, 4) == (at_entities + along_triples) / 1e6
    assert mining_work(kg, 2) == len(kg) / 1e6
    assert mining_work(kg, 5) >= mining_work(kg, 4)


def test_the_work_of_rules_grows_with_their_matches_up_to_the_sample() -> None:
    rules = read_rules(built("demo-rules") / "rules.jsonl")
    sizes = [rule.known.body_size for rule in rules]
    assert proving_work(rules, 0) == sum(1000 + 8 * size for size in sizes) / 1e6
    assert proving_work(rules, 7) == sum(1000 + 8 * min(size, 7) for size in sizes) / 1e6
    assert proving_work([], 7) == 0


def test_the_ladder_goes_from_few_rules_to_many() -> None:
    for below, above in itertools.pairwise(LADDER):
        assert below.max_atoms <= above.max_atoms
        assert below.per_rule <= above.per_rule
        if below.max_atoms == above.max_atoms:
            assert below.min_head_coverage >= above.min_head_coverage
            assert below.min_std_confidence >= above.min_std_confidence
    assert min(step.min_std_confidence for step in LADDER) == 0.2
    assert list(SHARES) == sorted(SHARES)


def test_a_rule_explains_ten_triples_where_relations_are_small() -> None:
    triples = [(f"a{i}", "large", f"b{i}") for i in range(300)]
    triples += [(f"a{i}", "small", f"b{i}") for i in range(299)]
    kg = KnowledgeGraph.from_triples(triples)
    coverage = {c.key: c.value for c in LADDER[-1].choices(kg)}["mining.min_head_coverage"]
    assert coverage == round(10 / 300, 4)
    assert {c.key: c.value for c in LADDER[0].choices(kg)}["mining.min_head_coverage"] == 0.1
