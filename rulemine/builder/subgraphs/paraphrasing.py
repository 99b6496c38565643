"""Has a second model say accepted questions in other words."""

from collections.abc import Sequence
from dataclasses import replace

from rulemine.builder.texts import Texts
from rulemine.builder.written.model_writer import WritingCalls, answers_to
from rulemine.llm.call import Reply
from rulemine.llm.session import Session
from rulemine.release.naming import Namer
from rulemine.release.records import SubgraphQuestion
from rulemine.verbalizer.replies import read_question

__all__ = ["paraphrased"]


def paraphrased(
    questions: Sequence[tuple[int, SubgraphQuestion]],
    namer: Namer,
    texts: Texts,
    calls: WritingCalls,
    session: Session,
) -> list[tuple[SubgraphQuestion, str]]:
    """Questions with what a second model says in their place, if that passes the checks of a text.

    Args:
        questions: The numbers of their candidates, and the questions.
        namer: Names entities as prompts do.
        texts: Checks texts.
        calls: Makes the calls.
        session: Answers them.

    Returns:
        Each question, and the key of the call that was made for it.
    """
    asked = []
    for number, question in questions:
        shown = namer.question(question)
        asked.append(calls.reword(f"candidate {number}", shown.question, shown.anchors))
    found = []
    for (_, question), call, answer in zip(
        questions, asked, answers_to(session, asked), strict=True
    ):
        text = read_question(answer) if isinstance(answer, Reply) else None
        other = texts.from_model(question, text) if isinstance(text, str) else None
        if isinstance(other, SubgraphQuestion):
            question = replace(
                question,
                paraphrases=(other.question,),
                patterns=(*question.patterns, *other.patterns),
            )
        found.append((question, call.key))
    return found
