import unicodedata
from itertools import product

from rulemine.evaluation.matching.matching import IdsMatcher, make_matcher

NAMES = frozenset((
    "e00012", "e00031", "Washington", "Washington, D.C.", "Rome, N.Y., U.S.", "Weird Al", '"Heroes"',
    "(What's the Story)", "12", "東京", "?x", "- dash", "a\u2028b",
))  # fmt: skip

ITEMS = [
    ("e00012", ["e00012"]), ("e00012, e00031", ["e00012", "e00031"]),
    ("e00012\r\n\n e00031 \n", ["e00012", "e00031"]), ('["e00012", "e00031"]', ["e00012", "e00031"]),
    ("1. e00012\n2) e00031", ["e00012", "e00031"]), ("(1) e00012\n(2) e00031", ["e00012", "e00031"]),
    ("- **e00012**\n• `e00031`.", ["e00012", "e00031"]),
    ("«e00012»; “e00031”!", ["e00012»; “e00031"]),  # only commas and line ends separate
    ("Washington, D.C.", ["Washington, D.C."]),
    ("e00012, Washington, D.C., Rome, N.Y., U.S.", ["e00012", "Washington, D.C.", "Rome, N.Y., U.S."]),
    ("Washington, e00012", ["Washington", "e00012"]),
    ("Rome, N.Y.", ["Rome", "N.Y"]),  # no name of the release
    ('"Heroes"', ['"Heroes"']),  # a name is taken as it is before anything is taken off
    ("'\"Heroes\"'", ['"Heroes"']), ("(What's the Story)", ["(What's the Story)"]),
    ("((What's the Story)).", ["(What's the Story)"]),
    ("[(What's the Story), \"'Weird Al'\"]", ["(What's the Story)", "Weird Al"]),
    ("((nobody)).", ["nobody"]), ("12", ["12"]), ("12.", ["12"]), ("3. 12", ["12"]), ("- dash", ["- dash"]),
    ("東京", ["東京"]), ("?x", ["?x"]), ("a\u2028b", ["a\u2028b"]),
    ("weird al", ["weird al"]),  # exact: another case is another text
    ("e000123", ["e000123"]),  # never a part
    ("The answer is e00012.", ["The answer is e00012"]), ("", []), (" , ,\n,;", []),
    ("e00012, e00012", ["e00012", "e00012"]),
]  # fmt: skip


def test_items():
    assert [(text, IdsMatcher(NAMES).text(text)) for text, _ in ITEMS] == ITEMS
    # As little as possible is taken off.
    both = IdsMatcher(frozenset({"x", "(x)"}))
    assert both.text("- (x).\n((x))\n[x]\n[(x)]!") == ["(x)", "(x)", "x", "(x)"]
    assert IdsMatcher(frozenset()).text("a, b") == ["a", "b"]
    script = "<script>alert('e00012')</script>"  # markup is text like any other
    assert make_matcher("vocabulary", NAMES).text(script) == ["e00012"]
    found = IdsMatcher(NAMES | {"<b>Ann</b>"}).text(f"{script}, <b>Ann</b>")
    assert found == ["script>alert('e00012')</script", "<b>Ann</b>"]


def test_mountains_of_decoration_and_long_lines_take_linear_time():
    matcher = IdsMatcher(NAMES)
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
