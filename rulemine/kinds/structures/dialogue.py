"""The dialogue about a structure question: the checks, then always a judge, who may propose a better text.

A text that a check or the judge rejects is followed by the judge's proposal, if there is one, and then by a
text of the rewriter, who is told why. Guarantee: every accepted text has passed the checks and the judge; of
each text asked for, one proposal at most is tried, so calls are bounded.
"""

from rulemine.llm.call import Ask
from rulemine.verbalizer.checks import TextProblem, check_text
from rulemine.verbalizer.dialogue import Dialogue, Verbalizer, answer_to, objection
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.replies import Verdict, read_verdict

__all__ = ["StructureVerbalizer"]


class StructureVerbalizer(Verbalizer):
    """Holds dialogues about structure questions."""

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
