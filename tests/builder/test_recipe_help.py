from rulemine.builder.recipe import Recipe, load_recipe
from rulemine.builder.recipe_help import describe_keys, keys_of
from rulemine.config import parse_setting

KEYS = list(keys_of(Recipe(name="NAME", kg="KG")))


def test_every_key_has_a_sentence():
    assert len(KEYS) > 50
    assert [
        key.name for key in KEYS if not key.meaning.endswith((".", "`")) or "`" in key.meaning
    ] == []


def test_the_defaults_can_be_given_as_they_are_shown():
    settings = [
        parse_setting(f"{key.name}={key.default}") for key in KEYS if key.name not in ("name", "kg")
    ]
    assert load_recipe("demo.tsv", settings) == load_recipe("demo.tsv", [])


def test_all_keys_fit_on_a_page():
    lines = describe_keys().splitlines()
    assert max(map(len, lines)) < 80
    at = lines.index("  verbalizer.attempts = 3")
    assert lines[at + 1] == "      Texts asked for until one passes the checks."
