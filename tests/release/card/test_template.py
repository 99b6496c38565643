"""What stands in the texts of cards, filled in."""

import pytest

from rulemine.release.card.template import Values, fill

VALUES = {
    "n": 1200,
    "none": None,
    "empty": {},
    "rows": {"a|b": {"core": 1, "of": {"x": 1, "y": 2}}, "c": {"core": 3, "of": {"x": 4, "y": 0}}},
    "sizes": {"a|b": 2, "c": 6},
    "name": "M*A*S*H",
}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{n} {n:d} {n:row} {sizes.c:is|are} {rows.c.core:.1f}", "1,200 1200 1,200 rows are 3.0"),
        ("{sizes} {sizes:sum} {sizes:reasons} {rows.c.of:sizes}", "2 / 6 8 a|b (2); c (6) x: 4"),
        ("{n/sizes.c:.2f} {sizes.c/n:%} {n/none.x:%}", "200.00 0.5 % –"),
        ("{name!p} {name!c}", "M\\*A\\*S\\*H `M*A*S*H`"),
        (
            "{if n}a{if empty:, b}{unless rows.c.x:, {n}}\n{unless n}b\n{if empty}c\n{none}d",
            "a, 1,200",
        ),
        ("a\n\n{empty}\n\nb", "a\n\nb"),
        ("{each rows}| {key} | {core/sizes.@:%} |", "| a\\|b | 50.0 % |\n| c | 50.0 % |"),
        ("{each rows}{key}:{across of} {key} {n}{end}.", "a|b: x 1 y 2.\nc: x 4 y 0."),
        ("{part} and {other}", "1,200 parts and more"),
    ],
)
def test_a_text_with_values_in_it(text: str, filled: str) -> None:
    texts = {"part": "{n:part}", "other": "more"}
    assert fill(text, Values(VALUES, texts)) == filled


@pytest.mark.parametrize(
    "text", ["{m}", "{if m}a", "a{unless m:b}", "{n/m:%}", "{sizes.m}", "{each m}a"]
)
def test_a_name_that_there_is_not_is_no_silent_gap(text: str) -> None:
    with pytest.raises(KeyError, match="m"):
        fill(text, Values(VALUES, {}))
