"""What came of putting questions into words, in figures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rulemine.verbalizer.conversation import Dialogue

__all__ = ["Tally", "count_dialogues"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Figures of all questions; none depends on the order of replies.

    Attributes:
        questions: Questions that were to be put into words.
        worded: Those that have a text of the model.
        first: Those whose first text was good.
        failed: The others: they have their template, or were dropped.
        problems: Code → texts (or replies, or calls) that were rejected for it, sorted by code.
        paraphrases: Paraphrases that were kept.
        wanted: Paraphrases that were wanted of the questions that have a text.
        refused: Code → paraphrases that were not kept, sorted by code.
    """

    questions: int
    worded: int
    first: int
    failed: int
    problems: dict[str, int]
    paraphrases: int
    wanted: int
    refused: dict[str, int]

    def to_text(self) -> str:
        """The figures in a sentence."""
        later = self.worded - self.first
        text = (
            f"{self.first:,} of {self.questions:,} questions were worded at the first attempt, {later:,} "
            f"later, {self.failed:,} not{_counted(self.problems)}"
        )
        if self.wanted:
            text += (
                f"; {self.paraphrases:,} of {self.wanted:,} paraphrases were found"
                f"{_counted(self.refused)}"
            )
        return f"{text}."


def _counted(problems: dict[str, int]) -> str:
    """What was rejected, most frequent first."""
    often = sorted(problems.items(), key=lambda item: (-item[1], item[0]))
    rejected = ", ".join(f"{count:,} {code}" for code, count in often)
    return f" (rejected: {rejected})" if rejected else ""


def count_dialogues(dialogues: Sequence[Dialogue], paraphrases: int) -> Tally:
    """Counts finished conversations.

    Args:
        dialogues: All of them.
        paraphrases: Paraphrases wanted of each text.
    """
    worded = [dialogue for dialogue in dialogues if dialogue.pattern]
    problems = Counter(problem.code for dialogue in dialogues for _, problem in dialogue.rejected)
    refused = Counter(problem.code for dialogue in dialogues for _, problem in dialogue.refused)
    return Tally(
        questions=len(dialogues),
        worded=len(worded),
        first=sum(not dialogue.rejected for dialogue in worded),
        failed=len(dialogues) - len(worded),
        problems=dict(sorted(problems.items())),
        paraphrases=sum(len(dialogue.paraphrases) for dialogue in worded),
        wanted=len(worded) * paraphrases,
        refused=dict(sorted(refused.items())),
    )
