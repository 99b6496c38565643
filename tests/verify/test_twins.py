"""Twins of the demo that are not what they claim to be: each row is a change, and the fault it is named as.

The two graphs follow the changed records, unless they are what is changed.
"""

import shutil

import pytest

from rulemine.release import Release
from rulemine.verify.contents import Contents
from rulemine.verify.report import Findings
from rulemine.verify.twins import GRAPHS, UNPROVABLE, check_twins
from tests.releases import built
from tests.verify.tampering import line_out, missed, rows_of, write_rows
from tests.verify.tiny import read_file, seal, write_file


@pytest.fixture
def demo(tmp_path):
    return shutil.copytree(built("demo") / "demo", tmp_path / "demo")


def found(folder):
    findings = Findings()
    check_twins(Contents(Release.open(folder), findings))
    return {(p.file, p.line, p.invariant) for p in findings.report(folder).problems}


def twins(change):
    """Changes the records, and the graphs with them."""

    def tamper(folder):
        rows = rows_of(folder, UNPROVABLE)
        change(folder, rows)
        write_rows(folder, UNPROVABLE, rows)
        lines = read_file(folder, "kg/incomplete.tsv.gz").splitlines(keepends=True)
        for name, field in GRAPHS.items():
            gone = {"\t".join(t) + "\n" for row in rows for t in row[field]}
            write_file(folder, f"kg/{name}.tsv.gz", "".join(t for t in lines if t not in gone))

    return tamper


def row_with(rows, relation):
    return next(row for row in rows if relation in {t[1] for t in row["taken"]})


def put_back(_folder, rows):
    """A fact, and one of the control graph for it: it gives the answer in more than one step."""
    for triples in (rows[0]["taken"], rows[0]["control"]):
        triples.remove(next(t for t in triples if t[1] == "works_for"))


def leave_statement(_folder, rows):
    row_with(rows, "parent_of")["taken"].pop()


def asked(folder, rows, twin):
    """The test questions that are twins, or the others."""
    own = {row["question"] for row in rows}
    return [q for q in rows_of(folder, "questions/test.jsonl") if (q["id"] in own) == twin]


def take_other_proof(folder, rows):
    """All that is said of the topic entity of another question."""
    (topic,) = asked(folder, rows, False)[0]["anchors"]
    lines = (line.split("\t") for line in read_file(folder, "kg/incomplete.tsv.gz").splitlines())
    rows[0]["taken"] = sorted([*rows[0]["taken"], *(t for t in lines if topic in (t[0], t[2]))])


def control_of_proof(folder, rows):
    removed = {tuple(row["triple"]): row for row in rows_of(folder, "removed.jsonl")}
    wanted = next(q for q in asked(folder, rows, True) if q["id"] == rows[0]["question"])
    body = removed[tuple(wanted["removed"][0])]["certificate"]["body"]
    rows[0]["control"] = sorted([*rows[0]["control"], body[0]])


def take_more(_folder, rows):
    rows[1]["control"].pop()


def far_away(folder, rows):
    row = next(row for row in rows if row["control"][0][1] == "works_in")
    ends = {name for t in (*row["taken"], *row["control"]) for name in t}
    lines = (line.split("\t") for line in read_file(folder, "kg/control.tsv.gz").splitlines())
    row["control"][0] = next(
        t for t in lines if t[1] == "works_in" and ends.isdisjoint({t[0], t[2]})
    )
    row["control"].sort()


def take_again(folder, rows):
    """What is taken for another twin already, and one more fact of the control graph for it."""
    taken = next(t for t in row_with(rows[1:], "works_in")["taken"] if t[1] == "works_in")
    lines = (line.split("\t") for line in read_file(folder, "kg/control.tsv.gz").splitlines())
    gone = [t for row in rows for t in row["taken"]]
    further = next(t for t in lines if t[1:] == taken[1:] and t not in gone)
    for field, triple in (("taken", taken), ("control", further)):
        rows[0][field] = sorted([*rows[0][field], triple])


def ask_stated(folder, rows):
    asked = rows_of(folder, "questions/test.jsonl")
    rows[0]["question"] = next(q["id"] for q in asked if q["stated"])


def test_each_is_named(demo):
    assert found(demo) == set()
    tamperings = {
        "a fact is back": (twins(put_back), (UNPROVABLE, 1, "closure of the rules")),
        "a statement is left": (twins(leave_statement), "taken: whole facts"),
        "the proof of another question is taken": (twins(take_other_proof), "proof kept in kg/unprovable"),
        "the control graph lacks a proof": (twins(control_of_proof), (UNPROVABLE, 1, "no proof taken")),
        "less for the control graph": (twins(take_more), "as many facts of the same relations"),
        "elsewhere in the control graph": (twins(far_away), "in the same neighborhood"),
        "an answer is stated": (twins(ask_stated), "may be a twin"),
        "a graph of its own": (line_out("kg/control.tsv.gz", 1), ("kg/control.tsv.gz", "twin graphs")),
        "no record": (lambda folder: (folder / UNPROVABLE).unlink(), "twin graphs"),
    }  # fmt: skip
    assert missed(demo, tamperings, found) == []


def test_a_control_graph_that_lacks_more_is_named_by_nothing_else(demo):
    twins(take_again)(demo)
    seal(demo)
    assert found(demo) == {("kg/control.tsv.gz", None, "as many facts of each relation lost")}
