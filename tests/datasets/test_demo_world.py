import unicodedata

from rulemine.config import packaged
from rulemine.datasets.demo_names import PEOPLES
from rulemine.datasets.demo_world import generate
from rulemine.kg.graph import KnowledgeGraph


def shipped() -> str:
    return packaged("datasets", "demo", "world.tsv").read_text(encoding="utf-8")


def test_the_generator_gives_the_file_byte_for_byte():
    assert KnowledgeGraph.from_triples(generate()).to_tsv() == shipped()


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
