import datetime
from pathlib import Path

import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.tables import read_tables
from rulemine.kg.property_graph.values import Value, from_text
from tests import each

SCHEMA = """
name = "towns"
[[entities]]
label = "Town"
table = "towns.csv"
id_column = "code"
[entities.properties]
people = { datatype = "int", column = "inhabitants" }
[[entities]]
label = "Person"
table = "people.tsv"
[entities.properties]
born = { datatype = "date", precision = "year" }
languages = { datatype = "list[str]", separator = "/" }
[[relations]]
label = "lives_in"
subject = "Person"
object = "Town"
table = "homes.csv"
subject_column = "who"
object_column = "where"
[relations.properties]
start_year = { datatype = "int", column = "since" }
"""
TOWNS = 'code,name,inhabitants\na,"Arden, Upper",1200\nb,Bree,many\n,Carn,3\n'
PEOPLE = 'id\tname\tborn\tlanguages\n1\tAnn\t1950\tda/no\n2\t"Bo"\t1950-02-30\t\n'
HOMES = "who,where,since\n1,a,1980\n1,a,1980\n1,a,1990\n2,b,\n2,b\n"


FILES = {"my.toml": SCHEMA, "towns.csv": TOWNS, "people.tsv": PEOPLE, "homes.csv": HOMES}


def read(folder: Path, left_out: Faults | None = None, **changed: str) -> PropertyGraph:
    for name, text in (
        FILES | {key.replace("_", "."): text for key, text in changed.items()}
    ).items():
        (folder / name).write_text(text, "utf-8")
    return read_tables(folder / "my.toml", Faults() if left_out is None else left_out)


def test_tables_become_nodes_and_edges_and_what_does_not_convert_is_counted(tmp_path: Path) -> None:
    left_out = Faults()
    graph = read(tmp_path, left_out)
    assert [(node.id, node.name, node.properties) for node in graph.nodes] == [
        ("Person#1", "Ann", {"born": datetime.date(1950, 1, 1), "languages": ("da", "no")}),
        ("Person#2", '"Bo"', {}),
        ("Town#a", "Arden, Upper", {"people": 1200}),
        ("Town#b", "Bree", {}),
    ]
    assert [(edge.id, edge.properties) for edge in graph.edges] == [
        ("lives_in#Person#1#Town#a", {"start_year": 1980}),
        ("lives_in#Person#1#Town#a#2", {"start_year": 1990}),
        ("lives_in#Person#2#Town#b", {}),
    ]
    assert left_out.counts == dict.fromkeys(
        (
            "values of people that are no int", "values of born that are no date",
            "rows without an id or an end", "edges that are there twice",
            "rows with another number of columns than the first line",
        ), 1,
    )  # fmt: skip
    assert "towns.csv: line 3: people is 'many'" in list(left_out.lines())
    turned = {}
    for name in ("towns.csv", "people.tsv", "homes.csv"):
        head, *rows = FILES[name].splitlines()
        turned[name.replace(".", "_")] = "\n".join([head, *rows[::-1]])
    again = read(tmp_path, **turned)
    assert (again.nodes, again.edges) == (graph.nodes, graph.edges)


@each(
    ("file", "old", "new", "said"),
    [
        ("towns.csv", "b,Bree", "a,Bree", "node 'Town#a' is there twice"),
        ("homes.csv", "2,b,", "2,q,", "'Town#q' is no node"),
        ("towns.csv", "inhabitants", "inhabitant", "no column 'inhabitants'; did you mean 'inhabitant'"),
        ("towns.csv", "name,inhabitants", "inhabitants,inhabitants", "'inhabitants' is there twice"),
        ("towns.csv", "Upper\"", "Upper\"x", "towns.csv: line 2 cannot be read"),
        ("towns.csv", "Bree", "B" * 200_000, "a cell has 131,072 characters at most"),
        ("my.toml", '"towns.csv"', '"tows.csv"', "tows.csv: no such file"),
        ("my.toml", '"towns.csv"', '"t\\u0000"', "Town.table is 't.*; expected UTF-8 text"),
        ("my.toml", 'table = "', '# "', "no entity type names its table"),
        ("my.toml", 'table = "towns.csv"', "table = 1", "Town.table is 1; expected text"),
        ("my.toml", "label = \"Town\"", "label = \"Twn\"", "'Town' is no entity type"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    text = FILES[file].replace(old, new)
    with pytest.raises((ConfigError, InputError), match=said) as raised:
        read(tmp_path, **{file.replace(".", "_"): text})
    assert len(str(raised.value)) < 600


def test_units_become_those_of_the_schema(tmp_path: Path) -> None:
    pytest.importorskip("pint", reason="pint is not installed")
    old, new = 'column = "inhabitants"', 'unit = "m", from_unit = "foot", column = "inhabitants"'
    schema = SCHEMA.replace(old, new)
    assert read(tmp_path, my_toml=schema).node("Town#a").properties == {"people": 366}
    with pytest.raises(ConfigError, match=r"Town\.people: from_unit 'second' does not become 'm'"):
        read(tmp_path, my_toml=schema.replace('"foot"', '"second"'))


@each(
    ("text", "datatype", "value"),
    [
        ("-3", "int", -3), ("1_000", "int", None), ("9" * 19, "int", None), ("1.0", "int", None),
        ("1e3", "float", 1000.0), ("nan", "float", None), ("1e999", "float", None), (".5", "float", 0.5),
        ("9" * 500, "float", None), ("Yes", "bool", True), ("maybe", "bool", None),
        ("1999", "date", None), ("a; b;", "list[str]", ("a", "b")), ("1;x", "list[int]", None),
        ("2000-01-01", "list[date]", (datetime.date(2000, 1, 1),)),
    ],
)  # fmt: skip
def test_cells(text: str, datatype: str, value: Value | None) -> None:
    assert from_text(text, datatype) == value
    for year, month in (("1999", 1), ("1999-05", 5), ("199", None)):
        assert from_text(year, "date", "year") == (month and datetime.date(1999, month, 1))
