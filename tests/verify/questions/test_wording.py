"""Templates that are exchanged are found where their words tell, and no packaged or derived one is."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from rulemine.config import packaged
from rulemine.phrasing.books import Book, packaged_books
from rulemine.phrasing.templates import RelationTemplates, Templates, load_templates
from rulemine.verify.contents import Contents, Located
from rulemine.verify.names import Names
from rulemine.verify.questions.asked import Checked
from rulemine.verify.questions.wording import check_patterns, check_templates
from rulemine.verify.report import Findings


def problems(rows: list[dict[str, str]]) -> int:
    findings = Findings()
    names = {row["relation"]: row for row in rows}
    check_templates(Names({}, names, dict.fromkeys(names, 1)), findings)
    return len(findings.report(packaged()).problems)


def exchanged(row: dict[str, str]) -> dict[str, str]:
    return row | {"ask_subject": row["ask_object"], "ask_object": row["ask_subject"]}


def known(name: str) -> Templates:
    from rulemine.config import read_toml

    relations = read_toml(packaged("datasets", name, "templates.toml"))
    return load_templates(name, relations)


@pytest.mark.parametrize("name", ["demo", "family", "fb15k237"])
def test_packaged_templates_are_right_and_most_exchanged_ones_are_not(name: str) -> None:
    rows = known(name).to_plain()
    assert problems(rows) == 0
    directed = [row for row in rows if not row["symmetric"]]
    assert problems(list(map(exchanged, directed))) > 0.6 * len(directed)


@pytest.mark.parametrize("book", packaged_books(), ids=lambda book: book.name)
def test_templates_of_phrase_books_are_right_whatever_the_graph_declares(book: Book) -> None:
    assert problems(load_templates("", book.tables).to_plain()) == 0


@pytest.mark.parametrize("name", ["demo", "fb15k237"])
def test_derived_templates_are_right(name: str) -> None:
    rows = load_templates("", [row.relation for row in known(name).rows]).to_plain()
    assert problems(rows) == 0
    assert problems(list(map(exchanged, rows))) > 0.6 * len(rows)


def test_what_tells_nothing_is_no_problem() -> None:
    row = RelationTemplates(
        "r", "{subject} r {object}", "Who r {topic}?", "r {topic}?", "", "", "written"
    )
    assert problems(Templates((row,)).to_plain()) == 0
    assert problems([exchanged(r) for r in Templates((row,)).to_plain()]) == 0


@pytest.mark.parametrize(
    ("wording", "text", "problem"),
    [
        ("model", "Who made Dune?", ""),
        ("model", "Who made the Dune?", "text is its pattern"),
        ("template", "Who made the Dune?", ""),
        ("template", "Who made a Dune?", "text is its pattern"),
    ],
)
def test_names_may_have_an_article_where_no_model_wrote(
    wording: str, text: str, problem: str
) -> None:
    row = {
        "wording": wording, "question": text, "anchors": ["Dune"], "paraphrases": [],
        "patterns": ["Who made {topic}?"],
    }  # fmt: skip
    contents = cast(Contents, SimpleNamespace(names=Names({}, {}, {})))
    findings = Findings()
    cuts = list(check_patterns(Checked(Located("test", 1, row), findings, contents)))
    assert len(cuts) == (problem == "")
    found = [one.invariant for one in findings.report(Path()).problems]
    assert found == [problem] * (problem != "")
