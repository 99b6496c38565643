"""The figures and cards of the kinds that a writer asks, against counting by hand."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from statistics import mean
from typing import Any

import pytest

from rulemine.kinds.query_figures import figures_of_queries
from rulemine.kinds.registry import KINDS
from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import write_card
from rulemine.release.contents import ReleaseParts
from tests.written import subgraphs, variants


def manifest(parts: ReleaseParts) -> dict[str, Any]:
    return {
        "name": "world", "naming": "entity", "counts": figures_of(parts), "kg": parts.source,
        "config": parts.config,
    }  # fmt: skip


def card(parts: ReleaseParts) -> str:
    return write_card(parts, manifest(parts))


def test_subgraphs_by_hand() -> None:
    counts = figures_of(subgraphs())
    assert list(counts["statistics"]) == [
        "all",
        "1p",
        "2p",
        "3p",
        "2i",
        "3i",
        "ip",
        "pi",
        "2u",
        "up",
    ]
    assert counts["subgraphs"]["validation"]["questions"] == 0
    assert counts["subgraphs"]["train"] == {
        "questions": 6,
        # citizen_of, spouse, born_in, wrote, in, made_in
        "relations": 6,
        # ann, bob, cat, film1, film3, film4, france, italy, rome
        "entities": 9,
        "shapes": 3,
        "redundant": 1,
        "seeds": 1.0,
        "hops": round((1 + 1 + 1 + 2 + 3 + 3) / 6, 2),
        "answers": 1.0,
        "evidence": round((1 + 1 + 1 + 2 + 3 + 3) / 6, 2),
        "full_evidence": round((1 + 1 + 1 + 2 + 3 + 3) / 6, 2),
    }
    assert counts["subgraphs"]["all"]["questions"] == 12
    # 2i, 3i, ip, pi, 2u, up are test; their classes are id, ugt, urt, both in turns from number 6.
    assert counts["classes"] == {
        "(1)": {"train": 3, "id": 0, "ugt": 0, "urt": 0},
        "(2)": {"train": 1, "id": 0, "ugt": 0, "urt": 0},
        "(1)(1)": {"train": 0, "id": 0, "ugt": 0, "urt": 1},
        "{(1)|(1)}": {"train": 0, "id": 0, "ugt": 0, "urt": 1},
        "(3)": {"train": 2, "id": 0, "ugt": 0, "urt": 0},
        "((1)(1))": {"train": 0, "id": 1, "ugt": 0, "urt": 0},
        "(1)(1)(1)": {"train": 0, "id": 0, "ugt": 1, "urt": 1},
        "(2)(1)": {"train": 0, "id": 0, "ugt": 1, "urt": 0},
        "({(1)|(1)})": {"train": 0, "id": 0, "ugt": 1, "urt": 1},
    }
    assert counts["minimal_shapes"] == {"(3)": {"(1)": 1}}
    asked = subgraphs().questions
    stated = Counter((r, q.split) for q in asked for _, r, _ in q.evidence)
    assert counts["relation_triples"] == {
        relation: {split: stated[relation, split] for split in ("train", "validation", "test")}
        for relation in ("born_in", "citizen_of", "in", "made_in", "spouse", "won", "wrote")
    }
    assert {
        key: {k: n for k, n in row.items() if n} for key, row in counts["histograms"].items()
    } == {
        "seeds": {"1": 6, "2": 5, "3": 1},
        "hops": Counter(str(q.hops) for q in asked),
        "answers": Counter(str(len(q.answers)) for q in asked),
        "evidence": Counter(str(len(q.evidence)) for q in asked),
        # the bins from 6 on are of several numbers: 7 to 8, 9 to 10
        "full_evidence": Counter({9: "10"}.get(n := len(q.full_evidence), str(n)) for q in asked),
    }
    assert counts["more_evidence"] == 5  # those with several answers: 2i, ip, pi, 2u, up
    assert own_figures("subgraphs") == [
        "subgraphs", "classes", "relation_triples", "histograms", "more_evidence", "minimal_shapes",
    ]  # fmt: skip
    json.dumps(counts)


def own_figures(kind: str) -> list[str]:
    """What a kind alone counts: what the tests here have to look at."""
    shared = {figure.key for figure in figures_of_queries()}
    return [figure.key for figure in KINDS[kind].page.figures if figure.key not in shared]


def test_variants_by_hand() -> None:
    counts = figures_of(variants())
    rows = counts["variants"]
    assert [rows[part]["questions"] for part in rows] == [12, 4, 2, 6]
    test = [q for q in variants().questions if q.split == "test"]
    assert rows["test"] == {
        "questions": 6,
        "seed_texts": 3,
        "unique": 1,
        "redundant": 0,
        "subgraph": round(mean(len(q.full_evidence) for q in test), 2),
        "facts": round(mean(len({*q.evidence}) for q in test), 2),
        "seeds": round(mean(len(q.anchors) for q in test), 2),
        "hops": 1.5,
        "answers": round(mean(len(q.answers) for q in test), 2),
    }
    assert rows["all"]["seed_texts"] == 6
    assert counts["topics"] == {
        "people": {"train": 3, "validation": 1, "test": 4},
        "places": {"train": 1, "validation": 1, "test": 2},
    }
    assert (counts["judged"], counts["judges"]) == (0, {})
    judged = figures_of(variants(judged=True))
    assert (judged["judged"], judged["judges"]) == (12, {"judge": 36})
    assert own_figures("variants") == ["variants", "topics", "judged", "judges"]


def test_the_card_of_subgraphs_has_the_papers_statistics() -> None:
    text = card(subgraphs())
    assert (
        "12 questions of 9 shapes, each written for a subgraph of a knowledge graph of 39" in text
    )
    for row in (
        "|  | train | test | all |",
        "| questions | 6 | 6 | 12 |",
        "| topic entities | 1: 6 · 2: 5 · 3: 1 |",
        "| shape | train | id | ugt | urt |",
        "| (3) | 2 | 0 | 0 | 0 |",
        "| `citizen_of` | 2 | 0 | 6 |",
        "| rejected: it is odd | 20 | 50.0 % |",
        "| 2p | 1 | 1 / 0 / 0 |",
    ):
        assert row in text
    assert "20 questions were wanted; 15 of 40 candidates were accepted." in text
    assert "Split: training has 2 relations." in text
    assert (
        "was shown the evidence of 7 test questions; 1 that it did not answer rightly twice" in text
    )
    assert "2 replies could not be read, even when asked once more." in text
    assert "`other` was asked for one of each of 12 questions, and `judge` whether" in text
    assert "10 were accepted, the others dropped: paraphrase: audit_failed (2)." in text
    assert "9 candidates went back to the writer once with what was wrong; 4 of them" in text
    assert "whose answers it changes on no graph: LIMIT (3)." in text
    assert "3 of the accepted questions are about a subgraph grown" in text
    alone = subgraphs()
    alone.sampling_counts["subgraphs"].pop("final_filter")
    assert "No model was shown the evidence of test questions" in card(alone)
    assert "`block` (the writer's answer" in text


def test_the_card_of_variants_has_the_papers_statistics() -> None:
    text = card(variants())
    assert "12 questions from 6 seed texts, each written for what joins" in text
    for row in (
        "|  | train | validation | test | all |",
        "| seed texts | 2 | 1 | 3 | 6 |",
        "| topic | train | validation | test |",
        "| people | 3 | 1 | 4 |",
        "| accepted | 14 | 77.8 % |",
        "| of them not needed: enough questions are accepted | 2 | 11.1 % |",
        "| rejected: it is odd | 4 | 22.2 % |",
    ):
        assert row in text
    assert "14 of 18 candidates were accepted, 2 of them not needed." in text
    assert "- No model judged the questions." in text
    assert "- Seed texts that were asked about: 6; left out: no seed (3)." in text
    judged = card(variants(judged=True))
    assert "They accepted 12 of 18 questions, each unanimously; 1 vote could not be read." in judged
    assert "Three samples of one model are no independent judges." in judged
    assert "| `redundancy` | 54 | 94.4 % | 90.0 % | 0.50 (0.25 … 0.75) |" in judged
    assert "| `answer_support` | 54 | 94.4 % | 90.0 % | – |\n\n- 20 questions were wanted" in judged
    other = variants()
    other.config["variants"] |= {"run": 2}
    assert "A fresh variant, run 2" in card(other)


@pytest.mark.parametrize("made", [subgraphs, variants])
def test_cards_of_nothing_are_whole_and_no_figure_depends_on_the_order(
    made: Callable[[], ReleaseParts],
) -> None:
    parts = made()
    counts = figures_of(parts)
    turned = replace(parts, questions=parts.questions[::-1])
    assert json.dumps(figures_of(turned)) == json.dumps(counts)
    empty = replace(parts, questions=(), removals=(), rules=(), sampling_counts={})
    assert figures_of(empty).keys() == counts.keys()
    assert "# world:" in card(empty)
