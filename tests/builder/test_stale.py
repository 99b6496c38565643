"""Builds that ask about stated facts alone, and not about those that the reference lacks."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import build_again
from rulemine.cli.main import main
from rulemine.errors import ConfigError, UserError
from rulemine.evaluation.reporting.made import in_short
from rulemine.kg.graph import Triple
from rulemine.kinds.checks import Unaskable
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests import each
from tests.command_line import FACTS, RULES
from tests.releases import COAST, build_small

SHARE = 0.03


def _reference(folder: Path, triples: list[Triple]) -> tuple[str, set[Triple]]:
    """A graph that lacks whatever is stated of some pairs, and what that is."""
    rng = Random(1)
    pairs = sorted({(min(s, o), max(s, o)) for s, _, o in triples})
    out = {pair for pair in pairs if rng.random() < SHARE}
    lacks = {(s, r, o) for s, r, o in triples if (min(s, o), max(s, o)) in out}
    text = "".join("\t".join(triple) + "\n" for triple in triples if triple not in lacks)
    (folder / "reference.tsv").write_text(text)
    return str(folder / "reference.tsv"), lacks


# Of the written kinds, which refuse in one place, the quicker one.
@each("kind", ["rules", "structures", "variants"])
def test_no_question_uses_a_fact_that_the_reference_lacks(kind: str, tmp_path: Path) -> None:
    def build(name: str, *settings: tuple[tuple[str, ...], Any]) -> Release:
        settings = ((("naming",), "entity"), *settings)
        if kind == "rules":
            few = (("selection", "per_rule"), 20)
            return Release.open(_build_family(tmp_path / name, few, *settings))
        nothing = (("selection", "share"), 0.0)
        return Release.open(build_small(kind, tmp_path / name, nothing, *settings))

    whole = build("without")
    reference, lacks = _reference(tmp_path, whole.kg("complete").labeled())
    given = (("reference",), reference)

    def using(release: Release) -> int:
        return sum(not lacks.isdisjoint(q.full_evidence) for q in release.questions())

    assert using(whole) > 0
    release = build("x", given)
    assert using(release) == 0
    assert release.questions()
    assert Unaskable.STALE in str(release.manifest["counts"])
    with pytest.raises(ConfigError, match=r"reference names reference\.tsv: give the file"):
        build_again(release, tmp_path / "again", {}, BuildContext())


def _build_family(folder: Path, *settings: tuple[tuple[str, ...], Any]) -> Path:
    folder.mkdir()
    (folder / "kg.tsv").write_text(FACTS)
    (folder / "rules.txt").write_text(RULES)
    rules = (("rules",), str(folder / "rules.txt"))
    Build(load_recipe(str(folder / "kg.tsv"), [rules, *settings]), folder / "release").run()
    return folder / "release"


def test_a_reference_of_further_triples_alone_says_what_to_give(tmp_path: Path) -> None:
    (tmp_path / "more.tsv").write_text("h1\tknows\th2\n")
    with pytest.raises(UserError, match="one that has all of these triples too"):
        _build_family(tmp_path / "x", (("reference",), str(tmp_path / "more.tsv")))


# Releases on the complete graph: every kind but ``rules``.

BASELINE = {"cypher": "gold-cypher"}
TO = {"cypher": "neo4j"}


@pytest.mark.parametrize("kind", [*COAST, "cypher"])
def test_everything_is_stated_and_every_command_works(kind, tmp_path, capsys):
    place = build_small(kind, tmp_path, (("selection", "share"), 0.0))
    stages = {path.name for path in (tmp_path / "release.stages").iterdir()}
    assert "select" in stages
    assert not {"mine", "ground"} & stages
    release = Release.open(place)
    assert "nothing removed: every answer is stated" in in_short(release)[0]
    chosen = release.manifest["config"]["selection"]
    assert (chosen["mode"], chosen["share"], chosen["levels"]) == ("none", 0.0, [])
    assert not any((release.rules(), release.removals()))
    assert release.kg("complete").digest == release.kg("incomplete").digest
    questions = release.questions()
    assert len(questions) >= 5
    assert not any(q.hard or q.core or q.hard_answer or q.spurious for q in questions)
    assert all(q.stated == q.answers for q in questions)
    card = (place / "README.md").read_text()
    assert "Nothing was removed: every answer is stated" in card
    report = verify(place)
    assert report.ok, report.to_text()
    folder, given = str(place), str(tmp_path / "given.jsonl")
    system, form = BASELINE.get(kind, "lookup"), TO.get(kind, "rog")
    assert main(["show", folder, questions[0].id]) == 0
    assert main(["answer", folder, "--with", system, "-o", given]) == 0
    assert main(["export", folder, "--to", form, "-o", str(tmp_path / "to")]) == 0
    capsys.readouterr()
    assert main(["evaluate", folder, given, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["all"]["scores"]["hits_any"]["value"] == 1
    assert told["all"]["scores"]["hits_hard"]["value"] is None


def test_rules_need_something_removed() -> None:
    with pytest.raises(ConfigError, match=r"questions of the kind rules ask for removed triples"):
        load_recipe("demo", [(("selection", "mode"), "none")])
    with pytest.raises(ConfigError, match=r"selection.share: is 0"):
        load_recipe("demo", [(("selection", "mode"), "brink"), (("selection", "share"), 0.0)])
