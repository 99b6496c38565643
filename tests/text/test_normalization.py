from rulemine.text.normalization import fold, fold_loosely, mentions, places, unify
from tests import each


@each(
    ("text", "name", "expected"), [("Who is the aunt of 72?", "72", True),
    ("Who is the aunt of 72?", "7", False), ("Who lives in New York?", "York", True),
    ("Who lives in New York?", "new york", True), ("Who lives in Yorkshire?", "York", False),
    ("Who is the aunt of ?x?", "?x", True), ("Who is it?", "?", True), ("Is e00039 there?", "e0003", False),
    ("Who knows Jose\u0301?", "Jos\u00e9", True), ("Who knows Jose\u0301?", "Jose", False),
    ("Who lives in 東京都?", "東京", True), ("a yorker of york", "york", True),
    ("Wie heißt STRASSE?", "straße", True), ("IBMの社長は誰ですか?", "IBM", True),
    ("e00012의 이모는 누구입니까?", "e00012", True), ("서울의 시장은 누구입니까?", "서울", True)]
)  # fmt: skip
def test_mentions(text, name, expected):
    assert mentions(fold(text), fold(name)) is expected


def test_overlapping_places_count():
    assert list(places("anna anna anna", "anna anna")) == [0, 5]


@each(
    ("one", "other"), [("Jose\u0301", "JOS\u00c9"), ("O’Hara", "O'Hara"), ("O´Hara", "O'Hara"),
    ("“Heroes”", '"Heroes"'), ("1914–1918", "1914-1918"), ("New\u00a0York", "New  York"),
    ("Ｔｏｋｙｏ", "tokyo"), ("ﬁnal", "final"), ("\u200fשלום\u200f", "שלום"), ("Straße", "STRASSE")]
)  # fmt: skip
def test_spellings_that_read_alike_fold_alike(one, other):
    assert fold_loosely(one) == fold_loosely(other)


def test_unify_keeps_case_and_accents():
    assert unify("José  Ñ") == "José Ñ"
    assert fold_loosely("Jose") != fold_loosely("José")
