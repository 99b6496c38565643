"""A question written for a subgraph in the terminal: its subgraph, drawn, and what is known of the question.

The subgraph is drawn node by node, from the answer outward: below each node its triples to others, those
that the writer used first.
"""

from collections.abc import Iterable, Iterator, Mapping

from rulemine.errors import counted
from rulemine.kg.graph import Triple
from rulemine.kinds.written.block import Judgement, SubgraphBlock, VariantBlock
from rulemine.release.records import Question
from rulemine.release.showing.drawing import REMOVED, display_width
from rulemine.release.showing.layout import columns, titled, wrapped
from rulemine.text.printing import printable

__all__ = ["written_blocks"]

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


def written_blocks(
    question: Question,
    block: object,
    removed: Iterable[Triple],
    names: Mapping[str, str],
    width: int,
) -> list[list[str]]:
    """What is shown of a question beside its tree of proofs; nothing of the kind ``structures``.

    Args:
        question: The question.
        block: What only its kind has.
        removed: The removed triples of the release, or those of the subgraph.
        names: Entity → its printed name.
        width: Columns within a block.
    """
    if not isinstance(block, SubgraphBlock | VariantBlock):
        return []
    ends = {end for s, _, o in block.subgraph for end in (s, o)}
    size = f"{counted(len(block.subgraph), 'triple')}, {counted(len(ends), 'entity', 'entities')}"
    drawn = _drawn(question, block, {*removed}, names, width)
    legend = f"{ANSWER} answer  {ALSO} another  {TOPIC} topic  ━ used for the question  {REMOVED}"
    found = [titled(f"Subgraph ({size})", [*wrapped(legend, width), *drawn])]
    rows = list(_about(question, block, names))
    found.append(titled("Written", columns(rows, width)))
    if isinstance(block, VariantBlock) and block.judgements:
        found.append(titled("Judges", list(_judged(block.judgements, width))))
    return found


def _drawn(
    question: Question,
    block: SubgraphBlock | VariantBlock,
    removed: set[Triple],
    names: Mapping[str, str],
    width: int,
) -> Iterator[str]:
    used = {*block.triples}
    marks = dict.fromkeys(question.answers, ALSO)
    marks |= {**dict.fromkeys(question.anchors, TOPIC), block.answer: ANSWER}
    left = sorted(block.subgraph, key=lambda triple: (triple not in used, triple))
    waiting, seen = [block.answer], {block.answer}
    while waiting:
        node = waiting.pop(0)
        own = [triple for triple in left if node in (triple[0], triple[2])]
        left = [triple for triple in left if triple not in own]
        for triple in own:
            other = triple[2] if triple[0] == node else triple[0]
            if other not in seen:
                seen.add(other)
                waiting.append(other)
        if own:
            yield from wrapped(f"{marks.get(node, OTHER)} {names.get(node, node)}", width, "  ")
        for subject, relation, target in own:
            triple = (subject, relation, target)
            line = "━━" if triple in used else "──"
            arrow = f"{line}{printable(relation)}{line}"
            shown = f"{arrow}▶" if subject == node else f"◀{arrow}"
            other = target if subject == node else subject
            name = f"{marks.get(other, OTHER)} {names.get(other, other)}"
            gone = f"   {REMOVED}" if triple in removed else ""
            whole = f"   {shown} {name}{gone}"
            if display_width(whole) <= width:
                yield whole
            else:
                yield f"   {shown}"
                yield from (f"     {part}" for part in wrapped(f"{name}{gone}", width - 5, "  "))


def _about(
    question: Question, block: SubgraphBlock | VariantBlock, names: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    yield "answer", f"{names.get(block.answer, block.answer)}  the one that the writer had in mind"
    if question.value is not None:
        yield "value", f"{question.value}; the incomplete graph states {question.stated_value}"
    for place, name in enumerate(question.spurious):
        wrong = f"{names.get(name, name)}  false, but given by the incomplete graph"
        yield ("" if place else "spurious", wrong)
    if isinstance(block, VariantBlock):
        yield "topic", printable(block.topic)
        yield "seed text", printable(block.seed_text)
        for place, seed in enumerate(block.seeds):
            yield "" if place else "seeds", names.get(seed, seed)
        yield "unique", "yes" if block.unique else "no: others are right too"
        yield "minimal", _needed(block)
        if not block.judgements:
            yield "judges", "none"
        return
    yield "minimal", _needed(block)
    if block.redundant:
        for least in block.minimal:
            topics = ", ".join(names.get(anchor, anchor) for anchor in least.anchors)
            yield "", f"{topics}: {printable(least.query)}"
        yield "its shape", f"{question.shape}, of the smallest {block.minimal_shape}"
    for place, name in enumerate(block.test_type):
        yield "" if place else "test", f"{name}: {_CLASSES[name]}"
    if block.parent:
        yield "grown from", block.parent


def _needed(block: SubgraphBlock | VariantBlock) -> str:
    return (
        "no: fewer topics give the same answers"
        if block.redundant
        else "yes: every topic is needed"
    )


def _judged(judgements: Iterable[Judgement], width: int) -> Iterator[str]:
    for number, judgement in enumerate(judgements, start=1):
        said = [
            words[0] if getattr(judgement, f"{flag}_flag") else words[1]
            for flag, words in _SAID.items()
        ]
        yield from wrapped(
            f"{number}  {printable(judgement.model)}: {'; '.join(said)}", width, "   "
        )
        for flag in _SAID:
            if reason := getattr(judgement, f"{flag}_reasoning"):
                yield from wrapped(f"   {printable(reason)}", width, "   ")
