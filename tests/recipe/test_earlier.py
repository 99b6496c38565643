"""A fresh release of a recipe asks nothing that an earlier one asks, whatever its names and its folder."""

from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.errors import ConfigError
from rulemine.kg.facts import facts_of
from rulemine.phrasing.templates import Templates
from rulemine.query.links import renamed
from rulemine.query.parser import parse
from rulemine.recipe.loading import load_recipe
from rulemine.release.archive import write_archive
from rulemine.release.differences import compare
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.verify import verify
from tests.builder.test_pipeline import rules  # noqa: F401
from tests.command_line import assert_refused

Setting = tuple[tuple[str, ...], object]

SMALL: dict[str, list[Setting]] = {
    "demo": [(("selection", "per_rule"), 20)], "structures-demo": [(("selection", "per_rule"), 60),
    (("structures", "names"), ["1p", "2u"]), (("structures", "per_structure"), 14),
    (("questions", "split"), "none")]
}  # fmt: skip


def built(name, given, target, seed=0, earlier=None):
    places = () if earlier is None else (earlier,)
    settings = [
        *SMALL[name], (("rules",), str(given)), (("seed",), seed),
        (("not_in",), sorted(Release.open(place).identity for place in places))
    ]  # fmt: skip
    Build(load_recipe(name, settings), target, BuildContext(earlier=places)).run()
    return Release.open(target)


@pytest.fixture(scope="module", params=SMALL)
def earlier(
    request: pytest.FixtureRequest,
    rules: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Release:
    return built(request.param, rules, tmp_path_factory.mktemp("earlier") / "made")


def queries(release):
    names = translation(release.entities, release.naming, "entity")
    return {renamed(parse(question.query), names).text for question in release.questions()}


def links(release):
    """The facts that questions with a single link ask for."""
    kg = release.kg("complete")
    facts = facts_of(kg, Templates.from_plain(release.relations().values()).declarations)
    rows = {triple: row for row, triple in enumerate(kg.labeled())}
    asked = [q.removed[0] for q in release.questions() if q.structure == "1p" and q.removed]
    return {int(facts[rows[triple]]) for triple in asked}


def test_nothing_is_asked_again(earlier: Release, rules: Path, tmp_path: Path) -> None:  # noqa: F811
    rename(earlier, tmp_path / "numeric", "numeric")
    file = tmp_path / "earlier.tar"
    write_archive(Release.open(tmp_path / "numeric"), file)
    fresh = built(earlier.name, rules, tmp_path / "fresh", 1, earlier=file)
    assert not queries(fresh) & queries(earlier)
    assert not links(fresh) & links(earlier)
    assert fresh.manifest["config"]["not_in"] == [earlier.identity]
    assert earlier.manifest["config"]["not_in"] == []
    assert verify(fresh.path).problems == ()
    if earlier.kind == "structures":
        assert len(fresh.questions()) > 0.8 * len(earlier.questions())
        return
    other = built(earlier.name, rules, tmp_path / "other", 1)
    assert len(queries(fresh)) > len(queries(other) - queries(earlier)) < len(queries(other))
    assert fresh.identity != other.identity
    given = {"rules": str(rules)}
    rebuild(fresh, tmp_path / "again", given, BuildContext(earlier=(earlier.path,)))
    assert list(compare(fresh, tmp_path / "again")) == []
    with pytest.raises(
        ConfigError, match=rf"{earlier.identity}; those given have none.*--set not_in"
    ):
        rebuild(fresh, tmp_path / "lacking", given, BuildContext())
    with pytest.raises(ConfigError, match=f"identities, none; those given have {fresh.identity}"):
        rebuild(earlier, tmp_path / "lacking", given, BuildContext(earlier=(fresh.path,)))


def test_what_cannot_be_left_out_is_refused(here, command):
    assert command("build", "kg.tsv", "--rules", "rules.txt", "-o", "a").status == 0
    again = ("build", "kg.tsv", "--rules", "rules.txt", "--not-in", "a")
    assert_refused(command(*again, "-o", "a"), "contains an input of this command")
    assert_refused(
        command(*again, "--not-in", "none", "-o", "b"), "none/manifest.json: no such file"
    )
    assert_refused(command("build", "demo", "--not-in", "a", "-o", "b"), "in a: .*another graph")
    other = command("build", "structures-demo", "--not-in", "a", "-o", "b")
    assert_refused(other, "--not-in a: .*of the kind rules")
    assert_refused(command(*again, "--set", 'not_in=["x"]', "-o", "b"), "64 hexadecimal digits")
    brink = ("build", "kg.tsv", "--rules", "rules.txt", "--set", "selection.mode=brink")
    assert_refused(
        command(*brink, "--not-in", "a", "-o", "b"), "not_in: for selection maximal only"
    )
    assert not (here / "b").exists()
