"""Graphs in the forms of other projects, each as a small copy of it."""

import gzip
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from rulemine.datasets.labels import labels_of
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.datasets.registry import files_of, load_kg, load_labels, own_labels
from rulemine.errors import InputError, UserError
from tests import each

TRIPLES = [("ann", "knows", "bob"), ("bob", "knows", "Côte d'Ivoire"), ("bob", "lives in", "NA")]
"""What every copy below holds; some names are such as readers of tables take for something else."""


def put(folder: Path, files: dict[str, str]) -> Path:
    """Writes files, compressed where the name ends in gz."""
    for name, text in files.items():
        path, content = folder / name, text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return folder


ENTITIES = ["ann", "bob", "Côte d'Ivoire", "NA"]
RELATIONS = ["knows", "lives in"]
ROWS = [(ENTITIES.index(s), RELATIONS.index(r), ENTITIES.index(o)) for s, r, o in TRIPLES]
"""The triples by numbers."""


def lines(rows: Iterable[tuple[object, ...]], separator: str = "\t", header: str = "") -> str:
    return header + "".join(separator.join(map(str, row)) + "\n" for row in rows)


def numbered(names: list[str], separator: str = "\t", header: str = "") -> str:
    return lines(enumerate(names), separator, header)


def named(names: list[str], header: str = "") -> str:
    return lines([(name, number) for number, name in enumerate(names)], header=header)


JSON_ROWS = [dict(zip(("Subject", "predicate", "object_id"), row, strict=True)) for row in TRIPLES]

SPLITS = {
    "train.txt": lines(TRIPLES[:2]), "valid.txt": lines(TRIPLES[2:]), "test.txt.gz": lines(TRIPLES[2:]),
    "test_negatives.txt": "no\tno\tno\n",
}  # fmt: skip

LIBKGE = {
    "train.del": lines(ROWS[:1]), "valid.del": lines(ROWS[1:2]), "test.del": lines(ROWS[2:]),
    "train_sample.del": "9\t9\t9\n", "entity_ids.del": numbered(ENTITIES),
    "relation_ids.del": numbered(RELATIONS),
}  # fmt: skip

FOLDERS: dict[str, dict[str, str]] = {
    "splits": SPLITS,
    "LibKGE": LIBKGE,
    "PyKEEN": {
        f"{split}/{name}.tsv.gz": text
        for split, rows in (("training", ROWS[:2]), ("testing", ROWS[2:]))
        for name, text in {
            "numeric_triples": lines(rows, header="head\trelation\ttail\n"),
            "entity_to_id": numbered(ENTITIES, header="id\tlabel\n"),
            "relation_to_id": numbered(RELATIONS, header="id\tlabel\n"),
        }.items()
    },
    "PyKEEN by numbers": {
        "train.txt": lines(ROWS[:2]), "test.txt": lines(ROWS[2:]),
        "entity_to_id.tsv": named(ENTITIES, "label\tid\n"),
        "relation_to_id.tsv": named(RELATIONS, "label\tid\n"),
    },
    "OGB": {
        "raw/edge.csv.gz": lines([(s, o) for s, _, o in ROWS], ","),
        "raw/edge_reltype.csv.gz": lines([(r,) for _, r, _ in ROWS], ","),
        "raw/num_edge_list": "3\n",
        "mapping/nodeidx2entityid.csv.gz": numbered(ENTITIES, ",", "node idx,entity id\n"),
        "mapping/reltype2relid.csv.gz": numbered(RELATIONS, ",", "reltype,rel id\n"),
    },
    "OpenKE": {
        "entity2id.txt": named(ENTITIES, "4\n"), "relation2id.txt": named(RELATIONS, "2\n"),
        "train2id.txt": lines([(s, o, r) for s, r, o in ROWS[:2]], " ", "2\n"),
        "test2id.txt": lines([(s, o, r) for s, r, o in ROWS[2:]], "\t", "1\n"),
        "type_constrain.txt": "1\n0\t1\t0\n",
    },
    "JSON Lines": {"train.jsonl": "".join(json.dumps(row) + "\n" for row in JSON_ROWS)},
    "CSV": {"all.csv.gz": lines([(0, *row) for row in TRIPLES], ",", ",h,r,t\n")},
}  # fmt: skip


def parquet(folder: Path) -> Path:
    """A data set of the Hub, with what is to be left alone."""
    put(folder, {"README.md": "a card", ".cache/old.csv": "head,relation,tail\nx,y,z\n"})
    for part, rows in enumerate((TRIPLES[:2], TRIPLES[2:])):
        path = folder / "data" / f"train-0000{part}-of-00002.parquet"
        path.parent.mkdir(exist_ok=True)
        pd.DataFrame(rows, columns=["head", "relation", "tail"]).assign(score=1.5).to_parquet(path)
    return folder


@each("form", [*FOLDERS, "parquet"])
def test_all_splits_of_a_folder_are_one_graph(tmp_path, form):
    put(tmp_path, FOLDERS[form]) if form in FOLDERS else parquet(tmp_path)
    assert load_kg(str(tmp_path)).labeled() == sorted(TRIPLES)
    assert files_of(str(tmp_path)) == sorted(files_of(str(tmp_path)))
    assert all(path.is_file() for path in files_of(str(tmp_path)))
    assert own_labels(str(tmp_path)) == str(tmp_path)
    assert load_labels(str(tmp_path)) == {}


def test_files_of_triples_that_are_not_read_are_named(tmp_path):
    """Folders of DRUM and Neural-LP lost their facts in silence."""
    put(tmp_path, SPLITS | {"facts.txt": "eve\tknows\tann\n", "entities.txt": "ann\n"})
    told = []
    assert len(load_kg(str(tmp_path), note=told.append)) == len(TRIPLES) + 1
    [note] = told
    assert "facts.txt, test.txt.gz, train.txt, valid.txt are read; not test_negatives.txt, " in note


def test_entities_of_several_types_are_told_apart_by_the_type(tmp_path):
    put(tmp_path, {
        "raw/relations/drug___treats___disease/edge.csv.gz": "0,1\n",
        "raw/relations/drug___treats___disease/edge_reltype.csv.gz": "0\n",
        "mapping/drug_entidx2name.csv.gz": "ent idx,ent name\n0,X1\n",
        "mapping/disease_entidx2name.csv.gz": "ent idx,ent name\n0,X0\n1,X1\n",
        "mapping/relidx2relname.csv.gz": "rel idx,rel name\n0,drug-disease\n",
    })  # fmt: skip
    assert load_kg(str(tmp_path)).labeled() == [("drug:X1", "drug-disease", "disease:X1")]


@each("by", [ENTITIES, range(4)])
def test_strings_of_libkge_are_labels(tmp_path, by):
    strings = lines([(by[0], "Ann"), (by[3], 'the "NA"')])
    put(tmp_path, LIBKGE | {"entity_strings.del": strings})
    assert load_labels(str(tmp_path)) == {"ann": "Ann", "NA": 'the "NA"'}


def test_labels_stand_beside_triples_or_in_a_table_of_their_own(tmp_path):
    put(tmp_path, {
        "kg.csv": 'relation,x_index,x_name,y_index,y_name\nknows,7,"Ann, the elder",8,Bob\n',
        "nodes.csv": "id,name,kind\n8,Robert,person\n9,Cid,person\n9,Kid,person\n",
    })  # fmt: skip
    assert load_kg(str(tmp_path)).labeled() == [("7", "knows", "8")]
    assert load_labels(str(tmp_path)) == {"7": "Ann, the elder", "8": "Bob", "9": "Cid"}
    assert load_labels(str(tmp_path / "kg.csv"))["8"] == "Bob"


CHOSEN = (
    # name, text, columns, what is read; "": refused
    ("a.tsv", "a\tb\tr\nc\td\tr\n", "1,3,2", "a r b, c r d"),
    ("a.tsv", "a\tb\tr\n", "1,2,3", "a b r"),
    ("a.tsv", "s\tt\tp\na\tb\tr\n", "s,p,t", "a r b"),
    ("a.tsv", "a\tr\tb\t.\n", "1,2,3", "a r b"),
    ("a.tsv.gz", "7\ta\tr\tb\n", "2,3,4", "a r b"),
    ("a.txt", "a r b\nc r d\n", "1,2,3", "a r b, c r d"),
    ("a.txt", "a|b|r\n", "1,3,2", "a r b"),
    ("a.txt", 'a;r;"b;c"\n', "1,2,3", "a r b;c"),
    ("a.tsv", '"a"\t"r"\t"b"\n', "1,2,3", "a r b"),
    ("a.tsv", '"a"\tr\tb\n', "1,2,3", '"a" r b'),
    ("a.csv", 'a,r,"b, c"\n', "1,2,3", "a r b, c"),
    ("a.csv", 'from;rel;to;w\na;r;"b;c";1\n', "", "a r b;c"),
    ("a.csv", "x,y,z\na,r,b\n", "x,y,z", "a r b"),
    ("a.csv", "id,:START_ID,:TYPE,:END_ID\n1,a,r,b\n", "", "a r b"),
    ("a.csv", "id,from,type,to\n1,a,r,b\n", "", "a r b"),
    ("a.csv", "id,node1,label,node2\n1,a,r,b\n", "", "a r b"),
    ("kb.txt", "Kismet|by|W. D.\nA, B|has|NA\n", "", "A, B has NA, Kismet by W. D."),
    ("edges.sif", 'source\tmetaedge\ttarget\nG::1\tGr>G\tG::"2\n', "", 'G::1 Gr>G G::"2'),
    ("a.jsonl", '{"x": "a", "y": "r", "z": 7}\n', "x,y,z", "a r 7"),
    ("a.jsonl", '{"x": "a", "y": "r", "z": 7}\n', "3,2,1", "7 r a"),
    ("f/train.txt", "a\tr\tb\t2014-01-01\n", "1,2,3", "a r b"),
    ("a.csv", "x,y,z\na,r,b\n", "", ""),
    ("a.csv", "head,relation,tail\na,r,b\n", "1,2,3", ""),
    ("a.tsv", "a\tr\tb\n", "1,2,4", ""),
    ("a.tsv", "a\tr\tb\n", "s,p,o", ""),
    ("a.tsv", "a\tr\tb\n", "1,2", ""),
    ("a.tsv", "a\tr\tb\n", "1,1,2", ""),
    ("a.tsv", "a\tr\tb\t.\n", "", ""),
    ("a.tsv", "a;r;b\n", "", ""),
    ("a.txt", "a r b\n", "", ""),
)  # fmt: skip


@each(("name", "text", "columns", "expected"), CHOSEN)
def test_columns_are_chosen_by_number_or_name(tmp_path, name, text, columns, expected):
    """Where nothing is read, the message says how to choose."""
    put(tmp_path, {name: text})
    place = str(tmp_path / name.partition("/")[0])
    chosen = [*filter(None, columns.split(","))]
    if expected:
        assert ", ".join(map(" ".join, load_kg(place, columns=chosen).labeled())) == expected
    else:
        with pytest.raises(InputError, match="--columns"):
            load_kg(place, columns=chosen)


def test_what_has_no_columns_to_choose_from_is_refused(tmp_path):
    put(tmp_path, LIBKGE | {"kg.nt": "<x:a> <x:r> <x:b> .\n"})
    for name in (str(tmp_path), str(tmp_path / "kg.nt"), "demo"):
        with pytest.raises(UserError, match=r"^--columns: "):
            load_kg(name, columns=("1", "2", "3"))
        with pytest.raises(UserError, match="columns"):
            load_property_graph(name, columns=("1", "2", "3"))


def test_bad_lines_of_rdf_are_left_out_or_refused(tmp_path):
    name, told = str(tmp_path / "kg.nt"), []
    put(tmp_path, {"kg.nt": "<x:a> <x:r> <x:b> .\n<x:a> <x:r> <x y> .\n<x:b> <x:r> <x:c> .\n"})
    assert len(load_kg(name, note=told.append)) == 2
    assert "line 2" in told[0]
    for read in (load_kg, load_property_graph):
        with pytest.raises(InputError, match=r"line 2.*leave --strict out"):
            read(name, strict=True)
        assert read(name) is not None


@each(
    ("files", "message"),
    [
        ({"notes.md": "x"}, "none of the forms that are read .*LibKGE: train.del"),
        ({"a.csv": "head,tail\na,b\n"}, "no table has columns .*found a.csv: head, tail"),
        ({"a.csv": "head,relation,tail\na,r,b\na,,b\n"}, r"a\.csv: row 2 lacks its subject"),
        ({"a.jsonl": '{"head": "a", "relation": "r", "tail": null}\n'}, r"a\.jsonl: row 1 lacks"),
        ({"a.parquet": "PAR"}, r"a\.parquet: cannot be read as a table"),
        ({"a.csv": "head,relation,tail\na,r,b\n1,2,3,4\n"}, "row 3 has 4 columns, 3 were expected"),
        ({"manifest.json": "{}", "kg/complete.tsv.gz": "a\tr\tb\n"},
         r"is a release\. Its graph is .*kg/complete\.tsv\.gz"),
        ({"numeric_triples.tsv": "head\trelation\ttail\n0\t0\t0\n"}, "no entity_to_id.tsv"),
        ({"raw/edge.csv": "0,1\n", "raw/edge_reltype.csv": "0\n"}, "holds none of reltype2relid"),
        ({"train.del": "0\t0\t5\n", "entity_ids.del": "0\ta\n", "relation_ids.del": "0\tr\n"},
         "has the number 5, which the file of names beside it lacks"),
        ({"train.del": "0\t0\t0\n0\t0\n", "entity_ids.del": "0\ta\n",
          "relation_ids.del": "0\tr\n"}, "row 2 has 2 columns, 3 were expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_folder(tmp_path, files, message):
    put(tmp_path, files)
    with pytest.raises(InputError, match=message):
        load_kg(str(tmp_path))


def test_parquet_alone_needs_a_package(tmp_path, monkeypatch):
    put(tmp_path, {"a/a.csv": "head,relation,tail\na,r,b\n", "b/a.parquet": "PAR1"})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'rulemine\[hub\]'"):
        load_kg(str(tmp_path / "b"))
    assert len(load_kg(str(tmp_path / "a"))) == 1


def test_a_data_set_of_the_hub_is_a_folder(tmp_path, monkeypatch):
    parquet(tmp_path)
    asked: list[tuple[str, object]] = []

    def snapshot_download(repo_id: str, **given: object) -> str:
        asked.append((repo_id, given["revision"]))
        assert given["repo_type"] == "dataset"
        if repo_id == "no/such":
            raise OSError("404 Client Error\nmore")
        return str(tmp_path)

    hub = SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    for name in ("hub:some/kg@abc", "hub:some/kg"):
        assert load_kg(name).labeled() == sorted(TRIPLES)
    assert asked == [("some/kg", "abc"), ("some/kg", None)]
    with pytest.raises(UserError, match=r"hub:no/such: cannot be downloaded \(404 Client Error\)"):
        load_kg("hub:no/such")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match="huggingface-hub"):
        load_kg("hub:some/kg")


@each(
    ("text", "said"),
    [
        ("head\ttail\trelation\nann\tbob\tknows\n", "--columns head,relation,tail"),
        ("Entity A\tlink\tEntity B\nann\tknows\tbob\nbob\tknows\tann\n", "occur nowhere else"),
        ("".join(f"a{i}\tb{i}\tknows\n" for i in range(5)), "column 3 1. If that is the relation"),
        ("".join(f"knows\ta{i}\tb{i}\n" for i in range(5)), "--columns 2,1,3"),
        ("ann\tknows\tbob\nbob\tknows\tann\nann\tsees\tbob\n", ""),
    ],
)  # fmt: skip
def test_columns_that_look_like_others_are_told(tmp_path, text, said):
    put(tmp_path, {"kg.tsv": text})
    told = []
    try:
        load_kg(str(tmp_path / "kg.tsv"), note=told.append)
    except InputError as problem:
        told.append(str(problem))
    assert said in "".join(told)
    assert bool(said) == len(told)


def test_columns_with_names_are_what_they_say(tmp_path):
    rows = "".join(f"a{i},b{i},knows\n" for i in range(5))
    put(tmp_path, {"kg.csv": f"head,relation,tail\n{rows}"})
    told = []
    assert len(load_kg(str(tmp_path / "kg.csv"), note=told.append).relations) == 5
    assert told == []


def test_an_address_is_no_file():
    with pytest.raises(UserError, match="is an address"):
        load_kg("https://example.org/kg.tsv")


def test_numbers_get_the_names_of_the_dictionaries_beside_them(tmp_path):
    """They were asked by their numbers."""
    put(tmp_path, {"train.txt": lines(ROWS), "entities.dict": numbered(ENTITIES)})
    for name, rows in (
        ("relations.dict", numbered(RELATIONS)), ("id2relation.txt", numbered(RELATIONS)),
        ("relation2id.txt", named(RELATIONS, "2\n")),
    ):  # fmt: skip
        (tmp_path / name).write_text(rows)
        kg = load_kg(str(tmp_path))
        found = labels_of("", str(tmp_path), kg, print, beside=True)
        assert [found.entities[str(number)] for number in range(4)] == ENTITIES
        assert [found.relations[str(number)] for number in range(2)] == RELATIONS
        (tmp_path / name).unlink()


def test_labels_in_the_folder_of_splits_are_found(tmp_path):
    put(tmp_path, SPLITS | {"entity2text.txt": "ann\tAnn Ames\nbob\tBob Bell\nNA\tNamibia\n"})
    kg = load_kg(str(tmp_path))
    found = labels_of("", str(tmp_path), kg, print, beside=True)
    assert found.entities == {"ann": "Ann Ames", "bob": "Bob Bell", "NA": "Namibia"}
    nodes = load_property_graph(str(tmp_path)).nodes
    assert {node.name for node in nodes} == {*found.entities.values(), "Côte d'Ivoire"}
