"""The rules of real graphs are those of AMIE 3.5.1, with every measure."""

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, mine
from rulemine.query.atom import Atom
from rulemine.rules.rule import Rule
from tests import each

BRINK = (0.1, 0.3, 0.4)
DEFAULTS = (0.01, 0.1, 0.1)

Finder = Callable[[str], Path]
RuleName = tuple[str, tuple[Atom, ...]]
Counts = tuple[int, int, int, int]


def golden(path):
    """Canonical rule → (MUST, counts and functional variable, confidences)."""
    rules = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            # The rule itself holds no tab here; variables carry no meaning beyond ?a and ?b.
            text, coverage, std, pca, support, body, pca_body, functional, band = row
            names = {"?a": 0, "?b": 1}
            body_text, head_text = text.split(" => ")
            parts = body_text.split() + head_text.split()
            atoms = [
                Atom(names.setdefault(s, len(names)), r, names.setdefault(o, len(names)))
                for s, r, o in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
            ]
            rule = Rule(atoms[-1], tuple(atoms[:-1]))
            counts = (int(support), int(body), int(pca_body), int(functional == "?b"))
            measures = (float(coverage), float(std), float(pca))
            rules[rule.head.relation, rule.canonical_body] = (band == "MUST", counts, measures)
    return rules


@each(
    ("name", "kg", "max_atoms", "thresholds", "at_least", "at_most"), [
    ("family-3atoms.tsv", "family/facts.tsv", 3, BRINK, 145, 145),
    ("family-3atoms-defaults.tsv", "family/facts.tsv", 3, DEFAULTS, 347, 347),
    ("family-4atoms.tsv.gz", "family/facts.tsv", 4, BRINK, 1714, 1721),
    ("umls-3atoms.tsv", "umls/facts.tsv", 3, BRINK, 744, 744)]
)  # fmt: skip
def test_rules_and_measures_are_those_of_the_golden_list(
    name, kg, max_atoms, thresholds, at_least, at_most, shared
):
    expected = golden(shared(f"../amie/golden/{name}"))
    rules = mine(KnowledgeGraph.read(shared(kg)), MiningOptions(max_atoms, *thresholds))
    found = {(rule.head.relation, rule.body): rule for rule in rules}

    assert len(found) == len(rules)
    assert at_least <= len(rules) <= at_most
    assert {rule for rule, (must, _, _) in expected.items() if must} <= found.keys()
    assert found.keys() <= expected.keys()
    for key, rule in found.items():
        _, counts, measures = expected[key]
        ours = (rule.support, rule.body_size, rule.pca_body_size, rule.known.functional)
        assert ours == counts, rule
        known = rule.known
        assert (
            known.head_coverage, known.std_confidence, known.pca_confidence
        ) == pytest.approx(measures, rel=1e-12)  # fmt: skip


def test_any_number_of_threads_gives_the_same_rules(shared):
    kg = KnowledgeGraph.read(shared("family/facts.tsv"))
    one, four = (mine(kg, MiningOptions(4, *BRINK), Resources(n)) for n in (1, 4))
    assert one == four
