"""The stages together, on the demo world with given rules (so without Java) and once with mining."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rulemine.builder.assemble import edges_between
from rulemine.builder.pipeline import STAGES, Build, BuildContext
from rulemine.builder.stages import FinishedStage
from rulemine.datasets.registry import load_kg
from rulemine.errors import ConfigError, EndpointError
from rulemine.files import digest_of, write_jsonl
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.mining import Resources
from rulemine.recipe.loading import load_recipe, named_recipes
from rulemine.recipe.recipe import Recipe
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.seeds import stream
from rulemine.verify import verify
from tests import each

TEMPLATE_STAGES = [stage for stage in STAGES if stage != "verbalize"]
"""Those of a build without a language model."""

RULES = (
    "married_to(y,x) ⇒ married_to(x,y)",
    "parent_of(y,x) ⇒ child_of(x,y)",
    "married_to(x,z) ∧ lives_in(z,y) ⇒ lives_in(x,y)",
)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few rules with the measures that the miner gives them."""
    from rulemine.mining import MiningOptions, mine

    wanted = {parse_readable(text).id for text in RULES}
    found = [
        r for r in mine(load_kg("demo"), MiningOptions(3, 0.1, 0.1, 0.1, 10)) if r.id in wanted
    ]
    assert len(found) == len(RULES), "the demo world lacks a relation that this test names"
    path = tmp_path_factory.mktemp("rules") / "rules.jsonl"
    write_jsonl(path, map(rule_to_json, found))
    return path


def recipe(rules: Path, *settings: tuple[tuple[str, ...], object]) -> Recipe:
    quota = (("selection", "per_rule"), 30)
    return load_recipe("demo", [(("rules",), str(rules)), quota, *settings])


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): digest_of(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(rules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of the recipe; not to be changed."""
    folder = tmp_path_factory.mktemp("made") / "release"
    Build(recipe(rules), folder).run()
    return folder


def test_relations_that_are_not_asked_about_lose_nothing_and_are_on_record(rules, tmp_path):
    filter_ = tmp_path / "filter.toml"
    filter_.write_text('[drop]\n"child_of" = "too easy"\n')
    settings = (("questions", "filter"), str(filter_)), (("questions", "max_answers"), 3)
    Build(recipe(rules, *settings), tmp_path / "made").run()
    release = Release.open(tmp_path / "made")
    assert verify(release.path).problems == ()
    assert {q.relations[0] for q in release.questions()} == {"lives_in"}
    assert max(len(q.answers) for q in release.questions()) <= 3
    assert release.manifest["kg"]["dropped"] == {"child_of": "too easy"}
    assert release.manifest["config"]["questions"]["filter"] == "filter.toml"
    assert "1 relation is not asked about" in (release.path / "README.md").read_text()
    rename(release, tmp_path / "renamed", "text")
    assert verify(tmp_path / "renamed").problems == ()
    assert Release.open(tmp_path / "renamed").manifest["kg"]["dropped"] == {"child_of": "too easy"}


def test_mined_rules_give_the_same_bytes_for_any_number_of_threads(tmp_path: Path) -> None:
    for threads in (1, 3):
        Build(
            load_recipe("demo", []), tmp_path / str(threads), BuildContext(Resources(threads))
        ).run()
    assert digests(tmp_path / "1") == digests(tmp_path / "3")
    manifest = Release.open(tmp_path / "1").manifest
    assert 200 <= manifest["counts"]["questions"] <= 600
    assert sum(n > 0 for n in manifest["counts"]["rules_by_type"].values()) >= 3


def test_a_second_run_does_nothing_and_a_changed_option_only_what_it_must(rules, tmp_path):
    def run(*settings: tuple[tuple[str, ...], object]) -> list[str]:
        done: list[str] = []

        def finished(name: str, stage: FinishedStage) -> None:
            if not stage.reused:
                done.append(name)

        Build(recipe(rules, *settings), tmp_path / "out", BuildContext(on_finished=finished)).run()
        return done

    assert run() == TEMPLATE_STAGES
    assert run() == []
    assert run((("naming",), "entity")) == ["release"]
    assert run((("questions", "max_answer_share"), 0.01)) == ["balance", "split", "twin", "release"]
    # The share makes no difference to the questions, so nothing after balancing has to be done.
    assert run((("questions", "max_answer_share"), 0.011)) == ["balance", "release"]
    assert run((("seed",), 5)) == TEMPLATE_STAGES[1:]


def test_a_build_that_stopped_anywhere_goes_on_to_the_same_bytes(made, rules, tmp_path):
    for until in TEMPLATE_STAGES:
        Build(recipe(rules), tmp_path / "parts").run(until)
        assert (tmp_path / "parts").exists() == (until == "release")
    assert digests(tmp_path / "parts") == digests(made)


@each("mode", ["maximal", "brink"])
def test_levels_are_nested_and_shares_thin(rules: Path, tmp_path: Path, mode: str) -> None:
    settings = [(("selection", "mode"), mode), (("selection", "levels"), [20, 60, 100])]
    Build(recipe(rules, *settings), tmp_path / "levels").run()
    assert verify(tmp_path / "levels").problems == ()
    release = Release.open(tmp_path / "levels")
    sizes = [len(release.kg(name)) for name in ("incomplete-20", "incomplete-60", "incomplete")]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3
    Build(recipe(rules, *settings, (("selection", "share"), 0.5)), tmp_path / "half").run()
    assert verify(tmp_path / "half").problems == ()
    whole, half = (
        {tuple(r.triple) for r in Release.open(tmp_path / name).removals()}
        for name in ("levels", "half")
    )
    assert half < whole


def test_a_step_that_the_recipe_does_not_have_is_said_to_be_none(rules, tmp_path):
    with pytest.raises(ConfigError, match=r"verbalize: .*templates; give --model NAME"):
        Build(recipe(rules), tmp_path / "out").run("verbalize")
    paper = recipe(rules, (("selection", "mode"), "brink"))
    with pytest.raises(ConfigError, match=r"ground: .*published selection"):
        Build(paper, tmp_path / "out").run("ground")
    with pytest.raises(ConfigError, match="balance: this recipe has no such step"):
        Build(load_recipe("structures-demo", []), tmp_path / "out").run("balance")
    for mode, declared in ((recipe(rules), True), (paper, False)):
        made = Build(mode, tmp_path / "made")
        assert bool(made.inputs.templates.declarations.readings) is declared
    with pytest.raises(ConfigError, match="published procedure"):
        recipe(rules, (("selection", "mode"), "brink"), (("questions", "filter"), "found"))
    assert not (tmp_path / "out.stages").exists()


def test_that_no_model_can_be_asked_is_said_before_anything_is_mined(rules, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = ((("verbalizer", "name"), "openai"), (("verbalizer", "model"), "m"))
    made = Build(recipe(rules, *settings), tmp_path / "out")
    with pytest.raises(EndpointError, match="export OPENAI_API_KEY"):
        made.run()
    assert not (tmp_path / "out.stages").exists()
    made.run("balance")  # what needs no model needs no key


def test_recipes_of_a_kind_are_named_after_it() -> None:
    assert {"structures-demo", "structures-umls", "subgraphs-demo"} <= named_recipes().keys()
    for name in named_recipes():
        first = name.split("-")[0]
        found = load_recipe(name, [])
        assert (found.name, found.kind) == (name, first if first in KINDS else "rules")


@each("mode", ["none", "random"])
def test_structures_without_splits_or_at_random(rules: Path, tmp_path: Path, mode: str) -> None:
    given = {"rules": str(rules), "selection.per_rule": 60, "structures.names": ["1p", "2p", "2i", "up"],
             "structures.per_structure": 14, "questions.split": mode}  # fmt: skip
    settings = [(tuple(key.split(".")), value) for key, value in given.items()]
    Build(load_recipe("structures-demo", settings), tmp_path / "made").run()
    release = Release.open(tmp_path / "made")
    counts = Counter(q.missing for q in release.questions() if q.structure == "1p")
    assert 13 <= counts.total() <= release.manifest["counts"]["sampling"]["1p"]["wanted"] == 14
    assert counts[1] > 1
    assert verify(release.path).problems == ()
    splits = {q.split for q in release.questions()}
    assert splits == ({"test"} if mode == "none" else {"train", "validation", "test"})


def test_edges_between_are_those_of_a_plain_search():
    draw = stream(5, "edges")
    triples = {(f"n{draw.below(6)}", f"r{draw.below(4)}", f"n{draw.below(6)}") for _ in range(60)}
    kg = KnowledgeGraph.from_triples(sorted(triples))
    pairs = [(a, b) for a in range(len(kg.entities)) for b in range(len(kg.entities))]
    subjects, objects = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    wanted = [
        tuple(r for r in kg.relations if (kg.entities[a], r, kg.entities[b]) in triples)
        for a, b in pairs
    ]
    assert edges_between(kg, subjects, objects) == wanted
