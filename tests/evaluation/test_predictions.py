import json
import re

import pytest

from rulemine.errors import ConfigError, InputError, PredictionError
from rulemine.evaluation import evaluate, read_predictions, write_predictions
from rulemine.release.records import Prediction
from tests.evaluation.conftest import refusal
from tests.evaluation.world import QUESTIONS

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


BAD = {
    "empty": ("", "is empty"),
    "blank": ("\n \n", "is empty"),
    "no items": ("[]", "is empty"),
    "not JSON": (lines(*GOOD) + '{"id": ', "line 4: is not valid JSON"),
    "array cut short": (json.dumps(GOOD)[:-1], "is not valid JSON"),
    "NaN": ('{"id": "q00001", "raw_output": NaN}', "line 1: is not valid JSON"),
    "not an object": ('"q00001"', "line 1: holds a JSON str"),
    "array of texts": ('["q00001"]', "item 1: 'q00001' is not an object"),
    "what was cut off in other words": (
        lines({"id": "q00001", "raw_output": "x", "cut_off": True}), "'cut_off': expected `array`, got"
    ),
    "what was cut off is no text": (
        lines({"id": "q00001", "raw_output": "x", "cut_off": [1]}), "'cut_off.0.': expected `str`, got `int`"
    ),
    "no id": (lines({"raw_output": "x"}), "line 1: has no 'id'"),
    "number as id": (lines({"id": 1, "raw_output": "x"}), "line 1: 'id' is 1"),
    "unknown id": (lines(*GOOD, {"id": "q99999", "answers": []}),
                   "line 4: unknown id 'q99999'; known: q00001 … q00004"),
    "unpadded id": (lines(*GOOD, {"id": "q4", "answers": []}), "did you mean 'q00004'"),
    "all unknown": (lines({"id": "x1", "answers": []}), "predictions for another one"),
    "twice": (lines(*GOOD, GOOD[0]), "line 4: id 'q00003' again, first at line 1"),
    "both forms": (lines({"id": "q00001", "raw_output": "", "answers": []}),
                   "line 1: has both 'raw_output' and 'answers'"),
    "neither form": (lines({"id": "q00001", "answer": "x"}),
                     "line 1: has no 'raw_output', .*'sparql', 'cypher' or 'rows'; it has .* 'answer'"),
    "null": (lines({"id": "q00001", "raw_output": None}), "line 1: has no 'raw_output'"),
    "raw output as list": (lines({"id": "q00001", "raw_output": ["x"]}), "'raw_output': expected `str"),
    "answers as text": (lines({"id": "q00001", "answers": "x"}), "'answers': expected `array"),
    "answers of numbers": (lines({"id": "q00001", "answers": [7]}), "'answers.0.': expected `str`, got"),
    "other split": (lines({"id": "q00004", "answers": []}),
                    "3 of 3 questions .*the predictions are for split train.*--split"),
    "half a character": ('{"id": "q00001", "raw_output": "\\ud83d"}', "line 1: is not valid JSON"),
    "half a character in an array": ('[{"id": "q00001", "answers": ["\\ude00"]}]',
                                     "array: .*half of a surrogate pair"),
    "NaN in a ranking": ('{"id": "q00001", "answers": [], "ranking": [["x", NaN]]}', "line 1: is not valid"),
    "Infinity in a ranking": ('{"id": "q00001", "answers": [], "ranking": [["x", -Infinity]]}', "line 1"),
    "more than doubles hold": ('{"id": "q00001", "answers": [], "ranking": [["x", 1e999]]}',
                               "line 1: is not valid JSON"),
    "NaN in a ranking of an array": ('[{"id": "q00001", "answers": [], "ranking": [["x", NaN]]}]',
                                     "item 1: 'ranking' has a score that is no finite"),
}  # fmt: skip


def test_says_what_is_wrong(tmp_path):
    wrong = []
    for case, (text, told) in BAD.items():
        path = write(tmp_path / "p.jsonl", text)
        said = refusal(PredictionError, read_predictions, path, QUESTIONS)
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
    cut = Prediction("q00001", raw_output="e0", cut_off=("max_tokens", "max_tokens"))
    write_predictions(path, [cut])
    row = '{"id":"q00001","raw_output":"e0","cut_off":["max_tokens","max_tokens"]}\n'
    assert path.read_text() == row
    assert read_predictions(path, QUESTIONS) == (cut,)


def test_nothing_unsound_is_written(tmp_path):
    for given in (
        [READ[0], READ[0]], [Prediction("q00001")], [Prediction("q00001", raw_output="", answers=())],
        [Prediction("q00001", raw_output="\ud83d")], [Prediction("q00001", answers=("x", "\ud83d"))],
    ):  # fmt: skip
        with pytest.raises(PredictionError, match="q00001"):
            write_predictions(tmp_path / "p.jsonl", given)
    assert not list(tmp_path.iterdir())
