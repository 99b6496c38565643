from dataclasses import replace

import pytest

from rulemine.errors import UserError
from tests.kinds.rules.test_ask import ANN, KG, MARRIED, PHRASES, ask, seed_for, selection


@pytest.mark.parametrize("merge", [True, False])
def test_an_end_that_the_templates_do_not_ask_for_is_left_to_the_other_end(merge):
    for end, seed in (("object", seed_for("subject")), ("subject", seed_for("object"))):
        other = {"object": "subject", "subject": "object"}[end]
        templates = replace(PHRASES, unasked=frozenset({("wife", other)}))
        (q,) = ask(KG, selection(KG, MARRIED, ANN), templates, merge=merge, seed=seed).questions
        assert q.block.direction == end
    both = replace(PHRASES, unasked=frozenset({("wife", "subject"), ("wife", "object")}))
    with pytest.raises(UserError, match="its templates do not ask for this end"):
        ask(KG, selection(KG, MARRIED, ANN), both, merge=merge)
