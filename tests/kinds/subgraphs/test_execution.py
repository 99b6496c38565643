"""Queries as they were written, run within limits."""

from collections.abc import Iterator

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.subgraphs import validation
from rulemine.kinds.subgraphs.validation import Executor, RunFailure
from rulemine.kinds.written.replies import Refusal
from rulemine.kinds.written.writer_names import WriterNames
from tests.chat_server import until

KG = KnowledgeGraph.from_triples(
    [("Zoë {B}", "knows of", f'"{i}" <x>') for i in range(12)] + [("a", "r", "b"), ("a", "s", "b")]
)
NAMES = WriterNames(KG, [f"e{i:02}" for i in range(len(KG.entities))], KG.entities)
ZOE, A, B = (f"<entity:{NAMES.id(KG.entity_ids[name])}>" for name in ("Zoë {B}", "a", "b"))
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(9)) + " }"


@pytest.fixture(scope="module")
def here() -> Iterator[Executor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "MOST_ROWS", 12)
        with Executor(NAMES) as executor:
            yield executor


def test_queries_are_run_as_they_are_written(here: Executor) -> None:
    found = here.answers(f"SELECT ?x {{ {A} <relation:r>|<relation:s> ?x }}")
    assert found == (NAMES.id(KG.entity_ids["b"]),)
    known = here.answers(f"SELECT DISTINCT ?x {{ {ZOE} <relation:knows%20of> ?x }}")
    assert isinstance(known, tuple)
    assert len(known) == 12
    assert known == tuple(sorted(known))
    assert here.answers(f"SELECT (COUNT(?x) AS ?n) {{ {ZOE} ?r ?x }}") == 12
    assert here.answers(f"SELECT (COUNT(?x) AS ?n) {{ {B} ?r ?x }}") == 0
    assert here.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ()


@pytest.mark.parametrize(
    ("sparql", "reason"),
    [
        ("SELECT ?x {", RunFailure.UNREADABLE),
        ("SELECT ?x { entity:e01 ?r ?x }", RunFailure.UNREADABLE),
        ("SELECT ?x { SERVICE <http://127.0.0.1:9> { ?x ?r ?y } }", RunFailure.UNREADABLE),
        ("INSERT DATA { <x:a> <x:b> <x:c> }", RunFailure.UNREADABLE),
        ("LOAD <file:///etc/passwd>", RunFailure.UNREADABLE),
        ("SELECT ?x { ?x ?r ?y } # \ud800", RunFailure.UNREADABLE),
        ("SELECT ?x { ?x ?r ?y }", RunFailure.ROWS),
        ("SELECT ?x ?y { ?x <relation:r> ?y }", RunFailure.COLUMNS),
        ("ASK { ?x ?r ?y }", RunFailure.COLUMNS),
        ("CONSTRUCT WHERE { ?x <relation:r> ?y }", RunFailure.COLUMNS),
        ("SELECT ?r { ?x ?r <entity:nobody> } VALUES ?r { <relation:r> }", None),
        ("SELECT DISTINCT ?r { ?x ?r ?y }", RunFailure.UNKNOWN),
        ("SELECT (1.5 AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT (-1 AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT (<entity:nobody> AS ?n) {}", RunFailure.UNKNOWN),
        ("SELECT ?x { OPTIONAL { ?x <x:x> ?y } }", RunFailure.UNKNOWN),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(
    here: Executor, sparql: str, reason: str | None
) -> None:
    found = here.answers(sparql)
    assert (found.reason if isinstance(found, Refusal) else None) == reason


def test_a_query_that_never_ends_is_ended_and_the_next_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(validation, "SECONDS", 0.3)
    with Executor(NAMES) as executor:
        for _ in range(2):
            found = executor.answers(ENDLESS)
            assert isinstance(found, Refusal)
            assert found.reason == RunFailure.TIME
        until(lambda: executor.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ())
