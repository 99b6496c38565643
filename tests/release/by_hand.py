"""A small family, with its removed triples, rules and questions, as the parts of a release made by hand."""

from dataclasses import replace
from typing import Any

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.phrasing.templates import load_templates
from rulemine.query.answers import single_ends
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Certificate, Difficulty, PerDirection, Question, Removal
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures, Rule
from tests.questions import question


def rule(text: str, support: int, body_size: int) -> Rule:
    return replace(parse_readable(text), measures=Measures(support, body_size, body_size, 99, 0))


def removal(
    triple: Triple, by: Rule, body: tuple[Triple, ...], prior: tuple[float, float], **changes: Any
) -> Removal:
    std = by.known.std_confidence
    lift = PerDirection(std / prior[0], std / prior[1])
    difficulty = Difficulty(3, len(body), (), (), std, std, 0.5, PerDirection(*prior), lift)
    proves = by.proves(body) if len(body) == len(by.body) else triple  # some proofs are made up
    certificate = Certificate(by.id, proves, body)
    whole = Removal(triple, 100, ("object",), certificate, None, difficulty, False)
    return replace(whole, **changes)


def parts_of(
    complete: list[Triple],
    removals: list[Removal],
    rules: list[Rule],
    questions: list[Question],
    declared: Declarations | None = None,
    **changes: Any,
) -> ReleaseParts:
    kg = KnowledgeGraph.from_triples(complete)
    declared = declared or Declarations()
    single = single_ends(kg, declared)
    templates = replace(load_templates("", kg.relations), declarations=declared, single=single)
    names = tuple(EntityNames(f"e{i}", name, name.title()) for i, name in enumerate(kg.entities))
    parts = ReleaseParts(
        naming="entity", config={"naming": "entity", "selection": {"max_prior": 0.5}}, source={},
        complete=kg, reference=(), levels=(50, 100), removals=tuple(removals), rules=tuple(rules),
        questions=tuple(questions), rejections=(), names=names, templates=templates,
        model_counts={}, selection_counts={"rules_mined": 9, "upper_bound": 7, "core_upper_bound": 5},
    )  # fmt: skip
    return replace(parts, **changes)


AUNT = rule("sister(x,z) ∧ parent(z,y) ⇒ aunt(x,y)", 3, 4)
WIFE = rule("wife(y,x) ⇒ husband(x,y)", 1, 1)
SPOUSE = rule("lives_with(x,y) ⇒ spouse(x,y)", 3, 10)
FAMILY = [
    ("ann", "sister", "bea"), ("bea", "parent", "cy"), ("ann", "aunt", "cy"),
    ("ann", "aunt", "dan"), ("bea", "parent", "dan"),
    ("bea", "wife", "bob"), ("bob", "husband", "bea"),
    ("ann", "spouse", "al"), ("al", "spouse", "ann"), ("al", "lives_with", "ann"),
    ("ann", "lives_with", "al"),
]  # fmt: skip
REMOVALS = [
    removal(
        ("ann", "aunt", "cy"), AUNT, (("ann", "sister", "bea"), ("bea", "parent", "cy")),
        (1.0, 0.04), core=True, level=50,
    ),
    removal(("bob", "husband", "bea"), WIFE, (("bea", "wife", "bob"),), (1.0, 1.0), selected_by="x"),
    removal(("ann", "spouse", "al"), SPOUSE, (("ann", "lives_with", "al"),), (0.5, 0.5)),
    removal(("al", "spouse", "ann"), SPOUSE, (("ann", "lives_with", "al"),), (0.5, 0.5)),
]  # fmt: skip
_KNOWN = {r.triple: r for r in REMOVALS}
_EDGE = replace(_KNOWN["bob", "husband", "bea"].difficulty, proofs=1, inverse_edge=("wife",))
REMOVALS[1] = replace(REMOVALS[1], difficulty=_EDGE)
QUESTIONS = [
    replace(
        question(
            0, ("ann", "aunt", "cy"), core=True, rule=AUNT.id, rule_subtype="composition",
            rule_type="composition", split="test",
        ),
        answers=("cy", "dan"), stated=("dan",),
    ),
    question(
        1, ("bob", "husband", "bea"), rule=WIFE.id, rule_type="inversion", rule_subtype="inversion",
        split="train",
    ),
    question(
        2, ("al", "spouse", "ann"), "subject", rule=SPOUSE.id, rule_type="hierarchy",
        rule_subtype="hierarchy", split="train",
    ),
]  # fmt: skip
RULES = [AUNT, WIFE, SPOUSE]
