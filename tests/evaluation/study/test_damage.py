import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import ConfigError, OutputError, ReleaseError
from rulemine.evaluation.answerers.registry import answer
from rulemine.evaluation.study.damage import DamagedRelease
from rulemine.evaluation.study.options import DAMAGES
from rulemine.evaluation.study.plan import StudyPlan, runs_of
from rulemine.evaluation.study.results import (
    StudyScores,
    document_of,
    figures,
    tables,
    write_results,
)
from rulemine.evaluation.study.run import StudyFolder
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.papers.material import read_material
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.rules.proofs import remaining_proofs
from tests import ROOT
from tests.evaluation.study.test_results import of
from tests.evaluation.study.test_run import files
from tests.evaluation.world import removals_of, write_release
from tests.questions import question
from tests.release.by_hand import removal, rule
from tests.releases import built

UNCLE, NEPHEW = ("ann", "uncle", "ugo"), ("ugo", "nephew", "ann")
PROOF = (("ann", "mother", "mia"), ("mia", "brother", "ugo"))
BESIDE = [("ugo", "nephew", "ugo"), ("ann", "aunt", "lea"), ("lea", "knows", "far0")]
FAR = [(f"far{at}", "knows", f"far{at + 1}") for at in range(60)]
OTHERS = (("far3", "likes", "far9"), ("far5", "likes", "far2"))
UNCLES = rule("mother(x,z) ∧ brother(z,y) ⇒ uncle(x,y)", 4, 5)
DECLARED = Declarations.of(inverse=[("uncle", "nephew")], same=[("uncle", "oncle")])


def release_of(folder, *restated, others=OTHERS):
    """Asks for Ann's uncle. That he has a nephew is the other statement; what restates it stays."""
    asked = question(1, UNCLE, rule=UNCLES.id, split="test")
    levels = dict.fromkeys((NEPHEW, *others), 100) | {OTHERS[0]: 50}
    gone = [removal(t, UNCLES, PROOF, (0.1, 0.1), level=at) for t, at in levels.items()]
    stated = [*PROOF, *BESIDE, *FAR, *restated]
    names = sorted({end for s, _, o in [*stated, UNCLE, *others] for end in (s, o)})
    return write_release(
        folder, [asked], incomplete=stated, removed=[UNCLE, NEPHEW, *others], rules=[UNCLES],
        names=[EntityNames(f"e{at:03d}", name, name.title()) for at, name in enumerate(names)],
        naming="entity", removals=[*removals_of([asked]), *gone], declarations=DECLARED, levels=(50, 100),
    )  # fmt: skip


def damaged(release, split="test", sample=None, seed=0):
    return DamagedRelease(release.path, release.folder, release.manifest, split, sample, seed)


def lost(release, which):
    """What a graph lacks, told from the graphs alone."""
    return {*release.kg("complete").labeled()} - {*release.kg(which).labeled()}


def statements(release, triple):
    """All ways to state a fact."""
    s, r, o = triple
    ways = release.templates().declarations.statements(r, "object")
    return {(s, other, o) if end == "object" else (o, other, s) for other, end in ways}


def ids_of(kg, heads):
    """The ids of triples, each with the question that they are of."""
    entity, relation = kg.entity_ids, kg.relation_ids
    return np.array([(entity[s], relation[r], entity[o]) for _, (s, r, o) in heads], np.int32)


@pytest.fixture(scope="module")
def demo():
    return damaged(Release.open(built("demo") / "demo"))


def test_random_leaves_the_proof_and_path_breaks_it(tmp_path):
    """Beside the uncle two triples go: those of the one path that leads to him, or two of 65."""
    release_of(tmp_path / "release")
    plan = StudyPlan(
        release=str(tmp_path / "release"), systems=("lookup", "reasoner"), levels=(0, 50, 100),
        damage=DAMAGES, resamples=20,
    )  # fmt: skip
    study = StudyFolder(plan, tmp_path / "out")
    release, asked = study.release, {UNCLE, NEPHEW}
    assert lost(release, "provable-100") == asked | {*OTHERS} == lost(release, "incomplete")
    assert lost(release, "path-100") == asked | {*PROOF}
    drawn = lost(release, "random-100") - asked
    assert (len(drawn), drawn & {*PROOF}) == (2, set())
    assert lost(release, "random-50") < drawn  # the uncle goes at 100
    study.answer()
    scores = StudyScores(study)
    table = of(tables(scores), "damage")
    shown = [(*row[:5], *(cell.value for cell in row[5:])) for row in table.rows if row[0] == "100"]
    assert shown == [
        ("100", "provable", 2, "lookup", 1, 1, 0, 0), ("100", "provable", 2, "reasoner", 1, 1, 1, 1),
        ("100", "random", 2, "lookup", 1, 1, 0, 0), ("100", "random", 2, "reasoner", 1, 1, 1, 1),
        ("100", "path", 2, "lookup", 1, 0, 0, None), ("100", "path", 2, "reasoner", 1, 0, 0, None),
    ]  # fmt: skip
    picture = of(figures(scores), "figure-damage")
    assert picture.groups == DAMAGES
    assert {one.name: [score.value for score in one.scores] for one in picture.series} == {
        "proof left": [1, 1, 0], "lookup": [0, 0, 0], "reasoner": [1, 1, 0],
    }  # fmt: skip


def test_where_paths_have_fewer_triples_it_is_said(tmp_path):
    release_of(tmp_path / "release", others=(*OTHERS, ("far7", "likes", "far1")))
    keys = {"levels": (50, 100), "damage": ("path", "random"), "resamples": 20}
    study = StudyFolder(StudyPlan(str(tmp_path / "release"), ("lookup",), **keys), tmp_path / "out")
    study.answer()
    table = of(tables(StudyScores(study)), "damage")
    assert [row[:3] for row in table.rows] == [
        ("50", "random", 1), ("50", "path", 1), ("100", "random", 3), ("100", "path", 2),
    ]  # fmt: skip
    assert table.notes[2:] == ("path, level 100: no more than 2 of 3 are there.",)


def test_statements_of_an_asked_fact_go_in_every_graph_unless_the_release_restates_them(
    tmp_path, demo
):
    restated = ("ann", "oncle", "ugo")
    small = damaged(release_of(tmp_path / "release", restated))
    for damage in DAMAGES:
        gone = lost(small, f"{damage}-100")
        assert gone >= {UNCLE, NEPHEW}, damage
        assert restated not in gone, damage
    removed, both = lost(demo, "incomplete"), 0
    for graph in (f"{damage}-{level}" for damage in DAMAGES for level in (40, 100)):
        has, level = {*demo.kg(graph).labeled()}, demo.level_of(graph)
        stated = {*demo.kg(f"incomplete-{level}").labeled()}
        for q in demo.questions("test"):
            for triple in (t for row in q.hard if row.level <= level for t in row.witness):
                ways = statements(demo, triple)
                assert ways & has <= stated, (graph, q.id)
                both += len(ways & removed) > 1
    assert both, "facts of which the release removes several statements"


def test_no_graph_states_a_hard_answer_over_several_links():
    for kind in ("structures", "subgraphs", "variants"):
        release = damaged(Release.open(built(f"coast-{kind}") / "release"), split=None)
        hard = {q.id: {row.answer for row in q.hard} for q in release.questions()}
        assert any(hard.values()), kind
        for damage in DAMAGES:
            found = answer(release, "lookup", kg=f"{damage}-100", split=None)
            assert not any(hard[one.id].intersection(one.answers) for one in found), (kind, damage)


def test_graphs_are_nested_equally_large_and_of_the_triples_promised(demo):
    pairs = {frozenset((s, o)) for s, _, o in demo.kg("complete").labeled()}
    asked = [{q.topic, answer} for q in demo.questions("test") for answer in q.answers]
    gone_from = {t for t in lost(demo, "incomplete") if {t[0], t[2]} in asked}
    before = dict.fromkeys(DAMAGES, frozenset())
    for level in (1, 25, 50, 99, 100):
        gone = {damage: lost(demo, f"{damage}-{level}") for damage in DAMAGES}
        assert gone["provable"] == lost(demo, f"incomplete-{level}")
        for damage, triples in gone.items():
            further = demo.further(damage, level)
            assert before[damage] <= triples, (damage, level)
            assert triples - further == gone["provable"] & gone_from, (damage, level)
            assert len(further) == len(gone["provable"] - gone_from), (damage, level)
            assert not further & gone_from, (damage, level)
        before = gone
    ends = [(q.topic, q.hard_answer) for q in demo.questions("test")]
    for s, _, o in demo.further("path", 100):
        beside = [
            (pair, {s, o}.difference(pair)) for pair in ends if len({s, o}.difference(pair)) == 1
        ]
        assert any(pairs >= {frozenset((end, *middle)) for end in pair} for pair, middle in beside)


def test_the_triples_depend_on_the_seed_and_on_nothing_else(tmp_path, demo):
    rename(demo, tmp_path / "private", "private")
    other = damaged(Release.open(tmp_path / "private"))
    names = translation(demo.entities, demo.naming, "private")
    for damage in DAMAGES[1:]:
        known = demo.further(damage, 60)
        assert other.further(damage, 60) == {(names[s], r, names[o]) for s, r, o in known}
        assert damaged(demo, seed=1).further(damage, 60) != known
    code = (
        "from tests.evaluation.study.test_damage import *; "
        "demo = damaged(Release.open(built('demo') / 'demo')); "
        "print([demo.kg(f'{damage}-60').digest for damage in DAMAGES])"
    )
    here = f"{[demo.kg(f'{damage}-60').digest for damage in DAMAGES]}\n"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        told = subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=ROOT)
        assert told.decode() == here


def test_a_proof_is_left_where_a_rule_has_its_whole_body(demo):
    asked, left = demo.questions("test"), {}
    heads = [(q.id, triple) for q in asked for triple in statements(demo, *q.removed)]
    for damage in DAMAGES:
        kg = demo.kg(f"{damage}-100")
        everyone = KnowledgeGraph.from_triples([*kg.labeled(), *(triple for _, triple in heads)])
        kg = everyone.without(everyone.rows_of(ids_of(everyone, heads)))
        found = remaining_proofs(kg, demo.rules(), ids_of(kg, heads)).count
        left[damage] = demo.proved(damage, 100)
        proofs = zip(heads, found.tolist(), strict=True)
        assert left[damage] == {key for (key, _), count in proofs if count}, damage
    assert len(left["path"]) < len(left["random"]) < len(left["provable"]) == len(asked)


def test_a_study_with_damages_goes_on_and_ends_the_same(tmp_path):
    keys = {"levels": (0, 100), "damage": ("random", "path"), "sample": 9, "resamples": 20}
    plan = StudyPlan(str(built("demo") / "demo"), ("lookup", "reasoner"), **keys)
    assert [(run.system, run.kg) for run in runs_of(plan, "text")][:4] == [
        ("lookup", "complete"), ("lookup", "incomplete"), ("lookup", "random-100"), ("lookup", "path-100"),
    ]  # fmt: skip
    for folder in ("out", "again"):
        study = StudyFolder(plan, tmp_path / folder)
        study.answer()
        write_results(study)
        StudyFolder(plan, tmp_path / folder).answer()
    written = files(tmp_path / "out")
    assert written == files(tmp_path / "again")
    assert "predictions/text/01-lookup/path-100.jsonl" in written
    plain = StudyFolder(replace(plan, damage=()), tmp_path / "plain")
    plain.answer()
    usual, more = (document_of(StudyScores(one)).every_table() for one in (plain, study))
    assert [table for table in more if table.id not in ("damage", "figure-damage")] == [*usual]
    with pytest.raises(OutputError, match=r'damage is \["random", "path"\] there and \[\] here'):
        StudyFolder(replace(plan, damage=()), tmp_path / "out")
    material = read_material([built("demo") / "demo", tmp_path / "out"])
    assert {one.report.kg for one in material.answered} == {"complete", "incomplete"}


def test_what_cannot_be_damaged_is_refused(tmp_path):
    for keys, told in (
        ({"damage": ("fire",)}, "damage is .*fire.*; expected .*provable, random or path"),
        ({"damage": ("path", "path")}, "damage: 'path' is there twice"),
        (
            {"damage": ("path",), "levels": (0,)},
            "damage: is for levels above 0 and has no effect here",
        ),
    ):
        with pytest.raises(ConfigError, match=told):
            StudyPlan(**{"systems": ("lookup",), "levels": (0, 100)} | keys)
    plan = StudyPlan(str(built("coast") / "release"), ("gold-cypher",), damage=("random",))
    with pytest.raises(ReleaseError, match="--damage is for questions whose answers are entities"):
        StudyFolder(plan, tmp_path / "out")
