"""What the card says, in usual and in empty cases."""

from dataclasses import replace
from typing import Any

import pytest
from jinja2 import UndefinedError

from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import write_card
from rulemine.release.records import Question
from tests import each
from tests.release.by_hand import FAMILY, QUESTIONS, REMOVALS, RULES, parts_of
from tests.releases import built
from tests.structures import structure_question, world
from tests.written_releases import subgraphs, variants

CONFIG: dict[str, Any] = {
    "name": "tiny", "naming": "entity", "questions": {"filter": ""},
    "selection": {"mode": "maximal", "per_rule": 30, "max_prior": 0.5},
}  # fmt: skip
SOURCE = {
    "title": "A family", "source": "by hand", "license": "CC0", "citation": "nobody", "digest": "d",
}  # fmt: skip


def card_of(parts: Any, **changes: Any) -> str:
    manifest = {
        "name": "tiny", "naming": parts.naming, "counts": figures_of(parts),
        "kg": SOURCE | parts.source, "config": parts.config,
    }  # fmt: skip
    return write_card(parts, manifest | changes)


def card(questions: list[Question] = QUESTIONS, **changes: Any) -> str:
    given = {"config": CONFIG, "source": SOURCE} | changes
    return card_of(parts_of(FAMILY, REMOVALS, RULES, questions, **given))


def test_the_card_shows_what_it_is_questions_with_proofs_and_sizes() -> None:
    text = card()
    for said in (
        "3 questions about a knowledge graph (A family), from which 4 of 11 triples were removed.",
        "Hard answer: Cy (one of 2 answers). Removed: ",
        "| questions | 2 | 0 | 1 | 3 |",
        "6 entities, 7 relations, 7 triples left, 3 rules for proofs.",
        "25.0 % of all answers are still stated",
        "On the 1 test question of the core, two systems have to differ by some 100 points",
        "is left in 33.3 % of the questions, another edge in the same direction in 0.0 %",
        "License of the graph: CC0.",
        "SHA-256 of the sorted triples of the graph: `d`",
    ):
        assert said in text


def test_examples_have_labels_whatever_the_naming() -> None:
    parts = parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, config=CONFIG, source=SOURCE)
    shown = [card_of(parts.renamed(naming)) for naming in ("private", "entity", "text")]
    examples = {text.partition("## Examples")[2].partition("## Size")[0] for text in shown}
    assert len(examples) == 1
    assert "Hard answer: Cy" in examples.pop()
    assert ["Entities are called `e00042`" in text for text in shown] == [True, False, False]


@each("kind", ["demo", "coast", "coast-structures", "coast-subgraphs", "coast-variants"])
def test_a_card_is_one_page(kind: str) -> None:
    folder = built(kind)
    text = (folder / ("demo" if kind == "demo" else "release") / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 60
    assert text.count("\n- **") == 5


@each(
    ("parts", "said"),
    [
        (world(), "12 questions of 9 logical structures about a knowledge graph"),
        (world(), "1p 3, 2p 1, 3p 2,"),
        (subgraphs(), "The queries have 9 shapes;"),
        (subgraphs(), "No model was shown the evidence of test questions"),
        (variants(), "- No model judged the questions."),
        (
            variants(judged=True),
            "accepted 12 of 18 questions, each unanimously; three samples of one",
        ),
    ],
)
def test_each_kind_says_what_only_its_questions_are(parts: Any, said: str) -> None:
    assert said in card_of(parts)
    empty = replace(parts, questions=(), removals=(), rules=(), sampling_counts={})
    assert "## Examples\n\nNone.\n" in card_of(empty)


def test_a_release_without_questions_in_the_core_of_test_says_so() -> None:
    assert "Test has no question in the core" in card(QUESTIONS[1:])
    easy = structure_question(2, '(p "born_in" "cat")', "test")
    text = card_of(world(questions=(easy,), removals=()))
    assert "Nothing was removed: every answer is stated" in text
    assert "## Without inference" not in text


def test_what_limits_a_release_is_said() -> None:
    pairs = [(f"a{i}", f"b{i}") for i in range(12)]
    met = [(a, "me`t", b) for a, b in pairs] + [(b, "me`t", a) for a, b in pairs]
    given = {"config": CONFIG, "source": SOURCE}
    text = card_of(parts_of(met, [], [], [], **given))
    told = "- Not taken to state the same facts, though it looks so: ``me`t`` symmetric (100 %)."
    assert told in text
    dropped = given | {"source": SOURCE | {"dropped": {"me`t": "dull"}}}
    text = card_of(parts_of(met, [], [], [], **dropped))
    assert "looks so" not in text
    assert "- 1 relation is not asked about;" in text
    brink = CONFIG | {"selection": {"mode": "brink", "per_rule": 30}}
    assert "the published procedure of BRINK" in card(config=brink)
    unknown = card(source={"license": "not stated", "citation": "", "source": "not stated"})
    assert "not stated. The release contains its triples" in unknown


def test_labels_are_text() -> None:
    hostile = replace(QUESTIONS[0], question="Is [x](y) <b>?", patterns=("Is [x](y) <b>?",))
    assert "**Is [x\\](y) \\<b>?**" in card([hostile])


def test_a_name_that_there_is_not_is_no_silent_gap() -> None:
    parts = parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, config=CONFIG, source=SOURCE)
    counts = figures_of(parts)
    del counts["edges_left"]
    with pytest.raises(UndefinedError, match="edges_left"):
        card_of(parts, counts=counts)
