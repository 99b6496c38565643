"""The questions as a set: ids, duplicates, balance and split.

Checks that ids are unique and ascending in each file; that no removed triple has two questions (selection
``maximal``) or two equal ones; that no entity is the hard answer of more questions than the balance
allows; and that no split is empty and, if the split is by group, no (topic, relation, direction) and no
removed triple is in two splits, listed hard answers included.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from rulemine.verify.folder import MANIFEST_NAME, QUESTION_FILES
from rulemine.verify.report import Findings, shown

__all__ = ["Located", "check_collection"]


class Located(NamedTuple):
    """A record with its file and line."""

    file: str
    line: int
    row: dict[str, Any]


def check_collection(
    questions: list[Located], rejections: list[Located], config: dict[str, Any], findings: Findings
) -> None:
    """Checks all properties of more than one question.

    Args:
        questions: All questions of the right shape, file by file.
        rejections: All rejected questions.
        config: The options of the build, from the manifest.
        findings: Collects the problems.
    """
    section = config.get("questions")
    options = section if isinstance(section, dict) else {}
    selection = config.get("selection")
    mode = selection.get("mode") if isinstance(selection, dict) else None
    _check_ids(questions, rejections, findings)
    _check_repeats(questions, mode == "maximal", findings)
    _check_balance(questions, rejections, options.get("max_answer_share"), findings)
    _check_split(questions, options.get("split"), findings)


def _check_ids(questions: list[Located], rejections: list[Located], findings: Findings) -> None:
    first: dict[str, Located] = {}
    last = ("", "")
    for here in (*questions, *(r for r in rejections if r.row["question"])):
        question = here.row["id"] if "id" in here.row else here.row["question"]
        if question in first:
            found = f"{question}, also in {first[question].file} line {first[question].line}"
            findings.add(here.file, here.line, "question id unique", found, "unique ids")
        first.setdefault(question, here)
        if "id" in here.row:
            if last[0] == here.file and question <= last[1]:
                findings.add(here.file, here.line, "sorted", question, f"an id after {last[1]}")
            last = (here.file, question)


def _check_repeats(questions: list[Located], once: bool, findings: Findings) -> None:
    def key(row: dict[str, Any]) -> Hashable:
        proof = () if once else (row["rule"], *map(tuple, row["certificate"]), row["direction"])
        return (*row["removed"], *proof)

    what = "question about one removed triple" if once else "question from one certificate"
    for here, earlier in _repeats(questions, key):
        found = f"the triple of {earlier.file} line {earlier.line}, {shown(here.row['removed'])}"
        findings.add(here.file, here.line, "one question", found, f"at most one {what}")


def _repeats(questions: list[Located], key: Any) -> Iterator[tuple[Located, Located]]:
    first: dict[Hashable, Located] = {}
    for here in questions:
        earlier = first.setdefault(key(here.row), here)
        if earlier is not here:
            yield here, earlier


def _check_balance(
    questions: list[Located], rejections: list[Located], share: Any, findings: Findings
) -> None:
    if not isinstance(share, int | float) or not 0 < share <= 1:
        findings.add(
            MANIFEST_NAME, None, "balance", shown(share), "config.questions.max_answer_share"
        )
        return
    before = len(questions) + sum(bool(r.row["question"]) for r in rejections)
    # The fraction as written, 0.29 and not the nearest float: 29 of 100, not 28.
    most = max(1, int(Fraction(str(share)) * before))
    times = Counter(q.row["hard_answer"] for q in questions)
    for answer, number in sorted(times.items()):
        if number > most:
            expected = f"at most {most} = ⌊{share} · {before}⌋"
            found = f"{shown(answer)} as hard answer of {number} questions"
            findings.add("questions", None, "balance", found, expected)


def _check_split(questions: list[Located], mode: Any, findings: Findings) -> None:
    sizes = Counter(q.file for q in questions)
    for file in QUESTION_FILES:
        if not sizes[file] and (mode != "none" or file == QUESTION_FILES[-1]):
            findings.add(file, None, "no split empty", "no question", "at least one")
        if sizes[file] and mode == "none" and file != QUESTION_FILES[-1]:
            expected = "none: with split none all questions are test questions"
            findings.add(file, None, "split", f"{sizes[file]} questions", expected)
    if mode == "group":
        _check_leakage(questions, "topic, relation, direction", _asks, findings)
        _check_leakage(questions, "removed triple", _removed_triples, findings)
    elif mode not in ("random", "none"):
        expected = "config.questions.split: group, random or none"
        findings.add(MANIFEST_NAME, None, "split", shown(mode), expected)


def _asks(row: dict[str, Any]) -> Sequence[Hashable]:
    return [(row["topic"], row["relation"], row["direction"])]


def _removed_triples(row: dict[str, Any]) -> Sequence[Hashable]:
    """Every removed triple that a question reveals: its own, and those of its other hard answers."""
    topic, relation, forward = row["topic"], row["relation"], row["direction"] == "object"
    others = row["hard_answers"]
    listed = {(topic, relation, a) if forward else (a, relation, topic) for a in others}
    return sorted(listed | {tuple(row["removed"])})


def _check_leakage(
    questions: list[Located],
    what: str,
    keys: Callable[[dict[str, Any]], Sequence[Hashable]],
    findings: Findings,
) -> None:
    first: dict[Hashable, Located] = {}
    for here in questions:
        for key in keys(here.row):
            earlier = first.setdefault(key, here)
            if earlier.file != here.file:
                found = f"the {what} of {earlier.file} line {earlier.line}: {shown(key)}"
                findings.add(here.file, here.line, "no leakage", found, "the same split for both")
