"""Ambiguity: texts with the same words for different questions, resolved between iterations.

What a question asks is what its text from templates says, whatever its answers: relations that lead to the
same entities have texts of their own. Guarantee: nothing here depends on the order in which replies arrived.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.dialogue import Dialogue, Verbalizer

__all__ = ["accept_paraphrases", "retract_ambiguous"]

MAX_OTHERS = 3
"""Most questions with the same words that a model is shown."""

T = TypeVar("T", bound=Hashable)


def find_ambiguous(texts: Iterable[tuple[str, str, T]]) -> list[list[T]]:
    """Groups texts that have the same words but ask for different things.

    Args:
        texts: Words, what is asked (`Dialogue.words`, `Dialogue.asks`), and owner of each text.

    Returns:
        The owners, group by group, sorted by words; each group in the order given.
    """
    groups: dict[str, list[tuple[str, T]]] = {}
    for words, asks, owner in texts:
        groups.setdefault(words, []).append((asks, owner))
    return [
        [owner for _, owner in groups[words]]
        for words in sorted(groups)
        if len({asks for asks, _ in groups[words]}) > 1
    ]


def retract_ambiguous(dialogues: Sequence[Dialogue], verbalizer: Verbalizer) -> list[Dialogue]:
    """Retracts texts that have the same words as another question.

    A question without a text gets its template, which counts too. Dialogues without attempts left keep their
    text as long as another of the group may ask again: theirs may become the only one. When none may, all of
    the group lose their texts.

    Args:
        dialogues: All dialogues.
        verbalizer: Knows which dialogues have attempts left.

    Returns:
        The dialogues that have to ask again, in the order of `dialogues`; if none, no text is ambiguous.
    """
    while True:
        texts = [(d.words(), d.asks, i) for i, d in enumerate(dialogues)]
        groups = [[dialogues[i] for i in group] for group in find_ambiguous(texts)]
        groups = [group for group in groups if any(dialogue.pattern for dialogue in group)]
        if not groups:
            return []
        again: set[int] = set()
        for group in groups:
            verbalized = [dialogue for dialogue in group if dialogue.pattern]
            able = [dialogue for dialogue in verbalized if verbalizer.may_ask(dialogue)]
            for dialogue in able or verbalized:
                others = sorted({d.item.asked for d in group if d.asks != dialogue.asks})
                listed = "; ".join(others[:MAX_OTHERS]) + "; …" * (len(others) > MAX_OTHERS)
                dialogue.retract(TextProblem("ambiguous", f"the other one asks for {listed}"))
            again.update(id(dialogue) for dialogue in able)
        if again:
            return [dialogue for dialogue in dialogues if id(dialogue) in again]


def accept_paraphrases(
    dialogues: Sequence[Dialogue],
    proposed: Sequence[tuple[Dialogue, Sequence[str]]],
) -> None:
    """Accepts the proposed paraphrases that are not ambiguous.

    Args:
        dialogues: All dialogues; their texts and paraphrases so far must not be repeated.
        proposed: The dialogues of an iteration, and their patterns that pass all other checks.
    """
    texts = [
        (dialogue.words(pattern), dialogue.asks, -1)
        for dialogue in dialogues
        for pattern in (dialogue.pattern, *dialogue.paraphrases)
    ]
    drafts = [(dialogue, pattern) for dialogue, patterns in proposed for pattern in patterns]
    texts += [
        (dialogue.words(pattern), dialogue.asks, i) for i, (dialogue, pattern) in enumerate(drafts)
    ]
    ambiguous = {i for group in find_ambiguous(texts) for i in group}
    for i, (dialogue, pattern) in enumerate(drafts):
        if i in ambiguous:
            dialogue.refused.append((dialogue.text(pattern), TextProblem("ambiguous")))
        else:
            dialogue.paraphrases.append(pattern)
