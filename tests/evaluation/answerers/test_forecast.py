"""What a system takes is told before: here beside what it takes of a model that does as it is told."""

import json
import re
from itertools import pairwise
from operator import le

import pytest

from rulemine.builder.pipeline import Build
from rulemine.evaluation import evaluate
from rulemine.evaluation.answerers.agents.agent import Agent
from rulemine.evaluation.answerers.forecast import forecast
from rulemine.evaluation.answerers.registry import ANSWERERS, answer, asks_model, find_answerer
from rulemine.evaluation.study.costs import Expected, costs_table
from rulemine.llm.call import Call, Reply, pack_vector
from rulemine.llm.estimates import Takes
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from tests import ROOT, each
from tests.evaluation.answerers.scripted import Script
from tests.evaluation.world import write_release
from tests.releases import build_small

ASKING = [name for name in sorted(ANSWERERS) if asks_model(find_answerer(name))]
THOUGHT = "What is asked for has to be found first, from the topic entities, step by step. " * 4
SPARQL = """\
SELECT DISTINCT ?answer WHERE {
  <entity:Stara%20Luka> <relation:born_in> ?v1 . ?v1 <relation:part_of> ?answer .
}"""
QUERY = """\
MATCH (n:Person {name: 'Stara Luka'})-[:worksFor]->(w:Workshop)-[:locatedIn]->(t:Town) WITH DISTINCT t
MATCH (t)-[:partOf]->(p:Province) WHERE p.population IS NOT NULL RETURN DISTINCT t.name, p.population"""
TOOK = r"^\| ([\w-]+) \| ([\d.]+) \| \d+ \| ([\d,]+) \| (\d+) \|"
DOCUMENTED = {
    name: [float(cell.replace(",", "")) for cell in cells]
    for name, *cells in re.findall(
        TOOK, (ROOT / "docs/answerers.md").read_text("utf-8"), re.MULTILINE
    )
}
"""System → calls, tokens sent and received that it took for a question."""


class Model:
    """Does as it is told, in as many words as a capable model took on the demo; 4 letters are a token."""

    def __init__(self) -> None:
        self.sent = self.received = 0

    def __call__(self, call: Call) -> Reply:
        if call.inputs:
            self.sent += sum(map(len, call.inputs)) // 4
            return Reply("", vectors=[pack_vector([1.0, len(text)]) for text in call.inputs])
        lines = str(call.messages[-1]["content"]).splitlines()
        known = "\n".join(lines).partition("What is known:\n")[2].splitlines()
        said = {
            "answer": "\n".join(line.split(" | ")[0] for line in known[:4] if "|" in line) or "Stara Luka",
            "think": THOUGHT,
            "plan": "\n".join(f"{one} -> {two}" for one, two in pairwise(lines[1:4])),
            "cypher": f"```cypher\n{QUERY}\n```", "sparql": f"```sparql\n{SPARQL}\n```",
        }[call.purpose.rpartition("-")[2]]  # fmt: skip
        sent, received = len(json.dumps(call.messages, ensure_ascii=False)) // 4, len(said) // 4
        self.sent, self.received = self.sent + sent, self.received + received
        return Reply(said, prompt_tokens=sent, completion_tokens=received)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Releases on a whole graph, under the names of its entities: the demo, and the coast for ``cypher``."""
    made = {}

    def call(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            whole = (("selection", "share"), 0.0), (("naming",), "text")
            if kind == "cypher":
                place = build_small(kind, folder, *whole)
            else:
                few = (("questions", "split"), "random"), (("structures", "per_structure"), 2)
                place = folder / "release"
                Build(load_recipe("structures-demo", [*whole, *few]), place).run()
            made[kind] = Release.open(place)
        return made[kind]

    return call


@each("name", ASKING)
def test_typical_is_within_twice_and_the_worst_is_never_less(name, demo, tmp_path):
    release = demo("cypher" if name == "text-to-cypher" else "structures")
    asked = {"split": None, "sample": 16, "model": "m"}
    told = forecast(release, name, ["incomplete"], **asked)
    assert all(map(le, told.typical, told.worst))
    if isinstance(find_answerer(name), Agent):  # how often they ask depends on what they read
        took = Takes(*(len(release.questions()[:16]) * number for number in DOCUMENTED[name]))
    else:
        script = Script(model := Model())
        answer(release, name, session=script, folder=tmp_path, **asked)
        took = Takes(len(script.calls), model.sent, model.received)
    for typical, worst, actual in zip(told.typical, told.worst, took, strict=True):
        assert actual <= worst
        assert actual / 2 <= typical <= 2 * actual, (told.typical, took)


def test_for_how_many_questions_the_proof_is_shown(tmp_path):
    release, shown = write_release(tmp_path / "small"), []
    both, asked = ["complete", "incomplete"], {"split": None, "model": "m"}
    for system in ("ppr", "ppr:max_triples=1"):
        told = forecast(release, system, both, sample=None, **asked)
        script = Script(lambda call: Reply("none"))
        found = answer(release, system, session=script, folder=tmp_path, **asked)
        counted = evaluate(release, found, split=None).failures["all"]
        assert told.proofs == (counted["proved"], counted["questions"])
        shown.append(told.proofs[0])
        table = costs_table([Expected(system, 1, 1, *told)])
        assert table.rows[0][6] == f"{shown[-1]} of {counted['questions']}"
        assert "the first 100 questions" in table.notes[-1]
    assert shown[0] > shown[1]
    for system in ("closed-book", "tools"):  # nothing is retrieved, or it is up to the model
        assert forecast(release, system, both, sample=None, **asked).proofs is None


def test_a_dry_run_asks_nothing_and_writes_nothing(demo, command, tmp_path):
    words = ("answer", demo("structures").path, "--split", "all", "--sample", 3)
    unreachable = ("--model", "m", "--set", "endpoint.base_url=http://127.0.0.1:9/v1")
    ended = command(*words, "--with", "lookup,tools", *unreachable, "--dry-run")
    assert ended.status == 0, ended.err
    assert re.search(r"^lookup +1 +3 +0 ", ended.out, re.MULTILINE)
    tools = r"^tools +1 +3 +16 / 33 +[\d,]+ / [\d,]+ +900 / 33,792 "
    assert re.search(tools, ended.out, re.MULTILINE)
    assert not list(tmp_path.iterdir())
    assert "missing: -o/--output" in command(*words, "--with", "lookup").err
    assert "asks a model: --model NAME" in command(*words, "--with", "tools", "--dry-run").err


def test_two_graphs_take_twice_the_calls_of_one(tmp_path):
    release, asked = write_release(tmp_path / "r"), {"split": "test", "sample": None, "model": "m"}
    one, two = (
        forecast(release, "k-hop", graphs, **asked)
        for graphs in (["incomplete"], ["complete", "incomplete"])
    )
    assert (two.typical.calls, two.worst.calls) == (2 * one.typical.calls, 2 * one.worst.calls)
    assert one.worst.calls == 3, "a call for each question of the split"
