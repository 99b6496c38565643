"""One small report in every format, by hand."""

import csv
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.document import Document, Outcome, Picture, QuestionRow, Series
from rulemine.evaluation.reporting.figures import draw, embedded
from rulemine.evaluation.reporting.files import FORMATS, render, write_document
from rulemine.evaluation.statistics.score import Score
from rulemine.text.tables import Table, one_decimal
from tests.evaluation.world import question

HALF, NONE = Score(0.5, 0.25, 0.75), Score(None, None, None)
TABLE = Table(
    "headline",
    "Hard F1 & more_or_less",
    ("system", "kg", "n", "F1", "triples"),
    (
        ("a|b_50%", "complete", 1200, HALF, Score(3.25, None, None)),
        ("<c>", "incomplete", 7, NONE, None),
    ),
    notes=("A note.",),
    show={"triples": one_decimal},
)
SERIES = (Series("one", (HALF, NONE)), Series("two", (None, HALF)))
BARS = Picture("bars", "Bars", "A caption.", "bars", "system", "F1", ("a", "b & <c>"), SERIES)
LINES = Picture("lines", "Lines", "A caption.", "lines", "level", "F1", (0, 100), SERIES)
ROW = QuestionRow(
    replace(question(1, "A", answers=("H", "S", "T"), hard=("H",), core=True), question="Who?"),
    proof=(("A", "r", "H"), ("A", "s", "H")),
    shown={"Proof": ("A r H: removed, but it follows from", "  A s H.")},
    outcomes=(
        Outcome("x", "incomplete", "hard", "Because.", 'said "so",\nyes', ("H",), (), 3, (), {"f1": 0.5}),
        Outcome("y", "complete", "wrong", "Not.", scores={"mrr": None}),
    ),
)  # fmt: skip
DOCUMENT = Document(
    "Title", ("Known.",), {"release": "small"}, TABLE, (BARS, LINES), (), (ROW,), {"A": "Ann"}
)


def test_json_has_every_digit_and_null():
    read = json.loads(render(DOCUMENT, "json"))
    assert read["headline"]["rows"] == [
        ["a|b_50%", "complete", 1200, {"value": 0.5, "low": 0.25, "high": 0.75},
         {"value": 3.25, "low": None, "high": None}],
        ["<c>", "incomplete", 7, {"value": None, "low": None, "high": None}, None],
    ]  # fmt: skip
    assert read["figures"][1]["table"]["rows"][1][0] == "100"
    assert (read["title"], read["notes"], read["facts"]) == (
        "Title",
        ["Known."],
        {"release": "small"},
    )


def test_markdown_and_latex_escape():
    markdown = render(DOCUMENT, "markdown")
    assert "| a\\|b_50% | complete | 1,200 | 50.0 (25.0–75.0) | 3.2 |" in markdown
    assert "![Bars](figures/bars.svg)" in markdown
    latex = render(DOCUMENT, "latex")
    assert r"\caption{Hard F1 \& more\_or\_less}" in latex
    assert r"\begin{tabular}{llrrr}" in latex
    assert r"a\textbar{}b\_50\% & complete & 1,200 & \scored{50.0}{25.0}{75.0} & 3.2 \\" in latex
    assert r"\textless{}c\textgreater{} & incomplete & 7\textdagger{} & -- & -- \\" in latex
    for text in (markdown, latex.replace(r"\textdagger{}", "†"), render(DOCUMENT, "html")):
        assert "† Fewer than 20 questions" in text
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 3


def test_hostile_labels_are_shown_as_they_are():
    grid = Table("d", "<b>D", ("g", "F1"), (("<i>|*x*", None),), notes=("<u>: given `q`.",))
    row = ROW._replace(question=replace(ROW.question, question="=1+1", anchors=("@a",)))
    document = Document("[T](x)", ("<s>",), {"system": "_x_"}, grid, questions=(row,))
    markdown = render(document, "markdown")
    for text in (
        "# [T\\](x)", "- \\<s>", "- **system**: \\_x\\_", "## \\<b>D", "| \\<i\\>\\|\\*x\\* |",
        "- \\<u>: given \\`q\\`.",
    ):  # fmt: skip
        assert text in markdown
    cells = next(csv.DictReader(render(document, "questions").splitlines()))
    assert (cells["question"], cells["anchors"]) == ("'=1+1", "'@a")
    rows = (("<the core>",), ("all", 12))  # headings are rows of the page
    page = render(Document("T", headline=Table("h", "H", ("group", "n"), rows)), "html")
    heading = '<th class="text" scope="colgroup" colspan="2">&lt;the core&gt;</th>'
    assert f"<tr>{heading}</tr>" in page
    assert '<tr><th scope="row">all</th><td>12†</td></tr>' in page


def test_a_folder_has_every_file(tmp_path):
    folder = tmp_path / "new" / "report"
    written = write_document(DOCUMENT, folder)
    assert [path.relative_to(folder).as_posix() for path in written] == [
        "report.json", "report.md", "report.tex", "tables/headline.csv", "tables/bars.csv",
        "tables/lines.csv", "figures/bars.svg", "figures/lines.svg", "questions.csv", "report.html",
    ]  # fmt: skip
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    for row, cells in (
        (first, {"system": "x", "said": 'said "so",\nyes', "f1": "0.5", "mrr": "", "stated": "S\nT",
                 "triples_retrieved": "3", "core": "true"}),
        (second, {"verdict": "wrong", "triples_retrieved": "", "f1": ""}),
    ):  # fmt: skip
        assert {name: row[name] for name in cells} == cells
    before = {path: path.read_bytes() for path in written}
    draw.cache_clear()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path"}):
        write_document(DOCUMENT, folder)
    assert {path: path.read_bytes() for path in written} == before
    with pytest.raises(ConfigError, match="did you mean 'latex'"):
        render(DOCUMENT, "latx")
    assert set(FORMATS) == {"table", "json", "csv", "markdown", "latex", "html", "questions"}


def test_figures_are_vector_and_text():
    for figure in (BARS, LINES):
        svg = draw(figure)
        assert not re.search(r"<dc:date|matplotlib\.org|<image", svg)
        texts = "".join(ElementTree.fromstring(svg).itertext())
        assert all(word in texts for word in ("one", "two", figure.across, figure.up))
        inside = ElementTree.fromstring(embedded(svg, figure))
        ids = [e.get("id") for e in inside.iter() if e.get("id")]
        assert len(ids) == len(set(ids))
        assert all(str(i).startswith(f"figure-{figure.id}-") for i in ids)
        used = re.findall(r'(?:url\(|href=")#([^")]+)', embedded(svg, figure))
        assert set(used) <= set(ids)
