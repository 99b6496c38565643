"""Every key known, every value of its type, all problems in one message."""

from dataclasses import dataclass, field
from functools import partial

import pytest

from rulemine.codec import to_json
from rulemine.config import Section, build, keys_of, option, override, parse_setting, read_toml
from rulemine.errors import ConfigError, InputError
from tests import each


@dataclass(frozen=True)
class Inner(Section):
    """A section.

    Attributes:
        depth: How deep it goes. It is
            deeper than `share`.
        share: What is shared.
        levels: Levels.
    """

    depth: int = option(1, least=1, flag=True)
    share: float = option(0.5, above=0, most=1)
    levels: tuple[int, ...] = option((), most=100)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.depth > 9 and self.levels:
            raise ConfigError("depth and levels do not go together")


@dataclass(frozen=True)
class Outer(Section):
    name: str = option("x", choices=("x", "y"))
    fast: bool = False
    limit: int | None = None
    secret: str = option("key", fits_too=str.islower, expected="small letters", secret=True)
    inner: Inner = field(default_factory=Inner)
    far: Inner = field(default_factory=partial(Inner, depth=5))


def test_what_is_missing_takes_its_default_or_another_where_a_section_is_used():
    assert build(Outer, {}, "f") == Outer()
    values = {"name": "y", "limit": 3, "inner": {"levels": [1, 2], "share": 1}}
    assert build(Outer, values, "f") == Outer("y", limit=3, inner=Inner(1, 1.0, (1, 2)))
    assert build(Outer, {"far": {"share": 0.25}}, "f").far == Inner(5, 0.25)


def test_plain_and_back():
    config = Outer("y", fast=True, inner=Inner(2, 0.25, (20, 100)))
    plain = to_json(config)
    assert plain == {
        "name": "y", "fast": True, "limit": None, "secret": "key",
        "inner": {"depth": 2, "share": 0.25, "levels": [20, 100]},
        "far": {"depth": 5, "share": 0.5, "levels": []},
    }  # fmt: skip
    assert build(Outer, plain, "f") == config


@each(
    ("values", "expected"),
    [
        ({"nmae": "y"}, "unknown key 'nmae'; did you mean 'name'?"),
        ({"zzz": 1}, "unknown key 'zzz'; known: far, fast, inner, limit, name, secret"),
        ({"inner": {"deph": 1}}, "unknown key 'inner.deph'; did you mean 'depth'?"),
        ({"inner": 5}, "inner is 5; expected a table, [inner] and its keys below"),
        ({"name": 5}, "name is 5; expected x or y"),
        ({"name": "z"}, "name is 'z'; expected x or y"),
        ({"fast": 1}, "fast is 1; expected true or false"),
        ({"fast": "yes"}, "fast is 'yes'; expected true or false"),
        ({"limit": True}, "limit is true; expected a whole number"),
        ({"secret": "ABC"}, "secret is …; expected small letters"),
        ({"inner": {"depth": 1.0}}, "inner.depth is 1.0; expected a whole number ≥ 1"),
        ({"inner": {"depth": "1"}}, "inner.depth is '1'; expected a whole number ≥ 1"),
        ({"inner": {"depth": 0}}, "inner.depth is 0; expected a whole number ≥ 1"),
        ({"inner": {"depth": 2**63}}, "inner.depth is 9223372036854775808; expected"),
        ({"inner": {"depth": 16**5000}}, "inner.depth is a huge number; expected"),
        ({"inner": {"share": "1"}}, "inner.share is '1'; expected a number above 0 and at most 1"),
        ({"inner": {"share": False}}, "inner.share is false; expected a number above 0"),
        ({"inner": {"share": float("nan")}}, "inner.share is nan; expected a number above 0"),
        ({"inner": {"share": 0}}, "inner.share is 0; expected a number above 0"),
        ({"inner": {"share": 10**400}}, "inner.share is a huge number; expected a number above 0"),
        ({"inner": {"levels": True}}, "inner.levels is true; expected a list"),
        ({"inner": {"levels": 500}}, "inner.levels is 500; expected a list"),
        ({"inner": {"levels": [1, "2"]}}, "inner.levels is [1, '2']; expected a list, each item a"),
        ({"inner": {"depth": 10, "levels": [1]}}, "inner.depth and levels do not go together"),
        ({"depth": 2}, "unknown key 'depth'; did you mean 'far.depth'? See"),
        ({"inner": {"fast": True}}, "unknown key 'inner.fast'; did you mean 'fast'?"),
    ],
)
def test_a_wrong_key_or_value_is_named(values, expected):
    with pytest.raises(ConfigError) as caught:
        build(Outer, values, "my.toml")
    assert str(caught.value).startswith(f"my.toml: {expected}")


def test_all_problems_are_told_at_once():
    values = {"nmae": "y", "fast": 1, "inner": {"depth": "1", "lvels": [], "share": 2}}
    with pytest.raises(ConfigError) as caught:
        build(Outer, values, "my.toml")
    told = (
        "'nmae'",
        "fast is",
        "inner.depth is",
        "'inner.lvels'",
        "inner.share",
        "rulemine build --keys",
    )
    assert [part for part in told if part not in str(caught.value)] == []


def test_a_section_made_in_python_is_checked_too():
    for levels in ([1, 2], "1,2"):
        assert Inner(share=1, levels=levels) == Inner(1, 1.0, (1, 2))
    assert Inner(levels=5).levels == (5,)
    with pytest.raises(ConfigError, match=r"^depth is 0; .*share is 2\.0; .*levels is 'abc'; "):
        Inner(0, 2.0, "abc")


def test_keys_are_told_with_all_that_their_fields_say():
    keys = {key.name: key for key in keys_of(Outer())}
    assert keys["far.depth"][1:5] == (
        "5", "How deep it goes. It is deeper than share.", "a whole number ≥ 1", "--depth",
    )  # fmt: skip
    assert [key.flag for key in keys.values() if key.flag] == ["--depth"] * 2
    assert [keys[name].default for name in ("name", "limit", "fast")] == ['"x"', "", "false"]


@each(
    ("text", "key", "value"),
    [
        ("a=1", ("a",), 1),
        ("a.b=0.5", ("a", "b"), 0.5),
        ("a=true", ("a",), True),
        ("a=[1, 2]", ("a",), [1, 2]),
        ("a='x y'", ("a",), "x y"),
        ("a=2026-01-31", ("a",), "2026-01-31"),
        ("a=x y", ("a",), "x y"),
        ("a=", ("a",), ""),
        ("a=b=c", ("a",), "b=c"),
        ("a=1\nb=2", ("a",), "1\nb=2"),
    ],
)
def test_settings_are_toml_or_else_text(text, key, value):
    assert parse_setting(text) == (key, value)


@each("text", ["a", "=1", " =1", ""])
def test_a_setting_needs_a_key_and_a_value(text):
    with pytest.raises(ConfigError, match="expected key=value"):
        parse_setting(text)


def test_override_copies():
    before = {"a": {"b": 1, "c": 2}, "d": 3}
    assert override(before, ("a", "b"), 5) == {"a": {"b": 5, "c": 2}, "d": 3}
    assert override(before, ("x", "y", "z"), 5) == before | {"x": {"y": {"z": 5}}}
    assert override(before, ("d", "e"), 5) == {"a": {"b": 1, "c": 2}, "d": {"e": 5}}
    assert before == {"a": {"b": 1, "c": 2}, "d": 3}


def test_a_file_that_is_no_toml_is_named(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("name = \n")
    with pytest.raises(InputError, match=r"my\.toml: is not valid TOML \(.*line 1"):
        read_toml(path)
    with pytest.raises(InputError, match=r"none\.toml: no such file"):
        read_toml(tmp_path / "none.toml")
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(InputError, match=r"my\.toml: line 1 is not UTF-8"):
        read_toml(path)
