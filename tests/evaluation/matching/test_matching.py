"""Names found in lists and texts, and the pieces that the public evaluator of BRINK compares."""

import unicodedata
from itertools import product

import pytest

from rulemine.errors import PredictionError
from rulemine.evaluation import evaluate
from rulemine.evaluation.matching.brink import normalize, pieces
from rulemine.evaluation.matching.matching import IdsMatcher, make_matcher
from rulemine.evaluation.matching.names import NameFinder
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher
from rulemine.release.records import Prediction
from rulemine.seeds import stream
from tests import each
from tests.evaluation.conftest import cases_of
from tests.evaluation.world import question, write_release

LISTED = frozenset((
    "e00012", "e00031", "Washington", "Washington, D.C.", "Rome, N.Y., U.S.", "Weird Al", '"Heroes"',
    "(What's the Story)", "12", "東京", "?x", "- dash", "a\u2028b",
))  # fmt: skip

SPELLED = frozenset((
    "e00012", "Washington", "Washington, D.C.", "New York", "New York City", "O'Neill", "Neill", "Zoë", "C++",
    "?x", "=>", "東京", "서울", "กรุงเทพ", "हिन्दी", "7", "Smith-Jones", "Łódź",
    "St. Mary's, Upper \u00a0 Town",
))  # fmt: skip
READERS = {
    "list": IdsMatcher(LISTED).text, "text": VocabularyMatcher(SPELLED).text, "brink": pieces,
}  # fmt: skip
"""By lists of names, anywhere in a text, and as BRINK's public evaluator cuts texts."""


@each("form", cases_of(__file__, "forms.jsonl"))
def test_names_are_found_in_every_form(form):
    assert [*READERS[form["by"]](form["said"])] == form["found"]


def test_as_little_as_possible_is_taken_off():
    both = IdsMatcher(frozenset({"x", "(x)"}))
    assert both.text("- (x).\n((x))\n[x]\n[(x)]!") == ["(x)", "(x)", "x", "(x)"]
    assert IdsMatcher(frozenset()).text("a, b") == ["a", "b"]
    script = "<script>alert('e00012')</script>"  # markup is text like any other
    assert make_matcher("vocabulary", LISTED).text(script) == ["e00012"]
    found = IdsMatcher(LISTED | {"<b>Ann</b>"}).text(f"{script}, <b>Ann</b>")
    assert found == ["script>alert('e00012')</script", "<b>Ann</b>"]


def test_mountains_of_decoration_and_long_lines_take_linear_time():
    matcher = IdsMatcher(LISTED)
    assert matcher.text("(" * 10_000 + "nobody" + ")" * 10_000) == ["nobody"]
    assert matcher.text("[[[[e00012]]]].") == ["e00012"]
    assert len(matcher.text(", ".join(["nobody"] * 50_000))) == 50_000
    for text in ("," * 300_000, "\n" * 300_000, "((a))," * 30_000):
        assert len(matcher.text(text)) == text.count("a")


def test_forms_of_unicode_match():
    forms = [unicodedata.normalize(form, "Zoë Ångström") for form in ("NFC", "NFD")]
    zalgo = "e" + "\u0301\u0323" * 200_000  # hours, if all of them were ordered
    for matching, name, said in product(("ids", "vocabulary"), forms, forms):
        matcher = make_matcher(matching, frozenset({name, "Zo", zalgo}))
        assert matcher.text(said) == [matcher.name(name)] == [matcher.name(said)]
        assert matcher.text(zalgo) == [matcher.name(zalgo)]
        assert len(matcher.name(zalgo)) <= 31


def test_in_another_spelling_only_what_one_name_has_is_found():
    assert VocabularyMatcher(SPELLED).text("NEW york; łódź; E00012") == [
        "New York",
        "Łódź",
        "e00012",
    ]
    assert VocabularyMatcher({"Rose", "rose"}).text("ROSE, rose") == ["rose"]


def test_every_name_is_found_in_itself_and_among_others():
    matcher = VocabularyMatcher(SPELLED)
    for name in SPELLED:
        assert matcher.text(name) == [name]
        assert matcher.text(unicodedata.normalize("NFD", name)) == [name]
    assert matcher.text(" | ".join(sorted(SPELLED))) == sorted(SPELLED)


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


def test_names_are_normalized_whole():
    cases = {
        "Washington, D.C.": "washington dc", "A.": "", "The A, and  an B": "and b", "e00039": "e00039",
    }  # fmt: skip
    assert {name: normalize(name) for name in cases} == cases


def test_rate_is_zero_without_hits_and_the_report_says_so(tmp_path):
    release = write_release(tmp_path / "r", [question(1)])
    report = evaluate(release, [Prediction("q00001", "nobody")], matching="brink", resamples=5)
    assert report.overall["hhr"] == (0.0, None, None)
    assert any("HHR is 0" in note for note in report.notes)
    assert report.notes[0].startswith("Warning: 1 of 1 predicted answers are no entity of the")


def test_predictions_for_left_out_questions_alone_are_refused_for_that(tmp_path):
    release = write_release(tmp_path / "r", [question(1), question(2, hard=[])])
    told = r"1 of 1 .* q00001 \(there is 1 prediction for what --matching brink .*, e\.g\. q00002\)"
    with pytest.raises(PredictionError, match=told):
        evaluate(release, [Prediction("q00002", "x")], matching="brink")
