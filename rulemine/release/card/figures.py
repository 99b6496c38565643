"""The figures of a release: the counts of its manifest, from which the card is made.

Every figure is declared once, and counted from the parts that are written. Those of one kind of question are
the kind's.

Guarantees: the keys are always the same for a kind; no figure depends on the order of records, nor, but for
the lengths of texts, on the naming.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.priors import CORE_PRIOR, blocks_of_priors
from rulemine.kg.relation_overlap import (
    RelationOverlap,
    overlapping_relations,
    undeclared_relations,
)
from rulemine.kinds.registry import kind_named
from rulemine.release.card.bins import by
from rulemine.release.card.figure import Figure, counted_by, pair, shared
from rulemine.release.card.kind_page import NOTHING, KindPage
from rulemine.release.contents import MODEL_COUNTS, ReleaseParts
from rulemine.release.guessing import Ends, commonest_answers, guessed, order_of_names
from rulemine.release.leakage import RemovedFacts
from rulemine.release.overlap import compare_splits
from rulemine.release.records import (
    SPLITS,
    WORDINGS,
    Certificate,
    Difficulty,
    Question,
)
from rulemine.rules.taxonomy import RULE_TYPES, classify

__all__ = ["FIGURES", "GUESSES", "figures_of"]

GUESSES = (1, 5)
"""Numbers of guesses."""


def figures_of(parts: ReleaseParts) -> dict[str, Any]:
    """All figures of a release; JSON values only, None what its kind says is not known.

    Those of a kind that is not installed stay as they are.
    """
    if parts.counts:
        return dict(parts.counts)
    page: KindPage = kind_named(parts.kind).page or NOTHING
    own, unknown = page.figures, page.unknown(parts)
    found: dict[str, Any] = {}
    for figure in FIGURES:
        found[figure.key] = None if figure.key in unknown else figure.of(parts)
        found |= counted_by((one for one in own if one.after == figure.key), parts)
    return found


def _askable(parts: ReleaseParts) -> int:
    most = parts.config["selection"].get("max_prior", CORE_PRIOR)
    found = blocks_of_priors(parts.complete, parts.templates.declarations)
    return sum(int((some.min(axis=1) <= most).sum()) for _, some in found)


def _not_asked(parts: ReleaseParts) -> int:
    declared = parts.templates.declarations
    rows = (row for q in parts.questions for row in q.hard)
    asked = {_fact(triple, declared) for row in rows for triple in row.witness}
    return sum(_fact(r.triple, declared) not in asked for r in parts.missing)


def _further_statements(parts: ReleaseParts) -> int:
    declared = parts.templates.declarations
    return len(parts.removals) - len({_fact(r.triple, declared) for r in parts.removals})


def _fact(triple: Triple, declared: Declarations) -> Triple:
    """One of the statements of a triple's fact, the same for all of them."""
    s, r, o = triple
    fact, turned, symmetric = declared[r]
    if turned or (symmetric and o < s):
        s, o = o, s
    return s, fact, o


def _dropped(parts: ReleaseParts) -> Mapping[str, str]:
    dropped: Mapping[str, str] = parts.source.get("dropped", {})
    return dropped


def _undeclared(parts: ReleaseParts) -> list[dict[str, Any]]:
    found = undeclared_relations(parts.complete, parts.templates.declarations)
    return [
        row._asdict() for row in found if not {row.relation, row.other} & _dropped(parts).keys()
    ]


def _joined_by_reference(parts: ReleaseParts) -> int:
    pairs = {frozenset((s, o)) for s, _, o in parts.reference}
    return sum(frozenset(r.triple[::2]) in pairs for r in parts.removals if r.core)


def _proofs(parts: ReleaseParts) -> list[Certificate]:
    return [p for r in parts.removals for p in (r.certificate, *r.further_certificates)]


@shared
def _asked(parts: ReleaseParts) -> list[list[tuple[str, Difficulty]]]:
    """For each question, the relation and difficulty of each of the removed triples it asks about."""
    removals = {removal.triple: removal.difficulty for removal in parts.removals}
    return [[(t[1], removals[t]) for t in q.removed] for q in parts.questions]


def _left(parts: ReleaseParts, is_left: Callable[[str, Difficulty], bool]) -> int:
    """The questions with such an edge between the two ends of a removed triple that is asked about."""
    return sum(any(is_left(r, found) for r, found in row) for row in _asked(parts))


@shared
def _overlapping(parts: ReleaseParts) -> Sequence[RelationOverlap]:
    return overlapping_relations(parts.complete)


def _restating(parts: ReleaseParts) -> int:
    states = {(t.relation, t.other, t.reversed) for t in _overlapping(parts)}

    def is_left(relation: str, found: Difficulty) -> bool:
        ways = ((True, found.inverse_edge), (False, found.parallel_edge))
        return any((relation, other, turned) in states for turned, way in ways for other in way)

    return _left(parts, is_left)


@shared
def _guesses(parts: ReleaseParts) -> Mapping[Ends, Sequence[str]]:
    training = [q for q in parts.questions if q.split == "train"]
    answers = {answer for q in training for answer in q.answers}
    order = order_of_names(parts.names, parts.naming, answers)
    return commonest_answers(training, parts.templates.declarations, order)


def _guessed(parts: ReleaseParts, some: Sequence[Question]) -> dict[str, int]:
    """How many test questions the commonest training answers get right."""
    test, declared = [q for q in some if q.split == "test"], parts.templates.declarations
    return {str(k): guessed(test, _guesses(parts), k, declared) for k in GUESSES}


def _relations(questions: Sequence[Question]) -> Counter[str]:
    return Counter(relation for q in questions for relation in q.relations)


def _most(sizes: Counter[str]) -> int:
    return max(sizes.values(), default=0)


def _effective(sizes: Counter[str]) -> float:
    squares = sum(n * n for n in sizes.values())
    return round(sizes.total() ** 2 / squares, 2) if squares else 0.0


def _splits(parts: ReleaseParts) -> dict[str, Any]:
    """How far each split is from the whole, and what it shares with train; None for an empty one."""
    found: dict[str, Any] = dict.fromkeys(SPLITS)
    facts = RemovedFacts(row.triple for row in parts.missing)
    for row in compare_splits(parts.questions, facts):
        found[row.split] = {
            "relations": row.relations,
            "rules": row.rules,
            "given_away": row.given_away,
            "unseen": {
                "rule": row.unseen_rule, "relation": row.unseen_relation, "answer": row.unseen_answer,
            },
            "overlap": row.overlap and _rounded(asdict(row.overlap)),
            "distances": _rounded(row.distances),
            "from_train": _rounded(row.from_train),
            "at_random": _rounded(row.at_random),
        }  # fmt: skip
    return found


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in row.items()}


def _rejected(parts: ReleaseParts) -> dict[str, int]:
    return dict(sorted(Counter(f"{r.stage}: {r.reason}" for r in parts.rejections).items()))


def _of_model(key: str) -> Figure:
    words = "what a language model was asked, and what came of it"
    return Figure(key, words, lambda p: p.model_counts.get(key, {}))


_SPREAD = (
    pair("top_answer", "core_top_answer", "questions with the most frequent hard answer",
         lambda _, some: _most(Counter(q.hard_answer for q in some if q.hard_answer is not None))),
    pair("top_relation", "core_top_relation", "questions with the most frequent relation",
         lambda _, some: _most(_relations(some))),
    pair("relations_asked", "core_relations_asked", "relations asked about",
         lambda _, some: len(_relations(some))),
    pair("effective_relations", "core_effective_relations",
         "1/Σp² over the fractions p of the relations among all that the questions name, rounded to two "
         "decimals; 0 without questions", lambda _, some: _effective(_relations(some))),
)  # fmt: skip
"""How concentrated hard answers and relations are: of all questions, and of those of the core."""

FIGURES: tuple[Figure, ...] = (
    Figure("triples_complete", "triples before the removal", lambda p: len(p.complete)),
    Figure("triples_incomplete", "triples after it", lambda p: len(p.complete) - len(p.missing)),
    Figure("triples_askable", "triples of the complete graph with a prior of at most `selection.max_prior` "
           "(0.07 where there is no such option) in at least one direction", _askable),
    Figure("triples_removed", "removed triples", lambda p: len(p.missing)),
    Figure("removed_core", "removed triples of the core", lambda p: sum(r.core for r in p.removals)),
    Figure("removed_not_asked", "removed triples of whose fact no statement is behind a hard answer of a "
           "question", _not_asked),
    Figure("removed_further_statements", "removed triples less the facts that they state: further "
           "statements of removed facts", _further_statements),
    Figure("removed_by_level", "level → removed triples with that level or a lower one",
           lambda p: {str(level): sum(r.level <= level for r in p.missing) for level in p.levels}),
    Figure("selected_by_another", "removed triples that another rule than that of the published proof "
           "selected", lambda p: sum(r.selected_by is not None for r in p.removals)),
    Figure("selection", "what the selection chose from, see below", lambda p: p.selection_counts),
    Figure("entities", "entities, with those of the reference graph", lambda p: len(p.names)),
    Figure("relations", "relations", lambda p: len(p.templates.rows)),
    Figure("relations_dropped", "relations that are not asked about", lambda p: len(_dropped(p))),
    Figure("relations_declared", "relations that are declared symmetric, inverse or the same as another",
           lambda p: sum(row.relation in p.templates.declarations.readings for row in p.templates.rows)),
    Figure("relations_undeclared", "those asked about that look so by statistics and are not declared: "
           "`relation`, `other`, `looks` (`symmetric`, `inverse`, `same`), `share` (each states at least "
           "this fraction of the other's triples; at least 80 %, 10 triples, self-loops aside)", _undeclared),
    Figure("triples_reference", "triples of the reference graph, or implied by definition, that give an "
           "answer and are not in the complete graph", lambda p: len(p.reference)),
    Figure("core_joined_by_reference", "removed triples of the core whose two ends one of them joins",
           _joined_by_reference),
    Figure("rules", "rules of the release", lambda p: len(p.rules)),
    Figure("rules_by_type", "type → rules", lambda p: by(RULE_TYPES, (classify(r).type for r in p.rules))),
    Figure("rules_with_certificate", "rules of published proofs",
           lambda p: len({proof.rule for proof in _proofs(p)})),
    Figure("rules_with_question", "rules of the proofs of questions",
           lambda p: len({rule for q in p.questions for rule in q.rules})),
    Figure("certificates", "published proofs", lambda p: len(_proofs(p))),
    *pair("questions", "core", "questions; those of the core", lambda _, some: len(some)),
    *pair("questions_by_split", "core_by_split", "split → questions",
          lambda _, some: by(SPLITS, (q.split for q in some))),
    Figure("answers", "answers of all questions", lambda p: sum(len(q.answers) for q in p.questions)),
    Figure("answers_stated", "its three parts", lambda p: sum(len(q.stated) for q in p.questions)),
    Figure("answers_hard", "its three parts", lambda p: sum(len(q.hard) for q in p.questions)),
    Figure("answers_core", "hard answers of the core",
           lambda p: sum(row.core for q in p.questions for row in q.hard)),
    Figure("answers_further", "its three parts", lambda p: sum(len(q.further) for q in p.questions)),
    Figure("some_answer_stated", "questions with a stated answer",
           lambda p: sum(bool(q.stated) for q in p.questions)),
    Figure("several_hard_answers", "questions with more than one hard answer",
           lambda p: sum(len(q.hard) > 1 for q in p.questions)),
    Figure("inverse_edge_left", "questions with an inverse edge left at a removed triple that `hard_answer` "
           "needs", lambda p: _left(p, lambda _, d: bool(d.inverse_edge))),
    Figure("parallel_edge_left", "questions with a parallel edge left there",
           lambda p: _left(p, lambda _, d: bool(d.parallel_edge))),
    Figure("overlapping_relations", "ordered pairs of relations, or one and itself, of which the second "
           "states at least 80 % of the triples of the first, in the same direction or turned round; both "
           "count as two",
           lambda p: len(_overlapping(p))),
    Figure("restating_edge_left", "questions where such an edge of such a triple is left", _restating),
    *pair("guessed", "core_guessed", "number of guesses → test questions whose hard answer is among that "
          "many of the commonest answers of the training questions whose last links, at the answer, are the "
          "same relations and directions", _guessed),
    *(of_all for of_all, _ in _SPREAD),
    *(of_core for _, of_core in _SPREAD),
    Figure("splits", "split → what it shares with train and how far it is from the whole, see below; null "
           "for an empty split", _splits),
    Figure("questions_by_wording", "wording → questions",
           lambda p: by(WORDINGS, (q.wording for q in p.questions))),
    Figure("distinct_texts", "different texts", lambda p: len({q.question for q in p.questions})),
    Figure("phrases_written", "relations whose templates are written by hand", lambda p: p.templates.written),
    Figure("phrases_derived", "relations whose templates are derived from their names",
           lambda p: p.templates.derived),
    Figure("paraphrases", "further texts", lambda p: sum(len(q.paraphrases) for q in p.questions)),
    Figure("rejected", "stage and reason → rejections", _rejected),
    *map(_of_model, MODEL_COUNTS),
)  # fmt: skip
"""The figures of every release, in the order of its counts."""
