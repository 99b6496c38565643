"""The questions, each against the graphs, the removed triples and the rules.

Checks files; that the query asks for all statements of the relation, its SPARQL and structure; that answers
are exactly those of the query on the complete KG (and the reference KG), the disjoint union of stated, hard
and further ones, and all their evidence; of each hard answer its level, witness and core flag; that the one
asked for is the one that the format names; that the rule is that of its certificate; and that the text names
the topic entity and, in every naming, no answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rulemine.verify.contents import Contents, Located
from rulemine.verify.graphs import REMOVED, as_triple
from rulemine.verify.mentions import find_leaks, occurrences
from rulemine.verify.names import Entity
from rulemine.verify.queries import Query, answers, as_asked, evidence, read, sparql
from rulemine.verify.report import Findings, difference, shown
from rulemine.verify.rules import RULES
from rulemine.verify.shapes import NAMINGS
from rulemine.verify.triples import Triple
from rulemine.verify.wording import Pieces, texts_of

__all__ = ["check_question"]


@dataclass(frozen=True, slots=True)
class _Here:
    """One question, and what it asks; collects its problems."""

    at: Located
    findings: Findings
    query: Query
    contents: Contents

    @property
    def row(self) -> dict[str, Any]:
        return self.at.row

    def add(self, invariant: str, found: str, expected: str) -> None:
        self.findings.add(self.at.file, self.at.line, invariant, found, expected)

    def equal(self, invariant: str, found: object, expected: object, source: str = "") -> None:
        if found != expected:
            self.add(invariant, shown(found), shown(expected) + (f" ({source})" if source else ""))

    def statements(self, answer: str) -> dict[Triple, str]:
        """The removed triples that state an answer, each with its end that is the answer."""
        found = evidence(self.query, {answer}, self.contents.known)
        return {triple: end for triple, end in found if triple in self.contents.removed}


def check_question(at: Located, contents: Contents, findings: Findings) -> None:
    """Checks one question."""
    row, block = at.row, at.row["rules"]
    line = as_asked(contents.facts.ways(block["relation"], block["direction"]), row["anchors"][0])
    try:
        query = read(row["query"])
    except ValueError:
        query = read(line)
    here = _Here(at, findings, query, contents)
    here.equal("query", row["query"], line, "all statements of the relation, as asked")
    here.equal("SPARQL", row["sparql"], sparql(query), "the query")
    # All statements of a relation are one link.
    for key, expected in ("structure", "1p"), ("shape", "(1)"), ("hops", 1):
        here.equal(key, row[key], expected, "one link")
    here.equal("split", row["split"], at.file.removeprefix("questions/").removesuffix(".jsonl"))
    _check_answers(here)
    hard = {item["answer"]: item for item in row["hard"]}
    for item in row["hard"]:
        _check_hard(here, item)
    if row["hard_answer"] not in hard:
        here.add("hard answer", shown(row["hard_answer"]), "one of the hard answers")
    else:
        item = hard[row["hard_answer"]]
        here.equal("core", row["core"], item["core"], "as of the hard answer")
        here.equal("evidence", row["evidence"], item["witness"], "witness of the hard answer")
        _check_block(here)
    for text, cut in texts_of(row):
        _check_text(here, text, cut, contents.names.entities)


def _check_answers(here: _Here) -> None:
    row, query, known = here.row, here.query, here.contents.known
    whole, stated = answers(query, known), answers(query, here.contents.left)
    wider = answers(query, here.contents.wider)
    all_evidence = {triple for triple, _ in evidence(query, whole, known)}
    listed: tuple[tuple[str, list[Any], set[Any]], ...] = (
        ("answers", row["answers"], wider),
        ("stated answers", row["stated"], stated),
        ("hard answers", [item["answer"] for item in row["hard"]], whole - stated),
        ("further answers", row["further"], wider - whole),
        ("full evidence", list(map(as_triple, row["full_evidence"])), all_evidence),
    )
    for what, found, expected in listed:
        if set(found) != expected:
            here.add(what, difference(set(found), expected), "all that the query gives")
        elif found != sorted(expected):
            here.add(f"{what} sorted", shown(found), "code point order, unique")


def _check_hard(here: _Here, item: dict[str, Any]) -> None:
    possible = here.statements(item["answer"])
    here.equal("missing", item["missing"], 1)
    witness = [as_triple(triple) for triple in item["witness"]]
    if len(witness) != 1 or witness[0] not in possible:
        here.add("witness", shown(witness), f"a triple of {REMOVED} that states the answer")
        return
    record = here.contents.removed[witness[0]]
    source = f"{REMOVED} line {record.line}"
    here.equal("level", item["level"], record.level, source)
    allowed = possible[witness[0]] in record.row["directions"]
    here.equal("core", item["core"], record.row["core"] and allowed, source)


def _check_block(here: _Here) -> None:
    """Checks what is said of the hard answer, and that it is the right one to ask for."""
    row, block, contents = here.row, here.row["rules"], here.contents
    triple, asked = as_triple(block["removed"]), row["hard_answer"]
    ends = here.statements(asked)
    if triple not in ends or (triple[1], ends[triple]) != (block["relation"], block["direction"]):
        expected = f"the triple of {REMOVED} that is asked about, with its relation and direction"
        here.add("removed", f"{shown(triple)} {shown(block['direction'])}", expected)
        return
    record = contents.removed[triple]
    if block["direction"] not in record.row["directions"]:
        expected = f"one of {record.row['directions']} ({REMOVED} line {record.line})"
        here.add("direction", shown(block["direction"]), expected)
    proofs = [rule for rule, _ in record.certificates]
    if block["rule"] not in (proofs if contents.brink else proofs[:1]):
        here.add("rule", shown(block["rule"]), f"the rule of {REMOVED} line {record.line}")
    elif (rule := contents.rules.get(block["rule"])) is not None:
        kind = (block["rule_type"], block["rule_subtype"])
        here.equal("rule type", kind, rule.type, f"{RULES} line {rule.line}")
    if contents.brink:
        return
    best = min(
        (
            (not other.row["core"], item["missing"], _source(item["answer"], contents))
            for item in row["hard"]
            for statement, end in here.statements(item["answer"]).items()
            for other in (contents.removed[statement],)
            if end in other.row["directions"]
        ),
        default=(True, 1, ""),
    )
    wanted = "of the core first, then with the fewest missing triples, then by name in the source"
    here.equal("hard answer", _source(asked, contents), best[2], wanted)


def _source(entity: str, contents: Contents) -> str:
    named = contents.names.entities.get(entity)
    return named.source if named is not None else entity


def _check_text(here: _Here, text: str, pieces: Pieces, entities: dict[str, Entity]) -> None:
    row, topic = here.row, here.row["anchors"][0]
    if not occurrences(text, topic):
        here.add("text names the topic", shown(text), f"{shown(topic)} as a whole word")
        return
    if row["hard_answer"] == topic:
        wanted = "a hard answer other than the topic entity"
        here.add("text hides the answers", shown(topic), wanted)
    # A release can be renamed: texts must hide the answers in every naming.
    by_model = row["wording"] == "model"
    hidden = [entities[a].spelled for a in row["answers"] if a in entities and a != topic]
    own_names = entities[topic].spelled if topic in entities else ()
    for naming, own in enumerate(own_names):
        whole = own.join(pieces)
        spots = {low for low, _ in occurrences(whole, own)}
        if not (spots.issuperset(_starts(pieces, own)) if by_model else spots):
            found = f"{shown(whole)} (naming {NAMINGS[naming]})"
            here.add("text names the topic", found, f"{shown(own)} as a whole word")
        for name in find_leaks(whole, own, [names[naming] for names in hidden]):
            found = f"{shown(name)} in {shown(whole)} (naming {NAMINGS[naming]})"
            here.add("text hides the answers", found, "a text without answers")


def _starts(pieces: Pieces, name: str) -> Iterator[int]:
    """Yields where the name stands between pieces."""
    end = 0
    for piece in pieces[:-1]:
        yield end + len(piece)
        end += len(piece) + len(name)
