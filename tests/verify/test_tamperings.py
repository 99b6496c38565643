"""Tampering with a whole release, digests mended: each row is a change and the fault it must be named as.

Over 400 lines because every kind of tampering has its row here.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Measures
from tests.verify.tampering import (
    changed,
    edited,
    exchanged,
    invariants,
    line_out,
    put,
    replaced,
    sorted_in,
    tampered,
)
from tests.verify.tiny import GRANDPARENT, HUSBAND, read_file, seal, write_file, write_release

QUESTION = "questions/test.jsonl"

REMOVED_BACK = "ada\tgrandparent\teve"
OTHER_PROOF = [["ada", "parent", "cleo"], ["dan", "parent", "eve"]]
CERTIFICATE = {
    "rule": GRANDPARENT["id"],
    "proves": ["ada", "grandparent", "eve"],
    "body": [["ada", "parent", "cleo"], ["cleo", "parent", "eve"]],
}

NOISY = rule_to_json(
    replace(parse_readable("wife(y,x) ∧ parent(x,z) ∧ parent(y,z) ⇒ husband(x,y)"),
            measures=Measures(2, 2, 2, 3, 0))
)  # fmt: skip
ENDS = {"?a": "ben", "?b": "ada", "?c": "cleo"}


def noisy_proof(folder: Path) -> None:
    """Proves a removed triple by the edge that does, and two more."""
    rules = read_file(folder, "rules.jsonl") + json.dumps(NOISY, ensure_ascii=False) + "\n"
    write_file(folder, "rules.jsonl", rules)
    body = [[ENDS[s], r, ENDS[o]] for s, r, o in NOISY["body"]]
    edited(
        "removed.jsonl",
        2,
        put(
            "certificate",
            to={"rule": NOISY["id"], "proves": ["ben", "husband", "ada"], "body": body},
        ),
    )(folder)


def unused_rule(folder: Path, sizes: Measures) -> None:
    """Adds a rule that proves nothing, with measures that may be wrong; right are 2, 2, 2, 3 and ?a."""
    rule = parse_readable("wife(y,x) ∧ parent(x,z) ∧ parent(y,z) ⇒ husband(x,y)")
    row = rule_to_json(replace(rule, measures=sizes))
    text = read_file(folder, "rules.jsonl") + json.dumps(row, ensure_ascii=False) + "\n"
    write_file(folder, "rules.jsonl", text)


# what is done; in which file the contents tell, at which line, and by which invariant
TAMPERINGS = {
    "a triple out of the complete KG": (
        line_out("kg/complete.tsv.gz", 3),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "a removed triple out of the complete KG": (
        line_out("kg/complete.tsv.gz", 1),
        ("removed.jsonl", 1, "removed ⊆ complete"),
    ),
    "a triple out of the incomplete KG": (
        line_out("kg/incomplete.tsv.gz", 1),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "a removed triple back": (
        sorted_in("kg/incomplete.tsv.gz", REMOVED_BACK),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "an invented triple": (
        sorted_in("kg/incomplete.tsv.gz", "gus\tparent\tada"),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "an answer swapped": (
        edited(QUESTION, 1, put("answers", to=["ada", "dan"])),
        (QUESTION, 1, "answers"),
    ),
    "an answer too few": (
        edited(QUESTION, 1, put("answers", to=["ada"])),
        (QUESTION, 1, "answers"),
    ),
    "answers in disorder": (
        edited(QUESTION, 1, put("answers", to=["ben", "ada"])),
        (QUESTION, 1, "answers"),
    ),
    "a stated answer left out": (
        edited(QUESTION, 1, put("stated", to=[])),
        (QUESTION, 1, "stated answers"),
    ),
    "a stated answer called further": (
        edited(QUESTION, 1, put("further", to=["ben"])),
        (QUESTION, 1, "further answers"),
    ),
    "another answer called hard": (
        edited(QUESTION, 1, put("hard", 0, "answer", to="ben")),
        (QUESTION, 1, "hard answers"),
    ),
    "two missing links": (
        edited(QUESTION, 1, put("hard", 0, "missing", to=2)),
        (QUESTION, 1, "missing"),
    ),
    "another level of a hard answer": (
        edited(QUESTION, 1, put("hard", 0, "level", to=50)),
        (QUESTION, 1, "level"),
    ),
    "another witness": (
        edited(QUESTION, 1, put("hard", 0, "witness", to=[["ben", "grandparent", "eve"]])),
        (QUESTION, 1, "witness"),
    ),
    "a hard answer called core": (
        edited(QUESTION, 1, put("hard", 0, "core", to=True)),
        (QUESTION, 1, "core"),
    ),
    "a question called core": (
        edited(QUESTION, 1, put("core", to=True)),
        (QUESTION, 1, "core"),
    ),
    "other evidence": (
        edited(QUESTION, 1, put("evidence", to=[["ada", "parent", "cleo"]])),
        (QUESTION, 1, "evidence"),
    ),
    "another hard answer": (
        edited(QUESTION, 1, put("hard_answer", to="ben")),
        (QUESTION, 1, "hard answer"),
    ),
    "the other direction": (
        edited(QUESTION, 1, put("block", "direction", to="object")),
        (QUESTION, 1, "removed"),
    ),
    "another query": (
        edited(QUESTION, 1, put("query", to='(p- "parent" "eve")')),
        (QUESTION, 1, "answers"),
    ),
    "another query, with its SPARQL and what it is said to ask": (
        lambda folder: (
            edited(QUESTION, 1, put("query", to='(p- "parent" "eve")'))(folder),
            replaced(QUESTION, "<relation:grandparent>", "<relation:parent>")(folder),
            edited(QUESTION, 1, put("relations", to=["parent"]))(folder),
        ),
        (QUESTION, 1, "hard answers"),
    ),
    "a query that is none": (
        edited(QUESTION, 1, put("query", to='(p- "grandparent" "eve"')),
        (QUESTION, 1, "query"),
    ),
    "another structure": (
        edited(QUESTION, 1, put("structure", to="2p")),
        (QUESTION, 1, "structure"),
    ),
    "another shape": (
        edited(QUESTION, 1, put("shape", to="(2)")),
        (QUESTION, 1, "shape"),
    ),
    "a hop more": (
        edited(QUESTION, 1, put("hops", to=2)),
        (QUESTION, 1, "hops"),
    ),
    "evidence of an answer left out": (
        edited(QUESTION, 1, put("full_evidence", to=[["ada", "grandparent", "eve"]])),
        (QUESTION, 1, "full evidence"),
    ),
    "evidence of no answer": (
        edited(QUESTION, 1, lambda row: row["full_evidence"].append(["cleo", "parent", "eve"])),
        (QUESTION, 1, "full evidence"),
    ),
    "evidence in disorder": (
        edited(QUESTION, 1, lambda row: row["full_evidence"].reverse()),
        (QUESTION, 1, "full evidence"),
    ),
    "another removed triple in the question": (
        edited(QUESTION, 1, put("removed", to=[["ben", "grandparent", "eve"]])),
        (QUESTION, 1, "removed"),
    ),
    "another rule in the question": (
        edited(QUESTION, 1, put("rules", to=[HUSBAND["id"]])),
        (QUESTION, 1, "rule"),
    ),
    "a question said to be of a known relation": (
        edited(QUESTION, 1, put("unseen", "relation", to=False)),
        (QUESTION, 1, "unseen"),
    ),
    "a certificate edited": (
        edited("removed.jsonl", 1, put("certificate", "body", to=OTHER_PROOF)),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "a certificate of facts that nobody states": (
        edited(
            "removed.jsonl",
            1,
            put("certificate", "body", to=[["ada", "parent", "dan"], ["dan", "parent", "eve"]]),
        ),
        ("removed.jsonl", 1, "body survives"),
    ),
    "a certificate that rests on a removed triple": (
        edited(
            "removed.jsonl",
            1,
            put("certificate", "body", to=[["ada", "parent", "cleo"], ["ben", "husband", "ada"]]),
        ),
        ("removed.jsonl", 1, "body survives"),
    ),
    "a certificate too short": (
        edited("removed.jsonl", 1, put("certificate", "body", to=[["ada", "parent", "cleo"]])),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "a certificate that proves another fact": (
        edited("removed.jsonl", 1, put("certificate", "proves", to=["ben", "grandparent", "eve"])),
        ("removed.jsonl", 1, "proves"),
    ),
    "a certificate of an unknown rule": (
        edited("removed.jsonl", 1, put("certificate", "rule", to="0123456789ab")),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "an edge with noise as a certificate": (noisy_proof, ("removed.jsonl", 2, "decoration")),
    "another proof than the best": (noisy_proof, ("removed.jsonl", 2, "best proof")),
    "a removed triple without certificate": (
        edited("removed.jsonl", 1, put("certificate", to=None)),
        ("removed.jsonl", None, "record"),
    ),
    "a second certificate": (
        edited("removed.jsonl", 1, put("further_certificates", to=[CERTIFICATE])),
        ("removed.jsonl", 1, "certificates unique"),
    ),
    "a rule that selects and proves nothing": (
        edited("removed.jsonl", 1, put("selected_by", to=HUSBAND["id"])),
        ("removed.jsonl", 1, "selected by"),
    ),
    "a prior that seems lower": (
        edited("removed.jsonl", 1, put("difficulty", "prior", "subject", to=0.05)),
        ("removed.jsonl", 1, "prior"),
    ),
    "a better lift": (
        edited("removed.jsonl", 1, put("difficulty", "lift", "object", to=9.5)),
        ("removed.jsonl", 1, "lift"),
    ),
    "a direction left out": (
        edited("removed.jsonl", 1, put("directions", to=["subject"])),
        ("removed.jsonl", 1, "directions"),
    ),
    "a removed triple called core": (
        edited("removed.jsonl", 1, put("core", to=True)),
        ("removed.jsonl", 1, "core"),
    ),
    "a proof too many": (
        edited("removed.jsonl", 1, put("difficulty", "proofs", to=2)),
        ("removed.jsonl", 1, "proofs"),
    ),
    "a proof too short": (
        edited("removed.jsonl", 1, put("difficulty", "shortest_proof", to=1)),
        ("removed.jsonl", 1, "shortest proof"),
    ),
    "a reverse edge hushed up": (
        edited("removed.jsonl", 2, put("difficulty", "inverse_edge", to=[])),
        ("removed.jsonl", 2, "inverse edge"),
    ),
    "a parallel edge invented": (
        edited("removed.jsonl", 1, put("difficulty", "parallel_edge", to=["parent"])),
        ("removed.jsonl", 1, "parallel edge"),
    ),
    "a better confidence in the removals": (
        edited("removed.jsonl", 1, put("difficulty", "std_confidence", to=0.9)),
        ("removed.jsonl", 1, "std confidence"),
    ),
    "a removal forgotten": (
        line_out("removed.jsonl", 4),
        ("kg/incomplete.tsv.gz", None, "incomplete = complete − removed"),
    ),
    "removals in disorder": (
        lambda folder: write_file(
            folder,
            "removed.jsonl",
            "".join(read_file(folder, "removed.jsonl").splitlines(keepends=True)[::-1]),
        ),
        ("removed.jsonl", 1, "as written again"),
    ),
    "a level that is none": (
        edited("removed.jsonl", 1, put("level", to=0)),
        ("removed.jsonl", 1, "removed ⊆ complete"),
    ),
    "a question forgotten": (
        lambda folder: write_file(folder, QUESTION, ""),
        ("removed.jsonl", 1, "asked once"),
    ),
    "no test question": (
        lambda folder: write_file(folder, QUESTION, ""),
        (QUESTION, None, "no split empty"),
    ),
    "a rejection of nothing": (
        edited("rejected.jsonl", 1, put("removed", to=["ada", "husband", "eve"])),
        ("rejected.jsonl", 1, "asked once"),
    ),
    "a rule turned round": (
        replaced("rules.jsonl", '["?a","parent","?c"]', '["?c","parent","?a"]'),
        ("removed.jsonl", 1, "instance of its rule"),
    ),
    "a rule with half its body size": (
        edited("rules.jsonl", 1, lambda row: row.update(body_size=2, std_confidence=1.0)),
        ("rules.jsonl", 1, "measures"),
    ),
    "a rule with more support": (
        edited(
            "rules.jsonl",
            1,
            lambda row: row.update(support=3, pca_body_size=3, head_size=3, std_confidence=0.75),
        ),
        ("rules.jsonl", 1, "measures"),
    ),
    "a rule that is not closed": (
        replaced("rules.jsonl", '["?a","parent","?c"]', '["?a","parent","?d"]'),
        ("rules.jsonl", 1, "rule form"),
    ),
    "a rule with other variables": (
        lambda folder: write_file(
            folder, "rules.jsonl", read_file(folder, "rules.jsonl").replace("?c", "?d")
        ),
        ("rules.jsonl", 1, "variables"),
    ),
    "a rule that names an entity": (
        replaced("rules.jsonl", '["?a","parent","?c"]', '["?a","parent",{"entity":"ada"}]'),
        ("rules.jsonl", None, "record"),
    ),
    "a rule behind no proof with less support": (
        lambda folder: unused_rule(folder, Measures(1, 2, 2, 3, 0)),
        ("rules.jsonl", 3, "measures"),
    ),
    "a rule behind no proof with the other functional variable": (
        lambda folder: unused_rule(folder, Measures(2, 2, 2, 3, 1)),
        ("rules.jsonl", 3, "measures"),
    ),
    "a better confidence": (
        edited("rules.jsonl", 1, put("std_confidence", to=0.9)),
        ("rules.jsonl", 1, "measures"),
    ),
    "another rule type in the question": (
        edited(QUESTION, 1, put("block", "rule_type", to="hierarchy")),
        (QUESTION, 1, "rule type"),
    ),
    "a text about someone else": (
        edited(QUESTION, 1, put("question", to="Who are the grandparents of steve?")),
        (QUESTION, 1, "text names the topic"),
    ),
    "a text that gives the answer away": (
        edited(QUESTION, 1, put("question", to="Who, if not Ada, is the grandparent of eve?")),
        (QUESTION, 1, "text hides the answers"),
    ),
    "a text that gives it away in another naming": (
        edited(QUESTION, 1, put("question", to="Who, if not e1, is the grandparent of eve?")),
        (QUESTION, 1, "text hides the answers"),
    ),
    "the templates of a relation exchanged": (
        exchanged("relations.tsv", "husband", 2, 3),
        ("questions/train.jsonl", 1, "text is the template"),
    ),
    "a text in the singular where many have several": (
        edited(QUESTION, 1, put("question", to="Who is the grandparent of eve?")),
        (QUESTION, 1, "text is the template"),
    ),
    "a relation of which many have several called single": (
        changed("relations.tsv", "grandparent", 15, "both"),
        ("relations.tsv", 2, "single"),
    ),
    "a relation declared symmetric": (
        changed("relations.tsv", "husband", 13, "yes"),
        ("removed.jsonl", 2, "prior"),
    ),
    "a relation declared inverse": (
        lambda folder: (
            changed("relations.tsv", "wife", 11, "husband")(folder),
            changed("relations.tsv", "wife", 12, "yes")(folder),
        ),
        ("removed.jsonl", 2, "statements of a fact"),
    ),
    "a fact of another name": (
        changed("relations.tsv", "wife", 11, "zoo"),
        ("relations.tsv", 5, "declarations"),
    ),
    "a question in the wrong file": (
        edited(QUESTION, 1, put("split", to="train")),
        (QUESTION, 1, "as written again"),
    ),
    "an id twice": (
        edited(QUESTION, 1, put("id", to="q3")),
        (QUESTION, 1, "question id"),
    ),
    "a question in two splits": (
        lambda folder: write_file(
            folder,
            "questions/train.jsonl",
            read_file(folder, "questions/train.jsonl")
            + read_file(folder, QUESTION).replace('"q1"', '"q9"').replace('"test"', '"train"'),
        ),
        (QUESTION, 1, "no leakage"),
    ),
    "an answer in the name of a topic entity": (
        replaced("entities.tsv", "Eve O'Hara", "Eve of Ada, the elder"),
        (QUESTION, 1, "names tell no answer"),
    ),
    "a name twice": (
        replaced("entities.tsv", "Cleo", "Gus Ada"),
        ("entities.tsv", None, "namings unique"),
    ),
    "private ids of two widths": (
        replaced("entities.tsv", "e6", "e06"),
        ("entities.tsv", 8, "private id"),
    ),
    "an entity without names": (
        line_out("entities.tsv", 8),
        ("entities.tsv", None, "names"),
    ),
    "a relation without row": (
        line_out("relations.tsv", 2),
        ("relations.tsv", None, "names"),
    ),
    "a triple twice": (
        sorted_in("kg/complete.tsv.gz", "ada\tparent\tcleo"),
        ("kg/complete.tsv.gz", 3, "as written again"),
    ),
    "a duplicate key": (
        replaced(QUESTION, '"value":null', '"value":null,"value":null'),
        (QUESTION, 1, "as written again"),
    ),
    "an unknown key": (
        edited(QUESTION, 1, put("hint", to="ada")),
        (QUESTION, 1, "as written again"),
    ),
    "a number that is text": (
        edited("removed.jsonl", 1, put("difficulty", "proofs", to="1")),
        ("removed.jsonl", None, "record"),
    ),
    "half a character": (
        replaced(QUESTION, "Who are", "Who \\ud800 are"),
        (QUESTION, None, "record"),
    ),
    "a carriage return": (
        replaced("relations.tsv", "\n", "\r\n"),
        ("relations.tsv", 1, "as written again"),
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_tampering_is_found_with_and_without_its_digest(tmp_path: Path, what: str) -> None:
    tamper, expected = TAMPERINGS[what]
    assert expected in tampered(write_release(tmp_path), tamper)


def test_what_a_triple_that_stays_restates_is_named(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    replaced("manifest.json", '"restated": true', '"restated": false')(folder)
    seal(folder)
    assert {where for where, what in invariants(folder) if what == "restated"} == {
        "removed.jsonl", "questions/train.jsonl", "questions/validation.jsonl"
    }  # fmt: skip


@pytest.mark.parametrize(("least", "named"), [("0.1", False), ("0.3", True)])
def test_a_rule_that_may_be_right_by_chance_is_named(
    tmp_path: Path, least: str, named: bool
) -> None:
    # Two of four are right: between 0.15 and 0.85 of all such predictions.
    folder = write_release(tmp_path)
    bound = f'"min_sure_confidence": {least}'
    replaced("manifest.json", '"min_sure_confidence": 0.0', bound)(folder)
    seal(folder)
    assert (("rules.jsonl", "thresholds") in invariants(folder)) == named


def test_a_name_that_tells_an_answer_holds_between_places(tmp_path: Path) -> None:
    def tamper(folder: Path) -> None:
        TAMPERINGS["an answer in the name of a topic entity"][0](folder)
        changed("relations.tsv", "grandparent", 14, "yes")(folder)

    found = tampered(write_release(tmp_path), tamper)
    assert "names tell no answer" not in {invariant for _, _, invariant in found}


def test_no_question_asks_for_an_end_that_is_not_asked_for(tmp_path: Path) -> None:
    folder = write_release(tmp_path)
    for end, found in (("both", False), ("object", True)):
        changed("relations.tsv", "husband", 16, end)(folder)
        seal(folder)
        checks = {"asks for an end"} if found else set()
        assert {check for _, check in invariants(folder)} & {"asks for an end", "record"} == checks
