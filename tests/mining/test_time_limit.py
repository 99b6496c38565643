"""A run with a time limit ends with the head relations that are finished, and says which are not."""

import re

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, TimeLimit, mine
from tests import each

ROWS = [(f"e{i}", f"r{i * j % 5}", f"e{i * i % 7}") for i in range(12) for j in range(1, 6)]
KG = KnowledgeGraph.from_triples(ROWS)
LOOSE = MiningOptions(3, 0.01, 0.01, 0.01, min_initial_support=1)


@pytest.mark.parametrize("form", ["jsonl", "amie"])
def test_a_limit_of_time(here, command, monkeypatch, form):
    """The clock stands still while mining, and runs out when half of the rules are written."""
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "--format", form, "-o", "out")
    assert command(*words).status == 0
    whole = (here / "out").read_text()
    begin = whole.index("\n") + 1 if form == "amie" else 0
    monkeypatch.setattr(TimeLimit, "SECONDS_PER_RULE", 0.0)
    monkeypatch.setattr(TimeLimit, "left", lambda _, rules=0: next(left) if rules else 1.0)
    left = iter([0.5, 0.2, *[-0.1] * 99])
    ended = command(*words, "--limit-seconds", "9")
    assert ended.status == 3
    found = (here / "out").read_text()
    assert begin < len(found) < len(whole)
    assert whole.startswith(found), "whole head relations, in order"
    first = re.search(r"incomplete: ended after 9 s; no rules yet for [^:]+: (\w+),", ended.err)
    assert first
    head = rf"(⇒ |=> \?a  ){first[1]}\b"
    assert re.search(head, whole)
    assert not re.search(head, found)
    left = iter([1.0] * 99)
    assert command(*words).status == 0
    assert (here / "out").read_text() == whole
    assert {path.name for path in here.iterdir()} - {"no-cache"} == {"kg.tsv", "rules.txt", "out"}


@each(("form", "lines"), [("jsonl", 0), ("amie", 1)])
def test_a_limit_covers_reading_and_without_rules_the_output_is_empty(here, command, form, lines):
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "--format", form)
    ended = command(*words, "--limit-seconds", "0", "-o", "out")
    assert (ended.status, ended.out) == (3, "")
    assert (here / "out").read_text().count("\n") == lines
    assert "no rules yet for 5 head relations: child, father, husband, mother, wife." in ended.err
    assert command(*words, "--limit-seconds", "0").out == (here / "out").read_text()


def test_time_to_write_is_set_aside_while_mining():
    now = 0.0
    limit = TimeLimit(10.0, lambda: now)
    assert limit.left() == 10.0
    assert limit.left(500_000) == pytest.approx(5.0)
    now = 7.0
    assert limit.left() == 3.0
    assert limit.left(500_000) < 0
    assert TimeLimit(None).left(10**9) > 10**9


def test_a_miner_out_of_time_names_what_is_not_finished():
    none = mine(KG, LOOSE, Resources(limit_seconds=0))
    assert len(none) == 0
    assert none.unfinished == KG.relations


def test_limits_that_are_none(here, command):
    for seconds in ("-1", "nan", "inf"):
        ended = command("mine", "kg.tsv", "--limit-seconds", seconds)
        assert ended.status == 2
        assert "limit_seconds is" in ended.err
    ended = command("mine", "kg.tsv", "--min-initial-support", "1", "--limit-seconds", "600")
    assert ended.status == 0
