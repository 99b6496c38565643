"""Every option is its field: flags reach their keys, help tells their defaults, bounds hold."""

import math
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from rulemine.cli.build import chosen_recipe, fewer_than
from rulemine.cli.keys import describe_keys, given
from rulemine.cli.main import main, make_parser
from rulemine.config import Key, keys_of, lookup, override, parse_setting
from rulemine.errors import ConfigError, InputError
from rulemine.kinds.registry import BUILT, KINDS
from rulemine.mining import MiningOptions, Resources
from rulemine.recipe.loading import build_recipe, load_recipe
from rulemine.recipe.recipe import keys_with

KEYS = keys_with(*KINDS)
MINING = tuple(keys_of(MiningOptions(), "mining."))
RESOURCES = tuple(keys_of(Resources(), "resources."))
BOUNDED = [key for key in KEYS if key.option.bounded]
FLAGS = [key for key in KEYS if key.flag and not key.name.startswith("mining.")]
EXAMPLES = {
    "kind": ("structures", "structures"),
    "levels": ("20,100", (20, 100)),
    "base_url": ("http://h/v1", "http://h/v1"),
    "heap": ("1g", "1g"),
    "columns": ("a,b,c", ("a", "b", "c")),
    "head_relations": ("a, b", ["a", "b"]),
    "body_relations": ("a", ["a"]),
    "exclude_relations": ("a,b", ["a", "b"]),
}


def example(key: Key) -> tuple[list[str], Any]:
    """Words of a command line that set a key to another value than its default, and that value."""
    name, default = key.name.rpartition(".")[2], parse_setting(f"x={key.default}")[1]
    if name in EXAMPLES:
        text, value = EXAMPLES[name]
        return [key.flag, text], value
    if key.option.file:
        return [key.flag, __file__], __file__
    if key.hint is bool:
        return [key.flag], not default
    if key.option.choices:
        value = next(choice for choice in key.option.choices if choice != default)
        return [key.flag, value], value
    if (get_args(key.hint) or (key.hint,))[0] in (int, float):
        value = 0.5 if key.hint is not int and key.hint != int | None else (default or 1) + 1
        return [key.flag, str(value)], value
    return [key.flag, "some"], "some"


def test_flags_of_build_and_mine_reach_their_keys() -> None:
    parser, wrong = make_parser(), []
    for key in FLAGS:
        words, value = example(key)
        model = ["--model", "m"] * (key.name.split(".")[0] != "selection")
        kind = ["--kind", "structures"] * (key.name == "verbalizer.rewriter_model")
        recipe: Any = chosen_recipe(parser.parse_args(["build", "demo.tsv", *model, *kind, *words]))
        for part in key.path:
            recipe = getattr(recipe, part)
        if recipe != value or recipe == parse_setting(f"x={key.default}")[1]:
            wrong.append(key.name)
    for key in (*MINING, *RESOURCES):
        words, value = example(key)
        if given(parser.parse_args(["mine", "kg.tsv", *words])) != {key.name: value}:
            wrong.append(key.name)
    assert wrong == []


def test_a_file_lists_relations(tmp_path: Any) -> None:
    (tmp_path / "names").write_text("a,b\n\n c \n")
    words = ["--head-relations", f"@{tmp_path / 'names'}", "--head-relations", "d"]
    arguments = make_parser().parse_args(["mine", "kg.tsv", *words])
    assert given(arguments, "mining.") == {"head_relations": ["a,b", "c", "d"]}
    with pytest.raises(ConfigError, match="' ,' names nothing; expected a,b"):
        make_parser().parse_args(["mine", "kg.tsv", "--head-relations", " ,"])


def test_what_no_flag_can_take_is_told_with_all_other_problems() -> None:
    arguments = make_parser().parse_args(
        [
            "build",
            "demo.tsv",
            "--seed",
            "x",
            "--set",
            "selection.share=2",
            "--levels",
            "1,a",
            "--set",
            "zzz=1",
        ]
    )
    with pytest.raises(ConfigError) as caught:
        chosen_recipe(arguments)
    for part in ("seed is 'x'", "selection.share is 2", "levels is [1, 'a']", "unknown key 'zzz'"):
        assert part in str(caught.value)


def test_help_tells_the_defaults_of_the_fields(capsys):
    for command, keys in (("build", FLAGS), ("mine", [*MINING, *RESOURCES])):
        with pytest.raises(SystemExit):
            make_parser(whole=False).parse_args([command, "--help"])
        said = re.sub(r"\n {10,}", " ", capsys.readouterr().out)
        for key in keys:
            line = next(row for row in said.splitlines() if re.match(rf"  {key.flag} ", row))
            default = "" if key.hint is bool else key.default.strip('"[]')
            assert line.endswith(f" ({default})") or not default, key.name
            assert key.meaning[1:20] in line, key.name


def test_values_at_the_bounds_are_taken_and_those_next_to_them_refused_by_name() -> None:
    assert len(BOUNDED) > 30
    for key in BOUNDED:
        check_bounds(key)


def check_bounds(key: Key) -> None:
    path, rules = tuple(key.name.split(".")), key.option
    whole = int in (key.hint, *get_args(key.hint))
    inside, outside = [], []
    for bound, away in ((rules.least, -1), (rules.most, 1)):
        if math.isfinite(bound):
            inside.append(bound if whole else float(bound))
            outside.append(bound + away if whole else math.nextafter(bound, away * math.inf))
    if math.isfinite(rules.above):
        outside.append(rules.above if whole else float(rules.above))
        inside.append(rules.above + 1 if whole else math.nextafter(rules.above, math.inf))
    assert inside, key.name

    def made(value: Any) -> Any:
        other = "structures" if key.name == "selection.share" else "rules"  # rules ask for removals
        kind = path[0] if path[0] in KINDS else other
        values = {"name": "n", "kg": "k", "kind": kind}
        values = override(values, path, [value] if get_args(key.hint) else value)
        return build_recipe(values, "here")

    for value in outside:
        with pytest.raises(ConfigError, match=f"^here: {re.escape(key.name)} is .*; expected"):
            made(value)
    for value in inside:
        if not key.option.fits_too:
            wanted = [value] if get_args(key.hint) else value
            assert lookup(made(value).plain(), path) == wanted


def test_every_key_has_a_sentence_and_a_type() -> None:
    keys = [*KEYS, *RESOURCES]
    assert len(keys) > 40
    wrong = [k.name for k in keys if not k.meaning.endswith(".") or "`" in k.meaning]
    assert wrong == []


def test_the_defaults_can_be_given_as_they_are_shown() -> None:
    for kind in BUILT:
        settings = [
            parse_setting(f"{key.name}={key.default}")
            for key in keys_with(kind)
            if key.name not in ("name", "kg", "kind")
        ]
        named = [(("kind",), kind)]
        assert load_recipe("demo.tsv", settings + named) == load_recipe("demo.tsv", named)


def test_all_keys_fit_on_a_page() -> None:
    lines = describe_keys(KEYS).splitlines()
    assert max(map(len, lines)) < 80
    at = lines.index("  mining.max_atoms = 3")
    assert lines[at + 1].endswith("A whole number from 2 to 5.") or lines[at + 2].endswith("to 5.")


def test_keys_are_listed_by_section_and_described_one_by_one(capsys):
    def said(*words: str) -> str:
        with pytest.raises(SystemExit):
            main(["build", "--keys", *words])
        return capsys.readouterr().out

    listed = said()
    assert max(map(len, listed.splitlines())) <= 80
    sections = {key.name.rpartition(".")[0] for key in KEYS} - {""}
    assert all(f"\n[{section}]\n" in listed for section in sections)
    assert {key.path[-1] for key in KEYS} <= {*re.findall(r"\w+", listed)}
    own = [key for key in KEYS if key.name.startswith("mining.")]
    assert said("mining") == describe_keys(own) + "\n"
    assert said("mining.max_atoms") == said("max_atoms") == describe_keys(own[:1]) + "\n"
    assert said("recipe").startswith("  base\n")


OPENAI = ["--model", "m"]


def chosen(*options: str, command: str = "build"):
    return chosen_recipe(make_parser().parse_args([command, "demo.tsv", *options]))


def test_an_option_wins_over_a_key_also_when_it_is_zero() -> None:
    keys = ["--set", "endpoint.budget_tokens=9", "--set", "seed=4", "--set", "verbalizer.model=x"]
    recipe = chosen(*keys, *OPENAI, "--seed", "0")
    assert (recipe.verbalizer.model, recipe.seed, recipe.endpoint.budget_tokens) == ("m", 0, 9)
    assert chosen(*OPENAI, *keys).verbalizer.name == "openai"


def test_what_is_not_given_leaves_the_recipe_as_it_is():
    assert chosen("--set", "verbalizer.name=openai", "--set", "verbalizer.model=m",
                  "--set", "verbalizer.language=Dutch").verbalizer.language == "Dutch"  # fmt: skip
    assert chosen("--levels", "20,100").selection.levels == (20, 100)
    assert chosen("--set", "verbalizer.name=template").verbalizer.name == "template"


def test_a_number_of_questions_is_what_each_kind_calls_its_amount() -> None:
    assert chosen("--questions", "40").questions.max_questions == 40
    assert chosen("--questions", "40", "--kind", "subgraphs").own.questions == 40
    assert chosen("--questions", "40", "--kind", "variants").own.questions == 40
    structures = chosen("--questions", "40", "--kind", "structures").own
    assert (structures.parts, structures.per_structure) == (9, 5)
    two = ("--set", 'structures.names=["1p", "2i"]')
    assert chosen("--questions", "40", "--kind", "structures", *two).own.per_structure == 20
    cypher = chosen("--questions", "40", "--kind", "cypher").own
    assert cypher.parts * (cypher.per_template - 1) < 40 <= cypher.parts * cypher.per_template


def test_a_build_that_stays_below_a_number_of_questions_says_so() -> None:
    assert fewer_than(40, 36, chosen("--kind", "structures")) == []
    (said,) = fewer_than(40, 20, chosen("--kind", "structures"))
    assert said.startswith("40 questions were wanted (--questions), at most 5 of each of 9 forms")
    assert "this graph gives 20" in said


def test_a_replay_of_nothing_or_of_replies_alone_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file or folder"):
        chosen("--replay", "nowhere")
    with pytest.raises(InputError, match="holds none of"):
        chosen("--replay", str(tmp_path))
    journal = tmp_path / "journal.jsonl"
    journal.write_text("")
    with pytest.raises(ConfigError, match=r"only replies.* Give --model NAME"):
        chosen("--replay", str(journal))
    assert chosen(*OPENAI, "--replay", str(journal)).verbalizer.model == "m"


def test_glosses_take_the_options_of_the_endpoint():
    recipe = chosen(*OPENAI, "--set", "endpoint.concurrency=3", "--seed", "5", command="data gloss")
    assert (recipe.verbalizer.model, recipe.endpoint.concurrency, recipe.seed) == ("m", 3, 5)
