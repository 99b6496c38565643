import math
import sys

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.bm25 import TextIndex, nearest, words

FACTS = ["Ann family.mother_of Bob", "Bob likes tea", "Eve likes Bob", "Eve likes tea and tea"]


def test_scores_are_those_of_the_formula():
    """By hand: "tea" is in two of four texts; lengths are 5, 3, 3, 5 words, 4 on average."""
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    once = idf * 1 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4))
    twice = idf * 2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 4))
    assert TextIndex(FACTS).scores("Tea?").tolist() == pytest.approx([0, once, 0, twice])
    assert TextIndex(FACTS).nearest("Tea?", 10) == [3, 1]
    assert words("/people/person.place_of_birth") == ["people", "person", "place", "of", "birth"]
    assert words("Köln_北京") == words("KO\u0308LN 北京") == ["köln", "北", "京"]
    assert TextIndex(FACTS).nearest("whose mother?", 2) == [0]


def test_without_words_nothing_is_found():
    for texts in ([], ["?"], ["", "!"]):
        assert TextIndex(texts).nearest("tea", 3) == []
        assert nearest(texts, "tea", 1) == list(range(len(texts)))[:1]
    assert TextIndex(FACTS).nearest("?!", 3) == TextIndex(FACTS).nearest("coffee", 3) == []


def test_a_list_is_cut_to_the_nearest_and_then_the_first():
    assert nearest(FACTS, "Who likes tea?", 3) == [3, 1, 2]
    assert nearest(FACTS, "mother", 3) == [0, 1, 2]
    assert nearest(FACTS, "mother", 9) == [0, 1, 2, 3]
    assert TextIndex(["tea"] * 50).nearest("tea", 50) == list(range(50))


def test_without_the_package_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(ConfigError, match=r"rulemine\[llm\]"):
        TextIndex(["tea"])
