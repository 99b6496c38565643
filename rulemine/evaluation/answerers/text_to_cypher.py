"""Asking a model for the Cypher of a question, as CypherBench does (arXiv 2412.18702).

The model is shown the schema of the graph, never the graph, and writes one query. With ``repair`` the query
is run in memory, and where it fails the model gets the reason and writes another one.

The schema is shown about as Cypher writes it, a line for each type. Below a type stands what its properties
mean, as far as the schema says that, and the commonest values of those that have few. Names are never shown.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import ClassVar

from rulemine.codec import dump_line
from rulemine.config import Section, option
from rulemine.cypher.rows import Failed
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.runners import TIMED_OUT, InMemoryRunner, Runner
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import NAME, Property
from rulemine.llm.call import Message
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["TextToCypher", "drawn_examples", "schema_text"]

SECONDS = 10.0
"""Seconds for a query that is tried. One that takes longer is left as it is: that depends on the machine."""

LONGEST = 30_000
"""Characters of a reply that are read."""

_FEW = 0.1
"""A text of fewer values than this share of a type's nodes is categorical (CypherBench, arXiv 2412.18702)."""

_LONGEST = 60
"""Characters of a value that is shown, at most."""

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


def schema_text(graph: PropertyGraph, values: int = 0) -> str:
    """The schema of a graph.

    Args:
        graph: The graph.
        values: How many values of a categorical property are shown at most, the commonest first.

    Example:
        >>> from rulemine.kg.property_graph.schema import EntityType, RelationType, Schema
        >>> town = EntityType("Town", (Property("area", "float", "km ** 2"),), "a settlement")
        >>> near = RelationType("near", "Town", "Town", (Property("start_year", "int"),))
        >>> print(schema_text(PropertyGraph(Schema("coast", (town,), (near,)), [], [])))
        Nodes:
        (:Town {name: str, area: float}) a settlement
          area: in km^2
        Relations:
        (:Town)-[:near {start_year: int}]->(:Town)
    """
    lines = ["Nodes:"]
    for entity in graph.schema.entities:
        own = (Property(NAME, "str"), *entity.properties)
        lines.append(" ".join(filter(None, (f"(:{entity.label}{_map(own)})", entity.description))))
        lines += _notes(entity.properties, _common(graph, entity.label, values))
    lines.append("Relations:")
    for row in graph.schema.relations:
        edge = f"(:{row.subject})-[:{row.label}{_map(row.properties)}]->(:{row.object})"
        lines.append(" ".join(filter(None, (edge, row.description))))
        lines += _notes(row.properties, {})
    return "\n".join(lines)


def _map(properties: Sequence[Property]) -> str:
    return (
        " {" + ", ".join(f"{p.name}: {p.datatype}" for p in properties) + "}" if properties else ""
    )


def _notes(properties: Sequence[Property], common: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for own in properties:
        notes = [f"in {own.unit.replace(' ** ', '^')}"] if own.unit else []
        notes += [own.description] if own.description else []
        if values := common.get(own.name):
            notes.append(f"e.g. {', '.join(map(dump_line, values))}")
        if notes:
            yield f"  {own.name}: {'; '.join(notes)}"


def _common(graph: PropertyGraph, label: str, most: int) -> dict[str, list[str]]:
    """Categorical property → its commonest values."""
    nodes = [graph.nodes[at] for at in graph.of_type(label)]
    counts: dict[str, Counter[str]] = {}
    for own in graph.schema.entity(label).properties:
        if own.datatype in ("str", "list[str]"):
            counted = counts[own.name] = Counter()
            for node in nodes:
                value = node.properties.get(own.name, ())
                some = value if isinstance(value, tuple) else (value,)
                counted.update(item for item in some if isinstance(item, str))
    return {
        name: sorted((v for v in counted if len(v) <= _LONGEST), key=lambda v: (-counted[v], v))[:most]
        for name, counted in counts.items()
        if len(counted) < _FEW * len(nodes)
    }  # fmt: skip
