"""Seed sets: from texts, from lists, and drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants.components import Ints
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.seed_texts import SeedSet, members_of, seed_sets
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


def read(
    inputs: Inputs, path: Path, content: str, notes: list[str] | None = None, **more: Any
) -> list[str]:
    path.write_text(content, "utf-8")
    key = "entities" if path.suffix in (".list", ".json") else "texts"
    options = VariantSection(**{key: str(path)}, **more)
    found = seed_sets(inputs, options, 1, note=([] if notes is None else notes).append)
    return list(named(inputs, found).values())


def test_sets_of_texts_are_in_their_order_and_texts_without_entities_stay(
    inputs: Inputs, tmp_path: Path
) -> None:
    notes: list[str] = []
    content = "Ann met Bo in Rome.\nBo came to Paris in Éa.\nNobody came.\nRome!\nNo\n"
    assert read(inputs, tmp_path / "a.txt", content, notes) == ["c1 e1 e2", "c2 e3 k", "", "c1", ""]
    assert len(notes) == 1
    assert "3 of 5 texts name fewer than two entities" in notes[0]


def test_sets_of_lists_in_three_forms(inputs: Inputs, tmp_path: Path) -> None:
    notes: list[str] = []
    content = (
        "q1\te1\tRome\te1\n\n"
        '["q2", "Paris", "nobody"]\n["q3", ["c1", "Bo (singer)"]]\n{"id": "q4", "entities": ["k"]}\n'
    )
    assert read(inputs, tmp_path / "a.list", content, notes) == ["c1 e1", "c2", "c1 e2", "k"]
    assert len(notes) == 1
    assert "1 name of no entity" in notes[0]
    assert "'nobody'" in notes[0]


def test_a_label_that_two_entities_have_names_neither(inputs: Inputs, tmp_path: Path) -> None:
    inputs.put(labels={"e1": "Ann", "e2": "Bo", "e3": "Bo"})
    notes: list[str] = []
    assert read(inputs, tmp_path / "a.list", "q1\tAnn\tBo\n", notes) == ["e1"]
    assert "1 name of no entity" in notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1\te1\nq1\tc1\n", "line 2: id 'q1' again"),
        ("q1\n", "line 1: 'q1'"),
        ("[1]\n{\n[]\n", r"(?s)line 1: '\[1\]'.*line 2: '{'.*line 3"),
        ('{"id": "q", "entities": "e1"}\n', "line 1"),
        ('["q", 1]\n', "line 1"),
        ("q1\tAnna\n", "1 name of no entity of .*: 'Anna'. Give entities"),
        ("", "is empty"),
    ],
)
def test_bad_lists_are_refused(inputs: Inputs, tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(inputs, tmp_path / "a.list", content)


def test_texts_that_name_nothing_and_options_that_clash_are_refused(
    inputs: Inputs, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"has 1 text, none of which names.*Then give labels"):
        read(inputs, tmp_path / "a.txt", "Nothing.")
    with pytest.raises(ConfigError, match="both are given"):
        read(inputs, tmp_path / "a.txt", "Rome", entities="x.list")
    with pytest.raises(ConfigError, match=r"variants\.domains: is for seed sets that are drawn"):
        read(inputs, tmp_path / "a.txt", "Rome", domains=("x",))


def test_the_sets_of_a_run_come_first(inputs: Inputs) -> None:
    rows = (SeedRow("t9", ("c1", "e1"), "films", ""), SeedRow("t2", (), "", ""))
    inputs.put(seed_rows=rows)
    found = seed_sets(inputs, VariantSection(texts="missing.txt"), 1)
    assert named(inputs, found) == {"t9": "c1 e1", "t2": ""}
    assert [one.topic for one in found] == ["films", ""]


def test_drawn_sets_are_of_their_domain_in_turn_and_close_to_each_other(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VariantSection, "set_size", 3)
    domains = ("subject of lives_in", "object of part_of")
    options = VariantSection(domains=domains, sets=6)
    found = seed_sets(inputs, options, 5)
    assert [one.topic for one in found] == [*domains] * 3
    assert len({one.id for one in found}) == 6
    kinds = {domain: set(members_of(inputs.types, domain).tolist()) for domain in domains}
    for one in found:
        assert set(one.entities) <= kinds[one.topic]
        assert len(set(one.entities)) == len(one.entities) >= 1
    people = [inputs.kg.entities[e] for one in found[::2] for e in one.entities]
    assert "e3" not in people or len(people) < 6, "e3 shares no town with the others"
    assert seed_sets(inputs, options, 5) == found
    longer = VariantSection(domains=domains, sets=9)
    assert seed_sets(inputs, longer, 5)[:6] == found
    assert seed_sets(inputs, options, 6) != found


def test_drawn_sets_can_start_with_the_ends_of_a_removed_triple(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VariantSection, "set_size", 2)

    def drawn(removed: Ints, *domains: str) -> set[str]:
        options = VariantSection(sets=40, start="removed", domains=domains)
        found = seed_sets(inputs, options, 5, removed=removed)
        return set(named(inputs, found).values())

    rows = inputs.kg.rows_of(
        np.array([ids_of(inputs, "e1 lives_in c1"), ids_of(inputs, "c2 part_of k")])
    )
    assert drawn(rows) == {"c1 e1", "c2 k"}
    assert drawn(rows, "object of lives_in", "object of part_of") >= {"c1", "k"}
    assert len(drawn(rows[:0])) > 2, "nothing is removed"


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
