"""The tables of what a panel says."""

from rulemine.judging.panel import FLAGS, Ballot, Mark, Panel, seat_judges
from rulemine.judging.report import report
from tests.evaluation.world import ANN, question

QUESTIONS = [question(n, ANN, core=True) for n in (1, 2, 3)]


def cast(fluent: bool | None) -> Ballot:
    """A ballot that finds all good, but for whether the text is fluent."""
    good = {flag.name: Mark(flag.good, "") for flag in FLAGS if flag.name != "proof"}
    return {**good, "logical_structure": Mark(fluent, "")}


def test_shares_of_questions_of_votes_and_of_pairs_of_judges() -> None:
    votes = [(True, True, True), (True, False, False), (True, None, True)]
    ballots = [list(map(cast, row)) for row in votes]
    told = report("r", QUESTIONS, Panel(seat_judges(["m"])), ballots, 0)
    assert "Accepted: 1 of 3" in told
    fluent = next(line for line in told.splitlines() if line.startswith("fluent"))
    # One of 3 by all, two by most, 6 of 9 votes; of the two that all judges could read 4 of 6 pairs agree.
    numbers = fluent.split()
    assert numbers[1:6] == ["3", "33.3", "66.7", "66.7", "66.7"]
    assert numbers[-1] == "1", "the third has a reply that could not be read"
