"""Audits a release, as far as its files allow.

It has five parts: whether answers are those of the queries (`rulemine.auditing.answers`); what questions of
earlier splits give away of those that systems are scored on; what a system gets that understands nothing, and
names common answers, or what is near the topics; how many questions need what is missing, and how many of
these can still be derived; and how much the questions ask the same.

Guarantee: the same release, seed and number of resamples give the same audit, whatever the number of threads.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulemine.auditing.answers import (
    NO_ANSWERS,
    answer_measures,
    canonical_query,
    normalized_text,
)
from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.figures import SECTIONS, AuditedFigure, Measure, figures_of
from rulemine.codec import to_json
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.errors import ReleaseError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index
from rulemine.kinds.kind import pairs
from rulemine.mining import MiningOptions, mine
from rulemine.release.guessing import QUERY, guesser, nearest, order_of_names
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["AS_OURS", "RESAMPLES", "Audit", "audit"]

RESAMPLES = 1000
"""Resamples of an interval."""

MOST_TEXTS = 3
"""Questions of a set whose texts an audit shows."""

MOST_FORMS = 20
"""Forms of questions that are counted one by one; the rest is counted together."""

AS_OURS = MiningOptions(min_head_coverage=0.1, min_std_confidence=0.3, min_pca_confidence=0.4)
"""What is mined where the release has no rules: as recipes do unless they say otherwise."""

_NAMED = (
    "max_atoms", "min_head_coverage", "min_std_confidence", "min_pca_confidence", "min_initial_support",
)  # fmt: skip
"""The mining options that a definition names."""

_NO_HARD = "the set does not say which answers must be inferred."

Watch = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True, slots=True)
class Audit:
    """What is known of a question set.

    Attributes:
        name: The name of its folder or archive.
        facts: Where it is from, its license, its size: name → text.
        figures: The figures, section by section.
        texts: Id → text, of the first questions that figures name, at most `MOST_TEXTS`.
        definitions: How its authors define figures: name → sentence.
    """

    name: str
    facts: Mapping[str, str]
    figures: tuple[AuditedFigure, ...]
    texts: Mapping[str, str]
    definitions: Mapping[str, str]


def _unwatched(_step: str) -> AbstractContextManager[Progress]:
    return nullcontext(lambda _done, _total: None)


def audit(
    release: Release,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    mines: bool = True,
    watch: Watch = _unwatched,
) -> Audit:
    """Audits a release.

    Args:
        release: The release, of any kind.
        resamples: How many resamples an interval is from, ≥ 1.
        seed: Of the resamples.
        mines: Whether rules are mined where questions need what is missing and the release has none.
        watch: Watches a step, given its name.

    Raises:
        ReleaseError: It has no question, or a file is missing or was edited.
    """
    of = AuditedSet(release)
    if not of.questions:
        raise ReleaseError(f"{release.path}: has no question to audit. Name another release.")
    parts: Sequence[Callable[[Progress], Iterator[Measure]]] = (
        lambda progress: answer_measures(of, progress),
        lambda _: _leaks(of),
        lambda _: _guessing(of),
        lambda progress: _inference(of, progress, mines),
        lambda _: _concentration(of),
    )
    measures: list[Measure] = []
    for name, part in zip(SECTIONS, parts, strict=True):
        with watch(f"{release.name}: {name}") as progress:
            measures += part(progress)
    with watch(f"{release.name}: intervals"):
        figures = figures_of(measures, of.questions, of.clusters, resamples, seed)
    shown = list(dict.fromkeys(key for figure in figures for key in figure.examples))[:MOST_TEXTS]
    texts = {q.id: q.question for q in of.questions if q.id in shown}
    name = re.sub(r"\.(tar(\.\w+)?|tgz)$", "", release.path.absolute().name) or release.name
    section = release.manifest["config"].get(release.kind, {})
    own = section if isinstance(section, dict) else {}
    return Audit(
        name, _facts(of, own.get("notes", ())), figures, texts, dict(own.get("definitions", ()))
    )


def _facts(of: AuditedSet, notes: Sequence[str]) -> dict[str, str]:
    kg = of.release.manifest["kg"]
    about = {name: str(kg.get(name) or "unknown") for name in ("title", "source", "license")}
    asked = Counter(q.split for q in of.questions)
    about["questions"] = ", ".join(f"{split} {asked[split]:,}" for split in SPLITS if asked[split])
    about["topics"] = f"{len(set(of.clusters.tolist())):,} different"
    for name, graph in (("triples", of.complete), ("triples left", of.incomplete)):
        if graph is not None:
            about[name] = f"{len(graph):,}"
    if notes:
        about["notes"] = " ".join(f"{note.rstrip('.')}." for note in notes)
    own = {"release": of.release.name, "kind": of.release.kind, "identity": of.release.identity}
    return about | own


_Shared = Callable[[Question, Sequence[str]], Collection[Hashable]]
"""What a question shares with others, given the answers that count."""

_SHARED: Mapping[str, _Shared] = {
    "pair": lambda q, answers: [*pairs(q.anchors, answers)],
    "query": lambda q, _: [query] if (query := canonical_query(q)) else [],
    "text": lambda q, _: [normalized_text(q)],
}


def _leaks(of: AuditedSet) -> Iterator[Measure]:
    """The figures on leaks: of the test questions, by what training and validation questions have."""
    earlier = [q for q in of.questions if q.split in ("train", "validation")]
    test = any(q.split == "test" for q in of.questions)
    why = "" if earlier and test else f"the set has no {'training' if test else 'test'} questions."
    removed = of.removed
    facts = {fact for q in earlier for fact in removed.given_by(q)}
    needed = of.over_asked(
        lambda q: not facts.isdisjoint(own) if (own := removed.needed_by(q)) else None
    )
    none = (
        "nothing is removed."
        if not removed.all
        else "no test question says what its answers rest on."
    )
    yield Measure("needed_fact", None if why else needed, why or none)
    says = any(q.hard for q in of.questions)
    for key, shared in _SHARED.items():
        given = {(of.graph_of(q), value) for q in earlier for value in shared(q, q.answers)}

        def hit(
            q: Question, shared: _Shared = shared, given: Collection[Hashable] = given
        ) -> bool | None:
            own = shared(q, q.hard_answers if says else q.answers)
            return any((of.graph_of(q), value) in given for value in own) if own else None

        yield Measure(
            key,
            None if why else of.over_asked(hit),
            why or "no test question has what this compares.",
        )


_Hits = Callable[[Question, Collection[str]], bool | None]
"""Whether one of some answers is named; None: the figure is not over the question."""


def _guessing(of: AuditedSet) -> Iterator[Measure]:
    """The figures on guessing: whether an answer, and a hard answer, is among what is named."""
    order = order_of_names(of.release.entities, of.release.naming)
    guesses, by = _guesses(of, order)
    found = of.executed("incomplete")
    stated = {q.id: rows for q, rows in zip(of.questions, found, strict=True)}
    around = None if of.has_rows else of.edges()
    no_graph = "answers are rows." if of.has_rows else "the set has no graph."
    no_training = "the set has no training questions."
    named: dict[str, tuple[_Hits | None, str]] = {}
    for k in (1, 5):

        def guessed(q: Question, wanted: Collection[str], k: int = k) -> bool:
            return not set(guesses(q)[:k]).isdisjoint(wanted)

        named[f"guess_{k}"] = guessed if of.training else None, no_training

    def looked_up(q: Question, wanted: Collection[str]) -> bool | None:
        rows = stated[q.id]
        return None if rows is None else not rows.isdisjoint(wanted)

    runs = any(rows is not None for rows in found)
    named["lookup"] = looked_up if runs else None, of.why_no_query
    named["nearest"] = _nearest(of, stated, order), no_graph
    for hops in (1, 2):
        named[f"hops_{hops}"] = None if around is None else _near(of, around, hops), no_graph
    has_hard = any(q.hard for q in of.questions)
    asked = "the test questions (all questions, where no split is test)"
    for key, (hits, why) in named.items():
        for suffix in ("hard",) if key == "nearest" else ("any", "hard"):

            def hit(q: Question, hits: _Hits | None = hits, hard: bool = suffix == "hard") -> Any:
                asked_for = () if q.hard_answer is None else (q.hard_answer,)
                wanted = asked_for if hard else q.answers
                return hits(q, wanted) if hits and wanted else None

            lacking = why if hits is None else "no question says what this needs."
            if hits is not None and suffix == "hard" and not has_hard:
                lacking = _NO_HARD
            said = {"asked": asked, "by": by}
            yield Measure(f"{key}_{suffix}", of.over_asked(hit), lacking, said)


def _guesses(
    of: AuditedSet, order: Mapping[str, int]
) -> tuple[Callable[[Question], Sequence[str]], str]:
    """The guesses for a question, the best first, and what the training questions are counted by."""
    guess = {
        name: guesser((q for q in of.training if of.graph_of(q) == name), of.declarations, order)
        for name in set(map(of.graph_of, of.training))
    }

    def guesses(q: Question) -> Sequence[str]:
        own = q.query if q.query[:1] in QUERY else ""
        return guess[name](own) if (name := of.graph_of(q)) in guess else ()

    by = "with the same relations at their answer (of all training questions, where none has them)"
    known = any(q.query[:1] in QUERY for q in of.training)
    return guesses, by if known else "(the set has no queries, so by frequency alone)"


def _nearest(
    of: AuditedSet, stated: Mapping[str, Collection[str] | None], order: Mapping[str, int]
) -> _Hits | None:
    if of.has_rows or of.given is None:
        return None
    asked = [q for q, is_asked in zip(of.questions, of.asked, strict=True) if is_asked]
    rows = ((q.query, q.anchors, stated[q.id] or ()) for q in asked)
    found = nearest(of.given, rows, of.declarations, order)
    named = dict(zip((q.id for q in asked), found, strict=True))
    return lambda q, wanted: not set(wanted).isdisjoint(named[q.id]) if q.query[:1] == "(" else None


def _near(of: AuditedSet, around: Callable[[str], np.ndarray], hops: int) -> _Hits:
    ids = of.given.entity_ids if of.given is not None else {}

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


def _inference(of: AuditedSet, progress: Progress, mines: bool) -> Iterator[Measure]:
    """The figures on inference.

    Args:
        of: The set.
        progress: Called while rules are mined.
        mines: Whether rules are mined where the release has none.
    """
    why = "nothing is removed." if of.has_graph else "the set has no graph."
    witnessed = [[row.witness for row in q.hard if row.witness] for q in of.questions]
    if of.complete is None or of.incomplete is None:
        for key in ("needs_missing", "core", "derivable"):
            yield Measure(key, None, why, {"rules": ""})
        return
    yield Measure("needs_missing", [bool(q.hard) if q.graded else None for q in of.questions])
    core = [q.core for q in of.questions] if of.release.removals() else None
    yield Measure("core", core, "removed triples have no certificates.")
    rules: Sequence[Rule] = ()
    if "rules.jsonl" in of.release.manifest["files"]:
        rules, made = of.release.rules(), "its rules are those of the release"
        options: Mapping[str, Any] = of.release.manifest["config"].get("mining", {})
    if not any(witnessed) or not (rules or mines):
        why = "no question says what its answers rest on."
        if any(witnessed):
            why = "rules were not mined (--no-mining)."
        yield Measure("derivable", None, why, {"rules": ""})
        return
    if not rules:
        rules, options = list(mine(of.complete, AS_OURS, progress=progress)), to_json(AS_OURS)
        made = "rules are mined on the complete graph"
    with_what = ", ".join(f"{name} {options[name]:g}" for name in _NAMED if name in options)
    follows = _derivable(of, of.incomplete, rules, witnessed)
    hits = [any(map(follows, some)) if some else None for some in witnessed]
    yield Measure("derivable", hits, "", {"rules": f"; {made} ({len(rules):,}; {with_what})"})


def _derivable(
    of: AuditedSet,
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    witnessed: Sequence[Sequence[Sequence[Triple]]],
) -> Callable[[Sequence[Triple]], bool]:
    """Whether every removed triple of a witness follows by a rule from the incomplete graph."""
    stated = set(kg.labeled())
    wanted: dict[str, set[str]] = {}
    for s, r, o in {t for some in witnessed for witness in some for t in witness} - stated:
        for relation, end in of.declarations.statements(r, "object"):
            wanted.setdefault(relation, set()).add(s if end == "object" else o)
    ids, walks, derived = kg.entity_ids, Walks(Index(kg), rules), set[Triple]()
    for relation, topics in sorted(wanted.items()):
        known = np.array(sorted(ids[t] for t in topics if t in ids), np.int64)
        for part in walks.derive(OpenEnds(relation, "object", known)):
            starts = known[part.topic].tolist()
            ends = zip(starts, part.answer.tolist(), strict=True)
            derived |= {(kg.entities[s], relation, kg.entities[o]) for s, o in ends}

    def follows(witness: Sequence[Triple]) -> bool:
        gone = [t for t in witness if t not in stated]
        return bool(gone) and all(_any_statement(of, t) & derived for t in gone)

    return follows


def _any_statement(of: AuditedSet, triple: Triple) -> set[Triple]:
    s, r, o = triple
    statements = of.declarations.statements(r, "object")
    return {(s, name, o) if end == "object" else (o, name, s) for name, end in statements}


def _concentration(of: AuditedSet) -> Iterator[Measure]:
    """The figures on concentration, over all questions."""
    counts = Counter(a for q in of.questions for a in set(q.answers))
    top = min(counts, key=lambda a: (-counts[a], a), default=None)
    hits = [top in q.answers if q.answers else None for q in of.questions]
    yield Measure("top_answer", hits, "no question has an answer.")
    relations = [
        sorted(q.relations) or sorted({r for _, r, _ in q.full_evidence or q.evidence})
        for q in of.questions
    ]
    shares: Counter[str] = Counter()
    asked = sum(map(bool, relations))
    for own in relations:
        for relation in own:
            shares[relation] += 1 / len(own) / asked  # type: ignore[assignment]
    having = [True if own else None for own in relations]
    said = {"different": f"{len(shares):,}"}
    entropy = -math.fsum(p * math.log(p) for p in shares.values())
    why = "no question has a query or evidence."
    yield Measure("relations", having, why, said, total=math.exp(entropy))
    yield _commonest("structure", [q.structure for q in of.questions])
    yield _commonest("shape", [q.shape for q in of.questions])
    yield _commonest("hops", [str(q.hops) if q.shape else "" for q in of.questions])
    sizes = [len(q.answers) if of.states(q) else None for q in of.questions]
    grouped = Counter(rows_group(size) for size in sizes if size is not None)
    stated = {name: grouped[name] for name in ROW_GROUPS if of.states_answers}
    yield Measure("answers", sizes, NO_ANSWERS, counts=stated)


def _commonest(key: str, forms: Sequence[str]) -> Measure:
    counts = Counter(filter(None, forms))
    ranked = sorted(counts, key=lambda form: (-counts[form], form))
    shown = {form: counts[form] for form in ranked[:MOST_FORMS]}
    if rest := sum(counts[form] for form in ranked[MOST_FORMS:]):
        shown["other"] = rest
    hits = [form == ranked[0] if form else None for form in forms]
    said = {"form": f", {ranked[0]}" if ranked else ""}
    return Measure(key, hits, "no question has a query.", said, shown)
