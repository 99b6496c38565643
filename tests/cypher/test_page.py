"""The page of the documentation has every template."""

from rulemine.cypher.questions.templates import RETURNS
from tests import ROOT

PAGE = (ROOT / "docs" / "cypher.md").read_text("utf-8")


def test_every_template_is_on_the_page():
    assert [name for name in RETURNS if f"`{name}`" not in PAGE] == []
