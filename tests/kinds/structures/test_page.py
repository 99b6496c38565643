"""What the card of a release of the kind ``structures`` says."""

from typing import Any

from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import write_card
from tests.structures import CONFIG, SOURCE, structure_question, world

POINTS = {"contrived": {"drawn": 1.5, "asked": 0.25}}
SAMPLING = {
    "2p": {
        "wanted": 10, "questions": 1, "drawn": 120, **POINTS,
        "rejected": {"it is odd": 12, "it led nowhere": 30},
    },
    "3p": {"wanted": 9, "questions": 9, "drawn": 11, "rejected": {"it is odd": 2}, **POINTS},
    "up": {"wanted": 1, "questions": 1, "drawn": 1, "rejected": {}, **POINTS},
}  # fmt: skip


def card(options: dict[str, Any] | None = None, **changes: Any) -> str:
    config = CONFIG | {"structures": CONFIG["structures"] | (options or {})}
    parts = world(config=config, **changes)
    manifest = {
        "name": "world",
        "naming": "entity",
        "counts": figures_of(parts),
        "kg": parts.source,
        "config": config,
    }
    return write_card(parts, manifest)


def test_the_card_shows_structures_missing_links_and_the_papers_statistics() -> None:
    text = card(sampling_counts=SAMPLING)
    assert "candidates → of questions: 2p 1.50 → 0.25, 3p 1.50 → 0.25, up 1.50 → 0.25." in text
    assert "12 questions of 9 logical structures on a knowledge graph of 39 triples" in text
    assert "**7 of 10 questions with a hard answer are in the core.** That is little" in text
    for row in (
        "| structure | questions | train / validation / test | 0 | 1 | 2 | 3 | full inference | core |",
        "| 1p | 3 | 2 / 1 / 0 | 1 | 2 | 0 | 0 | 2 | 1 |",
        "| all | 12 | 4 / 2 / 6 | 2 | 8 | 1 | 1 | 5 | 7 |",
        " | 4.00 | 2.00 | 10.00 | 11 | 2 | 100.0 % |",
        "| composition | 2 | 9 |",
        "| missing links | 0.25 (0.27) |",
        "| 1p | 5 | 5 | 8 | 8 | 8 | 33.3 % | 33.3 % | 33.3 % |",
    ):
        assert row in text
    refused = "Of 120 draws, most were refused because it led nowhere (30); it is odd (12)."
    assert f"- 2p: 1 of 10 wanted. {refused}\n" in text
    assert "- 3p: 2 of 9 wanted. 7 got no text that passed the checks.\n" in text
    assert "- up:" not in text
    none = {"up": {"wanted": 2, "questions": 1, "drawn": 1, "rejected": {}, **POINTS}}
    assert "- up: 1 of 2 wanted.\n" in card(sampling_counts=none)
    assert (
        f"- 3p `q00005` {world().questions[5].question} — hard answer: italy (3 links missing)"
        in text
    )
    assert "In 16.7 % of the questions every answer is stated." in text
    assert "Types: the graph states them by a relation such as `rdf:type`" in text
    assert "`types.tsv`" in text
    assert "`sheet.tsv`" in text


def test_the_card_of_a_release_without_points_has_none() -> None:
    row = {key: value for key, value in SAMPLING["up"].items() if key != "contrived"}
    assert "Mean points" not in card(sampling_counts={"up": row})


def test_the_card_says_where_types_are_from() -> None:
    source = SOURCE | {"types": "names, induced"}
    assert "Types: Freebase's names of relations" in card(source=source)
    assert "entities that this leaves out have types induced" in card(source=source)
    assert "Types: induced from the relations:" in card(source=SOURCE | {"types": "induced"})


def test_the_card_says_how_anchors_were_chosen() -> None:
    assert "Anchors: all entities. Each is given to a split first (7 : 1 : 2)" in card()


def test_a_release_without_hard_answers_says_so() -> None:
    easy = structure_question(2, '(p "born_in" "cat")', "test")
    text = card(questions=(easy,))
    assert "No question has a hard answer." in text
    assert "- 1p `q00002` What is number 2 of cat? — answer: rome (all stated)" in text
    assert "| Hits@Hard of the commonest training answer | – | – |" in text
    assert "Every structure has as many questions as wanted" not in text
    full = {"1p": {"wanted": 1, "questions": 1, "drawn": 3, "rejected": {}, **POINTS}}
    assert "Every structure has as many questions as wanted" in card(sampling_counts=full)


def test_the_card_of_no_questions_is_whole() -> None:
    assert "| all | 0 | 0 / 0 / 0 | 0 | 0 | 0 | 0 | 0 | 0 |" in card(questions=())
