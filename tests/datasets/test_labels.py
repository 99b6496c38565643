import gzip
import json
from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.datasets import labels as reading
from rulemine.datasets.labels import LabelFile, Labels, aliases_beside, labels_of, readable_names
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.evaluation.reporting.made import in_short
from rulemine.kg.graph import KnowledgeGraph
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.recipe import QuestionSection, Recipe
from rulemine.release.contents import read_parts
from rulemine.release.differences import compare
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.command_line import FACTS, RULES

TRIPLES = [(f"Q{i}", "P19", f"Q{100 + i % 3}") for i in range(10)]
KG = KnowledgeGraph.from_triples(TRIPLES)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "kg.tsv"
    path.write_text("".join("\t".join(triple) + "\n" for triple in TRIPLES))
    return path


def people(number: int) -> str:
    return "".join(f"Q{i}\tPerson {i}\n" for i in range(number))


def none(note: str) -> None:
    raise AssertionError(note)


def found_beside(graph: Path, kg: KnowledgeGraph = KG) -> Labels:
    return reading.find_labels(str(graph), kg, none)


def test_files_beside_a_graph_name_entities_and_relations(graph):
    with gzip.open(graph.with_name("entity_labels.tsv.gz"), "wt") as file:
        file.write(people(8))
    graph.with_name("relations.tsv").write_text("P19\tplace of birth\nP20\tplace of death\n")
    graph.with_name("other.tsv").write_text(people(9))
    found = found_beside(graph)
    files = LabelFile("entity_labels.tsv.gz", 8, 0), LabelFile("relations.tsv", 0, 1)
    assert found.files == files
    assert (found.relations, len(found.entities)) == ({"P19": "place of birth"}, 8)


def test_aliases_beside_a_graph_are_no_labels(graph):
    lines = "entity\talias\nQ1\tAnn\nQ1\tA. N.\nQ1\tAnn\nQ7x\tB\n"
    graph.with_name("aliases.tsv").write_text(lines)
    assert aliases_beside(str(graph), KG) == {"Q1": ("A. N.", "Ann")}
    assert found_beside(graph) == Labels({}, {})
    assert aliases_beside("demo", KG) == {}


def test_forms_that_are_read(graph):
    for name, text in (
        ("labels.json", json.dumps({"Q1": "Ann", "Q2": "Bo", "Q100": "Rome"})),
        ("labels.json", json.dumps({"Q1": {"label": "Ann"}, "Q2": {"label": "Bo"}})),
        ("labels.txt", "id\tlabel\nQ1\tAnn\tperson\nQ2\tBo\tperson\n"),
        ("entity2text.txt", "Q1\tAnn\nQ2\tBo\n"),
    ):
        graph.with_name(name).write_text(text)
        found = found_beside(graph)
        assert found.entities["Q1"] == "Ann", name
        assert found.files[0].entities == len(found.entities) >= 2
        graph.with_name(name).unlink()


def test_of_two_labels_that_of_the_larger_file_counts(graph):
    graph.with_name("entity_labels.tsv").write_text(people(9))
    for name in ("a_labels.tsv", "labels.tsv"):
        graph.with_name(name).write_text("Q1\tAnn\nQ2\tBo\n")
        assert found_beside(graph).entities["Q1"] == "Person 1"


def test_ids_are_known_with_and_without_their_prefix(graph):
    path = graph.with_name("labels.tsv")
    for form in ("http://www.wikidata.org/entity/{}", "<http://x.org/a#{}>", "wd:{}"):
        path.write_text("".join(f"{form.format(f'Q{i}')}\tPerson {i}\n" for i in range(9)))
        assert found_beside(graph).entities["Q1"] == "Person 1"
        named = [(form.format(s), r, form.format(o)) for s, r, o in TRIPLES]
        path.write_text(people(9))
        found = found_beside(graph, KnowledgeGraph.from_triples(named))
        assert found.entities[form.format("Q1")] == "Person 1"


NO_LABELS = {
    "4 of its 13 ids are in the graph": "".join(f"Z{i}\tx{i}\n" for i in range(9)) + people(4),
    "it gives 9 ids of the graph 1 text": "".join(f"Q{i}\tperson\n" for i in range(9)),
    "its texts are names of the graph": "".join(f"Q{i}\tQ{i + 1}\n" for i in range(9)),
    "0 lines of 3 are id, tab, label": "no\nlabels\nat all\n",
}


def test_what_is_called_labels_and_holds_none_is_said(graph):
    path = graph.with_name("my_labels.tsv")
    for why, text in NO_LABELS.items():
        path.write_text(text)
        notes = []
        assert reading.find_labels(str(graph), KG, notes.append).files == ()
        assert [why in note for note in notes] == [True]
        # What is not called labels may be anything.
        other = path.rename(graph.with_name("entity_names.tsv"))
        assert found_beside(graph).files == ()
        other.unlink()
    graph.with_name("relations.tsv").write_text(graph.read_text())
    assert found_beside(graph).files == ()


def test_labels_are_chosen_switched_off_or_found(graph):
    graph.with_name("labels.tsv").write_text(people(9))
    own = graph.with_name("own.tsv")
    own.write_text("Q1\tAnn\nP19\tbirthplace\n")
    chosen = labels_of(str(own), str(graph), KG, none, beside=True)
    assert (chosen.entities["Q1"], chosen.relations) == ("Ann", {"P19": "birthplace"})
    assert labels_of("none", str(graph), KG, none, beside=True).entities == {}
    assert labels_of("", str(graph), KG, none, beside=False).entities == {}
    assert labels_of("", str(graph), KG, none, beside=True).entities["Q1"] == "Person 1"


FORMS = (
    (["land_reform.n.01", "bank.n.01"], ["land reform", "bank"]),
    (["__bank_NN_1", "__bank_NN_2", "__bank_VB_3"], ["bank (noun 1)", "bank (noun 2)", "bank (verb)"]),
    (["Barack_Obama", "New_York_City", "Rome"], ["Barack Obama", "New York City", "Rome"]),
    (["concept:city:new_york", "concept_person_ann_lee"], ["new york", "ann lee"]),
    (["user_1", "user_2"], ["user_1", "user_2"]),
    (["Ann", "Bo", "C", "D", "e_f"], ["Ann", "Bo", "C", "D", "e_f"]),
    (["A_B", "_abc", "email._policybase", "St._Louis"],
     ["A_B", "_abc", "email._policybase", "St. Louis"]),
)  # fmt: skip


def test_names_in_a_form_that_says_so_are_read():
    every = [readable_names(names, {}) for names, _ in FORMS]
    found = [[read.get(n, n) for n in names] for (names, _), read in zip(FORMS, every, strict=True)]
    assert found == [expected for _, expected in FORMS]
    labels = {"03207941": "__bank_NN_1", "1": "__bank_NN_2"}
    assert readable_names(labels, labels) == {"03207941": "bank (noun 1)", "1": "bank (noun 2)"}


def test_instances_and_taxa_are_written_as_names(graph):
    triples = [
        ("gulf_of_aden.n.01", "_instance_hypernym", "gulf.n.01"),
        ("mugilidae.n.01", "_hypernym", "fish_family.n.01"),
    ]
    found = labels_of("", str(graph), KnowledgeGraph.from_triples(triples), none, beside=True)
    assert {*found.entities.values()} == {"Gulf of Aden", "gulf", "Mugilidae", "fish family"}


def test_a_release_names_the_files_and_is_built_again_without_them(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "kg.tsv").write_text(FACTS.replace("child", "P40"))
    (folder / "rules.txt").write_text(RULES.replace("child", "P40"))
    entities = sorted({end for line in FACTS.splitlines() for end in line.split("\t")[::2]})
    labels = "".join(f"{name}\tPerson {name.upper()}\n" for name in entities)
    (folder / "labels.tsv").write_text(labels + "P40\tlegal guardian\n")
    settings: list[tuple[tuple[str, ...], object]] = [(("rules",), str(folder / "rules.txt"))]
    recipe = load_recipe(str(folder / "kg.tsv"), [*settings, (("naming",), "text")])
    Build(recipe, tmp_path / "release", BuildContext()).run()
    assert verify(tmp_path / "release").ok
    release = Release.open(tmp_path / "release")
    assert release.manifest["kg"]["labels"] == [
        {"file": "labels.tsv", "entities": len(entities), "relations": 1}
    ]
    n = len(entities)
    shown = f"Labels: labels.tsv, {n} of {n} entities; labels.tsv, 1 of 5 relations"
    assert any(shown in text for text in in_short(release))
    asked = read_parts(release).templates["P40"].ask_object
    assert asked == "Who is the legal guardian of {topic}?"
    assert {row.text for row in release.entities} == {f"Person {name.upper()}" for name in entities}

    (folder / "labels.tsv").unlink()
    (folder / "kg.tsv").unlink()
    rebuild(release, tmp_path / "again", {"rules": str(folder / "rules.txt")}, BuildContext())
    assert not list(compare(release, tmp_path / "again"))


def test_a_property_graph_of_triples_has_the_labels_beside_them(graph):
    graph.with_name("labels.tsv").write_text(people(9))
    graph.with_name("relations.tsv").write_text("P19\tplace of birth\n")
    found = load_property_graph(str(graph))
    assert {edge.type for edge in found.edges} == {"place_of_birth"}
    assert {"Person 0", "Person 8"} <= {node.name for node in found.nodes}
    plain = load_property_graph(str(graph), labels="none")
    assert {edge.type for edge in plain.edges} == {"P19"}
    assert "Q0" in {node.name for node in plain.nodes}


def test_packaged_recipes_look_for_no_labels(monkeypatch):
    asked: list[bool] = []

    def labels_of(*_given: object, beside: bool) -> Labels:
        asked.append(beside)
        return Labels({}, {})

    monkeypatch.setattr("rulemine.recipe.inputs.labels_of", labels_of)
    given = [("umls", "umls"), ("umls", ""), ("umls", "my/t.toml"), ("kg.tsv", "umls")]
    for kg, templates in given:
        inputs = Inputs(Recipe("x", kg, questions=QuestionSection(templates=templates)))
        inputs.put(kg=KG)
        assert inputs.labels == {}
    assert asked == [False, True, True, True]
