"""The graded answers of a query, in lines: which are missing, and by what they can be derived."""

from collections.abc import Mapping

from rulemine.errors import counted
from rulemine.kg.graph import Triple
from rulemine.query.grading import Grades
from rulemine.release.records import Missing, Removal
from rulemine.release.showing.layout import REMOVED
from rulemine.text.printing import printable

__all__ = ["graded_lines"]


def _counts(grades: Grades) -> str:
    text = counted(len(grades), "answer")
    if grades.hard:
        text += f", {len(grades.stated):,} of them stated"
    if grades.spurious:
        text += f", and {counted(len(grades.spurious), 'wrong one', 'wrong ones')} from the incomplete graph"
    if grades.value is not None and grades.value != grades.stated_value:
        text += f"; the incomplete graph counts {grades.stated_value:,}"
    return text


def _arrow(triple: Triple) -> str:
    subject, relation, target = map(printable, triple)
    return f"{subject} ──{relation}──▶ {target}"


def graded_lines(grades: Grades, removals: Mapping[Triple, Missing | None], most: int) -> list[str]:
    """Answers with their grades; below each hard one, or the first if none is, its derivation.

    Args:
        grades: The answers.
        removals: The removed triples; None: without a proof.
        most: Answers to show.
    """
    hard = grades.hard
    lines = [_counts(grades)]
    for number, answer in enumerate(grades.answers[:most]):
        grade = f"missing {hard[answer]}" if answer in hard else "stated"
        lines.append(f"{grade:10} {printable(answer)}")
        if answer not in hard and (hard or number):
            continue
        for triple in dict.fromkeys(grades.graph.kg.labeled(grades.witness(answer))):
            removal = removals.get(triple)
            is_removed = triple in removals and (removal is None or removal.level <= grades.level)
            end = f"   {REMOVED}" if is_removed else ""
            lines.append(f"    {_arrow(triple)}{end}")
            if is_removed and isinstance(removal, Removal):
                lines.append(f"        proved by rule {removal.certificate.rule}:")
                lines += [f"        {_arrow(fact)}" for fact in removal.certificate.body]
    if len(grades) > most:
        lines.append(f"… and {len(grades) - most:,} more; --most N prints more")
    return lines
