"""Reports, pages and what is shown of imported questions leave out what nobody knows."""

from pathlib import Path

import pytest

from rulemine import answer, evaluate, import_set
from rulemine.evaluation.reporting.documents import document_of_questions
from tests.command_line import Command
from tests.importing.test_cypher_questions import QUESTIONS, imported
from tests.importing.test_importer import ROWS, whole, write_set


def test_notes_say_which_answers_are_known(tmp_path: Path) -> None:
    release = whole(write_set(tmp_path / "given", ROWS), tmp_path / "out")
    text = " ".join(str(evaluate(release, answer(release, "neighbors"), resamples=1)).split())
    assert "1 of 3 questions have answers of which it is not known whether they are hard" in text
    assert "1 of 3 questions have no hard answer (every answer is stated)" in text


def test_what_training_lacks_is_shown_where_there_is_training(tmp_path: Path) -> None:
    rows = [
        ROWS[0] | {"split": "test"},
        ROWS[1] | {"split": "train"},
        ROWS[1] | {"id": "five", "split": "test"},
    ]
    release = whole(write_set(tmp_path / "given", rows), tmp_path / "out")
    report = evaluate(release, answer(release, "neighbors"), resamples=1)
    groups = [row.group for row in report.rows if row.breakdown == "unseen"]
    assert groups == ["answer", "nothing"]  # of rules nothing is known


def test_a_study_with_lookup_is_refused_before_its_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    given = write_set(tmp_path / "given", [ROWS[2]])
    whole(given, tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    words = "study out --with neighbors,lookup --set resamples=5 -o study"
    ended = command(*words.split())
    assert ended.status == 2
    assert "lookup executes queries, and no question of out has one" in " ".join(ended.err.split())
    assert not (tmp_path / "study").exists()


def test_a_page_of_questions_has_no_core(tmp_path: Path) -> None:
    release = whole(write_set(tmp_path / "given", ROWS), tmp_path / "out")
    assert document_of_questions(release).headline.rows[-1] == ("all", 3)
    assert document_of_questions(release).headline.header == ("structure", "questions")


def test_a_query_of_the_source_is_shown_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    sparql = "SELECT ?x {\n\t<ann> <parent> ?x\n}"
    given = write_set(tmp_path / "given", [ROWS[1] | {"sparql": sparql}])
    whole(given, tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    shown = command("show", "out", "two").out
    first, second, third = (
        next(line for line in shown.splitlines() if part in line)
        for part in ("SELECT ?x {", "<ann> <parent> ?x", "  }")
    )
    assert second.index("<ann>") == first.index("SELECT") + 4
    assert third.index("}") == first.index("SELECT")


def test_nothing_is_removed_for_cypher(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    questions = [
        *QUESTIONS[:2],
        type(QUESTIONS[0])("d", "Are there?", (), cypher=QUESTIONS[0].cypher, graph="north",
                           fields={"type": "other"}),
    ]  # fmt: skip
    release = imported(monkeypatch, tmp_path, questions)
    report = evaluate(release, answer(release, "gold-cypher"), resamples=1)
    titles = [table.title for table in report.tables()]
    assert "queries run on the complete graph; in percent" in titles
    assert not any("incomplete" in title for title in titles)
    breakdowns = {row.breakdown for row in report.rows}
    assert "structure" in breakdowns
    assert "type" not in breakdowns


def test_a_plain_set_has_a_license_and_a_source(tmp_path: Path) -> None:
    given = write_set(tmp_path / "given", ROWS)
    form = "plain:license=CC0:source=a colleague"
    release = import_set(form, given / "test.jsonl", tmp_path / "out")
    kg = release.manifest["kg"]
    assert (kg["license"], kg["source"]) == ("CC0", "a colleague")
    assert "License of the question set: CC0." in (tmp_path / "out/README.md").read_text()
