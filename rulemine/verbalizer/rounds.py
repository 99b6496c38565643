"""What is decided between rounds, when every conversation of a round has come to its end.

Guarantee: nothing here depends on the order in which replies arrived.
"""

from collections.abc import Sequence

from rulemine.verbalizer.ambiguity import shared
from rulemine.verbalizer.briefs import TextProblem
from rulemine.verbalizer.conversation import Dialogue, Verbalizer

__all__ = ["accept_paraphrases", "send_back"]

AMBIGUOUS = "ambiguous"

MOST_OTHERS = 3
"""Other questions with the same words that a model is told of at most."""


def send_back(
    dialogues: Sequence[Dialogue], verbalizer: Verbalizer, *, templates: bool
) -> list[Dialogue]:
    """Takes back the texts that have the same words as a question with other answers.

    As long as somebody of a group may ask again, those who may not keep their text: it may become the
    only one. When nobody may, all of the group lose their texts.

    Args:
        dialogues: All conversations.
        verbalizer: Knows who may ask again.
        templates: Whether a question without text is asked with its template, which then counts too.

    Returns:
        Those that are to ask again, in the order of `dialogues`; when none, no ambiguous text is left.
    """
    while True:
        texts = [
            (t.words(), t.wanted, i) for i, t in enumerate(dialogues) if t.pattern or templates
        ]
        groups = [[dialogues[i] for i in group] for group in shared(texts)]
        groups = [group for group in groups if any(dialogue.pattern for dialogue in group)]
        if not groups:
            return []
        back: set[int] = set()
        for group in groups:
            worded = [dialogue for dialogue in group if dialogue.pattern]
            able = [dialogue for dialogue in worded if verbalizer.may_ask(dialogue)]
            for dialogue in able or worded:
                dialogue.send_back(_against(dialogue, group))
            back.update(id(dialogue) for dialogue in able)
        if back:
            return [dialogue for dialogue in dialogues if id(dialogue) in back]


def _against(dialogue: Dialogue, group: Sequence[Dialogue]) -> TextProblem:
    others = sorted({t.brief.asked for t in group if t.wanted.differs(dialogue.wanted)})
    told = "; ".join(others[:MOST_OTHERS]) + "; …" * (len(others) > MOST_OTHERS)
    return TextProblem(AMBIGUOUS, f"the other one asks for {told}")


def accept_paraphrases(
    dialogues: Sequence[Dialogue],
    proposed: Sequence[tuple[Dialogue, Sequence[str]]],
    *,
    templates: bool,
) -> None:
    """Keeps the proposed paraphrases that no question with other answers is asked with or was proposed for.

    Args:
        dialogues: All conversations.
        proposed: Conversations of a round, and the patterns that are good by themselves.
        templates: As for `send_back`.
    """
    texts = [
        (dialogue.words(pattern), dialogue.wanted, -1)
        for dialogue in dialogues
        if dialogue.pattern or templates
        for pattern in (dialogue.pattern, *dialogue.paraphrases)
    ]
    drafts = [(dialogue, pattern) for dialogue, patterns in proposed for pattern in patterns]
    texts += [
        (dialogue.words(pattern), dialogue.wanted, i)
        for i, (dialogue, pattern) in enumerate(drafts)
    ]
    ambiguous = {i for group in shared(texts) for i in group}
    for i, (dialogue, pattern) in enumerate(drafts):
        if i in ambiguous:
            dialogue.refused.append((dialogue.text(pattern), TextProblem(AMBIGUOUS)))
        else:
            dialogue.paraphrases.append(pattern)
