"""The summary of a build, in lines for the user."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from rulemine.codec import dump_line
from rulemine.errors import counted
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import undeclared_relations
from rulemine.phrasing.templates import Templates
from rulemine.release.question_set import QuestionSet

__all__ = ["describe_questions", "describe_sampling", "describe_undeclared"]

MOST_SHOWN = 3
"""Number of undeclared relations that are spelled out."""

LITTLE_CORE = 100
"""With fewer questions, a score has an interval of some 20 percentage points."""

_KEYS = {"symmetric": "symmetric", "inverse": "inverse_of", "same": "same_as"}


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
    words = [row.reason for row in asked.rejections if row.stage == "verbalize"]
    paraphrases = sum(reason.startswith("paraphrase: ") for reason in words)
    failed = len(words) - paraphrases
    if set(wordings) != {"template"}:
        fate = "verbalized by template" if wordings["fallback"] else "left out"
        yield f"{counted(wordings['model'], 'question')} verbalized by {model}" + (
            f", {failed:,} {fate} because no text of it passed the checks" * bool(failed)
        )
    dropped = len(asked.rejections) - wordings["fallback"] - paraphrases
    yield f"{counted(len(asked.questions), 'question')}, {dropped:,} rejected"
    reasons = Counter((rejection.stage, rejection.reason) for rejection in asked.rejections)
    for (stage, reason), number in sorted(reasons.items(), key=lambda row: (-row[1], row[0])):
        yield f"  {number:,} by {stage}: {reason} ({rejected(stage)})"
    core = sum(question.core for question in asked.questions)
    if any(question.hard for question in asked.questions):
        yield (
            f"{core:,} of {counted(len(asked.questions), 'question')} need more than one edge: the core"
            + ", which is little for scores on it" * (core < LITTLE_CORE)
        )
    if not model:
        yield from _describe_derived(asked, templates)


def describe_sampling(asked: QuestionSet, kind: str, advice: str) -> Iterator[str]:
    """Describes how many questions there are of each structure, or of a kind that is written for subgraphs.

    Args:
        asked: The questions; nothing is said where none were sampled.
        kind: Their kind.
        advice: What to change where there are few; or "".
    """
    for name, counts in asked.sampling.items():
        missing = Counter(q.missing for q in asked.questions if name in (q.structure, kind))
        left, wanted = missing.total(), counts["wanted"]
        spread = ", ".join(
            f"{number:,} missing {links}" for links, number in sorted(missing.items())
        )
        yield f"{name}: {counted(left, 'question')} of {wanted:,}" + f" ({spread})" * bool(left)
        if left < wanted:
            reasons = sorted(counts["rejected"].items(), key=lambda row: (-row[1], row[0]))
            why = "; ".join(f"{number:,}: {reason}" for reason, number in reasons[:MOST_SHOWN])
            if name == kind:
                drawn = counted(counts["drawn"], "candidate")
                spare = sum(n for reason, n in reasons if reason.startswith("enough "))
                accepted = counted(counts["questions"] + spare, "question")
                yield f"  {accepted} accepted of {drawn}" + f" ({why})" * bool(why)
            else:
                yield f"  the graph gave no more in {counted(counts['drawn'], 'draw')} ({why})"
    if advice:
        yield f"  {advice}"


def describe_undeclared(
    kg: KnowledgeGraph, declarations: Declarations, excluded: Collection[str]
) -> Iterator[str]:
    """Describes relations that look as if they stated the same facts and are not declared to.

    Args:
        kg: The graph.
        declarations: What is declared.
        excluded: Relations that are not asked about, which do not matter.
    """
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    found = [
        (-share * sizes[relation], relation, other, looks, share)
        for relation, other, looks, share in undeclared_relations(kg, declarations)
        if relation not in excluded and other not in excluded
    ]
    if not found:
        return
    yield (
        f"{counted(len(found), 'declaration')} suggested by the graph and made by no template file; those "
        "that are true complete answers and keep proofs from restating them (key questions.templates):"
    )
    for _, relation, other, looks, share in sorted(found)[:MOST_SHOWN]:
        key = _KEYS[looks] + (" = true" if relation == other else f" = {dump_line(other)}")
        yield f"  [{dump_line(relation)}] {key}  # {100 * share:.0f} % of its triples"
    if len(found) > MOST_SHOWN:
        yield "  …"


def _describe_derived(asked: QuestionSet, templates: Templates) -> Iterator[str]:
    """Describes the questions whose templates are derived from relation names."""
    relations = {relation for question in asked.questions for relation in question.relations}
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
    yield "  a template file reads better: rulemine keys questions.templates"
