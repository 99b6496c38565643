"""The table of all model-free answerers."""

from rulemine.evaluation.baselines import SYSTEMS, baselines
from rulemine.release.reader import Release
from rulemine.text.tables import markdown_of, text_of
from tests.releases import built


def test_every_answerer_on_both_graphs(release):
    told = []
    found = baselines(release, split=None, progress=lambda done, total: told.append(done))
    text = text_of(found)
    assert {text.count(f"  {name} ") for name in SYSTEMS["entities"]} == {4}
    sections = ["the core (1)", "all questions (4)"]
    places = [
        text.index(f"\n{kg} KG, {s}\n") for kg in ("complete", "incomplete") for s in sections
    ]
    assert places == sorted(places)
    assert "nearest is given the query behind each question.\n" in text
    assert told == list(range(2 * len(SYSTEMS["entities"])))


def test_rows_tell_understanding_from_inferring():
    text = markdown_of(baselines(Release.open(built("coast") / "release"), split=None))
    table = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if "|" in line
    ]
    assert table[0][:4] == ["system", "EX", "row HHR", "Hard F1"]
    start = next(at for at, row in enumerate(table) if row[0].startswith("**incomplete KG, all"))
    rows = {row[0]: row for row in table[start:]}
    gold, reasoner = rows["gold-cypher"], rows["reasoner"]
    assert 0 < float(gold[1]) < 100
    assert gold[2:4] == ["0.0", "0.0"]
    assert float(reasoner[2]) > 0
    assert float(reasoner[3]) > 50
