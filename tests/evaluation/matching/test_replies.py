"""What is read from replies as models write them."""

import time
from collections import defaultdict

import pytest

from rulemine.evaluation import evaluate
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher, composed
from rulemine.evaluation.targets import topics_of
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import Prediction
from rulemine.text.naming_rules import named_answer
from tests.evaluation.conftest import cases_of
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, write_release

ROWS = cases_of(__file__, "replies.jsonl")
"""Replies to questions over FB15k-237, demo, geography and a made-up world: the topic entities, what a reader
takes from the reply, and all names of that graph that stand in it, in whatever spelling."""


def test_replies_are_read_as_a_reader_does():
    shared = said = wanted = exact = 0
    of_styles: dict[str, list[bool]] = defaultdict(list)
    for row in ROWS:
        matcher = VocabularyMatcher({*row["names"], *row["topics"], "nobody"})
        found = set(matcher.text(row["reply"], row["topics"]))
        right = set(map(composed, row["answers"]))
        shared, said, wanted = shared + len(found & right), said + len(found), wanted + len(right)
        of_styles[row["style"]].append(found == right)
        exact += found == right
    assert len(ROWS) >= 641
    assert min(shared / said, shared / wanted, exact / len(ROWS)) >= 0.98
    assert {style: ns for style, ns in of_styles.items() if sum(ns) < 0.75 * len(ns)} == {}


TOPIC, ADA, BEN, CLEO, MARA = "Rosa Delgado", "Ada Quill", "Ben Quill", "Cleo Quill", "Mara Quill"
NAMES = {
    TOPIC, ADA, BEN, CLEO, MARA, "Harbor Mill", "Stara Luka", "Up", "It", "Yes", "French", "Country", "24",
    "Doubt", "Heat", "Heat (1995)", "O'Neill & Sons, Ltd.", "Berlin", "Germany",
}  # fmt: skip


READINGS = cases_of(__file__, "readings.jsonl")
"""Replies to a question about the grandchildren of the topic, a form each, and the names to take."""


def test_what_a_reader_takes():
    matcher = VocabularyMatcher(NAMES)
    found = [row | {"answers": matcher.text(row["reply"], [TOPIC])} for row in READINGS]
    assert found == READINGS


def test_numbers_are_names_where_most_names_are():
    matcher = VocabularyMatcher({str(n) for n in range(50)})
    assert matcher.text("The grandchildren of 39 are 12, 47 and 5.", ["39"]) == ["12", "47", "5"]
    assert matcher.text("12: child of 5\n47: child of 5", ["39"]) == ["12", "47"]
    assert matcher.text("Only 12 lives there.", ["39"]) == ["12"], "and not so many lives"
    # Topic entities are answers where they may be.
    matcher, said = VocabularyMatcher(NAMES), "Rosa Delgado is older than Ada Quill."
    assert (matcher.text(said, [TOPIC]), matcher.text(said)) == ([ADA], [TOPIC, ADA])
    assert matcher.read("Ada Quill, not Ben Quill or Cleo Quill") == ([ADA], 2), "what is denied"


def test_topics_may_be_answers_where_the_relation_has_loops(tmp_path):
    """One training question that its topic answers decided how the replies to all others were read."""
    asked = [
        question(1, ANN, answers=[CID, EVE], hard=[EVE], core=True),
        question(2, BOB, "older", answers=[BOB], hard=[BOB], split="train"),
        question(3, DORA, "aunt", answers=[DORA, EVE], hard=[]),
    ]
    release = write_release(tmp_path / "r", asked)
    assert topics_of(release, release.questions(), "entity") == [("11",), ("12",), ()]
    said = [Prediction("q00001", raw_output=f"{ANN} is the mother of {EVE}, not of {CID}.")]
    report = evaluate(release, said, resamples=5)
    assert report.headline.scores["precision"].value == 1
    assert any("Names that outputs deny" in n and "1, in 1 output" in n for n in report.notes)


def test_aliases_stand_for_their_entity_unless_two_have_them(tmp_path):
    names = [
        EntityNames("e00000", "Q1", "New York City", ("NYC", "the Apple", "The City")),
        EntityNames("e00001", "Q2", "London", ("The City",)),
        EntityNames("e00002", "Q3", "Apple"),
        EntityNames("e00003", "Q4", "Bob"),
    ]
    city = names[0].text
    asked = [question(n, "Bob", answers=[city], hard=[city]) for n in (1, 2, 3)]
    release = write_release(tmp_path / "r", asked, names=tuple(names), naming="text")
    assert [row.aliases for row in release.entities] == [tuple(sorted(n.aliases)) for n in names]
    replies = ("Bob lives in NYC.", "Answer: The City", "apple")
    said = [Prediction(f"q0000{n}", raw_output=reply) for n, reply in enumerate(replies, start=1)]
    assert evaluate(release, said, resamples=5).overall["f1"].value == pytest.approx(1 / 3)
    said[1] = Prediction("q00002", answers=("nyc",))
    assert evaluate(release, said, resamples=5).overall["f1"].value == pytest.approx(2 / 3)
    assert named_answer(["Who lives in NYC?"], [], names[:1]) == "NYC"


PIECES = (
    "Ada Quill, ", "- Ada Quill\n", "Ada Quill (", "**Ada Quill** ", "Answer: \n", "{", "[[", ".!",
    "the answer is ", "So Up. ", "because ", "Rosa Delgado because ", "Ada Quill → ", "|-\n",
    "a|b\n-|-\n", '{"answer":', "not a b of ", "\\boxed{", "<answer>", "They see Ada Quill. ", "  - x\n",
    "- a:\n  - b\n", "Ada Quill's x: ", "Rosa Delgado: ", "Country: ", "Ada Quill, who ",
    "Ada Quill, which was made by ", "\\n", "\n", "a|b\n", "a|b|c\n",
)  # fmt: skip


def test_any_reply_takes_linear_time():
    slow = []
    for piece in PIECES:
        begin, said = time.process_time(), piece * (30_000 // len(piece))
        for reply in (f"Ada Quill {said}", f"{said}Ada Quill"):
            VocabularyMatcher(NAMES).text(reply, [TOPIC])
        slow += [piece] * (time.process_time() - begin >= 2)
    assert slow == []
