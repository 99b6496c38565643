"""Releases on the complete graph, of which nothing is removed: every kind but ``rules``."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.cli.main import main
from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.made import in_short
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify

SMALL: dict[str, dict[tuple[str, ...], Any]] = {
    "structures": {("structures", "per_structure"): 10},
    "subgraphs": {("subgraphs", "questions"): 40},
    "variants": {("variants", "questions"): 40},
    "cypher": {("cypher", "per_template"): 1},
}
BASELINE = {"cypher": "gold-cypher"}
TO = {"cypher": "neo4j"}


@pytest.mark.parametrize("kind", SMALL)
def test_everything_is_stated_and_every_command_works(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    context = BuildContext(on_finished=lambda name, _: done.append(name))
    recipe = load_recipe(f"{kind}-demo", [(("selection", "share"), 0.0), *SMALL[kind].items()])
    build = Build(recipe, tmp_path / "x", context)
    build.run()
    assert not {"mine", "ground"} & {*done}
    assert "nothing removed: every answer is stated" in in_short(Release.open(tmp_path / "x"))[0]
    release = Release.open(tmp_path / "x")
    chosen = release.manifest["config"]["selection"]
    assert (chosen["mode"], chosen["share"], chosen["levels"]) == ("none", 0.0, [])
    assert not any((release.rules(), release.removals()))
    assert kind != "cypher" or not release.removed_values()
    assert release.kg("complete").digest == release.kg("incomplete").digest
    questions = release.questions()
    assert len(questions) >= 15
    assert not any(q.hard or q.core or q.hard_answer or q.spurious for q in questions)
    assert all(q.stated == q.answers for q in questions)
    card = (tmp_path / "x/README.md").read_text()
    assert "Nothing was removed: every answer is stated" in card
    assert "Nothing was mined, nothing was removed" in card
    report = verify(tmp_path / "x")
    assert report.ok, report.to_text()
    folder, given = str(tmp_path / "x"), str(tmp_path / "given.jsonl")
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
    with pytest.raises(ConfigError, match=r"structures.missing: is full"):
        load_recipe(
            "structures-demo",
            [(("selection", "mode"), "none"), (("structures", "missing"), "full")],
        )
