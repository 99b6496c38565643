"""What is shown of a question written for a subgraph: its subgraph, drawn, beside its tree of proofs.

The subgraph is drawn node by node, from the answer outward: below each node its triples to others, those
that the writer used first.
"""

from collections.abc import Iterable, Iterator, Sequence

from rulemine.errors import counted
from rulemine.kinds.written.block import Judgement
from rulemine.release.records import Question
from rulemine.release.showing.layout import REMOVED, display_width, hanging, wrapped
from rulemine.release.showing.tree import tree_view
from rulemine.release.showing.view import Row, ShownRelease, Titled
from rulemine.text.printing import printable

__all__ = ["subgraph_view", "variant_view"]

ANSWER, ALSO, TOPIC, OTHER = "★", "☆", "●", "○"

_CLASSES = {
    "id": "of a shape and of relations that training may have",
    "ugt": "of a shape that training does not have",
    "urt": "of a relation that training does not have",
}

_SAID = {
    "logical_structure": ("sound", "unsound"),
    "redundancy": ("gives its answer away", "does not give its answer away"),
    "answer_support": ("answer supported", "answer not supported"),
    "answer_adequacy": ("answer complete", "answer incomplete"),
}
"""Flag of a judge → what it says where it holds, and where it does not."""


def subgraph_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question of the kind ``subgraphs``; as of `tree_view`."""
    block = question.block
    rows = _listed("test", [f"{name}: {_CLASSES[name]}" for name in block.test_type])
    rows += [("grown from", block.parent)][: bool(block.parent)]
    return _written(question, shown, rows)


def variant_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question of the kind ``variants``; as of `tree_view`."""
    block = question.block
    rows = [
        ("topic", printable(block.topic)),
        ("seed text", printable(block.seed_text)),
        *_listed("seeds", map(shown.name, block.seeds)),
        ("unique", "yes" if block.unique else "no: others are right too"),
    ]
    if not block.judgements:
        return _written(question, shown, [*rows, ("judges", "none")])
    judged = Titled("Judges", [hanging(_judged(block.judgements))])
    return [*_written(question, shown, rows), judged]


def _written(question: Question, shown: ShownRelease, rows: Sequence[Row]) -> list[Titled]:
    """The tree of proofs, the subgraph, and what is known of the question: `rows` and what all have."""
    block = question.block
    ends = {end for s, _, o in block.subgraph for end in (s, o)}
    size = f"{counted(len(block.subgraph), 'triple')}, {counted(len(ends), 'entity', 'entities')}"
    legend = f"{ANSWER} answer  {ALSO} another  {TOPIC} topic  ━ used for the question  {REMOVED}"
    first = [("answer", f"{shown.name(block.answer)}  the one that the writer had in mind")]
    if question.value is not None:
        states = f"{question.value}; the incomplete graph states {question.stated_value}"
        first.append(("value", states))
    wrong = (
        f"{shown.name(name)}  false, but given by the incomplete graph"
        for name in question.spurious
    )
    return [
        *tree_view(question, shown),
        Titled(f"Subgraph ({size})", [legend, lambda width: list(_drawn(question, shown, width))]),
        Titled("Written", [*first, *_listed("spurious", wrong), *rows]),
    ]


def _listed(key: str, texts: Iterable[str]) -> list[Row]:
    """Rows of which the first alone has the key."""
    return [("" if place else key, text) for place, text in enumerate(texts)]


def _drawn(question: Question, shown: ShownRelease, width: int) -> Iterator[str]:
    block = question.block
    used = {*block.triples}
    marks = dict.fromkeys(question.answers, ALSO)
    marks |= {**dict.fromkeys(question.anchors, TOPIC), block.answer: ANSWER}

    def marked(node: str) -> str:
        return f"{marks.get(node, OTHER)} {shown.name(node)}"

    left = sorted(block.subgraph, key=lambda triple: (triple not in used, triple))
    waiting, seen = [block.answer], {block.answer}
    while waiting:
        node = waiting.pop(0)
        own = [triple for triple in left if node in (triple[0], triple[2])]
        left = [triple for triple in left if triple not in own]
        if own:
            yield from wrapped(marked(node), width, "  ")
        for triple in own:
            other = triple[2] if triple[0] == node else triple[0]
            if other not in seen:
                seen.add(other)
                waiting.append(other)
            line = "━━" if triple in used else "──"
            arrow = f"{line}{printable(triple[1])}{line}"
            arrow = f"{arrow}▶" if triple[0] == node else f"◀{arrow}"
            end = marked(other) + (f"   {REMOVED}" if triple in shown.removals else "")
            if display_width(whole := f"   {arrow} {end}") <= width:
                yield whole
            else:
                yield f"   {arrow}"
                yield from (f"     {part}" for part in wrapped(end, width - 5, "  "))


def _judged(judgements: Iterable[Judgement]) -> Iterator[str]:
    for number, judgement in enumerate(judgements, start=1):
        said = (words[not getattr(judgement, f"{flag}_flag")] for flag, words in _SAID.items())
        yield f"{number}  {printable(judgement.model)}: {'; '.join(said)}"
        for flag in _SAID:
            if reason := getattr(judgement, f"{flag}_reasoning"):
                yield f"   {printable(reason)}"
