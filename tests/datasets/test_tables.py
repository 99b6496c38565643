"""Graphs in the forms of other projects, each as a small copy of it."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from rulemine.datasets.labels import labels_of
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.datasets.registry import files_of, load_kg, load_labels, own_labels
from rulemine.errors import InputError, UserError
from rulemine.files import write_bytes
from tests import each

TRIPLES = [("ann", "knows", "bob"), ("bob", "knows", "Côte d'Ivoire"), ("bob", "lives in", "NA")]
"""What every copy below holds; some names are such as readers of tables take for something else."""


def put(folder: Path, **files: str) -> Path:
    """Writes files; ``__`` in a name is a slash, ``_DOT_`` a dot; compressed where the name ends in gz."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        content = text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return folder


def plain_splits(folder: Path) -> None:
    one, two, three = ("\t".join(row) + "\n" for row in TRIPLES)
    put(folder, train_DOT_txt=one + two, valid_DOT_txt=three, test_DOT_txt_DOT_gz=three)
    put(folder, test_negatives_DOT_txt="no\tno\tno\n")


NUMBERS = ["ann", "bob", "Côte d'Ivoire", "NA"]
RELATIONS = ["knows", "lives in"]
ROWS = [(NUMBERS.index(s), RELATIONS.index(r), NUMBERS.index(o)) for s, r, o in TRIPLES]


def lines(rows: list[tuple[object, ...]], separator: str = "\t", header: str = "") -> str:
    return header + "".join(separator.join(map(str, row)) + "\n" for row in rows)


def pykeen(folder: Path) -> None:
    for split, rows in (("training", ROWS[:2]), ("testing", ROWS[2:])):
        put(
            folder / split,
            numeric_triples_DOT_tsv_DOT_gz=lines(rows, header="head\trelation\ttail\n"),
            entity_to_id_DOT_tsv_DOT_gz=lines(list(enumerate(NUMBERS)), header="id\tlabel\n"),
            relation_to_id_DOT_tsv_DOT_gz=lines(list(enumerate(RELATIONS)), header="id\tlabel\n"),
        )


def pykeen_numbers(folder: Path) -> None:
    put(
        folder,
        train_DOT_txt=lines(ROWS[:2]),
        test_DOT_txt=lines(ROWS[2:]),
        entity_to_id_DOT_tsv=lines([(b, a) for a, b in enumerate(NUMBERS)], header="label\tid\n"),
        relation_to_id_DOT_tsv=lines(
            [(b, a) for a, b in enumerate(RELATIONS)], header="label\tid\n"
        ),
    )


def libkge(folder: Path) -> None:
    put(
        folder,
        train_DOT_del=lines(ROWS[:1]),
        valid_DOT_del=lines(ROWS[1:2]),
        test_DOT_del=lines(ROWS[2:]),
        train_sample_DOT_del="9\t9\t9\n",
        entity_ids_DOT_del=lines(list(enumerate(NUMBERS))),
        relation_ids_DOT_del=lines(list(enumerate(RELATIONS))),
    )


def ogb(folder: Path) -> None:
    put(
        folder,
        raw__edge_DOT_csv_DOT_gz=lines([(s, o) for s, _, o in ROWS], ","),
        raw__edge_reltype_DOT_csv_DOT_gz=lines([(r,) for _, r, _ in ROWS], ","),
        raw__num_edge_list="3\n",
        mapping__nodeidx2entityid_DOT_csv_DOT_gz=lines(
            list(enumerate(NUMBERS)), ",", "node idx,entity id\n"
        ),
        mapping__reltype2relid_DOT_csv_DOT_gz=lines(
            list(enumerate(RELATIONS)), ",", "reltype,rel id\n"
        ),
    )


def parquet(folder: Path) -> None:
    for part, rows in enumerate((TRIPLES[:2], TRIPLES[2:])):
        path = folder / "data" / f"train-0000{part}-of-00002.parquet"
        path.parent.mkdir(exist_ok=True)
        pd.DataFrame(rows, columns=["head", "relation", "tail"]).assign(score=1.5).to_parquet(path)
    put(folder, README_DOT_md="a card", _DOT_cache__old_DOT_csv="head,relation,tail\nx,y,z\n")


def jsonl(folder: Path) -> None:
    rows = [dict(zip(("Subject", "predicate", "object_id"), row, strict=True)) for row in TRIPLES]
    put(folder, train_DOT_jsonl="".join(json.dumps(row) + "\n" for row in rows))


def csv(folder: Path) -> None:
    put(folder, all_DOT_csv_DOT_gz=lines([(0, *row) for row in TRIPLES], ",", ",h,r,t\n"))


def openke(folder: Path) -> None:
    for of, names in (("entity", NUMBERS), ("relation", RELATIONS)):
        rows = [(name, number) for number, name in enumerate(names)]
        put(folder, **{f"{of}2id_DOT_txt": lines(rows, header=f"{len(rows)}\n")})
    rows = [(s, o, r) for s, r, o in ROWS]
    put(
        folder,
        train2id_DOT_txt=lines(rows[:2], " ", "2\n"),
        test2id_DOT_txt=lines(rows[2:], "\t", "1\n"),
    )
    put(folder, type_constrain_DOT_txt="1\n0\t1\t0\n")


FOLDERS = (plain_splits, pykeen, pykeen_numbers, libkge, ogb, openke, parquet, jsonl, csv)


@each("make", FOLDERS)
def test_all_splits_of_a_folder_are_one_graph(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path)
    assert load_kg(str(tmp_path)).labeled() == sorted(TRIPLES)
    assert files_of(str(tmp_path)) == sorted(files_of(str(tmp_path)))
    assert all(path.is_file() for path in files_of(str(tmp_path)))
    assert own_labels(str(tmp_path)) == str(tmp_path)
    assert load_labels(str(tmp_path)) == {}


def test_files_of_triples_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Folders of DRUM and Neural-LP lost their facts in silence."""
    plain_splits(tmp_path)
    put(tmp_path, facts_DOT_txt="eve\tknows\tann\n", entities_DOT_txt="ann\n")
    told: list[str] = []
    assert len(load_kg(str(tmp_path), note=told.append)) == len(TRIPLES) + 1
    [note] = told
    assert "facts.txt, test.txt.gz, train.txt, valid.txt are read; not test_negatives.txt, " in note


def test_entities_of_several_types_are_told_apart_by_the_type(tmp_path: Path) -> None:
    edges = tmp_path / "raw" / "relations" / "drug___treats___disease"
    put(edges, edge_DOT_csv_DOT_gz="0,1\n", edge_reltype_DOT_csv_DOT_gz="0\n")
    put(
        tmp_path,
        mapping__drug_entidx2name_DOT_csv_DOT_gz="ent idx,ent name\n0,X1\n",
        mapping__disease_entidx2name_DOT_csv_DOT_gz="ent idx,ent name\n0,X0\n1,X1\n",
        mapping__relidx2relname_DOT_csv_DOT_gz="rel idx,rel name\n0,drug-disease\n",
    )
    assert load_kg(str(tmp_path)).labeled() == [("drug:X1", "drug-disease", "disease:X1")]


@each("by", [NUMBERS, range(4)])
def test_strings_of_libkge_are_labels(tmp_path: Path, by: list[object]) -> None:
    libkge(tmp_path)
    put(tmp_path, entity_strings_DOT_del=lines([(by[0], "Ann"), (by[3], 'the "NA"')]))
    assert load_labels(str(tmp_path)) == {"ann": "Ann", "NA": 'the "NA"'}


def test_labels_stand_beside_triples_or_in_a_table_of_their_own(tmp_path: Path) -> None:
    put(
        tmp_path,
        kg_DOT_csv='relation,x_index,x_name,y_index,y_name\nknows,7,"Ann, the elder",8,Bob\n',
        nodes_DOT_csv="id,name,kind\n8,Robert,person\n9,Cid,person\n9,Kid,person\n",
    )
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


def test_columns_are_chosen_by_number_or_name(tmp_path: Path) -> None:
    """Where nothing is read, the message says so, or how to choose."""
    wrong = []
    for at, (name, text, columns, expected) in enumerate(CHOSEN):
        path = tmp_path / str(at) / name
        write_bytes(path, text.encode())
        place = path.parent if "/" in name else path
        try:
            kg = load_kg(str(place), columns=[*filter(None, columns.split(","))])
            found = ", ".join(map(" ".join, kg.labeled()))
        except InputError as problem:
            found = "" if "--columns" in str(problem) else str(problem)
        if found != expected:
            wrong.append((at, found))
    assert wrong == []


def test_what_has_no_columns_to_choose_from_is_refused(tmp_path: Path) -> None:
    libkge(tmp_path)
    put(tmp_path, kg_DOT_nt="<x:a> <x:r> <x:b> .\n")
    for name in (str(tmp_path), str(tmp_path / "kg.nt"), "demo"):
        with pytest.raises(UserError, match=r"^--columns: "):
            load_kg(name, columns=("1", "2", "3"))
        with pytest.raises(UserError, match="columns"):
            load_property_graph(name, columns=("1", "2", "3"))


def test_bad_lines_of_rdf_are_left_out_or_refused(tmp_path: Path) -> None:
    put(tmp_path, kg_DOT_nt="<x:a> <x:r> <x:b> .\n<x:a> <x:r> <x y> .\n<x:b> <x:r> <x:c> .\n")
    name, told = str(tmp_path / "kg.nt"), list[str]()
    assert len(load_kg(name, note=told.append)) == 2
    assert "line 2" in told[0]
    for read in (load_kg, load_property_graph):
        with pytest.raises(InputError, match=r"line 2.*leave --strict out"):
            read(name, strict=True)
        assert read(name) is not None


@each(
    ("files", "message"),
    [
        ({"notes_DOT_md": "x"}, "none of the forms that are read .*LibKGE: train.del"),
        ({"a_DOT_csv": "head,tail\na,b\n"}, "no table has columns .*found a.csv: head, tail"),
        ({"a_DOT_csv": "head,relation,tail\na,r,b\na,,b\n"}, r"a\.csv: row 2 lacks its subject"),
        ({"a_DOT_jsonl": '{"head": "a", "relation": "r", "tail": null}\n'}, r"a\.jsonl: row 1 lacks"),
        ({"a_DOT_parquet": "PAR"}, r"a\.parquet: cannot be read as a table"),
        ({"a_DOT_csv": "head,relation,tail\na,r,b\n1,2,3,4\n"}, "row 3 has 4 columns, 3 were expected"),
        ({"manifest_DOT_json": "{}", "kg__complete_DOT_tsv_DOT_gz": "a\tr\tb\n"},
         r"is a release\. Its graph is .*kg/complete\.tsv\.gz"),
        ({"numeric_triples_DOT_tsv": "head\trelation\ttail\n0\t0\t0\n"}, "no entity_to_id.tsv"),
        ({"raw__edge_DOT_csv": "0,1\n", "raw__edge_reltype_DOT_csv": "0\n"}, "holds none of reltype2relid"),
        ({"train_DOT_del": "0\t0\t5\n", "entity_ids_DOT_del": "0\ta\n", "relation_ids_DOT_del": "0\tr\n"},
         "has the number 5, which the file of names beside it lacks"),
        ({"train_DOT_del": "0\t0\t0\n0\t0\n", "entity_ids_DOT_del": "0\ta\n",
          "relation_ids_DOT_del": "0\tr\n"}, "row 2 has 2 columns, 3 were expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_folder(tmp_path: Path, files: dict[str, str], message: str) -> None:
    put(tmp_path, **files)
    with pytest.raises(InputError, match=message):
        load_kg(str(tmp_path))


def test_parquet_alone_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, a__a_DOT_csv="head,relation,tail\na,r,b\n", b__a_DOT_parquet="PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'rulemine\[hub\]'"):
        load_kg(str(tmp_path / "b"))
    assert len(load_kg(str(tmp_path / "a"))) == 1


def test_a_data_set_of_the_hub_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet(tmp_path)
    asked: list[tuple[str, object]] = []

    def snapshot_download(repo_id: str, **given: object) -> str:
        asked.append((repo_id, given["revision"]))
        assert given["repo_type"] == "dataset"
        if repo_id == "no/such":
            raise OSError("404 Client Error\nmore")
        return str(tmp_path)

    monkeypatch.setitem(
        sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download)
    )
    assert (
        load_kg("hub:some/kg@abc").labeled() == load_kg("hub:some/kg").labeled() == sorted(TRIPLES)
    )
    assert asked == [("some/kg", "abc"), ("some/kg", None)]
    with pytest.raises(UserError, match=r"hub:no/such: cannot be downloaded \(404 Client Error\)"):
        load_kg("hub:no/such")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match="huggingface-hub"):
        load_kg("hub:some/kg")


def test_a_name_of_a_data_set_hides_a_folder_but_not_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain_splits(tmp_path / "demo")
    write_bytes(tmp_path / "x", b"")
    assert len(load_kg("demo")) > 1000
    assert len(load_kg("./demo")) == 3


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
def test_columns_that_look_like_others_are_told(tmp_path: Path, text: str, said: str) -> None:
    put(tmp_path, kg_DOT_tsv=text)
    told: list[str] = []
    try:
        load_kg(str(tmp_path / "kg.tsv"), note=told.append)
    except InputError as problem:
        told.append(str(problem))
    assert said in "".join(told)
    assert bool(said) == len(told)


def test_columns_with_names_are_what_they_say(tmp_path: Path) -> None:
    rows = "".join(f"a{i},b{i},knows\n" for i in range(5))
    put(tmp_path, kg_DOT_csv=f"head,relation,tail\n{rows}")
    told: list[str] = []
    assert len(load_kg(str(tmp_path / "kg.csv"), note=told.append).relations) == 5
    assert told == []


def test_an_address_is_no_file() -> None:
    with pytest.raises(UserError, match="is an address"):
        load_kg("https://example.org/kg.tsv")


def test_numbers_get_the_names_of_the_dictionaries_beside_them(tmp_path: Path) -> None:
    """They were asked by their numbers."""
    put(tmp_path, train_DOT_txt=lines(ROWS), entities_DOT_dict=lines(list(enumerate(NUMBERS))))
    for name, rows in (
        ("relations.dict", lines(list(enumerate(RELATIONS)))),
        ("id2relation.txt", lines(list(enumerate(RELATIONS)))),
        ("relation2id.txt", lines([(b, a) for a, b in enumerate(RELATIONS)], header="2\n")),
    ):
        (tmp_path / name).write_text(rows)
        kg = load_kg(str(tmp_path))
        found = labels_of("", str(tmp_path), kg, print, beside=True)
        assert [found.entities[str(number)] for number in range(4)] == NUMBERS
        assert [found.relations[str(number)] for number in range(2)] == RELATIONS
        (tmp_path / name).unlink()


def test_labels_in_the_folder_of_splits_are_found(tmp_path: Path) -> None:
    plain_splits(tmp_path)
    put(tmp_path, entity2text_DOT_txt="ann\tAnn Ames\nbob\tBob Bell\nNA\tNamibia\n")
    kg = load_kg(str(tmp_path))
    found = labels_of("", str(tmp_path), kg, print, beside=True)
    assert found.entities == {"ann": "Ann Ames", "bob": "Bob Bell", "NA": "Namibia"}
    nodes = load_property_graph(str(tmp_path)).nodes
    assert {node.name for node in nodes} == {*found.entities.values(), "Côte d'Ivoire"}
