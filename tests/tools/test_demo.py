"""The generator of the demo's world, and what the package ships of it."""

import gzip
import unicodedata
from pathlib import Path

from rulemine.config import packaged
from rulemine.kg.graph import KnowledgeGraph
from tools.demo import texts as demo_texts
from tools.demo.__main__ import write_demo
from tools.demo.names import PEOPLES
from tools.demo.world import generate


def test_the_generator_gives_what_is_shipped_byte_for_byte(tmp_path: Path) -> None:
    write_demo(tmp_path)
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == ["texts.txt", "world.json.gz", "world.tsv"]
    for name in made:
        own, shipped = (
            (folder / name).read_bytes() for folder in (tmp_path, packaged("datasets", "demo"))
        )
        if name.endswith(".gz"):  # another zlib may pack the same content otherwise
            own, shipped = gzip.decompress(own), gzip.decompress(shipped)
        assert own == shipped, name


def test_another_seed_gives_another_world_of_the_same_kind():
    other = generate(8)
    assert other == generate(8)
    assert other != generate()
    assert {r for _, r, _ in other} == {r for _, r, _ in generate()}


def test_it_is_small():
    kg = KnowledgeGraph.from_triples(generate())
    assert 1500 <= len(kg) <= 3200
    assert 300 <= len(kg.entities) <= 600
    assert kg.duplicates == 0


def test_names_are_awkward_on_purpose():
    entities = KnowledgeGraph.from_triples(generate()).entities
    for part in (" ", ",", "'", "-", "&"):
        assert any(part in name for name in entities), part
    scripts = {unicodedata.name(c).split(" ")[0] for name in entities for c in name if c.isalpha()}
    assert {"LATIN", "GREEK", "CYRILLIC", "ARABIC", "CJK"} <= scripts
    assert any(unicodedata.combining(c) for name in entities for c in name)


def test_nobody_is_married_to_kin_and_marriage_goes_both_ways_mostly():
    triples = set(generate())
    married = {(s, o) for s, r, o in triples if r == "married_to"}
    siblings = {(s, o) for s, r, o in triples if r == "sibling_of"}
    both = sum((o, s) in married for s, o in married)
    assert not married & siblings
    assert 0.8 * len(married) < both < len(married)


def test_every_people_has_members():
    entities = KnowledgeGraph.from_triples(generate()).entities
    for kind in PEOPLES.values():
        assert any(kind.name(g, f) in entities for g in kind.given for f in kind.family)


def test_texts_are_one_line_each_and_name_what_they_are_about():
    entities = {name for s, _, o in generate() for name in (s, o)}
    texts = demo_texts.texts()
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert "\n" not in text
        assert text.endswith(".")
        assert sum(name in text for name in entities) >= 2, text
