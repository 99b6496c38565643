"""The command `seeds`."""

from pathlib import Path

import pytest

from rulemine.cli.main import main
from rulemine.codec import parse_object


def test_it_shows_what_texts_name_and_what_connects_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, out = tmp_path / "texts.csv", tmp_path / "out.jsonl"
    texts.write_text(
        'id,t\na,"AGATA SNEŽIN left Krasna, in Northmark."\nb,Krasna?\nc,"Nothing {x}."\n', "utf-8"
    )
    assert main(["graph", "seeds", "demo", f"{texts}:t", "--most", "2", "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert "  names Agata Snežin ('AGATA SNEŽIN')\n  names Krasna\n" in shown.out
    assert "    Krasna · part_of · Northmark\n" in shown.out
    assert "b: Krasna?\n  names Krasna\n  skipped: a single entity of the graph\n" in shown.out
    assert "Nothing" not in shown.out
    assert "3 seed sets: 1 with a subgraph (mean " in shown.out
    assert "no entity of the graph: 1" in shown.out
    assert "2 of 3 texts name fewer than two entities" in shown.err
    rows = [parse_object(line, "x") for line in out.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert rows[2]["refused"] == "no entity of the graph"


def test_without_texts_entities_are_drawn_and_keys_can_be_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    domains = 'variants.domains=["subject of part_of"]'
    assert main(["graph", "seeds", "demo", "--set", "variants.sets=3", "--set", domains]) == 0
    shown = capsys.readouterr().out
    assert "d000003: subject of part_of\n" in shown
    assert "\n3 seed sets: " in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["variants-demo", "missing.txt"], "missing.txt"),
        (["demo", "missing.txt"], "missing.txt: no such file"),
        (["demo", "--set", "variants.set=3"], "variants.set"),
    ],
)
def test_mistakes_are_explained(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "seeds", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_repaints_a_terminal_is_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, texts = tmp_path / "g.tsv", tmp_path / "t.txt"
    graph.write_text("a\x1b]0;x\x07\tr\x1b[2J\tb\u202e\n", "utf-8")
    texts.write_text("a\x1b]0;x\x07 and b\u202e \x1b[2J\n", "utf-8")
    for more in (["--set", "variants.sets=2"], [str(texts)]):
        assert main(["graph", "seeds", str(graph), *more]) == 0
        shown = capsys.readouterr().out
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        assert "\\u001b]0;x\\u0007" in shown
