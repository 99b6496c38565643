from pathlib import Path

import pytest

from rulemine.cli.build import fewer_than
from rulemine.cli.main import make_parser
from rulemine.cli.recipe_options import chosen_recipe
from rulemine.errors import ConfigError, InputError

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


@pytest.mark.parametrize(
    "options",
    [["--set", "verbalizer.judge_model=m"], ["--set", "verbalizer.paraphrases=0"]],
)
def test_what_is_for_a_model_is_refused_where_templates_ask(options: list[str]) -> None:
    with pytest.raises(
        ConfigError, match=r"--set verbalizer.*: is for the questions of a language"
    ):
        chosen(*options)


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


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--verbalizer", "it is now --model NAME"),
        ("--paraphrases=2", "verbalizer.paraphrases is a key"),
        ("--modell", "did you mean '--model'?"),
        ("--language", "verbalizer.language is a key: --set verbalizer.language=…"),
        ("--api-key-variable", "endpoint.api_key_variable is a key"),
    ],
)
def test_an_unknown_option_gets_a_hint(option, hint, capsys):
    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args(["build", "demo", option, "German"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert hint in said
    assert said.count("\n") == 1, "one paragraph"
