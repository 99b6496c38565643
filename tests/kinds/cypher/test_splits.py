"""Which questions over a property graph are asked, and in which split."""

from collections import Counter
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest

from checks.oracles.random_patterns import random_graph, random_queries
from rulemine.builder.pipeline import Build
from rulemine.cypher.questions.grades import LostRow
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kinds.cypher.ask import _Grading, asked_last, signature_of
from rulemine.kinds.cypher.options import SPLIT_WAYS
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from tests import each

KEYS = {
    "signature": signature_of,
    "domain": lambda query: query.match.nodes[0].type,
    "question": lambda query: query.match,
}


@pytest.fixture(scope="module", params=SPLIT_WAYS)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("demo") / "release"
    settings: list[tuple[tuple[str, ...], Any]] = [
        (("cypher", "per_template"), 6), (("cypher", "split_by"), request.param),
        (("questions", "test_core"), 12),
    ]  # fmt: skip
    Build(load_recipe("cypher-demo", settings), folder).run()
    return Release.open(folder)


@pytest.mark.slow
def test_what_belongs_together_stays_together(release: Release) -> None:
    for by in ("question", release.manifest["config"]["cypher"]["split_by"]):
        found: dict[object, set[str]] = {}
        for question in release.questions():
            key = KEYS[by](query_of(question.query))  # type: ignore[no-untyped-call]
            found.setdefault(key, set()).add(question.split)
        assert all(len(some) == 1 for some in found.values())
        assert {split for some in found.values() for split in some} == {*SPLITS}


def test_nothing_that_a_split_needs_is_given_away_by_later_ones(release: Release) -> None:
    facts, asked = RemovedFacts(row.triple for row in release.removals()), release.questions()
    assert any(facts.needed_by(q) for q in asked if q.split == "test")
    assert facts.leaked(asked, "test") == facts.leaked(asked, "validation") == 0
    most = [max(len(facts.needed_by(q)) for q in asked if q.split == split) for split in SPLITS]
    assert max(most[1:]) <= QuestionSection.max_facts <= most[0]


def test_each_template_has_its_share_and_most_of_its_questions_are_changed(release):
    if release.manifest["config"]["cypher"]["split_by"] != "question":
        pytest.skip("groups of that size do not come out even")
    asked = release.questions()
    by_template = Counter(q.shape for q in asked)
    assert max(by_template.values()) == 6
    assert sum(by_template.values()) > 0.8 * 6 * len(MATCHES)
    sizes = Counter(q.split for q in asked)
    for name, share in zip(SPLITS, (0.7, 0.1, 0.2), strict=True):
        assert abs(sizes[name] / len(asked) - share) <= 0.07
    assert len({q.shape for q in asked if q.split == "test"}) > 0.6 * len(MATCHES)
    assert sum(q.core for q in asked if q.split == "test") >= 12
    changed = Counter(q.shape for q in asked if q.block.changed)
    # What has no edge never changes; of the rest, about two thirds of the questions of a template do.
    named = [t for t in by_template if t.count("*") == 1 and MATCHES[t].directions]
    assert sum(3 <= changed[template] <= 5 for template in named) > 0.6 * len(named)
    assert min(by_template["(n)->(m0)"], by_template["(n)<-(m0)"]) > 4
    returned = Counter(q.block.returns for q in asked if MATCHES[q.shape].category == "(n)-(m0*)")
    assert len(returned) > 3


def test_signatures_do_not_depend_on_what_is_asked_for() -> None:
    queries = chain.from_iterable(random_queries(random_graph(seed), seed) for seed in range(4))
    one = [query for query in queries if query.match.template in ("(n)->(m0)", "(n)<-(m0)")]
    assert set(map(signature_of, one)) == {
        "Person knows Person", "Person livesIn Größe", "Person RETURN Größe", "Größe knows Person",
        "Größe neighbor² Größe",
    }  # fmt: skip


def test_weak_proofs_are_asked_for_last_unless_most_are_weak() -> None:
    half = {(f"a{i}", "r", f"b{i}"): 0.2 + 0.4 * (i % 2) for i in range(6)}
    assert asked_last(half) == {*list(half)[::2]}
    assert asked_last(half | {("a1", "r", "b1"): 0.3}) == set()


A, B, STAYS = ("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d")


@each(
    ("witness", "core"),
    [((A,), True), ((A, STAYS), True), ((A, B), False), ((B,), False), ((STAYS,), False)],
)
def test_a_row_is_of_the_core_where_all_that_it_lacks_is(witness, core):
    maker: Any = SimpleNamespace(removed={A, B}, core={A})
    assert _Grading.hard(maker, LostRow("row", 1, 100, witness)).core is core
