"""The benchmarks call commands that exist: nothing else runs them between two measurements."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from rulemine.cli.main import make_parser
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine
from tests import ROOT, each


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(command: list[str]) -> list[str]:
    """What follows ``python -m rulemine``."""
    return command[command.index("rulemine") + 1 :]


def test_every_command_that_is_measured_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    bench, suite, folder = load("bench"), load("suite"), Path("folder")
    assert len(bench.STEPS) > 5
    for step in set(bench.STEPS) - {"verify"}:
        parsed = make_parser().parse_args(words(bench.stage(step, "demo", "out/demo")))
        assert parsed.until == step
    scale = load("scale").commands(folder, 1000, "wikidata", ["structures"])
    every = [*scale.values(), *load("cypher").commands(folder / "kg.tsv", folder)]
    every += [*suite.commands("codex-m", "cypher", folder), load("endpoint").serving("out/demo", 9)]
    ours = [command for command in every if "rulemine" in command]
    assert len(every) - len(ours) <= len({"generate", "read", "read again"} & scale.keys())
    for command in ours:
        make_parser().parse_args(words(command))


@each("shape", ["even", "wikidata"])
def test_the_miner_finds_the_rules_that_are_planted(tmp_path: Path, shape: str) -> None:
    synthetic = load("synthetic")
    graph = synthetic.Synthetic(30_000, 30, 11, shape=shape)
    synthetic.write_synthetic(graph, tmp_path / "kg.tsv")
    kg = KnowledgeGraph.read(tmp_path / "kg.tsv")
    assert (len(kg), kg.duplicates, len(kg.relations)) == (30_000, 0, 30)
    every = MiningOptions(max_atoms=3, min_head_coverage=0.01, min_initial_support=1)
    found = {rule.id: rule.known.std_confidence for rule in mine(kg, every)}
    for planted in graph.planted:
        assert found[planted.rule.id] == pytest.approx(planted.confidence, abs=0.03)


def test_the_suite_builds_by_the_recipe_where_there_is_one() -> None:
    suite = load("suite")
    assert suite.recipe_of("fb15k237", "rules") == ["fb15k237"]
    assert suite.recipe_of("fb15k237", "structures") == ["structures-fb15k237"]
    assert suite.recipe_of("codex-m", "variants") == ["codex-m", "--kind", "variants"]
