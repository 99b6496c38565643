"""What is read from replies as models write them."""

import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from rulemine.evaluation import evaluate
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher, composed
from rulemine.evaluation.targets import topics_of
from rulemine.kg.entity_names import EntityNames
from rulemine.release.records import Prediction
from rulemine.text.naming_rules import named_answer
from tests.evaluation.world import ANN, BOB, CID, DORA, EVE, question, write_release

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("replies.jsonl").read_text("utf-8").splitlines()
]
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


REPLIES = [
    # marks
    ("The answer is not Mara Quill but Ada Quill.", [ADA]),
    ("Whether the answer is Mara Quill is open. So the answer is Ada Quill.", [ADA]),
    ("The final answer is: $\\boxed{Ada Quill, Ben Quill}$, by Mara Quill.", [ADA, BEN]),
    ("**Answer:** Ada Quill\n**Reasoning:** Mara Quill is her mother.", [ADA]),
    ("Answer:\n\nAda Quill\n\nExplanation:\n\nMara Quill is her mother.", [ADA]),
    ("Answer: Mara Quill\n\nNo, wait.\n\nAnswer: Ada Quill", [ADA]),
    ("<answer>Ada Quill</answer> by Mara Quill", [ADA]), ("Mara Quill is known. Answer: none", []),
    ("Mara Quill is known. The answer is unknown.", []),
    ("Ada Quill. I hope the answer is helpful.", [ADA]),
    ("Mara Quill is a child. This means that Ada Quill is a grandchild.", [ADA]),
    # shapes
    ('{"answer": {"name": "Ada Quill", "parent": "Mara Quill"}}', [ADA]),
    ("{'answer': ['Ada Quill', 'Ben Quill']}", [ADA, BEN]),
    ('{"answers": [{"id": "Mara Quill", "name": "Ada Quill"}]}', [ADA]),
    ('[{"person": "Ada Quill", "id": "24"}]', [ADA]),
    ('{"grandchildren": ["Ada Quill"], "explanation": "by Mara Quill"}', [ADA]),
    ('{"finalAnswer": "Ada Quill", "via": "Mara Quill"}', [ADA]),
    ("1. **Ada Quill**\n   - Parent: Mara Quill\n2. **Ben Quill**:\n   - by Mara Quill", [ADA, BEN]),
    ("- Through Mara Quill:\n  - Ada Quill\n- Through others:\n  - Cleo Quill", [ADA, CLEO]),
    ("Ada Quill (child of Mara Quill), Ben Quill (child of Mara Quill)", [ADA, BEN]),
    ("Ada Quill [1], Ben Quill [2]\n\n[1] (Mara Quill, parent_of, Ada Quill)", [ADA, BEN]),
    ("Rosa Delgado --[parent_of]--> Mara Quill --[parent_of]--> Ada Quill", [ADA]),
    ("Ada Quill <- Mara Quill <- Rosa Delgado", [ADA]),
    ("| A | B |\n|---|---|\n| Rosa Delgado | Ada Quill |\n| Rosa Delgado | Ben Quill |", [ADA, BEN]),
    ("1. Ada Quill 2. Ben Quill", [ADA, BEN]), ("i. Ada Quill\nii. Ben Quill", [ADA, BEN]),
    ("Ada Quill\nBen Quill\nLet me know if you need Mara Quill!", [ADA, BEN]),
    ("- Mara Quill is her child.\nThe grandchild of Rosa Delgado is Ada Quill.", [ADA]),
    ("Path 1: Rosa Delgado → Mara Quill → Ada Quill", [ADA]),
    ("Rosa Delgado - Mara Quill - Ada Quill", [ADA]),
    ("Country: Germany\nTown: Berlin", ["Germany", "Berlin"]),
    ("Rosa Delgado: Country: Germany", ["Germany"]),
    ("- Note: she wrote It.\n\nAs far as I know, Ada Quill is one.", [ADA]),
    ("Mara Quill's grandchildren: none\nRosa Delgado's grandchildren: Ada Quill", [ADA]),
    ('{"answers": {"Ada Quill": "child of Mara Quill"}}', [ADA]),
    ("Ada Quill | child of Mara Quill\nBen Quill -- child of Mara Quill", [ADA, BEN]),
    ("__Ada Quill__ and _Ben Quill_", [ADA, BEN]), ("The answer is Ada Quill, who lives in Berlin.", [ADA]),
    ("The answer is Ada Quill in Berlin.", [ADA]),
    ("By (Mara Quill, child_of, Rosa Delgado) the grandchild is Ada Quill.", [ADA]),
    # sentences
    ("Rosa Delgado works for Harbor Mill, so she works in Stara Luka.", ["Stara Luka"]),
    ("Mara Quill is a child. Combining this, the grandchild is Ada Quill.", [ADA]),
    ("Although Mara Quill lives in Berlin, Rosa Delgado lives in Stara Luka.", ["Stara Luka"]),
    ("She doesn't live in Berlin; she lives in Stara Luka.", ["Stara Luka"]),
    ("It is Ada Quill, not her sister Cleo Quill.", [ADA]),
    ("The mother is Mara Quill, who also bore Cleo Quill.", [MARA]),
    ("No grandchildren are stated. Her child is Mara Quill.", []),
    ("I couldn't find the grandchildren of Rosa Delgado.", []),
    ("I cannot answer this; only Mara Quill is mentioned.", []),
    ("It is not directly stated, but she works in Stara Luka.", ["Stara Luka"]),
    ("The grandchildren are Ada Quill and Ben Quill. I excluded Cleo Quill.", [ADA, BEN]),
    ("Ada Quill (and also Ben Quill)", [ADA, BEN]),
    ("### 1. Ada Quill\nChild of Mara Quill.\n\n### 2. Ben Quill\nChild of Mara Quill.", [ADA, BEN]),
    ("Ada Quill, because Mara Quill is her mother.", [ADA]),
    ("Since Mara Quill is a child of Rosa Delgado, Ada Quill is a grandchild.", [ADA]),
    ("The grandchild of Rosa Delgado is Ada Quill, daughter of Mara Quill.", [ADA]),
    ("Who is it? Mara Quill? It must be Ada Quill.", [ADA]),
    ("Neither Mara Quill nor Ben Quill, but Ada Quill.", [ADA]),
    ("It is neither Mara Quill, Ben Quill, Cleo Quill. It is Ada Quill.", [ADA]),
    ("Rosa Delgado is not related to Cleo Quill, only to Ada Quill.", [ADA]),
    ("The triples do not say it. Only Mara Quill is known.", []),
    ("The triples do not say it, but it may be Ada Quill.", [ADA]),
    ("O'Neill & Sons, Ltd. and Heat (1995)", ["O'Neill & Sons, Ltd.", "Heat (1995)"]),
    ("She works not in Berlin but in Stara Luka.", ["Stara Luka"]),
    ("She was not in Berlin, Mara Quill or Up. It was Ada Quill.", [ADA]),
    ("It is ~~Mara Quill~~ **Ada Quill**.", [ADA]),
    ("Mara Quill is close but is not one. Ada Quill is one.", [ADA]),
    ("It is Ada Quill as well as his brother Ben Quill.", [ADA, BEN]),
    ("Rosa Delgado, who works for Harbor Mill, is married to Ada Quill.", [ADA]),
    ("There is no grandchild of Rosa Delgado. Her child Mara Quill has none.", []),
    ("I do not know it. I know Mara Quill, but I have no information on others.", []),
    ("Answer: none. The graph only mentions Mara Quill.", []),
    ("<answer>none</answer> The graph only mentions Mara Quill.", []),
    ("The answer is none. The graph only mentions Mara Quill.", []),
    ("Answer: unknown (Mara Quill is mentioned, but not linked).", []),
    ("None. The graph only mentions Mara Quill.", []), ("None. However, it may well be Ada Quill.", [ADA]),
    ("I cannot determine whether the answer is Mara Quill.", []),
    ("There is no evidence that it is Mara Quill.", []),
    ("We cannot say that the answer is Mara Quill.", []),
    ("none\n\nWait, actually the answer is Ada Quill.", [ADA]), ("Mara Quill is not the answer.", []),
    ('{"answer": "Unknown. Her child is Mara Quill."}', []),
    ('{"Rosa Delgado": ["Ada Quill", "Ben Quill"]}', [ADA, BEN]),
    ('{"answers": {"Rosa Delgado": ["Ada Quill"]}}', [ADA]),
    ('{"entity": "Rosa Delgado", "grandchildren": ["Ada Quill"]}', [ADA]),
    ('{"answer": "Rosa Delgado"}', [TOPIC]),
    ("Ada Quill, born in Berlin\nBen Quill, born in Berlin", [ADA, BEN]),
    ("Ada Quill is one; Mara Quill and Ben Quill are not.", [ADA]),
    ("If Mara Quill were one, I would say so, but it is only Ada Quill.", [ADA]),
    ("Mara Quill is a child.\n\n$\\boxed{\\text{none}}$", []), ("(1) Ada Quill (2) Ben Quill", [ADA, BEN]),
    # turns and languages
    ("Ada Quill\n\nQuestion: Who is the mother?\nAnswer: Mara Quill", [ADA]),
    ("Triples:\nMara Quill | child_of | Rosa Delgado\nQuestion: Who?\nAnswer: Ada Quill", [ADA]),
    ("Mara Quill 是孩子。因此，答案是：Ada Quill", [ADA]), ("Ada Quill<br>Ben Quill", [ADA, BEN]),
    ("I ran `MATCH (n {name: 'Rosa Delgado'}) RETURN n`:\n\nAda Quill\nBen Quill", [ADA, BEN]),
    ("Ada Quill [Person#12], Ben Quill [Person#13]", [ADA, BEN]),
    # the topic entity
    ("Neither Mara Quill nor Ada Quill is a grandchild of Rosa Delgado.", []), ("Rosa Delgado", [TOPIC]),
    ("Answer: The grandchildren of Rosa Delgado are:\n\n- Ada Quill", [ADA]),
    # words
    ("Up", ["Up"]), ("Yes, it is Ada Quill. It is known.", [ADA]), ("Answer: It", ["It"]),
    ("It was made in Berlin.", ["Berlin"]), ("Berlin is its capital.", ["Berlin"]),
    ("Doubt remains: Ada Quill.", [ADA]), ("Berlin is one; Ada Quill is another.", ["Berlin", ADA]),
    ("- Berlin lies in Germany.\n- Ada Quill lies there.", ["Berlin", ADA]),
    ("The French film is Heat.", ["Heat"]), ("The language is French.", ["French"]),
    ("There are 24 of them, among them Ada Quill.", [ADA]), ("- Country\n- 24", ["Country", "24"]),
    ("No. It is not known.", []), ("None of it is known.\nnone", []),
    ("The French director is unknown, and so are 24 films.", []), ("He wrote It and Heat.", ["It", "Heat"]),
]  # fmt: skip


def test_what_a_reader_takes():
    matcher = VocabularyMatcher(NAMES)
    assert [(reply, matcher.text(reply, [TOPIC])) for reply, _ in REPLIES] == REPLIES


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
