"""Questions grown over subgraphs, after SynthKGQA: minimal queries, and what training lacks.

Checks what all questions promise that are written for a subgraph: that no part of the query is idle, so that
every topic entity is needed; that the writer's answer is one, and its triples are one derivation of it by the
query (what a difference takes away aside), in the subgraph, which is connected and has, sorted, all triples
of the complete graph between its nodes. And of these that the smallest query with the same answers is that of
the question; the kinds of generalization; that no answer of a test question is an answer of another split;
and that shapes which are reserved and relations which training lacks are in test questions alone, which say
so.
"""

from functools import lru_cache

from rulemine.verify.contents import Contents, as_triple
from rulemine.verify.kinds import KindChecks
from rulemine.verify.questions.asked import Asked, form_of, links_in, positive
from rulemine.verify.questions.queries import Few, answers
from rulemine.verify.questions.question import check_evidence, check_needed
from rulemine.verify.questions.question_set import check_limit

__all__ = ["CHECKS", "check_written"]

MOST_TRIPLES = 6
"""Triples that a question is written from, at most."""


def check_written(here: Asked, *, tree: bool = False) -> set[str]:
    """Checks one question that was written for a subgraph, of any kind.

    Args:
        here: The question.
        tree: Whether only pairs of nodes count that the subgraph joins, as where it grew as a tree.

    Returns:
        The nodes of its subgraph.
    """
    check_evidence(here)
    check_needed(here)
    block, answer, query = here.block, here.block["answer"], positive(here.links)
    here.equal("redundant", block["redundant"], False)
    here.expect(answer in here.whole, "the writer's answer", answer, "one on the complete graph")
    triples, subgraph = ([*map(as_triple, block[key])] for key in ("triples", "subgraph"))
    some = [triples, *(triples[:i] + triples[i + 1 :] for i in range(len(triples)))]
    derived = [answer in answers(query, Few(part)) for part in some]
    single = len(triples) == len(links_in(query)) and derived == [True, *[False] * len(triples)]
    here.expect(single, "the writer's triples", triples, f"one derivation of {answer}")
    here.equal("the writer's triples sorted", triples, sorted({*triples}))
    ends = {end for s, _, o in subgraph for end in (s, o)}
    inside = {*triples} <= {*subgraph} and {answer, *here.row["anchors"]} <= ends
    here.expect(inside, "triples in the subgraph", subgraph, "triples, topic entities and answer")
    seen = {subgraph[0][0]}
    while near := {end for s, _, o in subgraph if seen & {s, o} for end in (s, o)} - seen:
        seen |= near
    here.equal("subgraph connected", seen, ends)
    dropped, edges = here.contents.dropped, {frozenset((s, o)) for s, _, o in subgraph}
    whole = sorted(
        (s, r, o)
        for s, r, o in here.contents.complete.among(ends)
        if s != o and r not in dropped and (not tree or frozenset((s, o)) in edges)
    )
    here.equal("whole subgraph", subgraph, whole)
    return ends


def _check_question(here: Asked) -> None:
    ends = check_written(here)
    row, block, contents = here.row, here.block, here.contents
    here.expect(block["answer"] not in row["anchors"], "anchors apart", block["answer"], "another")
    links = len(links_in(positive(here.links)))
    here.expect(links <= MOST_TRIPLES, "number of triples", links, f"at most {MOST_TRIPLES}")
    here.at_most("nodes of the subgraph", len(ends), "nodes")
    here.equal("minimal shape", block["minimal_shape"], here.form["shape"])
    smallest = {"anchors": here.form["anchors"], "query": here.query.text}
    here.equal("minimal", block["minimal"], [smallest])
    grouped, shape = _is_grouped(contents), form_of(positive(here.links))["shape"]
    reserved = grouped and shape in (here.option("reserved_shapes") or ())
    in_test = grouped and row["split"] == "test"
    foreign = {*row["relations"]} - _trained(contents) if in_test else set()
    here.expect(in_test or not reserved, "reserved shape", shape, "in the test split alone")
    types = (["ugt"] * reserved + ["urt"] * bool(foreign) or ["id"]) if in_test else []
    here.equal("test type", block["test_type"], types)


def _is_grouped(contents: Contents) -> bool:
    """Whether splits are by what training lacks."""
    return bool(contents.option("questions", "split") == "group")


@lru_cache(maxsize=1)
def _trained(contents: Contents) -> set[str]:
    """The relations that training has."""
    rows = (at.row for at in contents.questions)
    return {relation for row in rows if row["split"] == "train" for relation in row["relations"]}


def _check_whole(contents: Contents) -> None:
    most = contents.option("subgraphs", "questions")
    check_limit(contents, ("in all" for _ in contents.questions), most, "subgraphs.questions")
    others = [at for at in contents.questions if at.row["split"] != "test"]
    elsewhere = {answer: at.place for at in others for answer in at.row["answers"]}
    for at in contents.questions:
        shared = elsewhere.keys() & at.row["answers"] if at.row["split"] == "test" else ()
        for answer in shared if _is_grouped(contents) else ():
            contents.wrong(at, "no leakage", answer, f"no answer of {elsewhere[answer]}")


CHECKS = KindChecks(question=_check_question, whole=_check_whole)
