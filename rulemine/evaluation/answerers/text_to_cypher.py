"""Asking a model for the Cypher of a question, as CypherBench does (arXiv 2412.18702).

The model is shown the schema of the graph, never the graph, and writes one query.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.cypher.pattern_text import query_of
from rulemine.cypher.render import to_cypher
from rulemine.evaluation.answerers.protocol import Chat, Found, Given, OpenQuestion
from rulemine.evaluation.answerers.schema_text import schema_text
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["TextToCypher"]

_TASK = """\
Write the Cypher query (for Neo4j 5) that answers the question at the end from a property graph.

{schema}

Write one statement that only reads, and only with the labels, relations, directions and properties above. \
Every node has a name; names and values are spelled as in the question. Any other property may be absent. \
Return names and values, never nodes, relations or paths, and no column that is not asked for; each entity \
once, not once for each way in which it matches. Dates are written date("2001-02-03"). \
Put the query between ```cypher and ```, and write nothing else."""

_EXAMPLE = "Question: {question}\n```cypher\n{cypher}\n```"


@dataclass(frozen=True, slots=True)
class TextToCypher(Section):
    """A model that is shown the schema, and writes a query.

    Attributes:
        shots: Training questions that it is shown with their queries, of as many categories as there are.
        values: Values of a categorical property that it is shown, at most.
        max_tokens: Tokens of a reply at most.
    """

    shots: int = option(0, least=0, most=1000)
    values: int = option(3, least=0, most=1000)
    max_tokens: int = option(512, least=1)

    uses_model: ClassVar[bool] = True
    kinds: ClassVar = ("cypher",)

    @property
    def needs(self) -> tuple[str, ...]:
        """The training questions, if it is shown some."""
        return ("train",) if self.shots else ()

    def __call__(self, given: Given, questions: Sequence[OpenQuestion]) -> list[Found]:
        """The query for each question; "" where the model writes none."""
        graph = given.graph
        if graph is None:
            raise ValueError("there is no property graph")
        task = _TASK.format(schema=schema_text(graph, self.values))
        before: dict[str, str] = {}
        for part in given.parts(questions) if self.shots else ():
            shown = _examples(part.train, self.shots, given.seed)
            before |= {questions[number].id: "\n\n".join([task, *shown]) for number in part.numbers}

        async def work(question: OpenQuestion, chat: Chat) -> Found:
            content = f"{before.get(question.id, task)}\n\nQuestion: {question.question}"
            reply = await chat.say(
                content, purpose="write-cypher", max_tokens=self.max_tokens, temperature=0.0
            )
            return Found(cypher=(reply and cypher_of(reply.text)[0]) or "")

        return given.converse(work, questions)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


def _examples(train: Sequence[Question], most: int, seed: int) -> list[str]:
    """Training questions with their queries: of each category one after the other, drawn by the seed."""
    drawn: dict[str, list[Question]] = {}
    asked = sorted((q for q in train if q.split == "train"), key=lambda q: q.id)
    for at in stream(seed, "examples").permutation(len(asked)).tolist():
        drawn.setdefault(asked[at].structure, []).append(asked[at])
    rounds = zip_longest(*(drawn[name] for name in sorted(drawn)))
    chosen = islice(filter(None, chain.from_iterable(rounds)), most)
    return [
        _EXAMPLE.format(question=q.question, cypher=to_cypher(query_of(q.query))) for q in chosen
    ]
