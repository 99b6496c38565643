"""What questions of the kinds ``subgraphs`` and ``variants`` promise as a set.

Checks that there are no more than wanted. Of ``subgraphs``: that no answer of a test
question is an answer of another split, that relations which training lacks are in test questions alone, which
say so, and that a question it was grown from is there. Of ``variants``: that no seed text has more questions
than wanted (its split and its entities: `rulemine.verify.tables`). Of ``cypher``: how many questions a
template has.
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterator

from rulemine.verify.contents import Contents, Row
from rulemine.verify.cypher.patterns import read_pattern
from rulemine.verify.folder import MANIFEST_NAME
from rulemine.verify.report import Findings, shown

__all__ = ["check_cypher_set", "check_subgraphs", "check_variants", "matched"]


def check_subgraphs(contents: Contents, findings: Findings) -> None:
    """Checks a release of the kind ``subgraphs``."""
    _check_number(contents, findings)
    tests, others = (
        [here for here in contents.questions if (here.row["split"] == "test") is in_test]
        for in_test in (True, False)
    )
    grouped = contents.folder.option("questions", "split") == "group"
    answers = {answer: here for here in others for answer in here.row["answers"] if grouped}
    for here in tests:
        for answer in sorted(answers.keys() & {*here.row["answers"]}):
            found = f"{shown(answer)}, an answer of {answers[answer].place}"
            findings.add(
                here.file, here.line, "no leakage", found, "answers of test questions alone"
            )
    ids = {here.row["id"] for here in contents.questions}
    allowed = _allowed(contents)
    trained = {
        relation
        for here in others
        for relation in here.row["subgraphs"]["relations"]
        if here.row["split"] == "train"
    }
    if grouped and (lost := sorted(allowed - trained)):
        expected = "relations of training questions (counts.sampling.subgraphs.split)"
        findings.add(MANIFEST_NAME, None, "training relations", shown(lost), expected)
    for here in contents.questions:
        block = here.row["subgraphs"]
        if block["parent"] and block["parent"] not in ids - {here.row["id"]}:
            expected = "the id of another question, or nothing"
            findings.add(here.file, here.line, "parent", shown(block["parent"]), expected)
        if not grouped:
            continue
        own = sorted({*block["relations"]} - allowed)
        if here.row["split"] != "test":
            if own:
                expected = "relations of training (manifest, counts.sampling)"
                findings.add(here.file, here.line, "reserved relation", shown(own), expected)
        elif bool(own) != ("urt" in block["test_type"]):
            found = f"{shown(block['test_type'])}, reserved relations: {shown(own)}"
            findings.add(here.file, here.line, "test type", found, "urt where there is one")


def _allowed(contents: Contents) -> set[str]:
    """The relations that training has, as the manifest says."""
    found = contents.folder.manifest["counts"]
    for key in ("sampling", "subgraphs", "split", "training_relations"):
        found = found.get(key) if isinstance(found, dict) else None
    return set(map(str, found)) if isinstance(found, list) else set()


def check_variants(contents: Contents, findings: Findings) -> None:
    """Checks a release of the kind ``variants``."""
    _check_number(contents, findings)
    most = contents.folder.option("variants", "pairs")
    times = Counter(here.row["variants"]["seed_text"] for here in contents.questions)
    for text, number in sorted(times.items()):
        if type(most) is int and number > most:
            found = f"{number} questions for {shown(text)}"
            expected = f"at most {most} (manifest, config.variants.pairs)"
            findings.add("questions", None, "balance", found, expected)


def matched(row: Row, way: str) -> Iterator[tuple[str, Hashable]]:
    """What no two splits of the kind ``cypher`` may share: matches, and signatures or domains."""
    try:
        asked = read_pattern(row["query"])
    except ValueError:
        return  # a problem of the question
    keys = ("match", "nodes", "relations", "time")
    yield "matches", json.dumps([asked.row.get(key) for key in keys])
    if way == "domain":
        yield "domain", asked.types["n"]
    elif way == "signature":
        ends = (
            (asked.types[step.subject], step.relation, asked.types[step.object])
            for step in asked.edges
        )
        yield "signature", tuple(sorted(ends)) or asked.types["n"]


def check_cypher_set(contents: Contents, findings: Findings) -> None:
    """Checks a release of the kind ``cypher``: no more questions of a template than its recipe wants."""
    most = contents.folder.option("cypher", "per_template")
    times = Counter(here.row["shape"] for here in contents.questions)
    for template, number in sorted(times.items()):
        if type(most) is int and number > most:
            found = f"{number} questions of {shown(template)}"
            expected = f"at most {most} (manifest, config.cypher.per_template)"
            findings.add("questions", None, "balance", found, expected)


def _check_number(contents: Contents, findings: Findings) -> None:
    kind, number = contents.folder.kind, len(contents.questions)
    most = contents.folder.option(kind, "questions")
    if type(most) is int and number > most:
        expected = f"at most {most} (manifest, config.{kind}.questions)"
        findings.add("questions", None, "balance", f"{number} questions", expected)
