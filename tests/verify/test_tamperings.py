"""Tampering with a whole release, digests mended: each row is a change and the fault it must be named as."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Measures
from tests import each
from tests.verify.tampering import (
    Found,
    Tampering,
    change_manifest,
    changed,
    edited,
    in_lines,
    invariants,
    line_out,
    missed,
    options,
    put,
    replaced,
    rows_of,
    sorted_in,
    verified,
    write_rows,
)
from tests.verify.tiny import (
    GRANDPARENT,
    HUSBAND,
    SOURCE,
    read_file,
    seal,
    write_file,
    write_release,
)

QUESTION, REMOVED, RULES = "questions/test.jsonl", "removed.jsonl", "rules.jsonl"
RELATIONS, REJECTED, CARD = "relations.tsv", "rejected.jsonl", "README.md"
TRAIN = "questions/train.jsonl"
COMPLETE, INCOMPLETE = "kg/complete.tsv.gz", "kg/incomplete.tsv.gz"
TAKEN, AGAIN = "incomplete = complete − removed", "as written again"
PARENT = '["?a","parent","?c"]'
STEP, NEXT = ["ada", "parent", "cleo"], ["cleo", "parent", "eve"]

# key, value, and what is found of it
OF_THE_QUESTION: list[tuple[str, Any, str]] = [
    ("answers", ["ada", "dan"], "answers"),
    ("answers", ["ada"], "answers"),
    ("answers", ["ben", "ada"], "answers"),  # in disorder
    ("stated", [], "stated answers"),
    ("further", ["ben"], "further answers"),
    ("hard.0.answer", "ben", "hard answers"),
    ("hard.0.missing", 2, "missing"),
    ("hard.0.level", 50, "level"),
    ("hard.0.witness", [["ben", "grandparent", "eve"]], "witness"),
    ("hard.0.core", True, "core"),
    ("core", True, "core"),
    ("evidence", [STEP], "evidence"),
    ("hard_answer", "ben", "hard answer"),
    ("block.direction", "object", "removed"),
    ("query", '(p- "parent" "eve")', "answers"),
    ("query", '(p- "grandparent" "eve"', "query"),
    ("structure", "2p", "structure"),
    ("shape", "(2)", "shape"),
    ("hops", 2, "hops"),
    ("full_evidence", [["ada", "grandparent", "eve"]], "full evidence"),
    ("full_evidence", [[a, "grandparent", "eve"] for a in ("ada", "ben")] + [NEXT], "full evidence"),
    ("full_evidence", [[a, "grandparent", "eve"] for a in ("ben", "ada")], "full evidence"),
    ("removed", [["ben", "grandparent", "eve"]], "removed"),
    ("rules", [HUSBAND.id], "rule"),
    ("unseen.relation", False, "unseen"),
    ("block.rule_type", "hierarchy", "rule type"),
    ("question", "Who are the grandparents of steve?", "text names the topic"),
    ("question", "Who, if not Ada, is the grandparent of eve?", "text hides the answers"),
    ("question", "Who, if not e1, is the grandparent of eve?", "text hides the answers"),
    ("question", "Who is the grandparent of eve?", "text is the template"),
    ("split", "train", AGAIN),
    ("id", "q3", "question id"),
    ("hint", "ada", AGAIN),
]  # fmt: skip
OF_THE_FIRST_REMOVAL: list[tuple[str, Any, str]] = [
    ("certificate.body", [STEP, ["dan", "parent", "eve"]], "instance of its rule"),
    ("certificate.body", [["ada", "parent", "dan"], ["dan", "parent", "eve"]], "body survives"),
    ("certificate.body", [STEP, ["ben", "husband", "ada"]], "body survives"),  # which is removed
    ("certificate.body", [STEP], "instance of its rule"),
    ("certificate.proves", ["ben", "grandparent", "eve"], "proves"),
    ("certificate.rule", "0123456789ab", "instance of its rule"),
    ("further_certificates",
     [{"rule": GRANDPARENT.id, "proves": ["ada", "grandparent", "eve"], "body": [STEP, NEXT]}],
     "certificates unique"),
    ("selected_by", HUSBAND.id, "selected by"),
    ("difficulty.prior.subject", 0.05, "prior"),
    ("difficulty.lift.object", 9.5, "lift"),
    ("directions", ["subject"], "directions"),
    ("core", True, "core"),
    ("difficulty.proofs", 2, "proofs"),
    ("difficulty.shortest_proof", 1, "shortest proof"),
    ("difficulty.parallel_edge", ["parent"], "parallel edge"),
    ("difficulty.std_confidence", 0.9, "std confidence"),
    ("level", 0, "removed ⊆ complete"),
]  # fmt: skip

NOISY = parse_readable("wife(y,x) ∧ parent(x,z) ∧ parent(y,z) ⇒ husband(x,y)")


def with_rule(sizes: Measures) -> Tampering:
    """Adds a rule that proves nothing, with measures that may be wrong; right are 2, 2, 2, 3 and ?a."""
    row = rule_to_json(replace(NOISY, measures=sizes))
    return lambda folder: write_rows(folder, RULES, [*rows_of(folder, RULES), row])


def noisy_proof(folder: Path) -> None:
    """Proves a removed triple by the edge that does, and two more."""
    with_rule(Measures(2, 2, 2, 3, 0))(folder)
    rule, ends = rows_of(folder, RULES)[-1], {"?a": "ben", "?b": "ada", "?c": "cleo"}
    body = [[ends[s], r, ends[o]] for s, r, o in rule["body"]]
    proof = {"rule": rule["id"], "proves": ["ben", "husband", "ada"], "body": body}
    edited(REMOVED, 2, put("certificate", proof))(folder)


def another_query(folder: Path) -> None:
    """With its SPARQL and what it is said to ask."""
    edited(QUESTION, 1, put("query", '(p- "parent" "eve")'))(folder)
    replaced(QUESTION, "<relation:grandparent>", "<relation:parent>")(folder)
    edited(QUESTION, 1, put("relations", ["parent"]))(folder)


def templates_exchanged(folder: Path) -> None:
    changed(RELATIONS, "husband", 2, "{topic} is whose husband?")(folder)
    changed(RELATIONS, "husband", 3, "Who is the husband of {topic}?")(folder)


def in_two_splits(folder: Path) -> None:
    again = read_file(folder, QUESTION).replace('"q1"', '"q9"').replace('"test"', '"train"')
    name = TRAIN
    write_file(folder, name, read_file(folder, name) + again)


def twice(folder: Path) -> None:
    train = read_file(folder, TRAIN)
    write_file(folder, TRAIN, train + train.replace('"q3"', '"q5"'))


def declared_inverse(folder: Path) -> None:
    changed(RELATIONS, "wife", 11, "husband")(folder)
    changed(RELATIONS, "wife", 12, "yes")(folder)


def standard(**row: Any) -> Tampering:
    """A standard of proof that rules of some form have to reach."""
    none: dict[str, Any] = {"head": [], "head_not": [], "body_only": [], "body_any": []}
    whole = {**none, "min_std_confidence": 1, "reason": "why", **row}
    return lambda folder: change_manifest(folder, kg=SOURCE | {"standards": [whole]})


def dropped(relation: str) -> Tampering:
    return lambda folder: change_manifest(folder, kg=SOURCE | {"dropped": {relation: "dull"}})


def another_digest(folder: Path) -> None:
    for name in ("manifest.json", CARD):
        replaced(name, SOURCE["digest"], "0" * 64, -1)(folder)


def nul(folder: Path) -> None:
    for name in ("entities.tsv", COMPLETE, INCOMPLETE):
        replaced(name, "ada", "a\0da", -1)(folder)


OF_THE_RECIPE: list[tuple[Tampering, tuple[str, str]]] = [
    (options("selection", per_rule=2), (RULES, "per-rule cap")),
    (options("selection", max_prior=0.5), (REMOVED, "directions")),
    # two of four are right: between 0.15 and 0.85 of all such predictions
    (options("selection", min_sure_confidence=0.3), (RULES, "thresholds")),
    (options("selection", per_type=0.5), ("questions", "balance")),
    (options("questions", max_relation_share=0.5), ("questions", "balance")),  # ⌊0.5 · 3⌋ = 1
    (options("questions", max_answers=1), (QUESTION, "number of answers")),
    (options("questions", split="none"), (TRAIN, "split")),
    (options("questions", restated=False), (REMOVED, "restated")),
    (options("questions", restated=False), (TRAIN, "restated")),
    (options("verbalizer", naming="privatex"), ("manifest.json", "options")),
    (dropped("wife"), (RULES, "thresholds")), (dropped("husband"), (REMOVED, "excluded")),
    (standard(head=["grandparent"]), (RULES, "thresholds")),
    (standard(body_only=["parent", "wife"]), (RULES, "thresholds")),
    (standard(body_any=["parent"]), (RULES, "thresholds")),
    (another_digest, ("manifest.json", AGAIN)), (another_digest, (CARD, AGAIN)),
    (lambda f: change_manifest(f, hidden=["test"], full="9" * 64), (QUESTION, "hidden")),
]  # fmt: skip
HARMLESS = [
    options("questions", max_answer_share=0.01),  # one is the least there can be
    options("questions", max_relation_share=0.7), options("selection", min_sure_confidence=0.1),
    standard(head=["husband"]), standard(head=["grandparent"], head_not=["grandparent"]),
    standard(body_only=["wife"]), standard(body_any=["aunt"]),
    standard(head=["grandparent"], min_std_confidence=0.01),
    changed(RELATIONS, "husband", 16, "both"),
]  # fmt: skip

TELLING = replaced("entities.tsv", "Eve O'Hara", "Eve of Ada, the elder")

OTHERS: dict[str, tuple[Tampering, tuple[str, int | None, str]]] = {
    "a triple out of the complete KG": (line_out(COMPLETE, 3), (INCOMPLETE, None, TAKEN)),
    "a removed triple out of it": (line_out(COMPLETE, 1), (REMOVED, 1, "removed ⊆ complete")),
    "a triple out of the incomplete KG": (line_out(INCOMPLETE, 1), (INCOMPLETE, None, TAKEN)),
    "a removed triple back": (sorted_in(INCOMPLETE, "ada\tgrandparent\teve"), (INCOMPLETE, None, TAKEN)),
    "an invented triple": (sorted_in(INCOMPLETE, "gus\tparent\tada"), (INCOMPLETE, None, TAKEN)),
    "a triple twice": (sorted_in(COMPLETE, "ada\tparent\tcleo"), (COMPLETE, 3, AGAIN)),
    "another query": (another_query, (QUESTION, 1, "hard answers")),
    "a duplicate key": (
        replaced(QUESTION, '"value":null', '"value":null,"value":null'), (QUESTION, 1, AGAIN)),
    "half a character": (replaced(QUESTION, "Who are", "Who \\ud800 are"), (QUESTION, None, "record")),
    "a question in two splits": (in_two_splits, (QUESTION, 1, "no leakage")),
    "a question twice": (twice, (TRAIN, 2, "asked once")),
    "a text twice": (twice, (TRAIN, 2, "one question a text")),
    "a query twice": (twice, (TRAIN, 2, "one question a query")),
    "a question forgotten": (lambda f: write_file(f, QUESTION, ""), (REMOVED, 1, "asked once")),
    "no test question": (lambda f: write_file(f, QUESTION, ""), (QUESTION, None, "no split empty")),
    "an edge with noise as a certificate": (noisy_proof, (REMOVED, 2, "decoration")),
    "another proof than the best": (noisy_proof, (REMOVED, 2, "best proof")),
    "no certificate": (edited(REMOVED, 1, put("certificate", None)), (REMOVED, None, "record")),
    "a number that is text": (edited(REMOVED, 1, put("difficulty.proofs", "1")), (REMOVED, None, "record")),
    "a reverse edge hushed up": (
        edited(REMOVED, 2, put("difficulty.inverse_edge", [])), (REMOVED, 2, "inverse edge")),
    "a removal forgotten": (line_out(REMOVED, 4), (INCOMPLETE, None, TAKEN)),
    "removals in disorder": (
        lambda f: write_rows(f, REMOVED, rows_of(f, REMOVED)[::-1]), (REMOVED, 1, AGAIN)),
    "a rejection of nothing": (
        edited(REJECTED, 1, put("removed", ["ada", "husband", "eve"])), (REJECTED, 1, "asked once")),
    "a rule turned round": (
        replaced(RULES, PARENT, '["?c","parent","?a"]'), (REMOVED, 1, "instance of its rule")),
    "a rule with half its body size": (
        edited(RULES, 1, lambda row: row.update(body_size=2, std_confidence=1.0)), (RULES, 1, "measures")),
    "a rule with more support": (
        edited(RULES, 1, lambda r: r.update(support=3, pca_body_size=3, head_size=3, std_confidence=0.75)),
        (RULES, 1, "measures")),
    "a better confidence": (edited(RULES, 1, put("std_confidence", 0.9)), (RULES, 1, "measures")),
    "a rule that is not closed": (
        replaced(RULES, PARENT, '["?a","parent","?d"]'), (RULES, 1, "rule form")),
    "a rule with other variables": (replaced(RULES, "?c", "?d", -1), (RULES, 1, "variables")),
    "a rule that names an entity": (
        replaced(RULES, PARENT, '["?a","parent",{"entity":"ada"}]'), (RULES, None, "record")),
    "one behind no proof with less support": (with_rule(Measures(1, 2, 2, 3, 0)), (RULES, 3, "measures")),
    "one that is functional otherwise": (with_rule(Measures(2, 2, 2, 3, 1)), (RULES, 3, "measures")),
    "templates exchanged": (templates_exchanged, (TRAIN, 1, "text is the template")),
    "many called single": (changed(RELATIONS, "grandparent", 15, "both"), (RELATIONS, 2, "single")),
    "one called many": (changed(RELATIONS, "wife", 15, "object"), (RELATIONS, 5, "single")),
    "declared symmetric": (changed(RELATIONS, "husband", 13, "yes"), (REMOVED, 2, "prior")),
    "declared inverse": (declared_inverse, (REMOVED, 2, "statements of a fact")),
    "a fact of another name": (changed(RELATIONS, "wife", 11, "zoo"), (RELATIONS, 5, "declarations")),
    "an answer in the name of a topic": (TELLING, (QUESTION, 1, "names tell no answer")),
    "a name twice": (replaced("entities.tsv", "Cleo", "Gus Ada"), ("entities.tsv", None, "namings unique")),
    "private ids of two widths": (replaced("entities.tsv", "e6", "e06"), ("entities.tsv", 8, "private id")),
    "an entity without names": (line_out("entities.tsv", 8), ("entities.tsv", None, "names")),
    "a relation without row": (line_out(RELATIONS, 2), (RELATIONS, None, "names")),
    "another card": (lambda f: write_file(f, CARD, "# nothing\n"), (CARD, 1, AGAIN)),
    "no card": (lambda f: write_file(f, CARD, ""), (CARD, 1, AGAIN)),
    "another number of triples": (replaced(RELATIONS, "\t5\t0", "\t6\t0"), (RELATIONS, 4, AGAIN)),
    "another SPARQL": (replaced(QUESTION, ":grandparent>", ":parent>"), (QUESTION, 1, AGAIN)),
    "another readable rule": (replaced(RULES, "⇒ husband(x,y)", "⇒ husband(y,x)"), (RULES, 2, AGAIN)),
    "spaces": (replaced(RULES, ",", ", ", -1), (RULES, 1, AGAIN)),
    "another order": (in_lines(COMPLETE, lambda lines: lines[::-1]), (COMPLETE, 1, AGAIN)),
    "no rule": (lambda f: write_file(f, RULES, "{}\n"), (RULES, None, "record")),
    "an end that is not asked for": (changed(RELATIONS, "husband", 16, "object"), "asks for an end"),
    "a NUL byte": (nul, (COMPLETE, None, "record")),
    "a carriage return": (replaced(RELATIONS, "\n", "\r\n"), (RELATIONS, 1, AGAIN)),
}  # fmt: skip


def found(folder: Path) -> Found:
    return {(p.file, p.line, p.invariant) for p in verified(folder).problems}


def test_a_tampering_is_found(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    rows: dict[str, tuple[Tampering, Any]] = {**OTHERS}
    for name, table in ((QUESTION, OF_THE_QUESTION), (REMOVED, OF_THE_FIRST_REMOVAL)):
        for key, value, expected in table:
            tampering = edited(name, 1, put(key, value))
            rows[f"{key}: {json.dumps(value)}"] = tampering, (name, 1, expected)
    for number, (tampering, place) in enumerate(OF_THE_RECIPE):
        rows[f"recipe {number}: {place}"] = tampering, place
    assert missed(folder, rows, found) == []
    assert found(folder) == set()


@each("change", HARMLESS)
def test_what_is_allowed_is_no_problem(tmp_path: Path, change: Tampering) -> None:
    folder = write_release(tmp_path)
    change(folder)
    seal(folder)
    assert invariants(folder) == set()


def test_a_name_that_tells_an_answer_holds_between_places(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    TELLING(folder)
    changed(RELATIONS, "grandparent", 14, "yes")(folder)
    seal(folder)
    assert "names tell no answer" not in {invariant for _, _, invariant in found(folder)}
