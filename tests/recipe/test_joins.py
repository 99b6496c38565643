"""Files of joins: which links go on from which, and what is wrong with a file."""

import tomllib

import pytest

from rulemine.config import packaged
from rulemine.errors import InputError
from rulemine.kg.facts import Declarations
from rulemine.recipe.joins import load_joins
from tests import each

KNOWN = ("directed", "written_by", "sequel", "spouse")


def load(folder, text):
    (folder / "own.toml").write_text(text)
    load_joins(str(folder / "own.toml"), KNOWN, Declarations())


def test_classes_may_be_turned_and_other_relations_are_left_out(tmp_path):
    (tmp_path / "own.toml").write_text(
        'unions = ["^by"]\n[classes]\nby = ["directed", "^written_by", "painted"]\n'
        '[[joins]]\nfrom = ["by"]\nto = ["^by", "sequel"]\nforms = ["2p", "3p"]\n'
        '[[joins]]\nfrom = ["spouse"]\nto = ["by"]\nforms = ["up"]\n'
        '[[together]]\nlinks = ["sequel"]\nwith = ["spouse"]\n'
    )
    joins = load_joins(str(tmp_path / "own.toml"), KNOWN, Declarations.of(symmetric=["spouse"]))
    assert joins is not None
    by, spouse = {("directed", False), ("written_by", True)}, ("spouse", False)
    turned = {("directed", True), ("written_by", False)}
    assert joins.after["3p"] == {(one, two) for one in by for two in {*turned, ("sequel", False)}}
    assert joins.after["2p"] == joins.after["3p"]
    assert joins.after["up"] == {(spouse, one) for one in by}
    assert joins.together["2i"] == {(("sequel", False), spouse), (spouse, ("sequel", False))}
    assert not any(
        [joins.after["ip"], joins.after["pi"], joins.together["ip"], joins.together["pi"]]
    )
    assert joins.unions == turned
    assert not joins.akin
    assert load_joins("", KNOWN, Declarations()) is None


@each(
    ("text", "message"), [('[[joins]]\nfrom = ["direted"]\nto = ["sequel"]', "did you mean 'directed'"),
    ('unions = ["squel"]', "did you mean 'sequel'"),
    ('[[join]]\nfrom = ["directed"]', "did you mean 'joins'"),
    ('[[joins]]\nfrom = ["directed"]', "joins 1: to is None; expected a list of names"),
    ("[[joins]]\nfrom = []\nto = []\ndeep = true", "joins 1 has 'deep'"),
    ("[[joins]]\nfrom = []\nto = []\nforms = 1", "forms has '1'; expected some of 2p, 3p"),
    ('[[together]]\nlinks = []\nforms = ["3p"]', "has '3p'; expected some of 2i, 3i, ip, pi"),
    ('[classes]\none = ["sequel"]\ntwo = ["^one"]', "class 'two' names another class"),
    ("classes = 3", "classes is 3; expected lists of names"),
    ("joins = 3", "joins is 3; expected a list of tables")]
)  # fmt: skip
def test_a_wrong_file_is_named(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert "own.toml" in str(caught.value)


def test_the_joins_of_fb15k237_name_its_relations():
    templates = tomllib.loads(packaged("datasets", "fb15k237", "templates.toml").read_text("utf-8"))
    values = tomllib.loads(packaged("datasets", "fb15k237", "joins.toml").read_text("utf-8"))
    rows = [row for table in ("joins", "together") for row in values[table]]
    lists = [*values["classes"].values(), values["unions"], values["akin"]]
    lists += [some for row in rows for key, some in row.items() if key != "forms"]
    named = {name.removeprefix("^") for some in lists for name in some}
    assert named <= templates.keys() | values["classes"].keys()
    assert values["classes"].keys() <= named
    joins = load_joins("fb15k237", templates, Declarations())
    assert joins is not None
    assert all(joins.after.values())
    assert all(joins.together.values())
