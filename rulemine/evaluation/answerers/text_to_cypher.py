"""Asking a model for the Cypher of a question, as CypherBench does (arXiv 2412.18702).

The model is shown the schema of the graph, never the graph, and writes one query. With ``repair`` the query
is run in memory, and where it fails the model gets the reason and writes another one.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.cypher.rows import Failed
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.schema_text import schema_text
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.runners import InMemoryRunner, Runner
from rulemine.llm.call import Message
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["TextToCypher", "drawn_examples"]

SECONDS = 10.0
"""Seconds for a query that is tried. One that takes longer is left as it is: that depends on the machine."""

LONGEST = 30_000
"""Characters of a reply that are read."""

TIMED_OUT = "TimedOut"
"""The code of its failure."""

_TASK = """\
Write the Cypher query (for Neo4j 5) that answers the question at the end from a property graph.

{schema}

Write one statement that only reads, and only with the labels, relations, directions and properties above. \
Every node has a name; names and values are spelled as in the question. Any other property may be absent. \
Return names and values, never nodes, relations or paths, and no column that is not asked for; each entity \
once, not once for each way in which it matches. Dates are written date("2001-02-03"). \
Put the query between ```cypher and ```, and write nothing else."""

_EXAMPLE = "Question: {question}\n```cypher\n{cypher}\n```"


_AGAIN = "{problem}\nWrite the whole query again, mended, between ```cypher and ```."


@dataclass(frozen=True, slots=True)
class TextToCypher(Section):
    """A model that is shown the schema, and writes a query.

    Attributes:
        shots: Training questions that it is shown with their queries, of as many categories as there are.
        repair: How often it gets the reason why its query fails, at most.
        values: Values of a categorical property that it is shown, at most.
        max_tokens: Tokens of a reply at most.
    """

    shots: int = option(0, least=0, most=1000)
    repair: int = option(0, least=0, most=10)
    values: int = option(3, least=0, most=1000)
    max_tokens: int = option(512, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 60)
    answers: ClassVar = ("rows",)

    @property
    def needs(self) -> tuple[str, ...]:
        """The training questions, if it is shown some."""
        return ("train",) if self.shots else ()

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The query for each question; "" where the model writes none."""
        graph = given.graph
        if graph is None:
            raise ValueError("there is no property graph")
        task = _TASK.format(schema=schema_text(graph, self.values))
        before: dict[str, str] = {}
        for part in given.parts(questions) if self.shots else ():
            shown = [
                _EXAMPLE.format(question=q.question, cypher=q.block.cypher)
                for q in drawn_examples(part.train, self.shots, given.seed)
            ]
            before |= {questions[number].id: "\n\n".join([task, *shown]) for number in part.numbers}

        runner = InMemoryRunner(graph, SECONDS)

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            content = f"{before.get(question.id, task)}\n\nQuestion: {question.question}"
            return Answered(cypher=await self._query(chat, content, runner))

        return given.converse(work, questions)

    async def _query(self, chat: Chat, content: str, runner: Runner) -> str:
        """The last query that the model writes."""
        messages: list[Message] = [{"role": "user", "content": content}]
        query = ""
        for left in reversed(range(1 + self.repair)):
            purpose = "write-cypher" if len(messages) == 1 else "repair-cypher"
            reply = await chat.say(
                messages, purpose=purpose, max_tokens=self.max_tokens, temperature=0.0
            )
            if reply is None:
                break
            text = reply.text[:LONGEST]
            found, why = cypher_of(text)
            query = found or query
            if not left:
                break
            problem = f"Your reply has no query: {why}."
            if found is not None:
                problem = await asyncio.to_thread(_problem, runner, found)
            if not problem:
                break
            messages = [
                *messages,
                {"role": "assistant", "content": text},
                {"role": "user", "content": _AGAIN.format(problem=problem)},
            ]
        return query

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1 + self.repair


def _problem(runner: Runner, query: str) -> str:
    """Why a query fails; "" if it does not, was not run, or took too long."""
    tried = runner.rows(query)
    if not isinstance(tried, Failed) or tried.code == TIMED_OUT:
        return ""
    return f"That query fails: {tried.text}"


def drawn_examples(train: Sequence[Question], most: int, seed: int) -> list[Question]:
    """Training questions to be shown: of each structure one after the other, drawn by the seed.

    Args:
        train: Training and validation questions; the latter are left out.
        most: How many are drawn, at most.
        seed: The seed.
    """
    drawn: dict[str, list[Question]] = {}
    asked = sorted((q for q in train if q.split == "train"), key=lambda q: q.id)
    for at in stream(seed, "examples").permutation(len(asked)).tolist():
        drawn.setdefault(asked[at].structure, []).append(asked[at])
    rounds = zip_longest(*(drawn[name] for name in sorted(drawn)))
    return list(islice(filter(None, chain.from_iterable(rounds)), most))
