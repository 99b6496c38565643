"""The questions together: duplicates, splits, what these give away, and what patterns carry the core.

Checks that no two questions share a query, a text, or their answers and two constants; that nothing that
their kind keeps apart is in two splits; the flags `unseen`; of which relations there is one. A fact is the
unordered pair of the ends of a removed triple. No fact that the hard answers of a test question need is given
by the full evidence or an answer of a training or validation question, and none that validation needs by
training; no test or validation question needs more facts than the recipe allows; questions that are split at
random are held to none of this. Within test, and within validation, no fact is asked for from both of its
ends. No rule proves more of the core of test than five questions or 2 % of it; with 50 relations or more,
none is in the bodies of the rules of more than 30 % of it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import combinations

from rulemine.verify.contents import SPLITS, Contents, Record, Row, as_triple
from rulemine.verify.questions.queries import quoted

__all__ = ["check_limit", "check_set", "check_splits"]

MANY_RELATIONS = 50
"""In graphs with fewer, any relation is in many bodies."""

SINGLE = 95
"""Least percentage of topic entities with one answer where that is asked for in the singular."""

_LATER = {"train": ("validation", "test"), "validation": ("test",), "test": ()}
"""Split → those for which it must give nothing away."""

Fact = tuple[str, ...]


def check_set(contents: Contents) -> None:
    """Checks all properties of more than one question."""
    kind = contents.checks
    kind.whole(contents)
    _check_unseen(contents)
    if kind.as_given:
        return
    _check_single(contents)
    _check_repeats(contents)
    needed = [(at, _needed(at.row, contents)) for at in contents.questions]
    if not contents.brink:
        _check_given_away(contents, needed)
        _check_one_end(contents, needed)
        _check_core(contents)


def check_splits(contents: Contents) -> None:
    """Checks that there are questions in every split, or in test alone where nothing is split."""
    for split in SPLITS:
        file, whole = f"questions/{split}.jsonl", contents.option("questions", "split") == "none"
        number = sum(at.file == file for at in contents.questions)
        if bool(number) == (whole and split != "test"):
            what, expected = ("split", "none") if number else ("no split empty", "some")
            contents.findings.add(file, None, what, f"{number} questions", expected)


def check_limit(contents: Contents, values: Iterable[str], most: float | None, key: str) -> None:
    """Checks that no value occurs more often than an option allows; None is no limit.

    Args:
        contents: The release.
        values: What questions have, any number of each.
        most: The limit.
        key: The option.
    """
    for value, number in sorted(Counter(values).items()) if most is not None else ():
        if number > most:  # type: ignore[operator]
            found, expected = f"{number} questions {value}", f"at most {most} (config.{key})"
            contents.findings.add("questions", None, "balance", found, expected)


def _check_single(contents: Contents) -> None:
    """Checks of which ends of relations there is one: most topic entities of the complete graph have one."""
    for line, (relation, row) in enumerate(contents.relations.items(), start=2):
        each = {end: contents.priors.answers_each(relation, end) for end in ("subject", "object")}
        ones = {end: 100 * (n == 1).sum() / max(1, len(n)) for end, n in each.items()}
        single = " and ".join(end for end, share in ones.items() if share >= SINGLE)
        named = {"": "none", "subject and object": "both"}.get(single, single)
        contents.equal(Record("relations.tsv", line, row), "single", row["single"], named)


def _check_repeats(contents: Contents) -> None:
    """Checks what no two questions share, of any splits or of two."""
    kind, first = contents.checks, dict[Hashable, Record]()
    grouped = contents.option("questions", "split") == "group"
    once = () if contents.brink else (("text", "question"), ("query", "query"))
    for at in contents.questions:
        row, pairs = at.row, combinations(sorted({*kind.constants(at.row)}), 2)
        keys: list[tuple[Hashable, ...]] = [
            *((f"one question a {what}", row[key]) for what, key in once),
            *(("near duplicates", frozenset(row["answers"]), pair) for pair in pairs),
            *(("no leakage", *key) for key in (kind.apart(row, contents) if grouped else ())),
        ]
        for key in keys:
            other = first.setdefault(key, at)
            if other is not at and (key[0] != "no leakage" or other.file != at.file):
                contents.wrong(at, str(key[0]), key[1:], f"none of {other.place}")


def _needed(row: Row, contents: Contents) -> set[Fact]:
    """The facts that the hard answers of a question need."""
    triples = (as_triple(triple) for item in row["hard"] for triple in item["witness"])
    return {_pair(s, o) for s, r, o in triples if (s, r, o) in contents.removed}


def _pair(one: str, other: str) -> Fact:
    return tuple(sorted((one, other)))


def _check_given_away(contents: Contents, needed: list[tuple[Record, set[Fact]]]) -> None:
    """Checks what every split gives away."""
    by_split: dict[str, dict[Fact, Record]] = {split: {} for split in SPLITS}
    grouped = contents.option("questions", "split") == "group"
    most = contents.option("questions", "max_facts") if grouped else None
    for at, facts in needed:
        by_split[at.row["split"]].update(dict.fromkeys(facts, at))
        if at.row["split"] != "train" and len(facts) > (most or len(facts)):
            contents.wrong(at, "facts needed", facts, f"at most {most} (questions.max_facts)")
    for row, at in ((at.row, at) for at in contents.questions):
        given = {_pair(s, o) for s, _, o in row["full_evidence"] + row["removed"]} | {
            _pair(topic, one) for topic in row["anchors"] for one in row["answers"]
        }
        for later in _LATER[row["split"]]:
            for fact in by_split[later].keys() & given if grouped else ():
                contents.wrong(at, "no leakage", fact, f"not of {by_split[later][fact].place}")


def _check_one_end(contents: Contents, needed: list[tuple[Record, set[Fact]]]) -> None:
    """Checks that no fact is asked for from both of its ends in test, and none in validation."""
    asked: dict[Hashable, tuple[str, Record]] = {}
    for at, facts in needed:
        answers = [item["answer"] for item in at.row["hard"] if at.row["split"] != "train"]
        rows = "".join(answers)  # of JSON, where answers are rows
        for fact, end in ((one, end) for one in facts for end in one):
            if end in answers or quoted(end) in rows:
                other, first = asked.setdefault((at.row["split"], fact), (end, at))
                if other != end and first is not at:
                    contents.wrong(at, "one end", fact, f"not the other end of {first.place}")


def _check_core(contents: Contents) -> None:
    """Checks that no pattern tells the answers of the core of test."""
    core = [
        contents.rules.keys() & at.row["rules"]
        for at in contents.questions
        if at.row["core"] and at.row["split"] == "test"
    ]
    bodies = [{r for id_ in own for _, r, _ in contents.rules[id_].body} for own in core]
    share = 3 * len(core) // 10 if len(contents.relations) >= MANY_RELATIONS else len(core)
    for patterns, most in ((core, max(5, len(core) // 50)), (bodies, max(1, share))):
        for name, number in sorted(Counter(one for own in patterns for one in own).items()):
            if number > most:
                what = f"{name} in the proofs of {number} questions of the core", f"at most {most}"
                contents.findings.add("questions/test.jsonl", None, "patterns", *what)


def _check_unseen(contents: Contents) -> None:
    train = [at.row for at in contents.questions if at.row["split"] == "train"]
    rules = {rule for row in train for rule in row["rules"]}
    relations = {relation for row in train for relation in row["relations"]}
    answers = {_answer_key(row, item["answer"]) for row in train for item in row["hard"]}
    for at in contents.questions:
        row, answer = at.row, at.row["hard_answer"]
        expected = {
            "rule": bool(train) and not rules.issuperset(row["rules"]),
            "relation": bool(train) and not relations.issuperset(row["relations"]),
            "answer": bool(train and answer) and _answer_key(row, answer) not in answers,
        }
        contents.equal(at, "unseen", row["unseen"], expected)


def _answer_key(row: Row, answer: str) -> tuple[str, bool]:
    """An answer; the value of a property, such as a country's name, is not the node that is called so."""
    return answer, "_prop" in (row["block"] or {}).get("returns", "") and '"' in answer
