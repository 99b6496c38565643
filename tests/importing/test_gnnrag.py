"""The reader ``gnnrag``, on invented files of its form and on our own exports."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine import import_set
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.importing.readers.gnnrag import GnnRagReader
from rulemine.release.reader import Release
from tests.importing.round_trip import scores_of
from tests.releases import built

ROW: dict[str, Any] = {
    "id": "Sea-0",
    "question": "who painted the harbor ?",
    "entities": [1],
    "answers": [{"kb_id": "m.02", "text": "Bo Quist"}, {"kb_id": 7, "text": "Cy"}],
    "subgraph": {"entities": [0, 1], "tuples": [[1, 0, 0], [1, 1, 2]]},
    "hops": 1,
}


def _write(folder: Path, row: dict[str, Any], file: str = "test_simple.json") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "entities.txt").write_text("m.02\nm.01\nm.03\n")
    (folder / "relations.txt").write_text("art.painting.painter\nart.painting.owner\n")
    (folder / file).write_text(json.dumps(row) + "\n")
    return folder


def test_numbers_are_lines_and_answers_without_one_are_texts(tmp_path: Path) -> None:
    folder = _write(tmp_path / "sea", ROW)
    (folder / "entities_names.json").write_text('{"m.02": "Bo Quist"}')
    found = GnnRagReader()(folder, None, None)
    (question,) = found.questions
    assert (question.id, question.split, question.text) == ("Sea-0", "test", ROW["question"])
    assert (question.topics, question.answers) == (("m.01",), ("m.02", "Cy"))
    assert question.fields == {"hops": 1}
    assert found.labels == {"m.02": "Bo Quist"}
    for _ in range(2):
        assert list(found.complete or ()) == [
            ("m.01", "art.painting.painter", "m.02"),
            ("m.01", "art.painting.owner", "m.03"),
        ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entities": [3]}, "has 3; the number of one of the 3 lines of entities.txt"),
        (
            {"subgraph": {"tuples": [[1, 2, 0]]}},
            "has 2; the number of one of the 2 lines of relations",
        ),
        ({"subgraph": {"tuples": [[1, 0]]}}, "the graph has [1, 0]; a list of the numbers"),
        ({"answers": ["Bo Quist"]}, 'an answer is "Bo Quist"; an object with kb_id'),
        ({"question": None}, "has no 'question'"),
    ],
)
def test_messages_name_the_row_and_what_was_expected(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        list(GnnRagReader()(_write(tmp_path / "sea", ROW | change), None, None).complete or ())
    assert "test_simple.json: line 1" in str(caught.value)
    assert message in str(caught.value)


def test_what_a_folder_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file such as test\.json"):
        GnnRagReader()(_write(tmp_path / "sea", ROW, "questions.json"), None, None)
    with pytest.raises(InputError, match=r"entities\.txt: no such file"):
        GnnRagReader()(tmp_path, None, None)


def test_scores_of_an_export_are_those_of_its_release(tmp_path: Path) -> None:
    release = Release.open(built("demo") / "demo")
    folder = export(release, "gnnrag", tmp_path / "gnnrag").folder
    made = import_set("gnnrag", folder, tmp_path / "imported")
    assert {q.id for q in made.questions()} == {q.id for q in release.questions()}
    for system in ("neighbors", "neighbors:hops=2"):
        before, after = (scores_of(one, system) for one in (release, made))
        for id_, scores in after.items():
            for name in ("hits_any", "precision", "recall", "f1"):
                assert scores[name] == before[id_][name], (system, id_, name)


def test_labels_that_are_no_texts_are_left_out(tmp_path: Path) -> None:
    folder = _write(tmp_path / "sea", ROW)
    (folder / "entities_names.json").write_text('{"m.02": null, "m.01": 7, "m.03": "Cy"}')
    assert GnnRagReader()(folder, None, None).labels == {"m.03": "Cy"}
