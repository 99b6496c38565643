from types import SimpleNamespace
from typing import Any

from rulemine.verify.removals import _is_core


def test_a_triple_is_of_the_core_where_both_its_answers_are_rare() -> None:
    complete = SimpleNamespace(between=lambda _s, _o: [])
    removals: Any = SimpleNamespace(
        contents=SimpleNamespace(complete=complete), removed={}, brink=False
    )
    record: Any = SimpleNamespace(row={"directions": ["subject", "object"]}, level=100)
    for prior, core in ((0.05, True), (0.06, False)):
        priors = {"subject": prior, "object": 0.01}
        assert _is_core(("a", "r", "b"), record, priors, removals) is core
