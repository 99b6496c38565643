"""Text of others is safe to print."""

import pytest

from rulemine.text.printing import printable


def test_right_to_left_names_are_isolated() -> None:
    assert printable("שרה כהן") == "\u2068שרה כהן\u2069"


@pytest.mark.parametrize("text", ["\x1b[2J", "a\rb", "\u202eevil", "\u2069", "\u2028", "\x07"])
def test_what_could_repaint_the_terminal_is_escaped(text: str) -> None:
    assert printable(text).isascii()
    assert "\\u" in printable(text)


def test_joiners_that_scripts_need_are_kept() -> None:
    assert "\u200c" in printable("می\u200cخواهم")
