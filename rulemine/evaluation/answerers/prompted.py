"""Asking a model that is shown nothing of the graph: what it knows by heart.

``closed-book``       the final step alone
``chain-of-thought``  the model thinks step by step first (Kojima et al., NeurIPS 2022), maybe after
                      demonstrations (Wei et al., NeurIPS 2022); the final step is shown what it thought
``self-consistency``  that several times, and a vote (Wang et al., ICLR 2023), see `vote`

Demonstrations are a chain of links, an intersection and a union, in that order, as ComplexLogicalQA shows
them to its models. Each is drawn from the training questions of its structures, its steps being the triples
that an answer of it follows from; where there is no such question, an invented one stands in.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.evaluation.answerers.final_answer import final_answer
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = [
    "DEMONSTRATIONS",
    "ChainOfThought",
    "ClosedBook",
    "Demonstrated",
    "SelfConsistency",
    "demonstrations",
    "shuffled",
    "vote",
]


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


def shuffled(train: Sequence[Question], seed: int, purpose: str) -> list[Question]:
    """The training questions among these, without those for validation, in an order drawn for a purpose."""
    asked = sorted((q for q in train if q.split == "train"), key=lambda q: q.id)
    return [asked[at] for at in stream(seed, purpose).permutation(len(asked)).tolist()]


def demonstrations(train: Sequence[Question], most: int, seed: int) -> list[str]:
    """Demonstrations for a prompt.

    Args:
        train: Training and validation questions; the latter are left out.
        most: How many there are, at most one of each form.
        seed: Of what is drawn.
    """
    order = shuffled(train, seed, "demonstrations")
    found: list[str] = []
    for form in DEMONSTRATIONS[:most]:
        fitting = (
            q
            for q in order
            if q.structure in form.structures and q.hard_answer is not None and q.evidence
        )
        shown = next(fitting, None)
        found.append(form.invented if shown is None else _written(form, shown))
    return found


def _written(form: _Form, question: Question) -> str:
    steps = " ".join(f"{' | '.join(triple)}." for triple in question.evidence)
    return (
        f"Question: {question.question}\n"
        f"Thoughts: {form.said} {steps} So {question.hard_answer} is an answer."
    )


_THINK = "\nLet's think step by step. Do not give the answer yet."


class Demonstrated(Section):
    """An answerer that asks a model and shows it training questions first, if its option `shots` is not 0."""

    shots: int

    uses_model: ClassVar = True

    @property
    def needs(self) -> tuple[str, ...]:
        """The training questions, if the model is shown some."""
        return ("train",) if self.shots else ()

    def before(
        self,
        given: Context,
        questions: Sequence[OpenQuestion],
        written: Callable[[Sequence[Question]], Sequence[str]],
    ) -> dict[str, str]:
        """What is shown before each question, by id; empty without shots.

        Args:
            given: With the training questions.
            questions: The questions.
            written: Makes texts of those that a question may be answered from; an empty line follows each.
        """
        found: dict[str, str] = {}
        for part in given.parts(questions) if self.shots else ():
            text = "".join(f"{one}\n\n" for one in written(part.train))
            found |= dict.fromkeys((questions[number].id for number in part.numbers), text)
        return found


@dataclass(frozen=True)
class ClosedBook(Section):
    """A model that is shown the question alone.

    Attributes:
        max_tokens: Tokens of an answer at most.
    """

    max_tokens: int = option(256, least=1)

    uses_model: ClassVar = True
    blind: ClassVar = True
    typical: ClassVar = Typical(1, 1, 3)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question."""

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            text = await final_answer(chat, question.question, tokens=self.max_tokens)
            return Answered(text=text)

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


@dataclass(frozen=True)
class ChainOfThought(Demonstrated):
    """A model that thinks step by step before it answers.

    Attributes:
        shots: Demonstrations that it is shown first: a chain of links, an intersection, a union.
        max_tokens: Tokens of an answer at most.
        thought_tokens: Tokens of the thoughts at most.
    """

    shots: int = option(0, least=0, most=len(DEMONSTRATIONS))
    max_tokens: int = option(256, least=1)
    thought_tokens: int = option(512, least=1)

    blind: ClassVar = True
    typical: ClassVar = Typical(2, 2.1, 82)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question once it has thought."""
        before = self.before(
            given, questions, lambda train: demonstrations(train, self.shots, given.seed)
        )

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            tokens, shown = (self.thought_tokens, self.max_tokens), before.get(question.id, "")
            return Answered(text=await _thoughtful(chat, question.question, tokens, shown))

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2


@dataclass(frozen=True)
class SelfConsistency(Section):
    """A model that thinks and answers several times, and the answers that most of these agree on.

    Attributes:
        k: How often each question is thought through and answered.
        temperature: Of thoughts and answers; at 0 all would be the same.
        max_tokens: Tokens of an answer at most.
        thought_tokens: Tokens of the thoughts at most.
    """

    k: int = option(5, least=1, most=100)
    temperature: float = option(0.7, above=0, most=2)
    max_tokens: int = option(256, least=1)
    thought_tokens: int = option(512, least=1)

    uses_model: ClassVar = True
    blind: ClassVar = True

    @property
    def typical(self) -> Typical:
        """That of a chain of thought, `k` times."""
        calls, growth, received = ChainOfThought.typical
        return Typical(self.k * calls, growth, self.k * received)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says most often to each question, a name a line."""
        matcher = VocabularyMatcher({*given.kg.entities, *given.order})
        tokens = self.thought_tokens, self.max_tokens

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            samples = await asyncio.gather(*(
                _thoughtful(
                    chat, question.question, tokens, temperature=self.temperature, sample=sample
                )
                for sample in range(self.k)
            ))  # fmt: skip
            return Answered(text="\n".join(vote([list(matcher.text(text)) for text in samples])))

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2 * self.k


async def _thoughtful(
    chat: Chat, question: str, tokens: tuple[int, int], shown: str = "", *,
    temperature: float = 0.0, sample: int = 0,
) -> str:  # fmt: skip
    """What a model answers once it has thought; where thinking failed, what it answers at once."""
    how: Any = {"temperature": temperature, "sample": sample}
    content = f"{shown}Question: {question}\n{'Thoughts:' if shown else _THINK}"
    reply = await chat.say(
        content, purpose="think", limit="thought_tokens", max_tokens=tokens[0], **how
    )
    text = reply.text.strip() if reply else ""
    return await final_answer(chat, question, (), [text] * bool(text), tokens=tokens[1], **how)


def vote(samples: Sequence[Sequence[str]]) -> list[str]:
    """The answers that samples agree on.

    A name that more than half of all samples give is an answer. Where there is none, the set that most
    samples give is taken, of equally frequent ones the one that came first. A sample without an answer, or
    whose call failed, gives the empty set, and so votes against every name.

    Args:
        samples: The names in each sample.

    Returns:
        Names, the one with the most votes first; those with as many in the order in which they came.

    >>> vote([["ann", "bob"], ["bob"], ["bob", "ann"], ["eve"], []])
    ['bob']
    >>> vote([["ann"], ["bob", "eve"], ["eve", "bob"], [], ["joe"]])
    ['bob', 'eve']
    """
    votes = Counter(name for names in samples for name in dict.fromkeys(names)).most_common()
    ranked = [name for name, count in votes if 2 * count > len(samples)]
    commonest = Counter(map(frozenset, samples)).most_common(1)
    return ranked or [name for name, _ in votes if name in commonest[0][0]]
