"""The summary of a build, in lines for the user."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from rulemine.errors import counted
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet

__all__ = ["describe_questions"]


def describe_questions(
    asked: QuestionSet, templates: Templates, model: str, rejected: Callable[[str], Path]
) -> Iterator[str]:
    """Describes how many questions there are, how they are verbalized, and what was rejected and why.

    Args:
        asked: The questions.
        templates: The templates of all relations.
        model: The language model, if any.
        rejected: Stage → the file with its rejections.
    """
    wordings = Counter(question.wording for question in asked.questions)
    failed = sum(rejection.stage == "verbalize" for rejection in asked.rejections)
    if set(wordings) != {"template"}:
        fate = "verbalized by template" if wordings["fallback"] else "left out"
        yield f"{counted(wordings['model'], 'question')} verbalized by {model}" + (
            f", {failed:,} {fate} because no text of it passed the checks" * bool(failed)
        )
    dropped = len(asked.rejections) - wordings["fallback"]
    yield f"{counted(len(asked.questions), 'question')}, {dropped:,} rejected"
    reasons = Counter((rejection.stage, rejection.reason) for rejection in asked.rejections)
    for (stage, reason), number in sorted(reasons.items(), key=lambda row: (-row[1], row[0])):
        yield f"  {number:,} by {stage}: {reason} ({rejected(stage)})"
    if not model:
        yield from _describe_derived(asked, templates)


def _describe_derived(asked: QuestionSet, templates: Templates) -> Iterator[str]:
    """Describes the questions whose templates are derived from relation names."""
    relations = {question.rules.relation for question in asked.questions}
    derived = sum(templates[relation].source == "derived" for relation in relations)
    if not derived:
        return
    texts = Counter(question.question for question in asked.questions)
    shared = sum(number for number in texts.values() if number > 1)
    verb = "shares its" if shared == 1 else "share their"
    yield (
        f"{derived:,} of {counted(len(relations), 'relation')} asked about without a template of your own: "
        f"their questions are made from their names; {counted(shared, 'question')} {verb} text with another"
    )
    yield "  a template file reads better: questions.templates in rulemine build --help"
