"""Shortest paths beside the evidence: by hand, as networkx lists them, and the files read back."""

import json
import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from rulemine.evaluation.answerers.final_answer import TRIPLES, instruction
from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.evaluation.supervision.supervision import labelings, report_supervision
from rulemine.files import read_jsonl
from rulemine.kg.graph import KnowledgeGraph
from rulemine.seeds import stream
from tests import each, some_seeds
from tests.chat_server import KEY, ChatServer, completion
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


def test_labelings_of_a_world_by_hand(release):
    kg = release.kg()
    found = list(labelings(kg, release.questions(), release.removals()))
    assert [one.question.id for one in found] == ["q00001", "q00002", "q00003", "q00004"]
    assert [one.answers for one in found] == [(EVE,), (ANN,), (ANN,), (DORA,)]
    last = {(BOB, "father", EVE), (DORA, "aunt", EVE)}
    assert [{*kg.labeled(one.shortest)} for one in found] == [BETWEEN, {WIFE}, BETWEEN, last]
    assert all(kg.labeled(one.evidence) == [WIFE] for one in found)
    assert [one.paths for one in found] == [2, 1, 2, 1]
    assert [one.proof_hops for one in found] == [None, 1, None, None]
    assert not any(one.shortcut or one.unreachable for one in found)
    ((_, questions, *scores),) = report_supervision(release).headline.rows
    values = [getattr(score, "value", score) for score in scores]
    assert (questions, *values) == (4, 0.75, 0.375, 1.0, 2.75, 1, 0.0, 0.5, 0.0)


def test_a_shortcut_passes_the_evidence_by():
    chain = (("a", "p", "m"), ("m", "p", "b"))
    asked = replace(question(1, ("a", "x", "b")), evidence=chain, hops=2)
    around = KnowledgeGraph.from_triples([*chain, ("b", "near", "a")])
    ((direct,), (along,)) = (
        list(labelings(kg, [asked], [])) for kg in (around, KnowledgeGraph.from_triples(chain))
    )
    assert around.labeled(direct.shortest) == [("b", "near", "a")]
    assert (direct.shortcut, direct.proof_hops) == (True, 2)
    assert (along.shortcut, along.proof_hops, len(along.shortest)) == (False, 2, 2)


def test_an_answer_that_is_stated_is_the_one_farthest_along_the_evidence():
    chain = (("a", "p", "m"), ("m", "p", "b"))
    asked = replace(
        question(1, ("a", "x", "b"), further_hard=["m"]),
        evidence=chain, hard=(), hard_answer=None, answers=("b", "c", "m"), stated=("b", "c", "m"),
    )  # fmt: skip
    (one,) = labelings(KnowledgeGraph.from_triples(chain), [asked], [])
    assert one.answers == ("b",)


def test_what_the_graph_lacks_is_left_out_and_counted(release):
    (one, *_) = labelings(release.kg(), release.questions(), [])
    assert one.evidence is None
    kg = KnowledgeGraph.from_triples([("x", "p", "y")])
    apart = replace(question(1, ("x", "q", "gone")), evidence=(("x", "p", "y"),))
    (one,) = labelings(kg, [apart], [])
    assert (one.unreachable, one.pairs, len(one.shortest)) == (1, 0, 0)


@each(("kg", "answers"), product(("incomplete", "complete", "incomplete-50"), ("asked", "all")))
def test_labels_say_what_the_report_says(tmp_path, command, kg, answers):
    release, place = write_structures(tmp_path / "structures"), tmp_path / "labels"
    asked = {q.id: q for q in release.questions()}
    form = f"supervision:answers={answers}:format=json"
    ended = command("export", release.path, "--to", form, "--kg", kg, "-o", place)
    report = json.loads(ended.out)
    assert report == json.loads((place / "supervision.json").read_text("utf-8"))
    graph = KnowledgeGraph.read(place / "graph.tsv.gz").labeled()
    assert graph == release.kg(kg).labeled()
    rows = [row for _, row in read_jsonl(place / "labels.jsonl")]
    assert [row["id"] for row in rows] == sorted(asked)
    shares = []
    for row in rows:
        assert all(map(max, row["shortest"], row["evidence"]))
        if kg == "complete":
            q, labels = asked[row["id"]], zip(row["rows"], row["evidence"], strict=True)
            proof = {graph[n] for n, evidence in labels if evidence}
            assert proof == set(q.evidence if answers == "asked" else q.full_evidence)
        shares.append(sum(map(min, row["shortest"], row["evidence"])) / sum(row["evidence"]))
    (headline,) = report["headline"]["rows"]
    assert headline[1] == len(rows)
    assert headline[2]["value"] == pytest.approx(sum(shares) / len(shares))


def test_a_model_reads_the_paths(command, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = [replace(q, question=f"Who is {q.id}?") for q in QUESTIONS]
    release = write_release(tmp_path / "small", named)
    kg, asked = release.kg(), release.questions()
    wanted = {one.question.id: one.shortest for one in labelings(kg, asked, release.removals())}

    def says(body, _):
        text = body["messages"][0]["content"]
        assert text.startswith(instruction(TRIPLES))
        q = next(q for q in asked if f"Question: {q.question}\n" in text)
        shown = text.partition("What is known:\n")[2].partition("\n\n")[0].splitlines()
        assert {tuple(line.split(" | ")) for line in shown} == {*kg.labeled(wanted[q.id])}
        return q.answers[0] if q.id != "q00003" else "none"

    with ChatServer(says) as server:
        run = ("export", release.path, "--set", f"endpoint.base_url={server.url}", "--to")
        form = f'supervision:model=m:replies="{tmp_path / "replies"}"'
        kept = f"{form}:format=json"
        ended = command(*run, kept)
        assert ended.status == 0, ended.err
        assert (command(*run, kept).out, len(server.bodies)) == (ended.out, 4)
        server.says = lambda body, _: completion(body, "half", "length")
        form = f'supervision:model=m:replies="{tmp_path / "more"}"'
        ended_early = command(*run, f"{form}:max_tokens=9")
        assert ended_early.status == 1
        assert "Give it more room: max_tokens=4000." in ended_early.err
        assert server.bodies[-1]["max_tokens"] == 9
    table = next(grid for grid in json.loads(ended.out)["tables"] if grid["id"] == "read")
    ((shape, questions, hits, share),) = table["rows"]
    assert (shape, questions, hits["value"], share["value"]) == ("(1)", 4, 0.75, 0.75)
    # Evidence is in the paths of three questions, of which the third is missed: r = −1/3.
    assert "-0.33 over questions, – over shapes" in table["notes"][0]


nx = pytest.importorskip("networkx", reason="networkx is not installed: make install")


def by_listing(kg, start, goals):
    """The distances, rows and number of all shortest paths, as networkx lists them."""
    between = {}
    for row, (head, _, tail) in enumerate(kg.triples.tolist()):
        between.setdefault(frozenset((head, tail)), []).append(row)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(kg.entities)))
    graph.add_edges_from(tuple(pair) for pair in between if len(pair) == 2)
    distances, rows, paths = [], set(), 0
    for goal in goals:
        there = nx.has_path(graph, start, goal)
        listed = list(nx.all_shortest_paths(graph, start, goal)) if there else []
        distances.append(len(listed[0]) - 1 if listed else -1)
        for path in listed:
            steps = [between[frozenset(step)] for step in pairwise(path)]
            rows.update(row for step in steps for row in step)
            paths += math.prod(map(len, steps))
    return distances, sorted(rows), paths


@each("seed", some_seeds(12))
def test_as_networkx_lists_them(seed):
    draw, longest = stream(seed, "shortest paths"), 0
    size, triples = 6 + 2 * seed, 10 + 4 * seed

    def end():  # some entities have many triples, some are apart
        return f"e{min(draw.below(size), draw.below(size)):02d}"

    kg = KnowledgeGraph.from_triples((end(), f"r{draw.below(3)}", end()) for _ in range(triples))
    search = ShortestPaths(kg)
    for start in range(len(kg.entities)):
        for count in (1, 1, 3):
            goals = draw.permutation(len(kg.entities))[:count]
            found = search.between(start, goals)
            told = (found.distances.tolist(), found.rows.tolist(), found.paths)
            assert told == by_listing(kg, start, goals.tolist())
            longest = max(longest, int(found.distances.max()))
    assert longest > 1


def test_counts_have_no_bound():
    for steps in (61, 62, 63, 64, 200):
        ladder = [(f"e{i:03d}", r, f"e{i + 1:03d}") for i in range(steps) for r in ("p", "q")]
        search = ShortestPaths(KnowledgeGraph.from_triples(ladder))
        found = search.between(0, np.array([steps, 1, 0]))
        assert found.distances.tolist() == [steps, 1, 0]
        assert found.paths == 2**steps + 2 + 1
        assert found.rows.tolist() == list(range(2 * steps))
