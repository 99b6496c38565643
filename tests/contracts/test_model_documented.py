"""What a user of a language model can set, and every reason that may be given, is documented."""

from dataclasses import fields

import pytest

from rulemine.llm.options import EndpointOptions
from rulemine.verbalizer.checks import CODES
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompt_schema import PURPOSES
from tests import ROOT

DOCUMENT = "docs/questions-by-a-model.md"
TEXT = (ROOT / DOCUMENT).read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ")]


def explained() -> set[str]:
    """What stands in the first cell of a row of a table, in backquotes."""
    return {word for row in ROWS for word in row.split("|")[1].split("`")[1::2]}


@pytest.mark.parametrize("code", CODES)
def test_every_reason_code_is_explained(code: str) -> None:
    assert code in explained()


@pytest.mark.parametrize("section", [VerbalizerSection, EndpointOptions])
def test_every_key_is_explained_with_its_default(section: type) -> None:
    for key in fields(section):
        rows = [row.split("|") for row in ROWS if f"`{key.name}`" in row.split("|")[1]]
        assert rows, f"{DOCUMENT} lacks {key.name}"
        default = str(key.default).lower() if isinstance(key.default, bool) else str(key.default)
        shown = f"`{default}`" if default else ""
        assert shown in [row[2].strip() for row in rows], f"{DOCUMENT}: the default of {key.name}"


def test_every_purpose_of_calls_is_named() -> None:
    assert all(f"`{purpose}`" in TEXT for purpose in PURPOSES)


def test_the_readme_leads_there() -> None:
    assert DOCUMENT in (ROOT / "README.md").read_text("utf-8")
