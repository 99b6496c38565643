"""Synthetic graphs: of the size asked for, skewed, and with rules that a miner finds again."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from rulemine.datasets.synthetic import DEFAULT_RULES, Synthetic, rules_file, write_synthetic
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, mine
from tests.command_line import Command, assert_refused

SMALL = 30_000


def made(tmp_path: Path, graph: Synthetic, name: str = "kg.tsv") -> KnowledgeGraph:
    write_synthetic(graph, tmp_path / name)
    return KnowledgeGraph.read(tmp_path / name)


@pytest.mark.parametrize(
    ("triples", "relations", "entities"), [(10_000, 40, None), (SMALL, 25, 900)]
)
def test_it_has_as_many_triples_and_relations_as_asked_for(
    tmp_path: Path, triples: int, relations: int, entities: int | None
) -> None:
    kg = made(tmp_path, Synthetic(triples, relations, 3, entities=entities))
    assert (len(kg), kg.duplicates, len(kg.relations)) == (triples, 0, relations)
    assert len(kg.entities) <= (entities or triples // 10)


def test_the_seed_decides_every_byte(tmp_path: Path) -> None:
    for name, seed in (("one.tsv", 1), ("same.tsv", 1), ("other.tsv", 2), ("one.tsv.gz", 1)):
        write_synthetic(Synthetic(5_000, 30, seed), tmp_path / name)
    one = (tmp_path / "one.tsv").read_bytes()
    assert one == (tmp_path / "same.tsv").read_bytes()
    assert one == gzip.decompress((tmp_path / "one.tsv.gz").read_bytes())
    assert one != (tmp_path / "other.tsv").read_bytes()


def test_degrees_are_skewed_and_every_relation_has_its_own_hub(tmp_path: Path) -> None:
    kg = made(tmp_path, Synthetic(SMALL, 20, 5))
    hubs = set()
    for relation in range(len(kg.relations) - 5, len(kg.relations)):  # nothing is planted in them
        degrees = np.bincount(kg.triples[kg.triples[:, 1] == relation][:, 2])
        assert degrees.max() > 10 * degrees[degrees > 0].mean()
        hubs.add(int(degrees.argmax()))
    assert len(hubs) == 5


def test_the_shape_of_wikidata_has_few_large_relations_and_a_hub(tmp_path: Path) -> None:
    graph = Synthetic(SMALL, 200, 5, shape="wikidata")
    kg = made(tmp_path, graph)
    sizes = np.sort(kg.relation_sizes())[::-1]
    assert (len(kg), len(sizes)) == (SMALL, 200)
    assert sizes[0] > 0.1 * SMALL
    assert sizes[100:].sum() < 0.15 * SMALL
    of_object = np.bincount(kg.triples[:, 1].astype(np.int64) * len(kg.entities) + kg.triples[:, 2])
    assert of_object.max() > 0.02 * SMALL
    assert len(graph.planted) == len(DEFAULT_RULES)


def test_the_miner_finds_the_planted_rules_with_their_confidences(tmp_path: Path) -> None:
    graph = Synthetic(SMALL, 30, 11)
    kg = made(tmp_path, graph)
    found = {rule.id: rule.known for rule in mine(kg, MiningOptions(max_atoms=3))}
    planted = [json.loads(line) for line in rules_file(tmp_path / "kg.tsv").open()]
    assert [row["id"] for row in planted] == [p.rule.id for p in graph.planted]
    assert len(planted) == len(DEFAULT_RULES)
    for row in planted:
        measures = found[row["id"]]
        assert measures.std_confidence == pytest.approx(row["planted_confidence"], abs=0.02)
        assert measures.support > 100


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--relations", "5"], "relations is 5; expected at least 17"),
        (["--triples", "900"], "triples is 900; expected at least 10,000, 100 per relation"),
        (["--entities", "50"], "entities is 50; expected 1,415 "),
        (["--rule", "inversoin:0.5"], "did you mean 'inversion'"),
        (["--rule", "inversion"], "expected type:confidence"),
        (["--rule", "inversion:1.5"], "expected type:confidence"),
        (["--seed", "-1"], "seed is -1"),
    ],
)
def test_what_cannot_be_generated_is_refused(
    here: Path, command: Command, words: list[str], expected: str
) -> None:
    assert_refused(command("data", "generate", "synthetic", *words, "-o", "s.tsv"), expected)
    assert not (here / "s.tsv").exists()


def test_the_commands_write_graphs(here: Path, command: Command) -> None:
    ended = command("data", "generate", "synthetic", "--triples", "2000", "--relations", "5",
                    "--rule", "inversion:0.8", "-o", "s.tsv")  # fmt: skip
    assert ended.out == "s.tsv: 2,000 triples\ns.tsv.rules.jsonl: 1 planted rule\n"
    assert command("data", "generate", "demo", "-o", "demo.tsv").status == 0
    assert len(KnowledgeGraph.read("demo.tsv")) > 1000


def test_a_rule_can_be_planted_alone() -> None:
    with pytest.raises(ConfigError, match="one more"):
        Synthetic(10_000, 3, rules=["composition:0.5"])
    planted = Synthetic(10_000, 4, rules=["composition:0.5"]).planted[0]
    assert str(planted.rule) == "r0(x,z) ∧ r1(z,y) ⇒ r2(x,y)"
