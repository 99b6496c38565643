"""The examples in prompts of candidates, from ``rulemine/verbalizer/written_examples.toml``."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rulemine.config import packaged, read_toml
from rulemine.kg.graph import Triple
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of

__all__ = ["examples_of", "shape_of"]


@dataclass(frozen=True, slots=True)
class _Example:
    """A question about an invented world.

    Attributes:
        form: One of `rulemine.builder.written.writer.FORMS`.
        question: Its text.
        answer: The answer, by its label, as the next.
        triples: What it is made from.
        taken: What answers must not have, said of ``?answer``.
    """

    form: str
    question: str
    answer: str
    triples: tuple[Triple, ...]
    taken: tuple[Triple, ...]

    def reply(self, *, coded: bool) -> str:
        """What a writer replies, as prompts ask for it; `coded`: entities have no labels."""
        ends = [
            end for s, _, o in (*self.triples, *self.taken) for end in (s, o) if end != "?answer"
        ]
        ids = {label: f"e{n}" for n, label in enumerate(dict.fromkeys(ends), start=1)}
        names = {label: id_ if coded else f"{label} ({id_})" for label, id_ in ids.items()}
        nodes = [end for end in ids if ends.count(end) == 1 and end != self.answer]
        terms = {end: f"?v{n}" for n, end in enumerate(ids, start=1)}
        terms |= {end: f"e:{ids[end]}" for end in nodes} | {
            self.answer: "?answer",
            "?answer": "?answer",
        }
        lines = [f"{terms[s]} r:{r} {terms[o]} ." for s, r, o in self.triples]
        lines += [f"FILTER NOT EXISTS {{ {terms[s]} r:{r} {terms[o]} }}" for s, r, o in self.taken]
        select = "(COUNT(DISTINCT ?answer) AS ?value)" if self.form == "count" else "?answer"
        text = self.question
        for label in ids if coded else ():
            text = text.replace(label, ids[label])
        reply = {
            "question": text,
            "nodes": [names[end] for end in nodes],
            "answer": names[self.answer],
            "triples": [f"{names[s]} — {r} — {names[o]}" for s, r, o in self.triples],
            "sparql": f"SELECT {select} WHERE {{ {' '.join(lines)} }}",
        }
        return json.dumps(reply, ensure_ascii=False)


def shape_of(triples: Sequence[Triple], answer: str) -> str:
    """The shape code of a tree of triples."""
    return structure_of(query_of_triples(triples, answer)).shape


def examples_of(
    form: str, atoms: int, shape: str, number: int, most: int, *, coded: bool
) -> list[str]:
    """The replies of the examples that are most like a task.

    Args:
        form: The form of the task, as of `rulemine.builder.written.writer.Task`, as the next.
        atoms: How many triples its question is made from.
        shape: The shape of the question, if it is known; or "".
        number: The number of the task: those that are as much alike come in turns.
        most: How many there are, at most.
        coded: Whether entities have no labels.
    """
    some = [one for one in _every() if one.form == form]
    alike = [
        (
            shape_of(one.triples, one.answer) != shape,
            abs(len(one.triples) - atoms),
            (at + number) % len(some),
        )
        for at, one in enumerate(some)
    ]
    ordered = sorted(range(len(some)), key=alike.__getitem__)
    return [some[at].reply(coded=coded) for at in ordered[:most]]


@cache
def _every() -> tuple[_Example, ...]:
    tables = read_toml(packaged("verbalizer", "written_examples.toml"))
    found = []
    for form, rows in tables.items():
        for question, (answer, *lines) in rows.items():
            triples = [tuple(line.split(" — ")) for line in lines]
            taken = tuple(triple for triple in triples if "?answer" in triple)
            used = tuple(triple for triple in triples if "?answer" not in triple)
            found.append(_Example(form, question, answer, used, taken))
    return tuple(found)
