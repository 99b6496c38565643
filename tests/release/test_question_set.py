"""The seed texts of a release: from stage to stage, in every naming, and as the verifier sees them."""

from dataclasses import replace

from rulemine.kinds.rules.balance import Limits, balance
from rulemine.kinds.split import split
from rulemine.release.contents import ReleaseParts
from rulemine.release.question_set import read_question_set, write_question_set
from rulemine.release.records import SEED_TEXTS, Rejection, SeedRow
from tests.kinds.rules.test_ask import random_build
from tests.structures import world


def test_entities_are_renamed_and_sorted_anew():
    parts: ReleaseParts = world()
    first, last = parts.names[0], parts.names[-1]
    rows = (SeedRow("t1", tuple(sorted((first.entity, last.entity))), "", "test"),)
    parts = replace(parts, records={SEED_TEXTS: rows})
    renamed = parts.renamed("private")
    assert renamed.records[SEED_TEXTS][0].entities == tuple(sorted((first.private, last.private)))
    assert renamed.renamed("entity").records == parts.records


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
