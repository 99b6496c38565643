"""What is decided between rounds, when every conversation of a round has come to its end.

Guarantee: nothing here depends on the order in which replies arrived.
"""

from collections.abc import Sequence

from rulemine.verbalizer.ambiguity import shared
from rulemine.verbalizer.briefs import Problem
from rulemine.verbalizer.conversation import Talk, Writer

__all__ = ["accept_paraphrases", "send_back"]

AMBIGUOUS = "ambiguous"

MOST_OTHERS = 3
"""Other questions with the same words that a model is told of at most."""


def send_back(talks: Sequence[Talk], writer: Writer, *, templates: bool) -> list[Talk]:
    """Takes back the texts that have the same words as a question with other answers.

    As long as somebody of a group may ask again, those who may not keep their text: it may become the
    only one. When nobody may, all of the group lose their texts.

    Args:
        talks: All conversations.
        writer: Knows who may ask again.
        templates: Whether a question without text is asked with its template, which then counts too.

    Returns:
        Those that are to ask again, in the order of `talks`; when none, no ambiguous text is left.
    """
    while True:
        texts = [(t.words(), t.wanted, i) for i, t in enumerate(talks) if t.pattern or templates]
        groups = [[talks[i] for i in group] for group in shared(texts)]
        groups = [group for group in groups if any(talk.pattern for talk in group)]
        if not groups:
            return []
        back: set[int] = set()
        for group in groups:
            worded = [talk for talk in group if talk.pattern]
            able = [talk for talk in worded if writer.may_ask(talk)]
            for talk in able or worded:
                talk.send_back(_against(talk, group))
            back.update(id(talk) for talk in able)
        if back:
            return [talk for talk in talks if id(talk) in back]


def _against(talk: Talk, group: Sequence[Talk]) -> Problem:
    others = sorted({t.brief.asked for t in group if t.wanted.differs(talk.wanted)})
    told = "; ".join(others[:MOST_OTHERS]) + "; …" * (len(others) > MOST_OTHERS)
    return Problem(AMBIGUOUS, f"the other one asks for {told}")


def accept_paraphrases(
    talks: Sequence[Talk], proposed: Sequence[tuple[Talk, Sequence[str]]], *, templates: bool
) -> None:
    """Keeps the proposed paraphrases that no question with other answers is asked with or was proposed for.

    Args:
        talks: All conversations.
        proposed: Conversations of a round, and the patterns that are good by themselves.
        templates: As for `send_back`.
    """
    texts = [
        (talk.words(pattern), talk.wanted, -1)
        for talk in talks
        if talk.pattern or templates
        for pattern in (talk.pattern, *talk.paraphrases)
    ]
    drafts = [(talk, pattern) for talk, patterns in proposed for pattern in patterns]
    texts += [(talk.words(pattern), talk.wanted, i) for i, (talk, pattern) in enumerate(drafts)]
    ambiguous = {i for group in shared(texts) for i in group}
    for i, (talk, pattern) in enumerate(drafts):
        if i in ambiguous:
            talk.refused.append((talk.text(pattern), Problem(AMBIGUOUS)))
        else:
            talk.paraphrases.append(pattern)
