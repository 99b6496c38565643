"""Graphs in RDF."""

import gzip
import random
import re
from pathlib import Path

import pyoxigraph as ox
import pytest
import zstandard

from rulemine.builder.pipeline import BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.datasets.labels import aliases_beside
from rulemine.datasets.registry import load_kg, load_labels
from rulemine.errors import InputError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import read_names, relation_names
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.release.differences import compare
from rulemine.release.reader import Release
from tests import each
from tests.command_line import FACTS, Command

TURTLE = """\
@prefix : <http://example.org/kin#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
# a comment
:ann :mother :bea ; a :Person ; rdfs:label "Anna"@de, "Ann\\n Lee"@en, "A" ; :born "1815-12-10" .
:ann :knows [ :mother :bea ] ; :knows :bob_k .
:bob_k :mother :bea ; rdfs:label "Robert"@de, "Bob" .
:P19 rdfs:label "place of birth"@en .
:bea :P19 <http://example.org/Sm%C3%B8la/> ; :mother :bea .
:bea :mother :bea .
"""
KIN = "http://example.org/kin#"
SMOLA = "http://example.org/Sm%C3%B8la/"
TRIPLES = [
    (f"{KIN}ann", "knows", f"{KIN}bob_k"), (f"{KIN}ann", "mother", f"{KIN}bea"),
    (f"{KIN}ann", "rdf:type", f"{KIN}Person"), (f"{KIN}bea", "mother", f"{KIN}bea"),
    (f"{KIN}bea", "place_of_birth", SMOLA), (f"{KIN}bob_k", "mother", f"{KIN}bea"),
]  # fmt: skip
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
IRIS = {"rdf:type": f"{RDF}type", "place_of_birth": f"{KIN}P19"}
NTRIPLES = [f"<{s}> <{IRIS.get(r, KIN + r)}> <{o}> .\n" for s, r, o in TRIPLES]
NTRIPLES += [f'<{KIN}P19> <{RDFS}label> "place of birth"@en .\n']


def test_a_name_is_a_label_where_there_is_no_other_and_other_labels_are_aliases(
    tmp_path: Path,
) -> None:
    path = tmp_path / "books.ttl"
    path.write_text(
        "@prefix : <http://example.org/> . @prefix s: <https://schema.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':b1 s:author :p1 ; s:name "Tides"@en . :p1 s:name "Ida Moe" ; rdfs:label "I. Moe"@no .\n'
        '@prefix skos: <http://www.w3.org/2004/02/skos/core#> . :b1 skos:altLabel "Gezeiten"@de, "Ebb"@en, '
        '"The Tides"@en, "Tides"@en . :p1 s:alternateName "Moe"@no .\n'
    )
    labels, aliases = read_names(path)
    book, person = "http://example.org/b1", "http://example.org/p1"
    assert (labels[book], labels[person]) == ("Tides", "I. Moe")
    assert aliases == {book: ("Ebb", "The Tides"), person: ("Moe",)}
    assert aliases_beside(str(path), KnowledgeGraph.read(path)) == aliases


def test_turtle_gives_a_graph_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "kin.ttl"
    path.write_text(TURTLE, "utf-8-sig")
    notes: list[str] = []
    kg = load_kg(str(path), note=notes.append)
    assert kg.labeled() == TRIPLES
    assert kg.duplicates == 1
    assert kg.labeled(kg.source_order[:2]) == [TRIPLES[1], TRIPLES[2]]
    assert [note.partition(": ")[2] for note in notes] == [
        "left out triples with a literal: 7, labels among these: 6, triples with a blank node: 2."
    ]
    labels = load_labels(str(path))
    assert {iri.removeprefix(KIN): text for iri, text in labels.items()} == {
        "ann": "Ann Lee", "bob_k": "Bob", "bea": "bea", "Person": "Person", "P19": "place of birth",
        SMOLA: "Smøla",
    }  # fmt: skip


def test_order_format_and_compression_change_nothing(tmp_path: Path) -> None:
    lines, expected = NTRIPLES[:], KnowledgeGraph.from_triples(TRIPLES).digest
    written = {".rdf": ox.RdfFormat.RDF_XML, ".jsonld": ox.RdfFormat.JSON_LD}
    suffixes = (".nt", ".ttl", ".nt.gz", ".ttl.zst", ".nq", ".trig", ".n3.gz", *written)
    for number, suffix in enumerate(suffixes):
        random.Random(number).shuffle(lines)
        content = "".join(lines).encode()
        if suffix in written:
            triples = [quad.triple for quad in ox.parse(content, format=ox.RdfFormat.N_TRIPLES)]
            content = ox.serialize(triples, format=written[suffix])
        path = tmp_path / f"kin{suffix}"
        packed = {".gz": gzip.compress, ".zst": zstandard.compress}.get(path.suffix, bytes)
        path.write_bytes(packed(content))
        assert KnowledgeGraph.read(path).digest == expected
        assert KnowledgeGraph.read(path, path).duplicates == len(TRIPLES)


WIKIDATA = "http://www.wikidata.org"
DESCRIBED = [
    (f"{WIKIDATA}/entity/Q1", f"{WIKIDATA}/prop/P3", "http://s/1"),
    ("http://s/1", f"{WIKIDATA}/prop/statement/P3", f"{WIKIDATA}/entity/Q2"),
    ("http://s/1", f"{WIKIDATA}/prop/qualifier/P7", f"{WIKIDATA}/entity/Q7"),
    ("http://s/2", f"{RDF}type", f"{RDF}Statement"),
    ("http://s/2", f"{RDF}object", "http://x/bob"),
    ("http://s/2", f"{RDF}predicate", "http://x/knows"),
    ("http://s/2", f"{RDF}subject", "http://x/ann"),
]


def test_what_nodes_describe_is_read_and_bad_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "kin.nt"
    bad = ["http is none", f"<{KIN}a b> <{KIN}knows> <{KIN}c> ."]
    path.write_text("\n".join([*bad, *(f"<{s}> <{r}> <{o}> ." for s, r, o in DESCRIBED)]))
    kg = KnowledgeGraph.read(path)
    assert kg.labeled() == [
        ("http://www.wikidata.org/entity/Q1", "P3", "http://www.wikidata.org/entity/Q2"),
        ("http://x/ann", "knows", "http://x/bob"),
    ]
    assert kg.left_out.startswith(
        "statements that are not N-Triples: 2, triples about statements: 7"
    )
    assert all(f"line {n} is not N-Triples" in kg.left_out for n in (1, 2))


def test_relations_get_the_first_readable_name_that_is_their_own() -> None:
    iris = {
        "http://rdf.freebase.com/ns/people.person.parents": "/people/person/parents",
        "http://dbpedia.org/ontology/birthPlace": "dbo:birthPlace",
        "https://schema.org/author": "schema:author",
        "http://purl.org/dc/terms/creator": "made_by",
        "http://x/a/creator": "a:creator",
        "http://y/b/creator": "http://y/b/creator",
        "http://z/b/creator/": "http://z/b/creator/",
        "urn:x:has%20part": "has_part",
        "http://www.wikidata.org/prop/direct/P31": "instance_of",
    }
    texts = {
        "http://purl.org/dc/terms/creator": "made  by",
        "http://www.wikidata.org/entity/P31": "instance of",
    }
    assert relation_names(iris, texts) == iris
    both = {f"{scheme}://schema.org/author" for scheme in ("http", "https")}
    assert relation_names(both, {}) == {iri: iri for iri in both}


def test_relation_names_are_one_to_one_and_keep_names_of_a_release() -> None:
    rng, parts = random.Random(3), ["a", "b", "a_b", "a:b", "a%20b", ""]
    for _ in range(300):
        iris = {f"x:{'/'.join(rng.choices(parts, k=rng.randint(1, 4)))}" for _ in range(9)}
        texts = {iri: rng.choice(["a", "a b", "x:a"]) for iri in iris if rng.random() < 0.3}
        assert len(set(relation_names(iris, texts).values())) == len(iris)
    own = {"/people/person/parents": "/people/person/parents", "a ./ b": "a_./_b", "é:#x": "é:#x"}
    made = relation_names(map(relation_iri, own), {})
    assert {name: made[relation_iri(name)] for name in own} == own


@each(
    ("name", "content", "told"),
    [
        ("a.ttl", b"@prefix : <http://x/> .\n:a :b :c d .\n", "line 2 is not Turtle (column"),
        ("a.nt", b"<http://x/a> <http://x/b> <http://x/c> .\n<http://x/a> <http://x/b>\n\n\n",
         "line 2 is not N-Triples"),
        ("a.ttl", b"<a> <b> <c> .\n", "Relative IRIs need an @base."),
        ("a.nt", b'<http://x/a> <http://x/b> "\xff" .\n', "line 1 is not N-Triples"),
        ("a.nt", b'<http://x/a> <http://x/b> "' + b"x" * (17 << 20) + b'" .\n',
         "a term, such as a literal, is too long"),
        ("a.nt", b"", "holds no triple; at least one"),
        ("a.ttl", b"[] <http://x/b> <http://x/c> .\n", "no triple between two IRIs"),
        ("a.tsv", b"<http://x/a> <http://x/b> <http://x/c> .\n", "if its name ends in .nt or .ttl"),
        ("a.txt", b"@prefix : <http://x/> .\n:a :b :c .\n", "if its name ends in .nt or .ttl"),
        ("a.rdf", b"<rdf:RDF/>", "line 1 is not RDF/XML (Unknown prefix rdf:)"),
        ("a.jsonld", b'{"@id": "http://x/a", ', "line 1 is not JSON-LD"),
        ("a.nt.gz", b"<http://x/a>", "is not a complete gz file"),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_with_the_line(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as problem:
        load_kg(str(path))
    assert told in str(problem.value)
    assert str(path) in str(problem.value)
    if path.suffix == ".nt":
        with pytest.raises(InputError, match="give files of one kind"):
            KnowledgeGraph.read(path, tmp_path / "b.tsv")


def test_a_build_from_rdf_reads_well_and_is_made_again(here: Path, command: Command) -> None:
    rows = [line.split("\t") for line in FACTS.splitlines()]
    people = sorted({row[i] for row in rows for i in (0, 2)})
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f"<{entity_iri(s)}> <{relation_iri(r)}> <{entity_iri(o)}> .\n" for s, r, o in rows]
    lines += [f'<{entity_iri(p)}> {label} "{p.upper()} of Rome"@en .\n' for p in people]
    (here / "kin.nt").write_text("".join(lines))
    words = ["--rules", "rules.txt", "-o", "out/kin", "--naming", "text"]
    ended = command("build", "kin.nt", *words)
    assert ended.status == 0, ended.err
    release = Release.open("out/kin")
    assert len(release.questions()) > 9
    for question in release.questions():
        assert re.fullmatch(r"(Whose|Who|What) .*[HWC]\d+ of Rome( \(.*\))?\?", question.question)
    assert {row.entity for row in release.entities} == set(map(entity_iri, people))
    iris = {r: relation_iri(r) for _, r, _ in rows}
    assert release.manifest["kg"]["relation_iris"] == iris
    (here / "kin.nt").unlink()  # the release stands in for it, and for the labels in it
    rebuild(release, here / "again", {"rules": "rules.txt"}, BuildContext())
    assert list(compare(release, here / "again")) == []
