import unicodedata

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.matching.matching import IdsMatcher, make_matcher

NAMES = frozenset(
    {
        "e00012",
        "e00031",
        "Washington",
        "Washington, D.C.",
        "Rome, N.Y., U.S.",
        "Weird Al",
        '"Heroes"',
        "(What's the Story)",
        "12",
        "東京",
        "?x",
        "- dash",
        "a\u2028b",
    }
)

ITEMS = [
    ("e00012", ["e00012"]),
    ("e00012, e00031", ["e00012", "e00031"]),
    ("e00012\r\n\n e00031 \n", ["e00012", "e00031"]),
    ('["e00012", "e00031"]', ["e00012", "e00031"]),
    ("1. e00012\n2) e00031", ["e00012", "e00031"]),
    ("(1) e00012\n(2) e00031", ["e00012", "e00031"]),
    ("- **e00012**\n• `e00031`.", ["e00012", "e00031"]),
    ("«e00012»; “e00031”!", ["e00012»; “e00031"]),  # only commas and line ends separate
    ("Washington, D.C.", ["Washington, D.C."]),
    ("e00012, Washington, D.C., Rome, N.Y., U.S.", ["e00012", "Washington, D.C.", "Rome, N.Y., U.S."]),
    ("Washington, e00012", ["Washington", "e00012"]),
    ("Rome, N.Y.", ["Rome", "N.Y"]),  # no name of the release
    ('"Heroes"', ['"Heroes"']),  # a name is taken as it is before anything is taken off
    ("'\"Heroes\"'", ['"Heroes"']),
    ("(What's the Story)", ["(What's the Story)"]),
    ("((What's the Story)).", ["(What's the Story)"]),
    ("[(What's the Story), \"'Weird Al'\"]", ["(What's the Story)", "Weird Al"]),
    ("((nobody)).", ["nobody"]),
    ("12", ["12"]),
    ("12.", ["12"]),
    ("3. 12", ["12"]),
    ("- dash", ["- dash"]),
    ("東京", ["東京"]),
    ("?x", ["?x"]),
    ("a\u2028b", ["a\u2028b"]),
    ("weird al", ["weird al"]),  # exact: another case is another text
    ("e000123", ["e000123"]),  # never a part
    ("The answer is e00012.", ["The answer is e00012"]),
    ("", []),
    (" , ,\n,;", []),
    ("e00012, e00012", ["e00012", "e00012"]),
]  # fmt: skip


@pytest.mark.parametrize(("raw_output", "expected"), ITEMS)
def test_items(raw_output, expected):
    assert IdsMatcher(NAMES).text(raw_output) == expected


def test_as_little_as_possible_is_taken_off():
    both = IdsMatcher(frozenset({"x", "(x)"}))
    assert both.text("- (x).\n((x))\n[x]\n[(x)]!") == ["(x)", "(x)", "x", "(x)"]


def test_no_names_at_all():
    assert IdsMatcher(frozenset()).text("a, b") == ["a", "b"]


def test_mountains_of_decoration_are_taken_off_all_the_same():
    assert IdsMatcher(NAMES).text("(" * 10_000 + "nobody" + ")" * 10_000) == ["nobody"]
    assert IdsMatcher(NAMES).text("[[[[e00012]]]].") == ["e00012"]


def test_long_lines_take_linear_time():
    line = ", ".join(["nobody"] * 50_000)
    assert len(IdsMatcher(NAMES).text(line)) == 50_000


@pytest.mark.parametrize("matching", ["ids", "vocabulary"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("of_names", ["NFC", "NFD"])
def test_forms_of_unicode_match(matching, form, of_names):
    name = unicodedata.normalize(of_names, "Zoë Ångström")
    matcher = make_matcher(matching, frozenset({name, "Zo"}))
    said = unicodedata.normalize(form, "Zoë Ångström")
    assert matcher.text(said) == [matcher.name(name)] == [matcher.name(said)]


@pytest.mark.parametrize("matching", ["ids", "vocabulary"])
def test_mountains_of_combining_marks_are_cut(matching):
    zalgo = "e" + "\u0301\u0323" * 200_000  # hours, if all of them were ordered
    matcher = make_matcher(matching, frozenset({zalgo, "x"}))
    assert matcher.text(zalgo) == [matcher.name(zalgo)]
    assert len(matcher.name(zalgo)) <= 31


@pytest.mark.parametrize("text", ["," * 300_000, "\n" * 300_000, "((a))," * 30_000])
def test_junk_takes_linear_time(text):
    assert len(IdsMatcher(NAMES).text(text)) == text.count("a")


def test_markup_is_text_like_any_other():
    script = "<script>alert('e00012')</script>"
    assert make_matcher("vocabulary", NAMES).text(script) == ["e00012"]
    assert IdsMatcher(NAMES | {"<b>Ann</b>"}).text(f"{script}, <b>Ann</b>") == [
        "script>alert('e00012')</script",
        "<b>Ann</b>",
    ]


def test_an_unknown_mode() -> None:
    with pytest.raises(ConfigError, match="did you mean 'ids'"):
        make_matcher("id", NAMES)
