"""The benchmarks call commands that exist: nothing else runs them between two measurements."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from rulemine.cli.main import make_parser
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


def test_every_step_of_the_scale_benchmark_is_a_command() -> None:
    commands = load("scale").commands(Path("folder"), 1000)
    for step, command in commands.items():
        if "rulemine" in command:
            make_parser().parse_args(words(command))
        else:
            assert step in ("read", "read again")


def test_the_endpoint_that_is_measured_is_a_command() -> None:
    command = load("endpoint").serving("out/demo", 9)
    assert make_parser().parse_args(words(command)).max_rows == 9


def test_the_packages_are_as_many_as_said_and_built_by_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    cypher = load("cypher")
    triples = cypher.packages()
    assert len(triples) == 31_000
    assert sum(row[1:] == ("depends on", "package-0") for row in triples) >= cypher.HUB
    commands = cypher.commands(Path("kg.tsv"), Path("out"))
    parsed = [make_parser().parse_args(words(command)) for command in commands]
    assert [step.until for step in parsed] == ["select", "release"]
