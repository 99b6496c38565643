"""Exports for StructGPT, read as it reads them."""

import json
import pickletools
from pathlib import Path

import numpy as np

from rulemine.exports.exporting import export
from rulemine.files import describe_content
from rulemine.kg.entity_names import EntityNames
from rulemine.release.reader import Release
from tests.exports.readers.structgpt import StructGpt
from tests.structures import WORLD


def test_it_walks_the_graph_from_the_topics(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "structgpt:split=train", tmp_path / "a", kg="complete")
    client = StructGpt(made.folder)
    of = {e.entity: f"m.{e.private}" for e in structures.entities}
    for name, entity in of.items():
        wanted = {(s, f"graph.{r}", o) for s, r, o in WORLD if s == name}
        assert client.forward(entity) == wanted  # of italy, which is no subject: none
    one = structures.questions("train")
    assert [row["ID"] for row in client.questions] == [q.id for q in one]
    assert [row["Answers"] for row in client.questions] == [list(q.answers) for q in one]
    assert [(row["TopicEntityID"], row["TopicEntityName"]) for row in client.questions] == [
        (of[q.topic], q.topic) for q in one
    ]
    assert not made.left_out


def test_questions_with_several_topics_are_left_out(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "structgpt", tmp_path / "a")
    assert made.left_out == {
        q.id: f"it has {len(q.anchors)} topic entities; StructGPT starts from one"
        for q in structures.questions("test")
        if len(q.anchors) > 1
    }


def test_the_same_bytes_in_every_naming_and_nothing_but_plain_types(
    structures: Release, tmp_path: Path
) -> None:
    for naming in ("entity", "text"):
        export(structures, "structgpt", tmp_path / naming, naming=naming)
    names = ("ent2id.pickle", "rel2id.pickle", "subgraph_2hop_triples.npy", "ent_type_ary.npy")
    for name in names:
        content = (tmp_path / "text" / name).read_bytes()
        assert content == (tmp_path / "entity" / name).read_bytes()
    for name in ("ent2id.pickle", "rel2id.pickle", "entity_name.pickle"):
        content = (tmp_path / "text" / name).read_bytes()
        codes = {code.name for code, *_ in pickletools.genops(content)}
        assert not codes & {"GLOBAL", "STACK_GLOBAL", "REDUCE", "BINPUT", "FRAME"}
        assert content[:2] == b"\x80\x02"
    assert np.load(tmp_path / "text" / names[2]).dtype == np.dtype("<i4")


def test_without_answers(release: Release, tmp_path: Path) -> None:
    folder = export(release, "structgpt", tmp_path / "a", without_answers=True).folder
    rows = StructGpt(folder).questions
    assert rows
    assert all(row["Answers"] == row["Aliases"] == [] for row in rows)


def test_entities_of_the_reference_alone_are_not_told(structures: Release, tmp_path: Path) -> None:
    names = [*structures.entities, EntityNames("e00099", "far", "Far")]
    text = "".join(f"{e.private}\t{e.entity}\t{e.text}\n" for e in names)
    (structures.path / "entities.tsv").write_text(f"private\tentity\ttext\n{text}")
    size, digest = describe_content(structures.path / "entities.tsv")
    structures.manifest["files"]["entities.tsv"] = {"bytes": size, "sha256": digest}
    (structures.path / "manifest.json").write_text(json.dumps(structures.manifest))
    release = Release.open(structures.path)
    assert len(release.entities) == len(names)
    for name in ("structgpt", "gog"):
        folder = export(release, name, tmp_path / name, without_answers=True).folder
        for file in folder.rglob("*"):
            assert file.is_dir() or b"e00099" not in file.read_bytes()
