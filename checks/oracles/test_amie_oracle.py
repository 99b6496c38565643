"""The oracle itself: against enumeration, against every schedule, and on cases done by hand."""

from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

from checks.oracles.amie_oracle import (
    OracleResult,
    RuleKey,
    Triple,
    canonical,
    count_by_enumeration,
    level2_redundant,
    oracle_rules,
    proper_sub_rules,
    variables,
)
from checks.oracles.random_graphs import Case, random_case
from tests import ALL_SEEDS, some_seeds

SEEDS_WHERE_ORDER_MATTERS = (
    *(0, 4, 23, 50, 54, 68, 71, 85, 146),
    *(170, 240, 292, 312, 426, 462, 544, 565, 790),
)


def facts(text: str) -> list[Triple]:
    """Facts written as `h a b; p a b`: relation, subject, object."""
    words = [fact.split() for fact in text.split(";")]
    return [(subject, relation, object_) for relation, subject, object_ in words]


def mine(
    text: str,
    max_atoms: int = 3,
    *,
    hc: float = 0.01,
    std: float = 0.01,
    pca: float = 0.01,
    minis: int = 1,
) -> OracleResult:
    return oracle_rules(
        facts(text),
        max_atoms=max_atoms,
        min_head_coverage=hc,
        min_std_confidence=std,
        min_pca_confidence=pca,
        min_initial_support=minis,
    )


def key(head: str, *body: str) -> RuleKey:
    """A rule out of atoms written as `p02`: relation p, subject 0, object 2."""
    return head, canonical((atom[0], int(atom[1]), int(atom[2])) for atom in body)


def counts(result: OracleResult, rule: RuleKey) -> tuple[int, int, int]:
    found = result.space[rule]
    return found.support, found.body_size, found.pca_body_size


@pytest.mark.parametrize("block", range(2))
def test_counts_are_those_of_trying_every_assignment(block: int) -> None:
    rng = Random(block)
    checked = 0
    seeds = some_seeds(block * 40, block * 40 + 40)
    for seed in seeds:
        case = random_case(seed)
        entities = {entity for s, _, o in case.triples for entity in (s, o)}
        case = replace(case, options=replace(case.options, injective=seed % 2 == 1))
        injective = case.options.injective
        space = oracle_rules(case.triples, **asdict(case.options)).space
        closed = sorted(rule for rule in space if space[rule].closed)
        for rule in rng.sample(closed, min(len(closed), 6)):
            if len(entities) ** len(variables(rule)) > 3000:
                continue
            found = space[rule]
            sizes = (found.support, found.body_size, found.pca_body_size)
            counted = count_by_enumeration(case.triples, rule, injective=injective)
            assert sizes == counted, (seed, rule)
            checked += 1
    assert checked > (50 if ALL_SEEDS else len(seeds))


def schedules(result: OracleResult) -> list[frozenset[RuleKey]]:
    """What AMIE prints for every choice of first parents that matters; [] if they are many.

    The first one is the choice of a lenient parent wherever there is one.
    """
    first: dict[RuleKey, RuleKey] = {}
    torn: dict[RuleKey, tuple[RuleKey, RuleKey]] = {}
    for rule in sorted(result.candidates):
        by_verdict = {result.lenient(p, rule): p for p in result.parents[rule]}
        first[rule] = by_verdict.get(True, by_verdict.get(False, rule))
        if len(by_verdict) == 2:
            torn[rule] = (by_verdict[True], by_verdict[False])
    if len(torn) > 8:
        return []
    choices = product(*torn.values())
    return [result.printed(first | dict(zip(torn, choice, strict=True))) for choice in choices]


def test_bands_are_those_of_every_schedule() -> None:
    decided = 0
    for seed in SEEDS_WHERE_ORDER_MATTERS:
        case = random_case(seed)
        result = oracle_rules(case.triples, **asdict(case.options))
        assert result.must <= result.ours <= result.may, seed
        printed = schedules(result)
        if printed:
            assert printed[0] == result.ours, seed
            assert frozenset.intersection(*printed) == result.must, seed
            assert frozenset.union(*printed) == result.may, seed
            decided += result.must < result.may
    assert decided > 10


def test_counts_of_a_rule_by_hand() -> None:
    # h: subjects a, b; objects x, y, z. The subject is functional only if 2 >= 3: no.
    result = mine("h a x; h a y; h b z; p a x; p b x; p c z; p c w; p b v")
    assert counts(result, key("h", "p01")) == (1, 5, 3)
    assert result.space[key("h", "p01")].functional_variable == 1
    assert result.space[key("h", "p01")].head_size == 3


def test_a_tie_makes_the_subject_functional() -> None:
    assert mine("h a x; h b y; p a x").space[key("h", "p01")].functional_variable == 0


def test_two_variables_may_take_the_same_value() -> None:
    result = mine("h a a; h b c; p a a; p b a")
    assert counts(result, key("h", "p02", "p12")) == (1, 4, 4)


def test_a_duplicate_line_changes_nothing() -> None:
    once, twice = "h a x; p a x; p b x", "h a x; p a x; p b x; h a x; p b x"
    assert mine(once).rules() == mine(twice).rules()


def test_a_relation_below_the_initial_support_is_no_head_but_in_bodies() -> None:
    result = mine("h a x; h b y; p a x", minis=2)
    assert {rule[0] for rule in result.space} == {"h"}
    assert key("h", "p01") in result.ours


def test_the_threshold_is_the_ceiling_of_the_product() -> None:
    nine = "; ".join(f"h a{i} b{i}" for i in range(9))
    assert key("h", "p01") in mine(f"{nine}; p a0 b0; p a1 b1", hc=2 / 9).space
    assert key("h", "p01") not in mine(f"{nine}; p a0 b0; p a1 b1", hc=0.3).space


def test_a_relation_occurs_three_times_at_most() -> None:
    loops = "; ".join(f"h {s} {o}" for s in "ab" for o in "ab")
    space = mine(loops, 5).space
    assert {len(body) for _, body in space} == {0, 1, 2}


def test_no_atom_repeats_another_or_the_head() -> None:
    square = "; ".join(f"{r} {s} {o}" for r in "hp" for s in "ab" for o in "ab")
    space = mine(square + "; h c d; p c e", 4).space
    assert all(len({*body, (head, 0, 1)}) == len(body) + 1 for head, body in space)
    assert key("h", "h10") in space
    assert key("h", "p02", "p03", "p23") not in space


def test_an_open_variable_must_be_closed_next() -> None:
    graph = "h a b; h b c; p a c; q c b; r c a; p b a; q a c; r a d; p d d; q d a; r d b"
    parents = mine(graph + "; p a b; q b a; r b a; h c a", 4).parents[key("h", "p02", "q21", "r20")]
    # p02, r20 leaves 1 open with no fresh variable to come from: nothing makes that rule.
    assert parents == {key("h", "p02", "q21"), key("h", "q21", "r20")}


def test_danglings_leave_room_for_the_closing_atom() -> None:
    result = mine("h a b; h b c; p a c; p c b; p b a", 3)
    opened = {len(body) for (_, body), rule in result.space.items() if not rule.closed}
    assert opened == {0, 1}
    assert {len(body) for _, body in mine("h a b; h b c; p a b; p b b", 2).space} == {0, 1}


def test_a_perfect_rule_is_output_and_not_extended() -> None:
    result = mine("h a b; h c d; p a b; p e f; q a b; q a d; h c b; q c x")
    assert result.space[key("h", "p01")].perfect
    assert key("h", "p01") in result.ours
    assert result.parents[key("h", "p01", "q01")] == {key("h", "q01")}


def test_every_relation_twice_is_never_output() -> None:
    assert level2_redundant(key("h", "h02", "p21", "p20"))
    assert not level2_redundant(key("h", "h02", "p21", "q20"))
    assert not level2_redundant(key("h", "h10"))
    graph = "h a b; h b a; h c d; p a a; p a b; p b b; p d e"
    result = mine(graph, 4)
    twice = [rule for rule in result.space if level2_redundant(rule) and result.space[rule].closed]
    assert twice
    assert not result.candidates & set(twice)


TORN = (
    "h a b; h c d; p a b; p c d; p a x; p u b; p u c; p u d; p u x; p v x;"
    "q a b; q a x; q a y; q c y"
)
"""p(0,1) has pca 2/3, std 2/8; q(0,1) pca 1/4; both together pca and std 1/2."""


def test_a_parent_that_is_not_output_removes_a_rule_if_it_came_first() -> None:
    result = mine(TORN, std=0.3)
    rule = key("h", "p01", "q01")
    assert counts(result, rule) == (1, 2, 2)
    assert counts(result, key("h", "p01")) == (2, 8, 3)
    assert counts(result, key("h", "q01")) == (1, 4, 4)
    assert key("h", "p01") not in result.candidates
    assert rule in result.ours
    assert rule in result.may - result.must
    assert "strict parent p(0,1) => h(0,1) (std 2/8, pca 2/3)" in result.explain(rule)


def test_an_output_sub_rule_that_is_as_good_removes_a_rule() -> None:
    result = mine(TORN, std=0.25)
    assert key("h", "p01") in result.must
    assert key("h", "p01", "q01") in result.candidates - result.may


def test_equal_confidence_is_no_improvement() -> None:
    result = mine("h a b; h c d; p a b; p a d; q a b; q a d")
    rule = key("h", "p01", "q01")
    assert result.space[rule].pca_confidence == result.space[key("h", "p01")].pca_confidence
    assert rule in result.candidates - result.may


def test_sub_rules_rename_body_variables() -> None:
    assert proper_sub_rules(key("h", "p03", "q31", "r02", "s21")) >= {
        key("h", "r02", "s21"),
        key("h", "p02", "q21"),
        key("h", "p02", "r03", "s31"),
    }


def test_a_case_survives_its_file(tmp_path: Path) -> None:
    for seed in range(20):
        case = random_case(seed)
        case.write(tmp_path / "found" / "case.json")
        assert Case.read(tmp_path / "found" / "case.json") == case
