from types import SimpleNamespace
from typing import Any

import pytest

from rulemine.cypher.questions.grades import LostRow
from rulemine.kg.graph import Triple
from rulemine.kinds.cypher.ask import _Grading

A, B, STAYS = ("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d")


@pytest.mark.parametrize(
    ("witness", "core"),
    [((A,), True), ((A, STAYS), True), ((A, B), False), ((B,), False), ((STAYS,), False)],
)
def test_a_row_is_of_the_core_where_all_that_it_lacks_is(
    witness: tuple[Triple, ...], core: bool
) -> None:
    maker: Any = SimpleNamespace(removed={A, B}, core={A})
    assert _Grading.hard(maker, LostRow("row", 1, 100, witness)).core is core
