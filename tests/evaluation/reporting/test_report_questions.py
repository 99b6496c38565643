"""Verdicts and reasons of a small world, by hand. q00001 asks for the mothers of Ann: Cid is stated, Eve is
hard, and Eve's proof is (Ann, wife, Bob)."""

from dataclasses import replace

from rulemine.evaluation import evaluate
from rulemine.evaluation.reporting.document import VERDICTS, Outcome
from rulemine.evaluation.reporting.documents import MOST_SAID, SystemRun, question_rows
from rulemine.release.records import Prediction
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    NAMES,
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


def test_why_an_answer_counts(release):
    one, given = (
        "1 other answer is wrong.",
        f"The hard answer {EVE} was given; this graph does not state it.",
    )
    stated = (
        f"Only what the incomplete graph states was given: {CID}; the hard answer {EVE} was not."
    )
    for answers, *wanted in (
        ((EVE, CID), "hard", given), ((BOB, EVE), "hard", f"{given} {one}"),
        ((CID, BOB), "stated", f"{stated} {one}"), ((BOB, DORA), "wrong", "None of 2 answers is right."),
        ((), "empty", "It named no entity."),
    ):  # fmt: skip
        found = outcome(release, names(*answers))
        assert [found.verdict, found.why] == wanted
        assert found.verdict in VERDICTS
    # No prediction is no empty one.
    assert outcome(release, Prediction("q00002", answers=(ANN,))).verdict == "missing"
    scores = outcome(release, names(EVE, BOB)).scores
    assert (scores["precision"], scores["recall"], scores["hits_hard"]) == (0.5, 0.5, 1.0)


def test_other_hard_further_and_no_hard_answer(tmp_path):
    asked = [
        question(1, ANN, answers=(BOB, CID, DORA, EVE), hard=(EVE, DORA), further=(BOB,)),
        question(2, BOB, answers=(CID,), hard=()),
    ]
    release = write_release(tmp_path / "r", asked)
    assert outcome(release, names(DORA)).verdict == "other_hard"
    assert outcome(release, names(CID, DORA)).verdict == "other_hard", "what is inferred says more"
    found = outcome(release, names(BOB))
    assert found.verdict == "further"
    assert found.why.startswith(f"Only what not even the complete graph states was given: {BOB};")
    for answers, verdict in (((CID,), "right"), ((EVE,), "wrong")):
        row = rows_for(release, [Prediction("q00002", answers=answers)])[1]
        assert row.outcomes[0].verdict == verdict
        assert "Rule" not in row.shown


PROOF = (ANN, "wife", BOB)


RETRIEVED = [
    ("incomplete", EVE, [PROOF], "this graph does not state it. A proof of it was retrieved."),
    ("incomplete", CID, [PROOF], "retrieved, and it was not inferred: a failure of reasoning."),
    ("incomplete", CID, [], "Of the 1 triple of its proof, 0 were retrieved: a failure of retrieval."),
    ("incomplete", EVE, [], "Of the 1 triple of its proof, 0 were retrieved."),
    # The incomplete graph lacks the removed triple: having it from elsewhere is not the proof.
    ("incomplete", CID, [(ANN, "mother", EVE)], "0 were retrieved: a failure of retrieval."),
    ("complete", EVE, [(ANN, "mother", EVE)],
     "this graph states it. A proof of it was retrieved."),
    ("complete", CID, [PROOF], "retrieved, and it was not inferred: a failure of reasoning."),
]  # fmt: skip


def test_what_came_of_retrieval(release):
    for kg, answer, retrieved, why in RETRIEVED:
        found = outcome(release, names(answer, retrieved=tuple(retrieved)), kg)
        assert found.why.endswith(why)
        assert found.retrieved_count == len(retrieved)
        for failure in ("retrieval", "reasoning"):  # as the report counts them
            assert (f"failure of {failure}" in why) == bool(found.scores[f"{failure}_failures"])


def test_what_a_level_still_states_is_not_hard(tmp_path):
    asked = [question(1, level=60)]
    release = write_release(tmp_path / "r", asked, levels=(40, 100))
    found = outcome(release, names(EVE), "incomplete-40")
    assert (found.verdict, found.why) == ("right", f"Nothing had to be inferred; given: {EVE}.")
    assert outcome(release, names(EVE)).verdict == "hard"
    assert outcome(release, names(EVE), "complete").why == (
        f"The hard answer {EVE} was given; this graph states it."
    )


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
