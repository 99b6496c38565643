from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.kg.property_graph.schema import (
    EntityType,
    Property,
    RelationType,
    Schema,
    read_schema,
    schema_text,
)

HEIGHT = Property("height_m", "float", "m", from_unit="ft")
SCHEMA = Schema(
    'quoted "towns"\x7f',
    (
        EntityType("Town", (HEIGHT, Property("größe", "int")), "a\nplace"),
        EntityType("Person", (Property("born", "date", precision="year", sources=("b", "c")),)),
    ),
    (
        RelationType("livesIn", "Person", "Town", (Property("start_year", "int"),), sources=("a/b",)),
        RelationType("livesIn", "Town", "Town", description="odd"),
    ),
)  # fmt: skip


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "schema.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_schema_survives_its_file(tmp_path: Path) -> None:
    assert read_schema(written(tmp_path, schema_text(SCHEMA))) == SCHEMA


def test_all_problems_of_a_file_are_in_one_message(tmp_path: Path) -> None:
    text = """
        name = "towns"
        colour = 1
        [[entities]]
        label = "Town"
        desciption = "x"
        properties = { people = "integer", size = { datatype = "int", units = "m" } }
        [[relations]]
        label = "in"
        subject = "Town"
        object = "Land"
    """
    with pytest.raises(ConfigError) as raised:
        read_schema(written(tmp_path, text))
    for said in (
        "unknown key 'colour'",
        "unknown key 'Town.desciption'; did you mean 'description'?",
        "unknown key 'Town.size.units'; did you mean 'unit'?",
        "relation in: 'Land' is no entity type",
    ):
        assert said in str(raised.value)
    assert "'Town' is no entity type" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "x"', "entities is empty"),
        ('name = "x"\nentities = 1', "entities is 1; expected tables"),
        ('name = "x"\nentities = [1]', r"entities\[0\] is 1; expected a table"),
        ('[[entities]]\nlabel = "A"', "name is ''; expected the name of the graph"),
        ('name = "x"\n[[entities]]\nlabel = 1', r"entities\[0\].label is 1; expected text"),
        ('name = "x"\n[[entities]]\nlabel = "A"\nproperties = 1', "A.properties is 1"),
        ('name = "x"\n[[entities]]\nlabel = "A"\nproperties = {a = "integer"}', "A.a: datatype 'integer'"),
    ],
)  # fmt: skip
def test_what_is_no_schema(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_schema(written(tmp_path, text))


def test_a_property_has_one_datatype_in_all_signatures_of_a_relation() -> None:
    with pytest.raises(ConfigError, match=r"r.p: int in one signature, str in another"):
        Schema(
            "x",
            (EntityType("A"), EntityType("B")),
            (
                RelationType("r", "A", "A", (Property("p", "int"),)),
                RelationType("r", "A", "B", (Property("p", "str"),)),
            ),
        )
