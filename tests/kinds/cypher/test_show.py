"""What is shown of a question over a property graph."""

import pytest

from rulemine.kinds.cypher.show import MOST_ROWS
from rulemine.release.reader import Release
from rulemine.release.show import show
from tests.releases import built


@pytest.fixture(scope="module")
def coast() -> Release:
    return Release.open(built("coast") / "release")


def test_rows_are_shown_before_and_after_the_removal(coast: Release) -> None:
    asked = list(coast.questions())
    assert any(q.block.levels[-1].spurious for q in asked)
    for question in asked:
        lines = [line.strip() for line in show(coast, question.id, 900).split("\n")]
        last = question.block.levels[-1]
        if len(question.block.rows) + len(last.spurious) > MOST_ROWS:
            assert any(line.startswith("… and ") for line in lines)
            continue
        for mark, rows in (("−", last.lost), ("+", last.spurious)):
            assert sum(line.startswith(f"{mark} ") for line in lines) == len(rows) + bool(
                mark == "−" and (last.lost or last.spurious)  # the line that says what signs mean
            )
        assert sum(line.endswith("★") for line in lines) == bool(last.lost)
        assert any(question.block.cypher in line for line in lines)
        levels = [f"{c.level} %: {c.rows} row" for c in question.block.levels]
        assert all(any(text in line for line in lines) for text in levels)


def test_what_was_removed_is_shown_with_its_proof(coast: Release) -> None:
    asked = list(coast.questions())
    triples = next(q for q in asked if q.removed)
    shown = show(coast, triples.id, 200)
    assert " ".join(triples.removed[0]) in shown
    assert "because " in shown
