"""Tasks for what a release lacks: their triples make a question of the wanted cell, or of the core."""

from typing import Any

import numpy as np
import pytest

from rulemine.kinds.asking import Asking
from rulemine.kinds.subgraphs.ask import PATIENCE, Aim, Aimer, SubgraphEngine
from rulemine.kinds.subgraphs.listed import is_listed
from rulemine.kinds.written.candidate import Task
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of
from rulemine.query.tree import Query
from rulemine.recipe.joins import Joins
from tests.kinds.subgraphs.test_ask import WORLD, inputs_of

KNOWN = frozenset(WORLD.kg.relations[:3])


@pytest.fixture(scope="module")
def aimer() -> Aimer:
    return SubgraphEngine(Asking(inputs_of(), WORLD.selection)).aimer


def tasks(aimer: Aimer, aim: Aim) -> list[Task]:
    found = (aimer.task(number, aim) for number in range(30))
    return [task for task in found if task is not None]


def query_of(task: Task) -> Query:
    kg: Any = WORLD.kg
    return query_of_triples(kg.labeled(np.array(task.given)), kg.entities[task.answer])


def shape_of(task: Task) -> str:
    return structure_of(query_of(task), WORLD.declarations).shape


@pytest.mark.parametrize(
    "cell", [("id", "(1)"), ("urt", "(2)"), ("ugt", "(2)(2)"), ("urt", "(2)(1)")]
)
def test_a_task_is_of_the_cell_that_lacks_questions(aimer: Aimer, cell: tuple[str, str]) -> None:
    made = tasks(aimer, Aim(False, (cell,), KNOWN, frozenset()))
    assert made
    for task in made:
        assert shape_of(task) == cell[1]
        assert len(task.given) == task.atoms
        assert {*task.given} <= {*task.subgraph.rows}
        names = {r for _, r, _ in WORLD.kg.labeled(np.array(task.given))}
        if cell[0] != "ugt":
            assert (names <= KNOWN) == (cell[0] == "id")


def test_a_task_for_the_core_has_a_removed_triple_of_the_core(aimer: Aimer) -> None:
    core = {*WORLD.selection.head[WORLD.selection.core].tolist()}
    made = tasks(aimer, Aim(True, (), frozenset(WORLD.kg.relations), frozenset()))
    assert made
    assert all(core & {*task.given} for task in made)


def test_a_cell_that_gives_nothing_may_be_contrived_and_then_is_given_up(aimer: Aimer) -> None:
    cell = ("ugt", "(1)(1)(1)(1)")
    everything = Aim(False, (cell,), KNOWN, frozenset())
    aimer._graded = lambda query: "nothing can be asked"
    lifted: list[str] = []
    aimer._lift = lambda shape: shape not in lifted and not lifted.append(shape)
    for number in range(2 * PATIENCE):
        assert not aimer.gives_up(cell)
        assert lifted == [cell[1]] * (number >= PATIENCE)
        assert aimer.task(number, everything) is None
    assert aimer.gives_up(cell)


def test_a_list_of_joins_comes_first_though_it_gave_too_little_before() -> None:
    links = [(relation, inverse) for relation in WORLD.kg.relations for inverse in (False, True)]
    some, empty = frozenset((one, links[0]) for one in links), frozenset[Any]()
    given, cell = inputs_of(), ("urt", "(2)")
    for after, share in ((some, 1), (empty, 0)):
        given.joins = joins = Joins(after, after, empty, empty, empty, empty, empty)
        aimer = SubgraphEngine(Asking(given, WORLD.selection)).aimer
        aimer._unlisted.add(cell)
        made = tasks(aimer, Aim(False, (cell,), KNOWN, frozenset()))
        listed = sum(is_listed(query_of(task), joins, WORLD.declarations) for task in made)
        assert made
        assert listed == share * len(made)
