"""Asking a model for the SPARQL of a question.

The model is shown the relations of the graph, or with ``triples`` what lies around the topic entities, and
writes one query; what that gives on the graph is what is scored. With ``repair`` the query is run, and where
it fails or gives nothing the model gets the reason and writes another one.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.retrieval import PersonalizedPageRank
from rulemine.evaluation.answerers.text_to_cypher import drawn_examples
from rulemine.evaluation.sparql.prompts import ShownQuestion, about, answered, task_on
from rulemine.evaluation.sparql.running import LONGEST, SparqlRunner, sparql_of
from rulemine.kg.graph import Triple
from rulemine.llm.call import Message

__all__ = ["TextToSparql"]

_AGAIN = "{problem}\nWrite the whole query again, mended, between ```sparql and ```."

_BY_MACHINE = ("run", "too long")
"""What becomes of a query that is left as it is; which take too long depends on the machine."""


@dataclass(frozen=True, slots=True)
class TextToSparql(Section):
    """A model that is shown the relations of a graph, and writes a query.

    Attributes:
        shots: Training questions that it is shown with their queries, of as many structures as there are.
        repair: How often it gets the reason why its query fails or gives nothing, at most.
        triples: Triples that it is shown in place of the relations, at most: those that ``ppr`` shows.
        max_tokens: Tokens of a reply at most.
    """

    shots: int = option(0, least=0, most=1000)
    repair: int = option(0, least=0, most=10)
    triples: int = option(0, least=0)
    max_tokens: int = option(512, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 60)
    answers: ClassVar = ("entities",)

    @property
    def needs(self) -> tuple[str, ...]:
        """The training questions, if it is shown some."""
        return ("train",) if self.shots else ()

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The query for each question; "" where the model writes none."""
        task = task_on(given.kg, given.order, with_triples=bool(self.triples))
        before: dict[str, str] = {}
        for part in given.parts(questions) if self.shots else ():
            asked = [q for q in part.train if q.sparql]
            shown = [
                f"{about(ShownQuestion(q.question, q.anchors))}\n{answered(q.sparql)}"
                for q in drawn_examples(asked, self.shots, given.seed)
            ]
            before |= {questions[number].id: "\n\n".join([task, *shown]) for number in part.numbers}
        found: dict[str, list[Triple]] = {}
        if self.triples:
            ppr = PersonalizedPageRank(max_triples=self.triples, max_characters=sys.maxsize)
            found = ppr.retrieve(given, questions)

        with SparqlRunner(given.kg, given.order) as runner:

            async def work(question: OpenQuestion, chat: Chat) -> Answered:
                triples = found.get(question.id, ())
                asked = about(ShownQuestion(question.question, question.anchors, triples))
                content = f"{before.get(question.id, task)}\n\n{asked}"
                query = await self._query(chat, content, runner)
                return Answered(sparql=query, retrieved=triples if self.triples else None)

            return given.converse(work, questions)

    async def _query(self, chat: Chat, content: str, runner: SparqlRunner) -> str:
        """The last query that the model writes."""
        messages: list[Message] = [{"role": "user", "content": content}]
        query = ""
        for left in reversed(range(1 + self.repair)):
            purpose = "write-sparql" if len(messages) == 1 else "repair-sparql"
            reply = await chat.say(
                messages, purpose=purpose, max_tokens=self.max_tokens, temperature=0.0
            )
            if reply is None:
                break
            text = reply.text[:LONGEST]
            found, _ = sparql_of(text)
            query = found or query
            if not left:
                break
            ran = await asyncio.to_thread(runner.run, text)
            if ran.kind in _BY_MACHINE:
                break
            problem = f"That query fails, {ran.kind}: {ran.said}"
            messages = [
                *messages,
                {"role": "assistant", "content": text},
                {"role": "user", "content": _AGAIN.format(problem=problem)},
            ]
        return query

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1 + self.repair
