"""Every reason that may be given for refusing a model's text is documented."""

from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.replies import CODES
from tests import ROOT

DOCUMENT = "docs/questions-by-a-model.md"
TEXT = (ROOT / DOCUMENT).read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ")]


def explained() -> set[str]:
    """What stands in the first cell of a row of a table, in backquotes."""
    return {word for row in ROWS for word in row.split("|")[1].split("`")[1::2]}


def test_every_reason_code_is_explained() -> None:
    assert set(CODES) - explained() == set()


def test_every_purpose_of_calls_is_named() -> None:
    assert all(f"`{purpose}`" in TEXT for purpose in load_prompts("").sections)


def test_the_readme_leads_there() -> None:
    assert DOCUMENT in (ROOT / "README.md").read_text("utf-8")
