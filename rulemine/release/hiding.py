"""A release without the answers to its test split, to be published while these are kept.

It has what systems get, the incomplete graph and the test questions as ``export --to questions`` has them,
and what they may learn from: the questions of the other splits with all that is known of them, their removed
triples with certificates, and the graph that has these triples as its complete one. Whoever has the full
release scores what comes back.

Guarantees: no file states or counts a removed triple that test needs; questions of other splits that state
one are left out, and those that together give an answer of test. Rules are counted again, and priors and
types found again, on the graph that is given. Ids are others (`Release.hidden_ids`), since they may be in the
order of answers. Nothing is there of rejected questions, replies of models, a reference graph, levels, the
seed, or the texts that test asks about.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rulemine.arrays import distinct
from rulemine.codec import to_json
from rulemine.cypher.questions.evaluator import evaluate as evaluate_pattern
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import row_text
from rulemine.errors import QueryError, ReleaseError
from rulemine.files import describe_content, read_text, write_jsonl, write_text
from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import priors
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.query.grading import evaluate
from rulemine.query.join import join
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.release.contents import ReleaseParts, read_parts
from rulemine.release.proof_triples import Fact, RemovedFacts
from rulemine.release.reader import MANIFEST, Release, identity_of
from rulemine.release.records import (
    UNPROVABLE,
    Missing,
    PerDirection,
    Question,
    Removal,
    asked_row,
)
from rulemine.release.writer import dump_manifest, write_release
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.rule import Measures, Rule

__all__ = ["write_hidden"]

HIDDEN = "test"
"""The split that can be hidden."""

_NOTE = """
## Hidden answers

The {number} test questions are here without answers, and {gone} removed triples are left out; figures below
are of the rest. `kg/incomplete.tsv.gz` is whole, `kg/complete.tsv.gz` has what training and validation need.
Who published this scores predictions: `rulemine evaluate` needs the full release.
"""


def write_hidden(release: Release, folder: Path) -> int:
    """Writes a release without the answers to its test split into an empty folder.

    Args:
        release: The full release.
        folder: The folder.

    Returns:
        How many questions of other splits are left out, because they state a removed triple that test needs.

    Raises:
        ReleaseError: It has no certificates or no test questions, its answers are hidden already, or a file
            is missing or was edited.
        OutputError: Something cannot be written.
    """
    release.expect_answers("hiding")
    release.expect_certificates("hiding")
    parts, ids = read_parts(release), {own: id_ for id_, own in release.hidden_ids.items()}
    removed = {row.triple for row in parts.missing}
    facts = RemovedFacts(removed)

    def told(question: Question) -> frozenset[Fact]:
        named = removed.intersection(_triples(to_json(question)))
        return facts.given_by(question).union(tuple(sorted(t[::2])) for t in named)

    test = [q for q in parts.questions if q.split == HIDDEN]
    if not test:
        raise ReleaseError(f"{release.path}: has no test questions whose answers could be hidden.")
    others = [q for q in parts.questions if q.split != HIDDEN]
    if release.answers == "entities":  # of which a removed triple that is not named rules some out
        others = [q for q in others if not q.spurious]

    def without(secret: set[Fact]) -> tuple[list[Question], set[Triple]]:
        kept = [q for q in others if secret.isdisjoint(told(q))]
        shown = {fact for q in kept for fact in told(q)}
        gone = {triple for triple in removed if tuple(sorted(triple[::2])) not in shown}
        return kept, gone

    secret = {fact for q in test for fact in facts.needed_by(q)}
    kept, gone = without(secret)
    # What is left of several derivations of an answer may be enough.
    given = QueryGraph(_graph(parts, gone)), parts.graph and parts.graph.without(gone)
    told_by = (q for q in test if not _answers(q, *given).isdisjoint(q.hard_answers))
    secret = secret.union(*(facts.given_by(replace(q, answers=())) for q in told_by))
    kept, gone = without(secret)
    made = _parts(parts, [_with_ids(q, ids) for q in kept], test, gone)
    write_release(folder, made, release.naming)
    rows = sorted((asked_row(replace(q, id=ids[q.id])) for q in test), key=lambda row: row["id"])
    write_jsonl(folder / f"questions/{HIDDEN}.jsonl", rows)
    manifest, note = Release.open(folder).manifest, _NOTE.format(number=len(test), gone=len(gone))
    card = read_text(folder / "README.md").replace(identity_of(manifest), release.identity)
    write_text(folder / "README.md", card.replace("\n## ", f"{note}\n## ", 1))
    for name in ("README.md", f"questions/{HIDDEN}.jsonl"):
        size, digest = describe_content(folder / name)
        manifest["files"][name] = {"bytes": size, "sha256": digest}
    manifest |= {"hidden": [HIDDEN], "full": release.identity}
    write_text(folder / MANIFEST, dump_manifest(manifest))
    return len(parts.questions) - len(test) - len(kept)


def _parts(
    parts: ReleaseParts, kept: Sequence[Question], test: Sequence[Question], gone: set[Triple]
) -> ReleaseParts:
    """The parts of the release without test: some triples are in none of its graphs."""
    complete, config = _graph(parts, gone), parts.config
    removals = [row for row in parts.removals if row.triple not in gone]
    used = {row.selected_by for row in removals}.union(
        c.rule for row in removals for c in (row.certificate, *row.further_certificates)
    )
    index = Index(complete)
    rules = {rule.id: _counted(rule, index) for rule in parts.rules if rule.id in used}
    found = priors(complete, parts.templates.declarations).tolist()
    prior = dict(zip(complete.labeled(), found, strict=True))
    known = {*complete.entities}.union(
        *(q.anchors for q in (*kept, *test)), *(q.answers for q in kept),
        (node.id for node in (parts.graph.nodes if parts.graph else ())),
    )  # fmt: skip
    types = parts.types
    if types is not None and parts.graph is None:
        induced = types_of(complete)
        types = {e: induced.labels(induced.of(i)) for i, e in enumerate(complete.entities)}

    def again(row: Removal) -> Removal:
        rule, (subject, object_) = rules[row.certificate.rule].known, prior[row.triple]
        confidence = rule.std_confidence
        return replace(
            row,
            difficulty=replace(
                row.difficulty,
                std_confidence=confidence,
                pca_confidence=rule.pca_confidence,
                head_coverage=rule.head_coverage,
                prior=PerDirection(subject, object_),
                lift=PerDirection(confidence / subject, confidence / object_),
            ),
        )

    return replace(
        parts,
        # With the seed and the levels others could make them of the same graph.
        config={**config, "seed": 0, "selection": {**config["selection"], "levels": []}},
        source={
            k: v for k, v in parts.source.items() if k not in ("found", "dropped")
        }  # with counts
        | {"digest": complete.digest},
        complete=complete,
        reference=(),
        levels=(100,),
        removals=tuple(map(again, removals)),
        rules=tuple(rules.values()),
        questions=tuple(sorted(kept, key=lambda q: q.id)),
        rejections=(),
        names=tuple(row for row in parts.names if row.name_in(parts.naming) in known),
        selection_counts={},
        sampling_counts={},
        trace=None,
        types=types,
        graph=parts.graph and parts.graph.without(gone),
        records={
            name: tuple(
                row
                for row in rows
                if (
                    row.triple not in gone
                    if isinstance(row, Missing)
                    else row.split not in ("", HIDDEN)
                )
            )
            for name, rows in parts.records.items()
            if name != UNPROVABLE  # where it takes proofs of test
        },
    )


def _with_ids(question: Question, ids: Mapping[str, str]) -> Question:
    """The question with its other id, and those of others that what only its kind has may name."""
    own = question.block
    values = {slot.name: getattr(own, slot.name) for slot in fields(own)}
    named = {n: ids[v] for n, v in values.items() if isinstance(v, str) and v in ids}
    return replace(question, id=ids[question.id], block=replace(own, **named))


def _graph(parts: ReleaseParts, gone: Container[Triple]) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples(t for t in parts.complete.labeled() if t not in gone)


def _answers(question: Question, triples: QueryGraph, graph: PropertyGraph | None) -> set[str]:
    """The answers to a question that a graph gives."""
    try:
        if graph is None:
            return {*evaluate(triples, parse(question.query)).answers}
        return {*map(row_text, evaluate_pattern(graph, query_of(question.query)).rows)}
    except QueryError:  # it names what the graph lacks
        return set()


def _triples(value: Any) -> Iterator[Any]:
    """Everything in a decoded record that has the form of a triple."""
    if isinstance(value, list) and [type(part) for part in value] == [str] * 3:
        yield tuple(value)
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _triples(part)


def _counted(rule: Rule, index: Index) -> Rule:
    """A rule with its measures on a graph that has its relations."""
    bound, n = cast(BoundRule, bind_rule(index, rule)), index.entities
    nothing = np.zeros((1, bound.columns), np.int64)
    order = [bound.body[i] for i in bound.join_order(nothing, frozenset())]
    pairs = distinct(
        np.concatenate(
            [
                some.bindings[:, bound.head.subject] * n + some.bindings[:, bound.head.object]
                for some in join(index, order, nothing, frozenset())
            ]
        )
    )
    heads = index.kg.triples[bound.heads()].astype(np.int64)
    ends = np.divmod(pairs, n)[rule.known.functional]
    counts = (
        int(np.isin(pairs, heads[:, 0] * n + heads[:, 2]).sum()),
        len(pairs),
        int(np.isin(ends, heads[:, 2 * rule.known.functional]).sum()),
        len(heads),
    )
    return replace(rule, measures=Measures(*counts, rule.known.functional))
