"""Labels of any kind on a terminal, in Markdown and in CSV."""

import re

from rulemine.text.escaping import code, in_cell, plain, printable, text_cell
from tests import each

HOSTILE = [
    '"><img src=x onerror=alert(1)>1', "<script>x</script>", "[x](javascript:alert(1))", "![x](y.png)",
    "[[a]b](c)", "<https://x.y>", "*a* _b_ ~~c~~ `d`", "M*A*S*H", "&lt;b&gt;", "a\\*b\\", "# a", "> a", "- a",
    "1. a", "a\n\n# b",
]  # fmt: skip


@each("text", HOSTILE)
def test_nothing_in_a_label_is_markup(text):
    shown = plain(text)
    assert "\n" not in shown
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", shown)  # without what is escaped
    assert not re.search(r"[`*]|<[A-Za-z/!?]|\]\(|&\w+;|(^|\W)_|^[#>]|^- |^\d\.|~~", bare)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown) == re.sub(r"\n+", " ", text)


@each(
    "text", ["", "Keld's Landing", "snake_case", "/people/person", "A & B", "a < b", "[sic] x", "x (y)",
    "-1.5", "C:\\x"]
)  # fmt: skip
def test_what_is_no_markup_stays_as_it_is(text):
    assert plain(text) == in_cell(text) == text
    assert code(text) == f"`{text}`"


def test_code_spans_and_cells():
    assert code("married`to})") == "``married`to})``"
    assert code("`a``b") == "``` `a``b ```"
    assert in_cell("a|b > *c*") == "a\\|b \\> \\*c\\*"


@each("text", ["=cmd|' /C calc'!A0", "+1+1", "-30-", "@x", "\t=1", "'=1", "''@"])
def test_no_cell_is_a_formula_and_texts_come_back(text):
    cell = text_cell(text)
    assert cell == f"'{text}"
    assert re.sub(r"^'(?='*[=+\-@\t\r])", "", cell) == text


@each("text", ["", "a=b", "'Tis", "-0.5", "+44", "-1.6e-15", "–", "1+1"])
def test_numbers_and_other_texts_stay_as_they_are(text):
    assert text_cell(text) == text


def test_right_to_left_names_are_isolated():
    assert printable("שרה כהן") == "\u2068שרה כהן\u2069"


@each("text", ["\x1b[2J", "a\rb", "\u202eevil", "\u2069", "\u2028", "\x07"])
def test_what_could_repaint_the_terminal_is_escaped(text):
    assert printable(text).isascii()
    assert "\\u" in printable(text)


def test_joiners_that_scripts_need_are_kept():
    assert "\u200c" in printable("می\u200cخواهم")
