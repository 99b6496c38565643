"""The page of plots: well-formed, self-contained, and with the numbers of the counts."""

from typing import Any
from xml.etree import ElementTree

import pytest

from rulemine.kg.facts import Declarations
from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import draw_plots
from rulemine.release.contents import ReleaseParts
from tests.release.by_hand import FAMILY, QUESTIONS, REMOVALS, RULES, parts_of
from tests.release.card.test_page import CONFIG
from tests.structures import world

SVG = "{http://www.w3.org/2000/svg}"
PARTS = parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, Declarations.of(["spouse"]), config=CONFIG)


def drawn(parts: ReleaseParts, name: str = "tiny", **counts: Any) -> str:
    found = figures_of(parts) | counts
    manifest = {"name": name, "config": parts.config, "kg": parts.source, "counts": found}
    return draw_plots(parts, manifest)


def texts(page: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(page).iter(f"{SVG}text")]


def test_every_number_stands_beside_its_bar() -> None:
    found = texts(drawn(PARTS))
    assert "3 questions, 1 of them in the core" in found
    # label, then number
    for label, number in (
        ("composition", "1 · 1"), ("inversion", "1 · 0"), ("symmetry", "0 · 0"),
        ("10–30", "1 · 1"), ("0.7–0.8", "1 · 1"), ("0.03–0.05", "1 · 1"), ("3–5", "2 · 1"),
        ("complete graph", "11"), ("rare answer", "4"), ("removed", "4 · 1"), ("stated", "1"),
        ("top answer", "33.3 % · 100.0 %"), ("inverse", "33.3 %"), ("5 guesses", "0.0 % · 0.0 %"),
    ):  # fmt: skip
        assert found[found.index(label) + 1] == number, label


def test_bars_are_as_long_as_their_numbers() -> None:
    page = ElementTree.fromstring(drawn(PARTS, rejected={"a": 30, "b": 15}))
    bars = [
        float(bar.get("width", 0)) for bar in page.iter(f"{SVG}rect") if bar.get("class") == "all"
    ]
    assert bars[-2] == pytest.approx(2 * bars[-1])
    width, height = (float(page.get(side, 0)) for side in ("width", "height"))
    for bar in page.iter(f"{SVG}rect"):
        assert float(bar.get("x", 0)) + float(bar.get("width", 0)) <= width
        assert float(bar.get("y", 0)) + float(bar.get("height", 0)) <= height


@pytest.mark.parametrize(
    "questions", [QUESTIONS, QUESTIONS[1:], []], ids=["all", "no core", "none"]
)
def test_the_page_is_whole_and_needs_nothing_else(questions: list) -> None:
    parts = parts_of(FAMILY, REMOVALS, RULES, questions, config=CONFIG)
    page = drawn(parts, '<&"', rejected={"ask: <b>&": 3})
    ElementTree.fromstring(page)
    assert "&lt;b&gt;&amp;" in page
    for foreign in ("href", "url(", "<script", "@import", "<image", "foreignObject"):
        assert foreign not in page
    assert page.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    assert "prefers-color-scheme: dark" in page
    assert drawn(parts, '<&"', rejected={"ask: <b>&": 3}) == page


def test_the_page_of_structures_shows_every_missing_link() -> None:
    page = drawn(world())
    texts = [text.text for text in ElementTree.fromstring(page).iter(f"{SVG}text")]
    for title in (
        "Structures",
        "Links that the hard answer misses",
        "3 links missing",
        "Inference",
    ):
        assert title in texts
    at = texts.index("Structures")
    assert texts[at + 1 : at + 5] == ["1p", "3 · 1", "2p", "1 · 0"]
    empty = drawn(world(questions=()))
    assert "Inference" not in empty
