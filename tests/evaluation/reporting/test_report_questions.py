"""Verdicts and reasons of a small world, by hand. q00001 asks for the mothers of Ann: Cid is stated, Eve is
hard, and Eve's proof is (Ann, wife, Bob)."""

from dataclasses import replace

from rulemine.evaluation import evaluate
from rulemine.evaluation.reporting.document import VERDICTS, Outcome
from rulemine.evaluation.reporting.documents import MOST_SAID, SystemRun, question_rows
from rulemine.release.records import Prediction
from tests import each
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    NAMES,
    QUESTIONS,
    question,
    write_release,
    write_structures,
)


def rows_for(release, given, split="test", kg="incomplete", **options):
    """The rows of questions for a system that gave these predictions."""
    report = evaluate(release, given, kg=kg, resamples=1, **options)
    return question_rows(release, [SystemRun("system", kg, given, report)], split)[0]


def outcome(release, prediction, kg="incomplete", **options) -> Outcome:
    return rows_for(release, [prediction], kg=kg, **options)[0].outcomes[0]


def names(*answers, **more) -> Prediction:
    return Prediction("q00001", answers=answers, **more)


PROOF, EDGE = (ANN, "wife", BOB), (ANN, "mother", EVE)
INFERRED = f"The hard answer {EVE} was given; this graph does not state it."
LOOKED_UP = (
    f"Only what the incomplete graph states was given: {CID}; the hard answer {EVE} was not."
)
MISSED = "Of the 1 triple of its proof, 0 were retrieved: a failure of retrieval."
UNREASONED = "retrieved, and it was not inferred: a failure of reasoning."
ASKED = {
    "small": QUESTIONS,
    "more": [
        question(1, ANN, answers=(BOB, CID, DORA, EVE), hard=(EVE, DORA), further=(BOB,)),
        question(2, BOB, answers=(CID,), hard=()),
    ],
    "leveled": [question(1, level=60)],
}
#    of      question, kg              answers     retrieved  verdict, end of why
WHY = [
    ("small", 1, "incomplete", (EVE, CID), None, "hard", INFERRED),
    ("small", 1, "incomplete", (BOB, EVE), None, "hard", f"{INFERRED} 1 other answer is wrong."),
    ("small", 1, "incomplete", (CID, BOB), None, "stated", f"{LOOKED_UP} 1 other answer is wrong."),
    ("small", 1, "incomplete", (BOB, DORA), None, "wrong", "None of 2 answers is right."),
    ("small", 1, "incomplete", (), None, "empty", "It named no entity."),
    ("small", 1, "complete", (EVE,), None, "hard", f"The hard answer {EVE} was given; this graph states it."),
    ("small", 1, "incomplete", (EVE,), [PROOF], "hard", f"{INFERRED} A proof of it was retrieved."),
    ("small", 1, "incomplete", (CID,), [PROOF], "stated", UNREASONED),
    ("small", 1, "incomplete", (CID,), [], "stated", MISSED),
    ("small", 1, "incomplete", (EVE,), [], "hard", "Of the 1 triple of its proof, 0 were retrieved."),
    # The incomplete graph lacks the removed triple: having it from elsewhere is not the proof.
    ("small", 1, "incomplete", (CID,), [EDGE], "stated", MISSED),
    ("small", 1, "complete", (EVE,), [EDGE], "hard", "this graph states it. A proof of it was retrieved."),
    ("small", 1, "complete", (CID,), [PROOF], "stated", UNREASONED),
    ("more", 1, "incomplete", (DORA,), None, "other_hard", ""),
    ("more", 1, "incomplete", (CID, DORA), None, "other_hard", ""),  # what is inferred says more
    ("more", 1, "incomplete", (BOB,), None, "further", f"the hard answer {EVE} was not."),
    ("more", 2, "incomplete", (CID,), None, "right", ""),
    ("more", 2, "incomplete", (EVE,), None, "wrong", ""),
    ("leveled", 1, "incomplete-40", (EVE,), None, "right", f"Nothing had to be inferred; given: {EVE}."),
    ("leveled", 1, "incomplete", (EVE,), None, "hard", ""),
]  # fmt: skip


@each(("of", "number", "kg", "answers", "retrieved", "verdict", "why"), WHY)
def test_why_an_answer_counts(tmp_path, of, number, kg, answers, retrieved, verdict, why):
    release = write_release(tmp_path / "r", ASKED[of], levels=(40, 100))
    given = Prediction(f"q{number:05d}", answers=answers, retrieved=retrieved and tuple(retrieved))
    found = rows_for(release, [given], kg=kg)[number - 1].outcomes[0]
    assert found.verdict == verdict in VERDICTS
    assert found.why.endswith(why)
    if retrieved is not None:
        assert found.retrieved_count == len(retrieved)
        for failure in ("retrieval", "reasoning"):  # as the report counts them
            assert (f"failure of {failure}" in why) == bool(found.scores[f"{failure}_failures"])


def test_no_prediction_is_no_empty_one(release):
    assert outcome(release, Prediction("q00002", answers=(ANN,))).verdict == "missing"
    scores = outcome(release, names(EVE, BOB)).scores
    assert (scores["precision"], scores["recall"], scores["hits_hard"]) == (0.5, 0.5, 1.0)


def test_the_proof_says_what_was_removed(release):
    rows, labels = question_rows(release, ())
    first = rows[0]
    removed = (ANN, "mother", EVE)
    assert first.proof == (removed, PROOF)
    assert first.shown["Proof"][0].endswith(": removed, but it follows from")
    assert first.outcomes == ()
    assert labels == {ANN: "Ann", BOB: "Bob", CID: "Cid", EVE: "Eve"}


def test_proofs_of_every_structure_reach_the_answer(tmp_path):
    rows, _ = question_rows(write_structures(tmp_path / "s"), (), None)
    for asked, proof, shown, _ in rows:
        ends = {end for triple in proof for end in triple[::2]}
        assert asked.hard_answer is None or asked.hard_answer in ends
        lines = shown.get("Proof", ())
        assert sum(line.endswith("it follows from") for line in lines) == asked.missing, asked.id


def test_other_names_are_told_in_those_of_the_release(release, tmp_path):
    given = names("Eve", "Nobody", retrieved=(("Ann", "wife", "Bob"),))
    found = outcome(release, given, naming="text")
    assert (found.answers, found.retrieved, found.verdict) == ((EVE, "Nobody"), (PROOF,), "hard")
    # Accents written in two ways are one name.
    other = {"Eve": "\u00c8ve", "Bob": "B\u00f3b"}
    accented = [replace(n, text=other.get(n.text, n.text)) for n in NAMES]
    release = write_release(tmp_path / "r", names=accented)
    given = names("E\u0300ve", retrieved=(("Ann", "wife", "Bo\u0301b"),))
    found = outcome(release, given, naming="text")
    assert (found.answers, found.retrieved) == ((EVE,), (PROOF,))
    assert found.why.endswith("A proof of it was retrieved.")


def test_a_text_is_kept_as_said_but_not_endless(release):
    said = f"It is {EVE}." + "x" * 5000
    found = outcome(release, Prediction("q00001", raw_output=said))
    assert found.answers == (EVE,)
    assert found.said.startswith(f"It is {EVE}.x")
    assert found.said.endswith(f"x… ({len(said):,} characters)")
    assert len(found.said) < MOST_SAID + 40
    assert outcome(release, names(EVE)).said == ""
