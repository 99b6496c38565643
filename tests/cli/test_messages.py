"""What is said of values and files that nobody expects: true, about what was given, and never a traceback."""

import json
import re
from pathlib import Path

import pytest

from tests.command_line import FACTS, Command, assert_refused, tree

BUILD = ["build", "kg.tsv", "--rules", "rules.txt", "-o", "out/x"]
RECIPE = 'name = "my"\nkg = "kg.tsv"\nrules = "rules.txt"\n'
DIGITS = "1" + "0" * 9999
SEED = "seed is {}; expected a whole number from 0 to 9223372036854775807"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("mining=3", r"the options given: mining is 3; expected a table, \[mining\]"),
        (f"mining.max_atoms={DIGITS}", r"mining\.max_atoms.* more than 4,300 digits"),
        (f"seed={DIGITS}", "seed.* more than 4,300 digits"),
        (f"seed={2**63}", SEED.format(2**63)),
        ("seed=-1", SEED.format(-1)),
        ("seed=true", SEED.format("true")),
        ("seed.x=3", "seed is a table with the keys x; expected a whole number"),
        (f"selection.per_rule={10**30}", r"per_rule is 10+; expected .* ≥ 1, ≤ 9223372036854775807"),
        ("questions.ratios=[0,0,0]", "three integers ≥ 1"),
        ("selection.levels=[true]", r"levels is \[true\]; expected ascending percentages"),
        (f"selection.levels=[{10**99}]", r"levels is \[a huge number\]; expected ascending|levels is \[10"),
        ("mining.min_head_coverage=nan", r"mining\.min_head_coverage is nan; expected a number from 0"),
        ("mining.min_std_confidence=-inf", r"mining\.min_std_confidence is -inf; expected a number"),
        ("questions.max_answer_share=1e400", "max_answer_share is inf; expected a number above 0"),
        ("name=caf\udce9", r"name is 'caf\\udce9'; expected UTF-8 text"),
        ("\udce9=1", r"unknown key '\\udce9'; known: about"),
        ("questions.templates=none.toml", r'templates names "none\.toml"; looked at /.*/none\.toml: no'),
        ("questions.filter=demo", r'filter names "demo"; looked at /.*demo: no such .*known: fb15k237'),
        ("questions.filter=empty", r"questions\.filter: empty: drop is missing\. A filter file has"),
        ("labels=empty", "labels: empty: is empty; at least one line"),
        ("reference=famly", r"reference names \"famly\"; .* nothing of this name.*did you mean 'family'"),
    ],
    ids=lambda v: v[:40].encode("ascii", "replace").decode(),
)  # fmt: skip
def test_values_that_nobody_expects(here, command, setting, expected):
    (here / "empty").write_text("")
    before = tree(here)
    ended = command(*BUILD, "--set", setting)
    assert_refused(ended, expected)
    assert len(ended.err) < 600, "a paragraph, whatever was given"
    assert tree(here) == before


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        ("", "name is missing|name and kg missing|name.*kg"),
        (RECIPE + f"seed = {DIGITS}\n", r"my\.toml: is not valid TOML \(it has an integer of more"),
        (RECIPE + f"x = {'[' * 3000}{']' * 3000}\n", r"my\.toml: is not valid TOML \(it is nested too"),
        (RECIPE + 'x = "\\ud800"\n', r"my\.toml: is not valid TOML \(Escaped character is not"),
        (RECIPE + "mining = 3\n", r"my\.toml: mining is 3; expected a table"),
        (RECIPE.replace("rules.txt", "r.txt"), r'my\.toml: rules names "r\.txt"; looked at /.*/r\.txt: no'),
        (RECIPE.replace("kg.tsv", "k.tsv"), r'kg names "k\.tsv"; looked at /\S+/sub/k\.tsv and /\S+/k\.tsv:'),
        (RECIPE + 'labels = "l.tsv"\nreference = "ref.tsv"\n',
         r'my\.toml:\n  reference names "ref\.tsv".*\n  labels names "l\.tsv"'),
        (RECIPE + '[questions]\ntemplates = "t.toml"\n', r'my\.toml: questions\.templates names "t\.toml"'),
        (RECIPE + '[verbalizer]\nname = "openai"\nmodel = "m"\nprompt = "p.toml"\n',
         r'verbalizer\.prompt names "p\.toml"; looked at /.*/p\.toml'),
    ],
    ids=range(10),
)  # fmt: skip
def test_a_recipe_that_names_what_is_not_there(here, command, recipe, expected):
    (here / "sub").mkdir()
    (here / "sub/my.toml").write_text(recipe)
    before = tree(here)
    assert_refused(command("build", "sub/my.toml", "-o", "out/x"), expected)
    assert tree(here) == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["build", ""], "RECIPE is empty: no such recipe"),
        ([*BUILD, "--seed", DIGITS], "seed is '?10+.*expected a whole number"),
        (["mine", "kg.tsv", "--min-initial-support", DIGITS], "expected a whole number"),
        (["mine", "kg.tsv", "--head-relations", "@empty"], "empty: is empty"),
        (["mine", "kg.tsv", "--exclude-relations", "husband,wife,father,mother,child"],
         "the filters leave none of 5 relations for the head of a rule. See head_relations"),
        (["data", "get", "family"], r"not found below /no/where .* cannot be downloaded from https.*offline"),
        (["verify", "\udce9"], "no such file"),
        ([*BUILD, "--questions", "10k"], "--questions: expected a whole number, found '10k'"),
        (["verify", "x", "--rebuild=yes"], "--rebuild takes no value"),
        (["audit", "x", "-o", ""], "nothing is named; expected a file or folder"),
        (["compare", "x", "p", "q"], "rulemine evaluate DIR FILE FILE"),
        (["serve", "neo4j", "stop"], "`serve neo4j` is now `rulemine data neo4j`"),
        (["build", "kg.tsv", "--base-url", "u"], "endpoint.base_url is a key: --set endpoint.base_url"),
    ],
    ids=range(13),
)  # fmt: skip
def test_words_that_nobody_expects(here, command, monkeypatch, words, expected):
    def offline(*_: object) -> bytes:
        raise OSError("offline")

    monkeypatch.setattr("rulemine.datasets.sources.fetch", offline)
    monkeypatch.setenv("RULEMINE_DATA", "/no/where")
    (here / "empty").write_text("")
    before = tree(here)
    ended = command(*words)
    assert_refused(ended, expected)
    assert len(ended.err) < 700, "a paragraph, whatever was given"
    assert tree(here) == before


def test_files_that_fit_nothing_are_noted(here: Path, command: Command) -> None:
    (here / "l.tsv").write_text("nobody\tNo Body\n")
    words = [*BUILD, "--set", "labels=l.tsv", "--set", "questions.templates=fb15k237"]
    ended = command(*words)
    assert ended.status == 0
    assert "note: labels: l.tsv has 1 label, none of an entity of kg.tsv." in ended.err
    assert "fb15k237 has no template for any of 5 relations of kg.tsv." in ended.err
    assert "5 relations without a template of your own" in command("show", "out/x", "--summary").out


def test_a_refused_text_is_in_the_release_and_the_screen_says_why_and_where(here, command):
    (here / "kg.tsv").write_text(re.sub(r"\bh(\d+)", r"W\1", FACTS))
    ended = command(*BUILD, "--naming", "entity")
    assert ended.status == 0, ended.err
    rows = [json.loads(line) for line in (here / "out/x/rejected.jsonl").read_text().splitlines()]
    named = [row for row in rows if row["reason"] == "the text names an answer"]
    assert named, "W3 is the husband of w3"
    assert all("w" in row["text"].lower() for row in named)
    said = [line.split() for line in command("show", "out/x", "--summary").out.splitlines()]
    assert [*["ask:", "the", "text", "names", "an", "answer"], str(len(named))] in said
    assert command("verify", "out/x").status == 0


def test_a_build_ends_in_three_lines_and_a_summary_has_a_figure(here, command):
    ended = command(*BUILD)
    made, notable, following = ended.out.splitlines()
    counts = json.loads((here / "out/x/manifest.json").read_text())["counts"]
    assert made.startswith(f"out/x: {counts['questions']} questions about ")
    assert "can be told apart by" in notable
    assert "rulemine show out/x --summary" in following
    assert command("show", "out/x", "--summary", "-o", "few.txt").out == ""
    assert "in the core" in (here / "few.txt").read_text()
    assert_refused(command("show", "out/x", "q00001", "-o", "t"), "--output: is for --summary")
    assert_refused(command("show", "out/x", "q00001", "--summary"), "--id: is for single questions")
