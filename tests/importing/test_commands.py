"""Commands and reports: what needs certificates says so, and what nobody knows is left out."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine import answer, evaluate, import_set
from rulemine.evaluation.reporting.documents import document_of_questions
from tests.command_line import assert_refused
from tests.importing.conftest import ASKED, ROWS, cypher_release, release_of

WORKS = (
    "answer {} --with neighbors -o p.jsonl", "export {} --to questions", "show {} --sample 1",
    "evaluate {} p.jsonl", "evaluate {} p.jsonl --metrics rog",
    "study {} --with neighbors --set resamples=5 -o study",
    "export {} --to supervision", "archive {} -o a.tar", "rename {} --naming text -o text", "verify {}",
    *(f"export {{}} --to {to} -o {to}" for to in ("rog", "gog", "tog", "neo4j", "hf", "croissant")),
)  # fmt: skip

REFUSED = (
    "answer {} --with reasoner -o r.jsonl", "show {} --summary", "verify {} --rebuild",
    "evaluate {} --judge m -o j", "export {} --to brink -o brink",
)  # fmt: skip

OF_TOWNS = (
    "answer {} --with gold-cypher -o p.jsonl", "evaluate {} p.jsonl", "show {} --sample 1",
    "study {} --with gold-cypher --set resamples=5 -o study", "archive {} -o a.tar",
    "export {} --to hf -o hf", "export {} --to questions",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["whole", "bare"])
def test_what_needs_no_certificate_works_and_what_does_says_so(request, name, command):
    folder = request.getfixturevalue(name).path
    for words in WORKS:
        ended = command(*words.format(folder).split())
        assert ended.status == 0, (words, ended.err)
    for words in REFUSED:
        ended = command(*words.format(folder).split())
        assert_refused(ended, "is for releases with rules and certificates")


def test_cypher_questions_are_answered_scored_and_studied(towns, command):
    for words in OF_TOWNS:
        ended = command(*words.format(towns.path).split())
        assert ended.status == 0, (words, ended.err)
    for words, told in (
        ("export {} --to neo4j -o n", "about several property graphs"),
        ("answer {} --with prior -o r.jsonl", "which reads patterns of queries"),
    ):
        assert_refused(command(*words.format(towns.path).split()), told)


def test_scores_of_hard_answers_are_not_available_without_any(bare, command):
    command("answer", bare.path, "--with", "neighbors", "-o", "p.jsonl")
    ended = command("evaluate", bare.path, "p.jsonl")
    row = next(line.split() for line in ended.out.splitlines() if line.startswith("all"))
    assert row[2:6] == ["–"] * 4  # Hard F1, HHR, its hits and Hits@Hard
    assert not {"hops,", "missing"} & set(ended.out.split())  # tables of what is not known
    text = " ".join(ended.out.split())
    assert "3 of 3 questions have answers of which it is not known whether they are hard" in text
    assert "What others published has no core" in text
    assert not [words for words in ("no hard answer", "unseen in training") if words in text]


def test_notes_say_which_answers_are_known(whole):
    text = " ".join(str(evaluate(whole, answer(whole, "neighbors"), resamples=1)).split())
    assert "1 of 3 questions have answers of which it is not known whether they are hard" in text
    assert "1 of 3 questions have no hard answer (every answer is stated)" in text
    headline = document_of_questions(whole).headline
    assert (headline.header, headline.rows[-1]) == (
        ("structure", "questions"),
        ("all", 3),
    )  # no core


def test_what_training_lacks_is_shown_where_there_is_training(tmp_path):
    train, test = ROWS[1] | {"split": "train"}, ROWS[1] | {"id": "five", "split": "test"}
    release = release_of(tmp_path, ROWS[0] | {"split": "test"}, train, test)
    report = evaluate(release, answer(release, "neighbors"), resamples=1)
    groups = [row.group for row in report.rows if row.breakdown == "unseen"]
    assert groups == ["answer", "nothing"]  # of rules nothing is known


def test_a_study_with_lookup_is_refused_before_its_first_run(tmp_path, command):
    release_of(tmp_path, ROWS[2])
    words = "study out --with neighbors,lookup --set resamples=5 -o study"
    ended = command(*words.split())
    assert ended.status == 2
    assert "lookup executes queries, and no question of out has one" in " ".join(ended.err.split())
    assert not (tmp_path / "study").exists()


def test_a_query_of_the_source_is_shown_line_by_line(tmp_path, command):
    release_of(tmp_path, ROWS[1] | {"sparql": "SELECT ?x {\n\t<ann> <parent> ?x\n}"})
    shown = command("show", "out", "two").out.splitlines()
    at = next(n for n, line in enumerate(shown) if "SELECT ?x {" in line)
    start = shown[at].index("SELECT")
    assert [line[start:] for line in shown[at + 1 : at + 3]] == ["    <ann> <parent> ?x", "}"]


def test_nothing_is_removed_for_cypher(tmp_path):
    other = replace(ASKED[0], id="d", text="Are there?", fields={"type": "other"})
    release = cypher_release(tmp_path / "out", *ASKED[:2], other)
    report = evaluate(release, answer(release, "gold-cypher"), resamples=1)
    titles = [table.title for table in report.tables()]
    assert "queries run on the complete graph; in percent" in titles
    assert not any("incomplete" in title for title in titles)
    breakdowns = {row.breakdown for row in report.rows}
    assert ("structure" in breakdowns, "type" in breakdowns) == (True, False)


def test_a_plain_set_has_a_license_and_a_source(given, tmp_path):
    form = "plain:license=CC0:source=a colleague"
    release = import_set(form, given / "test.jsonl", tmp_path / "out")
    kg = release.manifest["kg"]
    assert (kg["license"], kg["source"]) == ("CC0", "a colleague")
    assert "License of the question set: CC0." in (tmp_path / "out/README.md").read_text()
