import json
from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from rulemine.errors import ReleaseError
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.phrasing.templates import load_templates
from rulemine.query import parse
from rulemine.query.sparql import to_sparql
from rulemine.release.naming import Namer, name_entities
from rulemine.release.records import Certificate, Entity, Rejection, Triple, as_given
from tests import structures
from tests.questions import question
from tests.release.test_records import REMOVAL

PEOPLE = ["Anna", "Bo, the elder", "{topic}", "東京", "?x", "=>"]


def test_private_ids_are_a_permutation_of_fixed_width():
    entities = [f"{i:04}" for i in range(2000)]
    names = name_entities(entities, seed=3)
    assert [n.private for n in names] == [f"e{i:05d}" for i in range(2000)]
    assert sorted(n.entity for n in names) == entities
    assert [n.entity for n in names] != entities
    assert names == name_entities(entities, seed=3)
    assert names != name_entities(entities, seed=4)
    more = name_entities(entities, seed=3, further=["aa", "z"])  # of the reference
    assert (more[:2000], {n.entity for n in more[2000:]}) == (names, {"aa", "z"})
    assert {len(n.private) for n in name_entities([f"{i:06}" for i in range(100_001)], seed=0)} == {
        7
    }


def test_text_labels_become_unique_whatever_they_are():
    labels = {"1": "Paris", "2": "Paris", "3": "Paris (1)", "4": "Rome", "5": "Rome", "6": "2"}
    entities = sorted([*labels, "Paris", "Paris (2)"])
    texts = {n.entity: n.text for n in name_entities(entities, seed=0, labels=labels)}
    assert len(set(texts.values())) == len(entities)
    assert texts["3"] == "Paris (1)"
    assert texts["1"] == "Paris (1) (1)"
    assert texts["4"] == "Rome (4)"
    assert texts["6"] == "2"


def test_each_naming_leads_back():
    names = name_entities(sorted(PEOPLE), seed=2, labels={"Anna": "Bo, the elder"})
    templates = load_templates("family", ["aunt"])
    asked = question(1, ("{topic}", "aunt", "Bo, the elder"))
    asked = Namer(names, templates, "entity").question(asked)
    removed = asked.removed[0]
    proof = Certificate("r", removed, (("東京", "back", "?x"),))
    removal = replace(REMOVAL, triple=removed, certificate=proof, further_certificates=(proof,))
    rejection = Rejection("ask", "why", "", removed, "object", "r", "detail", query=asked.query)
    for naming in NAMINGS:
        there = Namer(names, templates, naming)
        back = Namer(names, templates, "entity", source=naming)
        assert back.question(there.question(asked)) == asked
        assert back.record(there.record(removal)) == removal
        refused = there.rejection(rejection, "rules")
        assert refused.query == there.question(asked).query
        assert back.rejection(refused, "rules") == rejection


def test_the_text_is_made_anew_in_every_naming():
    names = name_entities(sorted(PEOPLE), seed=2)
    by_entity = {n.entity: n for n in names}
    templates = load_templates("family", ["aunt"])
    asked = question(1, ("Anna", "aunt", "{topic}"), "subject")
    for naming in NAMINGS:
        topic = by_entity["{topic}"].name_in(naming)
        named = Namer(names, templates, naming).question(asked)
        assert named.question == f"Who are the aunts of {topic}?"
        assert named.id == asked.id
        assert named.query == f'(p- "aunt" {json.dumps(topic, ensure_ascii=False)})'
        assert named.sparql == to_sparql(parse(named.query))
    assert by_entity["Anna"].name_in("numeric") == str(int(by_entity["Anna"].private[1:]))


THREE = [EntityNames("e1", "a", "Z"), EntityNames("e2", "b", "Y"), EntityNames("e3", "c", "X")]


def test_a_renamed_query_is_canonical_and_its_evidence_sorted():
    namer = Namer(THREE, load_templates("", ["aunt"]), "text")
    triples = (("a", "aunt", "c"), ("b", "aunt", "c"))
    query = '(and (p "aunt" "a") (p "aunt" "b"))'
    several = replace(
        question(1, triples[0]), anchors=("a", "b"), query=query, full_evidence=triples, evidence=triples
    )  # fmt: skip
    named = namer.question(several)
    assert named.anchors == ("Y", "Z")
    assert named.query == '(and (p "aunt" "Y") (p "aunt" "Z"))'
    assert named.sparql.index("entity:Y") < named.sparql.index("entity:Z")
    assert named.full_evidence == named.evidence == (("Y", "aunt", "X"), ("Z", "aunt", "X"))
    with pytest.raises(ReleaseError, match="no derivation by its query"):
        namer.question(replace(several, evidence=triples[::-1]))


def test_removed_triples_are_in_the_order_of_the_renamed_evidence():
    asked = structures.structure_question(0, '(and (p "citizen_of" "ann") (p "citizen_of" "bob"))')
    texts = {"ann": "Zoe", "bob": "Abe"}
    entities = sorted({end for s, _, o in structures.WORLD for end in (s, o)})
    names = [EntityNames(f"e{i}", e, texts.get(e, e)) for i, e in enumerate(entities)]
    named = Namer(names, load_templates("", ["citizen_of"]), "text").question(asked)
    assert [s for s, _, _ in asked.removed] == ["ann", "bob"]
    assert [s for s, _, _ in named.removed] == ["Abe", "Zoe"]
    assert named.removed == named.evidence


@dataclass(frozen=True, order=True)
class Choice:
    """A record within a block."""

    entity: Entity
    number: int


@dataclass(frozen=True)
class Riddle:
    """What somebody else's kind may have."""

    told: Entity
    nobody: Annotated[str | None, "entity"]
    facts: tuple[Triple, ...]
    in_order: Annotated[tuple[Entity, ...], as_given]
    choices: tuple[Choice, ...]
    pairs: tuple[tuple[Entity, str], ...]
    words: tuple[str, ...]


def test_a_record_is_renamed_by_the_types_of_its_fields():
    names = [EntityNames("e1", "a", "Z"), EntityNames("e2", "b", "Y")]
    namer = Namer(names, load_templates("", ["likes"]), "text")
    given = Riddle(
        "a", None, (("a", "r", "b"), ("b", "r", "a")), ("a", "b"), (Choice("a", 1), Choice("b", 2)),
        (("a", "b"), ("b", "a")), ("b", "a"),
    )  # fmt: skip
    assert namer.record(given) == Riddle(
        "Z", None, (("Y", "r", "Z"), ("Z", "r", "Y")), ("Z", "Y"), (Choice("Y", 2), Choice("Z", 1)),
        (("Y", "a"), ("Z", "b")), ("b", "a"),
    )  # fmt: skip
    assert namer.record(replace(given, nobody="b")).nobody == "Y"
