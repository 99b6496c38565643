"""The seed texts of a release: from stage to stage, in every naming, and as the verifier sees them."""

from dataclasses import replace
from pathlib import Path

from rulemine.release.contents import ReleaseParts
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.records import SEED_TEXTS, SeedRow
from rulemine.verify.contents import Contents, Record
from rulemine.verify.kinds.variants import check_seed_texts
from rulemine.verify.report import Findings
from tests import each
from tests.kinds.rules.test_ask import random_build
from tests.structures import world
from tests.written_releases import written_world


def test_the_rows_pass_from_stage_to_stage(tmp_path):
    asked = random_build(3)[1]
    questions = written_world("variants").questions[:1]
    records = {SEED_TEXTS: (SeedRow("a/1", ("n0", "n1"), "film"),)}
    write_question_set(tmp_path, replace(asked, questions=questions, records=records))
    assert read_question_set(tmp_path).records == records


def test_entities_are_renamed_and_sorted_anew():
    parts: ReleaseParts = world()
    first, last = parts.names[0], parts.names[-1]
    rows = (SeedRow("t1", tuple(sorted((first.entity, last.entity))), "", "test"),)
    parts = replace(parts, records={SEED_TEXTS: rows})
    renamed = parts.renamed("private")
    assert renamed.records[SEED_TEXTS][0].entities == tuple(sorted((first.private, last.private)))
    assert renamed.renamed("entity").records == parts.records


GOOD = [
    {"id": "t1", "entities": ["ada", "ben"], "topic": "", "split": "train"},
    {"id": "t2", "entities": ["eve"], "topic": "people", "split": ""},
]
QUESTION = {"split": "train", "block": {"seed_text": "t1", "seeds": ["ada", "ben"]}}


@each(
    ("line", "changes", "lines"),
    [
        (0, {}, []),
        (1, {"id": "t1"}, ["1", "2", "9"]),
        (1, {"entities": ["nobody"]}, ["2"]),
        (1, {"entities": ["eve", "ada"]}, ["2"]),
        (0, {"entities": ["ada"]}, ["9"]),
        (0, {"split": "test"}, ["1"]),
        (1, {"split": "test"}, ["2"]),
        (0, {"id": "t9"}, ["1", "9"]),
    ],
)
def test_the_verifier_sees_what_does_not_fit(line, changes, lines):
    rows = [dict(row) for row in GOOD]
    rows[line] |= changes
    contents = Contents.__new__(Contents)
    contents.__dict__.update(
        findings=Findings(), config={}, entities=dict.fromkeys(("ada", "ben", "eve")),
        questions=[Record("questions/train.jsonl", 9, QUESTION)],
        records=lambda name: (Record(name, n, row) for n, row in enumerate(rows, start=1)),
    )  # fmt: skip
    check_seed_texts(contents)
    problems = contents.findings.report(Path()).problems
    assert sorted(str(one.line) for one in problems) == lines
