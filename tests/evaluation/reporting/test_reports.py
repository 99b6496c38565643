"""One small report in every format; its page as text (`checks/isolated/try_page.py` opens it)."""

import contextlib
import csv
import http.client
import json
import re
import socket
import sys
import threading
import time
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting import files, loopback
from rulemine.evaluation.reporting.document import (
    MOST_QUESTIONS,
    Document,
    Outcome,
    Picture,
    QuestionRow,
    Series,
)
from rulemine.evaluation.reporting.figures import draw, embedded
from rulemine.evaluation.reporting.files import FORMATS, render, to_html, write_document
from rulemine.evaluation.reporting.loopback import make_server
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


HOSTILE = "</script><!--<script>alert(1)</script>\u202e"


def data(page):
    pattern = r'<script type="application/json" id="data">(.*?)</script>'
    return json.loads(re.search(pattern, page, re.DOTALL)[1])


def test_what_systems_say_stays_text():
    outcome = ROW.outcomes[0]._replace(said=HOSTILE, system=HOSTILE)
    row = ROW._replace(question=replace(ROW.question, question=HOSTILE), outcomes=(outcome,))
    page = to_html(replace(DOCUMENT, title=HOSTILE, questions=(row,), notes=(HOSTILE,)))
    assert page.count("</script>") == page.count("<script") == 2
    assert "<!--" not in page
    assert "\u202e" not in page
    shown = HOSTILE.replace("\u202e", "\\u202e")
    assert data(page)["questions"][0]["text"] == shown
    assert data(page)["questions"][0]["outcomes"][0]["said"] == shown


def test_nothing_is_loaded():
    page = to_html(DOCUMENT)
    assert set(re.findall(r"""(?:src|href|action)=["']([^"'#]+)""", page)) <= {"data:,"}
    spaces = {f"http://www.w3.org/{name}" for name in ("2000/svg", "1999/xlink", "1999/xhtml")}
    assert set(re.findall(r"https?://[^\"'\s;)]+", page)) <= spaces
    assert "content=\"default-src 'none'; img-src data:;" in unescape(page)


def test_names_are_on_the_page_once_and_labels_beside_them():
    read = data(to_html(DOCUMENT))
    question = read["questions"][0]
    assert [read["names"][place] for place in question["topics"]] == ["A"]
    assert read["labels"] == {str(question["topics"][0]): "Ann"}
    assert question["shown"] == [[title, [*lines]] for title, lines in ROW.shown.items()]
    assert question["outcomes"][0]["answers"] == [[read["names"].index("H"), 1]]
    assert read["runs"] == [{"system": "x", "kg": "incomplete"}, {"system": "y", "kg": "complete"}]


def numbered(number: int, *, core: bool = True) -> QuestionRow:
    return ROW._replace(question=replace(ROW.question, id=f"q{number:05d}", core=core))


def test_a_page_has_the_first_questions_of_the_order_of_samples(monkeypatch):
    many = tuple(numbered(i, core=i >= 200) for i in range(2100))
    page = to_html(Document("T", questions=many))
    shown = data(page)["questions"]
    assert (len(shown), sum(q["core"] for q in shown)) == (MOST_QUESTIONS, 1900)
    assert "The page shows 2,000 of 2,100 questions" in page
    assert "The page shows" not in to_html(Document("T", questions=many[:2000]))
    # One that would be too long says less.
    said = ROW.outcomes[0]._replace(said="é" * 1900)
    many = tuple(numbered(i)._replace(outcomes=(said,)) for i in range(300))
    longest = len(to_html(Document("T", questions=many)).encode())
    for most in (longest // 2, longest // 8, 60_000):
        monkeypatch.setattr(files, "MOST_BYTES", most)
        page = to_html(Document("T", questions=many))
        assert len(page.encode()) <= most
    assert len(data(page)["questions"]) < 300
    assert "of 300 questions" in page


def test_without_matplotlib_figures_are_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = to_html(DOCUMENT)
    assert "<img" not in page
    assert "pip install &#39;rulemine[report]&#39;" in page
    assert all(f'aria-label="{figure.title}, table"' in page for figure in DOCUMENT.figures)


@pytest.fixture
def port():
    with make_server("<p>é</p>", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def ask(port: int, host: str, path: str = "/", method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers={"Host": host} if host else {})
    with connection.getresponse() as answer:
        return answer.status, answer.read().decode()


def test_one_page_is_served_to_this_machine(port):
    for host, path, method, wanted in (
        ("127.0.0.1:{}", "/", "GET", (200, "<p>é</p>")), ("localhost:{}", "/?x=1", "GET", (200, "<p>é</p>")),
        ("localhost:{}", "/", "HEAD", (200, "")), ("localhost:{}", "/etc/passwd", "GET", 404),
        ("localhost:{}", "/", "POST", 501), ("example.org", "/", "GET", 403),
        ("example.org:{}", "/", "GET", 403), ("127.0.0.1", "/", "GET", 403), ("localhost:1", "/", "GET", 403),
    ):  # fmt: skip
        found = ask(port, host.format(port), path, method)
        assert wanted in (found, found[0]), (host, path, method)


def test_a_port_in_use_is_told(port):
    with pytest.raises(ConfigError, match=rf"port {port} of 127.0.0.1 cannot be had .*--port"):
        make_server("", port)
    with pytest.raises(ConfigError, match="expected 0"):
        make_server("", 70000)


def test_a_request_that_does_not_end_is_ended(port, monkeypatch):
    monkeypatch.setattr(loopback, "SECONDS_A_REQUEST", 0.2)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        begun = time.monotonic()
        with contextlib.suppress(OSError):  # the connection is closed
            while time.monotonic() < begun + 20:
                slow.sendall(b"G")
                time.sleep(0.05)
        assert time.monotonic() < begun + 10
    assert ask(port, f"127.0.0.1:{port}")[0] == 200
