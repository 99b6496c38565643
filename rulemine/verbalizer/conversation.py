"""The conversation about one question: ask, read, check, and ask again with the reasons.

Guarantee: what a conversation comes to depends on the replies alone; its attempts are bounded, whatever the
model says.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from rulemine.llm.call import Ask, Call, Failure, Reply
from rulemine.query.answers import QuestionKey
from rulemine.text.template import fill
from rulemine.verbalizer.ambiguity import Wanted, same_words, template_pattern
from rulemine.verbalizer.briefs import Brief, TextProblem
from rulemine.verbalizer.checks import Checker, check_text, explain
from rulemine.verbalizer.replies import (
    is_recognised,
    misreading,
    read_choice,
    read_list,
    read_question,
    read_verdict,
)
from rulemine.verbalizer.requests import Calls

__all__ = ["Dialogue", "Verbalizer"]


@dataclass(slots=True)
class Dialogue:
    """How the conversation about one question stands.

    Attributes:
        brief: The question.
        pattern: The text with ``{topic}`` that is good as far as is known; empty: none yet.
        rejected: The texts so far that were not, and why.
        paraphrases: Further texts, likewise.
        reworded: How often paraphrases were asked for.
        refused: The paraphrases so far that were not good, and why.
        ended: Whether nothing more can be asked about it.
        keys: The calls it made.
    """

    brief: Brief
    pattern: str = ""
    rejected: list[tuple[str, TextProblem]] = field(default_factory=list)
    paraphrases: list[str] = field(default_factory=list)
    reworded: int = 0
    refused: list[tuple[str, TextProblem]] = field(default_factory=list)
    ended: bool = False
    keys: set[str] = field(default_factory=set)

    @property
    def query(self) -> QuestionKey:
        """What it asks, whatever its words."""
        question = self.brief.question
        return QuestionKey(question.topic, question.relation, question.direction)

    @property
    def wanted(self) -> Wanted:
        """What it asks for, to be told apart from what others do."""
        return Wanted(self.query, self.brief.question.answers)

    def text(self, pattern: str) -> str:
        """A pattern with the topic's name, in the naming of the prompts."""
        return fill(pattern, {"topic": self.brief.topic_name})

    def words(self, pattern: str = "") -> str:
        """What others may not say, see `same_words`: of a pattern, or else of its text or template."""
        pattern = pattern or self.pattern or template_pattern(self.brief)
        return same_words(pattern, self.brief.topic_name)

    def send_back(self, problem: TextProblem) -> None:
        """Takes the text back."""
        self.rejected.append((self.text(self.pattern), problem))
        self.pattern = ""


class UnansweredError(Exception):
    """A call that cannot be answered: it ends its conversation.

    Attributes:
        problem: Why.
    """

    def __init__(self, problem: TextProblem) -> None:
        super().__init__(problem.code)
        self.problem = problem


class Verbalizer:
    """What holds conversations, one after the other or many at once."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._chosen = calls, calls.chosen
        self._checker = Checker(row.relation for row in calls.glosses.rows)

    async def word(self, dialogue: Dialogue, ask: Ask) -> None:
        """Asks for the text until one is good or the attempts are used up."""
        try:
            while not dialogue.pattern and self.may_ask(dialogue):
                call = self._calls.question(dialogue.brief, _told(dialogue.rejected))
                reply = await _answer(dialogue, call, ask)
                text = read_question(reply)
                if isinstance(text, TextProblem):
                    dialogue.rejected.append((reply.text, text))
                    continue
                found = await self._examine(dialogue, text, ask)
                if isinstance(found, TextProblem):
                    dialogue.rejected.append((text, found))
                else:
                    dialogue.pattern = found
        except UnansweredError as unanswered:
            dialogue.ended = True
            dialogue.rejected.append(("", unanswered.problem))

    async def reword(self, dialogue: Dialogue, ask: Ask) -> list[str]:
        """Asks once for the paraphrases that are missing.

        Returns:
            The patterns of those that are good by themselves and unlike the text and each other, at most
            as many as are missing.
        """
        found: list[str] = []
        missing = self.missing(dialogue)
        dialogue.reworded += 1
        try:
            texts = [
                dialogue.text(pattern) for pattern in (dialogue.pattern, *dialogue.paraphrases)
            ]
            call = self._calls.paraphrase(dialogue.brief, texts, missing, _told(dialogue.refused))
            reply = await _answer(dialogue, call, ask)
            wordings = read_list(reply)
            if isinstance(wordings, TextProblem):
                dialogue.refused.append((reply.text, wordings))
                return []
            taken = {
                dialogue.words(pattern) for pattern in (dialogue.pattern, *dialogue.paraphrases)
            }
            for text in wordings:
                if len(found) == missing:
                    break
                pattern = await self._examine(dialogue, text, ask, taken)
                if isinstance(pattern, TextProblem):
                    dialogue.refused.append((text, pattern))
                else:
                    taken.add(dialogue.words(pattern))
                    found.append(pattern)
        except UnansweredError as unanswered:
            dialogue.ended = True
            dialogue.refused.append(("", unanswered.problem))
        return found

    def may_ask(self, dialogue: Dialogue) -> bool:
        """Whether another text may be asked for, the one there is (if any) being taken back."""
        used = len(dialogue.rejected) + bool(dialogue.pattern)
        return not dialogue.ended and used < self._chosen.attempts

    def missing(self, dialogue: Dialogue) -> int:
        """How many paraphrases may still be asked for."""
        if not dialogue.pattern or dialogue.ended or dialogue.reworded >= self._chosen.attempts:
            return 0
        return self._chosen.paraphrases - len(dialogue.paraphrases)

    async def _examine(
        self, dialogue: Dialogue, text: str, ask: Ask, taken: Container[str] = ()
    ) -> str | TextProblem:
        """The pattern of a text that passes all checks and is worded unlike what is taken."""
        pattern = check_text(text, dialogue.brief, self._chosen.language, self._checker)
        if isinstance(pattern, TextProblem):
            return pattern
        if dialogue.words(pattern) in taken:
            return TextProblem("not_distinct")
        problem = await self._audit(dialogue, dialogue.text(pattern), ask)
        problem = problem or await self._round_trip(dialogue, dialogue.text(pattern), ask)
        return problem or pattern

    async def _audit(self, dialogue: Dialogue, text: str, ask: Ask) -> TextProblem | None:
        """What the second model has against a text.

        A reply that cannot be read is asked for no second time, as the same call has the same answer: it
        fails the text, whose successor the judge sees afresh.
        """
        if not self._chosen.judge_model:
            return None
        said = read_verdict(await _answer(dialogue, self._calls.audit(dialogue.brief, text), ask))
        if isinstance(said, TextProblem):
            return TextProblem("audit_failed", "the verdict could not be read")
        return None if said.passed else TextProblem("audit_failed", said.reason)

    async def _round_trip(self, dialogue: Dialogue, text: str, ask: Ask) -> TextProblem | None:
        """What is wrong with a text by what the model takes it to ask for."""
        if not self._chosen.round_trip:
            return None
        said = read_choice(
            await _answer(dialogue, self._calls.round_trip(dialogue.brief, text), ask)
        )
        if isinstance(said, TextProblem):
            return TextProblem("round_trip_failed", "what for could not be read")
        query, glosses = dialogue.query, self._calls.glosses
        if is_recognised(said, query.relation, query.direction, glosses):
            return None
        return TextProblem(
            "round_trip_failed", misreading(said, dialogue.brief.topic_name, glosses)
        )


async def _answer(dialogue: Dialogue, call: Call, ask: Ask) -> Reply:
    """The reply to a call.

    Raises:
        UnansweredError: There is none, and never will be.
    """
    dialogue.keys.add(call.key)
    answer = await ask(call)
    if isinstance(answer, Failure):
        raise UnansweredError(TextProblem.of(answer))
    return answer


def _told(rejected: Sequence[tuple[str, TextProblem]]) -> list[tuple[str, str]]:
    """Attempts as the prompts tell them: the text, and what was wrong with it."""
    return [(text, explain(problem)) for text, problem in rejected]
