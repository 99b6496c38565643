"""Seed sets: from texts, from lists, and drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants.components import Ints
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.seed_texts import SeedSet, drawn_sets, given_sets, members_of
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.release.records import SeedRow

TRIPLES = "e1 lives_in c1|e2 lives_in c1|e3 lives_in c2|c1 part_of k|c2 part_of k"
LABELS = {
    "e1": "Ann",
    "e2": "Bo (singer)",
    "e3": "Bo (actor)",
    "c1": "Rome",
    "c2": "Paris",
    "k": "Éa",
}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    kg, labels = tmp_path / "kg.tsv", tmp_path / "labels.tsv"
    kg.write_text("".join(f"{line.replace(' ', chr(9))}\n" for line in TRIPLES.split("|")), "utf-8")
    labels.write_text("".join(f"{key}\t{label}\n" for key, label in LABELS.items()), "utf-8")
    settings: list[tuple[tuple[str, ...], Any]] = [
        (("kind",), "variants"),
        (("labels",), str(labels)),
    ]
    return Inputs(load_recipe(str(kg), settings))


def named(inputs: Inputs, sets: list[SeedSet]) -> dict[str, str]:
    return {one.id: " ".join(inputs.kg.entities[e] for e in one.entities) for one in sets}


def read(inputs: Inputs, path: Path, content: str, column: str = "") -> list[str]:
    path.write_text(content, "utf-8")
    inputs.recipe = replace(inputs.recipe, own=VariantSection(texts=f"{path}{column}"))
    return list(named(inputs, given_sets(inputs) or []).values())


@pytest.fixture
def notes(inputs: Inputs) -> list[str]:
    """What is told about the inputs."""
    told: list[str] = []
    inputs.warn = told.append
    return told


def test_sets_of_texts_are_in_their_order_and_texts_without_entities_stay(
    inputs: Inputs, tmp_path: Path, notes: list[str]
) -> None:
    content = "Ann met Bo in Rome.\nBo came to Paris in Éa.\nNobody came.\nRome!\nNo\n"
    assert read(inputs, tmp_path / "a.txt", content) == ["c1 e1 e2", "c2 e3 k", "", "c1", ""]
    assert len(notes) == 1
    assert "3 of 5 texts name fewer than two entities" in notes[0]


def test_sets_of_lists_have_labels_or_entities(
    inputs: Inputs, tmp_path: Path, notes: list[str]
) -> None:
    content = (
        '{"id": "q1", "of": ["e1", "Rome", "e1"]}\n{"of": ["Paris", "nobody"]}\n'
        '{"of": ["c1", "Bo (singer)"]}\n{"of": ["k", "c1"]}\n'
    )
    found = read(inputs, tmp_path / "a.jsonl", content, ":of")
    assert found == ["c1 e1", "c2", "c1 e2", "c1 k"]
    assert len(notes) == 1
    assert "1 name of no entity" in notes[0]
    assert "'nobody'" in notes[0]


def test_a_label_that_two_entities_have_names_neither(
    inputs: Inputs, tmp_path: Path, notes: list[str]
) -> None:
    inputs.put(labels={"e1": "Ann", "e2": "Bo", "e3": "Bo"})
    assert read(inputs, tmp_path / "a.jsonl", '{"of": ["Ann", "Bo"]}\n', ":of") == ["e1"]
    assert "1 name of no entity" in notes[0]


def test_texts_that_name_nothing_and_options_that_clash_are_refused(
    inputs: Inputs, tmp_path: Path
) -> None:
    both = ("a.txt", "Nothing.", ""), ("a.jsonl", '{"of": ["Anna"]}\n', ":of")
    for name, content, column in both:
        with pytest.raises(InputError, match=r"has 1 text, none of which names.*Then give labels"):
            read(inputs, tmp_path / name, content, column)
    own = VariantSection(texts="a.txt", domains=("x",))
    inputs.recipe = replace(inputs.recipe, own=own)
    with pytest.raises(ConfigError, match=r"variants\.domains: is for seed sets that are drawn"):
        given_sets(inputs)


def test_the_sets_of_a_run_come_first(inputs: Inputs) -> None:
    rows = (SeedRow("t9", ("c1", "e1"), "films", ""), SeedRow("t2", (), "", ""))
    inputs.put(seed_rows=rows)
    inputs.recipe = replace(inputs.recipe, own=VariantSection(texts="missing.txt"))
    found = given_sets(inputs)
    assert found is not None
    assert named(inputs, found) == {"t9": "c1 e1", "t2": ""}
    assert [one.topic for one in found] == ["films", ""]


def drawn(
    inputs: Inputs, seed: int, domains: tuple[str, ...], removed: Ints, core: Sequence[bool] = ()
) -> list[SeedSet]:
    """Sets of a graph from which some rows are removed."""
    own = VariantSection(domains=domains, questions=20)
    inputs.recipe = replace(inputs.recipe, own=own, seed=seed)
    selection: Any = SimpleNamespace(
        removed=removed, head=removed, core=np.array([*core] or [False] * len(removed), bool)
    )
    return list(drawn_sets(inputs, selection))


NOTHING = np.zeros(0, np.int64)


def test_drawn_sets_are_of_their_domain_in_turn_and_close_to_each_other(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VariantSection, "set_size", 3)
    domains = ("subject of lives_in", "object of part_of")
    found = drawn(inputs, 5, domains, NOTHING)
    assert [one.topic for one in found] == [*domains] * 50
    assert len({one.id for one in found}) == 100
    kinds = {domain: set(members_of(inputs.types, domain).tolist()) for domain in domains}
    for one in found:
        assert set(one.entities) <= kinds[one.topic]
        assert len(set(one.entities)) == len(one.entities) >= 1
    with_e3 = [one for one in named(inputs, found[::2]).values() if "e3" in one]
    assert {*with_e3} == {"e3"}, "e3 shares no town with the others"
    assert drawn(inputs, 5, domains, NOTHING) == found
    assert drawn(inputs, 6, domains, NOTHING) != found


def test_drawn_sets_start_with_the_ends_of_a_removed_triple_one_in_three_of_the_core(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VariantSection, "set_size", 2)
    rows = inputs.kg.rows_of(
        np.array([ids_of(inputs, "e1 lives_in c1"), ids_of(inputs, "c2 part_of k")])
    )
    times = Counter(named(inputs, drawn(inputs, 5, (), rows)).values())
    assert times.keys() == {"c1 e1", "c2 k"}
    of_core = Counter(named(inputs, drawn(inputs, 5, (), rows, (True, False))).values())
    assert of_core["c1 e1"] > times["c1 e1"]
    assert of_core["c2 k"] > 10
    ends = drawn(inputs, 5, ("object of lives_in", "object of part_of"), rows)
    assert {*named(inputs, ends).values()} >= {"c1", "k"}


def ids_of(inputs: Inputs, triple: str) -> list[int]:
    s, r, o = triple.split()
    return [inputs.kg.entity_ids[s], inputs.kg.relation_ids[r], inputs.kg.entity_ids[o]]


def test_domains_are_types_beginnings_or_patterns() -> None:
    triples = [
        ("tom", "/film/actor/film", "up"),
        ("up", "/film/film/genre", "fun"),
        ("ann", "/filmography/list/of", "up"),
        ("fun", "/media/genre/kind", "up"),
    ]
    kg = KnowledgeGraph.from_triples(triples)
    types = types_of(kg)

    def members(domain: str) -> list[str]:
        return [kg.entities[e] for e in members_of(types, domain).tolist()]

    assert members("film") == members("/film") == ["tom", "up"]
    assert members("/film/actor") == members("film/actor") == ["tom"]
    assert members("*actor") == ["tom"]
    assert members("/fil*") == ["ann", "tom", "up"]
    with pytest.raises(ConfigError, match=r"'films' is no type .* did you mean 'film'"):
        members_of(types, "films")
