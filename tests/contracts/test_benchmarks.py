"""The benchmarks call commands that exist: nothing else runs them between two measurements."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from rulemine.cli.main import make_parser
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine
from tests import ROOT


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


def test_every_stage_that_is_measured_is_a_command() -> None:
    bench = load("bench")
    assert len(bench.STEPS) > 5
    for step in set(bench.STEPS) - {"verify"}:
        parsed = make_parser().parse_args(words(bench.stage(step, "demo", "out/demo")))
        assert parsed.until == step


def test_ours_mines_as_rdfrules_does() -> None:
    command = load("bench").mining_as_rdfrules("demo", 3, (0.1, 0.3, 0.4))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[0]) > 100


def test_every_step_of_the_scale_benchmark_is_a_command() -> None:
    commands = load("scale").commands(Path("folder"), 1000, "wikidata", ["structures"])
    for step, command in commands.items():
        if "rulemine" in command:
            make_parser().parse_args(words(command))
        else:
            assert step in ("generate", "read", "read again")


@pytest.mark.parametrize("shape", ["even", "wikidata"])
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


def test_the_endpoint_that_is_measured_is_a_command() -> None:
    command = load("endpoint").serving("out/demo", 9)
    assert make_parser().parse_args(words(command)).serve == "sparql:port=0:max_rows=9"


def test_the_packages_are_as_many_as_said_and_built_by_commands(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    cypher = load("cypher")
    triples = cypher.packages()
    assert len(triples) == 31_000
    assert sum(row[1:] == ("depends on", "package-0") for row in triples) >= cypher.HUB
    commands = cypher.commands(Path("kg.tsv"), Path("out"))
    parsed = [make_parser().parse_args(words(command)) for command in commands]
    assert [step.until for step in parsed] == ["select", "release"]


def test_the_suite_builds_by_the_recipe_where_there_is_one() -> None:
    suite = load("suite")
    assert suite.recipe_of("fb15k237", "rules") == ["fb15k237"]
    assert suite.recipe_of("fb15k237", "structures") == ["structures-fb15k237"]
    assert suite.recipe_of("codex-m", "variants") == ["codex-m", "--kind", "variants"]
    for command in suite.commands("codex-m", "cypher", Path("out")):
        assert str(make_parser().parse_args(words(command)))
    assert "demo" in suite.graphs()


def test_the_suite_goes_on_where_it_stopped_and_says_what_failed(tmp_path, monkeypatch):
    suite = load("suite")
    asked: list[tuple[str, str]] = []
    made = {
        "triples": 1000, "removed": 20, "questions": 8, "missing": 4, "core": 3, "seconds": 2.5,
        "rules": 1.0,
        "archive": "0123456789abcdef", "hard_f1": {"lookup": 0.0, "prior": 0.5, "prior:k=5": 0.25},
    }  # fmt: skip

    def measured(graph: str, kind: str, _out: Path) -> dict[str, object]:
        asked.append((graph, kind))
        found = {"graph": graph, "kind": kind}
        return found | ({"failed": "build: exit 2: no | rule"} if kind == "cypher" else made)

    monkeypatch.setattr(suite, "measured", measured)
    for kinds in ("rules", "rules,cypher"):
        out = ["suite.py", str(tmp_path / "out"), "--graphs", "demo", "--kinds", kinds]
        monkeypatch.setattr("sys.argv", out)
        suite.main()
    assert asked == [("demo", "rules"), ("demo", "cypher")]
    text = (tmp_path / "out/suite.md").read_text()
    row = "| demo | rules | 1,000, 20 | 8 | 50% | 3 | 0.0 | 25.0 | – | 2; 1 | `0123456789ab` |"
    assert row in text.splitlines()
    assert "| demo | cypher | build: exit 2: no / rule |" in text
