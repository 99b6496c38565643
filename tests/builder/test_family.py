"""Family, rules of at most three atoms: the figures of the published benchmark, and ours."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rulemine.builder.assemble import edges_between
from rulemine.builder.pipeline import Build
from rulemine.config import packaged
from rulemine.kg.graph import KnowledgeGraph
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.removal.selection import Selection
from rulemine.removal.setting import Setting
from rulemine.removal.steps import certify_as_chosen, select_brink
from rulemine.rules.formats import read_rules
from rulemine.rules.proofs import remaining_proofs
from rulemine.rules.rule import Rule
from tests import ROOT

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")
FACTS = DATA / "family" / "facts.tsv"
RULES = packaged("datasets", "family", "rules-brink.amie.txt")

pytestmark = pytest.mark.skipif(
    not (FACTS.exists() and RULES.exists()),
    reason=f"{FACTS} or {RULES} is not there; set RULEMINE_DATA to the folder of data sets",
)


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return KnowledgeGraph.read(FACTS)


@pytest.fixture(scope="module")
def rules() -> tuple[Rule, ...]:
    return read_rules(RULES)


def share_with_reverse_edge(kg: KnowledgeGraph, selection: Selection) -> float:
    """Share of the removed triples with some relation from object to subject still stated."""
    heads = kg.triples[selection.removed]
    left = edges_between(kg.without(selection.removed), heads[:, 2], heads[:, 0])
    return sum(map(bool, left)) / len(left)


def check(kg: KnowledgeGraph, selection: Selection) -> None:
    assert not np.isin(selection.body, selection.removed).any()
    assert np.bincount(selection.selected_by).max() <= 30
    left = kg.without(selection.removed)
    assert len(left) == len(kg) - len(selection.removed)
    proofs = remaining_proofs(left, selection.rules, kg.triples[selection.removed])
    assert proofs.count.min() >= 1
    assert set(proofs.shortest.tolist()) <= {1, 2}


def test_published_selection(kg: KnowledgeGraph, rules: tuple[Rule, ...]) -> None:
    found = certify_as_chosen(Setting.of(kg), select_brink(kg, rules), 0)
    counts = found.counts
    assert (counts.groundings, counts.provable, counts.considered) == (122_543, 16_607, 4_350)
    assert (len(found), len(found.removed)) == (2_217, 1_830)
    assert len(kg.without(found.removed)) == 15_785
    assert found.rules_covered == 100
    assert share_with_reverse_edge(kg, found) == pytest.approx(0.427, abs=0.0005)
    check(kg, found)


def test_the_recipe_asks_and_splits_as_published(tmp_path: Path) -> None:
    Build(load_recipe("family-brink", [(("kg",), str(FACTS))]), tmp_path / "x").run()
    release = Release.open(tmp_path / "x")
    splits = Counter(question.split for question in release.questions())
    assert splits == {"train": 1_773, "validation": 222, "test": 222}
    assert release.manifest["counts"]["distinct_texts"] == 1_647
