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
        '[[joins]]\nfrom = ["by"]\nto = ["^by", "sequel"]\nchains = true\n'
        '[[joins]]\nfrom = ["spouse"]\nto = ["by"]\nunions = true\n'
        '[[together]]\nlinks = ["sequel"]\nwith = ["spouse"]\n'
    )
    joins = load_joins(str(tmp_path / "own.toml"), KNOWN, Declarations.of(symmetric=["spouse"]))
    assert joins is not None
    by, spouse = {("directed", False), ("written_by", True)}, ("spouse", False)
    turned = {("directed", True), ("written_by", False)}
    assert joins.chains == {(one, two) for one in by for two in {*turned, ("sequel", False)}}
    assert joins.after_unions == {(spouse, one) for one in by}
    assert joins.after == joins.chains | joins.after_unions
    assert joins.together == {(("sequel", False), spouse), (spouse, ("sequel", False))}
    assert not joins.beside_chains
    assert joins.unions == turned
    assert not joins.akin
    assert load_joins("", KNOWN, Declarations()) is None


@each(
    ("text", "message"), [('[[joins]]\nfrom = ["direted"]\nto = ["sequel"]', "did you mean 'directed'"),
    ('unions = ["squel"]', "did you mean 'sequel'"),
    ('[[join]]\nfrom = ["directed"]', "did you mean 'joins'"),
    ('[[joins]]\nfrom = ["directed"]', "joins 1: to is None; expected a list of names"),
    ("[[joins]]\nfrom = []\nto = []\ndeep = true", "joins 1 has 'deep'"),
    ("[[joins]]\nfrom = []\nto = []\nchains = 1", "chains is 1; expected true or false"),
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
    lists += [some for row in rows for some in row.values() if isinstance(some, list)]
    named = {name.removeprefix("^") for some in lists for name in some}
    assert named <= templates.keys() | values["classes"].keys()
    assert values["classes"].keys() <= named
    joins = load_joins("fb15k237", templates, Declarations())
    assert joins is not None
    assert joins.chains < joins.after
    assert joins.after_unions < joins.after
