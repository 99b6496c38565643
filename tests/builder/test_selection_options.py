"""The options of the section ``selection``, from the recipe to the rules and warnings of a build."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.errors import NoInferenceError, UserError
from rulemine.files import write_jsonl
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.removal.setting import Setting
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Measures
from rulemine.verify.verifier import verify

TEXTS = ("at(x,z) ∧ within(z,y) ⇒ of(x,y)", "at(x,z) ∧ pays(z,y) ⇒ of(x,y)", "near(x,y) ⇒ of(x,y)")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A graph in which `of` follows from `at` and `within`, and a filter of relations."""
    lines = []
    for i in range(60):
        lines += [(f"a{i}", "at", f"b{i}"), (f"b{i}", "within", f"c{i}"), (f"a{i}", "of", f"c{i}")]
        lines += [(f"b{i}", "pays", f"c{i}"), (f"a{i}", "near", f"c{i}")]
    (tmp_path / "kg.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    supported = zip(map(parse_readable, TEXTS), (6, 5, 3), strict=True)
    rules = [replace(rule, measures=Measures(n, 10, 10, 60, 0)) for rule, n in supported]
    write_jsonl(tmp_path / "rules.jsonl", map(rule_to_json, rules))
    (tmp_path / "filter.toml").write_text('[drop]\n"pays" = "says nothing"\n')
    (tmp_path / "templates.toml").write_text(
        '[of]\nstatement = "{subject} is of {object}"\nask_subject = "What is of {topic}?"\n'
        'ask_object = "Of what is {topic}?"\n'
    )
    return tmp_path


def made(
    files: Path, *settings: tuple[str, object], told: list[str] | None = None
) -> tuple[Build, list[str]]:
    given = [(("rules",), str(files / "rules.jsonl")), (("questions", "restated"), True)]
    given += [(("questions", "templates"), str(files / "templates.toml"))]  # which declare nothing
    given += [(tuple(key.split(".")), value) for key, value in settings]
    told = [] if told is None else told
    recipe = load_recipe(str(files / "kg.tsv"), given)
    build = Build(recipe, files / "out", BuildContext(on_warning=told.append))
    build.run("select")
    return build, told


def named(build: Build) -> set[str]:
    return {str(rule) for rule in build.rules}


def test_floors_and_filters_decide_which_rules_may_prove(files: Path) -> None:
    own = str(files / "filter.toml")
    every = {str(parse_readable(text)) for text in TEXTS}
    paid = {text for text in every if "pays" in text}
    short = {text for text in every if "near" in text}
    for settings, out in (
        ([], set()),
        ([("selection.min_sure_confidence", 0.15)], short),
        ([("questions.filter", own)], paid),
        ([("selection.min_rare_confidence", 1.0)], every),
    ):
        if out == every:
            with pytest.raises(NoInferenceError, match="none of 3 rules reaches"):
                made(files, *settings)
            continue
        build, told = made(files, *settings)
        assert named(build) == every - out
        assert len(build.mined_rules) == 3
        assert not [text for text in told if "guessed" in text]
        assert set(build.selection.rule.tolist()) <= set(range(3 - len(out)))


def test_standards_of_the_filter_refuse_rules_are_counted_and_verified(files: Path) -> None:
    file = files / "standards.toml"
    file.write_text(
        '[drop]\n[classes]\nclose = ["near", "within"]\n'
        '[[standards]]\nhead = ["of"]\nbody_only = ["close"]\nmin_std_confidence = 0.4\nreason = "why"\n'
        '[[standards]]\nbody_any = ["pays"]\nmin_std_confidence = 0.5\nreason = "enough"\n'
    )
    every = {str(parse_readable(text)) for text in TEXTS}
    build, _ = made(files, ("questions.filter", str(file)))
    assert named(build) == {text for text in every if "near" not in text}
    build.run()
    assert "1 rule of 3 refused by the standards of proof" in build.summary("release")
    release = Release.open(files / "out")
    assert release.manifest["counts"]["selection"]["rules_refused"] == 1
    assert [row["reason"] for row in release.manifest["kg"]["standards"]] == ["why", "enough"]
    assert verify(files / "out").problems == ()


def test_the_rule_that_selected_is_named_where_a_better_proof_is_published(files: Path) -> None:
    build, _ = made(files)
    found = build.selection
    assert found.rules_covered == 3
    best = {str(build.rules[number]) for number in found.rule.tolist()}
    # All three prove every triple; the best within a tenth of 0.6 is of two atoms.
    assert best == {TEXTS[0]}
    assert (found.selected_by != found.rule).any()
    build.run()
    rows = Release.open(files / "out").removals()
    assert all(row.selected_by != row.certificate.rule for row in rows)
    assert len({row.selected_by for row in rows}) > 1


def test_a_graph_whose_facts_can_be_guessed_is_told_which_key_to_set(files: Path) -> None:
    # Everything but five of 29 facts has one of four answers in both directions.
    lines = [f"x{i % 4}\t{r}\tn{i // 4}\n" for i in range(12) for r in ("near", "of")]
    lines += [f"y{i}\tby\tz{i}\n" for i in range(5)]
    (files / "kg.tsv").write_text("".join(lines))
    open_ = ("selection.min_rare_confidence", 0.0)
    told: list[str] = []
    with pytest.raises(UserError, match=r"raise selection\.max_prior"):
        made(files, open_, ("selection.max_prior", 0.2), told=told)
    assert [text for text in told if "Only 17% of the triples" in text and "max_prior" in text]
    build, told = made(files, open_, ("selection.max_prior", 1.0))
    assert not [text for text in told if "Only" in text]
    assert len(build.selection) > 0
    assert not build.selection.core.any(), "every prior is above that of the core"


def test_what_select_says_it_says_again_without_looking_again(files, monkeypatch):
    with (files / "kg.tsv").open("a") as kg:
        kg.writelines(f"x{i % 4}\tlike\tn{i // 4}\n" for i in range(800))
    first, told = made(files, ("selection.max_prior", 0.2))
    assert len(first.selection) > 0
    warnings = [text for text in told if text.startswith("Only 27% of the triples")]
    assert len(warnings) == 1
    monkeypatch.setattr(Setting, "of", lambda *_, **__: pytest.fail("select is finished"))
    assert [t for t in made(files, ("selection.max_prior", 0.2))[1] if "Only" in t] == warnings
