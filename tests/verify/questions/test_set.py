"""What no two questions share, what splits give away, what is unseen in training, and names in texts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from rulemine.verify.contents import Contents, Record
from rulemine.verify.kinds import KindChecks
from rulemine.verify.proofs import HornRule
from rulemine.verify.questions.question_set import check_set
from rulemine.verify.questions.texts import check_patterns, find_leaks
from rulemine.verify.report import Findings
from tests import each

REMOVED = [("a", "r", "b"), ("c", "r", "d"), ("e", "s", "f")]


def row(
    split: str, *, needs: Any = (), evidence: Any = (), topic: str = "t", answers: Any = ("x",)
) -> dict[str, Any]:
    return {
        "split": split, "anchors": [topic], "answers": list(answers), "question": topic, "query": topic,
        "hard": [{"answer": "x", "witness": [list(triple)]} for triple in needs], "hard_answer": None,
        "full_evidence": [list(triple) for triple in evidence], "removed": [], "rules": [], "relations": [],
        "core": False, "block": {}, "unseen": {"rule": False, "relation": False, "answer": False},
    }  # fmt: skip


def contents_of(**given: Any) -> Contents:
    contents = Contents.__new__(Contents)
    contents.__dict__.update({"findings": Findings(), **given})
    return contents


def invariants(contents: Contents) -> list[str]:
    return [problem.invariant for problem in contents.findings.report(Path()).problems]


def found(
    rows: list[dict[str, Any]], split: str = "group", max_facts: int = 5, **more: Any
) -> list[str]:
    """What is found of some questions; their texts and queries all differ."""
    questions = [
        Record(f"questions/{one['split']}.jsonl", n, one | {"question": f"{n}", "query": f"{n}"})
        for n, one in enumerate(rows)
    ]
    given: dict[str, Any] = {
        "config": {"questions": {"split": split, "max_facts": max_facts}}, "brink": False,
        "checks": KindChecks(), "removed": dict.fromkeys(REMOVED), "rules": {}, "relations": {},
        "questions": questions,
    }  # fmt: skip
    contents = contents_of(**given | more)
    check_set(contents)
    return [what for what in invariants(contents) if what != "unseen"]


@each(
    "gives",
    [
        row("train", evidence=[("a", "r", "b")]),
        row("validation", evidence=[("b", "other", "a")]),  # another statement on the same pair
        row("train", topic="b", answers=["z", "a"]),
    ],
)
def test_what_test_needs_is_given_by_no_earlier_split(gives: dict[str, Any]) -> None:
    test = row("test", needs=REMOVED[:1])
    assert found([test, gives]) == ["no leakage"]
    assert found([test, gives], split="random") == []


def test_test_may_give_away_what_training_needs() -> None:
    assert found([row("train", needs=REMOVED[:1]), row("test", evidence=REMOVED)]) == []
    assert found([row("validation", needs=REMOVED), row("train", evidence=REMOVED[1:2])]) != []


def test_questions_that_need_many_facts_are_for_training() -> None:
    for split in ("validation", "test"):
        assert found([row(split, needs=REMOVED)], max_facts=2) == ["facts needed"]
    assert found([row("train", needs=REMOVED)], max_facts=2) == []


def test_no_fact_is_asked_for_from_both_of_its_ends() -> None:
    def asks(split: str, answer: str) -> dict[str, Any]:
        hard = [{"answer": answer, "witness": [["a", "r", "b"]]}]
        return row(split, needs=[("a", "r", "b")]) | {"hard": hard}

    assert found([asks("test", "a"), asks("test", "b")]) == ["one end"]
    assert found([asks("test", '["a"]'), asks("test", '["b", 3]')]) == ["one end"]  # rows
    assert found([asks("test", "a"), asks("test", "a")]) == []
    assert found([asks("train", "a"), asks("train", "b")]) == []


def test_no_pattern_carries_the_core_of_test() -> None:
    def core(rule: str) -> dict[str, Any]:
        return row("test") | {"core": True, "rules": [rule]}

    rules = {f"{n}": HornRule(n, (0, "h", 1), ((0, "body", 1),), {}) for n in range(10)}
    assert found([core("1")] * 6, rules=rules) == ["patterns"]
    assert found([core("1")] * 5, rules=rules) == []
    some = [core(f"{n}") for n in range(10)]
    assert found(some, rules=rules) == []
    priors = SimpleNamespace(answers_each=lambda _relation, _end: np.empty(0))
    for number, expected in ((49, []), (50, ["patterns"])):  # of relations: any is in many bodies
        relations = {f"{n}": {"single": "none"} for n in range(number)}
        assert found(some, rules=rules, relations=relations, priors=priors) == expected


def test_two_questions_with_the_same_answers_have_one_constant_in_common_at_most() -> None:
    def between(*topics: str) -> dict[str, Any]:
        return row("train") | {"anchors": [*topics]}

    assert found([between("a", "b"), between("a", "b", "c")]) == ["near duplicates"]
    assert found([between("a", "b"), between("a", "c")]) == []
    assert found([between("a", "b"), between("a", "b") | {"answers": ["y"]}]) == []


@each(("returns", "unseen"), [("n_prop", True), ("n_argmax", False)])
@each("written", [True, False])
def test_the_name_of_a_country_is_not_the_country(returns, unseen, written):
    own = {"hard": [{"answer": '["Turkey"]', "witness": []}], "hard_answer": '["Turkey"]'}
    train = row("train") | own | {"block": {"returns": "n"}}
    later = row("validation") | own | {"block": {"returns": returns}}
    later["unseen"] = {"rule": False, "relation": False, "answer": written}
    questions = [Record("q.jsonl", n, one) for n, one in enumerate((train, later))]
    contents = contents_of(checks=KindChecks(as_given=True), questions=questions)
    check_set(contents)
    assert bool(invariants(contents)) is (written != unseen)


@each("topic", ["Anna Lind", "Lind Anna", "Old Anna Lind"])
def test_a_name_in_the_name_of_a_topic_is_no_leak(topic: str) -> None:
    assert find_leaks(f"Who wed {topic}?", [topic], ["Anna"]) == []
    assert find_leaks(f"Who wed {topic}, not Anna?", [topic], ["Anna"]) == ["Anna"]


@each(
    ("wording", "text", "holds"),
    [
        ("model", "Who made Dune?", True),
        ("model", "Who made the Dune?", False),
        ("template", "Who made the Dune?", True),
        ("template", "Who made a Dune?", False),
    ],
)
def test_names_may_have_an_article_where_no_model_wrote(wording, text, holds):
    asked = {"wording": wording, "question": text, "anchors": ["Dune"], "paraphrases": []}
    contents = contents_of(entities={})
    record = Record("test", 1, asked | {"patterns": ["Who made {topic}?"]})
    assert len(list(check_patterns(contents, record))) == holds
    assert invariants(contents) == ["text is its pattern"] * (not holds)
