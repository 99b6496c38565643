"""The page as text; `checks/isolated/try_page.py` opens it in a browser."""

import contextlib
import http.client
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting import files, loopback
from rulemine.evaluation.reporting.document import MOST_QUESTIONS, Document, QuestionRow
from rulemine.evaluation.reporting.files import to_html
from rulemine.evaluation.reporting.loopback import make_server
from tests.evaluation.reporting.test_report_files import DOCUMENT, ROW

HOSTILE = "</script><!--<script>alert(1)</script>\u202e"


def data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_what_systems_say_stays_text() -> None:
    outcome = ROW.outcomes[0]._replace(said=HOSTILE, system=HOSTILE)
    row = ROW._replace(question=replace(ROW.question, question=HOSTILE), outcomes=(outcome,))
    page = to_html(replace(DOCUMENT, title=HOSTILE, questions=(row,), notes=(HOSTILE,)))
    assert page.count("</script>") == page.count("<script") == 2
    assert "<!--" not in page
    assert "\u202e" not in page
    shown = HOSTILE.replace("\u202e", "\\u202e")
    assert data(page)["questions"][0]["text"] == shown
    assert data(page)["questions"][0]["outcomes"][0]["said"] == shown


def test_nothing_is_loaded() -> None:
    page = to_html(DOCUMENT)
    assert set(re.findall(r"""(?:src|href|action)=["']([^"'#]+)""", page)) <= {"data:,"}
    namespaces = {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/1999/xhtml",
    }
    assert set(re.findall(r"https?://[^\"'\s;)]+", page)) <= namespaces
    assert "content=\"default-src 'none'; img-src data:;" in unescape(page)


def test_names_are_on_the_page_once_and_labels_beside_them() -> None:
    read = data(to_html(DOCUMENT))
    question = read["questions"][0]
    assert [read["names"][place] for place in question["topics"]] == ["A"]
    assert read["labels"] == {str(question["topics"][0]): "Ann"}
    assert question["shown"] == [[title, [*lines]] for title, lines in ROW.shown.items()]
    assert question["outcomes"][0]["answers"] == [[read["names"].index("H"), 1]]
    assert read["runs"] == [{"system": "x", "kg": "incomplete"}, {"system": "y", "kg": "complete"}]


def numbered(number: int, *, core: bool = True) -> QuestionRow:
    return ROW._replace(question=replace(ROW.question, id=f"q{number:05d}", core=core))


def test_a_page_has_the_first_questions_of_the_order_of_samples() -> None:
    many = tuple(numbered(i, core=i >= 200) for i in range(2100))
    page = to_html(Document("T", questions=many))
    shown = data(page)["questions"]
    assert len(shown) == MOST_QUESTIONS
    assert sum(q["core"] for q in shown) == 1900
    assert "The page shows 2,000 of 2,100 questions" in page
    assert "The page shows" not in to_html(Document("T", questions=many[:2000]))


def test_a_page_that_would_be_too_long_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ROW.outcomes[0]._replace(said="é" * 1900)
    many = tuple(numbered(i)._replace(outcomes=(said,)) for i in range(300))
    longest = len(to_html(Document("T", questions=many)).encode())
    for most in (longest // 2, longest // 8, 60_000):
        monkeypatch.setattr(files, "MOST_BYTES", most)
        page = to_html(Document("T", questions=many))
        assert len(page.encode()) <= most
    assert len(data(page)["questions"]) < 300
    assert "of 300 questions" in page


def test_without_matplotlib_figures_are_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = to_html(DOCUMENT)
    assert "<img" not in page
    assert "pip install &#39;rulemine[report]&#39;" in page
    assert all(f'aria-label="{figure.title}, table"' in page for figure in DOCUMENT.figures)


@pytest.fixture
def port() -> Iterator[int]:
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


def test_one_page_is_served_to_this_machine(port: int) -> None:
    assert ask(port, f"127.0.0.1:{port}") == (200, "<p>é</p>")
    assert ask(port, f"localhost:{port}", "/?x=1") == (200, "<p>é</p>")
    assert ask(port, f"localhost:{port}", method="HEAD") == (200, "")
    assert ask(port, f"localhost:{port}", "/etc/passwd")[0] == 404
    assert ask(port, f"localhost:{port}", method="POST")[0] == 501


@pytest.mark.parametrize("host", ["example.org", "example.org:{port}", "127.0.0.1", "localhost:1"])
def test_a_request_by_another_name_is_refused(port: int, host: str) -> None:
    assert ask(port, host.format(port=port))[0] == 403


def test_a_port_in_use_is_told(port: int) -> None:
    with pytest.raises(ConfigError, match=rf"port {port} of 127.0.0.1 cannot be had .*--port"):
        make_server("", port)
    with pytest.raises(ConfigError, match="expected 0"):
        make_server("", 70000)


def test_a_request_that_does_not_end_is_ended(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "SECONDS_A_REQUEST", 0.2)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        begun = time.monotonic()
        with contextlib.suppress(OSError):  # the connection is closed
            while time.monotonic() < begun + 20:
                slow.sendall(b"G")
                time.sleep(0.05)
        assert time.monotonic() < begun + 10
    assert ask(port, f"127.0.0.1:{port}")[0] == 200


def test_connections_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "MOST_CONNECTIONS", threading.active_count() + 3)
    with make_server("page", 0) as server, contextlib.ExitStack() as held:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        host = f"127.0.0.1:{port}"
        assert ask(port, host) == (200, "page")
        for _ in range(50):  # threads of other tests may end meanwhile
            held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            if (found := ask(port, host)) != (200, "page"):
                break
        assert found == (503, "Too many connections.\n")
        held.close()
        for _ in range(200):
            if (found := ask(port, host)) == (200, "page"):
                break
            time.sleep(0.05)
        assert found == (200, "page")
        server.shutdown()
