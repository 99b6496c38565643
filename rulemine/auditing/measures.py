"""What each question adds to each figure of an audit, section by section.

The sections: whether answers are those of the queries; what questions of earlier splits give away of those
that systems are scored on; what a system gets that understands nothing, and names common answers, or what is
near the topics; how many questions need what is missing, and how many of these can still be derived; and how
much the questions ask the same.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.auditing.audited import AuditedSet, canonical_query, normalized_text
from rulemine.codec import to_json
from rulemine.cypher.rows import ROW_GROUPS, row_of, rows_group
from rulemine.evaluation.statistics.bootstrap import Ints
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Incidence, Index
from rulemine.kinds.kind import pairs
from rulemine.kinds.registry import kind_named
from rulemine.mining import MiningOptions, mine
from rulemine.release.guessing import QUERY, guesser, nearest, order_of_names
from rulemine.release.records import Question
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks
from rulemine.text.mentions import cut, find_mentions_of_all
from rulemine.text.naming_rules import named_answer

__all__ = ["AS_OURS", "PARTS", "Measure", "Progress"]

Progress = Callable[[int, int], None]

HUGE = 100
"""A question with more answers than this has more than anybody would read."""

MOST_FORMS = 20
"""Forms of questions that are counted one by one; the rest is counted together."""

AS_OURS = MiningOptions(min_head_coverage=0.1, min_std_confidence=0.3, min_pca_confidence=0.4)
"""How rules are mined where the release has none: the defaults of a recipe."""

_NAMED = (
    "max_atoms", "min_head_coverage", "min_std_confidence", "min_pca_confidence", "min_initial_support",
)  # fmt: skip
"""The mining options that a definition names."""

_NO_ID = f"e{'9' * 40}"
"""Stands for the private ids of entities: only names that the set gives them are looked for."""

_Hit = Callable[[Question], float | None]


class Measure(NamedTuple):
    """What a figure is made of.

    Attributes:
        hit: What a question adds to a mean, or share; None: the figure is not over it.
        said: The placeholders in its definition → what this set puts in their place.
        counts: How many questions have each form, where the figure summarizes that.
        total: The value, if it is not a mean over the questions; `hit` then says which of them count.
        left_out: Ids of questions that were left out of the set, and count.
    """

    hit: _Hit
    said: Mapping[str, str] = {}
    counts: Mapping[str, int] = {}
    total: float | None = None
    left_out: Sequence[str] = ()


_Part = Mapping[str, Measure]
"""Key of a figure → what it is made of."""


def _answers(of: AuditedSet, _: Progress) -> _Part:
    """Whether answers are those of the queries, and texts are sound."""

    def compared(
        differ: Callable[[frozenset[str], frozenset[str], str], bool | None],
    ) -> Measure:
        """A question with a query, by its stated answers, those that the query gives, and its id."""

        def hit(q: Question) -> bool | None:
            rows = of.on_complete[q.id] if of.states(q) else None
            stated = frozenset(q.answers).difference(q.further if reference else ())
            return None if rows is None else differ(stated, rows, q.id)

        return Measure(hit)

    def by_synonyms(stated: frozenset[str], rows: frozenset[str], id_: str) -> bool | None:
        more = of.by_synonyms[id_]
        return None if more is None else bool(more - rows - stated)

    known = of.complete.entity_ids.keys() if of.complete is not None else set()
    files = of.release.manifest["files"]
    reference = "kg/reference.tsv.gz" in files
    rejected = of.release.rejections() if "rejected.jsonl" in files else ()
    there = {q.id for q in of.questions}
    refused = dict.fromkeys(row.question for row in rejected if row.stage == "import")
    return {
        "missing": compared(lambda stated, rows, _: bool(stated - rows)),
        "extra": compared(lambda stated, rows, _: bool(rows - stated)),
        "other_direction": compared(
            lambda stated, rows, id_: bool((stated - rows) & (of.other_way[id_] or set()))
        ),
        "declared": compared(by_synonyms),
        "in_text": Measure(_named_in_text(of)),
        "same_text": Measure(_ambiguous(of, normalized_text)),
        "same_query": Measure(_ambiguous(of, canonical_query)),
        "no_answer": Measure(
            lambda q: not q.answers and of.states(q),
            left_out=[id_ for id_ in refused if id_ not in there],
        ),
        "many_answers": Measure(lambda q: len(q.answers) > HUGE if of.states(q) else None),
        "topics": Measure(lambda q: not known >= set(q.anchors) if q.anchors else None),
    }


def _named_in_text(of: AuditedSet) -> _Hit:
    """Whether the text of a question names an answer, outside the names of its topics."""
    # Rows have what is written in them, not ids: IN, of India, is no name in a text.
    known = {
        row.name_in(of.release.naming): row for row in (() if of.has_rows else of.release.entities)
    }

    def names(entity: str) -> EntityNames:
        own = known.get(entity, EntityNames(_NO_ID, entity, entity))
        return EntityNames(_NO_ID, own.entity, own.text)

    def hit(q: Question) -> bool | None:
        topics = [names(a) for a in q.anchors]
        texts = (
            cell
            for row in (q.answers if of.has_rows else ())
            for cell in row_of(row)
            if isinstance(cell, str) and cell.strip() and cell not in q.query
        )
        answers = dict.fromkeys(texts) if of.has_rows else q.answers
        apart = [a for a in map(names, answers) if a not in topics]
        if not apart or kind_named(q.kind).choices(q):
            return None
        written = list(
            dict.fromkeys([n for t in topics for n in (t.text, t.entity)] + [*q.anchors])
        )
        spans = find_mentions_of_all(q.question, written)
        pieces = cut(q.question, tuple(span for span, _ in spans))
        own = [EntityNames(_NO_ID, written[at], written[at]) for _, at in spans]
        return named_answer(pieces, own, apart) is not None

    return hit


def _ambiguous(of: AuditedSet, form: Callable[[Question], str]) -> _Hit:
    """Whether another question about the same graph has the same form and other answers."""
    keys = {q.id: (of.graph_of(q), form(q) if of.states(q) else "") for q in of.questions}
    answers = defaultdict(set)
    for q in of.questions:
        answers[keys[q.id]].add(tuple(sorted(q.answers)))
    return lambda q: len(answers[keys[q.id]]) > 1 if keys[q.id][1] else None


def _leaks(of: AuditedSet, _: Progress) -> _Part:
    """What training and validation questions give away."""
    facts = {fact for q in of.earlier for fact in of.removed.given_by(q)}
    says = any(q.hard for q in of.questions)

    def needed(q: Question) -> bool | None:
        own = of.removed.needed_by(q)
        return not facts.isdisjoint(own) if own else None

    def among(shared: Callable[[Question, Sequence[str]], Collection[Hashable]]) -> Measure:
        """What a question shares with an earlier one, given the answers that count."""
        given = {(of.graph_of(q), value) for q in of.earlier for value in shared(q, q.answers)}

        def hit(q: Question) -> bool | None:
            own = shared(q, q.hard_answers if says else q.answers)
            return any((of.graph_of(q), value) in given for value in own) if own else None

        return Measure(hit)

    return {
        "needed_fact": Measure(needed),
        "pair": among(lambda q, answers: [*pairs(q.anchors, answers)]),
        "query": among(lambda q, _: [query] if (query := canonical_query(q)) else []),
        "text": among(lambda q, _: [normalized_text(q)]),
    }


_Names = Callable[[Question, Collection[str]], bool | None]
"""Returns whether a guess names one of some answers to a question; None: the figure leaves it out."""


def _guessing(of: AuditedSet, _: Progress) -> _Part:
    """Whether an answer, and the hard answer, is among what is named without understanding anything."""
    order = order_of_names(of.release.entities, of.release.naming)
    guess = {
        name: guesser((q for q in of.training if of.graph_of(q) == name), of.declarations, order)
        for name in set(map(of.graph_of, of.training))
    }
    by = "(the set has no queries, so by frequency alone)"
    if any(q.query[:1] in QUERY for q in of.training):
        by = "with the same relations at their answer (of all training questions, where none has them)"
    said = {"asked": "the test questions (all questions, where no split is test)", "by": by}

    def guessed(k: int) -> _Names:
        def named(q: Question, wanted: Collection[str]) -> bool:
            own = q.query if q.query[:1] in QUERY else ""
            guesses = guess[name](own) if (name := of.graph_of(q)) in guess else ()
            return not set(guesses[:k]).isdisjoint(wanted)

        return named

    def looked_up(q: Question, wanted: Collection[str]) -> bool | None:
        rows = of.on_given[q.id]
        return None if rows is None else not rows.isdisjoint(wanted)

    @cache
    def all_nearest() -> dict[str, Sequence[str]]:
        asked = [q for q, is_asked in zip(of.questions, of.asked, strict=True) if is_asked]
        rows = [(q.query, q.anchors, of.on_given[q.id] or ()) for q in asked]
        found = nearest(of.given, rows, of.declarations, order) if of.given is not None else []
        return dict(zip((q.id for q in asked), found, strict=True))

    def is_nearest(q: Question, wanted: Collection[str]) -> bool | None:
        return not set(wanted).isdisjoint(all_nearest()[q.id]) if q.query[:1] == "(" else None

    def measure(named: _Names, hard: bool) -> Measure:
        def hit(q: Question) -> bool | None:
            asked_for = () if q.hard_answer is None else (q.hard_answer,)
            wanted = asked_for if hard else q.answers
            return named(q, wanted) if wanted else None

        return Measure(hit, said)

    named = {
        "guess_1": guessed(1),
        "guess_5": guessed(5),
        "lookup": looked_up,
        "nearest": is_nearest,
        "hops_1": _near(of, 1),
        "hops_2": _near(of, 2),
    }
    ends = (("any", False), ("hard", True))
    return {f"{key}_{end}": measure(one, hard) for key, one in named.items() for end, hard in ends}


def _near(of: AuditedSet, hops: int) -> _Names:
    """Whether an answer is at most one edge, or two, from a topic in the graph that systems are given."""
    kg = of.given
    if kg is None:
        return lambda *_: None
    ids, every = kg.entity_ids, Incidence(kg)

    @cache
    def around(entity: str) -> Ints:
        known = np.array([ids[entity]] if entity in ids else [], np.int64)
        return distinct(every.others[every.at(known)])

    def near(q: Question, wanted: Collection[str]) -> bool | None:
        known = [answer for answer in wanted if answer in ids]
        for topic in q.anchors:
            reached = around(topic)
            for answer in known:
                if (reached == ids[answer]).any():
                    return True
                if hops > 1 and len(np.intersect1d(reached, around(answer), assume_unique=True)):
                    return True
        return False if q.anchors else None

    return near


def _inference(of: AuditedSet, progress: Progress) -> _Part:
    """Which questions need what is missing, and which of these keep a derivation."""
    said, derived = "", set[Triple]()
    witnesses = {q.id: [row.witness for row in q.hard if row.witness] for q in of.questions}
    complete, left = of.complete, of.incomplete
    if complete is not None and left is not None and not of.lacks(("witnesses", "rules")):
        gone = {t for some in witnesses.values() for witness in some for t in witness} - of.left
        said, derived = _derived(of, complete, left, gone, progress)

    def follows(witness: Sequence[Triple]) -> bool:
        gone = [t for t in witness if t not in of.left]
        return bool(gone) and all({*_statements(of, t)} & derived for t in gone)

    return {
        "needs_missing": Measure(lambda q: bool(q.hard) if q.graded else None),
        "core": Measure(lambda q: q.core),
        "derivable": Measure(
            lambda q: any(map(follows, some)) if (some := witnesses[q.id]) else None,
            {"rules": said},
        ),
    }


def _derived(
    of: AuditedSet,
    complete: KnowledgeGraph,
    kg: KnowledgeGraph,
    gone: Collection[Triple],
    progress: Progress,
) -> tuple[str, set[Triple]]:
    """Which rules there are, and what follows by them from the incomplete graph about removed triples."""
    rules: Sequence[Rule] = of.release.rules() if of.has_rules else ()
    made, options = (
        "its rules are those of the release",
        of.release.manifest["config"].get("mining", {}),
    )
    if not rules:
        rules, options = list(mine(complete, AS_OURS, progress=progress)), to_json(AS_OURS)
        made = "rules are mined on the complete graph"
    with_what = ", ".join(f"{name} {options[name]:g}" for name in _NAMED if name in options)
    wanted: dict[str, set[str]] = {}
    for triple in gone:
        for s, relation, _ in _statements(of, triple):
            wanted.setdefault(relation, set()).add(s)
    ids, walks, derived = kg.entity_ids, Walks(Index(kg), rules), set[Triple]()
    for relation, topics in sorted(wanted.items()):
        known = np.array(sorted(ids[t] for t in topics if t in ids), np.int64)
        for part in walks.derive(OpenEnds(relation, "object", known)):
            starts = known[part.topic].tolist()
            ends = zip(starts, part.answer.tolist(), strict=True)
            derived |= {(kg.entities[s], relation, kg.entities[o]) for s, o in ends}
    return f"; {made} ({len(rules):,}; {with_what})", derived


def _statements(of: AuditedSet, triple: Triple) -> list[Triple]:
    """All statements of the fact that a triple states."""
    s, r, o = triple
    statements = of.declarations.statements(r, "object")
    return [(s, name, o) if end == "object" else (o, name, s) for name, end in statements]


def _concentration(of: AuditedSet, _: Progress) -> _Part:
    """How much the questions ask the same."""
    counts = Counter(a for q in of.questions for a in set(q.answers))
    top = min(counts, key=lambda a: (-counts[a], a), default=None)
    relations = {
        q.id: sorted(q.relations) or sorted({r for _, r, _ in q.full_evidence or q.evidence})
        for q in of.questions
    }
    asked, shares = sum(map(bool, relations.values())), defaultdict[str, float](float)
    for own in relations.values():
        for relation in own:
            shares[relation] += 1 / len(own) / asked
    entropy = -math.fsum(p * math.log(p) for p in shares.values())
    grouped = Counter(rows_group(len(q.answers)) for q in of.questions if of.states(q))
    return {
        "top_answer": Measure(lambda q: top in q.answers if q.answers else None),
        "relations": Measure(
            lambda q: True if relations[q.id] else None, {"different": f"{len(shares):,}"},
            total=math.exp(entropy),
        ),
        "structure": _commonest(of, lambda q: q.structure),
        "shape": _commonest(of, lambda q: q.shape),
        "hops": _commonest(of, lambda q: str(q.hops) if q.shape else ""),
        "answers": Measure(
            lambda q: len(q.answers) if of.states(q) else None,
            counts={name: grouped[name] for name in ROW_GROUPS},
        ),
    }  # fmt: skip


def _commonest(of: AuditedSet, form: Callable[[Question], str]) -> Measure:
    counts = Counter(filter(None, map(form, of.questions)))
    ranked = sorted(counts, key=lambda form: (-counts[form], form))
    shown = {form: counts[form] for form in ranked[:MOST_FORMS]}
    if rest := sum(counts[form] for form in ranked[MOST_FORMS:]):
        shown["other"] = rest
    first = ranked[0] if ranked else ""
    return Measure(
        lambda q: own == first if (own := form(q)) else None,
        {"form": first and f", {first}"},
        shown,
    )


PARTS: Mapping[str, Callable[[AuditedSet, Progress], Mapping[str, Any]]] = {
    "answers": _answers,
    "leaks": _leaks,
    "guessing": _guessing,
    "inference": _inference,
    "concentration": _concentration,
}
"""The sections of an audit, in their order → their measures by figure."""
