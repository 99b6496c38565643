"""Twins: on the twin graph no answer can be derived, on the control graph each still can.

Checks of each twin that it is a test question of the core whose every answer was removed; that what is taken
for it are whole facts of the incomplete graph, and in the control graph as many of the same relations, each
at the topic entity or at an end of a fact that is taken. Of the two graphs, that they are the incomplete one
without that, and lack as many facts of each relation; that the closure of all rules over the twin graph,
within the facts of the complete graph, has no answer of a twin; that the control graph has every proof of one
step that the incomplete graph has of it; and that on both every other test question keeps a proof of one step
for each of its hard answers.

The closure is reached in rounds: each proves, of the facts of the complete graph that are not there, those
that have a proof in what is there, in any statement, and adds all statements of them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from rulemine.verify.contents import Contents, Record, Row, as_triple
from rulemine.verify.graph import Graph, Triple
from rulemine.verify.proofs import Prover
from rulemine.verify.report import shown

__all__ = ["UNPROVABLE", "check_twins"]

UNPROVABLE = "unprovable.jsonl"

GRAPHS = {"unprovable": "taken", "control": "control"}
"""Graph → what of the records it lacks."""

Statements = Mapping[Triple, list[Triple]]
"""What stands for a fact → its statements."""


def check_twins(contents: Contents) -> None:
    """Checks the twins and their graphs; nothing where there are none."""
    rows, findings = [*contents.records(UNPROVABLE)], contents.findings
    test = {at.row["id"]: at for at in contents.questions if at.row["split"] == "test"}
    for at in rows:
        _check_record(contents, at, test[at.row["question"]].row)
    twins = {at.row["question"] for at in rows}
    findings.checked["twins"] += len(rows)
    taken, control = (
        _sizes({contents.facts.of(as_triple(t)) for at in rows for t in at.row[field]}).items()
        for field in GRAPHS.values()
    )
    if taken != control:
        findings.add(
            "kg/control.tsv.gz", None, "as many facts of each relation lost",
            shown(sorted(control - taken)), shown(sorted(taken - control)),
        )  # fmt: skip
    for name, field in GRAPHS.items():
        gone = Graph.of((as_triple(t) for at in rows for t in at.row[field]), contents.terms)
        graph = contents.graph(name)
        rest = contents.incomplete - gone if rows else gone
        if other := [*(graph - rest), *(rest - graph)][:2]:
            findings.add(
                f"kg/{name}.tsv.gz", None, "twin graphs", shown(other),
                f"the incomplete graph without all that is {field}",
            )  # fmt: skip
        if not rows:
            continue
        facts = {key: _facts(contents, at.row) for key, at in test.items()}
        every = {fact: own for some in facts.values() for fact, own in some.items()}
        once = _proofs(contents, graph, every)
        if name == "control":
            whole = _proofs(contents, contents.incomplete, every)
            for at in rows:
                left, there = ({f: n[f] for f in facts[at.row["question"]]} for n in (once, whole))
                contents.equal(at, "no proof taken", left, there, "proofs in the incomplete graph")
        else:
            back = _closure(contents, graph)
            for at in rows:
                contents.equal(
                    at, "closure of the rules", sorted({*facts[at.row["question"]]} & back), []
                )
        for key in sorted(test.keys() - twins):
            contents.equal(
                test[key],
                f"proof kept in kg/{name}",
                [one for one in facts[key] if not once[one]],
                [],
            )


def _check_record(contents: Contents, at: Record, asked: Row) -> None:
    expected = {"core": True, "stated": [], "further": []}
    contents.equal(at, "may be a twin", {key: asked[key] for key in expected}, expected)
    found = {field: [*map(as_triple, at.row[field])] for field in GRAPHS.values()}
    for field, triples in found.items():
        whole = {s for t in triples for s in contents.facts.statements(t)}
        there = sorted(s for s in whole if s in contents.incomplete)
        contents.equal(at, f"{field}: whole facts", triples, there)
    taken, control = ({*map(contents.facts.of, triples)} for triples in found.values())
    contents.equal(at, "apart", sorted(taken & control), [])
    contents.equal(at, "as many facts of the same relations", _sizes(control), _sizes(taken))
    topic = asked["anchors"][0]
    ends = {(relation, end) for s, relation, o in taken for end in (s, topic, o)}
    away = sorted((s, r, o) for s, r, o in control if ends.isdisjoint({(r, s), (r, o)}))
    contents.equal(at, "in the same neighborhood", away, [])


def _sizes(facts: Iterable[Triple]) -> dict[str, int]:
    return dict(sorted(Counter(relation for _, relation, _ in facts).items()))


def _facts(contents: Contents, asked: Row) -> Statements:
    """The removed facts that the hard answers of a question need."""
    needed = (as_triple(t) for item in asked["hard"] for t in item["witness"])
    gone = [triple for triple in needed if triple in contents.removed]
    return {contents.facts.of(triple): contents.facts.statements(triple) for triple in gone}


def _proofs(contents: Contents, graph: Graph, facts: Statements) -> dict[Triple, int]:
    """How many proofs of one step facts have in a graph, over all their statements."""
    prover = Prover(contents.rules.values(), graph)
    found = prover.prove_all(chain.from_iterable(facts.values()))
    return {fact: sum(found[one].ways for one in own) for fact, own in facts.items()}


def _closure(contents: Contents, graph: Graph) -> set[Triple]:
    """The facts of the complete graph that a graph lacks and the rules lead back to."""
    facts, derived = contents.facts, set[Triple]()
    left = {facts.of(triple): facts.statements(triple) for triple in contents.complete - graph}
    while back := {fact for fact, ways in _proofs(contents, graph, left).items() if ways}:
        derived |= back
        again = [one for fact in back for one in left.pop(fact) if one in contents.complete]
        graph |= Graph.of(again, contents.terms)
    return derived
