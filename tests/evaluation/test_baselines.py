"""The table of all model-free answerers."""

from rulemine.evaluation.answerers.registry import ANSWERERS
from rulemine.evaluation.baselines import baselines
from rulemine.evaluation.reporting.tables import format_markdown, format_table
from rulemine.release.reader import Release


def test_every_answerer_on_both_graphs(release: Release) -> None:
    told: list[tuple[int, int]] = []
    text = baselines(
        release, format_table, split=None, progress=lambda done, total: told.append((done, total))
    )
    for name in ANSWERERS.own:
        assert text.count(f"  {name} ") == 2
    assert text.index("complete KG") < text.index("incomplete KG")
    assert [done for done, _ in told] == list(range(2 * len(ANSWERERS.own)))


def test_lookup_infers_nothing_and_the_reasoner_does(release: Release) -> None:
    rows = baselines(release, format_markdown, split=None).splitlines()
    lookup, reasoner = (
        [row for row in rows if row.startswith(f"| {name} ")][1].split("|")
        for name in ("lookup", "reasoner")
    )
    assert lookup[6].strip() == "0.0"
    assert float(reasoner[6]) > 50
