"""Rules are read back as they were written, and AMIE's own text is printed back as AMIE printed it."""

import json
import os
import random
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.query.atom import Atom
from rulemine.rules.formats import (
    AMIE_COLUMNS,
    format_amie,
    parse_amie_rule,
    parse_readable,
    read_rules,
    rule_from_json,
    rule_to_json,
)
from rulemine.rules.rule import Measures, Rule
from tests import ROOT, some_seeds
from tests.rules.random_rules import random_rule

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
GOLDEN = DATA.parent / "amie" / "golden" / "family-3atoms.amie.txt"

HEADER = "\t".join(AMIE_COLUMNS)
LINE = "?b  wife  ?a   => ?a  husband  ?b\t0.5\t0.25\t0.5\t2\t8\t4\t?b"


def random_measures(rng: random.Random) -> Measures:
    support = rng.randrange(1, 500)
    pca = support + rng.randrange(500)
    return Measures(
        support, pca + rng.randrange(500), pca, support + rng.randrange(5000), rng.randrange(2)
    )


def with_measures(rng: random.Random, rule: Rule) -> Rule:
    return Rule(rule.head, rule.body, random_measures(rng))


@pytest.mark.parametrize("seed", some_seeds(40))
def test_json_round_trip(seed: int) -> None:
    rng = random.Random(seed)
    rule = random_rule(rng)
    if seed % 2:
        rule = with_measures(rng, rule)
    again = rule_from_json(json.loads(json.dumps(rule_to_json(rule))))
    assert again == rule
    assert again.id == rule.id


@pytest.mark.parametrize("seed", some_seeds(40))
def test_amie_round_trip(seed: int) -> None:
    rng = random.Random(seed)
    rule = with_measures(rng, random_rule(rng, constants=False))
    again = parse_amie_rule(format_amie([rule]).splitlines()[1])
    assert again.measures == rule.measures
    assert again.id == rule.id
    assert [a.relation for a in again.body] == [a.relation for a in rule.body], "order is kept"


@pytest.mark.parametrize("seed", some_seeds(40))
def test_readable_round_trip(seed: int) -> None:
    rule = random_rule(random.Random(seed), constants=False)
    assert parse_readable(str(rule)).id == rule.id


@pytest.mark.parametrize(
    "relation", ["=>", "two  blanks", "r(x,y)", "∧", "a ∧ b", " ⇒ ", '"', "\\", "{topic}", "∧ r(x"]
)
def test_json_carries_relations_of_any_name(tmp_path: Path, relation: str) -> None:
    rule = Rule(Atom(0, relation, 1), (Atom(1, f"{relation}2", 0),), Measures(1, 1, 1, 1, 0))
    path = tmp_path / "rules.jsonl"
    path.write_text(json.dumps(rule_to_json(rule)) + "\n")
    assert read_rules(path) == (rule,)


def test_amie_text_carries_constants() -> None:
    rule = parse_amie_rule(LINE.replace("?b  wife  ?a", "?a  in  Rome  ?b  wife  ?a"))
    assert rule.body == (Atom(0, "in", "Rome"), Atom(1, "wife", 0))
    assert format_amie([rule]).splitlines()[1].startswith("?a  in  Rome  ?b  wife  ?a   => ")


@pytest.mark.parametrize(
    ("support", "size", "printed"),
    [
        (1, 1, "1"),
        (1, 2, "0.5"),
        (1, 3, "0.333333333"),
        (2, 3, "0.666666667"),
        (1, 1024, "0.000976562"),  # 0.0009765625 is exact in binary: half goes to even
        (3, 1024, "0.002929688"),  # 0.0029296875 likewise
        (1, 3_000_000_000, "0"),
        (2_999_999_999, 3_000_000_000, "1"),
    ],
)
def test_numbers_are_printed_as_amie_prints_them(support: int, size: int, printed: str) -> None:
    rule = Rule(Atom(0, "r", 1), (Atom(1, "s", 0),), Measures(support, size, size, size, 0))
    assert format_amie([rule]).splitlines()[1].split("\t")[1:4] == [printed] * 3


@pytest.mark.skipif(not GOLDEN.exists(), reason=f"{GOLDEN} is not there; set RULEMINE_DATA")
def test_amie_output_is_printed_back_to_the_letter() -> None:
    text = GOLDEN.read_text("utf-8")
    printed = [line for line in text.splitlines() if "   => " in line]
    rules = read_rules(GOLDEN)
    assert len(rules) == len(printed) == 145
    again = format_amie(rules).splitlines()
    assert again[0] == HEADER
    assert [line.split("\t")[1:] for line in again[1:]] == [
        [*line.split("\t")[1:-1], variable(line)] for line in printed
    ]
    for rule, line in zip(rules, printed, strict=True):
        tokens = line.split("\t")[0].split()
        assert [a.relation for a in rule.body] == tokens[1:-4:3], "the printed order of the body"
        assert rule.head.relation == tokens[-2]


def variable(line: str) -> str:
    """The functional variable of a line of AMIE, as if the head were written with ?a and ?b."""
    text, *_, functional = line.split("\t")
    return "?a" if functional == text.split()[-3] else "?b"


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_talk_of_amie_around_the_rules_is_skipped(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rules.txt",
        "Loading files...",
        f"Starting the mining phase... {HEADER}",
        "Using 2 threads",
        LINE,
        "",
        "Mining done in 0 ms",
        "Total time 1 s",
        "1 rules mined.",
    )
    assert [str(rule) for rule in read_rules(path)] == ["wife(y,x) ⇒ husband(x,y)"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (LINE + "\tx", r"line 3: has 9 columns; expected 8"),
        (LINE.replace("   => ", " -> "), "no ' => '"),
        (LINE.replace("?b  wife  ?a", "?b  wife"), "atoms must be"),
        (LINE.replace("?b  wife  ?a", "?b  wife  ?c"), r"\?a, \?c occur in one atom only"),
        (LINE.replace("\t2\t8", "\tmany\t8"), "measure cannot be read"),
        (LINE.replace("\t?b", "\t?z"), "measure cannot be read"),
        (LINE.replace("\t2\t8\t4", "\t2\t4\t8"), "positive examples ≤ PCA body size"),
        (LINE.replace("\t0.25", "\t0.26"), "confidences do not match the counts"),
        (LINE.replace("\t0.5\t0.25", "\tnan\t0.25"), "coverage nan"),
        (LINE.replace("\t0.25\t0.5", "\t0.25\tnan"), "confidences do not"),
        (LINE.replace("\t0.25\t0.5", "\tnan\t0.5"), "confidences do not"),
        ("hello", "has 1 column;"),
    ],
)
def test_a_malformed_line_of_amie_is_named(tmp_path: Path, line: str, expected: str) -> None:
    good = "?b  husband  ?a   => ?a  wife  ?b\t0.5\t0.25\t0.5\t2\t8\t4\t?b"
    path = write(tmp_path / "rules.txt", HEADER, good, line)
    with pytest.raises(InputError, match=expected) as caught:
        read_rules(path)
    assert str(caught.value).startswith(f"{path}: line 3: ")


JSON = rule_to_json(Rule(Atom(0, "husband", 1), (Atom(1, "wife", 0),), Measures(2, 8, 4, 4, 1)))

OTHER = rule_to_json(Rule(Atom(0, "wife", 1), (Atom(1, "husband", 0),)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"head": ["?a", "husband"]}, "an atom is"),
        ({"head": ["?a", 5, "?b"]}, "an atom is"),
        ({"head": ["a", "husband", "?b"]}, "a term is"),
        ({"head": ["?aa", "husband", "?b"]}, "a term is"),
        ({"body": []}, "body is empty"),
        ({"body": "x"}, "an atom is"),
        ({"body": None}, "is not a rule"),
        ({"support": 0}, "positive integers"),
        ({"support": True}, "positive integers"),
        ({"support": 2.0}, "positive integers"),
        ({"functional": "?c"}, "is not a rule"),
        ({"id": "0" * 12}, "is not that of the rule"),
        ({"support": 9}, "support ≤"),
        ({"head_size": 1}, "support ≤"),
    ],
)
def test_a_malformed_json_rule_is_named(
    tmp_path: Path, change: dict[str, object], expected: str
) -> None:
    path = write(tmp_path / "rules.jsonl", json.dumps(OTHER), json.dumps(JSON | change))
    with pytest.raises(InputError, match=expected) as caught:
        read_rules(path)
    assert str(caught.value).startswith(f"{path}: line 2: ")


def test_a_missing_field_of_a_json_rule_is_named(tmp_path: Path) -> None:
    for key in ("head", "body", "body_size", "functional"):
        row = {k: v for k, v in JSON.items() if k != key}
        with pytest.raises(InputError, match=f"line 1: is not a rule: it has no '{key}'"):
            read_rules(write(tmp_path / "rules.jsonl", json.dumps(row)))


def test_a_variable_of_any_letter_can_be_read_and_shown() -> None:
    row = {"head": ["?a", "r", "?b"], "body": [["?a", "s", "?z"], ["?z", "s", "?b"]]}
    rule = rule_from_json(row)
    assert parse_readable(str(rule)).id == rule.id


def test_repeated_rules_and_missing_columns_and_no_rules_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    with pytest.raises(InputError, match="line 3 repeats the rule of line 2"):
        read_rules(write(path, HEADER, LINE, LINE))
    with pytest.raises(InputError, match=r"line 1: the header lacks Std Confidence.*-ostd"):
        read_rules(write(path, HEADER.replace("Std Confidence\t", ""), LINE))
    with pytest.raises(InputError, match="holds no rule"):
        read_rules(write(path, HEADER, "0 rules mined."))


def test_all_bad_lines_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_rules(write(tmp_path / "rules.txt", HEADER, "one", LINE, "two\tthree"))
    assert "line 2: has 1 column" in str(caught.value)
    assert "line 4: has 2 column" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "r(x,y)",
        "r(x,y) ⇒ ",
        "r(x,y) ∧ s(x,y)",
        "r(x,y) ⇒ s(x,y) ⇒ t(x,y)",
        "r(X,y) ⇒ s(x,y)",
        "r(x,y) ⇒ s(x,y) and more",
        "r(x,z) ⇒ s(x,y)",
    ],
)
def test_a_malformed_readable_rule_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="rule "):
        parse_readable(text)


def test_amie_format_refuses_names_that_could_not_be_read_back() -> None:
    measures = Measures(1, 1, 1, 1, 0)
    rule = Rule(Atom(0, "works  for", 1), (Atom(1, "pays", 0),), measures)
    with pytest.raises(InputError, match="two blanks in a row"):
        format_amie([rule])
    assert format_amie([Rule(Atom(0, "works for", 1), (Atom(1, "pays", 0),), measures)])
