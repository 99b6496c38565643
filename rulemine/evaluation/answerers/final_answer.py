"""The last step of every answerer that asks a model: the same prompt and the same format for all.

Inner steps keep the format of each method. What is scored comes from here, so that obeying a format is not
mistaken for reasoning: strictly (the mode ``ids`` of `rulemine.evaluation.matching`) and leniently (the mode
``vocabulary``).
"""

from collections.abc import Sequence

from rulemine.evaluation.answerers.protocol import Chat
from rulemine.llm.call import Message

__all__ = ["UNKNOWN", "final_answer", "final_messages"]

UNKNOWN = "none"
"""What a model says when it knows no answer."""

TOKENS = 256

_TASK = (
    "Answer the question. Write every answer on a line of its own: the name of an entity, spelled exactly as "
    f"above or in the question, and nothing else. If you know no answer, write {UNKNOWN}."
)


def final_messages(question: str, context: Sequence[str] = ()) -> list[Message]:
    """The conversation that asks for the answer.

    Args:
        question: The text of the question.
        context: What was found, as lines: triples, paths, thoughts.
    """
    known = "What is known:\n" + "\n".join(context) + "\n\n" if context else ""
    return [{"role": "user", "content": f"{known}Question: {question}\n\n{_TASK}"}]


async def final_answer(
    chat: Chat, question: str, context: Sequence[str] = (), *, tokens: int = TOKENS, sample: int = 0,
    temperature: float = 0.0,
) -> str:  # fmt: skip
    """What a model answers; "" where it fails or says that it knows none."""
    reply = await chat.say(
        final_messages(question, context),
        purpose="answer",
        max_tokens=tokens,
        temperature=temperature,
        sample=sample,
    )
    text = "" if reply is None else reply.text.strip()
    return "" if text.strip(" .").lower() == UNKNOWN else text
