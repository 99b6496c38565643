"""Rules are read back as they were written, and AMIE's own text is printed back as AMIE printed it."""

import json
import os
import random
import re
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.query.atom import Atom
from rulemine.rules.formats import (
    AMIE_COLUMNS,
    anyburl_line,
    format_amie,
    parse_amie_rule,
    parse_anyburl_rule,
    parse_readable,
    read_rules,
    rule_from_json,
    rule_to_json,
)
from rulemine.rules.rule import Measures, Rule
from tests import ROOT, each, some_seeds
from tests.rules.random_rules import random_rule

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
GOLDEN = DATA.parent / "amie" / "golden" / "family-3atoms.amie.txt"

HEADER = "\t".join(AMIE_COLUMNS)
LINE = "?b  wife  ?a   => ?a  husband  ?b\t0.5\t0.25\t0.5\t2\t8\t4\t?b"
ONE = Measures(1, 1, 1, 1, 0)


def with_measures(rng, rule):
    support = rng.randrange(1, 500)
    pca = support + rng.randrange(500)
    size, head = pca + rng.randrange(500), support + rng.randrange(5000)
    return Rule(rule.head, rule.body, Measures(support, size, pca, head, rng.randrange(2)))


@each("seed", some_seeds(10))
def test_rules_are_read_back_as_they_were_written(seed):
    rng = random.Random(seed)
    paths = 0
    for number in range(40):
        rule = random_rule(rng)
        rule = with_measures(rng, rule) if number % 2 else rule
        again = rule_from_json(json.loads(json.dumps(rule_to_json(rule))))
        assert (again, again.id) == (rule, rule.id)
        rule = with_measures(rng, random_rule(rng, constants=False))
        again = parse_amie_rule(format_amie([rule]).splitlines()[1])
        assert (again.measures, again.id) == (rule.measures, rule.id)
        assert [a.relation for a in again.body] == [a.relation for a in rule.body], "order is kept"
        assert parse_readable(str(rule)).id == rule.id
        if line := anyburl_line(rule):
            paths += 1
            assert parse_anyburl_rule(line.rstrip("\n")).id == rule.id
    assert paths > 3


def test_json_carries_relations_of_any_name(tmp_path):
    path = tmp_path / "rules.jsonl"
    names = "=>", "two  blanks", "r(x,y)", "∧", "a ∧ b", " ⇒ ", '"', "\\", "{topic}", "∧ r(x"
    rules = tuple(Rule(Atom(0, name, 1), (Atom(1, f"{name}2", 0),), ONE) for name in names)
    path.write_text("".join(json.dumps(rule_to_json(rule)) + "\n" for rule in rules))
    assert read_rules(path) == rules


def test_amie_text_carries_constants():
    rule = parse_amie_rule(LINE.replace("?b  wife  ?a", "?a  in  Rome  ?b  wife  ?a"))
    assert rule.body == (Atom(0, "in", "Rome"), Atom(1, "wife", 0))
    assert format_amie([rule]).splitlines()[1].startswith("?a  in  Rome  ?b  wife  ?a   => ")


def test_numbers_are_printed_as_amie_prints_them():
    table = {
        (1, 1): "1", (1, 2): "0.5", (1, 3): "0.333333333", (2, 3): "0.666666667",
        (1, 1024): "0.000976562",  # 0.0009765625 is exact in binary: half goes to even
        (3, 1024): "0.002929688",  # 0.0029296875 likewise
        (1, 3_000_000_000): "0", (2_999_999_999, 3_000_000_000): "1",
    }  # fmt: skip
    for (support, size), printed in table.items():
        rule = Rule(Atom(0, "r", 1), (Atom(1, "s", 0),), Measures(support, size, size, size, 0))
        assert format_amie([rule]).splitlines()[1].split("\t")[1:4] == [printed] * 3


@pytest.mark.skipif(not GOLDEN.exists(), reason=f"{GOLDEN} is not there; set RULEMINE_DATA")
def test_amie_output_is_printed_back_to_the_letter():
    printed = [line for line in GOLDEN.read_text("utf-8").splitlines() if "   => " in line]
    rules = read_rules(GOLDEN)
    assert len(rules) == len(printed) == 145
    again = format_amie(rules).splitlines()
    assert again[0] == HEADER
    for rule, line, ours in zip(rules, printed, again[1:], strict=True):
        text, *numbers, functional = line.split("\t")
        tokens = text.split()
        # Written with ?a and ?b in the head.
        expected = "?a" if functional == tokens[-3] else "?b"
        assert ours.split("\t")[1:] == [*numbers, expected]
        assert [a.relation for a in rule.body] == tokens[1:-4:3], "the printed order of the body"
        assert rule.head.relation == tokens[-2]


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_talk_of_amie_around_the_rules_is_skipped(tmp_path):
    before = "Loading files...", f"Starting the mining phase... {HEADER}", "Using 2 threads"
    after = "", "Mining done in 0 ms", "Total time 1 s", "1 rules mined."
    path = write(tmp_path / "rules.txt", *before, LINE, *after)
    assert [str(rule) for rule in read_rules(path)] == ["wife(y,x) ⇒ husband(x,y)"]


JSON = rule_to_json(Rule(Atom(0, "husband", 1), (Atom(1, "wife", 0),), Measures(2, 8, 4, 4, 1)))
OTHER = json.dumps(rule_to_json(Rule(Atom(0, "wife", 1), (Atom(1, "husband", 0),))))
GOOD = "?b  husband  ?a   => ?a  wife  ?b\t0.5\t0.25\t0.5\t2\t8\t4\t?b"
PATH = "8\t2\t0.25\twife(X,Y) <= husband(Y,X)"


def changed(**change):
    return json.dumps({name: value for name, value in (JSON | change).items() if value != "gone"})


BAD: list[tuple[str, str, str]] = [
    (GOOD, LINE + "\tx", "has 9 columns; expected 8"), (GOOD, LINE.replace("   => ", " -> "), "no ' => '"),
    (GOOD, LINE.replace("?b  wife  ?a", "?b  wife"), "atoms must be"),
    (GOOD, LINE.replace("?b  wife  ?a", "?b  wife  ?c"), r"\?a, \?c occur in one atom only"),
    (GOOD, LINE.replace("\t2\t8", "\tmany\t8"), "measure cannot be read"),
    (GOOD, LINE.replace("\t?b", "\t?z"), "measure cannot be read"),
    (GOOD, LINE.replace("\t2\t8\t4", "\t2\t4\t8"), "support ≤ PCA body size"),
    (GOOD, LINE.replace("\t0.5\t0.25", "\t0\t0.25"), "measure cannot be read"),
    (GOOD, LINE.replace("\t0.5\t0.25", "\t1.9\t0.25"), "support ≤ head size"),
    (GOOD, LINE.replace("\t0.25", "\t0.26"), "confidences do not match the counts"),
    (GOOD, LINE.replace("\t0.5\t0.25", "\tnan\t0.25"), "measure cannot be read"),
    (GOOD, LINE.replace("\t0.25\t0.5", "\t0.25\tnan"), "confidences do not"),
    (GOOD, LINE.replace("\t0.25\t0.5", "\tnan\t0.5"), "confidences do not"), (GOOD, "hello", "has 1 column;"),
    (GOOD, GOOD, "repeats the rule of line"), (OTHER, changed(head=["?a", "husband"]), "an atom is"),
    (OTHER, changed(head=["?a", 5, "?b"]), "an atom is"),
    (OTHER, changed(head=["a", "husband", "?b"]), "a term is"),
    (OTHER, changed(head=["?aa", "husband", "?b"]), "a term is"), (OTHER, changed(body=[]), "body is empty"),
    (OTHER, changed(body="x"), "an atom is"), (OTHER, changed(body=None), "is not a rule"),
    (OTHER, changed(support=0), "expected 0 < support"), (OTHER, changed(support=True), "integers"),
    (OTHER, changed(support=2.0), "integers"), (OTHER, changed(support=9), "support ≤"),
    (OTHER, changed(head_size=1), "support ≤"), (OTHER, changed(functional="?c"), "is not a rule"),
    (OTHER, changed(id="0" * 12), "is not that of the rule"),
    *((OTHER, changed(**{k: "gone"}), f"it has no '{k}'") for k in ("head", "body", "functional")),
    (PATH, "8\t2\t0.25\twife(X,c1) <= husband(X,A)", r"\?c occurs in one .*grep '\(X,Y\) <= '"),
    (PATH, "8\t2\t0.25\twife(X,c1) <= ", "is no atom"),
    (PATH, "8\t2\t0.25\twife(X,X) <= husband(X,A)", "one atom only"),
    (PATH, "8\t2\t0.25\twife(X,Y) <= husband Y,X", "is no atom")
]  # fmt: skip


def test_a_line_that_is_no_rule_is_named(tmp_path):
    wrong = []
    for good, line, expected in BAD:
        lines = [HEADER, good, line] if good == GOOD else ["", good, line]
        path = write(tmp_path / "rules", *lines)
        try:
            wrong.append((line, read_rules(path)))
        except InputError as problem:
            if not re.match(f"{path}: line 3:? .*{expected}", str(problem)):
                wrong.append((line, problem))
    assert not wrong


def test_missing_columns_and_no_rules_are_errors_and_all_bad_lines_are_named(tmp_path):
    path = tmp_path / "rules.txt"
    with pytest.raises(InputError, match=r"line 1: the header lacks Std Confidence.*-ostd"):
        read_rules(write(path, HEADER.replace("Std Confidence\t", ""), LINE))
    with pytest.raises(InputError, match="holds no rule"):
        read_rules(write(path, HEADER, "0 rules mined."))
    with pytest.raises(InputError, match=r"(?s)line 2: has 1 column.*line 4: has 2 column"):
        read_rules(write(path, HEADER, "one", LINE, "two\tthree"))


def test_a_variable_of_any_letter_can_be_read_and_shown():
    row = {"head": ["?a", "r", "?b"], "body": [["?a", "s", "?z"], ["?z", "s", "?b"]]}
    rule = rule_from_json(row)
    assert parse_readable(str(rule)).id == rule.id


def test_a_malformed_readable_rule_is_an_error():
    for text in (
        "", "r(x,y)", "r(x,y) ⇒ ", "r(x,y) ∧ s(x,y)", "r(x,y) ⇒ s(x,y) ⇒ t(x,y)", "r(X,y) ⇒ s(x,y)",
        "r(x,y) ⇒ s(x,y) and more", "r(x,z) ⇒ s(x,y)",
    ):  # fmt: skip
        with pytest.raises(InputError, match="rule "):
            parse_readable(text)


def line_of(rule):
    return anyburl_line(Rule(rule.head, rule.body, Measures(3, 4, 3, 6, 1)))


def test_lines_of_anyburl_are_paths_in_their_order():
    """The forms are those of PyClause's documentation (rule types), the numbers predictions and support."""
    rule = parse_readable("s(z,y) ∧ t(w,z) ∧ u(w,x) ⇒ r(x,y)")
    assert line_of(rule) == "4\t3\t0.75\tr(X,Y) <= u(A,X), t(A,B), s(B,Y)\n"
    one = Rule(Atom("ann", "r", 1), (Atom(2, "s", 1), Atom(2, "t", "bob, jr(x)")))
    for text, head, body in (
        ("r(X,ann) <= s(A,X), t(A,b,cc)", Atom(0, "r", "ann"), (Atom(2, "s", 0), Atom(2, "t", "b,cc"))),
        ("r(ann,Y) <= s(ann,Y)", Atom("ann", "r", 1), (Atom("ann", "s", 1),)),
        ("r(X,Y) <= s(Y,X)", Atom(0, "r", 1), (Atom(1, "s", 0),)),
    ):  # fmt: skip
        assert line_of(Rule(head, body)) == f"4\t3\t0.75\t{text}\n"
        assert parse_anyburl_rule(f"9\t9\t1.0\t{text}") == Rule(head, body)
    for text in ("s(x,y) ∧ t(x,y) ⇒ r(x,y)", "s(x,z) ∧ t(z,y) ∧ u(z,z) ⇒ r(x,y)"):
        assert line_of(parse_readable(text)) == "", "no path"
    assert line_of(Rule(Atom(0, "r", 1), (Atom(0, "s", "ann"), Atom(1, "t", "ann")))) == ""
    for rule in (one, Rule(Atom(0, "r(1)", 1), (Atom(1, "s", 0),))):
        with pytest.raises(InputError, match="--format jsonl"):
            line_of(rule)
    with pytest.raises(InputError, match="one character"):
        line_of(Rule(Atom("a", "r", 1), (Atom(1, "s", "bo"),)))


def test_amie_format_refuses_names_that_could_not_be_read_back():
    rule = Rule(Atom(0, "works  for", 1), (Atom(1, "pays", 0),), ONE)
    with pytest.raises(InputError, match="two blanks in a row"):
        format_amie([rule])
    assert format_amie([Rule(Atom(0, "works for", 1), (Atom(1, "pays", 0),), ONE)])
