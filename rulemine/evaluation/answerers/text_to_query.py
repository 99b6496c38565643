"""Asking a model for the query of a question: Cypher as CypherBench does (arXiv 2412.18702), or SPARQL.

``text-to-cypher``  the model is shown the schema of a property graph, never the graph
``text-to-sparql``  it is shown the relations of the graph, or with ``triples`` what lies around the topics

It writes one query; what that gives on the graph is what is scored. With ``repair`` the query is run, and
where it fails (SPARQL: or gives nothing) the model gets the reason and writes another one.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import ClassVar

from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.cypher.rows import Failed
from rulemine.evaluation.answerers.prompted import Demonstrated, shuffled
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.retrieval import PersonalizedPageRank
from rulemine.evaluation.cypher.replies import cypher_of
from rulemine.evaluation.cypher.runners import TIMED_OUT, InMemoryRunner
from rulemine.evaluation.sparql.prompts import ShownQuestion, about, answered, task_on
from rulemine.evaluation.sparql.running import LONGEST, SparqlRunner, sparql_of
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import NAME, EntityType, Property, RelationType
from rulemine.llm.call import Message
from rulemine.release.records import Question

__all__ = ["TextToCypher", "TextToSparql", "schema_text"]

SECONDS = 10.0
"""Seconds for a query that is tried. One that takes longer is left as it is: that depends on the machine."""

_FEW = 0.1
"""A text of fewer values than this share of a type's nodes is categorical (CypherBench, arXiv 2412.18702)."""

_LONGEST = 60
"""Characters of a value that is shown, at most."""

_CYPHER = """\
Write the Cypher query (for Neo4j 5) that answers the question at the end from a property graph.

{schema}

Write one statement that only reads, and only with the labels, relations, directions and properties above. \
Every node has a name; names and values are spelled as in the question. Any other property may be absent. \
Return names and values, never nodes, relations or paths, and no column that is not asked for; each entity \
once, not once for each way in which it matches. Dates are written date("2001-02-03"). \
Put the query between ```cypher and ```, and write nothing else."""

_EXAMPLE = "Question: {question}\n```cypher\n{cypher}\n```"

_AGAIN = "{problem}\nWrite the whole query, mended, between ```{language} and ```."


@dataclass(frozen=True)
class _TextToQuery(Demonstrated):
    """A model that writes a query.

    Attributes:
        shots: Training questions that it is shown with their queries, of as many structures as there are.
        repair: How often it gets the reason why its query fails, at most.
        max_tokens: Tokens of a reply at most.
    """

    shots: int = option(0, least=0, most=1000)
    repair: int = option(0, least=0, most=10)
    max_tokens: int = option(512, least=1)

    typical: ClassVar = Typical(1, 1, 60)
    language: ClassVar[str]

    async def _query(
        self,
        chat: Chat,
        content: str,
        read: Callable[[str], tuple[str | None, str]],
        problem_of: Callable[[str], str],
    ) -> str:
        """The last query that the model writes; "" where it writes none.

        Args:
            chat: Where it is asked.
            content: What it is asked.
            read: Gives the query in a reply, if there is one.
            problem_of: Gives what is wrong with a reply; "" if nothing is.
        """
        messages: list[Message] = [{"role": "user", "content": content}]
        query = ""
        for left in reversed(range(1 + self.repair)):
            purpose = f"{'repair' if messages[1:] else 'write'}-{self.language}"
            reply = await chat.say(
                messages, purpose=purpose, max_tokens=self.max_tokens, temperature=0.0
            )
            if reply is None:
                break
            text = reply.text[:LONGEST]
            query = read(text)[0] or query
            problem = await asyncio.to_thread(problem_of, text) if left else ""
            if not problem:
                break
            again = _AGAIN.format(problem=problem, language=self.language)
            messages = [
                *messages,
                {"role": "assistant", "content": text},
                {"role": "user", "content": again},
            ]
        return query

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1 + self.repair

    def _drawn(self, given: Context, train: Sequence[Question]) -> list[Question]:
        """The questions to be shown: of each structure one after the other, drawn by the seed."""
        drawn: dict[str, list[Question]] = {}
        for one in shuffled(train, given.seed, "examples"):
            drawn.setdefault(one.structure, []).append(one)
        rounds = zip_longest(*(drawn[name] for name in sorted(drawn)))
        return list(islice(filter(None, chain.from_iterable(rounds)), self.shots))


@dataclass(frozen=True)
class TextToCypher(_TextToQuery):
    """A model that is shown the schema, and writes Cypher.

    Attributes:
        values: Values of a categorical property that it is shown, at most.
    """

    values: int = option(3, least=0, most=1000)

    language: ClassVar = "cypher"
    answers: ClassVar = ("rows",)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The query for each question; "" where the model writes none."""
        if given.graph is None:
            raise ValueError("there is no property graph")
        runner = InMemoryRunner(given.graph, SECONDS)
        task = _CYPHER.format(schema=schema_text(given.graph, self.values))
        before = self.before(given, questions, lambda train: [
            _EXAMPLE.format(question=q.question, cypher=q.block.cypher)
            for q in self._drawn(given, train)
        ])  # fmt: skip

        def problem_of(text: str) -> str:
            query, why = cypher_of(text)
            if query is None:
                return f"Your reply has no query: {why}."
            tried = runner.rows(query)
            if isinstance(tried, Failed) and tried.code != TIMED_OUT:
                return f"That query fails: {tried.text}"
            return ""

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            content = f"{task}\n\n{before.get(question.id, '')}Question: {question.question}"
            return Answered(cypher=await self._query(chat, content, cypher_of, problem_of))

        return given.converse(work, questions)


@dataclass(frozen=True)
class TextToSparql(_TextToQuery):
    """A model that is shown the relations of a graph, and writes SPARQL.

    Attributes:
        repair: How often it gets the reason why its query fails or gives nothing, at most.
        triples: Triples that it is shown in place of the relations, at most: those that ``ppr`` shows.
    """

    triples: int = option(0, least=0)

    language: ClassVar = "sparql"
    answers: ClassVar = ("entities",)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The query for each question; "" where the model writes none."""
        task = task_on(given.kg, given.order, with_triples=bool(self.triples))
        before = self.before(given, questions, lambda train: [
            f"{about(ShownQuestion(q.question, q.anchors))}\n{answered(q.sparql)}"
            for q in self._drawn(given, [q for q in train if q.sparql])
        ])  # fmt: skip
        found: dict[str, list[Triple]] = {}
        if self.triples:
            ppr = PersonalizedPageRank(max_triples=self.triples, max_characters=sys.maxsize)
            found = ppr.retrieve(given, questions)
        with SparqlRunner(given.kg, given.order) as runner:

            def problem_of(text: str) -> str:
                ran = runner.run(text)
                by_machine = ran.kind in ("run", "too long")  # which take too long depends on it
                what = "That query fails:" if ran.query else "In your reply"
                return "" if by_machine else f"{what} {ran.said}"

            async def work(question: OpenQuestion, chat: Chat) -> Answered:
                triples = found.get(question.id, ())
                asked = about(ShownQuestion(question.question, question.anchors, triples))
                content = f"{task}\n\n{before.get(question.id, '')}{asked}"
                query = await self._query(chat, content, sparql_of, problem_of)
                return Answered(sparql=query, retrieved=triples if self.triples else None)

            return given.converse(work, questions)


def schema_text(graph: PropertyGraph, values: int = 0) -> str:
    """The schema of a graph, about as Cypher writes it, a line for each type.

    Below a type stands what its properties mean, as far as the schema says that, and the commonest values of
    those that have few. Names are never shown.

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
        common = _common(graph, entity, values)
        lines += _described(f"(:{entity.label}{_map(own)})", entity, common)
    lines.append("Relations:")
    for row in graph.schema.relations:
        edge = f"(:{row.subject})-[:{row.label}{_map(row.properties)}]->(:{row.object})"
        lines += _described(edge, row, {})
    return "\n".join(lines)


def _map(properties: Sequence[Property]) -> str:
    named = ", ".join(f"{own.name}: {own.datatype}" for own in properties)
    return f" {{{named}}}" if named else ""


def _described(
    written: str, row: EntityType | RelationType, common: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """The lines about a type: itself, and a line for each property of which there is more to say."""
    yield " ".join(filter(None, (written, row.description)))
    for own in row.properties:
        unit = own.unit and f"in {own.unit.replace(' ** ', '^')}"
        some = ", ".join(map(dump_line, common.get(own.name, ())))
        if notes := [*filter(None, (unit, own.description, some and f"e.g. {some}"))]:
            yield f"  {own.name}: {'; '.join(notes)}"


def _common(graph: PropertyGraph, entity: EntityType, most: int) -> dict[str, list[str]]:
    """Categorical property → its commonest values."""
    nodes = [graph.nodes[at] for at in graph.of_type(entity.label)]
    found: dict[str, list[str]] = {}
    for own in entity.properties:
        values = (node.properties.get(own.name, ()) for node in nodes)
        each = (item for one in values for item in (one if isinstance(one, tuple) else (one,)))
        counts = Counter(item for item in each if isinstance(item, str))
        if own.datatype in ("str", "list[str]") and len(counts) < _FEW * len(nodes):
            short = (value for value in counts if len(value) <= _LONGEST)
            found[own.name] = sorted(short, key=lambda v: (-counts[v], v))[:most]
    return found
