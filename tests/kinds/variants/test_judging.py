"""Three judges over HTTP: when they accept, what refuses, and what is counted."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from rulemine.errors import AwaitedError, UserError
from rulemine.judging.panel import FLAGS, JudgedQuestion, Panel, Stated, seat_judges
from rulemine.kinds.variants.ask import BAD, FIRST, UNREAD, Judges, Vote
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from tests.batch_server import answer_rounds
from tests.chat_server import ChatServer, Says, completion, error

FACTS = (Stated("Ann, parent_of, Bob", "Ann is a parent of Bob"),)
ITEMS = [
    JudgedQuestion(f"t{n}", f"Who is the child number {n} of Ann?", "Bob", (), FACTS, "text")
    for n in range(4)
]
GOOD = {flag.name: flag.good for flag in FLAGS}


def says(request: dict[str, Any], **changes: Any) -> str:
    """What a judge says who finds all good, but for the changes."""
    keys = request["response_format"]["json_schema"]["schema"]["required"]
    flags = {key: {**GOOD, **changes}[key.removesuffix("_flag")] for key in keys if "_flag" in key}
    return json.dumps({key: flags.get(key, f"why\n{key}") for key in keys})


def number(request: dict[str, Any]) -> int:
    """The question that a request is about."""
    return int(str(request["messages"][-1]["content"]).split("number ")[1][0])


def judged(
    folder: Path,
    decides: Says,
    models: tuple[str, ...] = ("a", "b", "c"),
    items: Sequence[JudgedQuestion] = ITEMS,
) -> tuple[list[Vote], dict[str, Any], ChatServer]:
    """What becomes of the questions, the counts, and the endpoint."""
    with ChatServer(decides) as server:
        options = EndpointOptions(base_url=server.url)
        with Session(options, folder / "journal.sqlite") as session:
            judges = Judges(Panel(seat_judges(models)), session)
            votes = judges.judge(items)
            return votes, judges.counts(0), server


def test_all_votes_come_in_one_round(tmp_path: Path) -> None:
    asked: list[int] = []
    votes: list[Vote] = []

    def answers(request: dict[str, Any], times: int) -> dict[str, Any]:
        return completion(request, says(request, redundancy=number(request) == 0))

    while not votes:
        options = EndpointOptions(batch=str(tmp_path / "batches"))
        with Session(options, tmp_path / "journal.sqlite") as session:
            try:
                votes = Judges(Panel(seat_judges(("a",))), session).judge(ITEMS)
            except AwaitedError:
                asked.append(answer_rounds(tmp_path / "batches", answers))
    assert asked == [4 * 3 * 2]
    assert [vote.reason for vote in votes] == [BAD["redundancy"], "", "", ""]


def test_a_judge_that_never_gives_a_flag_ends_the_build(tmp_path: Path) -> None:
    def lacks(request: dict[str, Any], times: int) -> str:
        said = json.loads(says(request))
        if request["model"] == "b":
            said.pop("answer_support_flag", None)
        return json.dumps(said)

    items = [replace(ITEMS[0], id=f"t{n}", question=f"Who is number {n}?") for n in range(FIRST)]
    told = r"answer_support_flag of b, judge 2 of 3, .* first 10 pairs: .*\nName other judges"
    with pytest.raises(UserError, match=told):
        judged(tmp_path, lacks, items=items)
    votes, counts, _ = judged(tmp_path / "few", lacks, items=items[:-1])
    assert {vote.reason for vote in votes} == {UNREAD}
    assert counts["unreadable"] == 2 * (FIRST - 1), "the other flag of the same reply, too"


def test_a_question_is_accepted_if_all_judges_find_all_good(tmp_path: Path) -> None:
    bad = {
        1: ("b", {"redundancy": True}, "redundancy"),
        2: ("c", {"answer_support": False, "answer_adequacy": False}, "answer_support"),
        3: ("a", {"ambiguity": True}, ""),
    }

    def decides(request: dict[str, Any], times: int) -> str:
        model, changes, _ = bad.get(number(request), ("", {}, ""))
        return says(request, **(changes if request["model"] == model else {}))

    votes, counts, server = judged(tmp_path, decides)
    assert [vote.reason for vote in votes] == ["", BAD["redundancy"], BAD["answer_support"], ""]
    assert [len(vote.judgements) for vote in votes] == [3, 0, 0, 3]
    first = votes[0].judgements
    assert [row.model for row in first] == ["a", "b", "c"]
    assert (first[0].logical_structure_flag, first[0].redundancy_flag) == (True, False)
    assert first[2].answer_adequacy_reasoning == "why answer_adequacy_reasoning"
    assert len(server.bodies) == 4 * 3 * 2
    assert all(len(set(vote.keys)) == 6 for vote in votes)
    assert (counts["models"], counts["judged"], counts["accepted"]) == (["a", "b", "c"], 4, 2)
    assert counts["unreadable"] == 0
    agreed = counts["agreement"]
    assert agreed["logical_structure"]["kappa"] is None, "all ratings are equal"
    assert (agreed["redundancy"]["good"], agreed["redundancy"]["votes"]) == (11, 12)
    assert agreed["redundancy"]["raw"] == pytest.approx(10 / 12)
    # P = 10/12, chance = (11/12)² + (1/12)²
    chance = (121 + 1) / 144
    assert agreed["redundancy"]["kappa"] == pytest.approx((10 / 12 - chance) / (1 - chance))
    assert (
        agreed["redundancy"]["low"] <= agreed["redundancy"]["kappa"] <= agreed["redundancy"]["high"]
    )


def test_judges_that_answer_prose_are_asked_once_more_and_reject(tmp_path: Path) -> None:
    def decides(request: dict[str, Any], times: int) -> str | Response:
        again = "could not be read" in str(request["messages"][-1]["content"])
        if request["model"] == "b" and number(request) in (0, 1):
            return says(request) if again and number(request) else "It looks fine to me."
        if request["model"] == "c" and number(request) == 2:
            return error(400, "no")
        return says(request)

    votes, counts, server = judged(tmp_path, decides)
    assert [vote.reason for vote in votes] == [UNREAD, "", UNREAD, ""]
    assert counts["unreadable"] == 4 + 4
    assert counts["agreement"]["redundancy"]["subjects"] == 2, "of ballots that can be read"
    prose = [body for body in server.bodies if body["model"] == "b" and number(body) < 2]
    assert len(prose) == 2 * 2 * 2, "two calls for each question, and each once more"
