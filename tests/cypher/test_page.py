"""The page of the documentation has every template."""

from rulemine.cypher.questions.templates import MATCHES, RETURNS
from tests import ROOT

PAGE = (ROOT / "docs" / "cypher-templates.md").read_text("utf-8")


def test_every_template_is_on_the_page() -> None:
    assert [name for name in (*MATCHES, *RETURNS) if f"`{name}`" not in PAGE] == []
