"""The imported set that stands beside the demo: what its page, `docs/importing.md`, says of it."""

from rulemine import Release
from rulemine.builder.regenerated import regenerated
from rulemine.cli.main import main
from rulemine.verify import verify
from tests import ROOT
from tests.releases import built


def test_the_demo_states_what_it_states_of_its_own_questions(tmp_path):
    demo, out = built("demo") / "demo", tmp_path / "out"
    words = ["--kg", f"{demo}/kg/complete.tsv.gz", "--incomplete", f"{demo}/kg/incomplete.tsv.gz"]
    questions = ROOT / "examples/importing/questions.csv"
    assert main(["import", "plain", str(questions), *words, "-o", str(out)]) == 0
    release = Release.open(out)
    asked = {q.id: q for q in release.questions()}
    assert len(asked) == 16
    assert asked["w04"].block.executed == ("Tam Saltwright",)
    assert asked["w04"].answers == asked["w04"].further == ("Nobody that the graph knows",)
    assert not asked["w06"].graded
    assert asked["w07"].hard_answers
    own = {row.triple for row in Release.open(demo).removals()}
    assert {row.triple for row in release.missing()} == own
    assert regenerated(verify(out)).problems == ()
    assert main(["audit", str(demo), str(out), "-o", f"{tmp_path}/audit", "--resamples", "50"]) == 0
    assert "not available" in (tmp_path / "audit/audit.html").read_text()
    assert "not confirmed" in (tmp_path / "audit/audit.json").read_text()
