"""The version of the package is the same wherever it is written."""

import re

import rulemine
from tests import ROOT


def test_the_citation_is_of_this_version_and_the_changelog_has_it_with_the_same_date() -> None:
    citation = dict(
        re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    )
    assert citation["version"] == rulemine.__version__
    heading = f"## [{rulemine.__version__}] - {citation['date-released']}"
    assert heading in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
