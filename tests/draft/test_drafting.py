"""A graph in place of a recipe gets thresholds of its own; floors hold, and options win."""

import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rulemine.config import lookup, packaged
from rulemine.draft import drafting
from rulemine.draft.goal import ANSWER_SHARES, FLOORS, LADDER, SHARES, SURE
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.recipe.options import MiningSection
from rulemine.release.question_set import read_question_set
from rulemine.release.reader import Release
from rulemine.rules.formats import parse_readable, read_rules
from rulemine.rules.rule import Measures
from tests.command_line import Command, Ended, assert_refused, run_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph, and its build without options."""
    folder = tmp_path_factory.mktemp("drafted")
    lines = (packaged("datasets") / "demo/world.tsv").read_text().splitlines(keepends=True)
    (folder / "my.tsv").write_text("".join(lines[::2]))
    assert build(folder, "-o", "plain").status == 0
    return folder


def build(folder: Path, *options: str) -> Ended:
    """Builds from the graph of a folder."""
    return run_here(folder, ["build", "my.tsv", *options])


def config(folder: Path) -> dict[str, Any]:
    """The recipe of a release."""
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())["config"]
    return found


def test_a_graph_is_built_with_the_most_generous_step_and_all_floors(folder: Path) -> None:
    chosen = config(folder / "plain")
    kg = KnowledgeGraph.read(folder / "my.tsv")
    for choice in (*LADDER[-1].choices(kg), *FLOORS):
        assert lookup(chosen, tuple(choice.key.split("."))) == choice.value, choice.key
    assert run_here(folder, ["verify", "plain"]).status == 0
    assert run_here(folder, ["verify", "plain", "--rebuild", "--set", "kg=my.tsv"]).status == 0


def test_no_relation_has_more_of_the_core_than_half_of_it_needs(folder: Path) -> None:
    share = config(folder / "plain")["questions"]["max_relation_share"]
    asked = read_question_set(folder / "plain.stages" / "ask")

    def core(share: float) -> int:
        left = balance(asked, Limits(0.01, share, questions=10_000), 0).questions
        return sum(question.core for question in left)

    assert share in SHARES
    assert 2 * core(share) >= core(1.0) > 0
    assert all(2 * core(less) < core(1.0) for less in SHARES if less < share)


def test_the_smallest_share_that_leaves_half_of_the_core_is_chosen() -> None:
    left = dict(zip((1.0, *SHARES), (100, 30, 45, 50, 60, 70, 90), strict=True))
    chosen = []

    def limited(share: float, _asked: object) -> SimpleNamespace:
        return SimpleNamespace(questions=[SimpleNamespace(core=True)] * left[share])

    made: Any = object.__new__(drafting.Drafting)
    made.choices, made._settled, made._goal = (), set(), 0
    made.build = SimpleNamespace(
        run=chosen.append,
        asked=SimpleNamespace(questions=()),
        kind=SimpleNamespace(limits=SimpleNamespace(kept=limited)),
    )
    made._choose = lambda choices: chosen.append(choices[-1].value) or chosen[-1]
    assert made._share() == 50
    assert chosen[-1] == SHARES[2]


def test_rules_with_more_atoms_than_a_step_has_do_not_reach_it() -> None:
    rule = replace(parse_readable("p(x,z) ∧ q(z,y) ⇒ r(x,y)"), measures=Measures(9, 9, 9, 9, 0))
    reaches = [drafting._reaches(rule, MiningSection(max_atoms=most)) for most in (2, 3, 4)]
    assert reaches == [False, True, True]


def test_options_win_over_what_is_chosen(folder: Path) -> None:
    options = (
        "--set",
        "mining.max_atoms=3",
        "--set",
        "selection.per_rule=7",
        "--max-answer-share",
        "0.5",
    )
    share = ("--set", "questions.max_relation_share=0.8")
    assert build(folder, "-o", "own", *options, *share).status == 0
    chosen = config(folder / "own")
    assert chosen["mining"]["max_atoms"] == 3
    assert chosen["selection"]["per_rule"] == 7
    assert chosen["questions"]["max_answer_share"] == 0.5
    assert chosen["questions"]["max_relation_share"] == 0.8
    plain = config(folder / "plain")
    assert chosen["mining"]["min_head_coverage"] == plain["mining"]["min_head_coverage"]


def test_less_effort_takes_a_lower_step(folder: Path) -> None:
    ended = build(folder, "-o", "cheap", "--effort", "1", "--until", "ground")
    assert ended.status == 0
    chosen = "Thresholds were chosen for this graph"
    assert chosen in ended.out
    assert (
        "rules of 4 atoms with a head coverage of 0.0885 and a confidence of 0.2" not in ended.out
    )


def test_steps_with_more_rules_than_the_effort_is_enough_for_are_left(tmp_path: Path) -> None:
    """Among few entities with many relations, nearly every rule reaches the thresholds."""
    draw = random.Random(5)
    pairs = [(draw.randrange(40), draw.randrange(40)) for _ in range(80)]
    rows = [(s, r, o) for r in range(10) for s, o in pairs if draw.random() < 0.6]
    (tmp_path / "my.tsv").write_text("".join(f"n{s}\tlink {r}\tn{o}\n" for s, r, o in rows))
    ended = build(tmp_path, "-o", "dense", "--effort", "2", "--until", "ground")
    assert ended.status in (0, 2)
    assert len(read_rules(tmp_path / "dense.stages/mine/rules.jsonl")) <= 2_000
    assert ended.err.count("dense.stages/mine") == 1


def test_few_answers_may_be_those_of_more_questions(tmp_path: Path) -> None:
    """700 people of 40 firms in 20 towns: with 1 % each town would be asked for once."""
    draw = random.Random(2)
    rows = [(f"firm {f}", "located in", f"town {f % 20}") for f in range(40)]
    for i in range(700):
        f = draw.randrange(40)
        rows.append((f"person {i}", "works for", f"firm {f}"))
        town = f % 20 if draw.random() < 0.8 else draw.randrange(20)
        rows.append((f"person {i}", "lives in", f"town {town}"))
    (tmp_path / "my.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    assert build(tmp_path, "-o", "strict", "--max-answer-share", "0.01").status == 0
    ended = build(tmp_path, "-o", "own")
    strict, own = (len(Release.open(tmp_path / o).questions()) for o in ("strict", "own"))
    assert strict < 100 <= own < 300, (strict, own)
    assert config(tmp_path / "own")["questions"]["max_answer_share"] in ANSWER_SHARES
    assert "hardly anything" not in ended.err
    again = build(tmp_path, "-o", "strict", "--max-answer-share", "0.01")
    assert "share an answer: --set questions.max_answer_share=0.02" in again.out


def test_a_number_of_questions_is_a_limit_and_takes_the_first_step_that_has_them(
    folder: Path,
) -> None:
    assert build(folder, "-o", "few", "--questions", "60").status == 0
    questions = Release.open(folder / "few").questions()
    assert 54 <= len(questions) <= 60
    assert config(folder / "few")["questions"]["max_questions"] == 60
    assert config(folder / "few")["mining"] != config(folder / "plain")["mining"]
    assert run_here(folder, ["verify", "few"]).status == 0


def test_a_build_says_what_was_chosen_and_runs_no_stage_twice(folder: Path) -> None:
    ended = build(folder, "-o", "plain")
    assert "Thresholds were chosen for this graph: rules of 4 atoms" in ended.out
    stages = [line.split()[0] for line in ended.err.splitlines() if ".stages/" in line]
    assert stages == ["mine", "ground", "select", "ask", "balance", "split", "release"]
    assert ended.err.count(" reused ") == len(stages)


def test_rules_and_published_procedures_are_taken_as_they_are(here: Path, command: Command) -> None:
    assert command("build", "kg.tsv", "--rules", "rules.txt", "-o", "given").status == 0
    assert "max_questions" not in config(here / "given")["questions"]
    refused = command("build", "kg.tsv", "--rules", "rules.txt", "--effort", "9")
    assert_refused(refused, "--effort: is for thresholds chosen for a graph")
    assert_refused(command("build", "demo", "--effort", "9"), "--effort: is for thresholds")


def test_where_enough_questions_are_left_rules_are_as_confident_as_leaves_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "min_sure_confidence" not in config(folder / "plain")["selection"]
    monkeypatch.setattr(drafting, "ENOUGH", 40)
    assert build(folder, "-o", "sure").status == 0
    chosen = config(folder / "sure")
    value = chosen["selection"]["min_sure_confidence"]
    assert len(Release.open(folder / "sure").questions()) >= 40
    assert chosen["questions"]["max_relation_share"] <= drafting.MOST_OF_ONE
    assert run_here(folder, ["verify", "sure"]).status == 0
    for higher in (one for one in SURE if one > value):
        over = f"selection.min_sure_confidence={higher}"
        if build(folder, "-o", "surer", "--set", over, "--replace").status == 0:
            left = Release.open(folder / "surer")
            share = left.manifest["config"]["questions"]["max_relation_share"]
            assert len(left.questions()) < 40 or share > drafting.MOST_OF_ONE


@pytest.mark.parametrize("enough", [1, 10**6])
def test_kinds_that_draw_questions_have_sure_rules_if_enough_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, enough: int
) -> None:
    monkeypatch.setattr(drafting, "ENOUGH", enough)
    options = ("--kind", "variants", "-o", f"variants{enough}", "--set", "variants.questions=20")
    assert build(folder, *options).status == 0
    sure = config(folder / f"variants{enough}")["selection"].get("min_sure_confidence", 0.0)
    assert sure == (drafting.SURE_REMOVALS if enough == 1 else 0.0)


@pytest.mark.parametrize("kind", ["subgraphs", "variants"])
def test_what_a_kind_needs_is_chosen_too_unless_it_is_given(folder: Path, kind: str) -> None:
    ended = build(
        folder, "--kind", kind, "-o", kind, "--set", f"{kind}.questions=40",
        "--set", "questions.test_core=7",
    )  # fmt: skip
    assert ended.status == 0
    chosen = config(folder / kind)
    for key, value, _ in KINDS[kind].Options.drafted:
        expected = 7 if key == "questions.test_core" else value
        assert lookup(chosen, tuple(key.split("."))) == expected, key
    asked = Release.open(folder / kind).questions(None)
    assert 10 * sum(bool(question.missing) for question in asked) >= 3 * len(asked) > 0


def test_a_relation_that_nearly_all_questions_ask_about_has_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []
    for i in range(300):
        street = f"street{i % 60}"
        lines += [f"person{i}\tlives_in\thouse{i}", f"house{i}\tstands_in\t{street}"]
        lines += [f"person{i}\tlives_at\t{street}"]
    (tmp_path / "my.tsv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(MiningSection, "head_relations", ("lives_at",))
    assert build(tmp_path, "-o", "plain").status == 0
    assert config(tmp_path / "plain")["questions"]["max_relation_share"] == 1.0
    assert Release.open(tmp_path / "plain").manifest["counts"]["questions"] > 50


def test_a_limit_of_time_ends_a_build_which_goes_on_later(folder: Path) -> None:
    ended = build(folder, "-o", "timed", "--limit-seconds", "0")
    assert ended.status == 3
    assert "read: the 0 seconds of --limit-seconds are over" in ended.err
    assert not (folder / "timed").exists()
    assert build(folder, "-o", "timed", "--limit-seconds", "9000").status == 0
    assert (folder / "timed/manifest.json").read_bytes() == (
        folder / "plain/manifest.json"
    ).read_bytes()
