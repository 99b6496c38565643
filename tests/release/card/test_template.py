"""What stands in the texts of cards, filled in."""

import re

import pytest
from jinja2 import UndefinedError

from rulemine.config import packaged
from rulemine.release.card.page import fill

VALUES = {
    "n": 1200,
    "none": None,
    "empty": {},
    "of": {"x": 4, "y": 0},
    "sizes": {"a|b": 2, "c": 6000},
    "lines": ["- a", "- b"],
    "name": "M*A*S*H",
}


def filled(text: str) -> str:
    page = '{% extends "release/card/part.md" %}'
    return fill(f"{page}{{% block this %}}\n{text}\n{{% endblock %}}", "this", VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{ n }} {{ n|noun("row") }} {{ none }} {{ name }}', "1,200 1,200 rows – M*A*S*H"),
        ("{{ sizes }} {{ sizes|reasons }} {{ of|sizes }}", "2 / 6,000 a|b (2); c (6,000) x: 4"),
        ("{{ empty|reasons }} {{ empty|sizes }}", "– –"),
        ("{{ n|mean(of.x) }} {{ n|mean(of.y) }}", "300.00 –"),
        ("{{ 1|percent(n) }} {{ 0.5|percent }} {{ none|percent }} {{ 1|percent(0) }}", "0.1 % 50.0 % – –"),
        ("{{ name|plain }} {{ name|code }}", "M\\*A\\*S\\*H `M*A*S*H`"),
        ("{% for key in sizes %}\n| {{ key|cell }} |\n{% endfor %}", "| a\\|b |\n| c |"),
        ("{% if n %}\na\n{% endif %}\n{{ lines }}\n\n{{ '' }}\n\nb", "a\n- a\n- b\n\nb"),
    ],
)  # fmt: skip
def test_a_text_with_values_in_it(text: str, expected: str) -> None:
    assert filled(text) == f"{expected}\n"


@pytest.mark.parametrize(
    "text",
    ["{{ m }}", "{% for a in m %}{% endfor %}",
     "{% if m %}a{% endif %}", "{{ n|percent(m) }}", "{{ sizes.m }}"],
)  # fmt: skip
def test_a_name_that_there_is_not_is_no_silent_gap(text: str) -> None:
    with pytest.raises(UndefinedError, match="m"):
        filled(text)


def test_every_block_has_a_place() -> None:
    """A block whose name nothing above it uses would be left out without a word."""
    card = packaged("release", "card", "card.md")
    pages = {path: path.read_text() for path in packaged("kinds").rglob("*page.md")}
    assert len(pages) == 9
    blocks = {path: set(re.findall(r"{% block (\w+) %}", text)) for path, text in pages.items()}
    used = set(re.findall(r"self\.(\w+)\(\)", "".join([*pages.values(), card.read_text()])))
    used |= {"card", "charts"}  # the parts themselves, of a page that is the whole card
    assert {path.name: names - used for path, names in blocks.items() if names - used} == {}
