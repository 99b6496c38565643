"""The page as text; `checks/isolated/try_page.py` opens it in a browser."""

import contextlib
import http.client
import json
import re
import socket
import sys
import threading
import time
from dataclasses import replace
from html import unescape

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting import files, loopback
from rulemine.evaluation.reporting.document import MOST_QUESTIONS, Document, QuestionRow
from rulemine.evaluation.reporting.files import to_html
from rulemine.evaluation.reporting.loopback import make_server
from tests.evaluation.reporting.test_report_files import DOCUMENT, ROW

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
