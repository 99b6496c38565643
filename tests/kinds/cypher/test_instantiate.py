"""Tasks: each template that a graph can have, rows and texts."""

import datetime
import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import pytest

from rulemine.builder.pipeline import Build
from rulemine.cli.main import main
from rulemine.cypher import MatchPattern, evaluate, to_cypher
from rulemine.cypher.questions.evaluator import Rows, bindings
from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.cypher.questions.templates import MATCHES, RETURNS
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Property
from rulemine.kinds.cypher import instantiate, patterns
from rulemine.kinds.cypher.instantiate import CypherTask, TaskMaker
from rulemine.kinds.cypher.patterns import PatternSource
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.kinds.cypher.returns import _HOLDS, Proposals, _condition, outward
from rulemine.kinds.cypher.words.names import number_text
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.recipe.loading import load_recipe
from rulemine.seeds import stream
from tests import each
from tests.kinds.cypher.graphs import graph_of, pattern, schema_of


@pytest.fixture(scope="module")
def world() -> PropertyGraph:
    return load_property_graph("demo")


class Worded(NamedTuple):
    """A task with its text."""

    query: PatternQuery
    rows: Rows
    question: str


def made_of(
    graph: PropertyGraph, number: int = 40, seed: int = 0, plain: bool = False
) -> list[Worded]:
    """So many tasks of each template at most; ``plain``: of relations of which nothing is known."""
    realism = Realism({} if plain else draft_characteristics(graph))
    maker, texts = TaskMaker(graph, realism, seed), QuestionTexts(graph, realism)
    tasks = chain.from_iterable(islice(maker.tasks(template), number) for template in MATCHES)
    return [Worded(task.query, task.rows, texts.question(task.query)) for task in tasks]


@pytest.fixture(scope="module")
def tasks(world: PropertyGraph) -> list[Worded]:
    return made_of(world, 17)


def test_the_demo_has_every_template_in_equal_numbers(tasks: list[Worded]) -> None:
    by_template = Counter(task.query.match.template for task in tasks)
    # Of people nobody counts people in groups, and no relation is declared to read both ways.
    missing = {"(n)->(m0)->(m1*) by n", "(n)->(m0)<-(m1*) by n", "(n)->(m0*) or (n)<-(m1*)"}
    few = {"(n)->(m0)", "(n)<-(m0)", "(n)->(m0)->(m1*)"} | {t for t in MATCHES if "(m0)," in t}
    few |= {"(n)->(m1*) optional (n)<-(m0)", "(n)<-(m0)->(m1*) by n"}
    assert by_template.keys() == MATCHES.keys() - missing
    assert all(n == 17 or template in few for template, n in by_template.items())
    # All types but those of which there are one or two have amounts, which say more than that two differ.
    rare = {"comparison_boolean", "n_group_by"}
    assert {task.query.result.template for task in tasks} >= set(RETURNS) - rare
    linked = [task for task in tasks if task.query.match.template == "(n)->(m0*)"]
    returned = Counter(task.query.result.template for task in linked)
    assert len(returned) >= 7
    assert max(returned.values()) <= 5


def test_rows_are_the_evaluator_s_and_not_empty(world: PropertyGraph, tasks: list[Worded]) -> None:
    for task in tasks:
        assert task.rows == evaluate(world, task.query)
        assert task.rows.rows
        if task.query.match.category.form == "union" or task.query.match.category.basic:
            assert all(None not in row for row in task.rows.rows)


def test_names_and_values_stand_in_the_texts_as_they_are(world, tasks):
    for task in tasks:
        assert all(node.name in task.question for node in task.query.match.nodes if node.name)
        bound, result = task.query.result.bound, task.query.result
        if bound is not None and not isinstance(bound, bool):
            shown = bound.isoformat() if isinstance(bound, datetime.date) else bound
            shown = shown if isinstance(shown, str) else number_text(shown)
            assert shown in task.question
        if result.template in ("n_name_prop", "n_order_by", "n_group_by"):
            values = world.values(result.key or result.property)
            own = matched(world, task.query.match).nodes.tolist()
            lacking = any(values[n] is None for n in own)
            assert ("leaving out any whose" in task.question) == lacking
        if task.query.match.template.endswith("in year"):
            assert f"in {task.query.match.time}" in task.question
        elif task.query.match.template.endswith("current"):
            assert "currently" in task.question
        elif "works_for" in task.query.match.relations:
            assert re.search(r"\bha(s|ve)\b.*\bworked\b", task.question)


def test_nobody_asks_for_nodes_by_what_only_they_have(world, tasks):
    asked = 0
    for task in tasks:
        result, type_ = task.query.result, task.query.match.nodes[0].type
        if result.operator in ("=", "<>") and isinstance(result.bound, str):
            values = world.values(result.property)
            known = [values[n] for n in world.of_type(type_) if values[n] is not None]
            assert 2 * len(set(known)) <= len(known), task.question
            asked += 1
    assert asked


def test_distinct_values_are_several_and_what_is_subtracted_is_less(tasks: list[Worded]) -> None:
    for task in tasks:
        returned = task.query.result.template
        if returned in ("n_prop_distinct", "n_prop_array_distinct"):
            assert len(task.rows.rows) > 1, task.question
        elif returned == "comparison_arithmetic":
            assert not str(task.rows.rows[0][0]).startswith("-"), task.question


def test_the_order_of_input_changes_nothing(world: PropertyGraph, tasks: list[Worded]) -> None:
    turned = PropertyGraph(world.schema, world.nodes[::-1], world.edges[::-1])
    other, again = (made_of(graph, 2, seed=1) for graph in (world, turned))
    assert again == other
    known = {task.query for task in tasks}
    assert len(known & {task.query for task in other}) < len(other) / 2


def _towns(*names: str) -> PropertyGraph:
    """People who live in towns; the last person in the first town."""
    towns = {f"t{at}": (name, {"people": 1234 * (at + 1)}) for at, name in enumerate(names)}
    people = range(len(names) + 1)
    return graph_of(
        schema_of("Town(people int) Person", "lives_in Person Town"),
        {"Town": towns, "Person": {f"p{at}": f"P{at}" for at in people}},
        ", ".join(f"p{at} lives_in t{at % len(names)}" for at in people),
    )


def test_nodes_of_one_name_are_told_apart_in_query_and_text() -> None:
    made = [
        task
        for task in made_of(_towns("Bree", "Bree", 'A "q" \\ b'), 9, plain=True)
        if task.query.match.template == "(n)->(m0*)" and task.query.result.template == "n_name"
    ]
    assert {task.question: task.rows.rows for task in made} == {
        "Who lives in Bree (t0)?": [("P0",), ("P3",)],
        "Who lives in Bree (t1)?": [("P1",)],
        'Who lives in A "q" \\ b?': [("P2",)],
    }
    by_id = [any(node.id for node in task.query.match.nodes) for task in made]
    assert Counter(by_id) == {True: 2, False: 1}


def test_no_query_is_two_tasks_where_patterns_run_out() -> None:
    made = made_of(_towns("Bree", "Carn", "Dale"), 9, plain=True)
    assert 9 < len(made) == len({to_cypher(task.query) for task in made})


@each(("most", "left_out"), [(2, 0), (1, 1)])
def test_a_pattern_with_too_many_rows_is_left_out(monkeypatch, most, left_out):
    monkeypatch.setattr(instantiate, "MOST_ROWS", most)
    maker = TaskMaker(_towns("Bree", "Carn"), Realism({}))
    made = [t for t in maker.tasks("(n)->(m0*)") if t.query.result.template == "n_name"]
    assert len(made) == 2 - left_out  # two people live in Bree, one in Carn
    assert max(len(task.rows.rows) for task in made) == most
    assert maker.tally["(n)->(m0*)", "too many rows"] == left_out


def test_a_hub_is_looked_at_without_making_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {
        "Package": {f"p{at:03}": f"P{at}" for at in range(400)},
        "Section": {f"s{at}": f"S{at}" for at in range(4)},
    }
    edges = [f"p{at:03} needs p000" for at in range(1, 400)]
    edges += [f"p{at:03} needs p{at + 1:03}" for at in range(300)]
    edges += [f"p{at:03} in s{at % 4}" for at in range(400)]
    schema = schema_of("Package Section", "needs Package Package, in Package Section")
    graph = graph_of(schema, nodes, ", ".join(edges))
    for module in (patterns, instantiate):
        monkeypatch.setattr(module, "bindings", lambda *_, **__: pytest.fail("rows were made"))
    made = made_of(graph, 5)
    of_all = TaskMaker(graph, Realism({})).tasks("(n)->(m0*)")
    assert "P0" in {task.query.match.nodes[1].name for task in of_all}
    assert "(n)<-(m0)->(m1*)" in {task.query.match.template for task in made}


@each(
    ("value", "operator", "bound"),
    [(1_234_567, "<", 1_300_000), (1_234_567, ">", 1_200_000), (87, "<=", 87), (0.1278, ">=", 0.12),
     (-345, ">", -350), (-345, "<", -340), (0.0, "<", 0.0), (99.5, "<", 100.0)],
)  # fmt: skip
def test_bounds_are_rounded_outward(value: float, operator: str, bound: float) -> None:
    assert outward(value, operator) == bound
    assert type(outward(value, operator)) is type(value)


def test_one_n_is_not_sorted_nor_counted() -> None:
    draw, match = Proposals(_towns("Bree", "Carn")).draw, pattern("(n)", "Town")
    for template in ("n_order_by", "n_argmax", "n_where", "n_agg"):
        assert draw(match, template, (0,), stream(0, "x")) is None
    assert draw(match, "n_prop_distinct", (2, 3), stream(0, "x")) is None


def test_codes_coordinates_and_names_are_only_looked_up() -> None:
    own = ("zip_code", "latitude", "nameCount", "height")
    schema = schema_of(f"Town({', '.join(f'{name} int' for name in own)})")
    towns = {
        f"t{n}": (f"Town {n}", {name: n + 10 * i for i, name in enumerate(own)})
        for n in range(3, 9)
    }
    draw, match = Proposals(graph_of(schema, {"Town": towns})).draw, pattern("(n)", "Town")
    for template in ("n_order_by", "n_argmax", "n_where", "n_name_prop"):
        drawn = [draw(match, template, (*range(6),), stream(seed, "x")) for seed in range(20)]
        assert {result.property for result in drawn if result} == {"height"}
    drawn = [draw(match, "n_prop", (0,), stream(seed, "x")) for seed in range(40)]
    assert {result.property for result in drawn if result} >= {"zip_code", "latitude"}


def test_types_that_are_not_counted_are_listed(world, tasks, tmp_path):
    def counted(made: Sequence[Worded | CypherTask]) -> Counter[str]:
        found = Counter[str]()
        for match, result in ((task.query.match, task.query.result) for task in made):
            plain = result.aggregate == "count" and not result.property
            if result.template == "n_m0_group_by_count":
                found[match.nodes[1].type] += 1
            elif result.template == "union_count" or plain:
                found[match.nodes[0].type] += 1
        return found

    assert counted(tasks)["Person"] > 1
    maker = TaskMaker(world, Realism(draft_characteristics(world), uncounted=("Person",)))
    made = [task for template in MATCHES for task in islice(maker.tasks(template), 9)]
    assert counted(made)["Person"] == 0 < counted(made).total()
    assert any(task.query.match.nodes[0].type == "Person" for task in made)
    with pytest.raises(ConfigError, match=r"uncounted: no type or relation is 'Persom'; did you"):
        Build(load_recipe("cypher-demo", [(("cypher", "uncounted"), ["Persom"])]), tmp_path).run()


def test_what_was_dropped_is_counted() -> None:
    graph = _towns("Bree", "Carn")
    maker = TaskMaker(graph, Realism(draft_characteristics(graph)))
    assert not [*maker.tasks("(n)->(m0)"), *maker.tasks("(n)->(m0*) current")]
    assert maker.reason("(n)->(m0)") == "unnecessary leaf"
    assert maker.reason("(n)->(m0*) current") == "no relation of the schema fits"


def test_every_combination_of_types_and_relations_comes_once(world: PropertyGraph) -> None:
    rows = (row.signature for row in world.schema.relations)
    used = [signature for signature in rows if len(world.of_signature(*signature)[0])]
    bare = PatternSource(world, 0).bare
    assert sorted(_signatures(one)[0] for one in bare("(n)->(m0)")) == used
    chains = [tuple(_signatures(one)) for one in bare("(n)->(m0)->(m1*)")]
    assert sorted(chains) == [(a, b) for a in used for b in used if a[2] == b[0]]
    pairs = [frozenset(_signatures(one)) for one in bare("(n)->(m0*),(n)->(m1*)")]
    assert len(pairs) == len({*pairs})
    assert {*pairs} == {frozenset((a, b)) for a in used for b in used if a[0] == b[0]}


def test_patterns_around_triples_have_them_and_each_comes_once(world: PropertyGraph) -> None:
    wanted = [(e.subject, e.type, e.object) for e in world.edges if e.type == "lives_in"][:3]
    found = PatternSource(world, 0, wanted)
    asked = 0
    for template in ("(n)->(m0*)", "(n)->(m0)->(m1*)", "(n)->(m0*),(n)->(m1*)", "(n)<-(m0*)"):
        first = list(islice(found.bare(template), 2))
        assert any("lives_in" in bare.relations for bare in first)  # in turn with the others
        for bare in filter(found.wants, found.bare(template)):
            made = list(found.fixed(bare, around=True))
            assert len(made) == len({*made})
            for match in made:
                edges = [world.edges[at] for b in bindings(world, match) for at in b.edges.values()]
                assert {*wanted} & {(e.subject, e.type, e.object) for e in edges}
                asked += 1
    assert asked > 12


def _signatures(bare: MatchPattern) -> list[tuple[str, str, str]]:
    types = {variable: node.type for variable, node in bare.named.items()}
    return [(types[edge.subject], edge.relation, types[edge.object]) for edge in bare.edges]


@each("values", [(20, 30, 40), (7, 7, 8), (5, 5)])
def test_a_condition_holds_for_some_nodes_and_not_for_all(values: tuple[int, ...]) -> None:
    for seed in range(40):
        drawn = stream(seed, "condition")
        found = _condition(Property("age", "int"), values, drawn, names=False)
        assert (found is None) == (len({*values}) == 1)
        if found is not None:
            assert len({_HOLDS[found.operator](value, found.bound) for value in values}) == 2


def test_the_command_writes_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tasks.jsonl"
    assert main(["data", "graph", "demo", "--to", "tasks:per_template=1", "-o", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) == len(MATCHES) - 3
    assert len({row["id"] for row in rows}) == len(rows)
    assert rows[0].keys() >= {"id", "question", "cypher", "match", "return", "category", "answers"}
    assert f"{out}: {len(MATCHES) - 3} tasks" in capsys.readouterr().out
    for given, said in (("0", "0; expected a whole number from 1"), ("10001", "10001")):
        words = ["data", "graph", "demo", "--to", f"tasks:per_template={given}", "-o", str(out)]
        assert main(words) == 2
        assert f"per_template is {said}" in capsys.readouterr().err
