"""Mined rules are a sequence of rules, text, and a table for who has pandas."""

import json
import random
import re
import sys
from collections.abc import Sequence

import pytest

from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine, miner, result
from rulemine.rules.formats import format_amie
from rulemine.rules.rule import Rule, classify

KG = KnowledgeGraph.from_triples(
    [(f"h{i}", "husband", f"w{i}") for i in range(4)] + [(f"w{i}", "wife", f"h{i}") for i in range(3)]
)  # fmt: skip


@pytest.fixture(scope="module")
def mined():
    return mine(KG, MiningOptions(max_atoms=2, min_initial_support=1))


def test_they_are_a_sequence(mined):
    assert isinstance(mined, Sequence)
    assert tuple(mined) == mined
    assert tuple(mined) == mined
    assert len(mined) == 2
    assert mined[-1] == mined[1] == list(mined)[1] != mined[0]
    assert mined[:] == tuple(mined)
    with pytest.raises(IndexError):
        mined[2]


def odd_graph(seed):
    """Few entities and many relations, some with names that JSON has to escape."""
    rng = random.Random(seed)
    relations = [
        "plain", 'in "quotes"', "back\\slash", "ünï ∧ code", "tab-free", "a.b/c", "⇒", "r(x,y)"
    ]  # fmt: skip
    entities = ["x", "?a", "O'Neil", 'a "b"', "back\\slash", "日本", "7", "=7"]
    return KnowledgeGraph.from_triples(
        (rng.choice(entities), rng.choice(relations), rng.choice(entities)) for _ in range(90)
    )


def lines_by_the_book(rules):
    """JSON Lines made of `Rule` objects, with nothing remembered from rule to rule."""

    def term(t):
        return "?" + "abcdefg"[t] if isinstance(t, int) else {"entity": t}

    rows = []
    for r in rules:
        fresh = Rule(r.head, r.body, r.measures)
        assert fresh.canonical_body == r.body
        kind, m = classify(fresh), fresh.known
        row = {
            "id": fresh.id, "rule": str(fresh), "type": kind.type, "subtype": kind.subtype,
            "head": [term(r.head.subject), r.head.relation, term(r.head.object)],
            "body": [[term(s), relation, term(o)] for s, relation, o in r.body],
            "head_coverage": m.head_coverage, "std_confidence": m.std_confidence,
            "pca_confidence": m.pca_confidence, "support": m.support, "body_size": m.body_size,
            "pca_body_size": m.pca_body_size, "head_size": m.head_size, "functional": term(m.functional)
        }  # fmt: skip
        rows.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    return "".join(rows)


@pytest.mark.parametrize(
    "options", [MiningOptions(3, 0.05, 0.05, 0.05, 1), MiningOptions(4, 0.3, 0.2, 0.2, 4),
    MiningOptions(3, 0.05, 0.05, 0.05, 1, constants=True)]
)  # fmt: skip
@pytest.mark.parametrize("in_memory", [0, 1 << 30])
def test_streamed_text_is_that_of_the_rules(options, in_memory, monkeypatch):
    monkeypatch.setattr(result, "BYTES_IN_MEMORY", in_memory)
    monkeypatch.setattr(result, "BLOCK", 3)
    rules = mine(odd_graph(options.max_atoms), options)
    assert len(rules) > 100
    assert list(rules) == [rules[i] for i in range(len(rules))]
    assert "".join(rules.text("jsonl")) == lines_by_the_book(rules)
    assert "".join(rules.text("amie")) == format_amie(rules)


def test_a_warning_above_many_rules_names_what_filters_nothing(monkeypatch):
    monkeypatch.setattr(miner, "MANY_RULES", 10)
    said: list[str] = []
    mine(odd_graph(1), MiningOptions(3, 0.01, 0.1, 0.1, 2), on_warning=said.append)
    (text,) = said
    assert "more than 10 rules" in text
    assert re.search(
        r"min_head_coverage 0.01 is reached by a single triple in 8 of the 8 head", text
    )
    assert "min_pca_confidence 0.1 is reached by every rule that reaches min_std_confidence" in text
    assert "min_initial_support 2 is reached by every relation" in text
    assert "min_std_confidence is 0" not in text
    said.clear()
    mine(odd_graph(1), MiningOptions(3, 0.2, 0.1, 0.2, 10), on_warning=said.append)
    assert said == ["more than 10 rules; every threshold filters some. Raise one of them."]
    monkeypatch.setattr(miner, "MANY_RULES", 10**7)
    mine(odd_graph(1), MiningOptions(3, 0.01, 0.1, 0.1, 2), on_warning=pytest.fail)


def test_the_table_has_every_measure(mined):
    table = mined.to_pandas()
    assert table["id"].tolist() == [rule.id for rule in mined]
    assert table["head"].tolist() == ["husband", "wife"]
    assert table["atoms"].tolist() == [2, 2]
    assert table["support"].tolist() == [3, 3]
    assert table["body_size"].tolist() == [3, 4]
    assert table["pca_body_size"].tolist() == [3, 3]
    assert table["head_coverage"].tolist() == [0.75, 1.0]
    assert table["functional"].tolist() == ["?a", "?a"]


def test_no_rules(mined):
    none = mine(KG, MiningOptions(min_initial_support=99))
    assert none == ()
    assert not none
    assert list(none.to_pandas().columns) == list(mined.to_pandas().columns)


def test_without_pandas_it_says_what_to_install(mined, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"pip install 'rulemine\[pandas\]'"):
        mined.to_pandas()
