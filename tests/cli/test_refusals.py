"""What users do wrong gets one paragraph that says what to change, status 2, and nothing is written.

What needs a process of its own (Java, limits of the system) is in `test_machine.py`, interrupts are in
`test_interrupts.py`, releases and predictions in `test_bad_release.py`.
"""

import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import unrefused
from tests.command_line import FACTS, RULES, Command, assert_refused, tree
from tests.evaluation.world import write_release as write_small
from tests.verify.tiny import write_release

ZIPPED = gzip.compress(FACTS.encode(), mtime=0)
DIGITS = "1" + "0" * 9999
SEED = r"seed is {}; expected a whole number from 0 to 9223372036854775807"

GRAPHS = {
    "empty": (b"", r"g\.tsv: is empty; at least one line was expected"),
    "blank": (b"\n\n", r"g\.tsv: is empty"),
    "binary": (b"a\tr\tb\n\x7fELF\0\0", r"g\.tsv: line 2 holds a NUL byte, so this is a binary"),
    "gzip under another name": (ZIPPED, r"g\.tsv: line \d+ (holds a NUL|is not)"),
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
    **{
        f"header {header}": (f"{header}\n{FACTS}".encode(), "line 1, .*, names the columns; a triple was")
        for header in (
            "subject\trelation\tobject", "Head\tRelation\tTail", '"#s"\tp\to', "h\tr\tt",
            "head_id\trelation_id\ttail_id", ":START_ID\t:TYPE\t:END_ID", "x_name\trelation\ty_name",
        )
    },
}  # fmt: skip
"""Content of a graph → what is said of it."""


def test_graphs(here: Path, command: Command) -> None:
    wrong = []
    for content, expected in GRAPHS.values():
        (here / "g.tsv").write_bytes(content)
        words = ("mine g.tsv", "build g.tsv -o out/x")
        wrong += unrefused(command, here, [(text, expected) for text in words])
    assert wrong == []


def test_graphs_that_are_not_there_or_not_whole(here, command, monkeypatch):
    def offline(*_: object) -> bytes:
        raise OSError("no network in tests")

    monkeypatch.setattr("rulemine.datasets.sources.fetch", offline)
    (here / "cut.tsv.gz").write_bytes(ZIPPED[:-9])
    (here / "none.tsv.gz").write_bytes(b"no gzip")
    (here / "short.tsv.gz").write_bytes(gzip.compress(b"a\tr\n", mtime=0))
    said = {
        "none.tsv": r"none\.tsv: no such file",
        "famly": "famly: no such .*did you mean 'family'",
        ".": r"\.: is a folder",
        "kg.tsv/below": "Not a directory",
        "n" * 300 + ".tsv": "File name too long",
        "none.tsv.gz": r"none\.tsv\.gz: is not a complete gz file",
        "cut.tsv.gz": "is not a complete gz file",
        "short.tsv.gz": r"line 1 has 2 column",
        "family": "family/facts.tsv not found below .* Put it there, e.g. at",
    }
    rows = [
        (f"{start} {name}", e) for name, e in said.items() for start in ("mine", "build -o o/x")
    ]
    assert unrefused(command, here, rows) == []


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
@pytest.mark.parametrize("kind", ["device", "sparse"])
def test_what_has_no_end_is_given_up(here, made, command, tmp_path_factory, kind):
    source = tmp_path_factory.mktemp("endless") / "sparse.tsv"
    if kind == "sparse":
        with source.open("wb") as sparse:
            sparse.truncate(1 << 40)  # a terabyte that takes no room
    else:
        source.symlink_to("/dev/zero")
    source.with_suffix(".toml").symlink_to(source)
    given = "build kg.tsv --rules rules.txt --set"
    rows = (
        f"mine {source}", f"build {source}", f"build kg.tsv --rules {source}",
        f"build kg.tsv --set reference={source}", f"{given} labels={source}",
        f"{given} questions.templates={source}", f"{given} questions.filter={source}",
        f"build {source.with_suffix('.toml')}", f"mine kg.tsv --head-relations @{source}",
        f"evaluate {made / 'out/kg'} {source}",
    )  # fmt: skip
    assert unrefused(command, here, [(row, "line 1 holds a NUL byte") for row in rows]) == []


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
        assert ("(3 duplicate lines)" in ended.out) == (name == "twice")
    assert releases["plain"] == releases["crlf"] == releases["mark"] == releases["order"]
    same = {n for n, d in releases["plain"].items() if releases["twice"][n] == d}
    assert set(releases["plain"]) - same <= {"manifest.json", "README.md"}, "they tell duplicates"
    assert json.loads((here / "twice/kg/manifest.json").read_text())["kg"]["duplicates"] == 3


OPTIONS = [
    ("--set max_atoms=3", r"unknown key 'max_atoms'; did you mean 'mining\.max_atoms'\?"),
    ("--set mining.max_atms=3", r"unknown key 'mining\.max_atms'; did you mean 'max_atoms'\?"),
    (
        "--set mining.max_atoms=3.0",
        r"mining\.max_atoms is 3\.0; expected a whole number from 2 to 5",
    ),
    (
        "--set mining.min_head_coverage=nan",
        "min_head_coverage is nan; expected a number from 0 to 1",
    ),
    (
        "--set mining.min_std_confidence=-inf",
        r"mining\.min_std_confidence is -inf; expected a number",
    ),
    (
        "--set questions.max_answer_share=1e400",
        "max_answer_share is inf; expected a number above 0",
    ),
    ("--set seed", "--set seed: expected key=value"),
    ("--set mining=3", r"the options given: mining is 3; expected a table, \[mining\]"),
    (f"--set mining.max_atoms={DIGITS}", r"mining\.max_atoms.* more than 4,300 digits"),
    (f"--set seed={2**63}", SEED.format(2**63)),
    ("--set seed=true", SEED.format("true")),
    ("--set seed.x=3", "seed is a table with the keys x; expected a whole number"),
    (
        f"--set selection.per_rule={10**30}",
        r"per_rule is 10+; expected .* ≥ 1, ≤ 9223372036854775807",
    ),
    ("--set questions.ratios=[0,0,0]", "three integers ≥ 1"),
    ("--set selection.levels=[true]", r"levels is \[true\]; expected ascending percentages"),
    (
        f"--set selection.levels=[{10**99}]",
        r"levels is \[a huge number\]; expected ascending|levels is \[10",
    ),
    ("--set name=caf\udce9", r"name is 'caf\\udce9'; expected UTF-8 text"),
    ("--set \udce9=1", r"unknown key '\\udce9'; known: about"),
    (
        "--set questions.templates=none.toml",
        r'templates names "none\.toml"; looked at /.*/none\.toml: no',
    ),
    (
        "--set questions.filter=demo",
        r'filter names "demo"; looked at /.*demo: no such .*known: fb15k237',
    ),
    (
        "--set questions.filter=empty",
        r"questions\.filter: empty: drop is missing\. A filter file has",
    ),
    ("--set labels=empty", "labels: empty: is empty; at least one line"),
    (
        "--set reference=famly",
        r"reference names \"famly\"; .* nothing of this name.*did you mean 'family'",
    ),
    ("--set reference=none.tsv", r"none\.tsv: no such file"),
    ("--set labels=kg.tsv", "line 1 is not entity <tab> label"),
    ("--set questions.templates=kg.tsv", r"kg\.tsv: is not valid TOML"),
    ("--set questions.templates=demo", "relation 'child_of' is not in the graph"),
    ("--set selection.mode=best", "mode is 'best'; expected maximal, given, brink or none"),
    ("--set mining.max_atoms=4", "mining.max_atoms: is for mining, and with"),
    ("--set endpoint.timeout=9", "endpoint.timeout: is for the questions of"),
    ("--set verbalizer.paraphrases=0", "--set verbalizer.*: is for the questions of a language"),
    ("--threads 0", "threads is 0"),
    ("--threads two", "threads is 'two'; expected a whole number from 1 to 1024"),
    ("--heap lots", "heap is 'lots'; expected a whole number of megabytes or gigabytes"),
    ("--heap 0g", "heap is '0g'"),
    ("--seed -1", SEED.format(-1)),
    (f"--seed {DIGITS}", "seed is '?10+.*expected a whole number"),
    ("--questions 10k", "--questions: expected a whole number, found '10k'"),
    ("--levels 20,x,100", r"levels is \[20, 'x', 100\]; expected ascending percentages"),
    ("--levels 20,40", "levels is .20, 40.; expected ascending percentages, the last one 100"),
    ("--naming number", "naming is 'number'; expected private, entity, text or numeric"),
    ("--rules none.txt", r"none\.txt: no such file"),
    ("--rules kg.tsv", r"kg\.tsv:\n  line 1: has 3 columns; expected 8"),
    ("--unknown", "there is no option --unknown; known: "),
    ("--verbalizer=x", "it is now --model NAME"),
    ("--modell x", r"did you mean '--model'\?"),
    ("--language German", "verbalizer.language is a key: --set verbalizer.language=…"),
    ("--base-url u", "endpoint.base_url is a key: --set endpoint.base_url"),
    ("-o kg.tsv", r"kg\.tsv: is a file; a folder was expected"),
    ("-o mine", "mine: is a folder with other files and not a release .*; nothing was changed"),
    ("-o kg.tsv/below", "cannot be written .*kg.tsv is a file"),
    ("-o /proc/rulemine", "cannot be written"),
    ("-o .", r"\.: nothing can be written there"),
    ("-o mine/..", "nothing can be written there"),
    ("-o /", "/: nothing can be written there"),
    ("-o " + "n" * 300, "cannot be written|File name too long"),
]
"""Options of a build, and what is said of them."""

WORDS = [
    ("mine kg.tsv --min-std-confidence inf", "min_std_confidence is inf"),
    (f"mine kg.tsv --min-initial-support {DIGITS}", "expected a whole number"),
    ("mine kg.tsv --heap 1k", "heap is '1k'"),
    ("mine kg.tsv --format xml", "--format: 'xml' is unknown; known: amie, anyburl, jsonl"),
    ("mine kg.tsv -o .", r"\.: is a folder; a file was expected"),
    ("mine kg.tsv -o kg.tsv/below", r"kg\.tsv is a file"),
    ("mine kg.tsv --head-relations @empty", "empty: is empty"),
    ("mine kg.tsv --head-relations @none.txt", "none.txt: no such file"),
    ("mine kg.tsv --head-relations ' , '", "names nothing; expected a,b"),
    ("mine kg.tsv --exclude-relations husband,wife,father,mother,child",
     "the filters leave none of 5 relations for the head of a rule. See head_relations"),
    ("build ''", "RECIPE is empty: no such recipe"),
    (r"build variants-demo -o z --set 'variants.texts=" r'"\u0000"' "'", "variants.texts is .* without NUL"),
    ("build --keys minning", "is no section and no key; did you mean 'mining'?"),
    (r"answer tiny -o z --with 'command:program=" r'"a\u0000b"' "'", "program is .* without NUL"),
    ("answer tiny -o z --with ,", "--with names nothing; expected e.g."),
    ("data get family", r"not found below /no/where .* cannot be downloaded from https.*offline"),
    ("data list demo", "takes no name"),
    ("data graph s.toml", r"A\.table is '\\x00'; expected UTF-8 text"),
    ("data graph demo --schema '\x1b[2J\u202e.toml'", r"^rulemine: \\u001b\[2J\\u202e"),
    ("data graph demo --to tasks:per_template=99999999999 -o t", "expected a whole number from 1 to 10000"),
    ("data graph demo -o t", "--output is for --to"),
    ("data graph dmeo", "did you mean"),
    ("data neo4j load tiny --url http://127.0.0.1:9", "9: no address of a Neo4j. Expected"),
    ("evaluate tiny --judge A@file:///x -o j", "--judge: A@file://…: expected NAME, "),
    ("evaluate small p q --metrics ''", "--metrics '': names no score"),
    ("verify tiny --most -1", "--most is -1; expected 0 or more"),
    ("verify \udce9", "no such file"),
    ("verify tiny --rebuild=yes", "--rebuild takes no value"),
    ("audit tiny -o ''", "nothing is named; expected a file or folder"),
    ("compare tiny p q", "rulemine evaluate DIR FILE FILE"),
    ("serve neo4j stop", "`serve neo4j` is now `rulemine data neo4j`"),
    ("show nowhere --serve page", "no such file, so this is not a release"),
    ("show small --serve page:split=tests", "no split 'tests'"),
    ("show small --serve page:port=99999", "port is 99999; expected 0"),
    *(
        (words, "is for .*(has no effect here|of the kind rules)|are for ")
        for words in (
            "evaluate tiny p --format questions --metrics rog", "evaluate tiny p --format json --all",
            "evaluate tiny p q --format questions --seed 1", "evaluate tiny p q --kg complete",
            "data neo4j stop --port 1", "data neo4j start --kg complete", "data neo4j load tiny --heap 1g",
            """data query demo '"x"' --to sparql --most 3""",
            """data query demo '"x"' --to cypher --removed none.tsv""",
            "export tiny --to questions --kg complete", "verify tiny --neo4j bolt://127.0.0.1:9",
            "show small q00001 --summary", "show small q00001 -o t",
        )
    ),
]  # fmt: skip
"""Whole commands, and what is said of them."""


def test_options_and_words(here: Path, command: Command, monkeypatch) -> None:
    def offline(*_: object) -> bytes:
        raise OSError("offline")

    monkeypatch.setattr("rulemine.datasets.sources.fetch", offline)
    monkeypatch.setenv("RULEMINE_DATA", "/no/where")
    (here / "empty").write_text("")
    (here / "mine").mkdir()
    (here / "mine/thesis.txt").write_text("years of work")
    (here / "s.toml").write_text('[[entities]]\nlabel = "A"\ntable = "\\u0000"\n')
    write_release(here / "tiny")
    write_small(here / "small")
    build = "build kg.tsv -o out/x --rules rules.txt"
    rows = [(f"{build} {options}", expected) for options, expected in OPTIONS]
    assert unrefused(command, here, [*rows, *WORDS]) == []


RECIPE = 'name = "my"\nkg = "kg.tsv"\nrules = "rules.txt"\n'
RECIPES = [
    ("", "name is missing|name and kg missing|name.*kg"),
    ("name = \n", r"my\.toml: is not valid TOML \(.*line 1"),
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
    ('kg = "kg.tsv"\nnmae = "x"\nname = 5\n[mining]\nmax_atms = 3\n',
     r"(?s)my\.toml:\n  name is 5; expected letters.*unknown key 'mining\.max_atms'; did you mean "
     r"'max_atoms'\?.*unknown key 'nmae'; did you mean 'name'\?"),
]  # fmt: skip

LINE = RULES.splitlines()[1]
OF_RULES = [
    (RULES + "nonsense\n", r"r: line 5: has 1 column; expected 8"),
    (RULES + LINE + "\n", "line 5 repeats the rule of line 2"),
    (RULES.replace("\t40\t40\t40", "\t40\t30\t40"), "line 2: expected 0 < support .*; found 40, 40, 30"),
    (RULES.split("\n")[0] + "\n", "holds no rule"),
    ("\n".join(RULES.split("\n")[:2]).replace("mother", "spouse"), "that kg.tsv lacks: 'spouse'"),
    ("9\t5\t0.5\thusband(X,Y) <= wife(Y,X)\n9\t5\t0.5\thusband(X,w1) <= wife(A,X)\n",
     r"r: line 2: .*Keep the rules about two variables: grep '\(X,Y\) <= ' r"),
    ('{"head": ["?a", "husband", {"entity": "w1"}], "body": [["?a", "mother", {"entity": "w2"}]]}',
     r"r: rule 1, mother\(x,'w2'\) .*, names the entity 'w1'; expected variables alone.*Leave out"),
    ('{"head": ["?a", "husband", "?b"], "body": [["?b", "wife", "?c"]]}', "1: .*not closed"),
    ('{"head": ["?a", "husband"', "line 1: it is not valid JSON"),
    ("9\t5\t0.5\tmother(X,Y) <= mother(Y,X)\n", "r: none of its rules ever holds in kg.tsv"),
]  # fmt: skip


def test_recipes_and_rules(here: Path, command: Command) -> None:
    wrong = []
    (here / "sub").mkdir()
    for name, words, rows in (
        ("sub/my.toml", "build sub/my.toml -o out/x", RECIPES),
        ("r", "build kg.tsv --rules r -o out/x", OF_RULES),
    ):
        for text, expected in rows:
            (here / name).write_text(text)
            wrong += unrefused(command, here, [(words, expected)])
    assert wrong == []


def test_rules_that_the_graph_lacks_are_told_and_kept_apart(here: Path, command: Command) -> None:
    (here / "r").write_text(RULES + LINE.replace("  mother", "  spouse") + "\n")
    ended = command("build", "kg.tsv", "--rules", "r", "-o", "out/x")
    assert ended.status == 0, ended.err
    assert "1 given rule left out" in ended.out
    assert "father(x,z) ∧ spouse(y,z) ⇒ husband(x,y) (lacks spouse)" in ended.out
    assert len((here / "out/x/rules.jsonl").read_text().splitlines()) == 3
    assert "spouse" in (here / "out/x.stages/mine/rules_with_unknown_names.jsonl").read_text()
    assert command("verify", "out/x").status == 0


BUILD = ("build", "kg.tsv", "--rules", "rules.txt", "-o", "out/x")


def test_names_between_blanks_and_files_that_fit_nothing_are_noted(here, command):
    lines = FACTS.splitlines()
    (here / "kg.tsv").write_text("\n".join([lines[0].replace("\t", " \t "), *lines[1:]]))
    mine = ("mine", "kg.tsv", "--min-initial-support", "1")
    assert "note: kg.tsv: white space around 3 names was trimmed." in command(*mine).err
    (here / "kg.tsv").write_text("\n".join([*lines[:-1], "", " " + lines[-1], ""]))
    assert "white space around 1 name was trimmed" in command(*mine).err, "read in the other way"
    (here / "kg.tsv").write_text(FACTS)
    (here / "l.tsv").write_text("nobody\tNo Body\n")
    ended = command(*BUILD, "--set", "labels=l.tsv", "--set", "questions.templates=fb15k237")
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
    made, notable, following = command(*BUILD).out.splitlines()
    counts = json.loads((here / "out/x/manifest.json").read_text())["counts"]
    assert made.startswith(f"out/x: {counts['questions']} questions about ")
    assert "can be told apart by" in notable
    assert "rulemine show out/x --summary" in following
    assert command("show", "out/x", "--summary", "-o", "few.txt").out == ""
    assert "in the core" in (here / "few.txt").read_text()
