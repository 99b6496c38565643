"""Questions whose texts a judge always sees: what is known of each, and the dialogue about it.

A text is checked, then judged, and the judge may propose a better one.

A text that a check or the judge rejects is followed by the judge's proposal, if there is one, and then by a
text of the rewriter, which is given the reason. Guarantee: every accepted text has passed the checks and the
judge; of each text asked for, one proposal at most is tried, so calls are bounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.kg.entity_names import EntityNames
from rulemine.llm.call import Ask
from rulemine.phrasing.templates import Templates
from rulemine.release.naming import Namer
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, topic_values
from rulemine.text.template import escape
from rulemine.verbalizer.checks import TextProblem, check_text
from rulemine.verbalizer.dialogue import Dialogue, Verbalizer, answer_to, objection
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.replies import Verdict, read_verdict

__all__ = ["JudgedInput", "JudgedVerbalizer", "shown_questions"]


@dataclass(frozen=True, slots=True)
class JudgedInput:
    """A question to verbalize, see `rulemine.verbalizer.inputs.QuestionInput`; kinds add what prompts say.

    Attributes:
        question: The question from templates; all names in it are source labels.
        shown: The same in the naming of the prompts.
        naming: How prompts and texts name entities.
        topics: The names of the topic entities, in the order of their private ids.
        answers: The names of what a text must not name, as they are answers.
    """

    always_judged: ClassVar[bool] = True

    question: Question
    shown: Question
    naming: str
    topics: tuple[EntityNames, ...]
    answers: tuple[EntityNames, ...]

    @property
    def hidden(self) -> tuple[tuple[str, tuple[EntityNames, ...]], ...]:
        """See `QuestionInput`."""
        return (("answer_named", self.answers),)

    @property
    def asked(self) -> str:
        """The text from templates, in the naming of the prompts."""
        return self.shown.question

    @property
    def template(self) -> str:
        """See `QuestionInput`."""
        return escape(self.asked)


def shown_questions(
    asked: QuestionSet, templates: Templates, naming: str
) -> Iterator[dict[str, Any]]:
    """For each question, in their order, the fields of its `JudgedInput` but for the answers."""
    names = {row.entity: row for row in asked.names}
    private = {row.entity: row.private for row in asked.names}
    namer = Namer(asked.names, templates, naming)
    for question in asked.questions:
        topics = tuple(names[e] for e in topic_values(question.anchors, private).values())
        shown = namer.question(question)
        yield {"question": question, "shown": shown, "naming": naming, "topics": topics}


class JudgedVerbalizer(Verbalizer):
    """Holds dialogues about such questions."""

    async def _try(self, dialogue: Dialogue, text: str, ask: Ask) -> None:
        proposal = await self._judged(dialogue, text, ask)
        if proposal not in ("", text) and not dialogue.pattern:
            dialogue.proposed += 1
            await self._judged(dialogue, proposal, ask)

    def _check(self, text: str, item: QuestionInput) -> str | TextProblem:
        """The pattern of a text that passes the checks, or the first problem."""
        return check_text(text, item, self._chosen.language, self._checker)

    async def _judged(self, dialogue: Dialogue, text: str, ask: Ask) -> str:
        """Accepts a text, or notes why not; returns what the judge proposes instead."""
        pattern = self._check(text, dialogue.item)
        if isinstance(pattern, TextProblem):
            dialogue.settle(text, pattern)
            return ""
        call = self._calls.audit(dialogue.item, dialogue.text(pattern))
        verdict = read_verdict(await answer_to(dialogue, call, ask), call.purpose)
        dialogue.settle(text, objection(verdict) or pattern)
        return verdict.refined if isinstance(verdict, Verdict) else ""
