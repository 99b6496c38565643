"""The dialogue about one question: ask, read the reply, check it, and ask again with the reasons.

Guarantee: the outcome of a dialogue depends on the replies alone; its attempts are bounded, whatever the
model replies.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from rulemine.llm.call import Ask, Call, Failure, Reply
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely
from rulemine.text.template import fill
from rulemine.verbalizer.checks import Checker, TextProblem, check_text, explain
from rulemine.verbalizer.inputs import QuestionInput, placeholders
from rulemine.verbalizer.replies import (
    Verdict,
    read_list,
    read_question,
    read_verdict,
)
from rulemine.verbalizer.requests import Calls

__all__ = ["ATTEMPTS", "Dialogue", "Verbalizer", "answer_to", "objection", "same_words"]

ATTEMPTS = 3
"""Texts that are asked for until one passes the checks."""


@dataclass(slots=True)
class Dialogue:
    """The state of the dialogue about one question.

    Attributes:
        item: The question.
        pattern: The accepted text, with placeholders; empty if there is none yet.
        rejected: The rejected texts so far, and why.
        paraphrases: The patterns of the accepted paraphrases.
        paraphrase_calls: Calls for paraphrases so far.
        refused: The rejected paraphrases so far, and why.
        proposed: How many of the texts so far were proposed by the judge and not asked for.
        ended: Whether no more calls can be made.
        keys: The keys of its calls.
    """

    item: QuestionInput
    pattern: str = ""
    rejected: list[tuple[str, TextProblem]] = field(default_factory=list)
    paraphrases: list[str] = field(default_factory=list)
    paraphrase_calls: int = 0
    refused: list[tuple[str, TextProblem]] = field(default_factory=list)
    proposed: int = 0
    ended: bool = False
    keys: set[str] = field(default_factory=set)

    @property
    def names(self) -> dict[str, str]:
        """What the placeholders of its patterns stand for, in the naming of the prompts."""
        names = [topic.name_in(self.item.naming) for topic in self.item.topics]
        return dict(zip(placeholders(len(names)), names, strict=True))

    def text(self, pattern: str) -> str:
        """A pattern with the names of the topic entities, in the naming of the prompts."""
        return fill(pattern, self.names)

    def words(self, pattern: str = "") -> str:
        """The words (`same_words`) of a pattern; without one, of the accepted text or else the template."""
        return same_words(pattern or self.pattern or self.item.template, self.names)

    @property
    def asks(self) -> str:
        """What it asks, whatever its text: the words of the template."""
        return same_words(self.item.template, self.names)

    def settle(self, text: str, found: str | TextProblem) -> None:
        """Takes the pattern of a text that passed, or notes why it did not."""
        if isinstance(found, TextProblem):
            self.rejected.append((text, found))
        else:
            self.pattern = found

    def retract(self, problem: TextProblem) -> None:
        """Rejects the text that was accepted."""
        self.rejected.append((self.text(self.pattern), problem))
        self.pattern = ""


_MARKS = " " + "".join(QUESTION_MARKS)


def same_words(pattern: str, names: Mapping[str, str]) -> str:
    """Reduces a text to what it shares with all texts that a reader would call the same.

    Args:
        pattern: A text with placeholders.
        names: What they stand for.

    Returns:
        The text without case, kinds of quotes and dashes, repeated white space, and the question mark at
        its end; marks that belong to the name stay.

    Example:
        >>> same_words("Who  met {topic} ?", {"topic": "Ann"}) == same_words("who met ann?", {})
        True
    """
    return fold_loosely(fill(pattern.rstrip(_MARKS), names)).strip()


class UnansweredError(Exception):
    """A call without a reply, which ends its dialogue.

    Attributes:
        problem: Why there is none.
    """

    def __init__(self, problem: TextProblem) -> None:
        super().__init__(problem.code)
        self.problem = problem


class Verbalizer:
    """Holds dialogues, one after another or many at once."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self._chosen = calls, calls.chosen
        self._checker = Checker((row.relation for row in calls.glosses.rows), calls.glosses.rows)

    async def verbalize(self, dialogue: Dialogue, ask: Ask) -> None:
        """Asks for a text until one is accepted or no attempts are left."""
        try:
            while not dialogue.pattern and self.may_ask(dialogue):
                call = self._calls.question(dialogue.item, _explained(dialogue.rejected))
                reply = await answer_to(dialogue, call, ask)
                text = read_question(reply)
                if isinstance(text, TextProblem):
                    dialogue.rejected.append((reply.text, text))
                    continue
                await self._try(dialogue, text, ask)
        except UnansweredError as unanswered:
            dialogue.ended = True
            dialogue.rejected.append(("", unanswered.problem))

    async def paraphrase(self, dialogue: Dialogue, ask: Ask) -> list[str]:
        """Asks once for the missing paraphrases.

        Returns:
            The patterns that pass all checks and differ from the text and each other, at most as many as
            are missing.
        """
        found: list[str] = []
        missing = self.missing(dialogue)
        dialogue.paraphrase_calls += 1
        patterns = (dialogue.pattern, *dialogue.paraphrases)
        try:
            texts = list(map(dialogue.text, patterns))
            refused = _explained(dialogue.refused)
            call = self._calls.paraphrase(dialogue.item, texts, missing, refused)
            reply = await answer_to(dialogue, call, ask)
            drafts = read_list(reply)
            if isinstance(drafts, TextProblem):
                dialogue.refused.append((reply.text, drafts))
                return []
            taken = set(map(dialogue.words, patterns))
            for text in drafts:
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
        """Whether there is an attempt left if the text so far, if any, is retracted."""
        used = len(dialogue.rejected) + bool(dialogue.pattern) - dialogue.proposed
        return not dialogue.ended and used < ATTEMPTS

    def missing(self, dialogue: Dialogue) -> int:
        """How many paraphrases may still be asked for."""
        used_up = dialogue.ended or dialogue.paraphrase_calls >= ATTEMPTS
        if not dialogue.pattern or used_up:
            return 0
        return self._chosen.paraphrases - len(dialogue.paraphrases)

    async def _try(self, dialogue: Dialogue, text: str, ask: Ask) -> None:
        """Accepts a text, or notes why not."""
        dialogue.settle(text, await self._examine(dialogue, text, ask))

    async def _examine(
        self, dialogue: Dialogue, text: str, ask: Ask, taken: Container[str] = ()
    ) -> str | TextProblem:
        """The pattern of a text that passes all checks and differs from those taken."""
        pattern = check_text(text, dialogue.item, self._chosen.language, self._checker)
        if isinstance(pattern, TextProblem):
            return pattern
        if dialogue.words(pattern) in taken:
            return TextProblem("not_distinct")
        problem = await self._judge(dialogue, dialogue.text(pattern), ask)
        return problem or pattern

    async def _judge(self, dialogue: Dialogue, text: str, ask: Ask) -> TextProblem | None:
        """The judge's objection to a text.

        A verdict that cannot be read fails the text and is not asked for again: the same call has the same
        reply. The judge sees the next text afresh.
        """
        if not self._chosen.judge_model:
            return None
        reply = await answer_to(dialogue, self._calls.audit(dialogue.item, text), ask)
        return objection(read_verdict(reply))


def objection(verdict: Verdict | TextProblem) -> TextProblem | None:
    """What a judge has against a text."""
    if isinstance(verdict, TextProblem):
        return TextProblem("audit_failed", "the verdict could not be read")
    return None if verdict.passed else TextProblem(verdict.code, verdict.reason)


async def answer_to(dialogue: Dialogue, call: Call, ask: Ask) -> Reply:
    """The reply to a call.

    Raises:
        UnansweredError: There is none, and never will be.
    """
    dialogue.keys.add(call.key)
    answer = await ask(call)
    if isinstance(answer, Failure):
        raise UnansweredError(TextProblem.of(answer))
    return answer


def _explained(rejected: Sequence[tuple[str, TextProblem]]) -> list[tuple[str, str]]:
    """Rejected texts with the reasons, as prompts quote them."""
    return [(text, explain(problem)) for text, problem in rejected]
