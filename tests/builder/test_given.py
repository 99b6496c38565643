"""The selection ``given``: what a user names as missing, from the files to a verified release."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.cli.main import main
from rulemine.errors import ConfigError, InputError, NoInferenceError
from rulemine.kg.graph import Triple, format_tsv
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.rules.formats import parse_readable, write_rules
from rulemine.verify import verify
from tests import each
from tests.verify.tampering import edited, missed

N = 40
MISSING = 10
"""Of so many of the N entities something is missing."""

OF = [(f"a{i}", "of", f"c{i}") for i in range(N)]
LIKES = [(f"a{i}", "likes", f"d{i}") for i in range(N)]
WORLD = [
    *[(f"a{i}", "at", f"b{i}") for i in range(N)],
    *[(f"b{i}", "within", f"c{i}") for i in range(N)],
    *[(f"c{i}", "has", f"a{i}") for i in range(N - 1)],
    *[(f"b{i}", "by", f"d{i}") for i in range(N)],
]
"""By `at` and `within`, a is of c; `has` is the inverse of `of`. By `at` and `by`, a likes d."""

TEMPLATES = (
    '[of]\nstatement = "{subject} is of {object}"\nask_subject = "What is of {topic}?"\n'
    'ask_object = "Of what is {topic}?"\ninverse_of = "has"\n'
    '[has]\nstatement = "{subject} has {object}"\nask_subject = "What has {topic}?"\n'
    'ask_object = "What does {topic} have?"\n'
)
LOST = [*OF[:MISSING], *LIKES[:-5]]
"""Most of `likes` is missing, so that on what is left hardly anything says that a likes d."""

UNKNOWN = [
    *((s, "of", "elsewhere") for s, _, _ in OF[:MISSING]),
    *(("else", "of", o) for _, _, o in OF[:MISSING]),
    ("a0", "knows", "c0"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "templates.toml").write_text(TEMPLATES)
    return tmp_path


def made(
    folder: Path,
    graph: Iterable[Triple],
    missing: Iterable[Triple] | str,
    *settings: tuple[str, Any],
    told: list[str] | None = None,
) -> Release:
    (folder / "kg.tsv").write_text(format_tsv(sorted(graph)))
    text = missing if isinstance(missing, str) else format_tsv([*missing])
    (folder / "missing.tsv").write_text(text)
    usual = {
        "selection.mode": "given", "naming": "entity", "mining.max_atoms": 3,
        "mining.min_initial_support": 1, "questions.templates": str(folder / "templates.toml"),
        "questions.split": "none",
    }  # fmt: skip
    pairs = [(tuple(key.split(".")), value) for key, value in (usual | dict(settings)).items()]
    warn = (lambda _text: None) if told is None else told.append
    context = BuildContext(removed=folder / "missing.tsv", on_warning=warn)
    Build(load_recipe(str(folder / "kg.tsv"), pairs), folder / "out", context).run()
    return Release.open(folder / "out")


def triples(release: Release, graph: str) -> set[Triple]:
    return set(release.kg(graph).labeled())


@each("stated", [True, False])
def test_what_is_proved_is_removed_and_the_rest_is_a_further_answer(folder, stated):
    # Named triples may be in the graph or not: the release is the same but for where it is from.
    told: list[str] = []
    graph = {*WORLD, *OF, *LIKES} - (set() if stated else {*LOST})
    release = made(folder, graph, [*LOST, *UNKNOWN], told=told)
    of = {*OF[:MISSING], *((o, "has", s) for s, _, o in OF[:MISSING])}
    left = {*WORLD, *OF, *LIKES} - {*LOST} - of
    assert {row.triple for row in release.removals()} == of, "in both of their statements"
    assert triples(release, "incomplete") == left
    assert triples(release, "complete") == left | of, "what is not proved is no part of it"
    assert {q.further for q in release.questions()} <= {("elsewhere",), ("else",)} != set()
    where = "45 are in the graph, 0 are not" if stated else "0 are in the graph, 45 are not"
    assert any(f"66 missing triples: {where}, and 21 have an entity" in text for text in told)
    assert any("20 of 55 missing triples are proved" in text for text in told)
    assert verify(folder / "out").problems == ()


def test_rules_are_mined_and_measured_on_what_is_left(folder):
    # On the whole graph `at` and `by` prove all of `likes`; on what is left they are right in 5 of 40.
    release = made(folder, {*WORLD, *OF, *LIKES}, LOST)
    sizes = {(rule.head.relation, rule.known.head_size) for rule in release.rules()}
    assert ("of", N - MISSING) in sizes
    assert "likes" not in {relation for relation, _ in sizes}
    # With fewer of them missing the rule holds.
    assert "likes" in {
        rule.head.relation for rule in made(folder, {*WORLD, *OF, *LIKES}, LIKES[:9]).rules()
    }


def test_what_another_edge_still_states_is_asked_only_where_that_is_allowed(folder):
    beside = [(s, "near", o) for s, _, o in OF]
    graph = {*WORLD, *OF, *beside}
    release = made(folder, graph, [*OF[:MISSING], *beside[1:MISSING]])
    assert ("a0", "of", "c0") not in triples(release, "complete")
    assert ("a1", "of", "c1") in {row.triple for row in release.removals()}
    release = made(folder, graph, OF[:MISSING], ("questions.restated", True))
    assert ("a0", "of", "c0") in {row.triple for row in release.removals()}


def test_the_command_line_takes_the_file_and_builds_the_release_again_from_it(folder):
    (folder / "kg.tsv").write_text(format_tsv([*WORLD, *OF]))
    (folder / "missing.tsv").write_text(format_tsv(OF[:MISSING]))
    write_rules(folder / "rules.jsonl", [parse_readable("at(x,z) ∧ within(z,y) ⇒ of(x,y)")])
    kg, out, missing = (str(folder / name) for name in ("kg.tsv", "out", "missing.tsv"))
    files = [f"--set=questions.templates={folder / 'templates.toml'}"]
    rules = str(folder / "rules.jsonl")
    assert main(["build", kg, "-o", out, "--removed", missing, "--rules", rules, *files]) == 0
    (rule,) = Release.open(out).rules()
    assert rule.known.head_size == rule.known.support == N - MISSING, "on what is left"
    files += [f"--set=kg={kg}", f"--set=rules={rules}"]
    assert main(["verify", out, "--rebuild", *files, f"--set=removed={missing}"]) == 0
    assert main(["verify", out, "--rebuild", *files]) == 2, "what is missing is not in it"
    assert main(["verify", out, "--rebuild", *files[:1], f"--set=removed={missing}"]) == 2


@each(
    ("missing", "settings", "error", "text"),
    [
        ("", (), InputError, "--removed: .*missing.tsv: is empty"),
        ("a b c\n", (), InputError, "--removed: .*1 column"),
        (UNKNOWN, (), InputError, "leaves nothing to prove"),
        ([*WORLD, *OF, *LIKES], (), InputError, "nothing to prove it from"),
        (LIKES[:-5], (), NoInferenceError, "none of 35 missing triples is proved"),
        (LOST, (("selection.mode", "maximal"),), ConfigError, "--removed FILE"),
        (LOST, (("selection.share", 0.5),), ConfigError, "selection.share: not for"),
    ],
)
def test_errors_say_what_to_type(folder, missing, settings, error, text):
    with pytest.raises(error, match=text):
        made(folder, {*WORLD, *OF, *LIKES}, missing, *settings)


def test_a_wrong_measure_and_a_triple_put_back_are_found(folder):
    made(folder, {*WORLD, *OF, *LIKES}, LOST)

    def measured_on_all(row: dict[str, Any]) -> None:
        row["support"] = row["body_size"] = row["pca_body_size"] = row["head_size"] = N

    tamperings = {
        "measures of the complete graph": (edited("rules.jsonl", 1, measured_on_all), "measures")
    }
    assert missed(folder / "out", tamperings) == []
