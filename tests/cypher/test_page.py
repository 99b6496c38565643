"""The page of the documentation has every template, and its example prints what it says."""

import contextlib
import io
import re

from rulemine.cypher.questions.templates import MATCHES, RETURNS
from tests import ROOT

PAGE = (ROOT / "docs" / "cypher-templates.md").read_text("utf-8")


def test_every_template_is_on_the_page() -> None:
    assert [name for name in (*MATCHES, *RETURNS) if f"`{name}`" not in PAGE] == []


def test_the_example_prints_what_the_page_says() -> None:
    code, printed = re.findall(r"^```(?:python|text)\n(.*?)^```$", PAGE, re.M | re.S)[:2]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(code, {})
    assert said.getvalue() == printed
