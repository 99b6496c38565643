"""Names in texts, and texts against the patterns of a model."""

from pathlib import Path

import pytest

from rulemine.verify.contents import Contents, Record
from rulemine.verify.questions.texts import check_patterns, find_leaks
from rulemine.verify.report import Findings


def test_a_name_in_the_name_of_a_topic_is_no_leak() -> None:
    for topic in ("Anna Lind", "Lind Anna", "Old Anna Lind"):
        assert find_leaks(f"Who wed {topic}?", [topic], ["Anna"]) == []
        assert find_leaks(f"Who wed {topic}, not Anna?", [topic], ["Anna"]) == ["Anna"]


@pytest.mark.parametrize(
    ("wording", "text", "problem"),
    [
        ("model", "Who made Dune?", ""),
        ("model", "Who made the Dune?", "text is its pattern"),
        ("template", "Who made the Dune?", ""),
        ("template", "Who made a Dune?", "text is its pattern"),
    ],
)
def test_names_may_have_an_article_where_no_model_wrote(
    wording: str, text: str, problem: str
) -> None:
    row = {
        "wording": wording, "question": text, "anchors": ["Dune"], "paraphrases": [],
        "patterns": ["Who made {topic}?"],
    }  # fmt: skip
    contents = Contents.__new__(Contents)
    contents.__dict__.update(findings=Findings(), entities={})
    cuts = list(check_patterns(contents, Record("test", 1, row)))
    assert len(cuts) == (problem == "")
    found = [one.invariant for one in contents.findings.report(Path()).problems]
    assert found == [problem] * (problem != "")
