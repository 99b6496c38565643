"""Of many systems: they say the same in every naming and in other processes, and learn once."""

import json
import pickle
import re
from dataclasses import replace
from functools import partial

import pytest

from rulemine.codec import to_json
from rulemine.errors import InputError
from rulemine.evaluation.answerers.model_free.links import MinedRules
from rulemine.evaluation.answerers.model_free.runs import AnswererRun, answer_runs, spreads
from rulemine.evaluation.answerers.registry import answer
from rulemine.kg.entity_names import EntityNames
from rulemine.release.archive import PackedRelease
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests import each
from tests.evaluation.answerers.scripted import Script, shown
from tests.evaluation.world import question, write_release

NAMES = [EntityNames(f"e{at:05d}", str(at), f"x{99 - at}") for at in range(50)]
NAMES[49] = EntityNames("e00049", "49", "lik")
"""The order of the texts is the reverse; the last is a part of a word of its question and of a relation."""

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
        wrong += [name] * (
            plain != re.sub(r"\b(x\d\d|lik)\b", lambda found: other[found[0]], turned)
        )
    assert wrong == []


def test_a_set_is_in_the_order_of_private_names(tmp_path):
    (*_, found) = answer(
        families(tmp_path, "text"), lambda kg, asked: [{"x51", "x99", "?", "x70"}] * 10
    )
    assert found.answers == ("x99", "x70", "x51", "?")


LEARNING = (
    ("rules", "rules:min_initial_support=9", "rulemine.mining.miner.mine"),
    ("embeddings:rank=4:epochs=3", "embeddings:rank=5:epochs=3",
     "rulemine.evaluation.answerers.model_free.embeddings.Embeddings._learned"),
    ("trained-retriever:k=1:hidden=8:epochs=3", "trained-retriever:seed=1:hidden=8:epochs=3",
     "rulemine.evaluation.answerers.trained.retriever.fit"),
)  # fmt: skip


@each(("name", "other", "learns"), LEARNING)
def test_what_is_learned_is_kept_in_a_folder(name, other, learns, tmp_path, monkeypatch):
    release, work = families(tmp_path / "r", "private"), tmp_path / "work"
    found = answer(release, name, folder=work)
    (kept,) = work.iterdir()
    answer(release, other, folder=work)
    assert len(list(work.iterdir())) == 2
    monkeypatch.setattr(learns, None)
    assert answer(release, name, folder=work) == found
    for content in (b"PK", kept.read_bytes()[:-9]):
        kept.write_bytes(content)
        with pytest.raises(InputError, match=kept.name):
            answer(release, name, folder=work)


SPREAD = (
    "lookup", "neighbors:hops=2", "reasoner", "prior:k=2", "random", "embeddings:rank=2:epochs=1",
)  # fmt: skip


def elsewhere(function, items):
    """Calls a function as another process would, the last item first."""
    for item in reversed(items):
        yield pickle.loads(pickle.dumps(partial(function, item)))()


@each("split", ["test", None])
def test_runs_give_the_predictions_of_one_call(release, split):
    naming, said, expected = release.naming, [], []
    runs = [AnswererRun(name, naming, "incomplete", split, None, 7, None) for name in SPREAD]
    told = answer_runs(
        runs, {naming: release}, elsewhere, note=lambda run, text: said.append((run.with_, text))
    )
    found = dict(told)
    assert list(found) == runs[::-1], "runs that end first come first"
    for run in runs:
        notes = []
        assert found[run] == answer(release, run.with_, split=split, seed=7, note=notes.append)
        expected += [(run.with_, text) for text in notes]
    assert sorted(said) == sorted(expected)


def test_what_asks_a_model_or_runs_a_program_stays(release):
    asking = ("bm25", "closed-book", "command", "trained-retriever:read=true")
    assert not any(spreads(name, release) for name in asking)
    assert spreads("trained-retriever", release)
    assert spreads("lookup", release)


def test_a_release_travels_where_its_folder_is_not_seen(release, tmp_path):
    packed = PackedRelease(release)
    assert packed.release.folder == release.folder.absolute()
    sent = pickle.loads(pickle.dumps(PackedRelease(release)))
    sent._folder = tmp_path / "not here"
    assert sent.release.folder != release.folder
    assert sent.release.identity == release.identity
    assert sent.release.questions() == release.questions()
    assert list(sent.release.kg().labeled()) == list(release.kg().labeled())
