"""Predictions as they are read and written, and those that do not fit at first sight."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from rulemine.errors import ConfigError, InputError, PredictionError
from rulemine.evaluation import evaluate, read_predictions, write_predictions
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import Prediction
from tests.evaluation.conftest import refusal
from tests.evaluation.test_scoring import GIVEN
from tests.evaluation.world import CID, EVE, QUESTIONS, question, write_release

GOOD = [
    {"id": "q00003", "answers": ["e00000"], "seconds": 0.1},
    {"id": "q00001", "raw_output": "e00002, e00004"},
    {"id": "q00002", "raw_output": ""},
]
READ = (
    Prediction("q00001", raw_output="e00002, e00004"),
    Prediction("q00002", raw_output=""),
    Prediction("q00003", answers=("e00000",)),
)
OF_A_GRAPH = [replace(q, kind="cypher") for q in QUESTIONS]
ROWS = [["Arden", 1200, 0.5, True, None, ["a", None, 2]], ["Bree", 1, 2, False, "1200-05-01", []]]


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_reads_every_form(tmp_path):
    for text in (
        lines(*GOOD), lines(*GOOD).replace("\n", "\r\n\n"), "\ufeff" + lines(*GOOD),
        json.dumps(GOOD, indent=1), lines(*GOOD, {"id": "q00004", "answers": []}),  # of another split
    ):  # fmt: skip
        assert read_predictions(write(tmp_path / "p.jsonl", text), QUESTIONS) == READ


def one(**fields):
    return lines({"id": "q00001"} | fields)


BAD = {
    "empty": ("", "is empty"),
    "blank": ("\n \n", "is empty"),
    "no items": ("[]", "is empty"),
    "not JSON": (lines(*GOOD) + '{"id": ', "line 4: is not valid JSON"),
    "array cut short": (json.dumps(GOOD)[:-1], "is not valid JSON"),
    "not an object": ('"q00001"', "line 1: holds a JSON str"),
    "array of texts": ('["q00001"]', "item 1: 'q00001' is not an object"),
    "what was cut off": (one(raw_output="x", cut_off=[1]), "'cut_off.0.': expected `str`, got `int`"),
    "no id": (lines({"raw_output": "x"}), "line 1: has no 'id'"),
    "number as id": (lines({"id": 1, "raw_output": "x"}), "line 1: 'id' is 1"),
    "unknown id": (lines(*GOOD, {"id": "q99999", "answers": []}),
                   "line 4: unknown id 'q99999'; known: q00001 … q00004"),
    "unpadded id": (lines(*GOOD, {"id": "q4", "answers": []}), "did you mean 'q00004'"),
    "all unknown": (lines({"id": "x1", "answers": []}), "predictions for another one"),
    "twice": (lines(*GOOD, GOOD[0]), "line 4: id 'q00003' again, first at line 1"),
    "both forms": (one(raw_output="", answers=[]), "line 1: has both 'raw_output' and 'answers'"),
    "and a query": (one(answers=["e00001"], sparql="SELECT"), "has both 'answers' and 'sparql'"),
    "neither form": (one(answer="x"), "'sparql', 'cypher' or 'rows'; it has .* 'answer'"),
    "null": (one(raw_output=None), "line 1: has no 'raw_output'"),
    "raw output as list": (one(raw_output=["x"]), "'raw_output': expected `str"),
    "answers as text": (one(answers="x"), "'answers': expected `array"),
    "answers of numbers": (one(answers=[7]), "'answers.0.': expected `str`, got"),
    "query as number": (one(sparql=5), "'sparql': expected `str"),
    "text for triples": (one(raw_output="", retrieved="a r b"), "'retrieved': expected `array"),
    "no triple": (one(raw_output="", retrieved=[["a", "r", "b"], ["a", "r"]]),
                  "'retrieved.1.': expected `array` of length 3"),
    "number in a triple": (one(raw_output="", retrieved=[["a", "r", 3]]), "'retrieved.0..2.': expected"),
    "other split": (lines({"id": "q00004", "answers": []}),
                    "3 of 3 questions .*the predictions are for split train.*--split"),
    "half a character": ('[{"id": "q00001", "answers": ["\\ude00"]}]', "array: .*half of a surrogate pair"),
    "no number": ('{"id": "q00001", "answers": [], "ranking": [["x", NaN]]}', "line 1: is not valid"),
    "no number in an array": ('[{"id": "q00001", "answers": [], "ranking": [["x", 1e999]]}]',
                              "item 1: 'ranking' has a score that is no finite"),
    "Cypher": (one(cypher="RETURN 1"), "has 'cypher'.*of the kind 'rules', is not asked of a property graph"),
    "rows": (one(rows=[[1]]), "has 'rows'.*is not asked of a property graph; 'raw_output'"),
}  # fmt: skip
OF_ROWS = {
    "answers": (one(answers=['["Arden"]']),
                "has 'answers', but .* with rows; 'cypher', 'rows' or 'raw_output' was"),
    "both": (one(cypher="RETURN 1", rows=[[1]]), "has both 'cypher' and 'rows'"),
    "all": (one(raw_output="", answers=[], rows=[]), "'raw_output', 'answers' and 'rows'"),
    "a list of queries": (one(cypher=["RETURN 1"]), "'cypher': expected `str"),
    "text for rows": (one(rows="x"), "'rows': expected `array"),
    "values for rows": (one(rows=["x"]), "'rows.0.': expected `array`, got `str`"),
    "a row without values": (one(rows=[[]]), "'rows.0.': expected `array` of length >= 1"),
    "ragged": (one(rows=[[1], [1, 2]]), "'rows' has rows of 1 and of 2 values"),
    "an object": (one(rows=[[1], [{"name": "x"}]]), "'rows.1..0.': expected `bool .* got `object`"),
    "lists of lists": (one(rows=[[[["x"]]]]), "'rows.0..0..0.': expected"),
    "nothing": (one(), 'line 1: has no .*"cypher": "MATCH …"'),
}  # fmt: skip


def test_says_what_is_wrong(tmp_path):
    wrong = []
    for asked, bad in ((QUESTIONS, BAD), (OF_A_GRAPH, OF_ROWS)):
        for case, (text, told) in bad.items():
            path = write(tmp_path / "p.jsonl", text)
            said = refusal(PredictionError, read_predictions, path, asked)
            wrong += [(case, said)] * (not said.startswith(str(path)) or not re.search(told, said))
    assert wrong == []
    for text in (b'{"id": "\xff"}', b"\xff\xfe{\0", b"\0\1\2"):
        with pytest.raises(InputError, match="UTF"):
            read_predictions(write(tmp_path / "p.jsonl", text), QUESTIONS)


def test_all_problems_at_once(tmp_path):
    bad = [{"id": "x"}, {"id": "q00002", "answers": 3}, {"id": "q00001"}]
    path = write(tmp_path / "p.jsonl", "{\n" + lines(*bad))
    told = refusal(PredictionError, read_predictions, path, QUESTIONS)
    places = [told.index(f"line {number}") for number in (1, 2, 3, 4)]
    assert places == sorted(places)


def test_missing_may_be_empty(tmp_path):
    path = write(tmp_path / "p.jsonl", lines(GOOD[0]))
    assert read_predictions(path, QUESTIONS) == READ[2:]
    told = "2 of 3 questions of split 'test' have no prediction: q00001, q00002. Predict them"
    with pytest.raises(PredictionError, match=re.escape(told)):
        read_predictions(path, QUESTIONS, missing="error")
    with pytest.raises(ConfigError, match="did you mean 'empty'"):
        read_predictions(path, QUESTIONS, missing="empt")


def test_arrays_are_read_officially_in_brink_mode_alone(tmp_path, release):
    rows = [
        {"id": "q00001", "raw_output": "first"}, {"id": "q00001", "raw_output": None},
        {"id": "q00002", "raw_output": ["e00000", 7]}, {"id": "elsewhere", "raw_output": ""},
    ]  # fmt: skip
    path = write(tmp_path / "p.json", json.dumps(rows))
    assert read_predictions(path, QUESTIONS, official=True) == (
        Prediction("q00001", raw_output="None"),
        Prediction("q00002", raw_output="['e00000', 7]"),
    )
    strict = write(tmp_path / "p.jsonl", lines(*rows))
    with pytest.raises(PredictionError, match="line 4: unknown id"):
        read_predictions(strict, QUESTIONS, official=True)
    path = write(tmp_path / "p.json", json.dumps([{"id": "q00002", "raw_output": "e00000"}]))
    report = evaluate(release, path, matching="brink", resamples=5)
    assert (report.missing, report.overall["hits_hard"].value) == (2, 1 / 3)
    with pytest.raises(PredictionError, match="2 of 3 questions"):
        evaluate(release, path, matching="ids", missing="error", resamples=5)


def test_written_predictions_are_sorted_and_read_back(tmp_path):
    path = tmp_path / "deep" / "p.jsonl"
    write_predictions(path, reversed(READ))
    first, *_, last = path.read_text().splitlines()
    assert first == '{"id":"q00001","raw_output":"e00002, e00004"}'
    assert last == '{"id":"q00003","answers":["e00000"]}'
    assert read_predictions(path, QUESTIONS) == READ
    usage = {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3}
    for asked, fields in (
        (QUESTIONS, {"raw_output": "e0", "cut_off": ["max_tokens", "max_tokens"], "failed": "503"}),
        (QUESTIONS, {"sparql": "SELECT ?x { ?x ?p ?y }"}),
        (OF_A_GRAPH, {"cypher": "MATCH (n) RETURN n.name"}),
        *((OF_A_GRAPH, some) for some in ({"rows": ROWS, "usage": usage}, {"rows": []}, {"answers": []})),
    ):  # fmt: skip
        given = read_predictions(write(path, one(**fields)), asked)
        write_predictions(path, given)
        assert json.loads(path.read_text()) == {"id": "q00001"} | fields
        assert read_predictions(path, asked) == given
    rows = read_predictions(write(path, one(rows=ROWS)), OF_A_GRAPH)[0].rows or ()
    assert rows[0] == '["Arden",1200,0.5,true,null,["a",null,2]]'
    assert rows[1:] == ('["Bree",1,2,false,"1200-05-01",[]]',)


def test_nothing_unsound_is_written(tmp_path):
    rows = (("x",), ("{}",), ("[1]", "[1,2]"), ('["\ud83d"]',), ("[[[1]]]",))
    for given in (
        [READ[0], READ[0]], [Prediction("q00001")], [Prediction("q00001", raw_output="", answers=())],
        [Prediction("q00001", "", retrieved=[["a", "r"]])],
        [Prediction("q00001", raw_output="\ud83d")], [Prediction("q00001", answers=("x", "\ud83d"))],
        *([Prediction("q00001", rows=some)] for some in rows),
    ):  # fmt: skip
        with pytest.raises(PredictionError, match="q00001"):
            write_predictions(tmp_path / "p.jsonl", given)
        if given[0].rows:
            with pytest.raises(PredictionError, match="q00001"):
                read_predictions(given, OF_A_GRAPH)
    assert not list(tmp_path.iterdir())


IN_TEXT = [
    Prediction("q00001", raw_output="Cid and Eve"),
    Prediction("q00002", answers=("Ann",)),
    Prediction("q00003", raw_output="Dora, Countess of X"),
]
TOO_LONG = "Outputs longer than 1,000,000 characters, read so far only: 1."


def said(text):
    """A raw output for each of the three questions."""
    return [Prediction(f"q{i:05d}", raw_output=text) for i in (1, 2, 3)]


def test_texts_of_a_class_of_their_own_are_texts(release):
    first, second = (
        evaluate(release, said(kind("Cid")), matching="brink").overall for kind in (np.str_, str)
    )
    assert first == second


def test_answers_in_another_naming_are_noticed(release, tmp_path):
    for matching, hits in (("ids", 1 / 3), ("vocabulary", 2 / 3)):
        with pytest.raises(PredictionError, match=r"in the naming 'text'.*--naming text"):
            evaluate(release, IN_TEXT, matching=matching)
        report = evaluate(release, IN_TEXT, matching=matching, naming="text")
        assert (report.naming, report.overall["hits_hard"].value) == ("text", hits)
    assert evaluate(release, IN_TEXT, naming="private").overall["hits_any"].value == 0.0
    # A paper's naming is the number alone.
    assert evaluate(release, said("2, 4, 0"), naming="numeric").overall["hits_hard"].value == 1.0
    report = evaluate(release, said("Cid, Bob"), matching="brink")
    assert report.overall["hits_any"].value == 0.0
    assert report.notes[0].startswith("Warning: of the first 3, 0 name an entity")
    assert report.notes[0].endswith("--naming text.")
    for text in (report.to_table(), report.to_markdown()):
        assert text.index("Warning: ") < text.index("Hits@Any")
    few = write_release(tmp_path / "r", names=(EntityNames("e00000", "11", "Ann"),))
    with pytest.raises(Exception, match="lacks the answer"):
        evaluate(few, IN_TEXT, naming="text")


def test_a_naming_is_wrong_although_a_name_of_it_is_a_name_of_the_other_too(tmp_path):
    names = [EntityNames(f"e{i:05d}", f"E{i}", f"Person {i}") for i in range(40)]
    names[7] = EntityNames("e00007", "E7", "e00007")  # someone without a text
    asked = [
        question(i, f"x{i}", f"r{i}", answers=["Person 1"], hard=["Person 1"]) for i in range(20)
    ]
    release = write_release(tmp_path / "r", asked, names=names, naming="text")
    given = [Prediction(q.id, answers=(f"e{i + 2:05d}",)) for i, q in enumerate(asked)]
    told = r"of the first 20, 1 name.*'text', but 20 .*--naming private"
    with pytest.raises(PredictionError, match=told):
        evaluate(release, given)
    silent = [p if i < 2 else replace(p, answers=()) for i, p in enumerate(given)]
    with pytest.raises(PredictionError, match="of the first 2, 0 name"):
        evaluate(release, silent)


def test_megabytes_are_read_so_far_and_thoughts_not_at_all_but_as_published(release):
    megabytes = replace(GIVEN[0], raw_output=f"{'blah ' * 40},\n" * 50_000 + EVE)
    thoughts = [
        replace(GIVEN[0], raw_output=f"<think>\n{EVE}, no.\n,{EVE},</think>none"),
        *(Prediction(p.id, raw_output=f"<think>{EVE}") for p in GIVEN[1:]),
    ]
    only = "Outputs that hold only thoughts, and no reply: 2; they score 0."
    for matching, hit in (("ids", 0), ("vocabulary", 0), ("brink", 1)):
        options = {"matching": matching, "resamples": 5}
        report = evaluate(release, [megabytes, *GIVEN[1:]], **options)
        assert report.headline.scores["hits_hard"].value == hit
        assert (TOO_LONG in report.notes) == (not hit)
        report = evaluate(release, thoughts, **options)
        assert report.scores[0][report.columns.index("hits_any")] == hit
        assert (only in report.notes) == (not hit)
    long = Prediction("q00001", answers=(CID, *(f"{n:0>100}" for n in range(10_000)), EVE))
    report = evaluate(release, [long, *GIVEN[1:]], metrics="all", resamples=5)
    assert report.headline.scores["hits_any"].value == 1
    assert report.headline.scores["hits_hard"].value == 0  # EVE is too far behind
    assert TOO_LONG in report.notes
