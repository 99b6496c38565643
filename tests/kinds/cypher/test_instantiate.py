"""Tasks: each template that a graph can have, rows, texts and ids."""

import datetime
import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from rulemine.cli.main import main
from rulemine.cypher import MatchPattern, PatternNode, evaluate, to_cypher
from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.errors import ConfigError
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import EntityType, Property, RelationType, Schema
from rulemine.kinds.cypher import instances, instantiate
from rulemine.kinds.cypher.instances import Instances, bare_patterns
from rulemine.kinds.cypher.instantiate import CypherTask, Tally, make_tasks, task_row
from rulemine.kinds.cypher.realism import draft_characteristics
from rulemine.kinds.cypher.returns import _HOLDS, Proposals, _condition, outward, returns_for
from rulemine.kinds.cypher.words.names import number_text
from rulemine.seeds import stream


@pytest.fixture(scope="module")
def world() -> PropertyGraph:
    return load_property_graph("demo")


@pytest.fixture(scope="module")
def tasks(world: PropertyGraph) -> list[CypherTask]:
    return list(make_tasks(world, draft_characteristics(world), per_template=9))


def test_the_demo_has_every_template_in_equal_numbers(tasks: list[CypherTask]) -> None:
    by_template = Counter(task.query.match.template for task in tasks)
    # People to whom those with whom somebody shares a relation lead are mostly next to that one.
    assert 0 < by_template.pop("(n)->(m0)<-(m1*) by n") < 9
    assert by_template == dict.fromkeys(by_template, 9)
    assert len(by_template) == len(MATCHES) - 1
    assert {task.query.result.template for task in tasks} == set(RETURNS)
    in_turn = Counter(
        task.query.result.template for task in tasks if task.query.match.template == "(n)->(m0*)"
    )
    assert in_turn == dict.fromkeys(returns_for(CATEGORIES["(n)-(m0*)"]), 1)


def test_rows_are_the_evaluator_s_and_not_empty(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
    for task in tasks:
        assert task.rows == evaluate(world, task.query)
        assert task.rows.rows
        assert task.cypher == to_cypher(task.query)
        if task.query.match.category.form == "union" or task.query.match.category.basic:
            assert all(None not in row for row in task.rows.rows)


def test_names_and_values_stand_in_the_texts_as_they_are(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
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


def test_nobody_asks_for_nodes_by_what_only_they_have(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
    asked = 0
    for task in tasks:
        result, type_ = task.query.result, task.query.match.nodes[0].type
        if result.operator in ("=", "<>") and isinstance(result.bound, str):
            values = world.values(result.property)
            known = [values[n] for n in world.of_type(type_) if values[n] is not None]
            assert 2 * len(set(known)) <= len(known), task.question
            asked += 1
    assert asked


def test_distinct_values_are_several_and_what_is_subtracted_is_less(
    tasks: list[CypherTask],
) -> None:
    seen = Counter[str]()
    for task in tasks:
        returned = task.query.result.template
        seen[returned] += 1
        if returned in ("n_prop_distinct", "n_prop_array_distinct"):
            assert len(task.rows.rows) > 1, task.question
        elif returned == "comparison_arithmetic":
            assert not str(task.rows.rows[0][0]).startswith("-"), task.question
    assert min(seen["n_prop_distinct"], seen["comparison_arithmetic"]) > 0


def test_a_union_is_of_one_relation_where_it_can_be(tasks: list[CypherTask]) -> None:
    alike = [t.query.match for t in tasks if t.query.match.category.form == "union"]
    assert len({match.template for match in alike}) == 3
    assert all(
        len(set(m.relations)) == 1 for m in alike if m.template != "(n)->(m0*) or (n)<-(m1*)"
    )


def test_ids_depend_on_the_query_and_the_order_of_input_on_nothing(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
    turned = PropertyGraph(world.schema, world.nodes[::-1], world.edges[::-1])
    other, again = (
        list(make_tasks(graph, draft_characteristics(graph), per_template=2, seed=1))
        for graph in (world, turned)
    )
    assert list(map(task_row, again)) == list(map(task_row, other))
    ids = {task.id: task.cypher for task in tasks}
    assert len(ids) == len(tasks)
    assert all(ids.get(task.id, task.cypher) == task.cypher for task in other)
    assert len(ids.keys() & {task.id for task in other}) < len(other) / 2


def _towns(*names: str) -> PropertyGraph:
    """People who live in towns; the last person in the first town."""
    schema = Schema(
        "towns",
        (EntityType("Town", (Property("people", "int"),)), EntityType("Person")),
        (RelationType("lives_in", "Person", "Town"),),
    )
    towns = [
        GraphNode(f"t{at}", "Town", name, {"people": 1234 * (at + 1)})
        for at, name in enumerate(names)
    ]
    people = [GraphNode(f"p{at}", "Person", f"P{at}") for at in range(len(names) + 1)]
    edges = [
        GraphEdge(f"e{at}", "lives_in", f"p{at}", f"t{at % len(names)}")
        for at in range(len(people))
    ]
    return PropertyGraph(schema, towns + people, edges)


def test_nodes_of_one_name_are_told_apart_in_query_and_text() -> None:
    graph = _towns("Bree", "Bree", 'A "q" \\ b')
    made = [
        task
        for task in make_tasks(graph, {}, per_template=9)
        if task.query.match.template == "(n)->(m0*)" and task.query.result.template == "n_name"
    ]
    said = {task.question: task.rows.rows for task in made}
    assert said == {
        "Who lives in Bree (t0)?": [("P0",), ("P3",)],
        "Who lives in Bree (t1)?": [("P1",)],
        'Who lives in A "q" \\ b?': [("P2",)],
    }
    assert {'{id: "t0"}' in t.cypher or '{id: "t1"}' in t.cypher for t in made[:3]} == {True, False}


def test_no_query_is_two_tasks_where_patterns_run_out() -> None:
    made = list(make_tasks(_towns("Bree", "Carn", "Dale"), {}, per_template=9))
    assert 9 < len(made) == len({task.cypher for task in made}) == len({task.id for task in made})


@pytest.mark.parametrize(("most", "left_out"), [(2, 0), (1, 1)])
def test_a_pattern_with_too_many_rows_is_left_out(
    monkeypatch: pytest.MonkeyPatch, most: int, left_out: int
) -> None:
    monkeypatch.setattr(instantiate, "MOST_ROWS", most)
    tally = Tally()
    made = [
        task
        for task in make_tasks(_towns("Bree", "Carn"), {}, tally=tally)
        if task.query.match.template == "(n)->(m0*)" and task.query.result.template == "n_name"
    ]
    assert len(made) == 2 - left_out  # two people live in Bree, one in Carn
    assert max(len(task.rows.rows) for task in made) == most
    assert tally["(n)->(m0*)", "too many rows"] == left_out


def test_a_hub_is_looked_at_without_making_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    types = EntityType("Package"), EntityType("Section")
    relations = (
        RelationType("needs", "Package", "Package"),
        RelationType("in", "Package", "Section"),
    )
    nodes = [GraphNode(f"p{at:03}", "Package", f"P{at}") for at in range(400)]
    nodes += [GraphNode(f"s{at}", "Section", f"S{at}") for at in range(4)]
    ends = [("needs", at, 0) for at in range(1, 400)] + [("needs", at, at + 1) for at in range(300)]
    ends += [("in", at, 400 + at % 4) for at in range(400)]
    edges = [
        GraphEdge(f"e{number:04}", relation, nodes[one].id, nodes[other].id)
        for number, (relation, one, other) in enumerate(ends)
    ]
    graph = PropertyGraph(Schema("packages", types, relations), nodes, edges)
    for module in (instances, instantiate):
        monkeypatch.setattr(module, "bindings", lambda *_, **__: pytest.fail("rows were made"))
    made = list(make_tasks(graph, draft_characteristics(graph), per_template=5))
    assert any("P0" in task.question for task in made)
    assert "(n)->(m0)->(m1*)" in {task.query.match.template for task in made}


def test_an_arm_of_a_union_that_holds_the_other_is_not_asked_for() -> None:
    graph = load_property_graph("demo")
    for bare in bare_patterns(graph, "(n)->(m0*) or (n)->(m1*)"):
        for match in islice(Instances(graph, 0).of(bare), 1):
            both = [
                {end for _, end in graph.leading_in(graph.named(node.type, node.name)[0], relation)}
                for node, relation in zip(match.nodes[1:], match.relations, strict=True)
                if node.id is None and node.name is not None
            ]
            if len(both) == 2:
                assert both[0] - both[1]
                assert both[1] - both[0]


@pytest.mark.parametrize(
    ("value", "operator", "bound"),
    [(1_234_567, "<", 1_300_000), (1_234_567, ">", 1_200_000), (87, "<=", 87), (0.1278, ">=", 0.12),
     (-345, ">", -350), (-345, "<", -340), (0.0, "<", 0.0), (99.5, "<", 100.0)],
)  # fmt: skip
def test_bounds_are_rounded_outward(value: float, operator: str, bound: float) -> None:
    assert outward(value, operator) == bound
    assert type(outward(value, operator)) is type(value)


def test_one_n_is_not_sorted_nor_counted() -> None:
    graph = _towns("Bree", "Carn")
    match = MatchPattern("(n)", (PatternNode("Town"),))
    draw = Proposals(graph).draw
    for template in ("n_order_by", "n_argmax", "n_where", "n_agg"):
        assert draw(match, template, (0,), stream(0, "x")) is None
    assert draw(match, "n_prop_distinct", (2, 3), stream(0, "x")) is None


def test_few_share_something_with_the_node_named(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
    shared = [
        task
        for task in tasks
        if task.query.match.template.endswith("by n") and len(set(task.query.match.relations)) == 1
    ]
    for task in shared:
        size = len(world.of_type(task.query.match.nodes[0].type))
        assert len(task.rows.rows) <= size / 4, task.question


def test_codes_coordinates_and_names_are_only_looked_up() -> None:
    own = tuple(Property(name, "int") for name in ("zip_code", "latitude", "nameCount", "height"))
    schema = Schema("places", (EntityType("Town", own),), ())
    nodes = [
        GraphNode(f"t{n}", "Town", f"Town {n}", {p.name: n + 10 * i for i, p in enumerate(own)})
        for n in range(3, 9)
    ]
    graph = PropertyGraph(schema, nodes, [])
    match = MatchPattern("(n)", (PatternNode("Town"),), ())
    draw, answers = Proposals(graph).draw, tuple(range(6))
    for template in ("n_order_by", "n_argmax", "n_where", "n_name_prop"):
        drawn = [draw(match, template, answers, stream(seed, "x")) for seed in range(20)]
        assert {result.property for result in drawn if result} == {"height"}
    drawn = [draw(match, "n_prop", answers[:1], stream(seed, "x")) for seed in range(40)]
    assert {result.property for result in drawn if result} >= {"zip_code", "latitude"}


def test_types_that_are_not_counted_are_listed(
    world: PropertyGraph, tasks: list[CypherTask]
) -> None:
    def counted(made: list[CypherTask]) -> Counter[str]:
        found = Counter[str]()
        for match, result in ((task.query.match, task.query.result) for task in made):
            if result.template == "n_m0_group_by_count":
                found[match.nodes[1].type] += 1
            elif result.template == "union_count" or (
                result.aggregate == "count" and not result.property
            ):
                found[match.nodes[0].type] += 1
        return found

    assert counted(tasks)["Person"] > 1
    rows = draft_characteristics(world)
    made = list(make_tasks(world, rows, per_template=9, uncounted=("Person",)))
    found = counted(made)
    assert found["Person"] == 0 < found.total()
    assert any(task.query.match.nodes[0].type == "Person" for task in made)
    with pytest.raises(ConfigError, match=r"cypher\.uncounted: no type is 'Persom'; did you mean"):
        list(make_tasks(world, rows, uncounted=("Persom",)))


def test_what_was_dropped_is_counted_and_bounds_of_options_are_said() -> None:
    graph, tally = _towns("Bree", "Carn"), Tally()
    list(make_tasks(graph, draft_characteristics(graph), tally=tally))
    assert tally["(n)->(m0)", "unnecessary leaf"] == 1
    assert tally["(n)->(m0*) current", "patterns"] == 0
    with pytest.raises(ConfigError, match="per_template is 0; expected at least 1"):
        list(make_tasks(graph, {}, per_template=0))


def test_the_command_writes_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tasks.jsonl"
    assert main(["graph", "tasks", "demo", "--per-template", "1", "-o", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) == len(MATCHES)
    assert rows[0].keys() >= {"id", "question", "cypher", "match", "return", "category", "answers"}
    assert f"{out}: {len(MATCHES)} tasks" in capsys.readouterr().out


def test_only_the_largest_relations_are_joined(
    world: PropertyGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, one = "(n)->(m0)->(m1*)", "(n)->(m0)"
    assert chain in MATCHES
    rows = world.schema.relations
    monkeypatch.setattr(instances, "MOST_SIGNATURES", 3)
    sizes = sorted((len(world.of_signature(*row.signature)[0]) for row in rows), reverse=True)
    joined = {name for bare in bare_patterns(world, chain) for name in bare.relations}
    largest = {row.label for row in rows if len(world.of_signature(*row.signature)[0]) >= sizes[2]}
    assert joined <= largest
    assert {bare.relations[0] for bare in bare_patterns(world, one)} == {row.label for row in rows}


def test_of_many_combinations_some_are_taken_evenly_and_half_are_wanted(
    world: PropertyGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = "(n)->(m0)<-(m1*)"
    every = list(bare_patterns(world, chain))
    first = every[0]
    wanted = (first.nodes[0].type, first.relations[0], first.nodes[1].type)
    having = [bare for bare in every if wanted in _signatures(bare)]
    assert len(having) > 3
    assert len(every) - len(having) > 3
    monkeypatch.setattr(instances, "MOST_PATTERNS", 6)
    some = list(bare_patterns(world, chain, {wanted}))
    assert len(some) == 6
    assert sum(bare in having for bare in some) == 3
    assert some == [bare for bare in every if bare in some]
    others = [bare for bare in every if bare not in having]
    at = [others.index(bare) for bare in some if bare in others]
    assert at == [number * len(others) // 3 for number in range(3)]


def _signatures(bare: MatchPattern) -> set[tuple[str, str, str]]:
    types = {variable: node.type for variable, node in bare.named.items()}
    return {(types[edge.subject], edge.relation, types[edge.object]) for edge in bare.edges}


@pytest.mark.parametrize("values", [(20, 30, 40), (7, 7, 8), (5, 5)])
def test_a_condition_holds_for_some_nodes_and_not_for_all(values: tuple[int, ...]) -> None:
    for seed in range(40):
        drawn = stream(seed, "condition")
        found = _condition(Property("age", "int"), values, drawn, names=False)
        assert (found is None) == (len({*values}) == 1)
        if found is not None:
            assert len({_HOLDS[found.operator](value, found.bound) for value in values}) == 2
