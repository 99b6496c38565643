"""A system says the same in every naming of a release, also where it draws or sorts."""

import json
import re
from dataclasses import replace

from rulemine.codec import to_json
from rulemine.evaluation import answer
from rulemine.evaluation.answerers.model_free.links import MinedRules
from rulemine.kg.entity_names import EntityNames
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests.evaluation.answerers.scripted import Script, shown
from tests.evaluation.world import question, write_release

NAMES = [EntityNames(f"e{at:05d}", str(at), f"x{99 - at}") for at in range(50)]
"""The order of the texts is the reverse."""

SYSTEMS = (
    "random", "prior:k=3", "neighbors:hops=2", "reasoner", "rules", "embeddings:rank=4:epochs=3",
    "trained-retriever:k=5:hidden=8:epochs=3", "k-hop:max_triples=5", "ppr:max_triples=9", "bm25:k=3",
    "g-retriever", "paths:max_paths=3", "think-on-graph:width=9", "generate-on-graph",
)  # fmt: skip


def says(call):
    """What leads every system through some branch, in words that no naming changes."""
    said = {"plan": "likes\nwife -> child", "enough": "{Yes}", "answer": "none"}
    first = shown(call)[-1].startswith("Write thought 1 ")
    said["step"] = "Action: Search[x]" if first else "Action: Finish[x]"
    return said.get(call.purpose.rpartition("-")[2], "likes (Score: 0.5)")


def families(folder, naming):
    """Nine couples, their children, and one whom thirty people like."""
    n = [getattr(row, naming) for row in NAMES]
    couples = [(n[at], n[9 + at], n[18 + at]) for at in range(9)]
    facts = [(m, "wife", f) for m, f, _ in couples] + [(f, "husband", m) for m, f, _ in couples[2:]]
    facts += [(m, "child", c) for m, _, c in couples] + [(f, "child", c) for _, f, c in couples[4:]]
    facts += [(n[49], "likes", one) for one in n[:30]]
    asked = [
        question(at, f, "husband", answers=[m], hard=[m]) for at, (m, f, _) in enumerate(couples)
    ]
    asked += [question(20 + at, c, "child", "subject", [m, f], [f], split="train")
              for at, (m, f, c) in enumerate(couples)]  # fmt: skip
    asked.append(question(9, n[49], "likes", answers=n[:30], hard=[]))
    asked = [replace(q, question=f"Whom is {q.anchors[0]} said to like?") for q in asked]
    return write_release(folder, asked, incomplete=facts, removed=[], names=NAMES, naming=naming)


def test_every_system_says_the_same_in_every_naming(tmp_path, monkeypatch):
    rule = parse_readable("wife(y,x) ⇒ husband(x,y)")
    mined = (replace(rule, measures=Measures(7, 9, 9, 9, 0)),)
    monkeypatch.setattr(MinedRules, "_mined", lambda self, given: mined)
    releases = [families(tmp_path / naming, naming) for naming in ("private", "text")]
    other = {row.text: row.private for row in NAMES}
    wrong = []
    for name in SYSTEMS:
        plain, turned = (
            json.dumps(
                [to_json(p) for p in answer(one, name, session=Script(says), model="m", seed=3)]
            )
            for one in releases
        )
        wrong += [name] * (plain != re.sub(r"x\d\d", lambda found: other[found[0]], turned))
    assert wrong == []


def test_a_set_is_in_the_order_of_private_names(tmp_path):
    (*_, found) = answer(
        families(tmp_path, "text"), lambda kg, asked: [{"x50", "x99", "?", "x70"}] * 10
    )
    assert found.answers == ("x99", "x70", "x50", "?")
