"""A question written for a subgraph in the terminal."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.kg.entity_names import NAMINGS
from rulemine.release.reader import Release
from rulemine.release.show import show
from rulemine.release.showing.layout import display_width
from rulemine.release.writer import write_release
from tests.written_releases import ASKED, JUDGEMENT, written_world

KINDS = ("subgraphs", "variants")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release of each kind, named after it."""
    made = tmp_path_factory.mktemp("written")
    for kind in KINDS:
        (made / kind).mkdir()
        write_release(made / kind, written_world(kind), "text")
    return made


SUBGRAPH = """\
Subgraph (27 triples, 13 entities)
  ★ answer  ☆ another  ● topic  ━ used for the question  ✗ removed
  ★ France
     ◀━━citizen_of━━ ● Ann   ✗ removed
"""


def test_the_subgraph_is_drawn_from_the_answer_outward(folder: Path) -> None:
    text = show(folder / "subgraphs", "q00000", 100)
    assert SUBGRAPH in text
    assert "── ☆ Eve" in show(folder / "subgraphs", "q00002", 100)
    assert "\n  ● Ann\n     ──born_in──▶ ○ Paris\n" in text
    assert "Tree of proofs\n  ★ France\n" in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_triple_is_drawn_once_with_its_marks(folder: Path, kind: str) -> None:
    release = Release.open(folder / kind)
    removed = {row.triple for row in release.removals()}
    for question in release.questions():
        block = question.block
        text = show(release, question.id, 200)
        drawn = text[text.index("Subgraph (") : text.index("\nWritten\n")].split("\n")[2:]
        edges = [line for line in drawn if "▶" in line or "◀" in line]
        assert len(edges) == len(block.subgraph)  # type: ignore[union-attr]
        assert sum("━━" in line for line in edges) == len(block.triples)  # type: ignore[union-attr]
        assert sum("✗ removed" in line for line in edges) == len(
            removed.intersection(block.subgraph)  # type: ignore[union-attr]
        )
        answer = next(line for line in drawn if "★" in line)
        assert answer.strip() == f"★ {block.answer}"  # type: ignore[union-attr]


def test_what_is_known_of_a_question_is_said(folder: Path) -> None:
    texts = [show(folder / "subgraphs", f"q{n:05d}", 120) for n in range(len(ASKED))]
    assert "3; the incomplete graph states 1" in texts[3]
    assert "3 counted  ★ Ann" in texts[3]
    assert "Ann  false, but given by the incomplete graph" in texts[4]
    assert "ugt: of a shape that training does not have" in texts[6]
    assert "urt: of a relation that training does not have" in texts[7]
    assert "grown from  q00000" in texts[1]


def test_what_judges_said_is_shown_with_their_reasons(tmp_path: Path) -> None:
    parts = written_world("variants")
    first = parts.questions[0]
    against = replace(JUDGEMENT, redundancy_flag=True, answer_adequacy_reasoning="Who else?")
    judged = replace(first, block=replace(first.block, judgements=(JUDGEMENT, against)))
    write_release(tmp_path, replace(parts, questions=(judged, *parts.questions[1:])), "entity")
    text = show(tmp_path, first.id, 120)
    assert "1  m: sound; does not give its answer away; answer supported; answer complete" in text
    assert "2  m: sound; gives its answer away; answer supported; answer complete" in text
    assert "     Who else?" in text
    assert "seed text  text 0" in text
    unjudged = replace(first, block=replace(first.block, judgements=()))
    write_release(tmp_path, replace(parts, questions=(unjudged,)), "entity")
    assert "judges     none" in show(tmp_path, first.id, 120)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_terminal_gets_short_lines(folder: Path, kind: str, width: int) -> None:
    for number in range(len(ASKED)):
        lines = show(folder / kind, f"q{number:05d}", width).split("\n")
        assert max(map(display_width, lines)) <= width


@pytest.mark.parametrize("kind", KINDS)
def test_parts_renamed_and_back_are_the_same(kind: str) -> None:
    parts = written_world(kind)
    for naming in NAMINGS:
        other = parts.renamed(naming)
        assert other.renamed("entity").questions == parts.questions
        assert other.renamed("text").questions == parts.renamed("text").questions
        assert other.renamed("entity").records == parts.records
