"""The last step of every answerer that asks a model: the same prompt and the same format for all.

The prompt says how triples are written, and that what can be concluded from them is an answer, too: systems
differ in what they show, never in the instructions about inferring. Inner steps keep the format of each
method. What is scored comes from here, so that obeying a format is not mistaken for reasoning: strictly (the
mode ``ids`` of `rulemine.evaluation.matching.matching`: a list of names and nothing else) and leniently (the
mode ``vocabulary``: what a reader takes from the text).
"""

from collections.abc import Iterable, Sequence

from rulemine.evaluation.answerers.protocol import Chat
from rulemine.kg.graph import Triple
from rulemine.llm.call import Message
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "TRIPLES",
    "UNKNOWN",
    "cut_note",
    "final_answer",
    "final_messages",
    "instruction",
    "lines_of",
]

UNKNOWN = "none"
"""What a model says when it knows no answer."""

TOKENS = 256

TRIPLES = "a triple a line: subject | relation | object"
"""How `lines_of` writes triples, for the prompt."""

_BLIND = (
    "Answer the question at the end. Give every answer that you know or can conclude. Write each on a line "
    f"of its own: the name of an entity and nothing else. If there is none, write {UNKNOWN}."
)

_SHOWN = (
    "Answer the question at the end. What is known is a part of a knowledge graph, {written}. The graph "
    "lacks facts: give the answers that it states, and add those that it does not state but that can be "
    "concluded from what is known. Write each on a line of its own: the name of an entity, spelled exactly "
    f"as below, and nothing else. If there is none, write {UNKNOWN}."
)


def lines_of(triples: Iterable[Triple]) -> list[str]:
    """Triples as a model is shown them, a line each.

    >>> lines_of([("ann", "family.mother", "eve")])
    ['ann | family.mother | eve']
    """
    return [" | ".join(triple) for triple in triples]


def cut_note(shown: int, every: int) -> str:
    """What a prompt says of a list that was cut; nothing of one that was not.

    >>> cut_note(5, 7), cut_note(7, 7)
    (' (5 of 7)', '')
    """
    return f" ({shown} of {every})" if shown < every else ""


def instruction(written: str = "") -> str:
    """The instructions to the model.

    Args:
        written: How the lines are to be read that it is shown; empty: it is shown none.
    """
    return _SHOWN.format(written=written) if written else _BLIND


def final_messages(
    question: str, known: Sequence[str] = (), thoughts: Sequence[str] = (), written: str = TRIPLES
) -> list[Message]:
    """The conversation that asks for the answer.

    Args:
        question: The text of the question.
        known: What the graph states, as lines. Without any, the prompt speaks of no graph.
        thoughts: What the model said before, as lines.
        written: How the lines of `known` are to be read.
    """
    # What is the same for all questions comes first: servers keep what they made of a beginning.
    parts = [instruction(written if known else "")]
    parts += ["\n".join(["What is known:", *known])] * bool(known)
    parts += ["\n".join(["Thoughts so far:", *thoughts])] * bool(thoughts)
    parts.append(f"Question: {question}\nAnswers, a name a line:")
    return [{"role": "user", "content": "\n\n".join(parts)}]


async def final_answer(
    chat: Chat, question: str, known: Sequence[str] = (), thoughts: Sequence[str] = (), *,
    written: str = TRIPLES, tokens: int = TOKENS, sample: int = 0, temperature: float = 0.0,
    limit: str = "max_tokens",
) -> str:  # fmt: skip
    """What a model answers, without its thoughts; "" where it fails or says that it knows none.

    `limit` is the option that `tokens` comes from.
    """
    reply = await chat.say(
        final_messages(question, known, thoughts, written),
        purpose="answer",
        limit=limit,
        max_tokens=tokens,
        temperature=temperature,
        sample=sample,
    )
    text = "" if reply is None else visible_reply(reply.text).strip()
    return "" if text.strip(" .").lower() == UNKNOWN else text
