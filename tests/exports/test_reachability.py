"""Reachability: compared with graphs kept in dictionaries, as the programs keep them."""

from dataclasses import replace

import numpy as np

from rulemine.exports.exporting import export
from rulemine.exports.reachability import Reachability, reachability, shares
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question, Removal
from rulemine.seeds import stream
from tests import each, some_seeds
from tests.exports import rows
from tests.questions import question
from tests.release.by_hand import AUNT, removal


def by_dictionaries(given: list[Triple], asked: Question, proof: list[Triple]) -> Reachability:
    """The flags of a question, from the triples in the order given."""
    answer = asked.hard_answer
    undirected: dict[frozenset[str], str] = {}
    directed: dict[tuple[str, str], str] = {}
    for h, r, t in given:
        undirected[frozenset((h, t))] = r
        directed[h, t] = r
    joined = {e for h, _, t in given for e in (h, t)} & set(asked.anchors)
    nearest = [joined]
    for _ in range(2):
        nearest.append(nearest[-1] | {t for h, t in directed if h in nearest[-1]})
    while more := {e for pair in undirected if pair & joined for e in pair} - joined:
        joined |= more
    kept = set(proof) <= set(given)
    first = [t[0] in nearest[1] for t in proof]
    return Reachability(
        answer in joined,
        answer in nearest[2],
        answer in nearest[2],
        kept and all(undirected[frozenset((h, t))] == r and h in joined for h, r, t in proof),
        kept and all(first) and all(directed[h, t] == r for h, r, t in proof),
        kept and all(first),
    )


def drawn(seed: int) -> tuple[KnowledgeGraph, list[Question], list[Removal]]:
    """A graph, questions about triples that it lacks, and the proofs of these, in it."""
    draw = stream(seed, "reachability")

    def triple() -> Triple:
        return f"e{draw.below(9)}", f"r{draw.below(3)}", f"e{draw.below(9)}"

    complete = KnowledgeGraph.from_triples(triple() for _ in range(28))
    gone = draw.permutation(len(complete))[:8]
    kg = complete.without(gone)
    left = kg.labeled()
    removals = [
        removal(t, AUNT, tuple(left[draw.below(len(left))] for _ in range(1 + n % 2)), (0.5, 0.5))
        for n, t in enumerate(complete.labeled(gone))
    ]
    asked: list[Question] = [
        replace(
            question(n, row.triple, ("object", "subject")[draw.below(2)]),
            evidence=(row.triple, *([left[n]] if n % 3 == 0 else [])),
        )
        for n, row in enumerate(removals)
    ]
    return kg, asked, removals


@each("seed", some_seeds(12))
def test_as_programs_keep_their_graphs(seed):
    kg, asked, removals = drawn(seed)
    whole = list(reachability(kg, asked, removals))
    orders = [stream(seed, q.id).permutation(len(kg))[: 6 + 2 * n] for n, q in enumerate(asked)]
    parts = list(reachability(kg, asked, removals, graphs=orders))
    bodies, stated = {row.triple: row.certificate.body for row in removals}, set(kg.labeled())
    for q, flags, order, part in zip(asked, whole, orders, parts, strict=True):
        proof = [b for t in q.evidence for b in ((t,) if t in stated else bodies[t])]
        assert flags == by_dictionaries(kg.labeled(), q, proof)
        assert part == by_dictionaries(kg.labeled(order), q, proof)


def test_the_cases_above_are_of_all_kinds():
    flags = [flag for seed in range(12) for flag in reachability(*drawn(seed))]
    for name in Reachability._fields[1:]:
        assert {getattr(flag, name) for flag in flags} == {True, False}


def test_on_the_complete_graph_the_evidence_is_the_proof():
    kg, asked, removals = drawn(3)
    complete = KnowledgeGraph.from_triples([*kg.labeled(), *(row.triple for row in removals)])
    for q, proof in zip(asked, proof_rows(complete, asked, removals), strict=True):
        assert sorted(complete.labeled(proof)) == sorted(set(q.evidence))


def test_without_a_hard_answer_or_a_graph():
    kg, asked, removals = drawn(0)
    stated = replace(asked[0], hard_answer=None)
    parts = [np.arange(3), np.arange(0)]
    flags = list(reachability(kg, [stated, asked[1]], removals, graphs=parts))
    assert flags == [Reachability(), Reachability(*[False] * 6)]
    assert shares(flags) == dict.fromkeys(Reachability._fields, 0.0)
    assert shares(flags[:1]) == {}


def test_every_export_says_what_can_be_reached(release, tmp_path):
    export(release, "tog", tmp_path / "a")
    test = release.questions("test")
    flags = list(reachability(release.kg(), test, release.removals()))
    assert rows(tmp_path / "a/reachability.jsonl") == [
        {"id": q.id, **flag._asdict()} for q, flag in zip(test, flags, strict=True)
    ]
    export(release, "tog", tmp_path / "b", without_answers=True)
    assert not (tmp_path / "b/reachability.jsonl").exists()
    told = [row["reachability"] for row in rows(tmp_path / "b.answers.jsonl")]
    assert told == [flag._asdict() for flag in flags]
