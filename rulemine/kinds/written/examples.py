"""The examples in prompts of candidates, by hand: ``rulemine/kinds/written/written_examples.jsonl``."""

import json
from collections.abc import Sequence
from functools import cache

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kg.graph import Triple
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of

__all__ = ["examples_of", "shape_of"]


def shape_of(triples: Sequence[Triple], answer: str) -> str:
    """The shape code of a tree of triples."""
    return structure_of(query_of_triples(triples, answer)).shape


def examples_of(form: str, atoms: int, shape: str, number: int, most: int) -> list[str]:
    """The replies, in JSON, of the examples that are most like a task.

    Args:
        form: The form of the task, as of `rulemine.kinds.written.candidate.Task`, as the next.
        atoms: How many triples its question is made from.
        shape: The shape of the question, if it is known; or "".
        number: The number of the task: those that are as much alike come in turns.
        most: How many there are, at most.
    """
    some = _every()[form]
    alike = [
        (own != shape, abs(size - atoms), (at + number) % len(some), reply)
        for at, (own, size, reply) in enumerate(some)
    ]
    return [reply for *_, reply in sorted(alike)[:most]]


@cache
def _every() -> dict[str, list[tuple[str, int, str]]]:
    """Form → shape, number of triples and reply of each example."""
    found: dict[str, list[tuple[str, int, str]]] = {}
    for line in read_text(packaged("kinds", "written", "written_examples.jsonl")).splitlines():
        row = json.loads(line)
        reply = row["reply"]
        triples = [(s, r, o) for s, r, o in (text.split(" — ") for text in reply["triples"])]
        text = json.dumps(reply, ensure_ascii=False)
        own = shape_of(triples, reply["answer"]), len(triples), text
        found.setdefault(row["form"], []).append(own)
    return found
