"""How a report groups the questions of a release.

Guarantees: the core is first, then all questions, then the breakdowns, which are over all questions; their
order does not depend on the questions. Questions of the kind ``rules`` have breakdowns of their own, with the
five rule types whether or not they occur.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.cypher.questions.templates import MATCHES, RETURN_GROUPS, return_group
from rulemine.errors import ReleaseError
from rulemine.evaluation.cypher.row_matching import ROW_GROUPS, rows_group
from rulemine.kg.graph import Triple
from rulemine.query.structures import STRUCTURES
from rulemine.release.records import (
    SPLITS,
    CypherBlock,
    CypherQuestion,
    Difficulty,
    Question,
    Removal,
    RuleQuestion,
    SubgraphBlock,
    SubgraphQuestion,
    VariantBlock,
    VariantQuestion,
    rule_questions,
)
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES

__all__ = ["Breakdown", "breakdowns"]

PROOF_BINS = ((0, "none"), (1, "1"), (2, "2"), (5, "3–5"), (10, "6–10"))
"""Upper bound of the number of remaining proofs, and name of the bin; above the last bin is ``>10``. Every
removed triple of a sound release has at least one, its certificate."""

MORE_PROOFS = ">10"

PROOFS = ("core", "restated", "side edge", "other")
"""What is left of the hard answer asked for: nothing between the ends (the core); a proof of one atom, or the
value that a removed one is read off; an edge between the ends that proves nothing; or an answer that is too
common for the core."""

TEST_TYPES = ("id", "ugt", "urt")
"""See `rulemine.release.blocks.SubgraphBlock`."""

_Q = TypeVar("_Q")

MORE_MISSING = 3
"""From here on, missing links are one group."""


class Breakdown(NamedTuple):
    """One way to group questions.

    Attributes:
        name: Its key, e.g. ``rule_type``.
        groups: The names of its groups.
        members: Shape (groups, questions): which questions are in each group. Groups may overlap.
    """

    name: str
    groups: tuple[str, ...]
    members: npt.NDArray[np.bool_]


def breakdowns(
    questions: Sequence[Question],
    removals: Sequence[Removal],
    levels: Sequence[int],
    level: int = 100,
) -> tuple[Breakdown, ...]:
    """The groups of a report.

    ``core`` is there if it has a question; ``proof`` (one of `PROOFS`), ``structure``, ``hops``,
    ``missing`` (the removed triples that the hard answer needs, once all are removed; 0 without one) and
    ``inference`` (``full``: nothing that the hard answer needs is stated) where questions differ in it.
    So are, of the kind ``cypher``, ``shape`` (the MATCH template), ``return``, ``rows`` and ``changed``;
    of the kinds ``subgraphs`` and ``variants``, ``triples`` (those that the writer used); of the former
    ``redundancy`` and ``test_type`` (its groups may overlap), of the latter ``topic`` and ``unique``
    (whether there is a single answer). Of rules, ``rule_type`` has all five types, the others only the
    groups that occur; ``rule_subtype`` divides the questions of type *other*. ``split`` is there when
    there are several; so is ``level``, the first of the release at which the hard answer is not stated.
    ``unseen`` is about the questions outside training; its groups overlap. Questions without a hard
    answer are in no other group of what describes hard answers.

    Args:
        questions: The questions, at least one.
        removals: All removed triples.
        levels: The incompleteness levels of the release, ascending, the last one 100.
        level: Of the kind ``cypher``: the level at which rows have changed or not.

    Raises:
        ReleaseError: A question is about a triple that is not among the removed ones.
    """
    known = {removal.triple: removal for removal in removals}
    for q in questions:
        if q.hard_answer is not None and not known.keys() >= set(q.removed):
            raise ReleaseError(
                f"removed.jsonl: lacks one of {q.removed}, the removed triples of question {q.id!r}. Check "
                "the release: rulemine verify."
            )
    found = [
        _by("core", ("core",), questions, lambda q: "core" if q.core else ""),
        _by("all", ("all",), questions, lambda q: "all"),
        *_of_queries(questions, known),
        *_of_written(questions),
        *_of_rules(questions, known),
        *_of_cypher(questions, level),
        _unseen(questions),
    ]
    if len({q.split for q in questions}) > 1:
        found.append(_by("split", SPLITS, questions, lambda q: q.split))
    if len(levels) > 1:
        first = _of_hard(lambda q: str(next(v for v in levels if v >= q.level)))
        found.append(_by("level", [str(v) for v in levels], questions, first))
    return tuple(b for b in found if b.groups)


def _inference(question: Question) -> str:
    return "full" if set(question.evidence) <= set(question.removed) else "partial"


def _proof(question: Question, removals: Mapping[Triple, Removal]) -> str:
    """What is left of the hard answer asked for, one of `PROOFS`."""
    if question.core:
        return PROOFS[0]
    gone = [removals[triple].difficulty for triple in question.evidence if triple in removals]
    if not gone or any(row.shortest_proof == 1 for row in gone):
        return PROOFS[1]
    return PROOFS[2] if any(row.inverse_edge or row.parallel_edge for row in gone) else PROOFS[3]


def _of_queries(
    questions: Sequence[Question], removals: Mapping[Triple, Removal]
) -> list[Breakdown]:
    """What tells queries apart, where they differ."""
    names = dict.fromkeys([*STRUCTURES, *sorted({q.structure for q in questions})])
    hops = sorted({q.hops for q in questions})
    missing = [str(n) for n in range(MORE_MISSING)] + [f"{MORE_MISSING}+"]
    found = (
        _by("proof", PROOFS, questions, _of_hard(lambda q: _proof(q, removals))),
        _by("structure", list(names), questions, lambda q: q.structure),
        _by("hops", [str(n) for n in hops], questions, lambda q: str(q.hops)),
        _by("missing", missing, questions, lambda q: missing[min(q.missing, MORE_MISSING)]),
        _by("inference", ("partial", "full"), questions, _of_hard(_inference)),
    )
    return [breakdown for breakdown in found if len(breakdown.groups) > 1]


def _of_written(questions: Sequence[Question]) -> list[Breakdown]:
    """What tells questions of the kinds ``subgraphs`` and ``variants`` apart, where they differ."""
    found: list[Breakdown] = []

    def minimality(own: SubgraphBlock | VariantBlock) -> str:
        return "not minimal" if own.redundant else "minimal"

    if subgraphs := [q.subgraphs for q in questions if isinstance(q, SubgraphQuestion)]:
        found = [
            _by_size([len(own.triples) for own in subgraphs]),
            _by("redundancy", ("minimal", "not minimal"), subgraphs, minimality),
            _by_test_type(subgraphs),
        ]
    if variants := [q.variants for q in questions if isinstance(q, VariantQuestion)]:
        topics = sorted({own.topic for own in variants} - {""})
        found = [
            _by_size([len(own.triples) for own in variants]),
            _by("redundancy", ("minimal", "not minimal"), variants, minimality),
            _by("topic", topics, variants, lambda own: own.topic),
            _by(
                "unique",
                ("one answer", "several"),
                variants,
                lambda own: "one answer" if own.unique else "several",
            ),
        ]
    return [breakdown for breakdown in found if len(breakdown.groups) > 1]


def _by_size(sizes: Sequence[int]) -> Breakdown:
    return _by("triples", [str(n) for n in sorted(set(sizes))], sizes, str)


def _by_test_type(blocks: Sequence[SubgraphBlock]) -> Breakdown:
    kept = [kind for kind in TEST_TYPES if any(kind in own.test_type for own in blocks)]
    members = [[kind in own.test_type for own in blocks] for kind in kept]
    return Breakdown("test_type", tuple(kept), np.array(members, bool).reshape(-1, len(blocks)))


def _of_rules(questions: Sequence[Question], removals: Mapping[Triple, Removal]) -> list[Breakdown]:
    """What tells questions of the kind ``rules`` apart."""
    asked = rule_questions(questions)
    if not asked:
        return []

    def by(
        name: str,
        groups: Sequence[str],
        group_of: Callable[[RuleQuestion], str],
        keep: bool = False,
    ) -> Breakdown:
        return _by(
            name, groups, asked, lambda q: "" if q.hard_answer is None else group_of(q), keep
        )

    def difficulty(question: RuleQuestion) -> Difficulty:
        return removals[question.rules.removed].difficulty

    return [
        by("rule_type", RULE_TYPES, lambda q: q.rules.rule_type, keep=True),
        by(
            "rule_subtype",
            tuple(RULE_SUBTYPES),
            lambda q: q.rules.rule_subtype if q.rules.rule_type == "other" else "",
        ),
        by(
            "proofs",
            [name for _, name in PROOF_BINS] + [MORE_PROOFS],
            lambda q: _proof_bin(difficulty(q).proofs),
        ),
        by(
            "inverse_edge",
            ("left", "not left"),
            lambda q: "left" if difficulty(q).inverse_edge else "not left",
        ),
    ]


def _of_cypher(questions: Sequence[Question], level: int) -> list[Breakdown]:
    """What tells questions of the kind ``cypher`` apart, where they differ."""
    blocks = [q.cypher for q in questions if isinstance(q, CypherQuestion)]
    if not blocks:
        return []

    def changed(block: CypherBlock) -> str:
        own = next((row for row in reversed(block.levels) if row.level <= level), None)
        return "changed" if own is not None and (own.lost or own.spurious) else "unchanged"

    found = (
        _by("shape", tuple(MATCHES), blocks, lambda own: own.match),
        _by("return", RETURN_GROUPS, blocks, lambda own: return_group(own.returns)),
        _by("rows", ROW_GROUPS, blocks, lambda own: rows_group(len(own.rows))),
        _by("changed", ("changed", "unchanged"), blocks, changed),
    )
    return [breakdown for breakdown in found if len(breakdown.groups) > 1]


def _of_hard(group_of: Callable[[Question], str]) -> Callable[[Question], str]:
    return lambda q: "" if q.hard_answer is None else group_of(q)


def _proof_bin(proofs: int) -> str:
    return next((name for most, name in PROOF_BINS if proofs <= most), MORE_PROOFS)


def _unseen(questions: Sequence[Question]) -> Breakdown:
    """What a question has that no training question has; ``nothing`` where it has none of these."""
    outside = np.array([q.split != "train" for q in questions], bool)
    if not outside.any():
        return Breakdown("unseen", (), np.empty((0, len(questions)), bool))
    flags = np.array([(q.unseen.rule, q.unseen.relation, q.unseen.answer) for q in questions], bool)
    members = np.vstack((flags.T, ~flags.any(axis=1))) & outside
    return Breakdown("unseen", ("rule", "relation", "answer", "nothing"), members)


def _by(
    name: str,
    groups: Sequence[str],
    questions: Sequence[_Q],
    group_of: Callable[[_Q], str],
    keep: bool = False,
) -> Breakdown:
    """A partition by the name of a group; ``keep`` says whether empty groups are kept."""
    found = [group_of(q) for q in questions]
    present = set(found)
    kept = tuple(g for g in groups if keep or g in present)
    position = {g: i for i, g in enumerate(kept)}
    codes = np.array([position.get(g, -1) for g in found], np.int64)
    return Breakdown(name, kept, codes == np.arange(len(kept))[:, None])
