"""The seed texts of a release: from stage to stage, in every naming, and as the verifier sees them."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from rulemine.release.contents import ReleaseParts
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.seed_rows import SEED_TEXTS, SeedRow
from rulemine.verify.contents import Located
from rulemine.verify.folder import Folder
from rulemine.verify.kinds.variants import check_seed_texts
from rulemine.verify.names import Names
from rulemine.verify.report import Findings
from tests.kinds.rules.test_ask import random_build
from tests.structures import world
from tests.verify.tiny import tiny_files, write_release
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


@pytest.mark.parametrize(
    ("line", "changes", "problem"),
    [
        (0, {}, None),
        (1, {"id": "t1"}, "each id once"),
        (1, {"entities": ["nobody"]}, "entities of entities.tsv"),
        (1, {"entities": ["eve", "ada"]}, "sorted, each once"),
        (0, {"entities": ["ada"]}, "ada"),
        (0, {"split": "test"}, "that of its questions: train"),
        (1, {"split": "test"}, "that of its questions"),
        (0, {"id": "t9"}, f"an id of {SEED_TEXTS}"),
    ],
)
def test_the_verifier_sees_what_does_not_fit(tmp_path, line, changes, problem):
    rows = [dict(row) for row in GOOD]
    rows[line] |= changes
    files = tiny_files() | {SEED_TEXTS: "".join(json.dumps(row) + "\n" for row in rows)}
    folder_path = write_release(tmp_path, files=files)
    findings = Findings()
    folder = Folder(folder_path, findings)
    folder.check()
    found = Findings()
    names = Names(dict.fromkeys(("ada", "ben", "eve")), {}, {})
    questions = [Located("questions/train.jsonl", 1, QUESTION)]
    check_seed_texts(SimpleNamespace(folder=folder, names=names, questions=questions), found)
    problems = found.report(tmp_path).problems
    assert bool(problems) == (problem is not None)
    assert problem is None or any(problem in str(one) for one in problems)
