"""A question whose query is a tree: its answers and the tree of proofs of the hard one.

Every atom of the query is a triple of the derivation, below the one that it leads to; under each removed one
is the proof that is left of it.
"""

from collections.abc import Iterator, Mapping

from rulemine.errors import ReleaseError, counted
from rulemine.kg.graph import Triple
from rulemine.query.parser import parse
from rulemine.release.records import Question, Removal
from rulemine.release.showing.derivation import Bound, ProofStep, bind
from rulemine.release.showing.drawing import REMOVED, display_width
from rulemine.release.showing.layout import hanging, wrapped
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
    drawing = _Drawing(shown, removals)
    return [
        Titled("", asked_rows(question, shown)),
        Titled(
            "Derivation" if asked is None else "Tree of proofs",
            [lambda width: drawing.of(tree, asked, width)],
        ),
        Titled("How hard", [hanging(_difficulty(question, shown, removals, tree))]),
    ]


class _Drawing:
    """Draws trees of proofs.

    Args:
        shown: The release.
        removals: The removed triples in the tree.
    """

    def __init__(self, shown: ShownRelease, removals: Mapping[Triple, Removal]) -> None:
        self.shown, self.removals = shown, removals

    def of(self, tree: Bound, asked: str | None, width: int) -> list[str]:
        """The lines of a tree; `asked` is the hard answer, if there is one."""
        name = self.shown.name(tree.entity)
        first = name if asked is None else f"★ {name}"
        return [*wrapped(first, width, "  "), *self._below(tree, width)]

    def _below(self, bound: Bound, width: int) -> list[str]:
        """What leads to a node."""
        if not bound.steps:
            return [f"└─ {self.shown.name(bound.entity)}  topic"]
        blocks = [self._step(step, width - 3) for step in bound.steps]
        if bound.others:
            branches = counted(bound.others, "other branch", "other branches")
            blocks.append(wrapped(f"({branches} not needed)", width - 3))
        lines = []
        for place, (head, *rest) in enumerate(blocks, start=1):
            first, then = ("└─ ", "   ") if place == len(blocks) else ("├─ ", "│  ")
            lines += [first + head, *(then + line for line in rest)]
        return lines

    def _step(self, step: ProofStep, width: int) -> list[str]:
        removal = self.removals.get(step.triple)
        end = f"   {REMOVED}" if removal else "   stated"
        first, *more = self._triple(step.triple, width, end, less=3)
        if removal is not None:
            rule, inner = self.shown.rules[removal.certificate.rule], width - 5
            sure = f"(confidence {rule.known.std_confidence:.2f})"
            proof = wrapped(f"{self.shown.in_words(rule)} {sure}", inner)
            proof += [line for t in removal.certificate.body for line in self._triple(t, inner)]
            more += [f"  {line}" for line in proof]
        return [first, *(f"│  {line}" for line in more), *self._below(step.below, width)]

    def _triple(self, triple: Triple, width: int, end: str = "", less: int = 0) -> list[str]:
        """A triple in one line, or where that is too wide in two or more, with so much less width."""
        subject, target = self.shown.name(triple[0]), self.shown.name(triple[2])
        arrow = f"  ──{printable(triple[1])}──▶"
        lines = [self.shown.triple(triple) + end]
        for more in (
            [subject, f"{arrow} {target}{end}"],
            [subject, arrow, f"  {target}{end}"],
            [subject, arrow, f"  {target}", f"  {end.strip()}".rstrip()],
        ):
            if max(map(display_width, lines)) <= width - less * (len(lines) > 1):
                break
            lines = more
        return [line for line in lines if line]


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
