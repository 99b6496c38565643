"""What one split gives away of what a later one asks for.

A fact is the unordered pair of the ends of a removed triple. Checks that no fact that the hard answers of a
test question need is given by the full evidence or an answer of a training or validation question, that none
that validation needs is given by training, and that no test or validation question needs more facts than the
recipe allows. Questions that are split at random are held to none of it.
"""

from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.folder import MANIFEST_NAME
from rulemine.verify.graphs import as_triple
from rulemine.verify.report import Findings, shown

__all__ = ["check_given_away"]

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


def _needed(row: Row, contents: Contents) -> set[tuple[str, ...]]:
    triples = (as_triple(triple) for item in row["hard"] for triple in item["witness"])
    return {_pair(s, o) for s, r, o in triples if (s, r, o) in contents.removed}


def _given(row: Row) -> set[tuple[str, ...]]:
    stated = {_pair(s, o) for s, _, o in row["full_evidence"] + row["removed"]}
    return stated | {_pair(topic, one) for topic in row["anchors"] for one in row["answers"]}


def _pair(one: str, other: str) -> tuple[str, ...]:
    return tuple(sorted((one, other)))
