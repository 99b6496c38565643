"""Shortest paths beside the evidence: worked by hand, and the files read back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.evaluation.answerers.final_answer import TRIPLES, instruction
from rulemine.evaluation.supervision.supervision import labelings, report_supervision
from rulemine.files import read_jsonl
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.reader import Release
from tests.chat_server import KEY, ChatServer, completion
from tests.command_line import Command, assert_refused
from tests.evaluation.world import (
    ANN,
    BOB,
    CID,
    DORA,
    EVE,
    QUESTIONS,
    write_release,
    write_structures,
)
from tests.questions import question

WIFE = (ANN, "wife", BOB)
BETWEEN = {WIFE, (BOB, "father", EVE), (ANN, "mother", CID), (CID, "brother", EVE)}
"""The triples on the two shortest paths from Ann to Eve."""


def test_labelings_of_a_world_by_hand(release: Release) -> None:
    kg = release.kg()
    found = list(labelings(kg, release.questions(), release.removals()))
    assert [one.question.id for one in found] == ["q00001", "q00002", "q00003", "q00004"]
    assert [one.answers for one in found] == [(EVE,), (ANN,), (ANN,), (DORA,)]
    assert [set(kg.labeled(one.shortest)) for one in found] == [
        BETWEEN,
        {WIFE},
        BETWEEN,
        {(BOB, "father", EVE), (DORA, "aunt", EVE)},
    ]
    assert all(one.evidence is not None and kg.labeled(one.evidence) == [WIFE] for one in found)
    assert [one.paths for one in found] == [2, 1, 2, 1]
    assert [one.proof_hops for one in found] == [None, 1, None, None]
    assert not any(one.shortcut or one.unreachable for one in found)


def test_the_report_says_what_was_worked_by_hand(release: Release) -> None:
    headline = report_supervision(release).headline
    assert headline is not None
    ((_, questions, *scores),) = headline.rows
    values = [getattr(score, "value", score) for score in scores]
    assert (questions, *values) == (4, 0.75, 0.375, 1.0, 2.75, 1, 0.0, 0.5, 0.0)


def test_all_answers_with_the_evidence_of_all(release: Release) -> None:
    kg = release.kg("complete")
    one = list(labelings(kg, release.questions(), release.removals(), "all"))[3]
    assert one.answers == (CID, DORA, EVE)
    stated = {(BOB, "father", name) for name in (CID, DORA, EVE)}
    assert set(kg.labeled(one.shortest)) == stated
    assert one.evidence is not None
    assert one.evidence.tolist() == one.shortest.tolist()
    assert (one.paths, one.pairs, one.proof_hops) == (3, 3, 1)


def test_a_shortcut_passes_the_evidence_by() -> None:
    chain = (("a", "p", "m"), ("m", "p", "b"))
    asked = replace(question(1, ("a", "x", "b")), evidence=chain, hops=2)
    around = KnowledgeGraph.from_triples([*chain, ("b", "near", "a")])
    ((direct,), (along,)) = (
        list(labelings(kg, [asked], [])) for kg in (around, KnowledgeGraph.from_triples(chain))
    )
    assert around.labeled(direct.shortest) == [("b", "near", "a")]
    assert (direct.shortcut, direct.proof_hops) == (True, 2)
    assert (along.shortcut, along.proof_hops, len(along.shortest)) == (False, 2, 2)


def test_an_answer_that_is_stated_is_the_one_farthest_along_the_evidence() -> None:
    chain = (("a", "p", "m"), ("m", "p", "b"))
    asked = replace(
        question(1, ("a", "x", "b"), further_hard=["m"]),
        evidence=chain, hard=(), hard_answer=None, answers=("b", "c", "m"), stated=("b", "c", "m"),
    )  # fmt: skip
    (one,) = labelings(KnowledgeGraph.from_triples(chain), [asked], [])
    assert one.answers == ("b",)


def test_what_the_graph_lacks_is_left_out_and_counted(release: Release) -> None:
    (one, *_) = labelings(release.kg(), release.questions(), [])
    assert one.evidence is None
    kg = KnowledgeGraph.from_triples([("x", "p", "y")])
    apart = replace(question(1, ("x", "q", "gone")), evidence=(("x", "p", "y"),))
    (one,) = labelings(kg, [apart], [])
    assert (one.unreachable, one.pairs, len(one.shortest)) == (1, 0, 0)


@pytest.mark.parametrize("kg", ["incomplete", "complete", "incomplete-50"])
@pytest.mark.parametrize("answers", ["asked", "all"])
def test_labels_say_what_the_report_says(
    tmp_path: Path, command: Command, kg: str, answers: str
) -> None:
    folder = write_structures(tmp_path / "structures").path
    options = ("--kg", kg, "--answers", answers, "--format", "json", "--labels")
    ended = command("export", "supervision", folder, *options, tmp_path / "labels")
    assert ended.status == 0
    report = json.loads(ended.out)
    assert report == json.loads((tmp_path / "labels" / "supervision.json").read_text("utf-8"))
    graph = KnowledgeGraph.read(tmp_path / "labels" / "graph.tsv.gz")
    assert graph.labeled() == Release.open(folder).kg(kg).labeled()
    rows = [row for _, row in read_jsonl(tmp_path / "labels" / "labels.jsonl")]
    asked = {q.id: q for q in Release.open(folder).questions()}
    assert [row["id"] for row in rows] == sorted(asked)
    shares = []
    for row in rows:
        assert len(row["rows"]) == len(row["shortest"]) == len(row["evidence"])
        assert all(map(max, zip(row["shortest"], row["evidence"], strict=True)))
        if kg == "complete":
            proof = [n for n, label in zip(row["rows"], row["evidence"], strict=True) if label]
            q = asked[row["id"]]
            triples = graph.labeled()
            assert {triples[n] for n in proof} == set(
                q.evidence if answers == "asked" else q.full_evidence
            )
        both = sum(map(min, row["shortest"], row["evidence"]))
        shares.append(both / sum(row["evidence"]))
    (headline,) = report["headline"]["rows"]
    assert headline[1] == len(rows)
    assert headline[2]["value"] == pytest.approx(sum(shares) / len(shares))
    before = (tmp_path / "labels" / "labels.jsonl").read_bytes()
    command("export", "supervision", folder, *options, tmp_path / "labels")
    assert (tmp_path / "labels" / "labels.jsonl").read_bytes() == before


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "latex", "html"])
def test_every_format_has_the_tables(release: Release, command: Command, form: str) -> None:
    ended = command("export", "supervision", release.path, "--format", form)
    assert ended.status == 0
    assert "evidence in paths" in ended.out
    assert "inversion" in ended.out


def test_bad_input_is_refused(release: Release, command: Command, tmp_path: Path) -> None:
    run = ("export", "supervision", release.path)
    assert_refused(command(*run, "--kg", "reference-2"), "no graph 'reference-2'")
    assert_refused(command(*run, "--split", "dev"), "no split 'dev'")
    assert_refused(command(*run, "--split", "validation"), "no questions in the split 'validation'")
    assert_refused(command(*run, "--labels", release.path / "labels"), "is inside the release")
    (tmp_path / "file").write_text("x")
    assert_refused(command(*run, "--labels", tmp_path / "file"), "is a file")
    assert_refused(
        command("export", "supervision", tmp_path), "no such file, so this is not a release"
    )


def test_a_model_reads_the_paths(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = [replace(q, question=f"Who is {q.id}?") for q in QUESTIONS]
    release = write_release(tmp_path / "small", named)
    asked = {q.question: q for q in release.questions()}
    kg = release.kg()
    wanted = {
        one.question.id: one for one in labelings(kg, release.questions(), release.removals())
    }

    def says(body: dict[str, Any], _: int) -> str:
        text = body["messages"][0]["content"]
        assert text.startswith(instruction(TRIPLES))
        q = next(q for q in asked.values() if f"Question: {q.question}\n" in text)
        shown = text.partition("What is known:\n")[2].partition("\n\n")[0].splitlines()
        assert {tuple(line.split(" | ")) for line in shown} == set(
            kg.labeled(wanted[q.id].shortest)
        )
        return q.answers[0] if q.id != "q00003" else "none"

    with ChatServer(says) as server:
        run = ("export", "supervision", release.path, "--model", "m", "--base-url", server.url)
        ended = command(*run, "--replies", tmp_path / "replies", "--format", "json")
        assert ended.status == 0, ended.err
        count = len(server.bodies)
        again = command(*run, "--replies", tmp_path / "replies", "--format", "json")
        assert (again.out, len(server.bodies), count) == (ended.out, count, 4)
        server.says = lambda body, _: completion(body, "half", "length")
        ended_early = command(*run, "--replies", tmp_path / "more", "--max-tokens", "9")
        assert ended_early.status == 1
        assert "Give it more room: --max-tokens 4000." in ended_early.err
        assert server.bodies[-1]["max_tokens"] == 9
    table = next(grid for grid in json.loads(ended.out)["tables"] if grid["id"] == "read")
    ((shape, questions, hits, share),) = table["rows"]
    assert (shape, questions, hits["value"], share["value"]) == ("(1)", 4, 0.75, 0.75)
    # Evidence is in the paths of three questions, of which the third is missed: r = −1/3.
    assert "-0.33 over questions, – over shapes" in table["notes"][0]
    assert_refused(
        command("export", "supervision", release.path, "--model", "m"), "--model and --replies"
    )
