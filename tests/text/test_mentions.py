import random
import unicodedata
from itertools import pairwise

from rulemine.text.mentions import cut, find_mentions, find_mentions_of_all
from rulemine.text.template import escape, fill


def named(text, name):
    return [text[start:end] for start, end in find_mentions(text, name)]


MENTIONS = [
    ("Who is 72's aunt?", "72", ["72"]),
    ("Of 72, who is the aunt?", "72", ["72"]),
    ("Who is (72)?", "72", ["72"]),
    ("Who is the aunt of 72?", "7", []),
    ("Who came 72nd?", "72", []),
    ("Is it 7.2 or 7,200?", "7", []),
    ("Is it 7.2?", "2", []),
    ("Is it 7. 2?", "7", ["7"]),
    ("Is e00039 there?", "e0003", []),
    ("Is E00039 there?", "e00039", ["E00039"]),
    ("Who is ANNA LIND's aunt?", "Anna Lind", ["ANNA LIND"]),
    ("Who is anna  lind's aunt?", "Anna Lind", ["anna  lind"]),
    ("Who is Anna\u00a0Lind?", "Anna Lind", ["Anna\u00a0Lind"]),
    ("Who is Anne–Marie O’Hara?", "Anne-Marie O'Hara", ["Anne–Marie O’Hara"]),
    ("Who sang “Heroes”?", '"Heroes"', ["“Heroes”"]),
    ("Who is Jose\u0301?", "José", ["Jose\u0301"]),
    ("Who is José?", "Jose\u0301", ["José"]),
    ("Who is Jose\u0301?", "Jose", []),
    ("Who is José?", "Jose", []),
    ("Who runs Ｔｏｋｙｏ?", "Tokyo", ["Ｔｏｋｙｏ"]),
    ("Who is STRASSE?", "Straße", ["STRASSE"]),
    ("Who sells ﬁx?", "fi", []),  # half of a letter
    ("Who sells ﬁx?", "fix", ["ﬁx"]),
    ("각하는 누구?", unicodedata.normalize("NFD", "각하"), ["각하"]),
    (unicodedata.normalize("NFD", "각하는 누구?"), "가", []),
    # Scripts without blanks, and particles.
    ("谁是東京的市长?", "東京", ["東京"]),
    ("谁是e00001的姑姑?", "e00001", ["e00001"]),
    ("IBMの社長は誰ですか?", "IBM", ["IBM"]),
    ("e00012의 이모는 누구입니까?", "e00012", ["e00012"]),
    ("서울의 시장은 누구입니까?", "서울", ["서울"]),
    # From right to left; invisible marks are no part of the name.
    ("מי היא הדודה של \u200fאנה\u200f?", "אנה", ["אנה"]),
    ("من هي عمة آنا؟", "آنا", ["آنا"]),
    # Overlaps, names within names.
    ("Who is Anna Anna Anna?", "Anna Anna", ["Anna Anna"]),
    ("Who lives in New York?", "York", ["York"]),
    ("Who lives in Yorkshire?", "York", []),
    ("Who is 7 of 7?", "7", ["7", "7"]),
    # Signs, braces, characters that mean something in regular expressions.
    ("Who is {topic}?", "{topic}", ["{topic}"]),
    ("Who is the aunt of ??", "?", ["?"]),
    ("Who is it?", "?", []),
    ("Who played in !!!?", "!!!", ["!!!"]),
    ("Who met A.I.?", "A.I.", ["A.I."]),
    ("Who met A.I.s?", "A.I.", []),
    ("Who wrote C++, and why?", "C++", ["C++"]),
    ("Who is .*?", ".*", [".*"]),
    ("Who is (a|b)+ here?", "(a|b)+", ["(a|b)+"]),
    ("Who wrote Who Framed Roger Rabbit??", "Who Framed Roger Rabbit?", ["Who Framed Roger Rabbit?"]),
    # Common words that only look like names.
    ("What is the genre of the film Film?", "Film", ["Film"]),
    ("Who will marry her?", "Will", []),
    ("Who will marry Will?", "Will", ["Will"]),
    ("who is rocky?", "Rocky", ["rocky"]),
    ("Who is Who's aunt?", "Who", ["Who"]),
    ("Who is the aunt of Who Is?", "Who Is", ["Who Is"]),
    ("Who is she?", "Who", []),
    ("It was written by whom?", "It", ["It"]),
    # Parts of words with an apostrophe, of times and of ratios.
    ("Who is Ann's aunt?", "S", []),
    ("Who says “I’m here”?", "M", []),
    ("Who doesn't marry Don?", "Don", ["Don"]),
    ("Who says they don’t?", "Don", []),
    ("Who is in 'S'?", "S", ["S"]),
    ("Who came at 7:30 or in 7/8?", "7", []),
    ("Who?", "", []),
    ("Who?", "\u200b", []),
    ("", "7", []),
]  # fmt: skip


def test_mentions():
    assert [(text, name, named(text, name)) for text, name, _ in MENTIONS] == MENTIONS


def test_a_very_long_name_is_found():
    name = "x" * 50_000 + " é " + "y" * 50_000
    assert named(f"Who is {name}?", name) == [name]


def test_pieces_of_a_text():
    assert cut("7 or 7?", ((0, 1), (5, 6))) == ("", " or ", "?")
    assert cut("who?", ()) == ("who?",)


WORDS = (
    "Anna", "anna", "ANNA", "7", "72", ".", ",", "?", " ", "  ", "{", "}", "{topic}", "'", "’", "-", "–",
    "José", "Jose\u0301", "\u0301", "東京", "의", "שלום", "\u200f", "ﬁ", "fi", "Straße", "STRASSE", "İ", "ſ",
    "who", "is", "A.I.", "(", ")", "\\", "$", "*", "+", "가", "\u1100\u1161", "½", "…", "™", "\n", "\ud800",
)  # fmt: skip


def test_random_texts_go_there_and_back():
    draw = random.Random(7)
    seen = 0
    for _ in range(6_000):
        name = "".join(draw.choices(WORDS, k=draw.randint(1, 3))).strip(" \n\u200f")
        parts = draw.choices(WORDS, k=draw.randint(0, 8))
        if name and draw.random() < 0.6:
            parts.insert(draw.randrange(len(parts) + 1), f" {name} ")
        text = "".join(parts)
        spans = find_mentions(text, name)
        assert list(spans) == sorted(spans)
        assert all(low < high for low, high in spans)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
        if not spans:
            continue
        seen += 1
        pieces = cut(text, spans)
        pattern = "{topic}".join(map(escape, pieces))
        assert fill(pattern, {"topic": "e00001"}) == "e00001".join(pieces)
        named = fill(pattern, {"topic": name})
        assert name.join(cut(named, find_mentions(named, name))) == named == name.join(pieces)
    assert seen > 2_000


def test_of_overlapping_mentions_of_several_entities_the_longest_counts():
    names = ["York", "New York", "New York City"]
    text = "Is York in New York City?"
    assert find_mentions_of_all(text, names) == (((3, 7), 0), ((11, 24), 2))
    assert find_mentions_of_all(text, names[::-1]) == (((3, 7), 2), ((11, 24), 0))
