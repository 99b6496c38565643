"""The figures and the card of the kinds that a writer asks, counted again by the verifier."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.release.contents import ReleaseParts
from rulemine.release.writer import write_release
from rulemine.verify import verify
from tests.written import subgraphs, variants


def found(parts: ReleaseParts, folder: Path, *changes: tuple[str, str]) -> list[str]:
    """What the verifier finds in the manifest's counts and the card, some text of which is changed."""
    folder.mkdir()
    source = {**parts.source, "digest": parts.complete.digest, "duplicates": 0}
    write_release(folder, replace(parts, source=source), "entity")
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    card.write_text(text, encoding="utf-8", newline="\n")
    report = verify(folder)
    return [
        line for line in map(str, report.problems) if ": card: " in line or ": counts: " in line
    ]


@pytest.mark.parametrize("made", [subgraphs, variants])
def test_figures_and_card_agree_with_the_files(
    tmp_path: Path, made: Callable[[], ReleaseParts]
) -> None:
    assert found(made(), tmp_path / "r") == []


@pytest.mark.parametrize(
    ("made", "before", "after"),
    [
        (subgraphs, "| different shapes | 3 |", "| different shapes | 4 |"),
        (subgraphs, "| not minimal | 16.7 %", "| not minimal | 17.7 %"),
        (subgraphs, "| (3) | 2 | 0 |", "| (3) | 3 | 0 |"),
        (subgraphs, "| (3) | 1 | (1): 1 |", "| (3) | 1 | (2): 1 |"),
        (variants, "| supporting facts, mean | 2.00", "| supporting facts, mean | 2.01"),
        (variants, "| people | 3 |", "| people | 4 |"),
    ],
)
def test_a_changed_row_is_found(
    tmp_path: Path, made: Callable[[], ReleaseParts], before: str, after: str
) -> None:
    (line,) = found(made(), tmp_path / "r", (before, after))
    assert after in line
