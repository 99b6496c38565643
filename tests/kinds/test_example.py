"""The kind of ``examples/kind``, installed as somebody else's package: what it leaves out, all kinds have."""

import ast
import filecmp
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from docs.pages import options
from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.builder.regenerated import regenerated
from rulemine.evaluation import evaluate
from rulemine.exports.exporting import export
from rulemine.kinds.registry import KINDS
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, translation
from rulemine.rules.proofs import remaining_proofs
from rulemine.verify import verify
from rulemine.verify.kinds import checks_of
from tests import ROOT, each
from tests.command_line import Command, assert_refused
from tests.test_registry import install_example
from tests.verify.tampering import edited
from tests.verify.tiny import seal

pytestmark = pytest.mark.slow

SMALL = [
    (("kind",), "choice"), (("selection", "per_rule"), 1), (("mining", "min_std_confidence"), 0.6),
]  # fmt: skip
TEST = "questions/test.jsonl"


@contextmanager
def in_place(site: Path) -> Iterator[None]:
    """Has the package installed; names of other packages are looked up anew before and after."""

    def forget() -> None:
        KINDS.__dict__.pop("_others", None)
        checks_of.cache_clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.syspath_prepend(install_example(site, "kind"))
        forget()
        yield
    forget()


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with in_place(tmp_path_factory.mktemp("site")):
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("choice") / "made"
    with in_place(tmp_path_factory.mktemp("site")):
        Build(load_recipe("demo", SMALL), folder).run()
    return folder


def test_it_is_small_and_its_checks_import_one_module() -> None:
    folder = ROOT / "examples" / "kind"
    assert max(len(file.read_text("utf-8").splitlines()) for file in folder.glob("*.py")) <= 100
    tree = ast.parse((folder / "choice_checks.py").read_text("utf-8"))
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [getattr(node, "module", "") for node in named] == ["string", "rulemine.verify.kinds"]


@pytest.mark.usefixtures("installed")
def test_a_release_is_verified_and_built_again(made: Path, tmp_path: Path) -> None:
    report = regenerated(verify(made))
    assert report.ok, report.to_text()
    assert not report.notes
    release = Release.open(made)
    rebuild(release, tmp_path / "again", {}, BuildContext())
    files = [*release.manifest["files"], "manifest.json"]
    assert filecmp.cmpfiles(made, tmp_path / "again", files, False)[0] == files


def swap(row: dict, name: str) -> None:
    """Another entity in the place of a wrong choice, in the text too."""
    choices = row["block"]["choices"]
    at = next(i for i, choice in enumerate(choices) if choice != row["hard_answer"])
    row["question"] = row["question"].replace(f") {choices[at]}", f") {name}")
    choices[at] = name


def no_answer(row: dict) -> None:
    others = [name for name in row["block"]["choices"] if name != row["hard_answer"]]
    row["block"]["choices"] = others
    row["question"] = row["question"].replace(f") {row['hard_answer']}", ") nobody")


def hide(row: dict) -> None:
    """The text alone has the answer."""
    wrong = next(name for name in row["block"]["choices"] if name != row["hard_answer"])
    row["block"]["choices"] = [wrong] * 4


@pytest.mark.usefixtures("installed")
@each(
    ("invariant", "edit"),
    [
        ("number of choices", no_answer),
        ("choices", no_answer),
        ("choices", lambda row: row["block"]["choices"].reverse()),
        ("choices", lambda row: swap(row, row["anchors"][0])),
        ("choices", lambda row: swap(row, "Vallarosa")),  # a town
        ("text names the topic", lambda row: row.update(question=row["anchors"][0])),
        ("text hides the answers", hide),
    ],
)
def test_what_is_special_to_it_is_checked(made, tmp_path, invariant, edit):
    shutil.copytree(made, tmp_path / "made")
    edited(TEST, 1, edit)(tmp_path / "made")
    seal(tmp_path / "made")
    found = {(p.file, p.line, p.invariant) for p in verify(tmp_path / "made").problems}
    assert (TEST, 1, invariant) in found


@pytest.mark.usefixtures("installed")
def test_a_choice_that_a_rule_proves_is_found(made: Path, tmp_path: Path) -> None:
    release = Release.open(made)
    kg, rules = release.kg("complete"), release.rules()
    line, others = 0, list[str]()
    for question in release.questions("test"):
        line += 1
        ((s, r, o),) = question.removed
        ends = [(s, r, e) if s == question.topic else (e, r, o) for e in kg.entities]
        ids = [(kg.entity_ids[a], kg.relation_ids[r], kg.entity_ids[b]) for a, _, b in ends]
        proofs = remaining_proofs(kg, rules, np.array(ids, np.int32)).count
        proved = {name for name, n in zip(kg.entities, proofs, strict=True) if n}
        assert proved.isdisjoint({*question.block.choices} - {question.hard_answer})
        types = release.types()
        alike = {e for e in proved if {*types[question.hard_answer]} <= {*types[e]}}
        if others := sorted(alike - {question.topic, *question.block.choices}):
            break
    shutil.copytree(made, tmp_path / "made")
    edited(TEST, line, lambda row: swap(row, others[0]))(tmp_path / "made")
    seal(tmp_path / "made")
    found = {(p.line, p.invariant) for p in verify(tmp_path / "made").problems}
    assert (line, "choices") in found


def replies(question: Question, wrong: int) -> list[str]:
    """What a system may say that chooses the answer, or so many places after it."""
    place = (question.block.choices.index(question.hard_answer) + wrong) % 4
    letter, name = "ABCD"[place], question.block.choices[place]
    return [
        letter,
        f"{letter}) {name}",
        name,
        f"So: a cousin.\nThe answer is {letter}.",
        f"({letter})",
    ]


@pytest.mark.usefixtures("installed")
@each("naming", ["text", "private"])
def test_a_reply_is_a_letter_or_a_name(made: Path, naming: str) -> None:
    release = Release.open(made)
    names = translation(release.entities, release.naming, naming)
    questions = release.questions("test")
    for wrong, right in ((0, 1.0), (1, 0.0)):
        for way in range(5):
            given = [Prediction(q.id, replies(q, wrong)[way]) for q in questions]
            if naming == "private" and way in (1, 2):
                continue
            report = evaluate(release, given, naming=naming)
            assert report.rows[-1].scores["hits_hard"].value == right
    listed = [Prediction(q.id, answers=(replies(q, 0)[0],)) for q in questions]
    assert evaluate(release, listed, naming=naming).rows[0].scores["f1"].value == 1.0
    named = [Prediction(q.id, names[q.hard_answer]) for q in questions]
    assert evaluate(release, named, naming=naming).rows[0].scores["f1"].value == 1.0


@pytest.mark.usefixtures("installed")
def test_it_is_shown_studied_and_exported(made: Path, here: Path, command: Command) -> None:
    release = Release.open(made)
    question = release.questions("test")[0]
    shown = command("show", made, question.id).out
    assert f"A) {question.block.choices[0]}" in " ".join(shown.split())
    study = ("study", made, "--with", "lookup,reasoner", "--set", "resamples=5", "-o", "study")
    assert command(*study).status == 0
    assert (here / "study" / "report.html").exists()
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    export(release, "hf", here / "hf")
    rows = parquet.read_table(here / "hf" / "choice-text" / "test.parquet").to_pylist()
    assert rows[0]["block"] == {"choices": [*question.block.choices]}


@pytest.mark.usefixtures("installed")
def test_its_options_are_in_help_keys_and_documentation(here: Path, command: Command) -> None:
    assert "choice.choices = 4" in command("build", "--keys", "choice").out
    assert "\n## [choice]\n" in options()
    ended = command("build", "demo", "--kind", "choice", "--set", "choice.choice=3")
    assert_refused(ended, "unknown key 'choice.choice'; did you mean 'choices'")
    ended = command("build", "demo", "--kind", "choice", "--model", "x",
                    "--dry-run")  # fmt: skip
    assert_refused(ended, "no model writes the texts of questions of the kind choice")
