"""Candidates that are wrong in each way, one at a time, on one small graph."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.subgraphs import validation
from rulemine.kinds.subgraphs.validation import Executor, Mistake, RunFailure, Valid, Validator
from rulemine.kinds.written.replies import Candidate, NamedNode, Refusal, Subgraph
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query import QueryGraph
from rulemine.query.structures import structure_of
from rulemine.query.wider import Wider
from tests import each
from tests.chat_server import until
from tests.query.rooted_trees import Tree, rooted_trees, shape_of

STATED = """a r m · a r n · m s x · n s z · b t x · b t y · d t y · c u x · a w x · a w2 x · k e m · x p x
g r m · a sp i · j sp a · l sp i · o sp q · f o2 i · f o2 j""".replace("\n", " · ")
KG = KnowledgeGraph.from_triples(
    [tuple(line.split()) for line in STATED.split(" · ")]  # type: ignore[misc]
    + [("h", "q", f"i{number:02}") for number in range(11)]
)
NAMES = WriterNames(
    KG, [f"e{i:02}" for i in range(len(KG.entities))], [f"The {e}" for e in KG.entities]
)
CODE = dict(zip(KG.entities, NAMES.ids, strict=True))
WHOLE = Subgraph(tuple(range(len(KG.entities))), tuple(range(len(KG.triples))))


def node(name: str) -> NamedNode:
    return NamedNode(CODE[name], f"The {name}")


def candidate(
    triples: str, answer: str, seeds: str, where: str, select: str = "DISTINCT ?x"
) -> Candidate:
    """A candidate; in `where`, ``a:`` is the entity a and ``r:`` in place of a relation the relation r."""
    used = [line.split() for line in triples.split(" · ")]
    text = " ".join(_iri(word) for word in where.split())
    return Candidate(
        f"What of {seeds}?",
        node(answer),
        tuple((CODE[s], r, CODE[o]) for s, r, o in used),
        tuple(map(node, seeds.split())),
        f"SELECT {select} WHERE {{ {text} }}",
    )


def _iri(word: str) -> str:
    if word.startswith("@"):
        return f"<entity:{CODE[word[1:]]}>"
    return f"<relation:{word[1:]}>" if word.startswith(":") else word


CHAIN = candidate("a r m · m s x · b t x", "x", "a b", "@a :r ?y . ?y :s ?x . @b :t ?x")
ONE = candidate("b t x", "x", "b", "@b :t ?x")


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulemine.kinds.subgraphs.validation.MOST_ROWS", 12)
        with Executor(NAMES) as running:
            yield running


def validator(
    executor: Executor, declarations: Declarations | None = None, **more: Any
) -> Validator:
    return Validator(NAMES, QueryGraph(KG), declarations or Declarations(), executor, **more)


def validated(
    of: Validator, given: Candidate, subgraph: Subgraph = WHOLE, atoms: int = 0
) -> Valid | Refusal:
    """The verdict; the number of triples is that of the candidate, up to six, if not given."""
    return of.validate(given, subgraph, atoms or min(6, len(set(given.triples))))


def rejected(executor: Executor, given: Candidate, *more: Any) -> str:
    found = validated(validator(executor), given, *more)
    assert isinstance(found, Refusal), found
    return found.reason


VALID = {
    "1p": (ONE, '(p "t" "b")'),
    "a label with white space": (replace(ONE, answer=NamedNode(CODE["x"], " The \n x")), '(p "t" "b")'),
    "pi": (CHAIN, '(and (p "s" (p "r" "a")) (p "t" "b"))'),
    "paths": (candidate("a r m · m s x", "x", "a", "?x ^ :s / ^ :r @a"), '(p "s" (p "r" "a"))'),
    "count": (
        candidate("b t x", "x", "b", "@b :t ?x", "(COUNT(DISTINCT ?x) AS ?n)"), '(count (p "t" "b"))'),
    "without": (
        candidate("b t x", "x", "b d", "@b :t ?x FILTER NOT EXISTS { @d :t ?x }"),
        '(minus (p "t" "b") (p "t" "d"))'),
    "within": (
        candidate("a r n · n s z", "z", "a k", "@a :r ?y . ?y :s ?x MINUS { @k :e ?y }"),
        '(p "s" (minus (p "r" "a") (p "e" "k")))'),
}  # fmt: skip


@each(("given", "query"), VALID.values())
def test_what_is_right_is_accepted(executor: Executor, given: Candidate, query: str) -> None:
    found = validated(validator(executor), given)
    assert isinstance(found, Valid), found
    assert found.query.text == query
    assert NAMES.id(found.answer) == given.answer.id
    rows = [(NAMES.id(s), KG.relations[r], NAMES.id(o)) for s, r, o in KG.triples[list(found.rows)]]
    assert tuple(rows) == given.triples


WRONG = {
    Mistake.UNKNOWN: [
        replace(ONE, seeds=(NamedNode("e99", "The b"),)), replace(ONE, answer=NamedNode("x", "x")),
        replace(ONE, triples=((CODE["b"], "T", CODE["x"]),)),
        replace(ONE, triples=((CODE["b"], "t", "x"),)),
    ],
    Mistake.LABEL: [
        replace(ONE, seeds=(NamedNode(CODE["b"], "The c"),)), replace(ONE, answer=NamedNode(CODE["x"], "")),
    ],
    Mistake.OUTSIDE: [candidate("x t b", "x", "b", "@b :t ?x")],
    Mistake.NUMBER: [
        candidate("b t x · b t x", "x", "b", "@b :t ?x"),
        candidate(" · ".join(f"h q i{n:02}" for n in range(7)), "i00", "h", "@h :q ?x"),
    ],
    Mistake.TREE: [
        candidate("b t y", "x", "b", "@b :t ?x"),
        candidate("a r m · n s z", "z", "a", "@a :r ?y . ?y :s ?x"),
        candidate("b t x · x p x", "x", "b", "@b :t ?x"),
        candidate("a r m · m s x · a w x", "x", "a", "@a :r ?y . ?y :s ?x . @a :w ?x"),
        candidate("a w x · a w2 x", "x", "a", "@a :w ?x . @a :w2 ?x"),
    ],
    Mistake.SPARQL: [
        replace(ONE, sparql=text)
        for text in ("SELECT ?x {", "x", "SELECT ?x { e01 t ?x }", "SELECT ?x { ?x \\ud800 }")
    ],
    Mistake.BARRED: [
        replace(ONE, sparql="DELETE WHERE { ?s ?p ?o }"), replace(ONE, sparql="CLEAR ALL"),
        replace(ONE, sparql="LOAD <file:///etc/passwd>"),
        candidate("b t x", "x", "b", "@b :t ?x FILTER NOT EXISTS { SERVICE <http://x> { ?x :t ?x } }"),
        candidate("b t x", "x", "b", "GRAPH ?g { @b :t ?x }"),
        replace(ONE, sparql=ONE.sparql.replace("WHERE", "FROM <http://x> WHERE")),
    ],
    Mistake.NO_TREE: [
        candidate("b t x", "x", "b", "@b :t ?x OPTIONAL { ?x :p ?y }"),
        candidate("b t x", "x", "b", "@b ( :t )+ ?x"), candidate("b t x", "x", "b", "@b ?r ?x"),
        candidate("b t x", "x", "b", "@b :t ?x FILTER(?x != 1)"),
        candidate("b t x", "x", "b", "@b :t ?x FILTER(?x != @y )"),
        candidate("b t x", "x", "b", "@b :t ?x . ?x :p ?x"),
        candidate("b t x", "x", "b", "@b :t ?x . ?x :p ?y"),
        candidate("b t x", "x", "b", "@b :t ?x . ?x ?r ?y", "?x ?y"),
        candidate("b t x", "x", "b", "@b :t ?x", "(COUNT(?x) AS ?n)"),
        candidate("b t x", "x", "b d", "@b :t ?x MINUS { @d :t ?x FILTER(?x = 1) }"),
        replace(ONE, sparql=ONE.sparql + " ORDER BY ?x"),
        replace(ONE, sparql=ONE.sparql.replace("SELECT DISTINCT ?x", "ASK")),
    ],
    Mistake.OTHER: [
        candidate("a r m · m s x · a r n · n s z", "x", "a", "@a :r ?y . ?y :s ?x"),
        candidate("b t x", "x", "b", "?x :t @b"), candidate("b t y", "y", "c", "@c :u ?x"),
        candidate("b t x", "x", "b", "?x :t @b", "(COUNT(DISTINCT ?x) AS ?n)"),
        candidate("b t x", "x", "b d", "{ @b :t ?x } UNION { @d :t ?x }"),
        candidate("a w x", "x", "a", "@a ( :w | :w2 ) ?x"),
        candidate("b t x", "x", "b c", "@b :t ?x . @c :u ?x"),
        candidate("a w x", "x", "a", "@a :w / :p ?x"),
        candidate("a r m · k e m · m s x", "x", "a k", "@a :r ?y . ?y :s ?x . @k :e ?z . ?z :s ?x"),
    ],
    Mistake.CONSTANTS: [
        replace(ONE, seeds=()), candidate("b t x", "x", "b x", "@b :t ?x"),
        candidate("b t x", "x", "b c", "@b :t ?x"),
        candidate("b t x", "x", "b", "@b :t ?x FILTER NOT EXISTS { @d :t ?x }"),
        candidate("a r m · m s x", "x", "a m", "@a :r ?y . ?y :s ?x"),
    ],
    Mistake.ABSENT: [
        candidate("b t y", "y", "b d", "@b :t ?x FILTER NOT EXISTS { @d :t ?x }"),
        candidate("b t y", "y", "b d", "@b :t ?x MINUS { @d :t ?x }", "(COUNT(DISTINCT ?x) AS ?n)"),
    ],
}  # fmt: skip


def test_what_is_wrong_is_rejected_with_its_reason(executor: Executor) -> None:
    given = [(one, reason) for reason, some in WRONG.items() for one in some]
    assert [(one, why) for one, why in given if rejected(executor, one) != why] == []
    names = list(vars(Mistake).values())  # in the order of the checks
    assert [r for r in WRONG if r in names] == sorted(WRONG.keys() & {*names}, key=names.index)


def test_a_limit_or_a_difference_goes_where_it_changes_no_answer(executor: Executor) -> None:
    def found(given: Candidate, removed: str = "", further: str = "") -> tuple[str, ...] | str:
        levels = np.array([t == tuple(removed.split()) for t in KG.labeled()], np.int64)
        more = KnowledgeGraph.from_triples([tuple(further.split())]) if further else None  # type: ignore[misc]
        graph = QueryGraph(KG, levels)
        of = Validator(NAMES, graph, Declarations(), executor, wider=Wider.of(KG, more))
        verdict = validated(of, given)
        return verdict.dropped if isinstance(verdict, Valid) else verdict.reason

    limited = replace(ONE, sparql=ONE.sparql + " LIMIT 2")
    assert found(limited) == found(limited, "b t x") == found(limited, "", "d t q") == ("LIMIT",)
    assert found(limited, "", "b t q") == Mistake.NO_TREE, "the larger graph has three answers"
    assert found(replace(ONE, sparql=ONE.sparql + " LIMIT 1")) in (Mistake.NO_TREE, Mistake.ABSENT)
    apart = candidate("a w x", "x", "a", "@a :w ?x FILTER(?x != @a )")
    assert found(apart) == ("FILTER !=",)
    looped = candidate("a w x", "x", "a", "@a :w ?x . ?x :p ?y FILTER(?y != @a )")
    assert found(looped) == Mistake.NO_TREE, "a pattern that only the filter uses is not dropped"
    way = candidate("a sp i · l sp i", "l", "a", "@a :sp ?y . ?x :sp ?y FILTER(?x != @a )")
    assert found(way) == Mistake.NO_TREE, "without the filter a is an answer"
    less = candidate(
        "f o2 i", "i", "f a", "@f :o2 ?x FILTER(?x != @f ) FILTER NOT EXISTS { ?x :sp @a }"
    )
    assert found(less) == Mistake.NO_TREE, "with something taken away nothing is dropped"
    inner = "SELECT ?x WHERE { { SELECT ?x WHERE { %s } LIMIT 9 } }"
    assert found(replace(ONE, sparql=inner % "e:e01 r:t ?x")) == Mistake.NO_TREE


def test_what_the_writer_did_not_see_is_outside(executor: Executor) -> None:
    ids, rows = KG.entity_ids, {t: i for i, t in enumerate(KG.labeled())}
    whole = Subgraph(
        tuple(ids[name] for name in "abmx"),
        tuple(rows[t] for t in [("a", "r", "m"), ("m", "s", "x"), ("b", "t", "x")]),
    )
    assert isinstance(validated(validator(executor), CHAIN, whole, 3), Valid)
    assert rejected(executor, CHAIN, whole, 2) == Mistake.NUMBER
    twice = candidate("b t x · b t x", "x", "b", "@b :t ?x")
    assert rejected(executor, twice, WHOLE, 2) == Mistake.NUMBER
    for less in (replace(whole, rows=whole.rows[1:]), replace(whole, nodes=whole.nodes[1:])):
        assert rejected(executor, CHAIN, less, 3) == Mistake.OUTSIDE
    without = VALID["without"][0]  # what is taken away must have been shown too
    assert (
        rejected(executor, without, replace(whole, rows=(rows["b", "t", "x"],)), 1)
        == Mistake.OUTSIDE
    )


def test_declared_relations_are_asked_for_in_all_their_statements(executor: Executor) -> None:
    declared = Declarations.of(symmetric=["sp"])
    given = candidate("a sp i", "i", "a", "@a :sp ?x")
    found = validated(validator(executor, declared), given)
    assert isinstance(found, Valid)
    assert found.query.text == '(or (p "sp" "a") (p- "sp" "a"))'
    same = validator(executor, Declarations.of(same=[("w", "w2")]))
    for used, reason in [("a w x", ""), ("a w2 x", ""), ("a w x · a w2 x", Mistake.TREE)]:
        verdict = validated(same, candidate(used, "x", "a", "@a :w ?x"))
        assert (verdict.reason if isinstance(verdict, Refusal) else "") == reason
    less = candidate("f o2 i", "i", "f a", "@f :o2 ?x FILTER NOT EXISTS { ?x :sp @a }")
    assert isinstance(validated(validator(executor), less), Valid)
    gone = validated(validator(executor, declared), less)  # a sp i says it too
    assert isinstance(gone, Refusal)
    assert gone.reason == Mistake.ABSENT


class Fixed(Executor):
    """Gives one result, whatever is asked."""

    def __init__(self, result: tuple[str, ...] | int | Refusal) -> None:
        self.result = result

    def answers(self, sparql: str) -> tuple[str, ...] | int | Refusal:
        return self.result


def test_another_result_is_refused_and_one_too_late_is_not_waited_for() -> None:
    for result in (tuple(sorted(CODE[name] for name in "xyz")), (CODE["x"],), 2):
        assert rejected(Fixed(result), ONE) == Mistake.DIFFERS
    assert rejected(Fixed(3), VALID["count"][0]) == Mistake.DIFFERS
    assert rejected(Fixed(Refusal(RunFailure.MEMORY)), ONE) == RunFailure.MEMORY
    assert isinstance(validated(validator(Fixed(2)), VALID["count"][0]), Valid)
    slow = validator(Fixed(Refusal(RunFailure.TIME)))
    assert isinstance(validated(slow, ONE), Valid)  # its tree says what it gives
    assert slow.unfinished == 1


TREES = [tree for edges in range(1, 7) for tree in rooted_trees(edges)]


def triples_of(tree: Tree, at: str, path: str) -> Iterator[Triple]:
    """The triples of a tree; entities are named by their path, as relations are."""
    for number, branch in enumerate(tree):
        own = f"{path}.{number}"
        yield f"e{own}", f"r{own}", at
        yield from triples_of(branch, f"e{own}", own)


def candidate_of(triples: list[Triple], answer: str) -> Candidate:
    """A candidate whose every inner entity is a variable."""
    seeds = sorted({s for s, _, _ in triples} - {o for _, _, o in triples})

    def term(name: str) -> str:
        return f"<entity:{name}>" if name in seeds else f"?{name.replace('.', '_')}"

    patterns = " ".join(f"{term(s)} <relation:{r}> {term(o)} ." for s, r, o in triples)
    named = tuple(NamedNode(seed, seed) for seed in seeds)
    question, sparql = f"What has {' and '.join(seeds)}?", f"SELECT ?{answer} {{ {patterns} }}"
    return Candidate(question, NamedNode(answer, answer), tuple(triples), named, sparql)


def leaf_depths(tree: Tree, depth: int = 1) -> list[int]:
    """How far the leaves are from the root."""
    return [d for b in tree for d in (leaf_depths(b, depth + 1) if b else [depth])]


def test_every_shape_is_accepted_with_its_code() -> None:
    trees = [list(triples_of(tree, f"x{i}", str(i))) for i, tree in enumerate(TREES)]
    kg = KnowledgeGraph.from_triples(triple for tree in trees for triple in tree)
    names, graph = WriterNames(kg, kg.entities, kg.entities), QueryGraph(kg)
    whole = Subgraph(tuple(range(len(kg.entities))), tuple(range(len(kg.triples))))
    with Executor(names) as executor:
        of = Validator(names, graph, Declarations(), executor)
        given = [candidate_of(tree, f"x{i}") for i, tree in enumerate(trees)]
        given[0] = replace(given[0], sparql=f"{given[0].sparql} LIMIT 1")
        found = [validated(of, one, whole) for one in given]
    for tree, one in zip(TREES, found, strict=True):
        assert isinstance(one, Valid), one
        assert one.dropped == (("LIMIT",) if one is found[0] else ())
        structure, depths = structure_of(one.query), leaf_depths(tree)
        assert (structure.shape, structure.hops) == (shape_of(tree), max(depths))


# Queries as they were written, run within limits.

RUN_KG = KnowledgeGraph.from_triples(
    [("Zoë {B}", "knows of", f'"{i}" <x>') for i in range(12)] + [("a", "r", "b"), ("a", "s", "b")]
)
RUN_NAMES = WriterNames(RUN_KG, [f"e{i:02}" for i in range(len(RUN_KG.entities))], RUN_KG.entities)
ZOE, A, B = (f"<entity:{RUN_NAMES.id(RUN_KG.entity_ids[name])}>" for name in ("Zoë {B}", "a", "b"))
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(9)) + " }"


@pytest.fixture(scope="module")
def running() -> Iterator[Executor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "MOST_ROWS", 12)
        with Executor(RUN_NAMES) as executor:
            yield executor


def test_queries_are_run_as_they_are_written(running: Executor) -> None:
    found = running.answers(f"SELECT ?x {{ {A} <relation:r>|<relation:s> ?x }}")
    assert found == (RUN_NAMES.id(RUN_KG.entity_ids["b"]),)
    known = running.answers(f"SELECT DISTINCT ?x {{ {ZOE} <relation:knows%20of> ?x }}")
    assert isinstance(known, tuple)
    assert len(known) == 12
    assert known == tuple(sorted(known))
    assert running.answers(f"SELECT (COUNT(?x) AS ?n) {{ {ZOE} ?r ?x }}") == 12
    assert running.answers(f"SELECT (COUNT(?x) AS ?n) {{ {B} ?r ?x }}") == 0
    assert running.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ()


@each(
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
def test_what_cannot_be_used_is_refused_with_its_reason(running, sparql, reason):
    found = running.answers(sparql)
    assert (found.reason if isinstance(found, Refusal) else None) == reason


def test_a_query_that_never_ends_is_ended_and_the_next_is_answered(monkeypatch):
    monkeypatch.setattr(validation, "SECONDS", 0.3)
    with Executor(RUN_NAMES) as executor:
        for _ in range(2):
            found = executor.answers(ENDLESS)
            assert isinstance(found, Refusal)
            assert found.reason == RunFailure.TIME
        until(lambda: executor.answers(f"SELECT ?x {{ {B} ?r ?x }}") == ())
