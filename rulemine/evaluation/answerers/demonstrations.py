"""Demonstrations of thinking step by step: a chain of links, an intersection and a union, in that order.

As ComplexLogicalQA shows them to its models (few-shot chain of thought). Each is drawn from the training
questions of its structures, its steps being the triples that an answer of it follows from; where there is no
such question, an invented one stands in.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["DEMONSTRATIONS", "demonstrations"]


class _Form(NamedTuple):
    """What is demonstrated.

    Attributes:
        structures: The structures of questions that show it.
        said: What the thoughts begin with.
        invented: What stands in for a question that shows it.
    """

    structures: tuple[str, ...]
    said: str
    invented: str


DEMONSTRATIONS = (
    _Form(
        ("2p", "3p"),
        "The question is a chain of links: each step starts from what the one before it found.",
        """\
Question: In which bay does the river end that flows through Lorn?
Thoughts: The question is a chain of links: each step starts from what the one before it found. The Ave \
flows through Lorn. The Ave ends in Brenna Bay. So Brenna Bay is an answer.""",
    ),
    _Form(
        ("2i", "3i"),
        "The question has several conditions: what meets all of them is an answer.",
        """\
Question: Who was born in Lorn and is a member of the Glass Guild?
Thoughts: The question has several conditions: what meets all of them is an answer. Mira Oss and Tam Vell \
were born in Lorn. Mira Oss and Ines Hald are members of the Glass Guild. So Mira Oss is an answer.""",
    ),
    _Form(
        ("2u",),
        "The question has several conditions: what meets one of them is an answer.",
        """\
Question: Who teaches Tam Vell or works for Ines Hald?
Thoughts: The question has several conditions: what meets one of them is an answer. Odo Karr teaches \
Tam Vell. Mira Oss works for Ines Hald. So Odo Karr and Mira Oss are answers.""",
    ),
)
"""The forms, in the order in which they are shown."""


def demonstrations(train: Sequence[Question], most: int, seed: int) -> list[str]:
    """Demonstrations for a prompt.

    Args:
        train: Training and validation questions; the latter are left out.
        most: How many there are, at most one of each form.
        seed: Of what is drawn.
    """
    asked = sorted((q for q in train if q.split == "train"), key=lambda q: q.id)
    order = stream(seed, "demonstrations").permutation(len(asked)).tolist()
    found: list[str] = []
    for form in DEMONSTRATIONS[:most]:
        drawn = (asked[at] for at in order if asked[at].structure in form.structures)
        shown = next((q for q in drawn if q.hard_answer is not None and q.evidence), None)
        found.append(form.invented if shown is None else _written(form, shown))
    return found


def _written(form: _Form, question: Question) -> str:
    steps = " ".join(f"{' | '.join(triple)}." for triple in question.evidence)
    return (
        f"Question: {question.question}\n"
        f"Thoughts: {form.said} {steps} So {question.hard_answer} is an answer."
    )
