"""A question of any kind but ``rules`` in the terminal: its answers and the tree of proofs of the hard one.

Every atom of the query is a triple of the derivation, below the one that it leads to; under each removed one
is the proof that is left of it.
"""

from collections.abc import Iterator, Mapping

from rulemine.errors import ReleaseError, counted
from rulemine.kg.graph import Triple
from rulemine.phrasing.templates import Templates
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from rulemine.release.records import Question, Removal
from rulemine.release.showing.derivation import Bound, ProofStep, bind
from rulemine.release.showing.drawing import REMOVED, display_width
from rulemine.release.showing.layout import (
    answer_rows,
    columns,
    in_words,
    indented,
    sentences,
    titled,
    wrapped,
)
from rulemine.rules.rule import Rule
from rulemine.text.printing import printable

__all__ = ["structure_blocks"]


def structure_blocks(
    release: Release, question: Question, names: Mapping[str, str], width: int
) -> list[list[str]]:
    """What is shown of a question below its text, in blocks of lines.

    Args:
        release: The release.
        question: The question.
        names: Entity → its printed name.
        width: Columns within a block.

    Raises:
        ReleaseError: The evidence gives no derivation of the answer, or a proof is missing.
    """
    relations = release.relations()
    declared = Templates.from_plain(relations.values()).declarations
    query, asked = parse(question.query), question.hard_answer
    found = (
        bind(query, answer, question.evidence, declared)
        for answer in (question.stated if asked is None else (asked,))
    )
    tree = next((bound for bound in found if bound is not None), None)
    needed = set(question.removed)
    removals = {r.triple: r for r in release.removals() if r.triple in needed}
    rules = {rule.id: rule for rule in release.rules()}
    proved = {t for t, removal in removals.items() if removal.certificate.rule in rules}
    if tree is None or proved != needed:
        what = (
            "its evidence gives no answer" if tree is None else "a proof that it needs is missing"
        )
        raise ReleaseError(
            f"{release.path}: question {question.id}: {what}. rulemine verify lists all faults."
        )
    statements = {relation: row.get("statement", "") for relation, row in relations.items()}
    drawing = _Drawing(names, removals, rules, statements)
    return [
        _asked(question, names, width),
        titled("Derivation" if asked is None else "Tree of proofs", drawing.of(tree, asked, width)),
        titled("How hard", sentences(_difficulty(release, question, removals, tree, names), width)),
    ]


def _asked(question: Question, names: Mapping[str, str], width: int) -> list[str]:
    form = f"{question.structure} · {counted(question.hops, 'hop')}"
    rows = [("structure", form), ("query", printable(question.query))]
    for place, anchor in enumerate(question.anchors):
        topics = "topic" if len(question.anchors) == 1 else "topics"
        rows.append(("" if place else topics, names.get(anchor, anchor)))
    hard = {row.answer: f"hard: misses {counted(row.missing, 'link')}" for row in question.hard}
    return indented(columns([*rows, *answer_rows(question, names, hard)], width))


class _Drawing:
    """Draws trees of proofs.

    Args:
        names: Entity → its printed name.
        removals: The removed triples in the tree.
        rules: The rules of their certificates, by id.
        statements: Relation → its template ``statement``.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        removals: Mapping[Triple, Removal],
        rules: Mapping[str, Rule],
        statements: Mapping[str, str],
    ) -> None:
        self.names, self.removals, self.rules = names, removals, rules
        self.statements = statements

    def of(self, tree: Bound, asked: str | None, width: int) -> list[str]:
        """The lines of a tree; `asked` is the hard answer, if there is one."""
        name = self.names.get(tree.entity, tree.entity)
        first = name if asked is None else f"★ {name}"
        return [*wrapped(first, width, "  "), *self._below(tree, width)]

    def _below(self, bound: Bound, width: int) -> list[str]:
        """What leads to a node."""
        if not bound.steps:
            return [f"└─ {self.names.get(bound.entity, bound.entity)}  topic"]
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
            rule, inner = self.rules[removal.certificate.rule], width - 5
            sure = f"(confidence {rule.known.std_confidence:.2f})"
            proof = wrapped(f"{in_words(rule, self.statements)} {sure}", inner)
            proof += [line for t in removal.certificate.body for line in self._triple(t, inner)]
            more += [f"  {line}" for line in proof]
        return [first, *(f"│  {line}" for line in more), *self._below(step.below, width)]

    def _triple(self, triple: Triple, width: int, end: str = "", less: int = 0) -> list[str]:
        """A triple in one line, or where that is too wide in two or more, with so much less width."""
        subject, relation, target = (
            self.names.get(triple[0], triple[0]), printable(triple[1]), self.names.get(triple[2], triple[2]),
        )  # fmt: skip
        for lines in (
            [f"{subject} ──{relation}──▶ {target}{end}"],
            [subject, f"  ──{relation}──▶ {target}{end}"],
            [subject, f"  ──{relation}──▶", f"  {target}{end}"],
        ):
            room = width - less * (len(lines) > 1)
            if max(map(display_width, lines)) <= room:
                return lines
        return [
            subject,
            f"  ──{relation}──▶",
            f"  {target}",
            *([f"  {end.strip()}"] if end else []),
        ]


def _difficulty(
    release: Release,
    question: Question,
    removals: Mapping[Triple, Removal],
    tree: Bound,
    names: Mapping[str, str],
) -> list[str]:
    if question.hard_answer is None:
        return ["Every answer is stated; the question is left out of scores on hard answers."]
    links = len(list(_steps(tree)))
    found = [
        f"{question.missing} of {counted(links, 'link')} {'is' if question.missing == 1 else 'are'} missing: "
        f"{'full' if question.missing == links else 'partial'} inference."
    ]
    for step in dict.fromkeys(_steps(tree)):
        if (removal := removals.get(step.triple)) is None:
            continue
        d, (subject, relation, target) = removal.difficulty, step.triple
        prior = d.prior.subject if step.end == "subject" else d.prior.object
        edges = ", ".join(map(printable, sorted({*d.inverse_edge, *d.parallel_edge})))
        found.append(
            f"{names.get(subject, subject)} ──{printable(relation)}──▶ {names.get(target, target)}: "
            f"{counted(d.proofs, 'proof')} of it {'remains' if d.proofs == 1 else 'remain'}, the shortest of "
            f"{counted(d.shortest_proof, 'triple')}; prior {prior:.3g} of its {step.end}; "
            + (
                f"its ends are still joined: {edges}."
                if edges
                else "no edge remains between its ends."
            )
        )
    verb = "is" if len(question.stated) == 1 else "are"
    stated = f"{len(question.stated)} of {counted(len(question.answers), 'answer')} {verb} still"
    found.append(f"{stated if question.stated else 'No answer is'} stated.")
    if release.levels != (100,):
        higher = " and higher" if question.level < release.levels[-1] else " only"
        found.append(f"The answer is not stated at level {question.level} %{higher}.")
    outside = sum(not removal.core for removal in removals.values())
    found.append(
        "In the core: nothing else joins the two ends of a missing link, and none can be guessed."
        if question.core
        else f"Not in the core: {outside} of its missing links "
        f"{'is' if outside == 1 else 'are'} not, see `removed.jsonl`."
        if outside
        else "Not in the core: a missing link is asked for in a direction in which it can be guessed."
    )
    return found


def _steps(bound: Bound) -> Iterator[ProofStep]:
    """All atoms of a tree, each after those below it."""
    for step in bound.steps:
        yield from _steps(step.below)
        yield step
