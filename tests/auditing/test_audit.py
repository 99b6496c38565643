"""Figures of audits, counted by hand on five people and four questions."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.auditing.audit import Audit, AuditedFigure, audit, document_of, to_json, write_audits
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
from tests.command_line import Command
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, write_release
from tests.importing.test_cypher_questions import COUNT, NAMES, imported
from tests.importing.test_cypher_questions import QUESTIONS as QUESTIONS_OF_TOWNS
from tests.releases import built


def worded(text: str, *given: Any, **more: Any) -> Question:
    return replace(question(*given, **more), question=text)


QUESTIONS = (
    worded("Whose father is e00001?", 1, BOB, "father", "object", [CID, DORA, EVE], [DORA], split="train"),
    worded("Who is the wife of e00000?", 2, ANN, "wife", "object", [BOB], []),
    worded("Whose aunt is e00003?", 3, DORA, "aunt", "object", [DORA, EVE], []),
    worded("Whose mother is e00000?", 4, ANN, "mother", "object", [CID, EVE], [EVE]),
)  # fmt: skip
"""None gives another away. The complete graph has 10 triples, 3 of which are removed."""


def figures(
    folder: Path, questions: Iterable[Question] = QUESTIONS, **more: Any
) -> dict[str, AuditedFigure]:
    return by_key(audit(write_release(folder, questions, **more), resamples=50))


def by_key(found: Audit) -> dict[str, AuditedFigure]:
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


def test_every_figure_is_what_was_counted(tmp_path: Path) -> None:
    found = figures(tmp_path)
    shares = {
        key: one for key, one in found.items() if one.unit == "share" and one.value is not None
    }
    assert {
        key: (round((one.value or 0) * one.n, 3), one.n) for key, one in shares.items()
    } == COUNTED
    assert {key for key, one in found.items() if one.value is None} == {"declared"}
    assert found["relations"].value == 4.0  # each question asks about another
    assert found["answers"].value == 2.0
    assert found["answers"].counts == {
        "none": 0,
        "1": 1,
        "2–5": 3,
        "6–20": 0,
        "21–100": 0,
        ">100": 0,
    }
    assert found["top_answer"].examples == ("q00001", "q00003", "q00004")
    assert found["needed_fact"].examples == ()


def test_an_interval_draws_topics(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("key", PLANTED)
def test_one_question_of_each_fault_is_found(key: str, tmp_path: Path) -> None:
    planted = PLANTED[key]
    found = figures(tmp_path, [*QUESTIONS, planted])[key]
    assert found.value is not None
    assert found.value > 0
    if planted.split == "test":
        assert planted.id in found.examples


def test_an_answer_of_a_declared_synonym_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = worded("?", 5, BOB, "mother", "object", [CID], [])
    states_all = worded("?", 6, BOB, "mother", "object", [CID, DORA, EVE], [])
    monkeypatch.setattr(AuditedSet, "declarations", Declarations.of(same=[("father", "mother")]))
    found = figures(tmp_path, [*QUESTIONS, asked, states_all])["declared"]
    assert (found.value, found.n, found.examples) == (round(1 / 6, 6), 6, ("q00005",))


def test_the_same_answers_in_another_order_are_no_others(tmp_path: Path) -> None:
    again = worded("Whose mother is e00000?", 5, ANN, "mother", "object", [EVE, CID], [EVE])
    found = figures(tmp_path, [*QUESTIONS, again])
    assert (found["same_text"].value, found["same_query"].value) == (0, 0)


def test_questions_without_an_answer_are_not_among_those_with_the_commonest(tmp_path: Path) -> None:
    found = figures(tmp_path, [*QUESTIONS, PLANTED["no_answer"]])["top_answer"]
    assert (found.value, found.n) == (3 / 4, 4)


def test_without_a_test_split_all_questions_are_asked(tmp_path: Path) -> None:
    found = figures(tmp_path, [replace(q, split="train") for q in QUESTIONS])
    assert (found["lookup_any"].value, found["lookup_any"].n) == (1, 4)


def test_a_derivation_is_kept_where_every_removed_triple_follows(tmp_path: Path) -> None:
    *others, asked = QUESTIONS
    (hard,) = asked.hard
    both = replace(hard, witness=(*hard.witness, (BOB, "father", DORA)))
    found = figures(tmp_path, [*others, replace(asked, hard=(both,))])["derivable"]
    assert (found.value, found.n) == (0.0, 2)


def test_what_a_set_does_not_have_is_not_available(tmp_path: Path) -> None:
    """Nothing is removed, and there is one split."""
    some = [q for q in QUESTIONS if not q.hard]
    found = figures(tmp_path, some, removed=(), removals=())
    lacking = {key: one.why for key, one in found.items() if one.value is None}
    assert lacking == {
        "declared": "nothing is declared about the relations.",
        **dict.fromkeys(
            ("needed_fact", "pair", "query", "text"), "the set has no training questions."
        ),
        **dict.fromkeys(
            ("guess_1_any", "guess_1_hard", "guess_5_any", "guess_5_hard"),
            "the set has no training questions.",
        ),
        **dict.fromkeys(
            ("lookup_hard", "nearest_hard", "hops_1_hard", "hops_2_hard"),
            "the set does not say which answers must be inferred.",
        ),
        **dict.fromkeys(("needs_missing", "core", "derivable"), "nothing is removed."),
    }


def test_an_audit_has_the_same_bytes_again_and_names_what_is_not_available(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", QUESTIONS)
    found = [audit(release, resamples=50), audit(release, resamples=50, mines=False)]
    assert to_json(found[:1]) == to_json(found[1:])
    first = [path.read_bytes() for path in write_audits(found, tmp_path / "a")]
    assert first == [path.read_bytes() for path in write_audits(found, tmp_path / "b")]
    data, text, page = (part.decode() for part in first)
    assert [one["name"] for one in json.loads(data)["sets"]] == ["release", "release"]
    assert "| release | release (2) |" in text
    assert text.count("not available") > 2
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert len(found[0].texts) == 3
    assert {table.title for table in document_of(found).tables} >= {"release", "release (2)"}


@pytest.mark.parametrize(
    "name", ["demo", "coast", "coast-structures", "coast-subgraphs", "coast-variants"]
)
def test_releases_of_every_kind_state_what_their_queries_give(name: str) -> None:
    place = built(name)
    release = Release.open(place / (name if name == "demo" else "release"))
    found = by_key(audit(release, resamples=5))
    for key in ("missing", "extra", "same_text", "same_query", "lookup_hard"):
        assert found[key].value in (0, None), key
    assert found["missing"].value == 0


def test_the_command_writes_three_files_and_prints_the_table(
    command: Command, tmp_path: Path
) -> None:
    demo = built("demo") / "demo"
    done = command("audit", demo, demo, "-o", tmp_path / "out", "--resamples", "5")
    assert done.status == 0
    assert "demo (2)" in done.out
    assert done.out.splitlines()[-1] == str(tmp_path / "out" / "audit.html")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"audit.json", "audit.md", "audit.html"}
    assert command("audit", demo, "-o", tmp_path / "out", "--resamples", "5").status == 0
    assert "demo (2)" not in (tmp_path / "out" / "audit.md").read_text()


@pytest.mark.parametrize("name", ["audit.json", "audit.md", "audit.html"])
def test_the_command_replaces_no_file_of_others(
    name: str, command: Command, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("# My notes\n")
    done = command("audit", built("demo") / "demo", "-o", tmp_path, "--resamples", "5")
    assert done.status == 2
    assert f"{tmp_path / name}: is there, and is not as rulemine audit wrote it" in done.err
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "# My notes\n"


def test_the_command_writes_into_no_release(command: Command, tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", QUESTIONS).path
    before = sorted(release.rglob("*"))
    done = command("audit", release, "-o", release, "--resamples", "5")
    assert done.status == 2
    assert "is inside the release" in done.err
    assert sorted(release.rglob("*")) == before


def test_sets_are_named_by_the_whole_name_of_their_folder(tmp_path: Path) -> None:
    place = write_release(tmp_path / "release", QUESTIONS).path
    names = ["set-v1.2", "set-v1.5"]
    for name in names:
        shutil.copytree(place, tmp_path / "copies" / name)
    found = [audit(Release.open(tmp_path / "copies" / name), resamples=5) for name in names]
    assert [one.name for one in found] == names


def test_an_expression_of_others_is_a_query_in_its_own_spelling() -> None:
    """GrailQA's form, which is no query of ours."""
    theirs = replace(QUESTIONS[0], query="(AND  m.1 (JOIN r\tm.2))")
    assert canonical_query(theirs) == "(AND m.1 (JOIN r m.2))"


def test_queries_without_a_last_relation_are_named(tmp_path: Path) -> None:
    """They run, so that is not why the figure cannot be had."""
    both = f'(and (p "wife" "{ANN}") (p "brother" "{CID}"))'
    asked = [replace(q, query=both) for q in QUESTIONS]
    found = figures(tmp_path, asked)
    assert found["missing"].value is not None
    assert found["other_direction"].why == "no query asks for an end of a relation."
    assert found["declared"].why == "nothing is declared about the relations."


PLAIN = """\
{"id": "a", "question": "Who wrote Emma?", "answers": ["J. Austen"], "sparql": "SELECT  1", "split": "train"}
{"id": "b", "question": "who wrote emma", "answers": ["Austen"], "sparql": "SELECT 1", "split": "test"}
{"id": "c", "question": "Who wrote Ulysses, Joyce?", "answers": ["Joyce"], "split": "test"}
{"id": "d", "question": "Who wrote it?", "answers": [], "split": "test"}
"""


def test_a_set_of_others_without_a_graph_is_audited_as_far_as_its_file_allows(
    tmp_path: Path,
) -> None:
    (tmp_path / "set.jsonl").write_text(PLAIN)
    found = by_key(
        audit(import_set("plain", tmp_path / "set.jsonl", tmp_path / "out"), resamples=9)
    )
    shares = {key: (one.value, one.n) for key, one in found.items() if one.value is not None}
    assert shares == {
        "in_text": (round(1 / 3, 6), 3),
        "same_text": (round(2 / 3, 6), 3),
        "same_query": (1.0, 2),
        "no_answer": (0.25, 4),
        "many_answers": (0.0, 3),
        "query": (1.0, 1),
        "text": (0.5, 2),
        "guess_1_any": (0.0, 2),
        "guess_5_any": (0.0, 2),
        "top_answer": (round(1 / 3, 6), 3),
        "answers": (1.0, 3),
    }
    assert found["answers"].unit == "number"
    assert found["no_answer"].examples == ("d",)
    assert found["missing"].why == "the set has no graph."


def test_rules_are_mined_where_a_set_of_others_needs_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Twelve pairs of spouses of 120 live apart in the incomplete graph; one stated spouse has no home."""
    married = [(f"a{n}", "spouse", f"b{n}") for n in range(120)]
    homes = [(f"a{n}", "lives_with", f"b{n}") for n in range(119)]
    for name, triples in (("kg", married + homes), ("less", married[12:119] + homes)):
        lines = "".join("\t".join(t) + "\n" for t in triples)
        (tmp_path / f"{name}.tsv").write_text(lines)
    rows = [
        {"question": f"{n}?", "topics": [s], "answers": [o], "query": f'(p "spouse" "{s}")'}
        for n, (s, _, o) in [*[*enumerate(married)][8:16], (119, married[119])]
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    release = import_set(
        "plain", tmp_path / "set.jsonl", tmp_path / "out", kg=tmp_path / "kg.tsv",
        incomplete=tmp_path / "less.tsv",
    )  # fmt: skip
    found = by_key(audit(release, resamples=9))
    assert (found["needs_missing"].value, found["needs_missing"].n) == (round(5 / 9, 6), 9)
    assert (found["derivable"].value, found["derivable"].n) == (0.8, 5)
    assert "rules are mined on the complete graph" in found["derivable"].definition
    assert found["core"].why == "removed triples have no certificates."
    assert found["lookup_hard"].value == 0
    without = by_key(audit(release, resamples=9, mines=False))["derivable"]
    assert (without.value, without.why) == (None, "rules were not mined (--no-mining).")
    rested = [
        replace(q, hard=tuple(replace(row, witness=(married[50],)) for row in q.hard))
        for q in release.questions()
    ]
    monkeypatch.setattr(
        Release, "questions", lambda *_: rested
    )  # on what is stated: nothing is kept
    assert by_key(audit(release, resamples=9))["derivable"].value == 0


def test_each_question_in_cypher_is_run_on_its_own_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = [
        ImportedQuestion(id_, f"Is {it} a town?", ('["Oban"]',), cypher=NAMES, graph="south")
        for id_, it in (("d", "Oban"), ("e", "it"))
    ]
    release = imported(monkeypatch, tmp_path, [*QUESTIONS_OF_TOWNS, *wrong])
    monkeypatch.setattr(Release, "entities", (EntityNames("e1", "it", "Oban"),))  # ids are no names
    found = by_key(audit(release, resamples=9))
    shown = {k: (found[k].value, found[k].n) for k in ("missing", "extra", "no_answer", "in_text")}
    wanted = {"missing": (0.666667, 3), "extra": (0.666667, 3), "no_answer": (0.0, 5)}
    assert shown == wanted | {"in_text": (0.5, 2)}
    assert found["missing"].examples == ("d", "e")
    assert found["topics"].why == "answers are rows, and topics names of nodes."
    assert found["hops"].why == "no question has a query."


def test_questions_about_different_graphs_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor are the rows of questions that do not state them."""
    train = ImportedQuestion(
        "d", "How many towns?", ("[2]",), cypher=COUNT, graph="north", split="train"
    )
    release = imported(monkeypatch, tmp_path, [*QUESTIONS_OF_TOWNS, train])
    found = by_key(audit(release, resamples=9))
    for key in ("same_text", "same_query", "many_answers"):
        assert (found[key].value, found[key].n) == (0.0, 2), key
    assert (found["text"].value, found["text"].n) == (0.0, 3)
    assert (found["query"].value, found["query"].examples) == (round(1 / 3, 6), ("c",))
    assert (found["answers"].value, found["answers"].n) == (1.0, 2)
    assert found["answers"].counts["none"] == 0
    assert found["needs_missing"].why == "nothing is removed."


def test_what_is_mined_is_what_recipes_mine() -> None:
    ours, recipe = plain_of(AS_OURS), plain_of(Recipe("a", "b").mining)
    assert recipe == {key: ours[key] for key in recipe}
