"""The questions as a set: ids, duplicates, balance, split, and what is unseen in training.

Checks that ids are unique; that every removed fact is asked for or rejected, once;
that no two questions share a query or a text; that limits on answers, relations and types of rules hold, in
the core and outside it; that no split is empty or far from its size, and, if the split is by group, that no
query, no removed triple and no pair of topic and hard answer is in two splits (`leaks` checks what splits
give away). The published procedure
(``brink``) asks once per certificate and is held to neither unique texts nor the limits of the core.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from operator import itemgetter
from typing import Any

from rulemine.verify.contents import Contents, Located, Row, asked_relations, rules_used
from rulemine.verify.folder import MANIFEST_NAME, QUESTION_FILES, Folder
from rulemine.verify.graphs import REMOVED, as_triple
from rulemine.verify.questions.idle import check_near_duplicates
from rulemine.verify.questions.leaks import check_given_away
from rulemine.verify.questions.written_set import (
    check_cypher_set,
    check_subgraphs,
    check_variants,
    matched,
)
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Triple

__all__ = ["check_collection", "is_kept"]

SIZE_OFF = Fraction(2, 100)
"""How far the size of a split may be from its ratio, as a fraction of all questions, unless a group of
questions that stay together is larger than that."""

_KEPT = "template used: "

_SHARED: dict[str, Callable[[Row], list[str]]] = {
    "anchor": itemgetter("anchors"), "relation": asked_relations, "answer": itemgetter("answers"),
}  # fmt: skip
"""What only a fraction of the questions of a structure may have in common."""

_LOOSEST = {"per_structure": math.inf, "max_share": 1, "min_degree": 0, "max_degree": 0}
"""Options of the sampling, as they are where the manifest does not state them."""

_OF_KIND = {
    "subgraphs": check_subgraphs, "variants": check_variants, "cypher": check_cypher_set,
}  # fmt: skip
"""Kind → what it promises of all its questions."""

_TYPE = itemgetter("rule_type", "rule_subtype")


def is_kept(rejection: dict[str, Any]) -> bool:
    """Whether only a model's text was rejected: the question has its template, or no paraphrase."""
    own = str(rejection["detail"]).startswith(_KEPT)
    return rejection["stage"] == "verbalize" and (own or is_paraphrase(rejection))


def is_paraphrase(rejection: dict[str, Any]) -> bool:
    """Whether a paraphrase was rejected."""
    return str(rejection["reason"]).startswith("paraphrase: ")


def check_collection(contents: Contents, findings: Findings) -> None:
    """Checks all properties of more than one question."""
    folder, questions = contents.folder, contents.questions
    gone = [here for here in contents.rejections if not is_kept(here.row)]
    _check_ids(questions, gone, findings)
    if folder.kind in _OF_KIND:
        _OF_KIND[folder.kind](contents, findings)
    elif folder.kind == "rules":
        _check_asked(contents, gone, findings)
        _check_answers(folder, questions, findings)
        made = len(questions) + sum(here.row["question"] != "" for here in gone)
        _check_balance(folder, questions, made, contents.brink, findings)
    else:
        _check_sampling(contents, findings)
    if not contents.brink:
        _check_repeats(questions, "text", lambda row: row["question"], findings)
        _check_repeats(questions, "query", lambda row: row["query"], findings)
    check_near_duplicates(questions, findings)
    _check_split(folder, questions, findings)
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


def _check_asked(contents: Contents, gone: list[Located], findings: Findings) -> None:
    """Checks that each removed fact (``brink``: certificate) has one question or rejection."""
    removed, brink = contents.removed, contents.brink

    def key(triple: Triple, rule: str) -> Hashable:
        return (triple, rule) if brink else contents.facts.of(triple)

    held = Counter(key(t, rule) for t, record in removed.items() for rule, _ in record.certificates)
    if not brink:
        held = Counter(held.keys())
    made: Counter[Hashable] = Counter()
    for here in (*contents.questions, *gone):
        block = here.row.get("rules", here.row)
        asked = key(as_triple(block["removed"]), block["rule"])
        made[asked] += 1
        if made[asked] > held[asked]:
            found = f"{shown(asked)}, {held[asked]} removed ({REMOVED})"
            expected = "one question or rejection each"
            findings.add(here.file, here.line, "asked once", found, expected)
    for triple, record in removed.items():
        for asked in (key(triple, rule) for rule, _ in record.certificates):
            if made[asked] < held[asked]:
                found = f"{made[asked]} questions and rejections of {shown(asked)}"
                findings.add(REMOVED, record.line, "asked once", found, str(held[asked]))


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


def _check_answers(folder: Folder, questions: list[Located], findings: Findings) -> None:
    most = folder.option("questions", "max_answers")
    for here in questions if type(most) is int and most > 0 else ():
        if (n := len(here.row["answers"])) > most:
            expected = f"at most {most} (manifest, config.questions.max_answers)"
            findings.add(here.file, here.line, "number of answers", f"{n} answers", expected)


def _check_balance(
    folder: Folder, questions: list[Located], made: int, brink: bool, findings: Findings
) -> None:
    rows = [here.row for here in questions]
    whole = {"questions": rows}
    both = whole if brink else whole | {"core questions": [row for row in rows if row["core"]]}
    for section, key, parts, value in (
        ("questions", "max_answer_share", both, lambda row: row["hard_answer"]),
        ("questions", "max_relation_share", both, lambda row: row["rules"]["relation"]),
        ("selection", "per_type", whole, lambda row: _TYPE(row["rules"])),
    ):
        share = folder.option(section, key)
        if type(share) not in (int, float) or not 0 < share <= 1:
            expected = "a number above 0, at most 1"
            found = f"config.{section}.{key} = {shown(share)}"
            findings.add(MANIFEST_NAME, None, "balance", found, expected)
            continue
        for name, part in parts.items():
            total = made if brink else len(part)
            # The fraction as written, 0.29 and not the nearest float: 29 of 100, not 28.
            most = max(1, int(Fraction(str(share)) * total))
            for what, number in sorted(Counter(map(value, part)).items()):
                if share < 1 and number > most:
                    limit = f"at most {most} = ⌊{share} · {total}⌋"
                    expected = f"{limit} (manifest, config.{section}.{key})"
                    found = f"{number} {name} with {shown(what)}"
                    findings.add("questions", None, "balance", found, expected)


def _check_sampling(contents: Contents, findings: Findings) -> None:
    """Checks how many questions of each structure there are, what they share, and degrees of anchors."""
    folder, parts = contents.folder, dict[str, list[Located]]()
    for here in contents.questions:
        parts.setdefault(here.row["structure"], []).append(here)
    options = {
        key: value if type(value) in (int, float) else least
        for key, least in _LOOSEST.items()
        for value in (folder.option("structures", key),)
    }
    ratios = folder.option("questions", "ratios")

    def check(what: str, number: int, most: float, key: str) -> None:
        if number > most:
            expected = f"at most {most} (manifest, config.structures.{key})"
            findings.add("questions", None, "balance", f"{number} {what}", expected)

    for name, some in sorted(parts.items()):
        most = options["per_structure"]
        check(f"questions of {name}", len(some), most, "per_structure")
        if folder.option("questions", "split") == "group" and _are_ratios(ratios):
            for file, ratio in zip(QUESTION_FILES, ratios, strict=True):
                number = sum(here.file == file for here in some)
                share = -(-most * ratio // sum(ratios))
                check(f"questions of {name} in {file}", number, share, "per_structure")
        limit = max(1, int(Fraction(str(max(0, min(1, options["max_share"])))) * len(some)))
        for what, values in _SHARED.items():
            times = Counter(value for here in some for value in values(here.row))
            for value, number in sorted(times.items()):
                check(f"questions of {name} with {what} {shown(value)}", number, limit, "max_share")
    high = options["max_degree"] or math.inf
    for here in contents.questions:
        for anchor in here.row["anchors"]:
            degree = contents.degrees.get(anchor, 0)
            if not options["min_degree"] <= degree <= high:
                expected = f"{options['min_degree']} … {high} (manifest, config.structures)"
                findings.add(
                    here.file, here.line, "degree", f"{degree} of {shown(anchor)}", expected
                )


def _are_ratios(ratios: Any) -> bool:
    return isinstance(ratios, list) and [type(r) is int and r > 0 for r in ratios] == [True] * 3


def _check_split(folder: Folder, questions: list[Located], findings: Findings) -> None:
    if folder.kind == "subgraphs":
        return  # its own, see `check_subgraphs`; no validation, and a judge may leave no test question
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
        groups = _check_leakage(folder, questions, findings)
    elif mode != "random":
        expected = "config.questions.split: group, random or none"
        findings.add(MANIFEST_NAME, None, "split", shown(mode), expected)
    good = _are_ratios(ratios)
    slack = max(1, *groups.values(), int(SIZE_OFF * len(questions)) * (mode == "group"))
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
        elif folder.kind != "rules" and mode == "group":
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


def _links(row: Row, answers: bool, way: str) -> Iterator[tuple[str, Hashable]]:
    """Yields what no two splits may share; of structures, whether answers too; of cypher, by what."""
    if row["kind"] == "cypher":
        yield from matched(row, way)
    if row["kind"] in _OF_KIND:
        return
    if row["kind"] == "structures":
        yield from (("anchor", anchor) for anchor in row["anchors"])
        yield from (("answer", answer) for answer in row["answers"] if answers)
        return
    yield "query", row["query"]
    yield "removed triple", as_triple(row["rules"]["removed"])
    for item in row["hard"]:
        yield "pair of topic and hard answer", tuple(sorted((row["anchors"][0], item["answer"])))
        for triple in item["witness"]:
            yield "removed triple", as_triple(triple)


def _check_leakage(folder: Folder, questions: list[Located], findings: Findings) -> Counter[int]:
    """Checks that no two splits share a link; returns the sizes of the groups that links join."""
    answers = folder.option("structures", "disjoint_answers") is True
    way = str(folder.option("cypher", "split_by"))
    group = list(range(len(questions)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    first: dict[Hashable, int] = {}
    for i, here in enumerate(questions):
        for what, key in _links(here.row, answers, way):
            other = first.setdefault((what, key), i)
            if (earlier := questions[other]).file != here.file:
                found = f"the {what} of {earlier.place}: {shown(key)}"
                findings.add(here.file, here.line, "no leakage", found, "the same split for both")
            group[root(i)] = root(other)
    return Counter(map(root, range(len(questions))))


def _check_unseen(questions: list[Located], findings: Findings) -> None:
    train = [here.row for here in questions if here.row["split"] == "train"]
    rules = {rule for row in train for rule in rules_used(row)}
    relations = {relation for row in train for relation in asked_relations(row)}
    answers = {None, *(item["answer"] for row in train for item in row["hard"])}
    for here in questions:
        row = here.row
        expected = {
            "rule": bool(train) and not rules.issuperset(rules_used(row)),
            "relation": bool(train) and not relations.issuperset(asked_relations(row)),
            "answer": bool(train) and row["hard_answer"] not in answers,
        }
        if row["unseen"] != expected:
            findings.add(here.file, here.line, "unseen", shown(row["unseen"]), shown(expected))
