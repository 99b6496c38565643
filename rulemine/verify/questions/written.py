"""What questions written for a subgraph say, whatever their kind.

Checks that no part of a query is idle (`rulemine.verify.questions.idle`) and that every branch, and so every
topic entity, is needed; that the writer's answer is one, and that its triples are one derivation
of it by the query (what a difference takes away aside), in the subgraph, which is connected, sorted and in
the complete KG; and that there are no more questions than wanted.
"""

from collections.abc import Sequence

from rulemine.verify.graphs import COMPLETE, as_triple
from rulemine.verify.proofs import Triples
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.blocks import check_lifted
from rulemine.verify.questions.forms import LINK, nodes, smaller
from rulemine.verify.questions.idle import check_idle
from rulemine.verify.questions.queries import Query, answers
from rulemine.verify.report import shown
from rulemine.verify.shaping import Shape, array, name, triple
from rulemine.verify.triples import Graph, Triple

__all__ = [
    "WRITTEN", "check_needed", "check_written", "links_in", "positive",
]  # fmt: skip

WRITTEN: dict[str, Shape] = {
    "answer": name,
    "triples": array(triple, 1),
    "subgraph": array(triple, 1),
}
"""What their blocks have."""


def check_needed(here: Asked) -> None:
    """Checks that every branch is needed, and that nothing else is idle.

    A topic entity that can go takes a branch with it, so every one is needed too.
    """
    check_idle(here)
    if any(answers(less, here.contents.known) == here.whole for less in smaller(here.links)):
        here.add("every branch needed", "a branch without which the answers are the same", "none")
    here.equal("redundant", here.row["block"]["redundant"], False, "every topic entity is needed")


def check_written(here: Asked) -> None:
    """Checks what a question says of its subgraph."""
    check_lifted(here)
    block, known = here.row["block"], here.contents.known
    answer = block["answer"]
    if answer not in here.whole:
        here.add("the writer's answer", shown(answer), "an answer on the complete KG")
    triples, subgraph = (list(map(as_triple, block[key])) for key in ("triples", "subgraph"))
    if len(set(triples)) != len(triples) or not _derives(here.links, triples, answer):
        expected = f"one derivation of {shown(answer)} by the query, each triple once"
        here.add("the writer's triples", shown(triples), expected)
    for what, found in (("the writer's triples", triples), ("subgraph", subgraph)):
        if found != sorted(set(found)):
            here.add(f"{what} sorted", shown(found), "code point order, unique")
    if lost := [triple for triple in subgraph if triple[2] not in known.objects(*triple[:2])]:
        here.add("subgraph ⊆ complete", shown(lost), f"triples of {COMPLETE}")
    if outside := sorted(set(triples).difference(subgraph)):
        here.add("triples in the subgraph", shown(outside), "triples that the writer saw")
    nodes = {end for s, _, o in subgraph for end in (s, o)}
    if far := sorted({*here.row["anchors"], answer} - nodes):
        here.add("triples in the subgraph", shown(far), "topic entities and answer in it")
    if not _is_connected(subgraph):
        here.add("subgraph connected", f"{len(subgraph)} triples in several parts", "one part")


def _derives(links: Query, triples: list[Triple], answer: str) -> bool:
    """Whether triples, all of them, are a derivation of an answer, one for each link."""
    query = positive(links)
    if len(links_in(query)) != len(triples):
        return False

    def gives(some: Sequence[Triple]) -> bool:
        return answer in answers(query, Triples(Graph.of(some)))

    less = (triples[:i] + triples[i + 1 :] for i in range(len(triples)))
    return gives(triples) and not any(map(gives, less))


def positive(links: Query) -> Query:
    """A query without what its differences take away; of a count, what it counts."""
    if links.word in ("minus", "count"):
        return positive(links.parts[0])
    return links._replace(parts=tuple(map(positive, links.parts)))


def links_in(links: Query) -> list[Query]:
    """The links of a query as `rulemine.verify.questions.forms.linked` gives it."""
    return [node for node in nodes(links) if node.word == LINK]


def _is_connected(triples: Sequence[Triple]) -> bool:
    near: dict[str, set[str]] = {}
    for s, _, o in triples:
        near.setdefault(s, set()).add(o)
        near.setdefault(o, set()).add(s)
    waiting = list(near)[:1]
    seen = set(waiting)
    while waiting:
        new = near[waiting.pop()] - seen
        seen |= new
        waiting += new
    return len(seen) == len(near)
