import unicodedata

from rulemine.evaluation.matching.names import NameFinder
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher
from rulemine.seeds import stream

NAMES = frozenset((
    "e00012", "Washington", "Washington, D.C.", "New York", "New York City", "O'Neill", "Neill", "Zoë", "C++",
    "?x", "=>", "東京", "서울", "กรุงเทพ", "हिन्दी", "7", "Smith-Jones", "Łódź",
    "St. Mary's, Upper \u00a0 Town",
))  # fmt: skip

FOUND = [
    ("It is e00012.", ["e00012"]), ("e000121, xe00012, e00012x, e00012_", []),
    ("e00012,e00012", ["e00012", "e00012"]),
    ("He lives in Washington, D.C., or in Washington.", ["Washington, D.C.", "Washington"]),
    ("Washington , D. C.", ["Washington, D.C."]),  # white space between tokens is nothing
    ("Washington, D.C", ["Washington"]), ("New York City and New York", ["New York City", "New York"]),
    ("New\nYork", []),  # a name does not reach over a line break
    ("New  York", ["New York"]), ("O’Neill", ["O'Neill"]), ("MacNeill", []), ("Neill's", ["Neill"]),
    ("Zoë, Zoe\u0308", ["Zoë", "Zoë"]), ("C++ or C", ["C++"]), ("(?x => ?x)", ["?x", "=>", "?x"]),
    ("東京は日本の首都です。", ["東京"]), ("서울에서", ["서울"]), ("ที่กรุงเทพมหานคร", ["กรุงเทพ"]),
    ("हिन्दी भाषा", ["हिन्दी"]), ("हिन्दीx", []), ("7, 17, 7.5, 70", ["7", "7"]),
    ("Smith‑Jones", ["Smith-Jones"]), ("new york", ["New York"]),
    ("St. Mary's, Upper Town", ["St. Mary's, Upper \u00a0 Town"]), ("", []),
]  # fmt: skip


def test_found():
    assert [(text, VocabularyMatcher(NAMES).text(text)) for text, _ in FOUND] == FOUND
    # In another spelling only what one name has.
    assert VocabularyMatcher(NAMES).text("NEW york; łódź; E00012") == ["New York", "Łódź", "e00012"]
    assert VocabularyMatcher({"Rose", "rose"}).text("ROSE, rose") == ["rose"]


def test_every_name_is_found_in_itself_and_among_others():
    matcher = VocabularyMatcher(NAMES)
    for name in NAMES:
        assert matcher.text(name) == [name]
        assert matcher.text(unicodedata.normalize("NFD", name)) == [name]
    assert matcher.text(" | ".join(sorted(NAMES))) == sorted(NAMES)


def longest_by_trying(names, text):
    """Leftmost-longest names made of single letters, found by trying every length at every place."""
    found, at = [], 0
    while at < len(text):
        tried = [n for n in range(len(text) - at, 0, -1) if " ".join(text[at : at + n]) in names]
        found += [" ".join(text[at : at + n]) for n in tried[:1]]
        at += tried[0] if tried else 1
    return found


def test_equals_trying_every_length():
    for number in range(200):
        draws = stream(number, "words")
        names = {
            " ".join("abc"[draws.below(3)] for _ in range(1 + draws.below(4))) for _ in range(5)
        }
        text = ["abcd"[draws.below(4)] for _ in range(30)]
        assert NameFinder(names).find(" ".join(text)) == longest_by_trying(names, text)


PARTS = [
    ("It is not 7. Answer: e00012", ["e00012"]), ("7\n**Final Answer:**\ne00012\nZoë", ["e00012", "Zoë"]),
    ("Zoë? So, the answer is: 7", ["7"]), ("Answer: 7. No, wait.\nAnswers: e00012, Zoë", ["e00012", "Zoë"]),
    ("{7} or rather {e00012, Zoë}", ["e00012", "Zoë"]), ("{7} Answer: e00012", ["e00012"]),
    ("Zoë. Answer: I do not know", ["Zoë"]),  # a part that names nothing says nothing
    ("Answer: 7 {}", ["7"]), ("Zoë {nobody}", ["Zoë"]), ("Zoë has no answer: e00012", ["Zoë", "e00012"]),
    ("Zoë {{", ["Zoë"]),
]  # fmt: skip


def test_where_a_text_says_its_answer_that_part_counts():
    assert [(text, list(VocabularyMatcher(NAMES).text(text))) for text, _ in PARTS] == PARTS
