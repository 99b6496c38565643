"""The questions as a set: ids, duplicates, split, and what is unseen in training.

Checks that ids are unique; that no two questions share a query or a text; that no split is empty or far from
its size, and, if the split is by group, that nothing that their kind keeps apart is in two splits (`leaks`
checks what splits give away). What else a kind promises of its questions: `rulemine.verify.kinds`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any

from rulemine.verify.contents import Contents, Located
from rulemine.verify.folder import MANIFEST_NAME, QUESTION_FILES
from rulemine.verify.questions.idle import check_near_duplicates
from rulemine.verify.questions.leaks import check_given_away
from rulemine.verify.report import Findings, shown

__all__ = ["are_ratios", "check_collection", "check_most", "is_kept"]

SIZE_OFF = Fraction(2, 100)
"""How far the size of a split may be from its ratio, as a fraction of all questions, unless a group of
questions that stay together is larger than that."""

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
    if folder.checks.splits != "own":
        _check_split(contents, findings)
    check_given_away(contents, findings)
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
    folder, questions = contents.folder, contents.questions
    mode, ratios = folder.option("questions", "split"), folder.option("questions", "ratios")
    sizes = Counter(q.file for q in questions)
    if mode == "none":
        for file in QUESTION_FILES[:-1]:
            if sizes[file]:
                expected = "none: with split none all questions are test questions"
                findings.add(file, None, "split", f"{sizes[file]} questions", expected)
        return
    groups = Counter(range(len(questions)))
    if mode == "group":
        groups = _check_leakage(contents, findings)
    elif mode != "random":
        expected = "config.questions.split: group, random or none"
        findings.add(MANIFEST_NAME, None, "split", shown(mode), expected)
    good = are_ratios(ratios)
    slack = max(2, *groups.values(), int(SIZE_OFF * len(questions)) * (mode == "group"))
    shares = [
        Fraction(ratio, sum(ratios) if good else 3) for ratio in (ratios if good else (1, 1, 1))
    ]
    core = sum(here.row["core"] for here in questions)
    test_core = folder.option("questions", "test_core") if mode == "group" else 0
    for file, share, of_core in zip(
        QUESTION_FILES, shares, _core_sizes(core, shares, test_core), strict=True
    ):
        wanted = (len(questions) - core) * share + of_core
        if not sizes[file]:
            findings.add(file, None, "no split empty", "no question", "at least one")
        elif folder.checks.splits != "by ratio" and mode == "group":
            continue  # as many as the graph gives
        elif good and abs(sizes[file] - wanted) > slack:
            expected = f"{float(wanted):.1f}, within {slack} (manifest, config.questions.ratios)"
            findings.add(file, None, "split size", f"{sizes[file]} questions", expected)


def _core_sizes(core: int, shares: list[Fraction], test_core: Any) -> list[Fraction]:
    """How many questions of the core each split has; more than their shares where test is to have them."""
    train, validation, test = (core * share for share in shares)
    if type(test_core) is int and test_core > 0:
        wanted = Fraction(min(test_core, core // 3))
        test, validation = max(test, wanted), max(validation, wanted / 3)
        train = core - validation - test
    return [train, validation, test]


def _check_leakage(contents: Contents, findings: Findings) -> Counter[int]:
    """Checks that no two splits share a link; returns the sizes of the groups that links join."""
    questions = contents.questions
    group = list(range(len(questions)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    first: dict[Hashable, int] = {}
    for i, here in enumerate(questions):
        for what, key in contents.folder.checks.shared(here.row, contents):
            other = first.setdefault((what, key), i)
            if (earlier := questions[other]).file != here.file:
                found = f"the {what} of {earlier.place}: {shown(key)}"
                findings.add(here.file, here.line, "no leakage", found, "the same split for both")
            group[root(i)] = root(other)
    return Counter(map(root, range(len(questions))))


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
