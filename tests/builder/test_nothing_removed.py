"""Releases on the complete graph, of which nothing is removed: every kind but ``rules``."""

import json
from pathlib import Path

import pytest

from rulemine.cli.main import main
from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.made import in_short
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.releases import COAST, build_small

BASELINE = {"cypher": "gold-cypher"}
TO = {"cypher": "neo4j"}


@pytest.mark.parametrize("kind", [*COAST, "cypher"])
def test_everything_is_stated_and_every_command_works(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
