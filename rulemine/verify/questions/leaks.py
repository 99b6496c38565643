"""What questions give away of what others ask for, and what pattern carries the core of test.

A fact is the unordered pair of the ends of a removed triple. Checks that no fact that the hard answers of a
test question need is given by the full evidence or an answer of a training or validation question, that
none that validation needs is given by training, and that no test or validation question needs more facts
than the recipe allows; questions that are split at random are held to none of this. Within test, and within
validation, no fact is asked for from both of its ends. No rule proves more of the core of test than five
questions or 2 % of it; with 50 relations or more, none is in the bodies of the rules of more than 30 % of
it.
"""

import json
from collections import Counter

from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.folder import MANIFEST_NAME
from rulemine.verify.graphs import as_triple
from rulemine.verify.report import Findings, shown

__all__ = ["check_given_away", "check_patterns"]

MANY_RELATIONS = 50
"""In graphs with fewer, any relation is in many bodies."""

_LATER = {"train": ("validation", "test"), "validation": ("test",), "test": ()}
"""Split → those for which it must give nothing away."""


def check_given_away(contents: Contents, findings: Findings) -> None:
    """Checks what every split gives away."""
    if contents.folder.option("questions", "split") != "group" or contents.brink:
        return
    needed: dict[str, dict[tuple[str, ...], Located]] = {split: {} for split in _LATER}
    most = contents.folder.option("questions", "max_facts")
    for here in contents.questions:
        facts = _needed(here.row, contents)
        needed[here.row["split"]].update((fact, here) for fact in facts)
        if here.row["split"] != "train" and type(most) is int and len(facts) > most:
            expected = f"at most {most} ({MANIFEST_NAME}, config.questions.max_facts)"
            found = f"{len(facts)} removed facts that its hard answers need"
            findings.add(here.file, here.line, "facts needed", found, expected)
    for here in contents.questions:
        later = _LATER[here.row["split"]]
        for fact in _given(here.row) if later else ():
            for split in later:
                if (other := needed[split].get(fact)) is not None:
                    found = f"{shown(fact)}, which {other.place} needs"
                    expected = f"no removed fact that {split} asks for"
                    findings.add(here.file, here.line, "no leakage", found, expected)


def check_patterns(contents: Contents, findings: Findings) -> None:
    """Checks that no other question and no pattern tells answers of test and validation."""
    if contents.brink:
        return
    asked: dict[tuple[str, tuple[str, ...]], tuple[str, Located]] = {}
    core = []
    for here in contents.questions:
        row = here.row
        answers = {item["answer"] for item in row["hard"]} if row["split"] != "train" else set()
        rows = "".join(answers)  # of JSON, where answers are rows
        for fact in _needed(row, contents) if answers else ():
            for end in fact:
                if end in answers or json.dumps(end, ensure_ascii=False) in rows:
                    other, place = asked.setdefault((row["split"], fact), (end, here))
                    if other != end and place is not here:
                        found = f"{shown(fact)}, of which {place.place} asks for the other end"
                        findings.add(here.file, here.line, "one end", found, "one end a split")
        if row["core"] and row["split"] == "test":
            core.append({*row["rules"]})
    rules = Counter(rule for own in core for rule in own)
    bodies = (
        {r for id_ in own & contents.rules.keys() for _, r, _ in contents.rules[id_].body}
        for own in core
    )
    relations = Counter(relation for own in bodies for relation in own)
    bounds = [(rules, max(5, len(core) // 50))]
    if len(contents.names.relations) >= MANY_RELATIONS:
        bounds.append((relations, max(1, 3 * len(core) // 10)))
    for counts, most in bounds:
        for name, number in sorted(counts.items()):
            if number > most:
                found = f"{shown(name)} in proofs of {number} questions of the core"
                findings.add("questions/test.jsonl", None, "patterns", found, f"at most {most}")


def _needed(row: Row, contents: Contents) -> set[tuple[str, ...]]:
    triples = (as_triple(triple) for item in row["hard"] for triple in item["witness"])
    return {_pair(s, o) for s, r, o in triples if (s, r, o) in contents.removed}


def _given(row: Row) -> set[tuple[str, ...]]:
    stated = {_pair(s, o) for s, _, o in row["full_evidence"] + row["removed"]}
    return stated | {_pair(topic, one) for topic in row["anchors"] for one in row["answers"]}


def _pair(one: str, other: str) -> tuple[str, ...]:
    return tuple(sorted((one, other)))
