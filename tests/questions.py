"""Question records, made by hand."""

from collections.abc import Iterable
from typing import Any

from rulemine.kg.graph import Triple
from rulemine.kinds.rules.block import RuleBlock
from rulemine.query.sparql import to_sparql
from rulemine.query.tree import Anchor, Projection
from rulemine.release.records import HardAnswer, Question, Unseen
from rulemine.seeds import Stream, stream


def what_is_asked(topic: str, relation: str, direction: str) -> dict[str, Any]:
    """The fields of a question about one relation that say what it asks."""
    query = Projection(relation, direction == "subject", Anchor(topic))
    return {
        "anchors": (topic,), "query": query.text, "sparql": to_sparql(query), "structure": "1p",
        "shape": "(1)", "hops": 1,
    }  # fmt: skip


def question(
    number: int,
    removed: Triple,
    direction: str = "object",
    *,
    further_hard: Iterable[str] = (),
    core: bool = False,
    rule: str = "0" * 12,
    rule_type: str = "other",
    rule_subtype: str = "longer chain",
    split: str = "",
) -> Question:
    """A question about a removed triple; `direction` is the end that is asked for."""
    subject, relation, obj = removed
    topic, asked_for = (subject, obj) if direction == "object" else (obj, subject)

    def triple(answer: str) -> Triple:
        return (topic, relation, answer) if direction == "object" else (answer, relation, topic)

    answers = tuple(sorted({asked_for, *further_hard}))
    return Question(
        id=f"q{number:05d}", kind="rules", question=f"{direction} of {relation}, {topic}?",
        **what_is_asked(topic, relation, direction),
        answers=answers, stated=(),
        hard=tuple(HardAnswer(answer, 1, 100, (triple(answer),), core) for answer in answers),
        further=(), hard_answer=asked_for, core=core, evidence=(removed,),
        full_evidence=tuple(sorted(map(triple, answers))), spurious=(), value=None, stated_value=None,
        relations=(relation,), intermediates=(), removed=(removed,), rules=(rule,), split=split,
        unseen=Unseen(rule=False, relation=False, answer=False), wording="template", paraphrases=(),
        patterns=(), block=RuleBlock(direction, rule_type, rule_subtype),
    )  # fmt: skip


def random_questions(n: int, seed: int, *, entities: int = 0, relations: int = 3) -> list[Question]:
    """`n` questions about random triples, some with several hard answers; as many entities, or so many."""
    draw = stream(seed, "questions of the tests")
    entities = entities or n

    def entity() -> str:
        return f"e{draw.below(entities)}"

    return [
        question(
            i,
            (entity(), f"r{_skewed(draw, relations)}", entity()),
            ("subject", "object")[draw.below(2)],
            further_hard=[entity() for _ in range(draw.below(3))],
            core=draw.below(3) == 0,
            rule=f"rule{draw.below(6)}",
            rule_type=("composition", "hierarchy", "other")[_skewed(draw, 3)],
            rule_subtype="sub",
        )
        for i in range(n)
    ]


def _skewed(draw: Stream, bound: int) -> int:
    """A number from 0 … `bound` − 1, the low ones more often."""
    return min(draw.below(bound), draw.below(bound))
