import pytest

from rulemine.release.showing.drawing import display_width, draw_proof
from rulemine.text.printing import printable

AUNT = ("ann", "aunt", "cy")
CHAIN = [("ann", "sister", "bob"), ("cy", "child", "bob")]


def test_a_path_that_fits_is_a_line_closed_by_the_removed_edge() -> None:
    assert draw_proof(CHAIN, AUNT, {}, 60) == [
        "ann ──sister──▶ bob ◀──child── cy",
        " ╎                              ▲",
        " ╰╌╌╌╌╌╌╌╌╌╌╌╌ aunt ╌╌╌╌╌╌╌╌╌╌╌╌╯  ✗ removed",
    ]


def test_a_path_that_does_not_fit_goes_down_the_page() -> None:
    assert draw_proof(CHAIN, AUNT, {}, 40) == [
        "╭╌╌ ann",
        "╎    │ sister",
        "╎    ▼",
        "╎   bob",
        "╎    ▲ child",
        "╎    │",
        "╰╌▶ cy",
        "╌╌▶  ✗ removed  aunt",
    ]


def test_the_body_is_drawn_along_the_path_whatever_its_order() -> None:
    assert draw_proof(CHAIN[::-1], AUNT, {}, 60) == draw_proof(CHAIN, AUNT, {}, 60)


def test_a_removed_relation_that_is_longer_than_the_path_stands_beside_it() -> None:
    lines = draw_proof([("b", "of", "a")], ("a", "a very long relation", "b"), {}, 60)
    assert lines == [
        "a ◀──of── b",
        "╎         ▲",
        "╰╌╌╌╌╌╌╌╌╌╯  a very long relation  ✗ removed",
    ]


@pytest.mark.parametrize(
    "body",
    [
        [("ann", "likes", "cy"), *CHAIN],  # a triangle
        [("ann", "likes", "cy"), ("cy", "likes", "ann")],  # two edges between the ends
        [("ann", "likes", "ann"), ("ann", "sister", "cy")],  # a loop on the way
        [("ann", "sister", "bob")],  # a path that ends elsewhere
    ],
)
def test_what_is_no_simple_path_is_a_list_of_edges(body: list[tuple[str, str, str]]) -> None:
    lines = draw_proof(body, AUNT, {}, 60)
    assert len(lines) == len(body) + 1
    assert all("──▶" in line for line in lines[:-1])
    assert lines[-1].startswith("ann ╌╌aunt╌╌▶")
    assert lines[-1].endswith("cy   ✗ removed")
    narrow = draw_proof(body, AUNT, {"cy": "c" * 60}, 60)
    assert len(narrow) == 2 * len(body) + 2


def test_a_self_loop_is_a_list_of_edges() -> None:
    lines = draw_proof([("a", "r", "b"), ("b", "r", "a")], ("a", "knows", "a"), {}, 60)
    assert lines[-1] == "a ╌╌knows╌╌▶ a   ✗ removed"


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert display_width("東京") == 4
    assert display_width("é") == 1
    names = {"ann": "東京", "cy": "京都"}
    first, second, third = draw_proof(CHAIN, AUNT, names, 60)
    start, end = display_width(second[: second.index("╎")]), display_width(second) - 1
    assert third.startswith(" " * start + "╰")
    assert display_width(third[: third.index("╯")]) == end
    assert end == display_width(first) - 2


def test_right_to_left_names_are_isolated_and_never_aligned() -> None:
    name = printable("שרה כהן")
    assert name == "\u2068שרה כהן\u2069"
    lines = draw_proof(CHAIN, AUNT, {"bob": name}, 200)
    assert lines[3] == f"╎   {name}"


@pytest.mark.parametrize("text", ["\x1b[2J", "a\rb", "\u202eevil", "\u2069", "\u2028", "\x07"])
def test_what_could_repaint_the_terminal_is_escaped(text: str) -> None:
    assert printable(text).isascii()
    assert "\\u" in printable(text)


def test_joiners_that_scripts_need_are_kept() -> None:
    assert "\u200c" in printable("می\u200cخواهم")
