"""A language model as the writer of candidates, with its further tasks: other words, and the final filter.

Guarantees: the same task gives the same call, whatever was asked before; one call a task, and what comes of
them is in the order of the tasks, whatever the order in which the endpoint answers.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rulemine.judging.panel import TEMPERATURE
from rulemine.kg.graph import Triple
from rulemine.kinds.written.candidate import Task, Written
from rulemine.kinds.written.examples import examples_of, shape_of
from rulemine.kinds.written.replies import CANDIDATE_SCHEMA, text_of
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.session import Session
from rulemine.phrasing.glosses import Glosses
from rulemine.recipe.recipe import Recipe
from rulemine.text.json_reply import TEXT, object_schema
from rulemine.text.template import fill
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.replies import SCHEMAS
from rulemine.verbalizer.requests import SEEDS

__all__ = ["ANSWER_SCHEMA", "ModelWriter", "WritingCalls", "answers_to"]

ANSWER_SCHEMA = object_schema(answer=TEXT)
"""Of the reply of the final filter."""

Values = Mapping[str, str]
Blocks = Mapping[str, Sequence[Mapping[str, str]]]


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
            "atoms": str(task.atoms),
            "task": fill(form["task"], {"language": self.recipe.verbalizer.language}),
            "answer": fill(form["answer"], {}),
            "sparql": fill(form["sparql"], {}),
        }
        relations = dict.fromkeys(r for _, r, _ in names.triples(task.subgraph.rows))
        shape = ""
        if task.given and task.answer is not None:
            shape = shape_of(names.triples(task.given), names.id(task.answer))
        most = self.recipe.own.examples
        replies = examples_of(task.form, task.atoms, shape, task.number, most)
        blocks = {
            "facts": [{"triple": names.line(row)} for row in task.subgraph.rows],
            "relations": [
                {"relation": r, "statement": self.glosses[r].state("S", "O")} for r in relations
            ],
            "choice": self._choice(task, form["choice"]),
            "examples": [{"reply": reply} for reply in replies],
            "earlier": [{"text": text, "reason": reason} for text, reason in task.refused],
        }
        call = self._call("candidate", f"candidate {task.number}", values, blocks)
        room = self.recipe.verbalizer.max_tokens * (2 + task.atoms)
        return replace(call, purpose=purpose, schema=CANDIDATE_SCHEMA, max_tokens=room)

    def reword(self, subject: str, question: str, anchors: Sequence[str]) -> Call:
        """Asks a second model for the same question in other words.

        Args:
            subject: What it is about, for error messages.
            question: The question, in the naming of the prompts, as the next.
            anchors: The entities that it names.
        """
        values = {
            "question": question,
            "anchors": json.dumps([*anchors], ensure_ascii=False),
            "language": self.recipe.verbalizer.language,
            "names": self.prompts.names[self.names.naming],
        }
        call = self._call("reword", subject, values, {})
        model = self.recipe.verbalizer.rewriter_model
        return replace(call, model=model, schema=SCHEMAS["question"])

    def compare(self, subject: str, question: str, other: str) -> Call:
        """Asks the judge, or else the model, whether two texts, as of `reword`, ask for the same."""
        call = self._call("reword_audit", subject, {"question": question, "other": other}, {})
        model = self.recipe.verbalizer.judge_model or call.model
        return replace(call, model=model, schema=SCHEMAS["audit"])

    def check(self, subject: str, question: str, facts: Sequence[Triple], sample: int) -> Call:
        """Asks the judge to answer a question from its evidence.

        Args:
            subject: The id of the question.
            question: The question, in the naming of the prompts, as the next.
            facts: Its evidence.
            sample: How often it was asked before.
        """
        blocks = {"facts": list(map(_as_fact, facts))}
        call = self._call("check", subject, {"question": question}, blocks)
        model = self.recipe.verbalizer.judge_model
        warm = None if call.temperature is None else TEMPERATURE
        return replace(call, model=model, schema=ANSWER_SCHEMA, sample=sample, temperature=warm)

    def _call(self, purpose: str, subject: str, values: Values, blocks: Blocks) -> Call:
        chosen = self.recipe.verbalizer
        return Call(
            purpose=purpose,
            subject=subject,
            model=chosen.model,
            messages=self.prompts.messages(purpose, values, blocks),
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature if chosen.temperature >= 0 else None,
            seed=self.recipe.seed % SEEDS,
        )

    def _choice(self, task: Task, template: str) -> list[dict[str, str]]:
        if not task.given or task.answer is None:
            return []
        triples = "; ".join(map(self.names.line, task.given))
        values = {"triples": triples, "answer": self.names.shown(task.answer)}
        return [{"choice": fill(template, values)}]


@dataclass(frozen=True)
class ModelWriter:
    """A language model that writes candidates, see `rulemine.kinds.written.candidate.Writer`.

    Attributes:
        calls: Makes the calls.
        session: Answers them.
    """

    calls: WritingCalls
    session: Session

    def write(self, tasks: Sequence[Task]) -> list[Written]:
        """See `rulemine.kinds.written.candidate.Writer`."""
        calls = [self.calls.candidate(task) for task in tasks]
        answers = answers_to(self.session, calls)
        return [
            Written(text_of(answer), (call.key,))
            for call, answer in zip(calls, answers, strict=True)
        ]


def answers_to(
    session: Session,
    calls: Sequence[Call],
    progress: Callable[[int, int], None] | None = None,
) -> list[Answer]:
    """The answers to calls, in their order; `progress` is called with (answered, all)."""

    async def one(call: Call, ask: Ask) -> Answer:
        return await ask(call)

    return session.run([partial(one, call) for call in calls], progress)


def _as_fact(triple: Triple) -> dict[str, str]:
    subject, relation, object_ = triple
    return {"subject": subject, "relation": relation, "object": object_}
