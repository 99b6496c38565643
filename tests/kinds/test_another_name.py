"""A kind under another name is built, verified, scored, exported; without it, its releases are still read."""

import filecmp

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.builder.regenerated import regenerated
from rulemine.evaluation import evaluate
from rulemine.evaluation.answerers.registry import answer
from rulemine.exports.exporting import export
from rulemine.kinds.registry import KINDS
from rulemine.kinds.rules.kind import RuleKind
from rulemine.recipe.loading import load_recipe
from rulemine.release.archive import write_archive
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.show import show
from rulemine.verify import verify


class Renamed(RuleKind):
    """The kind ``rules``, called otherwise."""

    name = "r7"


def values(release: Release) -> dict[str, float | None]:
    """The scores of the core; intervals depend on which questions the kind says to be alike."""
    row = evaluate(release, answer(release, "lookup")).rows[0]
    return {name: score.value for name, score in row.scores.items()}


def test_a_renamed_kind_needs_nothing_but_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(KINDS, "own", {"r7": Renamed()})
    few = (("selection", "per_rule"), 1), (("mining", "max_atoms"), 2)
    recipe = load_recipe("demo", [(("kind",), "r7"), *few])
    Build(recipe, tmp_path / "made").run()
    release = Release.open(tmp_path / "made")
    assert {q.kind for q in release.questions()} == {release.kind} == {"r7"}
    assert regenerated(verify(tmp_path / "made")).ok
    scored = values(release)
    for to in ("rog", "hf", "neo4j"):
        assert export(release, to, tmp_path / to).questions == len(release.questions())
    rebuild(release, tmp_path / "again", {}, BuildContext())
    files = list(release.manifest["files"])
    _, differ, lacking = filecmp.cmpfiles(tmp_path / "made", tmp_path / "again", files, False)
    assert not differ
    assert not lacking

    # From here on, no package has it.
    monkeypatch.setattr(KINDS, "own", {})
    release = Release.open(tmp_path / "made")
    assert values(release) == scored
    assert "removed, but it follows from" in show(release, release.questions("test")[0].id)
    report = regenerated(verify(tmp_path / "made"))
    assert report.ok
    assert any("the kind r7 is not installed" in text for text in report.notes)
    assert "verified but for what is special to the kind r7" in report.to_text()
    rename(release, tmp_path / "named", "text")
    named = Release.open(tmp_path / "named")
    assert all(q.question for q in named.questions())
    assert regenerated(verify(tmp_path / "named")).ok
    write_archive(release, tmp_path / "made.tar")
    assert Release.open(tmp_path / "made.tar").questions() == release.questions()
