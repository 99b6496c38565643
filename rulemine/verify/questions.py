"""The questions, each against the graphs, the removed triples and the rules.

Checks ids and files; that topic entity and hard answer are the ends of a removed triple in the stated
direction; that the answers are exactly those of the complete KG (and the reference KG) in that direction,
the hard answers exactly those whose triple is removed; that the certificate is one of the removed triple;
that rule type and confidences are the rule's; that the text names the topic entity and, in every naming, no
answer; and that the difficulty features come out the same when recounted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rulemine.verify.graphs import REMOVED, Removed, as_triple
from rulemine.verify.mentions import find_leaks, occurrences
from rulemine.verify.names import Entity
from rulemine.verify.proofs import Proofs, Prover, Triples
from rulemine.verify.report import Findings, difference, shown
from rulemine.verify.rules import RULES, HornRule
from rulemine.verify.shapes import NAMINGS
from rulemine.verify.triples import Triple
from rulemine.verify.wording import Pieces, texts_of

__all__ = ["Benchmark", "check_question"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The data that questions are checked against.

    Attributes:
        known: Complete KG and reference KG, for the answers.
        left: The incomplete KG.
        removed: The removed triples.
        rules: Rules by id.
        entities: The table of names.
        prover: Counts proofs in the incomplete KG.
        proofs: Removed triple → its proofs, filled as they are counted.
    """

    known: Triples
    left: Triples
    removed: dict[Triple, Removed]
    rules: dict[str, HornRule]
    entities: dict[str, Entity]
    prover: Prover
    proofs: dict[Triple, Proofs]

    def proofs_of(self, triple: Triple) -> Proofs:
        """The proofs of a removed triple, cached."""
        if triple not in self.proofs:
            self.proofs[triple] = self.prover.prove(triple)
        return self.proofs[triple]


@dataclass(frozen=True, slots=True)
class _Here:
    """Collects the problems of one question."""

    file: str
    line: int
    findings: Findings

    def add(self, invariant: str, found: str, expected: str) -> None:
        self.findings.add(self.file, self.line, invariant, found, expected)

    def equal(self, invariant: str, found: object, expected: object, source: str = "") -> None:
        if found != expected:
            self.add(invariant, shown(found), shown(expected) + (f" ({source})" if source else ""))


def check_question(
    file: str, line: int, row: dict[str, Any], benchmark: Benchmark, findings: Findings
) -> None:
    """Checks one question.

    Args:
        file: Its file, for the message.
        line: Its line.
        row: The record, of the right shape.
        benchmark: The data to check it against.
        findings: Collects the problems.
    """
    here = _Here(file, line, findings)
    here.equal("split", row["split"], file.removeprefix("questions/").removesuffix(".jsonl"))
    triple = as_triple(row["removed"])
    s, r, o = triple
    ends = (s, o) if row["direction"] == "object" else (o, s)
    asked = (row["topic"], row["relation"], row["hard_answer"])
    expected = (ends[0], r, ends[1])
    if asked != expected:
        what = f"topic, relation, hard answer for direction {row['direction']} of {shown(triple)}"
        here.add("ends of the removed triple", shown(asked), f"{shown(expected)} ({what})")
    _check_proof(here, row, triple, benchmark)
    _check_answers(here, row, benchmark)
    if row["hard_answer"] == row["topic"]:
        wanted = "a hard answer other than the topic entity"
        here.add("text hides the answers", shown(row["topic"]), wanted)
    for text, cut in texts_of(row):
        _check_text(here, text, cut, row, benchmark.entities)
    _check_difficulty(here, row, triple, benchmark)


def _check_proof(here: _Here, row: dict[str, Any], triple: Triple, benchmark: Benchmark) -> None:
    record = benchmark.removed.get(triple)
    if record is None:
        here.add("removed", shown(triple), f"a triple of {REMOVED}")
    else:
        here.equal("level", row["level"], record.level, f"{REMOVED} line {record.line}")
        certificate = (row["rule"], tuple(as_triple(t) for t in row["certificate"]))
        if certificate not in record.certificates:
            expected = f"a certificate of {REMOVED} line {record.line}"
            here.add("certificate", f"rule {row['rule']} with {shown(certificate[1])}", expected)
    rule = benchmark.rules.get(row["rule"])
    if rule is None:
        here.add("certificate rule", shown(row["rule"]), f"the id of a rule in {RULES}")
        return
    source = f"{RULES} line {rule.line}"
    here.equal("rule type", (row["rule_type"], row["rule_subtype"]), rule.type, source)
    stated = {key: row["diagnosis"][key] for key in rule.measures}
    here.equal("confidences", stated, rule.measures, source)


def _answer_triple(row: dict[str, Any], answer: str) -> Triple:
    topic, relation = row["topic"], row["relation"]
    ends = (topic, answer) if row["direction"] == "object" else (answer, topic)
    return (ends[0], relation, ends[1])


def _check_answers(here: _Here, row: dict[str, Any], benchmark: Benchmark) -> None:
    topic, relation, answers = row["topic"], row["relation"], row["answers"]
    if row["direction"] == "object":
        correct = set(benchmark.known.objects(topic, relation))
    else:
        correct = set(benchmark.known.subjects(relation, topic))
    if set(answers) != correct:
        expected = f"all {len(correct)} of the complete KG in direction {row['direction']}"
        here.add("answers", difference(set(answers), correct), expected)
    hard = {a for a in answers if _answer_triple(row, a) in benchmark.removed}
    if set(row["hard_answers"]) != hard:
        found = difference(set(row["hard_answers"]), hard)
        here.add("hard answers", found, "exactly the answers whose triple is removed")
    if row["hard_answer"] not in row["hard_answers"]:
        here.add("hard answers", f"no {shown(row['hard_answer'])}", "the hard answer among them")
    for key in ("answers", "hard_answers"):
        if row[key] != sorted(set(row[key])):
            here.add(f"{key.replace('_', ' ')} sorted", shown(row[key]), "code point order, unique")
    if topic in answers and topic not in correct:
        here.add("topic ∉ answers", shown(topic), "the topic only if its self-loop is a triple")


def _check_text(
    here: _Here, text: str, pieces: Pieces, row: dict[str, Any], entities: dict[str, Entity]
) -> None:
    topic = row["topic"]
    if not occurrences(text, topic):
        here.add("text names the topic", shown(text), f"{shown(topic)} as a whole word")
        return
    # A release can be renamed: texts must hide the answers in every naming.
    by_model = row.get("wording") == "model"
    answers = [entities[a].spelled for a in row["answers"] if a in entities and a != topic]
    own_names = entities[topic].spelled if topic in entities else ()
    for naming, own in enumerate(own_names):
        whole = own.join(pieces)
        spots = {low for low, _ in occurrences(whole, own)}
        if not (spots.issuperset(_starts(pieces, own)) if by_model else spots):
            found = f"{shown(whole)} (naming {NAMINGS[naming]})"
            here.add("text names the topic", found, f"{shown(own)} as a whole word")
        for name in find_leaks(whole, own, [names[naming] for names in answers], by_model):
            found = f"{shown(name)} in {shown(whole)} (naming {NAMINGS[naming]})"
            here.add("text hides the answers", found, "a text without answers")


def _starts(pieces: Pieces, name: str) -> Iterator[int]:
    """Yields where the name stands between pieces."""
    end = 0
    for piece in pieces[:-1]:
        yield end + len(piece)
        end += len(piece) + len(name)


def _check_difficulty(
    here: _Here, row: dict[str, Any], triple: Triple, benchmark: Benchmark
) -> None:
    stated, left = row["diagnosis"], benchmark.left
    s, _, o = triple
    proofs = benchmark.proofs_of(triple)
    here.equal("remaining proofs", stated["proofs"], proofs.ways)
    here.equal("shortest proof", stated["shortest_proof"], proofs.shortest)
    here.equal("inverse edges", stated["reverse_edge"], sorted(left.between(o, s)))
    here.equal("parallel edges", stated["parallel_edge"], sorted(left.between(s, o)))
    if row["direction"] == "object":
        still = left.objects(row["topic"], row["relation"])
    else:
        still = left.subjects(row["relation"], row["topic"])
    here.equal("answers stated", stated["answers_stated"], len(still & set(row["answers"])))
