"""Valid candidates in every form that loses nothing, and candidates that are wrong in one thing."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.subgraphs.validation import Executor, Valid, Validator
from rulemine.kinds.written.replies import Refusal, Subgraph, read_candidate
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.phrasing.templates import load_templates
from rulemine.query import QueryGraph
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.seeds import stream
from tests import each
from tests.kinds.written.subgraph_of_demo import KG, NAMES, some_task

EACH, SPOILT = 3, 420
"""Candidates of each form, and wrong ones."""

Row = dict[str, Any]


class Given(NamedTuple):
    """A valid candidate: what was shown, how many triples it is made from, and its reply with ids."""

    shown: Subgraph
    atoms: int
    row: Row


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    with Executor(NAMES) as executor:
        yield Validator(NAMES, QueryGraph(KG), Declarations(), executor)


@pytest.fixture(scope="module")
def valid(validator: Validator) -> list[Given]:
    """Valid candidates whose queries have a pattern for each triple."""
    writer = ScriptedWriter(load_templates("demo", KG.relations), NAMES)
    found: list[Given] = []
    number = 0
    while len(found) < 8 * EACH:
        number += 1
        task = some_task(number, 1 + number % 3)
        reply = writer.candidate(task, stream(7, number))
        assert isinstance(reply, str)
        row = json.loads(reply)
        nodes = {node["id"] for node in row["nodes"]}
        terms = {row["answer"]["id"]: "?answer"} | {id_: f"<{entity_iri(id_)}>" for id_ in nodes}
        lines = [
            f"{terms.get(s, '?' + s)} <{relation_iri(r)}> {terms.get(o, '?' + o)}"
            for s, r, o in map(ends, row["triples"])
        ]
        row["sparql"] = f"SELECT ?answer WHERE {{ {' . '.join(lines)} }}"
        given = Given(task.subgraph, len(task.given), row)
        if isinstance(verdict(validator, given, json.dumps(row)), Valid):
            found.append(given)
    return found


def verdict(validator: Validator, given: Given, reply: str) -> Valid | Refusal:
    candidate = read_candidate(reply)
    if isinstance(candidate, Refusal):
        return candidate
    return validator.validate(candidate, given.shown, given.atoms)


def ends(triple: Row) -> tuple[str, str, str]:
    return triple["subject"], triple["relation"], triple["object"]


def label(id_: str) -> str:
    entity = NAMES.entity(id_)
    assert entity is not None
    return NAMES.label(entity)


def named(row: Row, form: str, parts: str) -> Row:
    """A reply whose names of some parts have a form such as ``{label} ({id})``."""
    made = dict(row)

    def name(id_: str) -> str:
        return form.format(id=id_, label=label(id_))

    if "n" in parts:
        made["nodes"] = [name(node["id"]) for node in row["nodes"]]
    if "a" in parts:
        made["answer"] = name(row["answer"]["id"])
    if "t" in parts:
        made["triples"] = [
            {**t, "subject": name(t["subject"]), "object": name(t["object"])}
            for t in row["triples"]
        ]
    return made


def lined(row: Row, form: str) -> Row:
    made = dict(row)
    made["triples"] = [
        form.format(s=s, r=r, o=o, S=label(s), O=label(o)) for s, r, o in map(ends, row["triples"])
    ]
    return made


def asked(row: Row, change: Callable[[str], str]) -> Row:
    return {**row, "sparql": change(row["sparql"])}


def filtered(row: Row) -> str:
    return row["sparql"].replace(" }", f" FILTER(?answer != <entity:{row['nodes'][0]['id']}>) }}")


def with_labels(sparql: str) -> str:
    for id_ in NAMES.ids:
        sparql = sparql.replace(f"<entity:{id_}>", f"<entity:{label(id_)}>")
    return sparql


def short(sparql: str) -> str:
    return sparql.replace("<entity:", "e:").replace("<relation:", "r:").replace(">", "")


def without_brackets(sparql: str) -> str:
    return sparql.replace("<", "").replace(">", "")


def five_lines(row: Row) -> str:
    """As SynthKGQA has a model reply."""
    both = "{label} ({id})"
    one = named(row, both, "na")
    triples = "; ".join(lined(row, "{S} ({s})-{r}-{O} ({o})")["triples"])
    return (
        f"Question: {row['question']}\nNodes mentioned in the question: {'; '.join(one['nodes'])}\n"
        f"Answer: {one['answer']}\nTriples used: {triples}\nSPARQL query: {row['sparql']}"
    )


HEAD = "PREFIX e: <entity:> PREFIX r: <relation:> "
FORMS: dict[str, Callable[[Row], Row | str]] = {
    "as told": lambda row: lined(named(row, "{label} ({id})", "na"), "{S} ({s}) — {r} — {O} ({o})"),
    "triples as lists": lambda row: {**row, "triples": [*map(ends, row["triples"])]},
    "declared prefixes": lambda row: asked(row, lambda q: HEAD + short(q)),
    "prefixes": lambda row: asked(row, short),
    "DISTINCT, lower case": lambda row: asked(row, lambda q: q.replace("SELECT", "select distinct")),
    "fence": lambda row: f"Here:\n```json\n{json.dumps(row)}\n```\nDone.",
    "a trailing comma": lambda row: json.dumps(row)[:-1] + ",}",
    "LIMIT": lambda row: asked(row, lambda q: q + " LIMIT 900"),
    "a filter of !=": lambda row: {**row, "sparql": filtered(row)},
    "entity: without brackets": lambda row: asked(row, without_brackets),
    "IRIs by labels": lambda row: asked(row, with_labels),
    "ends as labels": lambda row: named(row, "{label}", "t"),
    "ends as id = label": lambda row: named(row, "{id} = {label}", "t"),
    "ends as label (id)": lambda row: named(row, "{label} ({id})", "t"),
    "ends as IRIs": lambda row: named(row, "<entity:{id}>", "t"),
    "nodes as labels": lambda row: named(row, "{label}", "n"),
    "nodes as ids": lambda row: named(row, "{id}", "n"),
    "nodes as id = label": lambda row: named(row, "{id} = {label}", "n"),
    "answer as label": lambda row: named(row, "{label}", "a"),
    "answer as id": lambda row: named(row, "{id}", "a"),
    "nodes as id (label)": lambda row: named(row, "{id} ({label})", "n"),
    "nodes as label (e:id)": lambda row: named(row, "{label} (e:{id})", "na"),
    "nodes as label = id": lambda row: named(row, "{label} = {id}", "na"),
    "lines with arrows": lambda row: lined(row, "{s} -> {r} → {O} ({o})"),
    "a query in a fence": lambda row: asked(row, lambda q: f"```sparql\n{q};\n```"),
    "other capitals": lambda row: {key.upper(): value for key, value in row.items()},
    "lines of ids": lambda row: lined(row, "{s} | {r} | {o}"),
    "lines of labels": lambda row: lined(row, "{S} — {r} — {O}"),
    "five lines": five_lines,
}  # fmt: skip


@pytest.mark.slow
@each("form", FORMS)
def test_a_form_that_loses_nothing_is_accepted(validator, valid, form):
    at = [*FORMS].index(form)
    dropped = {"LIMIT": ("LIMIT",), "a filter of !=": ("FILTER !=",)}.get(form, ())
    for given in [valid[(at * EACH + i) % len(valid)] for i in range(EACH)]:
        found = verdict(validator, given, text_of(FORMS[form](given.row)))
        plain = verdict(validator, given, json.dumps(given.row))
        assert isinstance(found, Valid), found
        assert isinstance(plain, Valid)
        assert (found.query, found.answer, found.rows) == (plain.query, plain.answer, plain.rows)
        assert found.dropped == dropped


def text_of(made: Row | str) -> str:
    return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)


NAMED = WriterNames(
    KnowledgeGraph.from_triples([("a", "/film/film/genre", "b"), ("b", "/a/b./c/d", "c d")]),
    ["e1", "e2", "e3"],
    ["A (1)", "B", "C"],
)


@each(
    ("text", "expected"),
    [
        (
            "e:e1 r:/film/film/genre/r:/a/b./c/d ?x.",
            "<e1> <%2Ffilm%2Ffilm%2Fgenre>/<%2Fa%2Fb.%2Fc%2Fd> ?x.",
        ),
        ("<entity:A (1)> ^<relation:/a/b./c/d> ?x", "<e1> ^<%2Fa%2Fb.%2Fc%2Fd> ?x"),
        ("<entity:A%20%281%29> r:%2Ffilm%2Ffilm%2Fgenre ?x", "<e1> <%2Ffilm%2Ffilm%2Fgenre> ?x"),
        ("e:e1. e:e9 r:\\/film\\/film\\/genre", "<e1>. <e9> <%2Ffilm%2Ffilm%2Fgenre>"),
        ("PREFIX x: <entity:> x:e2 ?r:e2 ?e", "PREFIX x: <entity:> <e2> ?r:e2 ?e"),
        ("PREFIX e: <http://x/> e:e1 'e:e1' # e:e1", "PREFIX e: <http://x/> e:e1 'e:e1' # e:e1"),
        ("<relation:nothing> <http://x/#e:e1>", "<relation:nothing> <http://x/#e:e1>"),
    ],
)
def test_names_in_sparql_are_what_the_writer_means(text: str, expected: str) -> None:
    for number in (1, 2, 9):
        expected = expected.replace(f"<e{number}>", f"<entity:e{number}>")
    assert NAMED.sparql(text) == expected.replace("<%", "<relation:%")


def test_a_name_that_may_be_two_entities_is_none() -> None:
    names = WriterNames(NAMED.kg, ["e1", "e2", "e3"], ["B (e2)", "B", "e1"])
    texts = ("B", "e1", "e3 = e1", "e2 = B", "e1 = B", "B (e2)")
    assert [names.find(text) for text in texts] == [1, 0, 2, 1, None, None]
    assert NAMED.triple("A (1) (e1) — /film/film/genre — B") == (0, 1, 1)
    assert NAMED.triple("A (1) — nothing — B") is None


def spoilt(given: Given, draw: random.Random) -> Row | str:
    """A candidate with one thing that is wrong, in some form."""
    row = json.loads(json.dumps(given.row))
    others = [NAMES.id(n) for n in given.shown.nodes]
    way = draw.choice(
        ["turned", "relation", "node", "answer", "label", "missing", "query", "filter", "limit"]
    )
    triple = draw.choice(row["triples"])
    used = {end for t in row["triples"] for end in (t["subject"], t["object"])}
    if way == "turned":
        triple["subject"], triple["object"] = triple["object"], triple["subject"]
    elif way == "relation":
        triple["relation"] = draw.choice([r for r in KG.relations if r != triple["relation"]])
    elif way == "node":
        row["nodes"][0] = draw.choice(
            [{"id": n, "label": label(n)} for n in others if n not in used]
        )
    elif way == "answer":
        own = draw.choice([n for n in others if n not in used] + [n["id"] for n in row["nodes"]])
        row["answer"] = {"id": own, "label": label(own)}
    elif way == "label":
        node = draw.choice([row["answer"], *row["nodes"]])
        wrong = label(draw.choice([n for n in others if n != node["id"]]))
        node["label"] = draw.choice([wrong, f"{wrong} ({node['id']})", wrong[:-1]])
        return row  # in other forms names are made from ids
    elif way == "missing":
        row["triples"].remove(triple)
    elif way == "query":
        relation = relation_iri(draw.choice([r for r in KG.relations if r != triple["relation"]]))
        row["sparql"] = row["sparql"].replace(relation_iri(triple["relation"]), relation)
    elif way == "filter":
        row["sparql"] = filtered({**row, "nodes": [row["answer"]]})
    else:
        row["sparql"] += " LIMIT 0"
    forms = [form for name, form in FORMS.items() if name not in ("LIMIT", "a filter of !=")]
    return draw.choice(forms)(row) if row["triples"] and draw.random() < 0.5 else row


@pytest.mark.slow
def test_what_is_wrong_in_one_thing_is_never_accepted(validator, valid):
    draw = random.Random(11)
    for number in range(SPOILT):
        given = valid[number % len(valid)]
        reply = text_of(spoilt(given, draw))
        assert not isinstance(verdict(validator, given, reply), Valid), (given.row, reply)
