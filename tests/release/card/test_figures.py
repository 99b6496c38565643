"""The figures of a release, against counting by hand on a small graph and by brute force on random ones."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.relation_overlap import undeclared_relations
from rulemine.kinds import query_figures
from rulemine.kinds.query_figures import figures_of_queries
from rulemine.kinds.registry import KINDS
from rulemine.kinds.subgraphs import page as subgraphs
from rulemine.kinds.variants import page as variants
from rulemine.release.card.bins import LIFTS, PRIORS, PROOFS, bin_label
from rulemine.release.card.figure import Figure
from rulemine.release.card.figures import FIGURES, figures_of
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Rejection
from rulemine.seeds import stream
from tests import ROOT
from tests.questions import question
from tests.release.by_hand import (
    FAMILY,
    QUESTIONS,
    REMOVALS,
    RULES,
    SPOUSE,
    parts_of,
    removal,
    rule,
)


def used(value: Any) -> Any:
    """A distribution without what does not occur."""
    return {k: n for k, n in value.items() if n != 0} if isinstance(value, dict) else value


def test_every_figure_of_a_release_by_hand() -> None:
    declared = Declarations.of(symmetric=["spouse"])
    figures = figures_of(parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, declared))
    types = {"inversion": 1, "hierarchy": 1, "composition": 1}
    alike = {"relation": 0.6667, "direction": 0.6667, "rule_type": 0.6667}
    nothing = {"rule": 0, "relation": 0, "answer": 0}
    expected = {
        "triples_complete": 11,
        "triples_incomplete": 7,
        # of spouse and lives_with: each answer is that of half of the topic entities
        "triples_askable": 4,
        "triples_removed": 4,
        "removed_core": 1,
        "removed_not_asked": 0,  # the other statement of a fact that is asked about is no omission
        "removed_further_statements": 1,
        "removed_by_level": {"50": 1, "100": 4},
        "selected_by_another": 1,
        "selection": {"rules_mined": 9, "upper_bound": 7, "core_upper_bound": 5},
        "entities": 6,
        "relations": 7,
        "relations_dropped": 0,
        "relations_declared": 1,
        "relations_undeclared": [],
        "triples_reference": 0,
        "core_joined_by_reference": 0,
        "rules": 3,
        "rules_by_type": types,
        "rules_with_certificate": 3,
        "rules_with_question": 3,
        "certificates": 4,
        "questions": 3,
        "core": 1,
        "questions_by_split": {"train": 2, "test": 1},
        "core_by_split": {"test": 1},
        "questions_by_type": types,
        "core_by_type": {"composition": 1},
        "questions_by_subtype": {},
        "core_by_subtype": {},
        "questions_by_body_atoms": {"1": 2, "2": 1},
        "core_by_body_atoms": {"2": 1},
        "questions_by_shortest_proof": {"1": 2, "2": 1},
        "core_by_shortest_proof": {"2": 1},
        "questions_by_proofs": {"1": 1, "5": 2},
        "core_by_proofs": {"5": 1},
        "questions_by_confidence": {"0.3": 1, "0.7": 1, "1.0": 1},
        "core_by_confidence": {"0.7": 1},
        "questions_by_prior": {"0.05": 1, "1": 2},
        "core_by_prior": {"0.05": 1},
        "questions_by_lift": {"0": 1, "1": 1, "10": 1},  # 0.3 / 0.5, 1 / 1, 0.75 / 0.04
        "core_by_lift": {"10": 1},
        "answers": 4,
        "answers_stated": 1,
        "answers_hard": 3,
        "answers_core": 1,
        "answers_further": 0,
        "answers_completed": 0,
        "questions_completed": 0,
        "some_answer_stated": 1,
        "several_hard_answers": 0,
        "inverse_edge_left": 1,
        "parallel_edge_left": 0,
        # spouse and lives_with both ways and turned round, each with itself; wife with husband
        "overlapping_relations": 8,
        "restating_edge_left": 1,
        "guessed": {},
        "core_guessed": {},
        "top_answer": 1,
        "top_relation": 1,
        "relations_asked": 3,
        "effective_relations": 3.0,
        "core_top_answer": 1,
        "core_top_relation": 1,
        "core_relations_asked": 1,
        "core_effective_relations": 1.0,
        "splits": {
            "train": {
                "relations": 2, "rules": 2, "given_away": 0, "unseen": nothing, "overlap": None,
                "distances": dict.fromkeys((*alike, "core"), 0.3333), "from_train": {},
                # one of three pairs of questions is without the one of the core: 1/3 · 1/3 + 2/3 · 1/6
                "at_random": {**dict.fromkeys(alike, 0.3333), "core": 0.2222},
            },
            "validation": None,
            "test": {
                "relations": 1, "rules": 1, "given_away": 0, "unseen": nothing,
                "overlap": {"topic": 1.0, "answer": 0.0, "pair": 0.0, "relation": 0.0, "rule": 0.0},
                "distances": {**alike, "core": 0.6667},
                "from_train": dict.fromkeys((*alike, "core"), 1.0),
                "at_random": {**alike, "core": 0.4444},
            },
        },
        "questions_by_wording": {"template": 3},
        "distinct_texts": 3,
        "phrases_written": 0,
        "phrases_derived": 7,
        "paraphrases": 0,
        "rejected": {},
        "model_calls": {},
        "model_tokens": {},
        "audits": {},
    }  # fmt: skip
    assert {key: used(value) for key, value in figures.items()} == expected
    assert list(figures["questions_by_proofs"]) == ["1", "2", "5", "10", "100", "more"]
    json.dumps(figures)


def test_answers_that_only_another_statement_gives() -> None:
    graph = [t for t in FAMILY if t != ("al", "spouse", "ann")]
    declared = Declarations.of(symmetric=["spouse"])
    # who is al the spouse of? ann, because ann is stated to be the spouse of al
    q = question(0, ("al", "spouse", "ann"), rule=SPOUSE.id, split="test")
    row = removal(("ann", "spouse", "al"), SPOUSE, (("ann", "lives_with", "al"),), (0.5, 0.5))
    q = replace(q, removed=(row.triple,))
    figures = figures_of(parts_of(graph, [row], RULES, [q], declared))
    assert (figures["answers_completed"], figures["questions_completed"]) == (1, 1)


def test_what_is_removed_and_not_asked_about_is_counted() -> None:
    figures = figures_of(parts_of(FAMILY, REMOVALS, RULES, QUESTIONS[:1]))
    assert figures["removed_not_asked"] == 3
    assert figures["removed_further_statements"] == 0  # nothing is declared
    declared = Declarations.of(symmetric=["spouse"])
    figures = figures_of(parts_of(FAMILY, REMOVALS, RULES, QUESTIONS[:1], declared))
    assert (figures["removed_not_asked"], figures["removed_further_statements"]) == (3, 1)


def test_an_empty_release_has_every_figure() -> None:
    empty, whole = (
        figures_of(parts_of(FAMILY, removals, RULES, questions))
        for removals, questions in (([], []), (REMOVALS, QUESTIONS))
    )
    assert list(empty) == list(whole)
    for key, value in whole.items():
        if isinstance(value, dict) and key != "selection":
            assert list(empty[key]) == list(value)
    assert empty["questions"] == empty["core"] == empty["top_answer"] == 0
    assert empty["effective_relations"] == 0.0


@pytest.mark.parametrize("naming", ["private", "text"])
def test_no_figure_depends_on_the_naming_or_the_order(naming: str) -> None:
    parts, _ = random_parts(3)
    figures = figures_of(parts)
    assert figures_of(parts.renamed(naming)) == figures
    turned = replace(parts, questions=parts.questions[::-1], removals=parts.removals[::-1])
    assert figures_of(turned) == figures


def random_parts(seed: int) -> tuple[ReleaseParts, Declarations]:
    """Random questions and removals over a random graph; nothing in them proves anything."""
    draw = stream(seed, "figures")
    entities, relations = [f"n{i}" for i in range(12)], [f"r{i}" for i in range(4)]
    triples = sorted(
        {
            (entities[draw.below(12)], relations[draw.below(4)], entities[draw.below(12)])
            for _ in range(120)
        }
    )
    rules = [
        rule("r0(x,y) ⇒ r1(x,y)", 3, 7),
        rule("r0(x,z) ∧ r1(z,y) ⇒ r2(x,y)", 9, 10),
        rule("r0(x,z) ∧ r1(z,w) ∧ r1(w,y) ⇒ r3(x,y)", 2, 2),
    ]
    removals, questions = [], []
    for i, triple in enumerate(triples[:60]):
        by = rules[draw.below(3)]
        prior = ((1 + draw.below(100)) / 100, (1 + draw.below(100)) / 1000)
        body = tuple(triples[60 + draw.below(20)] for _ in by.body)
        row = removal(triple, by, body, prior, core=draw.below(2) == 0, level=50 * (1 + i % 2))
        proofs = replace(row.difficulty, proofs=1 + draw.below(150))
        row = replace(row, difficulty=proofs)
        removals.append(row)
        if draw.below(4):
            direction = ("subject", "object")[draw.below(2)]
            split = ("train", "test", "validation", "train")[draw.below(4)]
            q = question(i, triple, direction, core=row.core, rule=by.id, split=split)
            questions.append(q)
    declared = Declarations.of(symmetric=["r0"], inverse=[("r1", "r2")])
    return parts_of(triples, removals, rules, questions, declared), declared


@pytest.mark.parametrize("seed", range(5))
def test_random_releases_against_brute_force(seed: int) -> None:
    parts, declared = random_parts(seed)
    figures = figures_of(parts)
    rules = {r.id: r for r in parts.rules}
    rows = {r.triple: r for r in parts.removals}

    def facts(triple: Triple) -> frozenset[Triple]:
        s, r, o = triple
        statements = declared.statements(r, "object")
        return frozenset(
            (s, other, o) if end == "object" else (o, other, s) for other, end in statements
        )

    asked = {facts(q.removed[0]) for q in parts.questions}
    assert figures["removed_not_asked"] == sum(facts(t) not in asked for t in rows)
    assert figures["removed_further_statements"] == len(rows) - len({facts(t) for t in rows})
    for name, some in (
        ("questions", parts.questions),
        ("core", [q for q in parts.questions if q.core]),
    ):
        priors = [getattr(rows[q.removed[0]].difficulty.prior, q.block.direction) for q in some]
        lifts = [getattr(rows[q.removed[0]].difficulty.lift, q.block.direction) for q in some]
        below = 0
        for bound in PRIORS:
            below += figures[f"{name}_by_prior"][f"{bound:g}"]
            assert below == sum(p <= bound for p in priors)
        above = len(some)
        for bound, count in zip(LIFTS, figures[f"{name}_by_lift"].values(), strict=True):
            assert above == sum(lift >= bound for lift in lifts)
            above -= count
        proofs = [rows[q.removed[0]].difficulty.proofs for q in some]
        within = sum(figures[f"{name}_by_proofs"][str(n)] for n in PROOFS[:3])
        assert within == sum(n <= PROOFS[2] for n in proofs)
        by_tenth = Counter(int(10 * rules[q.rules[0]].known.std_confidence + 1e-9) for q in some)
        assert list(figures[f"{name}_by_confidence"].values()) == [by_tenth[n] for n in range(11)]
        prefix = "" if name == "questions" else "core_"
        answers = Counter(q.hard_answer for q in some)
        assert figures[f"{prefix}top_answer"] == max(answers.values())
        shares = [n / len(some) for n in Counter(q.relations[0] for q in some).values()]
        effective = 1 / sum(p * p for p in shares)
        assert figures[f"{prefix}effective_relations"] == pytest.approx(effective, abs=0.006)
    training = [q for q in parts.questions if q.split == "train"]
    hits = 0
    for q in parts.questions:
        same = declared.asked(q.relations[0], q.block.direction)
        votes = Counter(
            a
            for t in training
            if declared.asked(t.relations[0], t.block.direction) == same
            for a in t.answers
        )
        better = sum(n >= votes[str(q.hard_answer)] for n in votes.values())
        sure, never = better <= 5, sum(n > votes[str(q.hard_answer)] for n in votes.values()) >= 5
        if q.split == "test" and (sure or never):
            hits += sure and votes[str(q.hard_answer)] > 0
        elif q.split == "test":
            return  # a tie: which of them are guessed is tested elsewhere
    assert figures["guessed"]["5"] == hits


def test_rejections_are_counted_by_reason() -> None:
    rows = [
        Rejection("balance", why, "", ("a", "r", "b"), "object", "r", "") for why in ("x", "y", "x")
    ]
    figures = figures_of(parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, rejections=tuple(rows)))
    assert figures["rejected"] == {"balance: x": 2, "balance: y": 1}


def test_relations_that_look_symmetric_or_the_same_are_reported_unless_declared() -> None:
    pairs = [(f"a{i}", f"b{i}") for i in range(12)]
    graph = [(a, "wife", b) for a, b in pairs] + [(b, "husband", a) for a, b in pairs]
    graph += [(a, "met", b) for a, b in pairs] + [(b, "met", a) for a, b in pairs[:11]]
    graph += [("a0", "rare", "b0"), ("b0", "rare", "a0")]
    graph += [(a, "self", a) for a, _ in pairs]  # a loop is its own reverse, which says nothing
    kg = KnowledgeGraph.from_triples(graph)
    found = undeclared_relations(kg, Declarations())
    assert [tuple(row) for row in found] == [
        ("husband", "wife", "inverse", 1.0),
        ("met", "met", "symmetric", 0.957),
    ]
    declared = Declarations.of(symmetric=["met"], inverse=[("wife", "husband")])
    assert undeclared_relations(kg, declared) == ()
    kg = KnowledgeGraph.from_triples(
        [*graph, *((s, "meets", o) for s, r, o in graph if r == "met")]
    )
    looks = [tuple(row)[:3] for row in undeclared_relations(kg, declared)]
    assert ("meets", "met", "same") in looks
    assert ("meets", "met", "inverse") not in looks
    assert ("meets", "meets", "symmetric") in looks


def documented() -> dict[str, Sequence[Figure]]:
    """The text before each table of ``docs/figures.md`` → the figures in it."""
    common = tuple(figures_of_queries())
    shared = {figure.key for figure in common}
    own = {k: [f for f in KINDS[k].page.figures if f.key not in shared] for k in KINDS.own}
    return {
        "## Counts": FIGURES,
        "## Of the kind `rules` alone": own["rules"],
        "## Of every kind but `rules`": common,
        "A row of `statistics`:": query_figures.STATISTICS,
        "## Of the kind `subgraphs` alone": own["subgraphs"],
        "A row of `subgraphs`:": subgraphs.STATISTICS,
        "## Of the kind `variants` alone": own["variants"],
        "A row of `variants`:": variants.STATISTICS,
        "## Of the kind `cypher` alone": own["cypher"],
    }


def table_of(figures: Sequence[Figure]) -> str:
    """The table of some figures: those with the same words in one row."""
    keys: dict[str, list[str]] = {}
    for figure in figures:
        keys.setdefault(figure.words, []).append(f"`{figure.key}`")
    rows = [f"| {', '.join(found)} | {words} |" for words, found in keys.items()]
    return "\n".join(["| key | what it counts |", "|---|---|", *rows, ""])


def test_the_documentation_has_every_figure_and_no_other() -> None:
    text = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    for before, figures in documented().items():
        found = text[text.index(f"\n{before}\n") :]
        assert (
            found[found.index("\n| key") + 1 :].split("\n\n")[0].strip()
            == table_of(figures).strip()
        )
    assert text[text.index("## Counts") :].count("| key | what it counts |") == len(documented())


def test_bins_are_called_by_the_values_in_them() -> None:
    figures = figures_of(parts_of(FAMILY, [], RULES, []))

    def labels(key: str) -> list[str]:
        return [bin_label(key, name) for name in figures[f"questions_by_{key}"]]

    assert labels("proofs") == ["1", "2", "3–5", "6–10", "11–100", "> 100"]
    assert labels("lift")[:3] + labels("lift")[-1:] == ["< 1", "1–2", "2–4", "≥ 1000"]
    assert labels("prior")[:2] + labels("prior")[-1:] == ["≤ 0.001", "0.001–0.01", "0.2–1"]
    assert labels("confidence")[-2:] == ["0.9–1.0", "1"]
    assert labels("split") == ["train", "validation", "test"]


def test_the_reference_may_join_the_ends_of_the_core() -> None:
    removals = [replace(row, core=True) for row in REMOVALS]
    (s, _, o), *_ = (row.triple for row in removals)
    parts = parts_of(FAMILY, removals, RULES, QUESTIONS, reference=((o, "met", s),))
    assert figures_of(parts)["core_joined_by_reference"] == 1
    assert figures_of(parts_of(FAMILY, removals, RULES, QUESTIONS))["core_joined_by_reference"] == 0
