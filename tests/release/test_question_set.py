"""The seed texts of a release: from stage to stage, in every naming, and as the verifier sees them."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.kinds.rules.balance import Limits, balance
from rulemine.kinds.split import split
from rulemine.release.contents import ReleaseParts
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.records import SEED_TEXTS, Rejection, SeedRow
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


# What each stage keeps of the questions is read back.


def verbalized(asked):
    """Some questions in other words, one by its template for want of a text, one dropped."""
    first, second, *rest = asked.questions
    words = {
        "question": "What?", "wording": "model", "paraphrases": ("Eh?",), "patterns": ("{topic}?",),
    }  # fmt: skip
    why = [
        Rejection(
            "verbalize", "long", q.id, q.removed[0], q.block.direction, q.rules[0], "dropped: long"
        )
        for q in (first, second)
    ]
    worded = [replace(q, **words) for q in rest]
    return asked.keep([replace(second, wording="fallback"), *worded], why)  # fmt: skip


STAGES = {
    "balance": lambda asked: balance(asked, Limits(answer=0.2), 0),
    "verbalize": verbalized,
    "split": lambda asked: asked.keep(split(asked.questions, "random", (8, 1, 1), 0), ()),
}


def test_every_stage_is_read_back(tmp_path):
    asked = random_build(3)[1]
    for change in (lambda asked: asked, *STAGES.values()):
        asked = change(asked)
        write_question_set(tmp_path, asked)
        assert read_question_set(tmp_path) == asked


def test_a_damaged_file_is_named(tmp_path):
    write_question_set(tmp_path, random_build(3)[1])
    (tmp_path / "rejected.jsonl").write_text('{"stage":"split","reason":7}\n')
    with pytest.raises(InputError, match=r"rejected\.jsonl: line 1: .*`int` - at `\$\.reason`"):
        read_question_set(tmp_path)
