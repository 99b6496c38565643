"""Opens the page of a report in a real headless browser, and uses it: filters, sorts, opens, reads.

Needs Debian's packages ``chromium`` and ``chromium-driver``; accessibility is checked with axe-core from npm.
Skips, with the reason, what is not to be had.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from rulemine.cli.main import main as rulemine
from rulemine.evaluation import answer, evaluate
from rulemine.evaluation.reporting.document import MOST_QUESTIONS, Document, Picture, Series
from rulemine.evaluation.reporting.documents import SystemRun, question_rows
from rulemine.evaluation.reporting.files import MOST_BYTES, write_document
from rulemine.evaluation.reporting.loopback import make_server
from rulemine.evaluation.statistics.score import Score
from rulemine.release.reader import Release
from rulemine.text.tables import Table

HOSTILE = (
    "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>\u202e&amp;"
)
SECONDS = 30.0
"""How long anything on the page may take."""

PAGE = 50


def main() -> int:
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if lacking := [name for name, path in programs.items() if path is None]:
        print(f"skipped: {' and '.join(lacking)} not installed (Debian: chromium, chromium-driver)")
        return 0
    with TemporaryDirectory(prefix="rulemine-page-") as folder:
        out = Path(folder)
        document = make_document(out)
        page = write_document(document, out / "report")[-1]
        size = page.stat().st_size
        assert size <= MOST_BYTES, size
        print(f"{len(document.questions):,} questions, a page of {size / 1e6:.1f} MB")
        with browser(str(programs["chromium"]), str(programs["chromedriver"])) as driver:
            checks = Checks(driver, document, page)
            for check in (checks.reads, checks.filters, checks.sorts, checks.opens, checks.escapes,
                          checks.links, checks.themes, checks.served):  # fmt: skip
                check()
                print(f"passed: {check.__name__}")
            accessible(checks, out)
            if shots := os.environ.get("SCREENSHOTS"):
                checks.shoot(Path(shots))
    return 0


def make_document(folder: Path) -> Document:
    """A report on the demo, its questions repeated until a page cannot hold them, one of them hostile."""
    assert rulemine(["build", "demo", "-o", str(folder / "demo")]) == 0
    release = Release.open(folder / "demo")
    runs = []
    for name in ("lookup", "neighbors", "reasoner"):
        found = answer(release, with_=name, split=None)
        found = [
            replace(p, retrieved=q.evidence)
            for p, q in zip(found, release.questions(), strict=True)
        ]
        report = evaluate(release, found, split=None, resamples=10)
        runs.append(SystemRun(name, "incomplete", found, report))
    rows, labels = question_rows(release, runs, None)
    many = [
        row._replace(
            question=replace(
                row.question,
                id=f"q{1000 * copy + place:05d}",
                question=f"{row.question.question} ({copy})",
            )
        )
        for copy in range(MOST_QUESTIONS // len(rows) + 1)
        for place, row in enumerate(rows)
    ]
    bad = max((row for row in many if row.question.core), key=lambda row: len(row.proof))
    outcomes = tuple(o._replace(said=HOSTILE, why=HOSTILE) for o in bad.outcomes)
    shown = {**bad.shown, "Rule": (HOSTILE,)}
    # The last in the order of samples would not be on the page: in place of the first instead.
    core = next(i for i, row in enumerate(many) if row.question.core)
    hostile = replace(bad.question, id=many[core].question.id, question=HOSTILE)
    many[core] = bad._replace(question=hostile, shown=shown, outcomes=outcomes)
    score = Score(0.5, 0.4, 0.6)
    series = (Series("complete", (score, score)), Series("incomplete <b>", (score, None)))
    return Document(
        f"Report {HOSTILE}",
        notes=(HOSTILE,),
        facts={"release": "demo"},
        headline=Table("headline", HOSTILE, ("system", "F1"), ((HOSTILE, score),), (HOSTILE,)),
        figures=(
            Picture("bars", "Bars", HOSTILE, "bars", "system", "F1", ("a", HOSTILE), series),
            Picture("lines", "Lines", "A caption.", "lines", "level", "F1", (0, 100), series),
        ),
        tables=(Table("more", "More", ("group", "n"), (("a", 1),)),),
        questions=tuple(many),
        labels=labels,
    )


@contextmanager
def browser(program: str, driver: str) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.add_argument("--window-size=1280,1000")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield started
    finally:
        started.quit()


class Checks:
    """What is done with the page."""

    def __init__(self, driver: webdriver.Chrome, document: Document, page: Path) -> None:
        self.driver, self.document, self.page = driver, document, page
        driver.get(page.as_uri())
        text = self.run("return document.getElementById('data').textContent")
        self.data: dict[str, Any] = json.loads(text)
        self.questions: list[dict[str, Any]] = self.data["questions"]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < end, what
            time.sleep(0.02)

    def quiet(self) -> None:
        assert (log := self.driver.get_log("browser")) == [], log
        assert self.run("return window.harmed") is None, "a script of an answer was run"

    def ids(self) -> list[str]:
        return [str(e.text) for e in self.all(".open-row")]

    def choose(self, **values: str) -> int:
        """Sets filters; returns how many questions are left."""
        self.one("#filters [type=reset]").click()
        for name, value in values.items():
            self.run(
                "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
                "f.dispatchEvent(new Event('input', {bubbles: true}))", name, value,
            )  # fmt: skip
        time.sleep(0.2)
        return int(self.one("#count").text.split()[0].replace(",", ""))

    def reads(self) -> None:
        assert len(self.questions) == MOST_QUESTIONS
        assert (
            f"shows {MOST_QUESTIONS:,} of {len(self.document.questions):,}" in self.one("main").text
        )
        assert self.ids() == sorted(q["id"] for q in self.questions)[:PAGE]
        assert len(self.all("figure svg")) == 2
        self.one("#next").click()
        assert self.ids() == sorted(q["id"] for q in self.questions)[PAGE : 2 * PAGE]
        self.quiet()

    def filters(self) -> None:
        of = self.questions
        form = next(q["form"] for q in of if "<" not in q["form"])
        core = sum(q["core"] for q in of)
        stated = sum(q["outcomes"][0]["verdict"] == "stated" for q in of)
        anyone = sum(any(o["verdict"] == "stated" for o in q["outcomes"]) for q in of)
        assert self.choose() == len(of)
        assert self.choose(form=form) == sum(q["form"] == form for q in of)
        assert self.choose(core="1") == core > 0
        assert self.choose(core="0") == len(of) - core
        assert self.choose(system="0", verdict="stated") == stated > 0
        assert self.choose(verdict="stated") == anyone > 0
        assert self.choose(text=of[7]["id"].upper()) == 1
        assert self.choose(text="no such words at all") == 0
        assert self.ids() == []
        self.one("#text").clear()
        self.one("#text").send_keys("grandparent")
        self.until(lambda: 0 < len(self.ids()) <= PAGE, "typing filters")
        self.choose()
        self.quiet()

    def sorts(self) -> None:
        keys: list[Callable[[dict[str, Any]], Any]] = [
            lambda q: q["id"], lambda q: q["text"].lower(), lambda q: q["form"], lambda q: not q["core"],
            lambda q: q["missing"],
        ]  # fmt: skip
        for column, key in enumerate(keys):
            for turn in ("ascending", "descending"):
                button = self.all("#questions thead button")[column]
                if (column, turn) != (0, "ascending"):  # as it is at first
                    button.send_keys(Keys.ENTER)
                head = self.all("#questions thead th")[column]
                assert head.get_attribute("aria-sort") == turn
                assert len(self.all("#questions thead [aria-sort]")) == 1
                known = {q["id"]: key(q) for q in self.questions}
                shown = [known[i] for i in self.ids()]
                assert shown == sorted(known.values(), reverse=turn == "descending")[:PAGE], column
        self.all("#questions thead button")[0].click()
        self.quiet()

    def opens(self) -> None:
        known = {q["id"]: q for q in self.questions}
        for place in (0, 3, 11):
            button = self.all(".open-row")[place]
            question = known[button.text]
            assert button.get_attribute("aria-expanded") == "false"
            button.send_keys(Keys.ENTER)
            assert button.get_attribute("aria-expanded") == "true"
            detail = self.one(f"tr[data-id='{question['id']}'] + tr .detail")
            lines = detail.find_elements(By.CSS_SELECTOR, ".line")
            shown = [line.strip() for _, some in question["shown"] for line in some]
            assert [line.text for line in lines] == shown
            assert detail.find_elements(By.CSS_SELECTOR, ".line.deeper")
            systems = detail.find_elements(By.CSS_SELECTOR, ".system")
            assert len(systems) == len(self.data["runs"])
            for system, outcome in zip(systems, question["outcomes"], strict=True):
                assert self.data["runs"][outcome["run"]]["system"] in system.text
                assert "proof" in outcome["why"] or "<" in question["text"], outcome["why"]
            button.send_keys(Keys.ARROW_DOWN)
            assert self.run("return document.activeElement.textContent") == self.ids()[place + 1]
            self.run("arguments[0].closest('tr').click()", button)
            assert button.get_attribute("aria-expanded") == "false"
        self.quiet()

    def escapes(self) -> None:
        assert self.one("h1").text.startswith("Report </script><script>")
        bad = next(q for q in self.questions if q["text"].startswith("</script>"))
        assert self.choose(text=bad["id"]) == 1
        self.one(".open-row").click()
        assert "</script>" in self.one(".detail h3").text
        shown = HOSTILE.replace("\u202e", "\\u202e")
        assert self.one(".system pre").get_attribute("textContent") == shown
        assert self.run("return document.querySelectorAll('main img, main script').length") == 0
        self.choose()
        self.quiet()

    def links(self) -> None:
        wanted = sorted(q["id"] for q in self.questions)[PAGE * 3 + 5]
        self.driver.get("about:blank")
        self.driver.get(f"{self.page.as_uri()}#{wanted}")
        button = self.one(f"tr[data-id='{wanted}'] .open-row")
        assert button.get_attribute("aria-expanded") == "true"
        self.quiet()

    def themes(self) -> None:
        for preferred in ("dark", "light"):
            feature = [{"name": "prefers-color-scheme", "value": preferred}]
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
            self.until(lambda dark=preferred == "dark": self.is_dark() == dark, preferred)
        self.one("#theme").click()
        assert self.is_dark()
        assert self.one("#theme").get_attribute("aria-pressed") == "true"
        self.one("#theme").click()
        assert not self.is_dark()
        self.quiet()

    def is_dark(self) -> bool:
        script = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        return sum(self.run(script)) < 3 * 128

    def served(self) -> None:
        with make_server(self.page.read_text("utf-8"), 0) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            self.driver.get(f"http://127.0.0.1:{server.server_port}/")
            assert self.choose() == len(self.questions)
            self.quiet()
            server.shutdown()
            thread.join()
        self.driver.get(self.page.as_uri())

    def shoot(self, folder: Path) -> None:
        """Pictures for people, in the folder that ``SCREENSHOTS`` names."""
        folder.mkdir(parents=True, exist_ok=True)
        for theme in ("light", "dark"):
            for place in (0, 3):
                self.all(".open-row")[place].click()
            height = self.run("return document.documentElement.scrollHeight")
            self.driver.set_window_size(1280, min(int(height), 5000))
            self.driver.save_screenshot(str(folder / f"{theme}.png"))
            self.one("#theme").click()


def accessible(checks: Checks, folder: Path) -> None:
    """Checks with axe-core, light and dark, with questions open."""
    try:
        done = subprocess.run(
            ["npm", "pack", "--silent", "axe-core@4"], cwd=folder, capture_output=True, text=True,
            timeout=120, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"skipped: accessibility, axe-core is not to be had ({problem})")
        return
    with tarfile.open(folder / done.stdout.split()[-1]) as packed:
        member = packed.extractfile("package/axe.min.js")
        assert member is not None
        axe = member.read().decode()
    for place in (0, 1):
        checks.all(".open-row")[place].click()
    for details in checks.all("details"):
        checks.run("arguments[0].open = true", details)
    checks.run(axe)
    for theme in ("light", "dark"):
        found = checks.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(done, (e) => done({error: String(e)}))"
        )
        assert "error" not in found, found
        wrong = [(v["id"], [n["html"] for n in v["nodes"][:3]]) for v in found["violations"]]
        assert wrong == [], wrong
        print(f"passed: axe-core, {theme}: {len(found['passes'])} rules")
        checks.one("#theme").click()


if __name__ == "__main__":
    sys.exit(main())
