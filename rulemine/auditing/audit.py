"""Audits a release, as far as its files allow.

It has five parts: whether answers are those of the queries (`rulemine.auditing.answers`); what questions of
earlier splits give away of those that systems are scored on; what a system gets that understands nothing, and
names common answers, or what is near the topics; how many questions need what is missing, and how many of
these can still be derived; and how much the questions ask the same.

Guarantee: the same release, seed and number of resamples give the same audit, whatever the number of threads.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rulemine.auditing.answers import answer_measures, canonical_query, normalized_text
from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.figures import AuditedFigure, Measure, effective, figures_of, measure, share
from rulemine.codec import to_json
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.errors import ReleaseError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index
from rulemine.kinds.kind import pairs
from rulemine.mining import MiningOptions, mine
from rulemine.release.guessing import QUERY, guesser, nearest
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["AS_OURS", "RESAMPLES", "SECTIONS", "Audit", "audit"]

RESAMPLES = 1000
"""Resamples of an interval."""

MOST_TEXTS = 3
"""Questions of a set whose texts an audit shows."""

MOST_FORMS = 20
"""Forms of questions that are counted one by one; the rest is counted together."""

AS_OURS = MiningOptions(min_head_coverage=0.1, min_std_confidence=0.3, min_pca_confidence=0.4)
"""What is mined where the release has no rules: as recipes do unless they say otherwise."""

SECTIONS = ("answers", "leaks", "guessing", "inference", "concentration")
"""The parts of an audit, in their order."""

_, LEAKS, GUESSING, INFERENCE, CONCENTRATION = SECTIONS

_NAMED = (
    "max_atoms", "min_head_coverage", "min_std_confidence", "min_pca_confidence", "min_initial_support",
)  # fmt: skip
"""The mining options that a definition names."""

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

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


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
        ids = [q.id for q in of.questions]
        figures = figures_of(measures, ids, of.clusters, resamples, seed)
    named = dict.fromkeys(key for figure in figures for key in figure.examples)
    shown = list(named)[:MOST_TEXTS]
    texts = {q.id: q.question for q in of.questions if q.id in shown}
    name = re.sub(r"\.(tar(\.\w+)?|tgz)$", "", release.path.absolute().name) or release.name
    return Audit(name, _facts(of), figures, texts, dict(_own(of, "definitions")))


def _facts(of: AuditedSet) -> dict[str, str]:
    kg = of.release.manifest["kg"]
    about = {name: str(kg.get(name) or "unknown") for name in ("title", "source", "license")}
    about["questions"] = ", ".join(f"{split} {number:,}" for split, number in of.splits())
    about["topics"] = f"{len(set(of.clusters.tolist())):,} different"
    if of.complete is not None:
        about["triples"] = f"{len(of.complete):,}"
    if of.incomplete is not None:
        about["triples left"] = f"{len(of.incomplete):,}"
    if notes := _own(of, "notes"):
        about["notes"] = " ".join(f"{note.rstrip('.')}." for note in notes)
    about["release"] = of.release.name
    about["kind"] = of.release.kind
    about["identity"] = of.release.identity
    return about


def _own(of: AuditedSet, key: str) -> Any:
    """What the section of the kind says in the manifest."""
    section = of.release.manifest["config"].get(of.release.kind, {})
    return section.get(key, ()) if isinstance(section, dict) else ()


_Value = tuple[str, Hashable]
"""What a question shares with others, with the graph that it is about."""

_Of = Callable[[Question], Collection[Hashable]]


def _leaks(of: AuditedSet) -> Iterator[Measure]:
    """The figures on leaks: of the test questions, by what training and validation questions have."""
    earlier = [q for q in of.questions if q.split in ("train", "validation")]
    test = any(q.split == "test" for q in of.questions)
    if not (earlier and test):
        why = "the set has no training questions." if test else "the set has no test questions."
    else:
        why = ""
    yield _needed(of, earlier, why)
    says = any(q.hard for q in of.questions)
    wanted = {q.id: replace(q, answers=q.hard_answers) if says else q for q in of.questions}
    for key, title, what, shared in _SHARED:
        given = {(of.graph_of(q), value) for q in earlier for value in shared(q)}

        def hit(q: Question, shared: _Of = shared, given: set[_Value] = given) -> bool | None:
            own = [(of.graph_of(q), value) for value in shared(wanted[q.id])]
            return not given.isdisjoint(own) if own else None

        yield measure(
            LEAKS, key, title,
            f"Share of the test questions {what} of a training or validation question about "
            "the same graph.",
            None if why else share(of.over_asked(hit)),
            why or "no test question has what this compares.",
        )  # fmt: skip


def _needed(of: AuditedSet, earlier: list[Question], why: str) -> Measure:
    removed = of.removed
    given = {fact for q in earlier for fact in removed.given_by(q)}

    def hit(q: Question) -> bool | None:
        needed = removed.needed_by(q)
        return not given.isdisjoint(needed) if needed else None

    if not why and not removed.all:
        why = "nothing is removed."
    return measure(
        LEAKS, "needed_fact", "needs a removed fact that is given away",
        "Share of the test questions that need a removed fact (a removed triple of the witness of a hard "
        "answer, in any statement) which a training or validation question gives away by its evidence or by "
        "a topic and an answer.",
        None if why else share(of.over_asked(hit)),
        why or "no test question says what its answers rest on.",
    )  # fmt: skip


def _text(question: Question) -> Collection[Hashable]:
    return [normalized_text(question)]


def _query(question: Question) -> Collection[Hashable]:
    query = canonical_query(question)
    return [query] if query else []


def _pairs(question: Question) -> Collection[Hashable]:
    return [*pairs(question.anchors, question.answers)]


_SHARED: tuple[tuple[str, str, str, _Of], ...] = (
    (
        "pair", "same topic and answer",
        "whose topic and answer (a hard one, where the set says which are) are topic and answer, in either "
        "role,",
        _pairs,
    ),
    ("query", "same query", "that have the canonical query", _query),
    ("text", "same text", "that have the normalized text", _text),
)  # fmt: skip
"""Key, title, and what is shared, in words and of a question."""


_Hits = Callable[[Question, Collection[str]], bool | None]
"""Whether one of some answers is named; None: the figure is not over the question."""


def _guessing(of: AuditedSet) -> Iterator[Measure]:
    """The figures on guessing: whether an answer, and a hard answer, is among what is named."""
    guesses, by = _guesses(of)
    why = "the set has no training questions."
    for k in (1, 5):
        hits: _Hits | None = None
        if of.training:
            hits = lambda q, wanted, k=k: not set(guesses(q)[:k]).isdisjoint(wanted)  # noqa: E731
        yield from _both(
            of, f"guess_{k}", "one guess" if k == 1 else f"{k} guesses",
            f"the {'' if k == 1 else f'{k} '}commonest answer{'s' * (k > 1)} of the training questions {by}",
            hits, why,
        )  # fmt: skip
    given = "the graph that systems are given"
    found = of.executed("incomplete")
    place = {q.id: answers for q, answers in zip(of.questions, found, strict=True)}
    runs = any(answers is not None for answers in found)
    yield from _both(
        of, "lookup", "looking up", f"what the query gives on {given}",
        (lambda q, wanted: _meets(place[q.id], wanted)) if runs else None, of.why_no_query,
    )  # fmt: skip
    around = None if of.has_rows else of.edges()
    why = "answers are rows." if of.has_rows else "the set has no graph."
    *_, own = _both(
        of, "nearest", "nearest", "the one entity of the right type that has most in common with a topic "
        f"in {given}, by the weight of Adamic and Adar, other than what the query gives there",
        _nearest(of, place), why,
    )  # fmt: skip
    yield own
    for hops, title in ((1, "one edge"), (2, "two hops")):
        near: _Hits | None = None
        if around is not None:
            near = _near(of, around, hops)
        yield from _both(
            of, f"hops_{hops}", title,
            f"the entities at most {'one edge' if hops == 1 else 'two edges'} from a topic in {given} (all "
            "are named: this says what is within reach, and bounds what ranking them could get)",
            near, why,
        )  # fmt: skip


def _both(
    of: AuditedSet, key: str, title: str, named: str, hits: _Hits | None, why: str
) -> Iterator[Measure]:
    """The figure over all answers, Hits@Any, and the one over the hard answer asked for, Hits@Hard."""
    has_hard = any(q.hard for q in of.questions)
    for suffix, what, name, wanted in (
        ("any", "an answer", "Hits@Any", lambda q: q.answers),
        ("hard", "the hard answer", "Hits@Hard", lambda q: [q.hard_answer] if q.hard else ()),
    ):
        usable = hits is not None and (suffix == "any" or has_hard)
        scores = None
        if usable and hits is not None:
            scores = share(of.over_asked(lambda q, w=wanted: hits(q, w(q)) if w(q) else None))  # type: ignore[misc]
        yield measure(
            GUESSING, f"{key}_{suffix}", f"{title}: {what}",
            f"{name}: share of the test questions (all questions, where no split is test) of which {what} is "
            f"among {named}.",
            scores,
            why if hits is None else "the set does not say which answers must be inferred."
            if not has_hard else "no question says what this needs.",
        )  # fmt: skip


def _meets(found: Collection[str] | None, wanted: Collection[str]) -> bool | None:
    return None if found is None else not set(found).isdisjoint(wanted)


def _guesses(of: AuditedSet) -> tuple[Callable[[Question], Sequence[str]], str]:
    """The guesses for a question, the best first, and what the training questions are counted by."""
    guess = {
        name: guesser((q for q in of.training if of.graph_of(q) == name), of.declarations, of.order)
        for name in set(map(of.graph_of, of.training))
    }

    def guesses(q: Question) -> Sequence[str]:
        own = q.query if q.query[:1] in QUERY else ""
        return guess[name](own) if (name := of.graph_of(q)) in guess else ()

    by = "with the same relations at their answer (of all training questions, where none has them)"
    known = any(q.query[:1] in QUERY for q in of.training)
    return guesses, by if known else "(the set has no queries, so by frequency alone)"


def _nearest(of: AuditedSet, stated: Mapping[str, Collection[str] | None]) -> _Hits | None:
    if of.has_rows or of.given is None:
        return None
    asked = [q for q, is_asked in zip(of.questions, of.asked, strict=True) if is_asked]
    rows = ((q.query, q.anchors, stated[q.id] or ()) for q in asked)
    found = nearest(of.given, rows, of.declarations, of.order)
    named = dict(zip((q.id for q in asked), found, strict=True))
    return lambda q, wanted: not set(wanted).isdisjoint(named[q.id]) if q.query[:1] == "(" else None


def _near(of: AuditedSet, around: Callable[[str], np.ndarray], hops: int) -> _Hits:
    ids = of.given.entity_ids if of.given is not None else {}

    def near(q: Question, wanted: Collection[str]) -> bool | None:
        if not q.anchors:
            return None
        for topic in q.anchors:
            reached = around(topic)
            for answer in wanted:
                at = ids.get(answer)
                if at is None:
                    continue
                if (reached == at).any():
                    return True
                if hops > 1 and len(np.intersect1d(reached, around(answer), assume_unique=True)):
                    return True
        return False

    return near


def _inference(of: AuditedSet, progress: Progress, mines: bool) -> Iterator[Measure]:
    """The figures on inference.

    Args:
        of: The set.
        progress: Called while rules are mined.
        mines: Whether rules are mined where the release has none.
    """
    why = "nothing is removed." if of.has_graph else "the set has no graph."
    missing = None
    if of.incomplete is not None:
        missing = share([bool(q.hard) if q.graded else None for q in of.questions])
    yield measure(
        INFERENCE, "needs_missing", "needs what is missing",
        "Share of all questions that have a hard answer: one which the complete graph gives and the "
        "incomplete one does not state.",
        missing, why,
    )  # fmt: skip
    certified = bool(of.release.removals())
    core = None if missing is None or not certified else share([q.core for q in of.questions])
    yield measure(
        INFERENCE, "core", "in the core",
        "Share of all questions whose hard answer rests on removed triples of the core alone: their ends are "
        "joined by no other edge, and the answer is no common one (docs/release.md).",
        core, why if missing is None else "removed triples have no certificates.",
    )  # fmt: skip
    yield _kept(of, progress, mines, why)


def _kept(of: AuditedSet, progress: Progress, mines: bool, why: str) -> Measure:
    key, title = "derivable", "keeps a derivation"
    definition = (
        "Share of the questions that need what is missing of which a hard answer keeps a derivation: every "
        "removed triple of its witness follows by a rule from the incomplete graph"
    )
    if of.complete is None or of.incomplete is None:
        return measure(INFERENCE, key, title, f"{definition}.", None, why)
    witnessed = [[row.witness for row in q.hard if row.witness] for q in of.questions]
    if not any(witnessed):
        why = "no question says what its answers rest on."
        return measure(INFERENCE, key, title, f"{definition}.", None, why)
    rules: Sequence[Rule] = ()
    if "rules.jsonl" in of.release.manifest["files"]:
        rules = of.release.rules()
    if rules:
        options = of.release.manifest["config"].get("mining", {})
        made = "its rules are those of the release"
    elif mines:
        rules, options = list(mine(of.complete, AS_OURS, progress=progress)), to_json(AS_OURS)
        made = "rules are mined on the complete graph"
    else:
        why = "rules were not mined (--no-mining)."
        return measure(INFERENCE, key, title, f"{definition}.", None, why)
    with_what = ", ".join(f"{name} {options[name]:g}" for name in _NAMED if name in options)
    definition += f"; {made} ({len(rules):,}; {with_what})."
    follows = _derivable(of, of.incomplete, rules, witnessed)
    hits = [any(map(follows, some)) if some else None for some in witnessed]
    return measure(INFERENCE, key, title, definition, share(hits))


def _derivable(
    of: AuditedSet,
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    witnessed: Sequence[Sequence[Sequence[Triple]]],
) -> Callable[[Sequence[Triple]], bool]:
    """Whether every removed triple of a witness follows by a rule from the incomplete graph."""
    stated = set(kg.labeled())
    wanted: dict[str, set[str]] = {}
    for some in witnessed:
        for witness in some:
            for s, r, o in witness:
                if (s, r, o) not in stated:
                    for relation, end in of.declarations.statements(r, "object"):
                        wanted.setdefault(relation, set()).add(s if end == "object" else o)
    ids, walks, derived = kg.entity_ids, Walks(Index(kg), rules), set[Triple]()
    for relation, topics in sorted(wanted.items()):
        known = np.array(sorted(ids[t] for t in topics if t in ids), np.int64)
        for part in walks.derive(OpenEnds(relation, "object", known)):
            starts = known[part.topic].tolist()
            for s, o in zip(starts, part.answer.tolist(), strict=True):
                derived.add((kg.entities[s], relation, kg.entities[o]))

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
    yield measure(
        CONCENTRATION, "top_answer", "commonest answer",
        "Share of the questions with answers that have the answer which most of them have.",
        None if top is None else share([top in q.answers if q.answers else None for q in of.questions]),
        "no question has an answer.",
    )  # fmt: skip
    relations = [
        sorted(q.relations) or sorted({r for _, r, _ in q.full_evidence or q.evidence})
        for q in of.questions
    ]
    figure = AuditedFigure(
        CONCENTRATION, "relations", "effective relations",
        "The exponential of the entropy of the relations asked about (of the evidence, where there is no "
        "query), each question counting once: as many equally frequent relations would be as diverse. "
        f"{len({r for some in relations for r in some}):,} different ones occur.",
        unit="number", why="no question has a query or evidence.",
    )  # fmt: skip
    yield effective(figure, relations, [q.id for q in of.questions])
    for key, title, forms in (
        ("structure", "commonest structure", [q.structure for q in of.questions]),
        ("shape", "commonest shape", [q.shape for q in of.questions]),
        ("hops", "commonest number of hops", [str(q.hops) if q.shape else "" for q in of.questions]),
    ):  # fmt: skip
        yield _commonest(key, title, forms)
    sizes = [len(q.answers) if of.states(q) else None for q in of.questions]
    grouped = Counter(rows_group(size) for size in sizes if size is not None)
    yield measure(
        CONCENTRATION, "answers", "answers of a question", "Mean number of answers of a question.",
        np.array(sizes, np.float64) if of.states_answers else None,
        "the set states no answers, only queries.",
        counts={name: grouped[name] for name in ROW_GROUPS if of.states_answers},
        unit="number",
    )  # fmt: skip


def _commonest(key: str, title: str, forms: Sequence[str]) -> Measure:
    counts = Counter(form for form in forms if form)
    ranked = sorted(counts, key=lambda form: (-counts[form], form))
    shown = {form: counts[form] for form in ranked[:MOST_FORMS]}
    if rest := sum(counts[form] for form in ranked[MOST_FORMS:]):
        shown["other"] = rest
    return measure(
        CONCENTRATION, key, title,
        f"Share of the questions with a query that have the {title}"
        + (f", {ranked[0]}." if ranked else "."),
        share([form == ranked[0] if form else None for form in forms]) if ranked else None,
        "no question has a query.", counts=shown,
    )  # fmt: skip
