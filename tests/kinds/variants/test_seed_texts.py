"""Seed sets: from texts, from lists, and drawn; texts of all forms, and topics."""

import gzip
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants import seed_texts
from rulemine.kinds.variants.components import Ints
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.seed_texts import (
    SeedSet,
    SeedText,
    drawn_sets,
    given_sets,
    members_of,
    read_seed_texts,
)
from rulemine.kinds.variants.topics import OTHER, Topics
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.release.records import SeedRow
from tests import each

TRIPLES = "e1 lives_in c1|e2 lives_in c1|e3 lives_in c2|c1 part_of k|c2 part_of k"
LABELS = {
    "e1": "Ann", "e2": "Bo (singer)", "e3": "Bo (actor)", "c1": "Rome", "c2": "Paris", "k": "Éa",
}  # fmt: skip


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


def test_sets_of_texts_are_in_their_order_and_texts_without_entities_stay(inputs, tmp_path, notes):
    content = "Ann met Bo in Rome.\nBo came to Paris in Éa.\nNobody came.\nRome!\nNo\n"
    assert read(inputs, tmp_path / "a.txt", content) == ["c1 e1 e2", "c2 e3 k", "", "c1", ""]
    assert len(notes) == 1
    assert "3 of 5 texts name fewer than two entities" in notes[0]


def test_sets_of_lists_have_labels_or_entities(inputs, tmp_path, notes):
    content = (
        '{"id": "q1", "of": ["e1", "Rome", "e1"]}\n{"of": ["Paris", "nobody"]}\n'
        '{"of": ["c1", "Bo (singer)"]}\n{"of": ["k", "c1"]}\n'
    )
    found = read(inputs, tmp_path / "a.jsonl", content, ":of")
    assert found == ["c1 e1", "c2", "c1 e2", "c1 k"]
    assert len(notes) == 1
    assert "1 name of no entity" in notes[0]
    assert "'nobody'" in notes[0]


def test_a_label_that_two_entities_have_names_neither(inputs, tmp_path, notes):
    inputs.put(labels={"e1": "Ann", "e2": "Bo", "e3": "Bo"})
    assert read(inputs, tmp_path / "a.jsonl", '{"of": ["Ann", "Bo"]}\n', ":of") == ["e1"]
    assert "1 name of no entity" in notes[0]


def test_texts_that_name_nothing_and_options_that_clash_are_refused(inputs, tmp_path):
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


def test_drawn_sets_are_of_their_domain_in_turn_and_close_to_each_other(inputs, monkeypatch):
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
        ("tom", "/film/actor/film", "up"), ("up", "/film/film/genre", "fun"),
        ("ann", "/filmography/list/of", "up"), ("fun", "/media/genre/kind", "up"),
    ]  # fmt: skip
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


# Texts from files, folders and tables.

Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def put(name: str, content: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8", newline="")
        return path

    return put


def texts_of(texts: object, notes: list[str] | None = None) -> list[SeedText]:
    return read_seed_texts(str(texts), ([] if notes is None else notes).append)


def words(texts: object) -> list[object]:
    return [text for _, text in texts_of(texts)]


def test_a_file_is_read_a_text_a_line(put: Put) -> None:
    notes: list[str] = []
    texts = texts_of(put("a.txt", "Rome.\n\n  \nParis: \u2028one\r\nRome. \nRome.\n"), notes)
    assert [text for _, text in texts] == ["Rome.", "Paris: \u2028one"]
    assert notes == [f"{put('a.txt', 'x').parent}/a.txt: 2 empty or repeated texts left out."]


def test_ids_depend_on_the_text_alone(put: Put) -> None:
    lines = "t\nLondon\nParis\nRome  is old.\n"
    first = dict(texts_of(put("a.txt", "Rome is old.\nParis\n")))
    second = dict(texts_of(f"{put('other.csv', lines)}:t"))
    assert set(first) < set(second)
    assert all(len(key) == 13 and key.isalnum() for key in second)


def test_a_folder_is_read_a_text_a_file(put: Put) -> None:
    folder = put("all/Marie_Curie.txt", "Born in\n\nWarsaw.\n").parent
    put("all/b.MD", "Two\nlines")
    put("all/.hidden.txt", "no")
    put("all/empty.txt", " \n")
    put("all/data.json", "{}")
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"Packed."))
    notes: list[str] = []
    texts = [text for _, text in texts_of(folder, notes)]
    assert texts == ["Marie Curie\n\nBorn in\n\nWarsaw.\n", "b\n\nTwo\nlines", "c\n\nPacked."]
    assert [note.split(": ")[1] for note in notes] == [
        "1 file not read",
        "1 empty or repeated text left out.",
    ]


def test_a_column_of_a_table(put: Put) -> None:
    rows = 'id,title,text\n7,Ann,"Lives in\n""Rome"", they say"\nb,,Bo\n'
    expected = [("7", 'Ann\n\nLives in\n"Rome", they say'), ("b", "Bo")]
    assert texts_of(f"{put('a.csv', rows)}:text") == expected
    tsv = "text\tid\nAnn lives in Rome\t7\n"
    assert texts_of(f"{put('a.tsv', tsv)}:text") == [("7", "Ann lives in Rome")]
    lines = '{"id": 7, "body": "Ann {x}"}\n\n{"id": "8", "title": "Bo", "body": "is", "n": 1}\n'
    assert texts_of(f"{put('a.jsonl', lines)}:body") == [("7", "Ann {x}"), ("8", "Bo\n\nis")]
    assert words(f"{put('c:d.csv', 'x:y,z' + chr(10) + 'Rome,1')}:z") == ["1"]
    names = '{"id": "q", "of": ["Ann", "Rome"]}\n{"of": ["Rome"]}\n{"of": []}\n{"of": ["Rome"]}\n'
    listed = texts_of(f"{put('names.jsonl', names)}:of")
    assert [text for _, text in listed] == [("Ann", "Rome"), ("Rome",)]
    assert listed[0].id == "q"
    long = "text\n" + "a" * 200_000 + "\n"  # longer than the csv module reads unasked
    assert [len(str(text)) for text in words(f"{put('long.csv', long)}:text")] == [200_000]


BAD = [
    ("a.txt", "", "", "is empty"),
    ("a.txt", "x\0y", "", "line 1 holds a NUL byte"),
    ("a.txt", "x", ":text", "a.txt is no table"),
    ("a.csv", "id,text\n1,x", "", r"no column ''; name that of the texts, .*COLUMN; known: id, text"),
    ("a.csv", "id,text\n1,x", ":txt", "line 2 has no column 'txt'; .* did you mean 'text'"),
    ("a.csv", "id,text\n1,x,y", ":text", "line 2 has not one value for each column of line 1, id, text"),
    ("a.csv", 'id,text\n1,"x', ":text", "is no table: .*quotes closed"),
    ("a.csv", "id,id\n1,2", ":id", "each column of line 1, id, id, which need a name each"),
    ("a.csv", "id,text\n", ":text", "holds no text"),
    ("a.csv", "id,text\n1,x\n1,y", ":text", "line 3: has the id '1', as another text"),
    ("a.csv", "id,text\n,x\n", ":text", "line 2: id is ''"),
    ("a.jsonl", '{"text": 1}\n{"text": null}', ":text", r"line 1: text is 1\n.*line 2: text is None"),
    ("a.jsonl", '{"text": ["x", 1]}', ":text", r"line 1: text is \['x', 1\]"),
    ("a.jsonl", '{"text": "x", "id": true}', ":text", "line 1: id is True"),
    ("a.jsonl", '{"text": "x"}\n{}', ":text", "line 2 has no column 'text'"),
    ("a.jsonl", "[1]", ":text", "line 1"),
    ("f/a.pdf", "x", "", r"f: holds no text.*1 other file found"),
]  # fmt: skip


def test_bad_files_are_refused(put: Put) -> None:
    for name, content, column, message in BAD:
        path = put(name, content)
        with pytest.raises(InputError, match=f"(?s){message}"):
            texts_of(f"{path.parent if name.startswith('f/') else path}{column}")


def test_a_text_in_another_encoding_or_too_long_is_refused(put, monkeypatch):
    path = put("a.txt", "")
    path.write_bytes("Zürich".encode("latin-1"))
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        texts_of(path)
    monkeypatch.setattr(seed_texts, "MOST_CHARACTERS", 5)
    with pytest.raises(InputError, match=r"line 2: has 6 characters; at most 5.*a text a line"):
        texts_of(put("b.txt", "Rome\nParis!\n"))
    with pytest.raises(InputError, match="no such file"):
        texts_of("missing.txt")


def test_the_demo_has_its_texts() -> None:
    assert len(words("demo")) > 150


# Topics: from a file, or derived from the types that cover most entities.

PLACES = KnowledgeGraph.from_triples(
    [
        ("ann", "/people/person/born_in", "rome"), ("bob", "/people/person/born_in", "nice"),
        ("ann", "/film/actor/film", "m1"), ("m1", "/film/film/country", "italy"),
        ("rome", "/location/place/in", "italy"), ("nice", "/location/place/in", "france"),
        ("eve", "/people/person/born_in", "rome"), ("italy", "/location/country/capital", "rome"),
        ("france", "/location/country/capital", "nice"),
    ]
)  # fmt: skip
TYPES_OF_PLACES = types_of(PLACES)


def topics(tmp_path, text):
    (tmp_path / "t.toml").write_text(text)
    return Topics.load(tmp_path / "t.toml", PLACES, TYPES_OF_PLACES)


def test_the_answer_decides_before_the_relations_and_the_first_topic_wins(tmp_path):
    made = topics(
        tmp_path,
        'places = ["/location"]\nfilms = ["/film/film"]\nbirths = ["/people/person/born_in"]\n',
    )
    ids = PLACES.entity_ids
    assert made.topic(ids["rome"], ["/people/person/born_in"]) == "places"
    assert made.topic(ids["m1"], ["/film/actor/film"]) == "films"
    assert made.topic(ids["ann"], ["/film/actor/film", "/people/person/born_in"]) == "births"
    assert made.topic(ids["ann"], ["/film/actor/film"]) == OTHER


def test_a_domain_ends_at_a_separator(tmp_path):
    with pytest.raises(
        InputError, match="'films': no type and no relation of the graph is of /fil"
    ):
        topics(tmp_path, 'films = ["/fil"]')
    assert topics(tmp_path, 'films = ["/film/"]').names == ("films",)


@each(
    ("text", "told"),
    [
        ("", "holds no topic"),
        ('films = "/film"', "expected TOPIC = "),
        ("films = []", "expected TOPIC = "),
        ('films = ["/film", 3]', "has 3; expected a name"),
        ('["films"]\na = ["/film"]', "expected TOPIC = "),
    ],
)
def test_files_that_are_no_topics_are_refused(tmp_path, text, told):
    with pytest.raises(InputError, match=told):
        topics(tmp_path, text)


def test_derived_topics_cover_most_entities_and_the_rest_is_other():
    made = Topics.derived(TYPES_OF_PLACES)
    assert made.names == ("location", "people", "film")  # four entities, three, then one is left
    found = {name: made.topic(i, ()) for name, i in PLACES.entity_ids.items()}
    assert found["rome"] == "location"
    assert found["ann"] == "people"
    assert found["m1"] == "film"


def test_there_are_six_classes_at_most():
    triples = [(f"s{r}{i}", f"r{r}", f"o{r}{i}") for r in range(9) for i in range(9 - r)]
    kg = KnowledgeGraph.from_triples(triples)
    types = types_of(kg)
    made = Topics.derived(types)
    assert len(made.names) == 5
    found = {made.topic(i, ()) for i in range(len(kg.entities))}
    assert len(found) == 6
    assert OTHER in found
