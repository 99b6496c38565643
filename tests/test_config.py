"""Every key known, every value of its type, all problems in one message."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rulemine.config import build, override, parse_setting, read_toml, to_plain
from rulemine.errors import ConfigError


@dataclass(frozen=True)
class Inner:
    depth: int = 1
    share: float = 0.5
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ConfigError(f"depth is {self.depth}; expected 1 or more")


@dataclass(frozen=True)
class Outer:
    name: str = "x"
    fast: bool = False
    limit: int | None = None
    inner: Inner = field(default_factory=Inner)


def test_what_is_missing_takes_its_default() -> None:
    assert build(Outer, {}, "f") == Outer()
    values = {"name": "y", "limit": 3, "inner": {"levels": [1, 2], "share": 1}}
    assert build(Outer, values, "f") == Outer("y", limit=3, inner=Inner(1, 1.0, (1, 2)))


def test_plain_and_back() -> None:
    config = Outer("y", fast=True, inner=Inner(2, 0.25, (20, 100)))
    plain = to_plain(config)
    assert plain == {
        "name": "y",
        "fast": True,
        "limit": None,
        "inner": {"depth": 2, "share": 0.25, "levels": [20, 100]},
    }
    del plain["limit"]  # TOML has no null
    assert build(Outer, plain, "f") == config


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"nmae": "y"}, "unknown key 'nmae'; did you mean 'name'?"),
        ({"zzz": 1}, "unknown key 'zzz'; known: fast, inner, limit, name"),
        ({"inner": {"deph": 1}}, "unknown key 'inner.deph'; did you mean 'depth'?"),
        ({"inner": 5}, "inner is a table; found 5"),
        ({"name": 5}, "name must be text; found 5"),
        ({"fast": 1}, "fast must be true or false; found 1"),
        ({"fast": "yes"}, "fast must be true or false; found 'yes'"),
        ({"limit": True}, "limit must be an integer; found True"),
        ({"inner": {"depth": 1.0}}, "inner.depth must be an integer; found 1.0"),
        ({"inner": {"depth": "1"}}, "inner.depth must be an integer; found '1'"),
        ({"inner": {"share": "1"}}, "inner.share must be a number; found '1'"),
        ({"inner": {"share": False}}, "inner.share must be a number; found False"),
        ({"inner": {"levels": 5}}, "inner.levels must be a list; found 5"),
        ({"inner": {"levels": [1, "2"]}}, "inner.levels must be an integer; found '2'"),
        ({"inner": {"depth": 0}}, "inner: depth is 0; expected 1 or more"),
    ],
)
def test_a_wrong_key_or_value_is_named(values: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(Outer, values, "my.toml")
    assert str(caught.value).startswith(f"my.toml: {expected}")


def test_all_problems_are_told_at_once() -> None:
    values = {"nmae": "y", "fast": 1, "inner": {"depth": "1", "lvels": []}}
    with pytest.raises(ConfigError) as caught:
        build(Outer, values, "my.toml")
    for part in ("'nmae'", "fast must be", "inner.depth must be", "'inner.lvels'", "--help"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a=1", ("a",), 1),
        ("a.b=0.5", ("a", "b"), 0.5),
        ("a=true", ("a",), True),
        ("a=[1, 2]", ("a",), [1, 2]),
        ("a='x y'", ("a",), "x y"),
        ("a=x y", ("a",), "x y"),
        ("a=", ("a",), ""),
        ("a=b=c", ("a",), "b=c"),
        ("a=1\nb=2", ("a",), "1\nb=2"),
    ],
)
def test_settings_are_toml_or_else_text(text: str, key: tuple[str, ...], value: Any) -> None:
    assert parse_setting(text) == (key, value)


@pytest.mark.parametrize("text", ["a", "=1", " =1", ""])
def test_a_setting_needs_a_key_and_a_value(text: str) -> None:
    with pytest.raises(ConfigError, match="expected key=value"):
        parse_setting(text)


def test_override_copies() -> None:
    before = {"a": {"b": 1, "c": 2}, "d": 3}
    assert override(before, ("a", "b"), 5) == {"a": {"b": 5, "c": 2}, "d": 3}
    assert override(before, ("x", "y", "z"), 5) == before | {"x": {"y": {"z": 5}}}
    assert override(before, ("d", "e"), 5) == {"a": {"b": 1, "c": 2}, "d": {"e": 5}}
    assert before == {"a": {"b": 1, "c": 2}, "d": 3}


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text("name = \n")
    with pytest.raises(ConfigError, match=r"my\.toml: is not valid TOML \(.*line 1"):
        read_toml(path)
    with pytest.raises(ConfigError, match=r"none\.toml: no such file"):
        read_toml(tmp_path / "none.toml")
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(ConfigError, match=r"my\.toml: line 1 is not UTF-8"):
        read_toml(path)


@pytest.mark.parametrize("key", ["depth", "deph"])
def test_a_key_without_its_table_gets_it_suggested(key: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"unknown key '{key}'; did you mean 'inner\.depth'\? See"
    ):
        build(Outer, {key: 2}, "f")


def test_a_key_in_the_wrong_table_gets_the_right_one_suggested() -> None:
    with pytest.raises(ConfigError, match=r"unknown key 'inner\.fast'; did you mean 'fast'\?"):
        build(Outer, {"inner": {"fast": True}}, "f")
