import random

import pytest

from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.tokens import tokens_of, tokens_of_call


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   ", 0),
        ("aunt", 1),
        ("aunts", 1),
        ("sister", 2),
        ("72", 2),
        ("e00039", 6),
        ("a\nb", 3),
        ("é", 2),
        ("叔母", 4),
        ("/a_b", 4),
        ("don't", 3),
    ],
)
def test_pieces_are_counted(text, tokens):
    assert tokens_of(text) == tokens


def test_texts_one_after_the_other_count_as_much_as_each_for_itself():
    rng = random.Random(1)
    for _ in range(200):
        a, b = ("".join(rng.choices("ab 1/é\n", k=rng.randrange(9))) for _ in range(2))
        assert tokens_of(f"{a}\n{b}") == tokens_of(a) + 1 + tokens_of(b)


def test_prose_is_counted_above_the_rule_of_thumb():
    """Four characters to a token, as providers say of English."""
    for purpose, section in load_prompts("").sections.items():
        text = section["user"]
        assert 1.1 < tokens_of(text) / (len(text) / 4) < 1.6, purpose


def test_messages_are_framed():
    messages = [{"role": "system", "content": "aunt"}, {"role": "user", "content": "aunt"}]
    assert tokens_of_call(messages) > 2
    assert tokens_of_call(messages, "{}") == tokens_of_call(messages) + 2
