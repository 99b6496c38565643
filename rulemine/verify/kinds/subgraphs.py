"""Questions grown over subgraphs, after SynthKGQA: minimal queries, and what training lacks.

Checks, beside what all written questions promise, that the subgraph has all triples between its nodes;
that the smallest query with the same answers is that of the question; the kinds of generalization; that no
answer of a test question is an answer of another split; that relations which training lacks are in test
questions alone, which say so; and that a question it was grown from is there.
"""

from types import MappingProxyType

from rulemine.verify import shaping
from rulemine.verify.contents import Contents
from rulemine.verify.folder import MANIFEST_NAME
from rulemine.verify.graphs import as_triple
from rulemine.verify.protocol import KnownKind
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.forms import form_of
from rulemine.verify.questions.queries import line
from rulemine.verify.questions.question_set import check_most
from rulemine.verify.questions.written import (
    WRITTEN,
    check_needed,
    check_written,
    links_in,
    positive,
)
from rulemine.verify.report import Findings, difference, shown

TEST_TYPES = ("id", "ugt", "urt")

MOST_TRIPLES = 6
"""Triples that a question is written from, at most."""


_BLOCK = shaping.record(
    {
        **WRITTEN,
        "redundant": shaping.truth,
        "minimal_shape": shaping.line,
        "minimal": shaping.array(
            shaping.record({"anchors": shaping.array(shaping.name, 1), "query": shaping.line}), 1
        ),
        "test_type": shaping.array(shaping.one_of(TEST_TYPES)),
        "parent": shaping.like(r"q\d+|", "q and a number, or nothing"),
    }
)


class _Checks(KnownKind):
    own_splits = True  # no validation, and a judge may leave no test question
    fields = MappingProxyType({"block": _BLOCK})

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks all questions together."""
        check_most(contents, ("" for _ in contents.questions), "questions", findings)
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
            for relation in here.row["relations"]
            if here.row["split"] == "train"
        }
        if grouped and (lost := sorted(allowed - trained)):
            expected = "relations of training questions (counts.sampling.subgraphs.split)"
            findings.add(MANIFEST_NAME, None, "training relations", shown(lost), expected)
        for here in contents.questions:
            block = here.row["block"]
            if block["parent"] and block["parent"] not in ids - {here.row["id"]}:
                expected = "the id of another question, or nothing"
                findings.add(here.file, here.line, "parent", shown(block["parent"]), expected)
            if not grouped:
                continue
            own = sorted({*here.row["relations"]} - allowed)
            if here.row["split"] != "test":
                if own:
                    expected = "relations of training (manifest, counts.sampling)"
                    findings.add(here.file, here.line, "reserved relation", shown(own), expected)
            elif bool(own) != ("urt" in block["test_type"]):
                found = f"{shown(block['test_type'])}, reserved relations: {shown(own)}"
                findings.add(here.file, here.line, "test type", found, "urt where there is one")

    def check_question(self, here: Asked) -> None:
        """Checks one question."""
        check_written(here)
        row, block = here.row, here.row["block"]
        if block["answer"] in row["anchors"]:
            here.add("anchors apart", shown(block["answer"]), "an answer that is no topic entity")
        links = len(links_in(positive(here.links)))
        if links > MOST_TRIPLES:
            here.add("number of triples", f"{links}", f"at most {MOST_TRIPLES}")
        _check_sampled(here)
        _check_minimal(here)
        check_needed(here)
        if here.contents.folder.option("questions", "split") != "group":
            here.equal(
                "test type", block["test_type"], [], "splits by what training lacks alone have them"
            )
            return
        reserved = here.option("reserved_shapes")
        plain = form_of(positive(here.links)).shape
        held_out = isinstance(reserved, list) and plain in reserved
        if row["split"] != "test":
            here.equal("test type", block["test_type"], [], "a test question alone has one")
            if held_out:
                here.add("reserved shape", shown(plain), "in the test split alone")
            return
        test_type = block["test_type"]
        if (
            test_type != sorted(set(test_type))
            or not test_type
            or ("id" in test_type and len(test_type) > 1)
        ):
            here.add("test type", shown(test_type), "id alone, or ugt, urt or both, sorted")
        if held_out != ("ugt" in test_type):
            expected = "ugt where the shape is reserved (manifest, config.{here.row['kind']}.reserved_shapes)"
            here.add("test type", f"{shown(test_type)}, shape {plain}", expected)


CHECKS = _Checks()


def _check_sampled(here: Asked) -> None:
    """Checks that the subgraph is one as Algorithm 1 of SynthKGQA draws them."""
    subgraph = set(map(as_triple, here.row["block"]["subgraph"]))
    nodes = {end for s, _, o in subgraph for end in (s, o)}
    here.at_most("nodes of the subgraph", len(nodes), "nodes")
    dropped = here.contents.folder.manifest["kg"].get("dropped", {})
    whole = {t for t in here.contents.complete.among(nodes) if t[0] != t[2] and t[1] not in dropped}
    if subgraph != whole:
        expected = "every triple between its nodes, but self-loops and excluded relations"
        here.add("whole subgraph", difference(subgraph, whole), expected)


def _check_minimal(here: Asked) -> None:
    """Checks that the question itself is its smallest query, as every topic entity is needed."""
    block, form = here.row["block"], form_of(here.links)
    here.equal("minimal shape", block["minimal_shape"], form.shape, "that of the query")
    written = [[one["anchors"], one["query"]] for one in block["minimal"]]
    here.equal("minimal", written, [[form.anchors, line(here.links)]], "the query itself")


def _allowed(contents: Contents) -> set[str]:
    """The relations that training has, as the manifest says."""
    found = contents.folder.manifest["counts"]
    for key in ("sampling", "subgraphs", "split", "training_relations"):
        found = found.get(key) if isinstance(found, dict) else None
    return set(map(str, found)) if isinstance(found, list) else set()
