"""Figures of audits, counted by hand on five people and four questions."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.auditing.audit import Audit, AuditedFigure, audit, write_audits
from rulemine.auditing.audited import AuditedSet, canonical_query
from rulemine.auditing.measures import AS_OURS
from rulemine.codec import to_json as plain_of
from rulemine.importing.importer import import_set
from rulemine.importing.protocol import ImportedQuestion
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.recipe.recipe import Recipe
from rulemine.release.reader import Release
from rulemine.release.records import Question
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, write_release
from tests.importing.conftest import ASKED, COUNT, NAMES, cypher_release
from tests.releases import built

Figures = dict[str, AuditedFigure]


def worded(text: str, *given: Any, **more: Any) -> Question:
    return replace(question(*given, **more), question=text)


QUESTIONS = (
    worded("Whose father is e00001?", 1, BOB, "father", "object", [CID, DORA, EVE], [DORA], split="train"),
    worded("Who is the wife of e00000?", 2, ANN, "wife", "object", [BOB], []),
    worded("Whose aunt is e00003?", 3, DORA, "aunt", "object", [DORA, EVE], []),
    worded("Whose mother is e00000?", 4, ANN, "mother", "object", [CID, EVE], [EVE]),
)  # fmt: skip
"""None gives another away. The complete graph has 10 triples, 3 of which are removed."""


def figures(folder: Path, questions: Iterable[Question] = QUESTIONS, **more: Any) -> Figures:
    return by_key(audit(write_release(folder, questions, **more), resamples=50))


def by_key(found: Audit) -> Figures:
    return {figure.key: figure for figure in found.figures}


COUNTED = {
    "missing": (0, 4), "extra": (0, 4), "other_direction": (0, 4), "in_text": (0, 4),
    "same_text": (0, 4), "same_query": (0, 4), "no_answer": (0, 4), "many_answers": (0, 4), "topics": (0, 4),
    "needed_fact": (0, 1), "pair": (0, 1), "query": (0, 3), "text": (0, 3),
    "guess_1_any": (1, 3),  # Cid, of equals the first by id: the last question alone
    "guess_1_hard": (0, 1), "guess_5_any": (2, 3), "guess_5_hard": (1, 1),
    "lookup_any": (3, 3), "lookup_hard": (0, 1),
    "nearest_hard": (0, 1),
    "hops_1_any": (3, 3), "hops_1_hard": (0, 1), "hops_2_any": (3, 3), "hops_2_hard": (1, 1),
    "needs_missing": (2, 4), "core": (0, 4),
    "derivable": (1, 2),  # Bob is the father of Dora by no rule
    "top_answer": (3, 4),  # Eve
    "structure": (4, 4), "shape": (4, 4), "hops": (4, 4),
}  # fmt: skip
"""Figure → how many questions count, and how many it is over."""


def test_every_figure_is_what_was_counted(tmp_path):
    found = figures(tmp_path)
    shares = [one for one in found.values() if one.unit == "share" and one.value is not None]
    assert {one.key: (round(one.value * one.n, 3), one.n) for one in shares} == COUNTED
    assert {key for key, one in found.items() if one.value is None} == {"declared"}
    assert found["relations"].value == 4.0  # each question asks about another
    assert found["answers"].value == 2.0
    assert {k: n for k, n in found["answers"].counts.items() if n} == {"1": 1, "2–5": 3}
    assert found["top_answer"].examples == ("q00001", "q00003", "q00004")
    assert found["needed_fact"].examples == ()


def test_an_interval_draws_topics(tmp_path):
    found = figures(tmp_path)
    one = found["needs_missing"]  # of Ann's two questions one counts, Bob's does, Dora's does not
    assert (one.low or 0) < (one.value or 0) < (one.high or 0)
    assert (found["guess_5_hard"].low, found["guess_5_hard"].high) == (None, None)  # one topic
    # Three topics, of which none counts: 1 − 0.05^(1/3).
    assert (found["core"].value, found["core"].low, found["core"].high) == (0.0, 0.0, 0.631597)
    assert found["relations"].low is None  # no mean


PLANTED = {
    "missing": worded("?", 5, ANN, "wife", "object", [BOB, CID], []),
    "extra": worded("?", 5, BOB, "father", "object", [CID], []),
    "other_direction": worded("?", 5, BOB, "wife", "object", [ANN], []),
    "in_text": worded("Is it Eve?", 5, CID, "brother", "object", [EVE], []),
    "same_text": worded("who is the  wife of e00000 ?", 5, CID, "brother", "object", [EVE], []),
    "same_query": worded("?", 5, DORA, "aunt", "object", [EVE], []),
    "no_answer": replace(worded("?", 5, EVE, "aunt", "object", [BOB], []), answers=(), stated=()),
    "many_answers": worded("?", 5, EVE, "aunt", "object", [f"x{n}" for n in range(101)], []),
    "topics": replace(worded("?", 5, ANN, "aunt", "object", [EVE], []), anchors=(ANN, "nobody")),
    "needed_fact": worded("?", 5, EVE, "mother", "subject", [ANN], [ANN], split="train"),
    "pair": worded("?", 5, EVE, "brother", "object", [ANN], [], split="train"),
    "query": worded("?", 5, ANN, "wife", "object", [BOB], [], split="validation"),
    "text": worded("WHOSE  aunt is e00003 ?", 5, CID, "brother", "object", [EVE], [], split="train"),
}  # fmt: skip
"""Figure → a question that makes it count."""


def test_one_question_of_each_fault_is_found(tmp_path):
    missed = []
    for key, planted in PLANTED.items():
        found = figures(tmp_path / key, [*QUESTIONS, planted])[key]
        shown = planted.split != "test" or planted.id in found.examples
        missed += [key] * (not found.value or not shown)
    assert missed == []


def test_an_answer_of_a_declared_synonym_is_found(monkeypatch, tmp_path):
    asked = worded("?", 5, BOB, "mother", "object", [CID], [])
    states_all = worded("?", 6, BOB, "mother", "object", [CID, DORA, EVE], [])
    monkeypatch.setattr(AuditedSet, "declarations", Declarations.of(same=[("father", "mother")]))
    found = figures(tmp_path, [*QUESTIONS, asked, states_all])["declared"]
    assert (found.value, found.n, found.examples) == (round(1 / 6, 6), 6, ("q00005",))


def test_the_same_answers_in_another_order_are_no_others(tmp_path):
    again = worded("Whose mother is e00000?", 5, ANN, "mother", "object", [EVE, CID], [EVE])
    found = figures(tmp_path, [*QUESTIONS, again])
    assert (found["same_text"].value, found["same_query"].value) == (0, 0)


def test_questions_without_an_answer_are_not_among_those_with_the_commonest(tmp_path):
    found = figures(tmp_path, [*QUESTIONS, PLANTED["no_answer"]])["top_answer"]
    assert (found.value, found.n) == (3 / 4, 4)


def test_without_a_test_split_all_questions_are_asked(tmp_path):
    found = figures(tmp_path, [replace(q, split="train") for q in QUESTIONS])
    assert (found["lookup_any"].value, found["lookup_any"].n) == (1, 4)


def test_a_derivation_is_kept_where_every_removed_triple_follows(tmp_path):
    *others, asked = QUESTIONS
    (hard,) = asked.hard
    both = replace(hard, witness=(*hard.witness, (BOB, "father", DORA)))
    found = figures(tmp_path, [*others, replace(asked, hard=(both,))])["derivable"]
    assert (found.value, found.n) == (0.0, 2)


def test_what_a_set_does_not_have_is_not_available(tmp_path):
    """Nothing is removed, and there is one split."""
    found = figures(tmp_path, [q for q in QUESTIONS if not q.hard], removed=(), removals=())
    lacking: dict[str, set[str]] = {}
    for key, one in found.items():
        if one.value is None:
            lacking.setdefault(one.why, set()).add(key)
    assert lacking == {
        "nothing is declared about the relations.": {"declared"},
        "the set has no training questions.": {"needed_fact", "pair", "query", "text", "guess_1_any",
                                               "guess_1_hard", "guess_5_any", "guess_5_hard"},
        "the set does not say which answers must be inferred.": {"lookup_hard", "nearest_hard",
                                                                 "hops_1_hard", "hops_2_hard"},
        "nothing is removed.": {"needs_missing", "core", "derivable"},
    }  # fmt: skip


def test_an_audit_has_the_same_bytes_again_and_names_what_is_not_available(tmp_path):
    release = write_release(tmp_path / "release", QUESTIONS)
    found = [audit(release, resamples=50), audit(release, resamples=50, mines=False)]
    first = [path.read_bytes() for path in write_audits(found, tmp_path / "a")]
    assert first == [path.read_bytes() for path in write_audits(found[::-1], tmp_path / "b")]
    data, text, page = (part.decode() for part in first)
    assert [one["name"] for one in json.loads(data)["sets"]] == ["release", "release"]
    assert "| release | release (2) |" in text
    assert text.count("not available") > 2
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


@pytest.mark.slow
def test_releases_of_every_kind_state_what_their_queries_give():
    for name in ("demo", "coast", "coast-structures", "coast-subgraphs", "coast-variants"):
        place = built(name) / (name if name == "demo" else "release")
        found = by_key(audit(Release.open(place), resamples=5))
        keys = ("missing", "extra", "same_text", "same_query", "lookup_hard")
        assert {key: found[key].value for key in keys if found[key].value} == {}, name
        assert found["missing"].value == 0


def test_the_command_writes_three_files_and_prints_the_table(command, tmp_path):
    demo = built("demo") / "demo"
    done = command("audit", demo, demo, "-o", tmp_path / "out", "--resamples", "5")
    assert done.status == 0
    assert "demo (2)" in done.out
    assert done.out.splitlines()[-1] == str(tmp_path / "out" / "audit.html")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"audit.json", "audit.md", "audit.html"}
    assert command("audit", demo, "-o", tmp_path / "out", "--resamples", "5").status == 0
    assert "demo (2)" not in (tmp_path / "out" / "audit.md").read_text()


def test_the_command_replaces_no_file_of_others_and_writes_into_no_release(command, tmp_path):
    demo = built("demo") / "demo"
    for name in ("audit.json", "audit.md", "audit.html"):
        (place := tmp_path / name.replace(".", "-")).mkdir()
        (place / name).write_text("# My notes\n")
        done = command("audit", demo, "-o", place, "--resamples", "5")
        assert (done.status, [path.name for path in place.iterdir()]) == (2, [name])
        assert f"{place / name}: is there, and is not as rulemine audit wrote it" in done.err
        assert (place / name).read_text() == "# My notes\n"
    release = write_release(tmp_path / "release", QUESTIONS).path
    before = sorted(release.rglob("*"))
    assert command("audit", release, "-o", release, "--resamples", "5").status == 2
    assert sorted(release.rglob("*")) == before


def test_an_expression_of_others_is_a_query_in_its_own_spelling():
    """GrailQA's form, which is no query of ours."""
    theirs = replace(QUESTIONS[0], query="(AND  m.1 (JOIN r\tm.2))")
    assert canonical_query(theirs) == "(AND m.1 (JOIN r m.2))"


PLAIN = """\
{"id": "a", "question": "Who wrote Emma?", "answers": ["J. Austen"], "sparql": "SELECT  1", "split": "train"}
{"id": "b", "question": "who wrote emma", "answers": ["Austen"], "sparql": "SELECT 1", "split": "test"}
{"id": "c", "question": "Who wrote Ulysses, Joyce?", "answers": ["Joyce"], "split": "test"}
{"id": "d", "question": "Who wrote it?", "answers": [], "split": "test"}
"""


def test_a_set_of_others_without_a_graph_is_audited_as_far_as_its_file_allows(tmp_path):
    (tmp_path / "set.jsonl").write_text(PLAIN)
    release = import_set("plain", tmp_path / "set.jsonl", tmp_path / "out")
    found = by_key(audit(release, resamples=9))
    shares = {key: (one.value, one.n) for key, one in found.items() if one.value is not None}
    assert shares == {
        "in_text": (0.333333, 3), "same_text": (0.666667, 3), "same_query": (1.0, 2), "no_answer": (0.25, 4),
        "many_answers": (0.0, 3), "query": (1.0, 1), "text": (0.5, 2), "guess_1_any": (0.0, 2),
        "guess_5_any": (0.0, 2), "top_answer": (0.333333, 3), "answers": (1.0, 3),
    }  # fmt: skip
    assert found["answers"].unit == "number"
    assert found["no_answer"].examples == ("d",)
    assert found["missing"].why == "the set has no graph."


def test_rules_are_mined_where_a_set_of_others_needs_what_is_missing(monkeypatch, tmp_path):
    """Twelve pairs of spouses of 120 live apart in the incomplete graph; one stated spouse has no home."""
    married = [(f"a{n}", "spouse", f"b{n}") for n in range(120)]
    homes = [(f"a{n}", "lives_with", f"b{n}") for n in range(119)]
    rows = [
        {"question": f"{n}?", "topics": [s], "answers": [o], "query": f'(p "spouse" "{s}")'}
        for n, (s, _, o) in [*[*enumerate(married)][8:16], (119, married[119])]
    ]
    files = {
        "kg.tsv": ["\t".join(t) for t in married + homes],
        "less.tsv": ["\t".join(t) for t in married[12:119] + homes],
        "set.jsonl": map(json.dumps, rows),
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    kg, less, asked = (tmp_path / name for name in files)
    release = import_set("plain", asked, tmp_path / "out", kg=kg, incomplete=less)
    found = by_key(audit(release, resamples=9))
    assert (found["needs_missing"].value, found["needs_missing"].n) == (round(5 / 9, 6), 9)
    assert (found["derivable"].value, found["derivable"].n) == (0.8, 5)
    assert (found["core"].value, found["lookup_hard"].value) == (None, 0)
    assert by_key(audit(release, resamples=9, mines=False))["derivable"].value is None
    rested = [
        replace(q, hard=tuple(replace(row, witness=(married[50],)) for row in q.hard))
        for q in release.questions()
    ]  # on what is stated: nothing is kept
    monkeypatch.setattr(Release, "questions", lambda *_: rested)
    assert by_key(audit(release, resamples=9))["derivable"].value == 0


def test_each_question_in_cypher_is_run_on_its_own_graph(monkeypatch, tmp_path):
    wrong = [
        ImportedQuestion(id_, f"Is {it} a town?", ('["Oban"]',), cypher=NAMES, graph="south")
        for id_, it in (("d", "Oban"), ("e", "it"))
    ]
    release = cypher_release(tmp_path / "out", *ASKED, *wrong)
    monkeypatch.setattr(Release, "entities", (EntityNames("e1", "it", "Oban"),))  # ids are no names
    found = by_key(audit(release, resamples=9))
    shown = {k: (found[k].value, found[k].n) for k in ("missing", "extra", "no_answer", "in_text")}
    wanted = {"missing": (0.666667, 3), "extra": (0.666667, 3), "no_answer": (0.0, 5)}
    assert shown == wanted | {"in_text": (0.5, 2)}
    assert found["missing"].examples == ("d", "e")
    assert found["topics"].why == "answers are rows, and topics names of nodes."
    assert found["hops"].why == "no question has a query."


def test_questions_about_different_graphs_are_not_compared(tmp_path):
    """Nor are the rows of questions that do not state them."""
    train = {"cypher": COUNT, "graph": "north", "split": "train"}
    asked = [*ASKED, ImportedQuestion("d", "How many towns?", ("[2]",), **train)]
    found = by_key(audit(cypher_release(tmp_path / "out", *asked), resamples=9))
    for key in ("same_text", "same_query", "many_answers"):
        assert (found[key].value, found[key].n) == (0.0, 2), key
    assert (found["text"].value, found["text"].n) == (0.0, 3)
    assert (found["query"].value, found["query"].examples) == (round(1 / 3, 6), ("c",))
    assert (found["answers"].value, found["answers"].n) == (1.0, 2)
    assert found["answers"].counts["none"] == 0


def test_what_is_mined_is_what_recipes_mine():
    ours, recipe = plain_of(AS_OURS), plain_of(Recipe("a", "b").mining)
    assert recipe == {key: ours[key] for key in recipe}
