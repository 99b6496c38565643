"""What a language model is asked of written questions, and with which prompts.

It is asked for candidates, pairs, other words, and in the final filter. Prompts are those of
``rulemine/kinds/written/written.toml`` or of a user's copy of it.

Guarantee: the same arguments give the same call, whatever was asked before.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.judging.panel import TEMPERATURE
from rulemine.kg.graph import Triple
from rulemine.kinds.written.replies import CANDIDATE_SCHEMA, Task
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.session import Session
from rulemine.phrasing.glosses import Glosses
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.structures import structure_of
from rulemine.recipe.recipe import Recipe
from rulemine.release.records import Question
from rulemine.text.json_reply import TEXT, object_schema
from rulemine.text.template import fill
from rulemine.verbalizer.prompts import SEEDS, Calls, Prompts, Shown
from rulemine.verbalizer.replies import SCHEMAS

__all__ = ["ANSWER_SCHEMA", "WritingCalls", "answers_to", "examples_of"]

ANSWER_SCHEMA = object_schema(answer=TEXT)
"""Of the reply of the final filter."""

_PATH = {"type": "array", "items": object_schema(subject=TEXT, predicate=TEXT, object=TEXT)}
PAIRS_SCHEMA = object_schema(
    valid_qa_pairs={"type": "boolean"},
    number_of_qa_pairs={"type": "integer"},
    qa_pairs={
        "type": "array",
        "items": object_schema(question=TEXT, answer=TEXT, supporting_path=_PATH),
    },
)
"""Of a reply with pairs."""

EXAMPLES = 2
"""Examples in a prompt."""

FRESH = 0.8
"""The temperature of variants (Dynamic-KGQA, section 3); the published release has that of the recipe."""


def _shape_of(triples: Sequence[Triple], answer: str) -> str:
    """The shape code of a tree of triples."""
    return structure_of(query_of_triples(triples, answer)).shape


def examples_of(form: str, atoms: int, shape: str, number: int, most: int) -> list[str]:
    """The replies, in JSON, of the examples that are most like a task.

    They are those of ``rulemine/kinds/written/written_examples.jsonl``, written by hand.

    Args:
        form: The form of the task, as of `rulemine.kinds.written.replies.Task`, as the next.
        atoms: How many triples its question is made from.
        shape: The shape of the question.
        number: The number of the task: those that are as much alike come in turns.
        most: How many there are, at most.
    """
    some = _every()[form]
    alike = [
        (own != shape, abs(size - atoms), (at + number) % len(some), reply)
        for at, (own, size, reply) in enumerate(some)
    ]
    return [reply for *_, reply in sorted(alike)[:most]]


@cache
def _every() -> dict[str, list[tuple[str, int, str]]]:
    """Form → shape, number of triples and reply of each example."""
    found: dict[str, list[tuple[str, int, str]]] = {}
    for line in read_text(packaged("kinds", "written", "written_examples.jsonl")).splitlines():
        row = json.loads(line)
        reply = row["reply"]
        triples = [(s, r, o) for s, r, o in (text.split(" — ") for text in reply["triples"])]
        text = json.dumps(reply, ensure_ascii=False)
        own = _shape_of(triples, reply["answer"]), len(triples), text
        found.setdefault(row["form"], []).append(own)
    return found


@dataclass(frozen=True)
class WritingCalls:
    """Makes the calls of a build.

    Attributes:
        recipe: The recipe: models, parameters, seed.
        prompts: The prompts.
        names: The names of the entities in prompts.
        glosses: The descriptions of the relations.
    """

    recipe: Recipe
    prompts: Prompts
    names: WriterNames
    glosses: Glosses

    def candidate(self, task: Task) -> Call:
        """Asks for a candidate. Its reply may take more tokens, the more triples it is made from."""
        names, purpose = self.names, f"candidate_{task.form}"
        form = self.prompts.sections[purpose]
        values = {
            "names": self.prompts.names[names.naming],
            "atoms": str(len(task.given)),
            "task": fill(form["task"], {"language": self.recipe.verbalizer.language}),
            "answer": fill(form["answer"], {}),
            "sparql": fill(form["sparql"], {}),
        }
        relations = dict.fromkeys(r for _, r, _ in names.triples(task.subgraph.rows))
        answer = task.answer or 0
        shape = _shape_of(names.triples(task.given), names.id(answer))
        chosen = {
            "triples": "; ".join(map(names.line, task.given)),
            "answer": names.shown(answer),
        }
        replies = examples_of(task.form, len(task.given), shape, task.number, EXAMPLES)
        shown = {
            **values,
            "facts": [{"triple": names.line(row)} for row in task.subgraph.rows],
            "relations": self._described(relations),
            "choice": [{"choice": fill(form["choice"], chosen)}],
            "examples": [{"reply": reply} for reply in replies],
            "earlier": _earlier(task),
        }
        call = self._call("candidate", f"candidate {task.number}", shown)
        room = self.recipe.verbalizer.max_tokens * (2 + len(task.given))
        return replace(call, purpose=purpose, schema=CANDIDATE_SCHEMA, max_tokens=room)

    def pairs(self, task: Task, triples: Sequence[Triple]) -> Call:
        """Asks for pairs about triples (P1 of Dynamic-KGQA).

        Args:
            task: The task.
            triples: The triples in the order in which they are shown, in the naming of the prompts.
        """
        options = self.recipe.own
        shown = {
            "names": self.prompts.names[self.names.naming],
            "most": str(options.pairs),
            "language": self.recipe.verbalizer.language,
            "facts": [{"triple": json.dumps(t, ensure_ascii=False)} for t in triples],
            "relations": self._described(sorted({relation for _, relation, _ in triples})),
            "earlier": _earlier(task),
        }
        call = self._call("pairs", task.about, shown)
        warm = options.run and call.temperature is not None
        return replace(
            call,
            max_tokens=self.recipe.verbalizer.max_tokens * options.pairs,
            temperature=FRESH if warm else call.temperature,
            seed=(self.recipe.seed + options.run) % SEEDS,
            schema=PAIRS_SCHEMA,
        )

    def reword(self, question: Question) -> Call:
        """Asks a second model for a question, in the naming of the prompts, in other words."""
        shown = {
            "question": question.question,
            "anchors": json.dumps([*question.anchors], ensure_ascii=False),
            "language": self.recipe.verbalizer.language,
            "names": self.prompts.names[self.names.naming],
        }
        call = self._call("reword", question.id, shown)
        model = self.recipe.verbalizer.rewriter_model
        return replace(call, model=model, schema=SCHEMAS["question"])

    def compare(self, question: Question, other: str) -> Call:
        """Asks the judge, or else the model, whether another text asks for the same as a question."""
        shown = {"question": question.question, "other": other}
        call = self._call("reword_audit", question.id, shown)
        model = self.recipe.verbalizer.judge_model or call.model
        return replace(call, model=model, schema=SCHEMAS["audit"])

    def check(self, question: Question, sample: int) -> Call:
        """Asks the judge to answer a question from its evidence: one derivation, of a count all of them.

        Args:
            question: The question, in the naming of the prompts.
            sample: How often it was asked before.
        """
        facts = question.evidence if question.value is None else question.full_evidence
        names = ("subject", "relation", "object")
        rows = [dict(zip(names, fact, strict=True)) for fact in facts]
        shown = {"question": question.question, "facts": rows}
        call = self._call("check", question.id, shown)
        model = self.recipe.verbalizer.judge_model
        warm = None if call.temperature is None else TEMPERATURE
        return replace(call, model=model, schema=ANSWER_SCHEMA, sample=sample, temperature=warm)

    def _call(self, purpose: str, subject: str, shown: Shown) -> Call:
        recipe = self.recipe
        return Calls(self.prompts, recipe.verbalizer, recipe.seed).call(purpose, subject, shown)

    def _described(self, relations: Iterable[str]) -> list[dict[str, str]]:
        return [{"relation": r, "statement": self.glosses[r].state("S", "O")} for r in relations]


def answers_to(
    session: Session,
    calls: Sequence[Call],
    progress: Callable[[int, int], None] | None = None,
) -> list[Answer]:
    """The answers to calls, in their order; `progress` is called with (answered, all)."""

    async def one(call: Call, ask: Ask) -> Answer:
        return await ask(call)

    return session.run([partial(one, call) for call in calls], progress)


def _earlier(task: Task) -> list[dict[str, str]]:
    text, reason = task.refused
    return [{"text": text, "reason": reason}] if reason else []
