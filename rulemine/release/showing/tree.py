"""A question whose query is a tree: its answers and the tree of proofs of the hard one.

Every atom of the query is a triple of the derivation, on a line below the one that it leads to; under each
removed one are the rule and the triples of the proof that is left of it.
"""

from collections.abc import Iterator, Mapping

from rulemine.errors import ReleaseError, counted
from rulemine.kg.graph import Triple
from rulemine.query.parser import parse
from rulemine.release.records import Question, Removal
from rulemine.release.showing.derivation import Bound, ProofStep, bind
from rulemine.release.showing.layout import INDENT, REMOVED, hanging
from rulemine.release.showing.view import ALL_STATED, ShownRelease, Titled, asked_rows, fate
from rulemine.text.printing import printable

__all__ = ["tree_view"]


def tree_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question below its text.

    Args:
        question: The question.
        shown: Its release.

    Raises:
        ReleaseError: The evidence gives no derivation of the answer, or a proof is missing.
    """
    declared = shown.release.templates().declarations
    query, asked = parse(question.query), question.hard_answer
    found = (
        bind(query, answer, question.evidence, declared)
        for answer in (question.stated if asked is None else (asked,))
    )
    tree = next((bound for bound in found if bound is not None), None)
    if tree is None:
        raise ReleaseError(
            f"{shown.release.path}: question {question.id}: its evidence gives no answer. rulemine verify "
            "lists all faults."
        )
    removals = shown.removed(question)
    first = shown.name(tree.entity) if asked is None else f"★ {shown.name(tree.entity)}"
    lines = [(0, first), *_facts(tree, 1, shown, removals)]
    return [
        Titled("", asked_rows(question, shown)),
        Titled(
            "Derivation" if asked is None else "Tree of proofs",
            [hanging(INDENT * depth + text for depth, text in lines)],
        ),
        Titled("How hard", [hanging(_difficulty(question, shown, removals, tree))]),
    ]


def _facts(
    bound: Bound, depth: int, shown: ShownRelease, removals: Mapping[Triple, Removal]
) -> Iterator[tuple[int, str]]:
    """The triples that lead to a node, each with its depth; below a removed one is its proof."""
    for step in bound.steps:
        removal = removals.get(step.triple)
        yield depth, f"{shown.triple(step.triple)}   {REMOVED if removal else 'stated'}"
        if removal is not None:
            rule = shown.rules[removal.certificate.rule]
            sure = f"(confidence {rule.known.std_confidence:.2f})"
            yield depth + 1, f"{shown.in_words(rule)} {sure}"
            for fact in removal.certificate.body:
                yield depth + 2, shown.triple(fact)
        yield from _facts(step.below, depth + 1, shown, removals)
    if bound.others:
        branches = counted(bound.others, "other branch", "other branches")
        yield depth, f"({branches} not needed)"


def _difficulty(
    question: Question, shown: ShownRelease, removals: Mapping[Triple, Removal], tree: Bound
) -> list[str]:
    if question.hard_answer is None:
        return [ALL_STATED]
    links = len(list(_steps(tree)))
    found = [
        f"{question.missing} of {counted(links, 'link')} {'is' if question.missing == 1 else 'are'} missing: "
        f"{'full' if question.missing == links else 'partial'} inference."
    ]
    for step in dict.fromkeys(_steps(tree)):
        if (removal := removals.get(step.triple)) is None:
            continue
        d = removal.difficulty
        prior = d.prior.subject if step.end == "subject" else d.prior.object
        edges = ", ".join(map(printable, sorted({*d.inverse_edge, *d.parallel_edge})))
        joined = (
            f"its ends are still joined: {edges}" if edges else "no edge remains between its ends"
        )
        found.append(
            f"{shown.triple(step.triple)}: {counted(d.proofs, 'proof')} of it "
            f"{'remains' if d.proofs == 1 else 'remain'}, the shortest of "
            f"{counted(d.shortest_proof, 'triple')}; prior {prior:.3g} of its {step.end}; {joined}."
        )
    found += fate(question, shown, "stated", "The answer is not stated")
    outside = sum(not removal.core for removal in removals.values())
    if question.core:
        why = "In the core: nothing else joins the two ends of a missing link, and none can be guessed."
    elif outside:
        verb = "is" if outside == 1 else "are"
        why = f"Not in the core: {outside} of its missing links {verb} not, see `removed.jsonl`."
    else:
        why = "Not in the core: a missing link is asked for in a direction in which it can be guessed."
    return [*found, why]


def _steps(bound: Bound) -> Iterator[ProofStep]:
    """All atoms of a tree, each after those below it."""
    for step in bound.steps:
        yield from _steps(step.below)
        yield step
