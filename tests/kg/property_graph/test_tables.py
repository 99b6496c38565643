import datetime
from pathlib import Path

import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.tables import read_tables
from rulemine.kg.property_graph.values import Value, from_text

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my.toml").write_text(SCHEMA, "utf-8")
    for name, text in (("towns.csv", TOWNS), ("people.tsv", PEOPLE), ("homes.csv", HOMES)):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def read(folder: Path) -> PropertyGraph:
    return read_tables(folder / "my.toml", Faults())


def test_tables_become_nodes_and_edges_and_what_does_not_convert_is_counted(folder: Path) -> None:
    left_out = Faults()
    graph = read_tables(folder / "my.toml", left_out)
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
    assert left_out.counts == {
        "values of people that are no int": 1,
        "values of born that are no date": 1,
        "rows without an id or an end": 1,
        "rows with another number of columns than the first line": 1,
        "edges that are there twice": 1,
    }
    assert "towns.csv: line 3: people is 'many'" in list(left_out.lines())


def test_the_order_of_rows_does_not_matter(folder: Path) -> None:
    before = read(folder)
    for name in ("towns.csv", "people.tsv", "homes.csv"):
        head, *rows = (folder / name).read_text("utf-8").splitlines()
        (folder / name).write_text("\n".join([head, *rows[::-1]]), "utf-8")
    again = read(folder)
    assert (again.nodes, again.edges) == (before.nodes, before.edges)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("towns.csv", "b,Bree", "a,Bree", "node 'Town#a' is there twice"),
        ("homes.csv", "2,b,", "2,q,", "'Town#q' is no node"),
        ("towns.csv", "inhabitants", "inhabitant", "no column 'inhabitants'; did you mean 'inhabitant'"),
        ("towns.csv", "name,inhabitants", "inhabitants,inhabitants", "'inhabitants' is there twice"),
        ("towns.csv", "Upper\"", "Upper\"x", "towns.csv: line 2 cannot be read"),
        ("towns.csv", "Bree", "B" * 200_000, "a cell has 131,072 characters at most"),
        ("my.toml", '"towns.csv"', '"tows.csv"', "tows.csv: no such file"),
        ("my.toml", 'table = "towns.csv"', "table = 1", "Town.table is 1; expected text"),
        ("my.toml", "label = \"Town\"", "label = \"Twn\"", "'Town' is no entity type"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(folder: Path, file: str, old: str, new: str, said: str) -> None:
    path = folder / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises((ConfigError, InputError), match=said) as raised:
        read(folder)
    assert len(str(raised.value)) < 600


def test_units_become_those_of_the_schema(folder: Path) -> None:
    pytest.importorskip("pint", reason="pint is not installed")
    path = folder / "my.toml"
    old, new = 'column = "inhabitants"', 'unit = "m", from_unit = "foot", column = "inhabitants"'
    path.write_text(SCHEMA.replace(old, new), "utf-8")
    assert read(folder).node("Town#a").properties == {"people": 366}
    path.write_text(SCHEMA.replace(old, new).replace('"foot"', '"second"'), "utf-8")
    with pytest.raises(ConfigError, match=r"Town\.people: from_unit 'second' does not become 'm'"):
        read(folder)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("text", "month"), [("1999", 1), ("1999-05", 5), ("199", None)])
def test_dates_with_the_precision_of_a_year(text: str, month: int | None) -> None:
    assert from_text(text, "date", "year") == (month and datetime.date(1999, month, 1))
