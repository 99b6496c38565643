"""Asking a model that is shown nothing of the graph: what it knows by heart.

``closed-book``       the final step alone
``chain-of-thought``  the model thinks step by step first (Kojima et al., NeurIPS 2022), maybe after
                      demonstrations (Wei et al., NeurIPS 2022); the final step is shown what it thought
``self-consistency``  that several times, and a vote (Wang et al., ICLR 2023), see `vote`
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.answerers.demonstrations import DEMONSTRATIONS, demonstrations
from rulemine.evaluation.answerers.final_answer import final_answer
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher

__all__ = ["ChainOfThought", "ClosedBook", "SelfConsistency", "vote"]

_THINK = "Question: {question}\n\nLet's think step by step. Do not give the answer yet."


@dataclass(frozen=True, slots=True)
class ClosedBook(Section):
    """A model that is shown the question alone.

    Attributes:
        max_tokens: Tokens of an answer at most.
    """

    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    blind: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 3)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question."""

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            return Answered(
                text=await final_answer(chat, question.question, tokens=self.max_tokens)
            )

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


@dataclass(frozen=True, slots=True)
class ChainOfThought(Section):
    """A model that thinks step by step before it answers.

    Attributes:
        shots: Demonstrations that it is shown first: a chain of links, an intersection, a union.
        max_tokens: Tokens of an answer at most.
        thought_tokens: Tokens of the thoughts at most.
    """

    shots: int = option(0, least=0, most=len(DEMONSTRATIONS))
    max_tokens: int = option(256, least=1)
    thought_tokens: int = option(512, least=1)

    uses_model: ClassVar[bool] = True
    blind: ClassVar[bool] = True
    typical: ClassVar = Typical(2, 2.1, 82)

    @property
    def needs(self) -> tuple[str, ...]:
        """The training questions, if it is shown some."""
        return ("train",) if self.shots else ()

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question once it has thought."""
        before: dict[str, str] = {}
        for part in given.parts(questions) if self.shots else ():
            shown = demonstrations(part.train, self.shots, given.seed)
            text = "".join(f"{one}\n\n" for one in shown)
            before |= dict.fromkeys((questions[number].id for number in part.numbers), text)

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            tokens = self.thought_tokens, self.max_tokens
            shown = before.get(question.id, "")
            return Answered(text=await _thoughtful(chat, question.question, tokens, shown=shown))

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2


@dataclass(frozen=True, slots=True)
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

    uses_model: ClassVar[bool] = True
    blind: ClassVar[bool] = True

    @property
    def typical(self) -> Typical:
        """That of a chain of thought, `k` times."""
        one = ChainOfThought.typical
        return Typical(self.k * one.calls, one.growth, self.k * one.received)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says most often to each question, a name a line."""
        matcher = VocabularyMatcher({*given.kg.entities, *given.order})

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            tokens = self.thought_tokens, self.max_tokens
            samples = await asyncio.gather(
                *(
                    _thoughtful(chat, question.question, tokens, self.temperature, sample)
                    for sample in range(self.k)
                )
            )
            return Answered(text="\n".join(vote([list(matcher.text(text)) for text in samples])))

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2 * self.k


async def _thoughtful(
    chat: Chat,
    question: str,
    tokens: tuple[int, int],
    temperature: float = 0.0,
    sample: int = 0,
    shown: str = "",
) -> str:
    """What a model answers once it has thought; where thinking failed, what it answers at once."""
    thoughts = await chat.say(
        shown + _THINK.format(question=question),
        purpose="think",
        limit="thought_tokens",
        max_tokens=tokens[0],
        temperature=temperature,
        sample=sample,
    )
    text = thoughts.text.strip() if thoughts else ""
    return await final_answer(
        chat,
        question,
        thoughts=[text] if text else (),
        tokens=tokens[1],
        temperature=temperature,
        sample=sample,
    )


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
    votes = Counter(name for names in samples for name in dict.fromkeys(names))
    ranked = [name for name, count in votes.most_common() if 2 * count > len(samples)]
    if ranked or not samples:
        return ranked
    sets = Counter(frozenset(names) for names in samples)
    commonest = sets.most_common(1)[0][0]
    return [name for name, _ in votes.most_common() if name in commonest]
