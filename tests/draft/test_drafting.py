"""A graph in place of a recipe gets thresholds of its own; floors hold, and options win."""

import json
import random
from types import SimpleNamespace
from typing import Any

import pytest

from rulemine.config import lookup, packaged
from rulemine.draft import drafting
from rulemine.draft.drafting import FLOORS, LIMITS, SETTINGS, mining_work, proving_work
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.recipe.recipe import MiningSection
from rulemine.release.question_set import read_question_set
from rulemine.release.reader import Release
from rulemine.rules.formats import read_rules
from tests import each
from tests.command_line import assert_refused, run_here
from tests.releases import built
from tests.small_graphs import small_graph


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a graph, and its build without options."""
    folder = tmp_path_factory.mktemp("drafted")
    lines = (packaged("datasets") / "demo/world.tsv").read_text().splitlines(keepends=True)
    (folder / "my.tsv").write_text("".join(lines[::2]))
    assert build(folder, "-o", "plain").status == 0
    return folder


def build(folder, *options):
    """Builds from the graph of a folder."""
    return run_here(folder, ["build", "my.tsv", *options])


def config(folder):
    """The recipe of a release."""
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())["config"]
    return found


@pytest.mark.slow
def test_a_small_graph_is_built_with_the_most_rules_and_all_floors(folder):
    chosen = config(folder / "plain")
    kg = KnowledgeGraph.read(folder / "my.tsv")
    for choice in (*SETTINGS[0].choices(kg), *FLOORS):
        assert lookup(chosen, tuple(choice.key.split("."))) == choice.value, choice.key
    assert run_here(folder, ["verify", "plain"]).status == 0
    assert run_here(folder, ["verify", "plain", "--rebuild", "--set", "kg=my.tsv"]).status == 0


def test_the_strictest_limits_that_leave_half_of_the_core_are_chosen(folder):
    chosen = config(folder / "plain")["questions"]
    limits = chosen["max_answer_share"], chosen["max_relation_share"]
    asked = read_question_set(folder / "plain.stages" / "ask")

    def core(limits):
        left = balance(asked, Limits(*limits, questions=10_000), 0).questions
        return sum(question.core for question in left)

    assert 2 * core(limits) >= core(LIMITS[-1]) > 0
    assert all(2 * core(one) < core(LIMITS[-1]) for one in LIMITS[: LIMITS.index(limits)])


def test_the_first_limits_that_leave_half_of_the_core_are_chosen():
    left = dict(zip(LIMITS, (249, 250, 300, 500, 500, 500), strict=True))

    def limited(limits, _asked):
        return SimpleNamespace(questions=[SimpleNamespace(core=True)] * left[limits])

    made: Any = object.__new__(drafting.Drafting)
    made.choices, made._limited = (), True
    made.build = SimpleNamespace(
        run=len, asked=SimpleNamespace(questions=()), selection=None,
        kind=SimpleNamespace(limits=SimpleNamespace(kept=limited))
    )  # fmt: skip
    made._choose = lambda choices: tuple(choice.value for choice in choices)
    assert made._left() == 250


def test_options_win_over_what_is_chosen(folder):
    options = (
        "--set", "mining.max_atoms=3", "--set", "selection.per_rule=7",
        "--set", "questions.max_answer_share=0.5",
    )  # fmt: skip
    share = ("--set", "questions.max_relation_share=0.8")
    assert build(folder, "-o", "own", *options, *share).status == 0
    chosen = config(folder / "own")
    assert chosen["mining"]["max_atoms"] == 3
    assert chosen["selection"]["per_rule"] == 7
    assert chosen["questions"]["max_answer_share"] == 0.5
    assert chosen["questions"]["max_relation_share"] == 0.8
    plain = config(folder / "plain")
    assert chosen["mining"]["min_head_coverage"] == plain["mining"]["min_head_coverage"]


def test_less_effort_takes_fewer_rules(folder):
    ended = build(folder, "-o", "cheap", "--effort", "1", "--until", "ground")
    assert ended.status == 0
    chosen = "Thresholds were chosen for this graph"
    assert chosen in ended.out
    assert "rules of 4 atoms" not in ended.out


def test_settings_with_more_rules_than_the_effort_is_enough_for_are_left(tmp_path):
    """Among few entities with many relations, nearly every rule reaches the thresholds."""
    draw = random.Random(5)
    pairs = [(draw.randrange(40), draw.randrange(40)) for _ in range(80)]
    rows = [(s, r, o) for r in range(10) for s, o in pairs if draw.random() < 0.6]
    (tmp_path / "my.tsv").write_text("".join(f"n{s}\tlink {r}\tn{o}\n" for s, r, o in rows))
    ended = build(tmp_path, "-o", "dense", "--effort", "2", "--until", "ground")
    assert ended.status in (0, 2)
    assert len(read_rules(tmp_path / "dense.stages/mine/rules.jsonl")) <= 2_000
    assert ended.err.count("dense.stages/mine") == 1


def test_few_answers_may_be_those_of_more_questions(tmp_path):
    """700 people of 40 firms in 20 towns: with 1 % each town would be asked for once."""
    draw = random.Random(2)
    rows = [(f"firm {f}", "located in", f"town {f % 20}") for f in range(40)]
    for i in range(700):
        f = draw.randrange(40)
        rows.append((f"person {i}", "works for", f"firm {f}"))
        town = f % 20 if draw.random() < 0.8 else draw.randrange(20)
        rows.append((f"person {i}", "lives in", f"town {town}"))
    (tmp_path / "my.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    assert build(tmp_path, "-o", "strict", "--set", "questions.max_answer_share=0.01").status == 0
    assert build(tmp_path, "-o", "own").status == 0
    strict, own = (len(Release.open(tmp_path / o).questions()) for o in ("strict", "own"))
    assert strict < 100 <= own, (strict, own)
    assert config(tmp_path / "own")["questions"]["max_answer_share"] > 0.01
    again = build(tmp_path, "-o", "strict", "--set", "questions.max_answer_share=0.01")
    assert "share an answer: --set questions.max_answer_share=0.02" in again.out


@pytest.mark.slow
def test_a_number_of_questions_is_a_limit_and_takes_the_surest_rules_that_have_them(folder):
    assert build(folder, "-o", "few", "--questions", "60").status == 0
    questions = Release.open(folder / "few").questions()
    assert 54 <= len(questions) <= 60
    assert config(folder / "few")["questions"]["max_questions"] == 60
    assert config(folder / "few")["mining"] != config(folder / "plain")["mining"]
    assert run_here(folder, ["verify", "few"]).status == 0


def test_a_build_says_what_was_chosen_and_runs_no_stage_twice(folder):
    ended = build(folder, "-o", "plain")
    assert "Thresholds were chosen for this graph: rules of 4 atoms" in ended.out
    stages = [line.split()[0] for line in ended.err.splitlines() if ".stages/" in line]
    assert stages == ["mine", "ground", "select", "ask", "balance", "split", "twin", "release"]
    assert ended.err.count(" reused ") == len(stages)


def test_rules_and_published_procedures_are_taken_as_they_are(here, command):
    assert command("build", "kg.tsv", "--rules", "rules.txt", "-o", "given").status == 0
    assert config(here / "given")["questions"]["max_questions"] == 0
    refused = command("build", "kg.tsv", "--rules", "rules.txt", "--effort", "9")
    assert_refused(refused, "--effort: is for thresholds chosen for a graph")
    assert_refused(command("build", "demo", "--effort", "9"), "--effort: is for thresholds")


@pytest.mark.slow
@pytest.mark.parametrize(("enough", "kept"), [(1, 2), (10**6, 0)])
@pytest.mark.parametrize("kind", ["rules", "variants"])
def test_the_surest_rules_that_leave_enough_are_taken(folder, monkeypatch, kind, enough, kept):
    """Enough questions, or, of kinds that draw them, removed triples."""
    monkeypatch.setattr(drafting, "ENOUGH", enough)
    few = ("--set", "variants.questions=20") if kind == "variants" else ()
    name = f"{kind}{enough}"
    assert build(folder, "--kind", kind, "-o", name, *few).status == 0
    chosen = config(folder / name)
    assert chosen["mining"]["max_atoms"] == SETTINGS[kept].max_atoms
    assert chosen["selection"]["per_rule"] == SETTINGS[kept].per_rule
    assert run_here(folder, ["verify", name]).status == 0


@pytest.mark.slow
@each("kind", ["subgraphs", "variants"])
def test_what_a_kind_needs_is_chosen_too_unless_it_is_given(folder, kind):
    ended = build(
        folder, "--kind", kind, "-o", kind, "--set", f"{kind}.questions=40", "--set", "questions.test_core=7"
    )  # fmt: skip
    assert ended.status == 0
    chosen = config(folder / kind)
    for key, value, _ in KINDS[kind].Options.drafted:
        expected = 7 if key == "questions.test_core" else value
        assert lookup(chosen, tuple(key.split("."))) == expected, key
    asked = Release.open(folder / kind).questions(None)
    assert 10 * sum(bool(question.missing) for question in asked) >= 3 * len(asked) > 0


def test_a_relation_that_nearly_all_questions_ask_about_has_no_limit(tmp_path, monkeypatch):
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


def test_a_limit_of_time_ends_a_build_which_goes_on_later(folder):
    ended = build(folder, "-o", "timed", "--limit-seconds", "0")
    assert ended.status == 3
    assert "read: the 0 seconds of --limit-seconds are over" in ended.err
    assert not (folder / "timed").exists()
    assert build(folder, "-o", "timed", "--limit-seconds", "9000").status == 0
    assert (folder / "timed/manifest.json").read_bytes() == (
        folder / "plain/manifest.json"
    ).read_bytes()


def joins(kg):
    """Pairs of relation ends that meet at an entity, and pairs at the two entities of a triple."""
    ends = {
        (entity, relation, side)
        for s, relation, o in kg.labeled()
        for side, entity in enumerate((s, o))
    }
    at = {entity: sum(end[0] == entity for end in ends) for entity in kg.entities}
    return sum(n * n for n in at.values()), sum(at[s] * at[o] for s, _, o in kg.labeled())


@each("seed", range(5))
def test_the_work_of_mining_is_counted_in_joins(seed):
    kg = small_graph(random.Random(seed), least=5)
    at_entities, along_triples = joins(kg)
    assert mining_work(kg, 3) == at_entities / 1e6
    assert mining_work(kg, 4) == (at_entities + along_triples) / 1e6
    assert mining_work(kg, 2) == len(kg) / 1e6
    assert mining_work(kg, 5) >= mining_work(kg, 4)


def test_the_work_of_rules_grows_with_their_matches_up_to_the_sample():
    rules = read_rules(built("demo-rules") / "rules.jsonl")
    sizes = [rule.known.body_size for rule in rules]
    assert proving_work(rules, 0) == sum(1000 + 8 * size for size in sizes) / 1e6
    assert proving_work(rules, 7) == sum(1000 + 8 * min(size, 7) for size in sizes) / 1e6
    assert proving_work([], 7) == 0


def test_a_rule_explains_ten_triples_where_relations_are_small():
    triples = [(f"a{i}", "large", f"b{i}") for i in range(300)]
    triples += [(f"a{i}", "small", f"b{i}") for i in range(299)]
    kg = KnowledgeGraph.from_triples(triples)
    coverage = {c.key: c.value for c in SETTINGS[0].choices(kg)}["mining.min_head_coverage"]
    assert coverage == round(10 / 300, 4)
