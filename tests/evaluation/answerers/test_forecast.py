"""What a system takes is told before: here beside what it takes of a model that does as it is told."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from rulemine.builder.pipeline import Build
from rulemine.evaluation import evaluate
from rulemine.evaluation.answerers.forecast import forecast
from rulemine.evaluation.answerers.registry import ANSWERERS, answer, asks_model, find_answerer
from rulemine.evaluation.study.costs import Expected, costs_table
from rulemine.llm.call import Call, Reply, pack_vector
from rulemine.llm.estimates import Takes
from rulemine.recipe.loading import load_recipe
from rulemine.release.reader import Release
from tests.evaluation.answerers.agents import test_tools as tools
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


class Model:
    """Does as it is told, in as many words as a capable model took on the demo; 4 letters are a token."""

    def __init__(self) -> None:
        self.sent = self.received = 0

    def __call__(self, call: Call) -> Reply:
        if call.inputs:
            self.sent += sum(map(len, call.inputs)) // 4
            return Reply("", vectors=[pack_vector([1.0, len(text)]) for text in call.inputs])
        said = self._said(call, str(call.messages[-1]["content"]).splitlines())
        letters = len(json.dumps([*call.messages, *call.tools], ensure_ascii=False))
        written = len(json.dumps(said, ensure_ascii=False))
        self.sent, self.received = self.sent + letters // 4, self.received + written // 4
        if isinstance(said, str):
            return Reply(said, prompt_tokens=letters // 4, completion_tokens=written // 4)
        return Reply("", "tool_calls", letters // 4, written // 4, tool_calls=said)

    def _said(self, call: Call, lines: list[str]) -> str | list[dict[str, Any]]:
        step, options = call.purpose.rpartition("-")[2], self._options(lines)
        if call.purpose == "write-cypher":
            return f"```cypher\n{QUERY}\n```"
        if call.purpose == "write-sparql":
            return f"```sparql\n{SPARQL}\n```"
        if call.purpose.startswith("tools"):
            return self._with_tools(call)
        if call.purpose.startswith("generate-on-graph") and step == "step":
            turn = sum(line.startswith("Observation") for line in lines)
            topics = next(x for x in lines if x.startswith("Topic")).partition(": ")[2]
            found = re.findall(r"\(([^,()]+), ", " ".join(lines)) or [topics]
            action = [f"Search[{topics}]", f"Search[{found[-1]}]", "Generate[what is missing]",
                      f"Finish[{found[0]}]"][turn]  # fmt: skip
            return f"Thought {turn + 1}: {THOUGHT[:60]}\nAction {turn + 1}: {action}"
        if call.purpose == "plan-on-graph-answer":
            return self._concluded(lines)
        known = "\n".join(lines).partition("What is known:\n")[2].splitlines()
        two, system = options[:2], call.purpose.partition("-")[0]
        ways = {
            "think": f"{{{two[0]} (Score: 0.9)}}",
            "plan": json.dumps(two),
            "struct": "; ".join(two),
        }
        rated = ", ".join(["0.5", *["0.1"] * (len(options) - 1)])
        return {
            "answer": "\n".join(line.split(" | ")[0] for line in known[:4] if "|" in line) or "Stara Luka",
            "think": THOUGHT,
            "plan": "\n".join(f"{one} -> {two}" for one, two in pairwise(lines[1:4])),
            "relations": ways.get(system, "\n".join(two)),
            "entities": json.dumps(two, ensure_ascii=False) if system == "plan" else rated,
            "enough": "{Yes}" if sum("(" in line for line in lines) > 3 else "{No}",
            "objectives": json.dumps([THOUGHT[:38], THOUGHT[40:75]]),
            "memory": json.dumps({THOUGHT[:38]: options[0], THOUGHT[40:75]: ""}),
            "reflect": '{"Go back": "No", "Reason": "The next entities lead to the answer."}',
            "next": "Next question: Where is it?" if "Who" not in lines[0] else f"Answer: {options[0]}",
            "propose": f"{options[0]} | located_in | {options[-1]}",
            "name": options[0],
        }[step]  # fmt: skip

    @staticmethod
    def _options(lines: list[str]) -> list[str]:
        """What may be chosen: the lines below the last that ends with a colon, or a list on one line."""
        at = max((i for i, line in enumerate(lines) if line.endswith(":")), default=-1)
        found = lines[at + 1 :] if at >= 0 else lines[-1].partition(": ")[2].split("; ")
        return found or [""]

    @staticmethod
    def _concluded(lines: list[str]) -> str:
        """Of plan-on-graph: enough at the second look."""
        known = [line.strip("()").split(", ")[0] for line in lines if line.startswith("(")]
        enough = len(known) > 4
        said = {
            "Sufficient": ("No", "Yes")[enough],
            "Answer": known[:1] * enough,
            "Reason": THOUGHT[:50],
        }
        return json.dumps(said, ensure_ascii=False)

    @staticmethod
    def _with_tools(call: Call) -> str | list[dict[str, Any]]:
        turn = sum(message["role"] == "assistant" for message in call.messages)
        if turn == 3:
            return "Stara Luka"
        topic = str(call.messages[1]["content"]).rpartition(": ")[2].partition(" | ")[0]
        if not turn:
            return tools.calls(("relations", {"entity": topic})).tool_calls
        ways = json.loads(call.messages[3]["content"])
        two = [*ways["out"], *ways["in"]][:2]
        return tools.calls(*(tools.neighbors(topic, way, "out") for way in two)).tool_calls


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


@pytest.mark.parametrize("name", ASKING)
def test_typical_is_within_twice_and_the_worst_is_never_less(name, demo, tmp_path):
    release = demo("cypher" if name == "text-to-cypher" else "structures")
    asked = {"split": None, "sample": 16, "model": "m"}
    told = forecast(release, name, ["incomplete"], **asked)
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
