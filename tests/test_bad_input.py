"""What users do wrong gets one paragraph that says what to change, status 2, and nothing is written.

The commands run in this process where a process of their own would add nothing but time; those that
need one (Java, limits of the system) are in `test_machine.py`, interrupts in `test_interrupts.py`.
"""

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import FACTS, RULES, Command, assert_refused, run, tree


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    done = run(folder, ["build", "kg.tsv", "--rules", "rules.txt", "-o", "release"])
    assert done.status == 0, done.err
    return folder / "release"


@pytest.fixture
def release(built: Path, here: Path) -> Path:
    """A release of one's own, with predictions for it."""
    shutil.copytree(built, here / "release")
    ids = [json.loads(line)["id"] for line in (built / "questions/test.jsonl").open()]
    (here / "good.jsonl").write_text("".join(f'{{"id": "{i}", "answers": []}}\n' for i in ids))
    return here / "release"


# Graphs

BAD_GRAPHS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", r"g\.tsv: is empty; at least one line was expected"),
    "blank": (b"\n\n", r"g\.tsv: is empty"),
    "binary": (b"a\tr\tb\n\x7fELF\0\0", r"g\.tsv: line 2 holds a NUL byte, so this is a binary"),
    "gzip under another name": (
        gzip.compress(FACTS.encode()),
        r"g\.tsv: line \d+ (holds a NUL|is not)",
    ),
    "latin-1": ("a\tr\tb\ncafé\tr\tb\n".encode("latin-1"), r"line 2 is not UTF-8 .*iconv"),
    "utf-16": ("a\tr\tb\n".encode("utf-16"), r"UTF-16 byte order mark; UTF-8 was expected.*iconv"),
    "utf-16 without mark": ("a\tr\tb\n".encode("utf-16-le"), "line 1 holds a NUL byte"),
    "two columns": (b"a\tr\tb\na\tr\n", r"line 2 has 2 column\(s\): 'a\\tr'\. Expected three"),
    "four columns": (b"a\tr\tb\tc\n", r"line 1 has 4 column\(s\)"),
    "commas": (b"a,r,b\nb,r,a\n", r"line 1 has 1 column\(s\): 'a,r,b'\n"),
    "empty field": (b"a\tr\tb\na\t \tb\n", "line 2 has an empty field"),
    "empty line": (b"a\tr\tb\n\na\tr\tc\n", r"line 2 has 1 column\(s\): ''"),
    "quoted": (b'"a"\t"r"\t"b"\n', "every field is in double quotes"),
    "old mac": (b"a\tr\tb\rb\tr\ta\r", r"line 1 has 5 column\(s\)"),
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
        ("g.tsv.gz", b"no gzip", r"g\.tsv\.gz: is not a whole gz file"),
        ("g.tsv.gz", gzip.compress(FACTS.encode())[:-9], "is not a whole gz file"),
        ("g.tsv.gz", gzip.compress(b"a\tr\n"), r"line 1 has 2 column"),
        ("family", None, "family/facts.tsv is not on this machine .* Put the file at"),
    ],
)
@pytest.mark.parametrize("words", [["mine"], ["build", "-o", "out/x"]], ids=lambda words: words[0])
def test_no_graph_at_all(
    here: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    name: str,
    content: bytes | None,
    expected: str,
) -> None:
    def offline(*_: object) -> bytes:
        raise OSError("no network in tests")

    monkeypatch.setattr("rulemine.datasets._fetch", offline)
    if content is not None:
        (here / name).write_bytes(content)
    before = tree(here)
    assert_refused(command(*words, name), expected)
    assert tree(here) == before


def test_accepted_line_ends_marks_and_duplicates_give_the_same_release(
    here: Path, command: Command
) -> None:
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
    (["--set", "mining.max_atoms=3.0"], r"max_atoms must be an integer; found 3\.0"),
    (["--set", "mining.min_head_coverage=nan"], "min_head_coverage is nan; expected .* 0 to 1"),
    (["--set", "mining.min_std_confidence=1.5"], r"min_std_confidence is 1\.5"),
    (["--set", "mining.min_pca_confidence=-0.1"], r"min_pca_confidence is -0\.1"),
    (["--set", "mining.min_initial_support=0"], "min_initial_support is 0"),
    (["--set", "seed"], "--set seed: expected key=value"),
    (["--threads", "-3"], "threads is -3; expected a whole number from 1"),
    (["--threads", "0"], "threads is 0"),
    (["--threads", "two"], "argument --threads: invalid int value: 'two'"),
    (["--heap", "lots"], "heap is 'lots'; expected a whole number of megabytes or gigabytes"),
    (["--heap", "0g"], "heap is '0g'"),
    (["--seed", "-1"], "seed is -1; expected an integer"),
    (["--share", "nan"], "share is nan"),
    (["--share", "2"], r"share is 2\.0"),
    (["--levels", "20,x,100"], "--levels 20,x,100: expected percentages"),
    (["--levels", "20,40"], "levels is .20, 40.; expected ascending percentages, the last one 100"),
    (["--selection", "best"], "mode is 'best'; expected maximal or paper"),
    (["--naming", "number"], "naming is 'number'; expected private, entity, text, paper"),
    (["--rules", "none.txt"], r"none\.txt: no such file"),
    (["--rules", "kg.tsv"], r"kg\.tsv:\n  line 1: has 3 column\(s\); expected 8"),
    (["--reference", "none.tsv"], r"none\.tsv: no such file"),
    (["--set", "labels=kg.tsv"], "line 1 is not entity <tab> label"),
    (["--set", "questions.phrases=none.toml"], r"none\.toml: no such file"),
    (["--set", "questions.phrases=kg.tsv"], r"kg\.tsv: is not valid TOML"),
    (["--set", "questions.phrases=demo"], "relation 'child_of' is not in the graph"),
    (["--unknown"], "unrecognized arguments: --unknown"),
]


@pytest.mark.parametrize(("options", "expected"), BAD_OPTIONS, ids=lambda v: " ".join(v)[:40])
def test_bad_options_of_build(
    here: Path, command: Command, options: list[str], expected: str
) -> None:
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
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["-o", "."], r"\.: is a folder; a file was expected"),
        (["-o", "kg.tsv/below"], r"kg\.tsv is a file"),
    ],
    ids=lambda v: " ".join(v)[:40],
)
def test_bad_options_of_mine(
    here: Path, command: Command, options: list[str], expected: str
) -> None:
    before = tree(here)
    assert_refused(command("mine", "kg.tsv", *options), expected)
    assert tree(here) == before


def test_a_bad_recipe_file_tells_everything_at_once(here: Path, command: Command) -> None:
    (here / "my.toml").write_text('kg = "kg.tsv"\nnmae = "x"\nname = 5\n[mining]\nmax_atms = 3\n')
    before = tree(here)
    ended = command("build", "my.toml")
    assert_refused(ended, r"my\.toml:\n  unknown key 'nmae'; did you mean 'name'\?\n")
    assert "name must be text; found 5" in ended.err
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
        (RULES + "nonsense\n", r"r: line 5: has 1 column\(s\); expected 8"),
        (RULES + LINE + "\n", "line 5 repeats the rule of line 2"),
        (RULES.replace("\t40\t40\t40", "\t40\t30\t40"), "line 2: expected 0 < positive"),
        (RULES.split("\n")[0] + "\n", "holds no rule"),
        (
            RULES.replace("wife  ?a", "spouse  ?a").split("?b  husband")[0],
            "that kg.tsv lacks: 'spouse'",
        ),
        ('{"head": ["?a", "husband", "?b"], "body": [["?b", "wife", "?a"]]}', "has no measures"),
        (
            '{"head": ["?a", "husband", "?b"], "body": [["?b", "wife", "?c"]]}',
            "line 1: .*not closed",
        ),
        ('{"head": ["?a", "husband"', "line 1: it is not valid JSON"),
    ],
)
def test_bad_rules(here: Path, command: Command, rules: str, expected: str) -> None:
    (here / "r").write_text(rules)
    before = tree(here)
    assert_refused(command("build", "kg.tsv", "--rules", "r", "-o", "out/x"), expected)
    assert tree(here) == before


def test_rules_that_the_graph_lacks_are_told_and_kept_apart(here: Path, command: Command) -> None:
    (here / "r").write_text(RULES + LINE.replace("  wife", "  spouse") + "\n")
    ended = command("build", "kg.tsv", "--rules", "r", "-o", "out/x")
    assert ended.status == 0, ended.err
    assert "1 given rules left out" in ended.out
    assert "spouse(y,x) ⇒ husband(x,y) (lacks spouse)" in ended.out
    assert len((here / "out/x/rules.jsonl").read_text().splitlines()) == 3
    assert "spouse" in (here / "out/x.stages/mine/foreign_rules.jsonl").read_text()
    assert command("verify", "out/x").status == 0


# Output


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("kg.tsv", r"kg\.tsv: is a file; a folder for the release was expected"),
        ("mine", "mine: is a folder with other things in it and no release; nothing was changed"),
        ("kg.tsv/below", "cannot be written"),
        ("/proc/rulemine", "cannot be written"),
        (".", r"\.: the folder of a release needs a name"),
        ("mine/..", "needs a name"),
        ("/", "/: the folder of a release needs a name"),
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


# Releases and predictions

READERS = {
    "verify": ["verify", "release"],
    "show": ["show", "release", "q00001"],
    "rename": ["rename", "release", "--naming", "text", "-o", "other"],
    "answer": ["answer", "release", "--with", "reasoner", "-o", "p.jsonl"],
    "evaluate": ["evaluate", "release", "good.jsonl", "-o", "report.txt"],
    "baselines": ["baselines", "release", "-o", "table.txt"],
}


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_is_no_release(
    release: Path, here: Path, command: Command, reader: str
) -> None:
    (release / "manifest.json").unlink()
    before = tree(here)
    if reader != "verify":
        assert_refused(command(*READERS[reader]), r"release/manifest\.json: no such file")
    shutil.rmtree(release)
    assert_refused(command(*READERS[reader]), "release: no such folder")
    assert not set(tree(here)) - set(before)


@pytest.mark.parametrize("reader", READERS)
def test_a_release_of_a_newer_format(
    release: Path, here: Path, command: Command, reader: str
) -> None:
    path = release / "manifest.json"
    path.write_text(path.read_text().replace('"format_version": 1', '"format_version": 99'))
    before = tree(here)
    ended = command(*READERS[reader])
    if reader == "verify":
        assert ended.status in (1, 2), "a fault of the release, or a release that it cannot read"
        assert "99" in ended.out + ended.err
    else:
        assert_refused(ended, r"format version 99; .*Upgrade: pip install -U rulemine")
    assert tree(here) == before


NOT_READ = {
    "evaluate": ("kg/incomplete.tsv.gz", "rules.jsonl"),
    "show": ("kg/incomplete.tsv.gz",),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["questions/test.jsonl", "kg/incomplete.tsv.gz", "rules.jsonl"])
@pytest.mark.parametrize("how", ["missing", "edited", "cut"])
def test_a_release_with_a_missing_or_edited_file(
    release: Path, here: Path, command: Command, reader: str, name: str, how: str
) -> None:
    if name in NOT_READ.get(reader, ()):
        pytest.skip("this command does not read this file")
    path = release / name
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(gzip.decompress(content).replace(b"\t", b"\tx", 1)))
    else:
        path.write_bytes(content.replace(b"q0", b"q1", 1) if b"q0" in content else content[:-1])
    before = tree(here)
    ended = command(*READERS[reader])
    assert tree(here) == before
    if reader == "verify":
        assert ended.status == 1
        assert name in ended.out
    else:
        assert_refused(ended, re.escape(f"release/{name}"))


GOOD = '{"id": "q00001", "answers": []}'


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: [], r"p\.jsonl: is empty"),
        (lambda lines: lines[1:], r"1 of \d+ questions of split 'test' have no prediction: q\d+"),
        (lambda lines: [*lines, lines[0]], r"line \d+: id 'q\d+' again, first at line 1"),
        (
            lambda lines: [*lines, GOOD.replace("q00001", "q99999")],
            r"line \d+: unknown id 'q99999'; known",
        ),
        (lambda lines: ['{"id": "q'], r"p\.jsonl: line 1: is not valid JSON"),
        (lambda lines: [lines[0], "[]"], "line 2"),
        (lambda lines: [lines[0], GOOD.replace("[]", "[5]")], r"line 2: 'answers' is \[5\]"),
        (lambda lines: [GOOD.replace("[]", '"x"')], "'answers' is 'x'; an array"),
        (lambda lines: [GOOD.replace('"q00001"', "1")], "'id' is 1"),
        (lambda lines: ['{"raw_output": "x"}'], "has no 'id'"),
        (lambda lines: ['{"id": "q00001", "output": "x"}'], "it has the key.* 'output'"),
        (lambda lines: ['{"id": "q00001", "raw_output": "x", "answers": []}'], "has both"),
        (lambda lines: ['{"id": "q00001", "raw_output": "\\ud800"}'], "line 1: is not valid JSON"),
        (lambda lines: ['[{"id": "q00001"'], "is not valid JSON"),
    ],
    ids=range(14),
)
@pytest.mark.usefixtures("release")
def test_bad_predictions(
    here: Path, command: Command, change: Callable[[list[str]], list[str]], expected: str
) -> None:
    lines = change((here / "good.jsonl").read_text().splitlines())
    (here / "p.jsonl").write_text("".join(f"{line}\n" for line in lines))
    before = tree(here)
    assert_refused(command("evaluate", "release", "p.jsonl", "-o", "report.txt"), expected)
    assert tree(here) == before


@pytest.mark.usefixtures("release")
def test_predictions_that_are_no_text(here: Path, command: Command) -> None:
    for content, expected in (
        ("{}".encode("utf-16"), "UTF-16 byte order mark"),
        (b'{"id": "\xff"}', "line 1 is not UTF-8"),
        (b"\0", "NUL byte"),
    ):
        (here / "p.jsonl").write_bytes(content)
        assert_refused(command("evaluate", "release", "p.jsonl"), expected)
    assert_refused(command("evaluate", "release", "none.jsonl"), "no such file")
    assert_refused(command("evaluate", "release", "release"), "release: is a folder")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "release"], "name a question, or give --sample"),
        (["show", "release", "q99999"], "no question 'q99999'"),
        (["show", "release", "--sample", "-1"], "--sample is -1"),
        (["rename", "release", "--naming", "x", "-o", "o"], "naming 'x'; expected private"),
        (["rename", "release", "--naming", "text", "-o", "kg.tsv"], r"kg\.tsv: is a file"),
        (["answer", "release", "--with", "lookupp", "-o", "p"], "did you mean 'lookup'"),
        (["answer", "release", "--with", "lookup", "--kg", "half", "-o", "p"], r"half"),
        (["answer", "release", "--with", "lookup", "--split", "dev", "-o", "p"], "split: 'dev'"),
        (["answer", "release", "--with", "neighbours", "--hops", "0", "-o", "p"], "hops 0"),
        (["answer", "release", "--with", "lookup", "-o", "."], "is a folder"),
        (["evaluate", "release", "good.jsonl", "--matching", "x"], "matching: 'x'"),
        (["evaluate", "release", "good.jsonl", "--naming", "x"], "naming: 'x'"),
        (["evaluate", "release", "good.jsonl", "--split", "x"], "split: 'x'"),
        (["evaluate", "release", "good.jsonl", "--seed", "-1"], "seed -1"),
        (["evaluate", "release", "good.jsonl", "--against", "none"], "none: no such file"),
        (["evaluate", "release", "good.jsonl", "-o", "."], "is a folder"),
        (["baselines", "release", "--split", "x"], "split: 'x'"),
        (["data", "get"], "name a data set; known: demo"),
        (["data", "path", "famly"], "did you mean 'family'"),
        ([], "usage: rulemine"),
        (["bild"], "invalid choice: 'bild'"),
    ],
    ids=lambda v: " ".join(v)[:40],
)
@pytest.mark.usefixtures("release")
def test_bad_words_to_other_commands(
    here: Path, command: Command, words: list[str], expected: str
) -> None:
    before = tree(here)
    assert_refused(command(*words), expected)
    assert tree(here) == before
