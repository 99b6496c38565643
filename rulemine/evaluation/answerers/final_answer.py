"""The last step of every answerer that asks a model: the same prompt and the same format for all.

Inner steps keep the format of each method. What is scored comes from here, so that obeying a format is not
mistaken for reasoning: strictly (the mode ``ids`` of `rulemine.evaluation.matching`: a list of names and
nothing else) and leniently (the mode ``vocabulary``: what a reader takes from the text).
"""

from collections.abc import Iterable, Sequence

from rulemine.evaluation.answerers.protocol import Chat
from rulemine.kg.graph import Triple
from rulemine.llm.call import Message
from rulemine.text.visible_reply import visible_reply

__all__ = ["UNKNOWN", "final_answer", "final_messages", "lines_of"]

UNKNOWN = "none"
"""What a model says when it knows no answer."""

TOKENS = 256

_TASK = (
    "Answer the question at the end. Write every answer on a line of its own: the name of an entity, spelled "
    f"exactly as below, and nothing else. If you know no answer, write {UNKNOWN}."
)


def lines_of(triples: Iterable[Triple]) -> list[str]:
    """Triples as a model is shown them, a line each.

    >>> lines_of([("ann", "family.mother", "eve")])
    ['ann | family.mother | eve']
    """
    return [" | ".join(triple) for triple in triples]


def final_messages(question: str, context: Sequence[str] = ()) -> list[Message]:
    """The conversation that asks for the answer.

    Args:
        question: The text of the question.
        context: What was found, as lines: triples, paths, thoughts.
    """
    known = "What is known:\n" + "\n".join(context) + "\n\n" if context else ""
    # What is the same for all questions comes first: servers keep what they made of a beginning.
    content = f"{_TASK}\n\n{known}Question: {question}\nAnswers, a name a line:"
    return [{"role": "user", "content": content}]


async def final_answer(
    chat: Chat, question: str, context: Sequence[str] = (), *, tokens: int = TOKENS, sample: int = 0,
    temperature: float = 0.0,
) -> str:  # fmt: skip
    """What a model answers, without its thoughts; "" where it fails or says that it knows none."""
    reply = await chat.say(
        final_messages(question, context),
        purpose="answer",
        max_tokens=tokens,
        temperature=temperature,
        sample=sample,
    )
    text = "" if reply is None else visible_reply(reply.text).strip()
    return "" if text.strip(" .").lower() == UNKNOWN else text
