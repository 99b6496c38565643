"""The questions as a set: ids, duplicates, split, and what is unseen in training.

Checks that ids are unique; that no two questions share a query or a text; that no split is empty or far from
its size, and, if the split is by group, that nothing that their kind keeps apart is in two splits (`leaks`
checks what splits give away). What else a kind promises of its questions: `rulemine.verify.kinds`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from rulemine.verify.contents import Contents, Located
from rulemine.verify.folder import MANIFEST_NAME, QUESTION_FILES
from rulemine.verify.questions.idle import check_near_duplicates
from rulemine.verify.questions.leaks import check_given_away, check_patterns
from rulemine.verify.report import Findings, shown

__all__ = ["are_ratios", "check_collection", "check_most", "is_kept"]

_KEPT = "template used: "


def is_kept(rejection: dict[str, Any]) -> bool:
    """Whether only a model's text was rejected: the question has its template, or no paraphrase."""
    own = str(rejection["detail"]).startswith(_KEPT)
    paraphrase = str(rejection["reason"]).startswith("paraphrase: ")
    return rejection["stage"] == "verbalize" and (own or paraphrase)


def check_collection(contents: Contents, findings: Findings) -> None:
    """Checks all properties of more than one question."""
    folder, questions = contents.folder, contents.questions
    gone = [here for here in contents.rejections if not is_kept(here.row)]
    _check_ids(questions, gone, findings)
    folder.checks.check_set(contents, findings)
    if folder.checks.as_given:
        _check_unseen(questions, findings)
        return
    if not contents.brink:
        _check_repeats(questions, "text", lambda row: row["question"], findings)
        _check_repeats(questions, "query", lambda row: row["query"], findings)
    check_near_duplicates(contents, findings)
    if not folder.checks.own_splits:
        _check_split(contents, findings)
    check_given_away(contents, findings)
    check_patterns(contents, findings)
    _check_unseen(questions, findings)


def _check_ids(questions: list[Located], gone: list[Located], findings: Findings) -> None:
    first: dict[str, Located] = {}
    for here in (*questions, *(r for r in gone if r.row["question"])):
        question = here.row["id"] if "id" in here.row else here.row["question"]
        if question in first:
            found = f"{question}, also in {first[question].place}"
            findings.add(here.file, here.line, "question id unique", found, "unique ids")
        first.setdefault(question, here)


def _check_repeats(
    questions: list[Located],
    what: str,
    key: Callable[[dict[str, Any]], Hashable],
    findings: Findings,
) -> None:
    first: dict[Hashable, Located] = {}
    for here in questions:
        if (other := first.setdefault(key(here.row), here)) is not here:
            found = f"the {what} of {other.place}, {shown(here.row['question'])}"
            findings.add(here.file, here.line, f"one question a {what}", found, f"another {what}")


def check_most(contents: Contents, values: Iterable[str], key: str, findings: Findings) -> None:
    """Checks that no value occurs more often than an option of the kind allows, one of each question."""
    kind = contents.folder.kind
    most = contents.folder.option(kind, key)
    for value, number in sorted(Counter(values).items()) if type(most) is int else ():
        if number > most:
            expected = f"at most {most} (manifest, config.{kind}.{key})"
            findings.add("questions", None, "balance", f"{number} questions{value}", expected)


def are_ratios(ratios: Any) -> bool:
    """Whether an option is three ratios."""
    return isinstance(ratios, list) and [type(r) is int and r > 0 for r in ratios] == [True] * 3


def _check_split(contents: Contents, findings: Findings) -> None:
    mode = contents.folder.option("questions", "split")
    sizes = Counter(q.file for q in contents.questions)
    for file in QUESTION_FILES if mode != "none" else ():
        if not sizes[file]:
            findings.add(file, None, "no split empty", "no question", "at least one")
    for file in QUESTION_FILES[:-1] if mode == "none" else ():
        if sizes[file]:
            expected = "none: with split none all questions are test questions"
            findings.add(file, None, "split", f"{sizes[file]} questions", expected)
    if mode == "group":
        _check_leakage(contents, findings)
    elif mode not in ("none", "random"):
        expected = "config.questions.split: group, random or none"
        findings.add(MANIFEST_NAME, None, "split", shown(mode), expected)


def _check_leakage(contents: Contents, findings: Findings) -> None:
    """Checks that no two splits share a link."""
    first: dict[Hashable, Located] = {}
    for here in contents.questions:
        for what, key in contents.folder.checks.shared(here.row, contents):
            earlier = first.setdefault((what, key), here)
            if earlier.file != here.file:
                found = f"the {what} of {earlier.place}: {shown(key)}"
                findings.add(here.file, here.line, "no leakage", found, "the same split for both")


def _check_unseen(questions: list[Located], findings: Findings) -> None:
    train = [here.row for here in questions if here.row["split"] == "train"]
    rules = {rule for row in train for rule in row["rules"]}
    relations = {relation for row in train for relation in row["relations"]}
    answers = {_answer_key(row, item["answer"]) for row in train for item in row["hard"]}
    for here in questions:
        row = here.row
        expected = {
            "rule": bool(train) and not rules.issuperset(row["rules"]),
            "relation": bool(train) and not relations.issuperset(row["relations"]),
            "answer": bool(train)
            and row["hard_answer"] is not None
            and _answer_key(row, row["hard_answer"]) not in answers,
        }
        if row["unseen"] != expected:
            findings.add(here.file, here.line, "unseen", shown(row["unseen"]), shown(expected))


def _answer_key(row: dict[str, Any], answer: str) -> tuple[str, bool]:
    """An answer; the value of a property, such as a country's name, is not the node that is called so."""
    return answer, "_prop" in (row["block"] or {}).get("returns", "") and '"' in answer
