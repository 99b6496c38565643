"""The imported set that stands beside the demo: what its page says of it."""

import json
from pathlib import Path

import pytest

from rulemine import Release
from rulemine.builder.regenerated import regenerated
from rulemine.cli.main import main
from rulemine.verify import verify
from tests import ROOT
from tests.releases import built


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of docs/importing.md."""
    folder, demo = tmp_path_factory.mktemp("example"), built("demo") / "demo"
    words = ["--kg", f"{demo}/kg/complete.tsv.gz", "--incomplete", f"{demo}/kg/incomplete.tsv.gz"]
    questions = ROOT / "examples/importing/questions.csv"
    assert main(["import", "plain", str(questions), *words, "-o", f"{folder}/out"]) == 0
    assert (
        main(["audit", str(demo), f"{folder}/out", "-o", f"{folder}/audit", "--resamples", "50"])
        == 0
    )
    return folder


def test_the_demo_states_what_it_states_of_its_own_questions(made: Path) -> None:
    release = Release.open(made / "out")
    asked = {q.id: q for q in release.questions()}
    assert len(asked) == 16
    assert asked["w04"].block.executed == ("Tam Saltwright",)
    assert asked["w04"].answers == asked["w04"].further == ("Nobody that the graph knows",)
    assert not asked["w06"].graded
    assert asked["w07"].hard_answers
    own = {row.triple for row in Release.open(built("demo") / "demo").removals()}
    assert {row.triple for row in release.missing()} == own
    assert regenerated(verify(made / "out")).problems == ()


def test_the_page_has_both(made: Path) -> None:
    page = (made / "audit/audit.html").read_text()
    assert "demo" in page
    assert "not available" in page
    sets = json.loads((made / "audit/audit.json").read_text())
    assert "not confirmed" in json.dumps(sets)
