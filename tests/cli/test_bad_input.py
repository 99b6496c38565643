"""What users do wrong gets one paragraph that says what to change, status 2, and nothing is written.

The commands run in this process where a process of their own would add nothing but time; those that
need one (Java, limits of the system) are in `test_machine.py`, interrupts in `test_interrupts.py`,
releases and predictions in `test_bad_release.py`.
"""

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from tests.command_line import FACTS, RULES, Command, assert_refused, tree
from tests.verify.tiny import write_release

# Graphs

BAD_GRAPHS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", r"g\.tsv: is empty; at least one line was expected"),
    "blank": (b"\n\n", r"g\.tsv: is empty"),
    "binary": (b"a\tr\tb\n\x7fELF\0\0", r"g\.tsv: line 2 holds a NUL byte, so this is a binary"),
    "gzip under another name": (
        gzip.compress(FACTS.encode(), mtime=0),
        r"g\.tsv: line \d+ (holds a NUL|is not)",
    ),
    "latin-1": ("a\tr\tb\ncafé\tr\tb\n".encode("latin-1"), r"line 2 is not UTF-8 .*iconv"),
    "utf-16": ("a\tr\tb\n".encode("utf-16"), r"UTF-16 byte order mark; UTF-8 was expected.*iconv"),
    "utf-16 without mark": ("a\tr\tb\n".encode("utf-16-le"), "line 1 holds a NUL byte"),
    "two columns": (b"a\tr\tb\na\tr\n", r"line 2 has 2 columns: 'a\\tr'\. Expected three"),
    "four columns": (b"a\tr\tb\tc\n", r"line 1 has 4 columns.*--columns 1,2,3"),
    "semicolons": (b"a;r;b, c\n", "1 column.*--columns"),
    "blanks": (b"a r b\n", "1 column.*--columns"),
    "json": (b'{"head": "a", "relation": "r", "tail": "b"}\n', r"ends in \.jsonl"),
    "openke": (b"1\n0 1 0\n", "give their folder"),
    "commas": (b"a,r,b\nb,r,a\n", r"line 1 has 1 column: 'a,r,b'\n(.*\n)*.*--columns"),
    "empty field": (b"a\tr\tb\na\t \tb\n", "line 2 has an empty field"),
    "quoted": (b'"a"\t"r"\t"b"\n', "every field is in double quotes"),
    "old mac": (b"a\tr\tb\rb\tr\ta\r", r"line 1 has 5 columns"),
}


@pytest.mark.parametrize("name", BAD_GRAPHS)
@pytest.mark.parametrize("words", [["mine"], ["build", "-o", "out/x"]], ids=lambda words: words[0])
def test_a_bad_graph(here: Path, command: Command, words: list[str], name: str) -> None:
    content, expected = BAD_GRAPHS[name]
    (here / "g.tsv").write_bytes(content)
    before = tree(here)
    assert_refused(command(*words, "g.tsv"), expected)
    assert tree(here) == before


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("none.tsv", None, r"none\.tsv: no such file"),
        ("famly", None, "famly: no such .*did you mean 'family'"),
        (".", None, r"\.: is a folder"),
        ("kg.tsv/below", None, "Not a directory"),
        ("n" * 300 + ".tsv", None, "File name too long"),
        ("g.tsv.gz", b"no gzip", r"g\.tsv\.gz: is not a complete gz file"),
        ("g.tsv.gz", gzip.compress(FACTS.encode(), mtime=0)[:-9], "is not a complete gz file"),
        ("g.tsv.gz", gzip.compress(b"a\tr\n", mtime=0), r"line 1 has 2 column"),
        ("family", None, "family/facts.tsv not found below .* Put it there, e.g. at"),
    ],
)
@pytest.mark.parametrize("words", [["mine"], ["build", "-o", "out/x"]], ids=lambda words: words[0])
def test_no_graph_at_all(here, command, monkeypatch, words, name, content, expected):
    def offline(*_: object) -> bytes:
        raise OSError("no network in tests")

    monkeypatch.setattr("rulemine.datasets.sources.fetch", offline)
    if content is not None:
        (here / name).write_bytes(content)
    before = tree(here)
    assert_refused(command(*words, name), expected)
    assert tree(here) == before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are text")
def test_a_file_name_that_is_no_text(here: Path, command: Command) -> None:
    name = os.fsdecode(b"caf\xe9.tsv")
    (here / name).write_text(FACTS)
    before = tree(here)
    words = ["build", name, "--rules", "rules.txt", "-o", "out/x"]
    assert_refused(command(*words), "expected UTF-8 text")
    assert tree(here) == before


def test_accepted_line_ends_marks_and_duplicates_give_the_same_release(here, command):
    lines = FACTS.splitlines()
    variants = {
        "plain": FACTS.encode(),
        "crlf": FACTS.replace("\n", "\r\n").encode(),
        "mark": b"\xef\xbb\xbf" + FACTS.encode(),
        "order": "\n".join(reversed(lines)).encode(),
        "twice": "\n".join([*lines, *lines[:3]]).encode(),
    }
    releases = {}
    for name, content in variants.items():
        (here / "kg.tsv").write_bytes(content)
        ended = command("build", "kg.tsv", "--rules", "rules.txt", "-o", here / name / "kg")
        assert ended.status == 0, ended.err
        releases[name] = tree(here / name / "kg")
        twice = "(3 duplicate lines)" in ended.out
        assert twice == (name == "twice")
    assert releases["plain"] == releases["crlf"] == releases["mark"] == releases["order"]
    same = {n for n, d in releases["plain"].items() if releases["twice"][n] == d}
    assert set(releases["plain"]) - same <= {"manifest.json", "README.md"}, "they tell duplicates"
    assert json.loads((here / "twice/kg/manifest.json").read_text())["kg"]["duplicates"] == 3


# Options

BAD_OPTIONS = [
    (["--set", "max_atoms=3"], r"unknown key 'max_atoms'; did you mean 'mining\.max_atoms'\?"),
    (["--set", "mining.max_atms=3"], r"unknown key 'mining\.max_atms'; did you mean 'max_atoms'\?"),
    (["--set", "mining.max_atoms=1"], "max_atoms is 1; expected a whole number from 2 to 5"),
    (["--set", "mining.max_atoms=9"], "max_atoms is 9; expected a whole number from 2 to 5"),
    (["--set", "mining.max_atoms=3.0"], r"mining\.max_atoms is 3\.0; expected a whole number"),
    (["--set", "mining.min_head_coverage=nan"], "min_head_coverage is nan; expected .* 0 to 1"),
    (["--set", "mining.min_std_confidence=1.5"], r"min_std_confidence is 1\.5"),
    (["--set", "mining.min_pca_confidence=-0.1"], r"min_pca_confidence is -0\.1"),
    (["--set", "mining.min_initial_support=0"], "min_initial_support is 0"),
    (["--set", "seed"], "--set seed: expected key=value"),
    (["--threads", "-3"], "threads is -3; expected a whole number from 1"),
    (["--threads", "0"], "threads is 0"),
    (["--threads", "two"], "threads is 'two'; expected a whole number from 1 to 1024"),
    (["--heap", "lots"], "heap is 'lots'; expected a whole number of megabytes or gigabytes"),
    (["--heap", "0g"], "heap is '0g'"),
    (["--seed", "-1"], "seed is -1; expected a whole number from 0 to 9223372036854775807"),
    (["--set", "selection.share=nan"], "share is nan"),
    (["--set", "selection.share=2"], r"share is 2"),
    (["--levels", "20,x,100"], r"levels is \[20, 'x', 100\]; expected ascending percentages"),
    (["--levels", "20,40"], "levels is .20, 40.; expected ascending percentages, the last one 100"),
    (["--set", "selection.mode=best"], "mode is 'best'; expected maximal, brink or none"),
    (["--naming", "number"], "naming is 'number'; expected private, entity, text or numeric"),
    (["--rules", "none.txt"], r"none\.txt: no such file"),
    (["--rules", "kg.tsv"], r"kg\.tsv:\n  line 1: has 3 columns; expected 8"),
    (["--set", "reference=none.tsv"], r"none\.tsv: no such file"),
    (["--set", "labels=kg.tsv"], "line 1 is not entity <tab> label"),
    (["--set", "questions.templates=none.toml"], r"none\.toml: no such file"),
    (["--set", "questions.templates=kg.tsv"], r"kg\.tsv: is not valid TOML"),
    (["--set", "questions.templates=demo"], "relation 'child_of' is not in the graph"),
    (["--unknown"], "there is no option --unknown; known: "),
]


@pytest.mark.parametrize(("options", "expected"), BAD_OPTIONS, ids=lambda v: " ".join(v)[:40])
def test_bad_options_of_build(here, command, options, expected):
    before = tree(here)
    words = [
        "build",
        "kg.tsv",
        "-o",
        "out/x",
        *(["--rules", "rules.txt"] if "--rules" not in options else []),
    ]
    assert_refused(command(*words, *options), expected)
    assert tree(here) == before


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--max-atoms", "1"], "max_atoms is 1"),
        (["--max-atoms", "9"], "max_atoms is 9"),
        (["--min-head-coverage", "nan"], "min_head_coverage is nan"),
        (["--min-std-confidence", "inf"], "min_std_confidence is inf"),
        (["--min-pca-confidence", "-1"], r"min_pca_confidence is -1\.0"),
        (["--min-initial-support", "0"], "min_initial_support is 0"),
        (["--threads", "-1"], "threads is -1"),
        (["--heap", "1k"], "heap is '1k'"),
        (["--format", "xml"], "--format: 'xml' is unknown; known: amie, anyburl, jsonl"),
        (["-o", "."], r"\.: is a folder; a file was expected"),
        (["-o", "kg.tsv/below"], r"kg\.tsv is a file"),
    ],
    ids=lambda v: " ".join(v)[:40],
)
def test_bad_options_of_mine(here, command, options, expected):
    before = tree(here)
    assert_refused(command("mine", "kg.tsv", *options), expected)
    assert tree(here) == before


def test_a_bad_recipe_file_tells_everything_at_once(here: Path, command: Command) -> None:
    (here / "my.toml").write_text('kg = "kg.tsv"\nnmae = "x"\nname = 5\n[mining]\nmax_atms = 3\n')
    before = tree(here)
    ended = command("build", "my.toml")
    assert_refused(ended, r"my\.toml:\n  name is 5; expected letters")
    assert "unknown key 'nmae'; did you mean 'name'?" in ended.err
    assert "unknown key 'mining.max_atms'; did you mean 'max_atoms'?" in ended.err
    (here / "my.toml").write_text("name = \n")
    assert_refused(command("build", "my.toml"), r"my\.toml: is not valid TOML \(.*line 1")
    (here / "my.toml").write_text('kg = "kg.tsv"\nnmae = "x"\nname = 5\n[mining]\nmax_atms = 3\n')
    assert tree(here) == before


# Rules

LINE = RULES.splitlines()[1]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (RULES + "nonsense\n", r"r: line 5: has 1 column; expected 8"),
        (RULES + LINE + "\n", "line 5 repeats the rule of line 2"),
        (
            RULES.replace("\t40\t40\t40", "\t40\t30\t40"),
            "line 2: expected 0 < support .*; found 40, 40, 30",
        ),
        (RULES.split("\n")[0] + "\n", "holds no rule"),
        (
            "\n".join(RULES.split("\n")[:2]).replace("mother", "spouse"),
            "that kg.tsv lacks: 'spouse'",
        ),
        (
            "9\t5\t0.5\thusband(X,Y) <= wife(Y,X)\n9\t5\t0.5\thusband(X,w1) <= wife(A,X)\n",
            r"r: line 2: .*Keep the rules about two variables: grep '\(X,Y\) <= ' r",
        ),
        (
            '{"head": ["?a", "husband", {"entity": "w1"}], "body": [["?a", "mother", {"entity": "w2"}]]}',
            r"r: rule 1, mother\(x,'w2'\) .*, names the entity 'w1'; expected variables alone.*Leave out",
        ),
        ('{"head": ["?a", "husband", "?b"], "body": [["?b", "wife", "?c"]]}', "1: .*not closed"),
        ('{"head": ["?a", "husband"', "line 1: it is not valid JSON"),
        ("9\t5\t0.5\tmother(X,Y) <= mother(Y,X)\n", "r: none of its rules ever holds in kg.tsv"),
    ],
)
def test_bad_rules(here: Path, command: Command, rules: str, expected: str) -> None:
    (here / "r").write_text(rules)
    before = tree(here)
    assert_refused(command("build", "kg.tsv", "--rules", "r", "-o", "out/x"), expected)
    assert tree(here) == before


def test_rules_that_the_graph_lacks_are_told_and_kept_apart(here: Path, command: Command) -> None:
    (here / "r").write_text(RULES + LINE.replace("  mother", "  spouse") + "\n")
    ended = command("build", "kg.tsv", "--rules", "r", "-o", "out/x")
    assert ended.status == 0, ended.err
    assert "1 given rule left out" in ended.out
    assert "father(x,z) ∧ spouse(y,z) ⇒ husband(x,y) (lacks spouse)" in ended.out
    assert len((here / "out/x/rules.jsonl").read_text().splitlines()) == 3
    assert "spouse" in (here / "out/x.stages/mine/rules_with_unknown_names.jsonl").read_text()
    assert command("verify", "out/x").status == 0


# Output


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("kg.tsv", r"kg\.tsv: is a file; a folder was expected"),
        (
            "mine",
            "mine: is a folder with other files and not a release .*; nothing was changed",
        ),
        ("kg.tsv/below", "cannot be written .*kg.tsv is a file"),
        ("/proc/rulemine", "cannot be written"),
        (".", r"\.: nothing can be written there"),
        ("mine/..", "nothing can be written there"),
        ("/", "/: nothing can be written there"),
        ("n" * 300, "cannot be written|File name too long"),
    ],
)
def test_an_output_that_cannot_be(here: Path, command: Command, output: str, expected: str) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "thesis.txt").write_text("years of work")
    before = tree(here)
    words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", output]
    assert_refused(command(*words), expected)
    assert tree(here) == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["build", "variants-demo", "-o", "z", "--set", r'variants.texts="\u0000"'],
            "variants.texts is .* without NUL",
        ),
        (
            ["answer", "x", "--with", r'command:program="a\u0000b"', "-o", "z"],
            "program is .* without NUL",
        ),
        (["data", "graph", "s.toml"], r"A\.table is '\\x00'; expected UTF-8 text"),
        (
            ["data", "graph", "demo", "--schema", "\x1b[2J\u202e.toml"],
            r"^rulemine: \\u001b\[2J\\u202e",
        ),
        (
            ["data", "graph", "demo", "--to", "tasks:per_template=99999999999", "-o", "t"],
            "expected a whole number from 1 to 10000",
        ),
        (["verify", "x", "--most", "-1"], "--most is -1; expected 0 or more"),
        (
            ["data", "neo4j", "load", "x", "--url", "http://127.0.0.1:9"],
            "9: no address of a Neo4j. Expected",
        ),
        (
            ["evaluate", "x", "--judge", "A@file:///x", "-o", "j"],
            "--judge: A@file://…: expected NAME, ",
        ),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_what_no_name_number_or_address_is(here, command, words, expected):
    (here / "s.toml").write_text('[[entities]]\nlabel = "A"\ntable = "\\u0000"\n')
    if "x" in words:
        write_release(here / "x")
    assert_refused(command(*words), expected)


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "x", "p", "--format", "questions", "--metrics", "rog"],
        ["evaluate", "x", "p", "--format", "json", "--all"],
        ["evaluate", "x", "p", "q", "--format", "questions", "--seed", "1"],
        ["data", "neo4j", "stop", "--port", "1"],
        ["data", "neo4j", "start", "--kg", "complete"],
        ["data", "neo4j", "load", "x", "--heap", "1g"],
        ["data", "query", "demo", '"x"', "--to", "sparql", "--most", "3"],
        ["data", "query", "demo", '"x"', "--to", "cypher", "--removed", "none.tsv"],
        ["export", "x", "--to", "questions", "--kg", "complete"],
        ["evaluate", "x", "p", "q", "--kg", "complete"],
        ["verify", "x", "--neo4j", "bolt://127.0.0.1:9"],
    ],
    ids=lambda words: " ".join(words),
)
def test_an_option_that_would_do_nothing(here: Path, command: Command, words: list[str]) -> None:
    write_release(here / "x")
    assert_refused(command(*words), "is for .*(has no effect here|of the kind rules)|are for ")
