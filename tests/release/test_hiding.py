"""An archive without the answers to test: read by an attacker, and used by somebody who has no more."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import Any

import pytest

from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import priors
from rulemine.kg.index import Index
from rulemine.query import evaluate, parse
from rulemine.release.contents import read_parts
from rulemine.release.hiding import HIDDEN, _counted
from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from tests import each
from tests.command_line import assert_refused, run_here
from tests.releases import built

RELEASES = ("demo", "dealt", "coast", "coast-structures", "coast-subgraphs", "coast-variants")

Pair = tuple[Release, Release]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Pair]:
    """A release and what is left of it in an archive; ``dealt`` trains on much of what test needs."""

    @cache
    def made(name: str) -> Pair:
        folder = tmp_path_factory.mktemp(name)
        if name == "dealt":
            parts = read_parts(made("demo")[0])
            splits = cycle((HIDDEN, "train"))
            dealt = (replace(q, split=next(splits)) for q in parts.questions)
            (folder / "full").mkdir()
            write_release(folder / "full", replace(parts, questions=tuple(dealt)), parts.naming)
            full = Release.open(folder / "full")
        else:
            full = Release.open(built(name) / ("demo" if name == "demo" else "release"))
        ended = run_here(folder, ["archive", full.path, "--hide", "test", "-o", "h.tar"])
        assert ended.status == 0, ended.err
        return full, Release.open(folder / "h.tar")

    return made


def triples_in(value: Any) -> Iterator[tuple[str, ...]]:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, str) for v in value):
        yield tuple(value)
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from triples_in(part)


def needed(full: Release) -> set[tuple[str, str, str]]:
    removed = {row.triple for row in full.missing()}
    return {
        triple
        for q in full.questions(HIDDEN)
        for row in q.hard
        for triple in row.witness
        if triple in removed
    }


@each("name", RELEASES)
def test_no_file_states_what_test_needs(pair: Callable[[str], Pair], name: str) -> None:
    full, hidden = pair(name)
    if not (secret := needed(full)):
        return  # no test question of this small release needs a removed triple
    pairs = {tuple(sorted(triple[::2])) for triple in secret}
    complete = set(hidden.kg("complete").labeled())
    incomplete = set(full.kg("incomplete").labeled())
    assert set(hidden.kg("incomplete").labeled()) == incomplete
    assert not {t for t in complete - incomplete if tuple(sorted(t[::2])) in pairs}
    for file in hidden.folder.rglob("*.jsonl"):
        for line in filter(None, file.read_text("utf-8").split("\n")):
            assert not secret & set(triples_in(json.loads(line))), file
    if full.has_property_graph:
        graph = hidden.property_graph("complete")
        assert len(graph.edges) == len(complete), "an edge for each triple"
        assert len(hidden.property_graph().edges) == len(incomplete)


@each("name", RELEASES)
def test_test_has_what_systems_are_given(pair: Callable[[str], Pair], name: str) -> None:
    full, hidden = pair(name)
    rows = (hidden.folder / "questions/test.jsonl").read_text("utf-8").split("\n")[:-1]
    assert {tuple(json.loads(row)) for row in rows} == {("id", "question", "topic_entities")}
    own = {q.id: q for q in full.questions()}
    asked = hidden.questions(HIDDEN)
    assert len(asked) == len(full.questions(HIDDEN))
    for q in asked:
        known = own[full.hidden_ids[q.id]]
        assert (q.question, q.anchors, q.split) == (known.question, known.anchors, HIDDEN)
    assert not {q.id for q in hidden.questions()} & own.keys()
    for q in (*hidden.questions("train"), *hidden.questions("validation")):
        known = own[full.hidden_ids[q.id]]
        assert (q.answers, q.hard, q.evidence) == (known.answers, known.hard, known.evidence)
    for row in hidden.removals():
        assert set(row.certificate.body) <= set(full.kg("incomplete").labeled())


@each("name", RELEASES)
def test_what_is_left_does_not_give_an_answer_together(pair, name):
    full, hidden = pair(name)
    if full.answers == "rows":
        return  # patterns have tests of their own
    for q in full.questions(HIDDEN):
        if q.hard:
            found = evaluate(hidden.kg("complete"), parse(q.query)).answers
            assert not {*found} & {*q.hard_answers}, q.id


@each("name", RELEASES)
def test_numbers_are_those_of_what_is_left(pair: Callable[[str], Pair], name: str) -> None:
    full, hidden = pair(name)
    """Nothing follows from a difference: each number is that of the graphs that are here."""
    complete = hidden.kg("complete")
    index = Index(complete)
    for rule in hidden.rules():
        assert _counted(rule, index) == rule
    declared = hidden.templates().declarations
    found = dict(zip(complete.labeled(), priors(complete, declared).tolist(), strict=True))
    for row in hidden.removals():
        prior = row.difficulty.prior
        assert [prior.subject, prior.object] == found[row.triple]
    sizes = dict(zip(complete.relations, complete.relation_sizes().tolist(), strict=True))
    for relation, columns in hidden.relations().items():
        assert int(columns["triples"]) == sizes.get(relation, 0)
    if "types.tsv" in hidden.manifest["files"] and not full.has_property_graph:
        types = types_of(complete)
        assert hidden.types() == {
            entity: types.labels(types.of(i)) for i, entity in enumerate(complete.entities)
        }
    if not full.has_property_graph:
        said = {a for q in hidden.questions() for a in (*q.anchors, *q.answers)}
        names = {row.name_in(hidden.naming) for row in hidden.entities}
        assert names - {*complete.entities} <= said, "entities of no graph that is left"
    counts = hidden.manifest["counts"]
    assert counts["triples_complete"] == len(complete)
    assert counts["questions_by_split"][HIDDEN] == 0
    text = (hidden.folder / "manifest.json").read_text("utf-8")
    assert full.manifest["kg"]["digest"] not in text
    assert hidden.manifest["config"]["seed"] == 0


@each("name", RELEASES)
def test_who_has_the_full_release_scores(pair, tmp_path, command, name):
    full, hidden = pair(name)
    rows = full.answers == "rows"
    by_id = {own: id_ for id_, own in full.hidden_ids.items()}
    lines = [
        {"id": q.id, **({"rows": []} if rows else {"answers": [*q.answers[:1]]})}
        for q in full.questions(HIDDEN)
    ]
    for file, ids in (("own", {}), ("hidden", by_id)):
        text = [json.dumps({**line, "id": ids.get(line["id"], line["id"])}) for line in lines]
        (tmp_path / file).write_text("\n".join(text) + "\n", "utf-8")
    scores = [command("evaluate", full.path, tmp_path / file) for file in ("own", "hidden")]
    assert scores[0].status == 0, scores[0].err
    assert scores[0] == scores[1]
    assert hidden.identity == full.identity
    assert_refused(command("evaluate", hidden.path, tmp_path / "hidden"), "only who has the full")
    assert_refused(command("evaluate", "--baselines", hidden.path), "only who has the full")


@each("name", RELEASES)
def test_it_is_used_like_any_other(pair, tmp_path, command, name):
    full, hidden = pair(name)
    ended = command("verify", hidden.path)
    assert (ended.status, "answers of test are hidden" in ended.out) == (0, True)
    asked = command("export", hidden.path, "--to", "questions")
    assert asked.out.count("\n") == len(full.questions(HIDDEN))
    first, train = hidden.questions(HIDDEN)[0], hidden.questions("train")[0]
    shown = command("show", hidden.path, first.id)
    assert shown.status == 0, shown.err
    assert "only who has the full release knows them" in shown.out
    assert command("show", hidden.path, train.id).status == 0
    if full.answers == "entities":
        words = ("answer", hidden.path, "--with", "neighbors", "-o", tmp_path / "p")
        assert command(*words).status == 0
        assert command("evaluate", full.path, tmp_path / "p").status == 0
        assert_refused(
            command(*words[:3], "lookup", "-o", tmp_path / "q"), "no question has a query"
        )
    to = "rog" if full.answers == "entities" else "neo4j"
    words = ("export", hidden.path, "--to", to, "-o", tmp_path / "e")
    assert command(*words, "--without-answers").status == 0
    assert not (tmp_path / "e.answers.jsonl").exists()
    for refused in (
        words,
        ("rename", hidden.path, "--naming", "private", "-o", tmp_path / "r"),
        ("archive", hidden.path, "--hide", "test", "-o", tmp_path / "a.tar"),
        ("show", hidden.path, "--summary"),
    ):
        assert_refused(command(*refused), "only who has the full release can do that")
    ended = command("archive", hidden.path, "-o", tmp_path / "a.tar")
    assert ended.status == 0
    assert (tmp_path / "a.tar").read_bytes() == hidden.path.read_bytes()
