"""``paths``: the model plans relation paths, the graph executes them, the model answers from what they reach.

After Reasoning on Graphs (Luo et al., ICLR 2024), whose planner is a fine-tuned model; here any model plans,
and is shown the relations of the graph for it. As there, a step follows its relation whatever the direction;
unlike there, parallel edges are all kept, and no path takes one edge twice.

Guarantees: two calls a question; a plan that cannot be read, or leads nowhere, leaves the final step without
context; paths are in the order of the plans, those of a plan in the order of private ids.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import cut_note, final_answer
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.surroundings import Surroundings
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.graph import Triple
from rulemine.text.visible_reply import visible_reply

__all__ = ["Paths", "Walk", "paths_along", "read_plans"]

_PLAN = """Relations of a knowledge graph{cut}:
{relations}

Topic entities: {topics}
Question: {question}

Which relations lead from a topic entity to the answer? Write at most {plans} relation paths, one a line, \
the most helpful first. A path is one to {length} relations of the list with -> between them, for example: \
{example}
A step may follow its relation from subject to object or back; write the name of the relation for either.
Write nothing else."""

_WALKS = "a walk a line: subject -[relation]-> object, or object <-[relation]- subject, and so on"


@dataclass(frozen=True, slots=True)
class Paths(Section):
    """A model that plans relation paths and is shown where they lead.

    Attributes:
        plans: Relation paths at most; further ones are ignored.
        length: Relations of a path at most; longer ones are ignored.
        max_relations: Relations that the planner is shown at most: if there are more, those nearest to the
            question by their words (BM25).
        max_paths: Paths that the final step is shown at most.
        max_characters: Characters of these at most: what the model's context has room for.
        plan_tokens: Tokens of the plan at most.
        max_tokens: Tokens of an answer at most.
    """

    plans: int = option(3, least=1, most=100)
    length: int = option(3, least=1, most=9)
    max_relations: int = option(300, least=1)
    max_paths: int = option(100, least=1)
    max_characters: int = option(12_000, least=1)
    plan_tokens: int = option(128, least=1)
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(2, 1.6, 27)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the paths that it planned."""
        graph = Surroundings(given.kg)
        relations = given.kg.relations
        example = " -> ".join(relations[:2])
        cut: list[str] = []

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            near = sorted(nearest(relations, question.question, self.max_relations))
            prompt = _PLAN.format(
                relations="\n".join(relations[at] for at in near),
                cut=cut_note(len(near), len(relations)),
                topics=", ".join(question.anchors),
                question=question.question,
                plans=self.plans,
                length=self.length,
                example=example,
            )
            reply = await chat.say(
                prompt,
                purpose="plan",
                limit="plan_tokens",
                max_tokens=self.plan_tokens,
                temperature=0.0,
            )
            text = visible_reply(reply.text) if reply else ""
            plans = read_plans(text, set(relations), self.length)[: self.plans]
            found = (
                path
                for plan in plans
                for topic in question.anchors
                for path in paths_along(graph, topic, plan, given.order)
            )
            paths = list(islice(found, self.max_paths + 1))
            shown: list[Walk] = []
            room = self.max_characters
            for path in paths[: self.max_paths]:
                room -= len(path.line) + 1
                if room < 0:
                    break
                shown.append(path)
            if len(shown) < len(paths):
                cut.append(question.id)
            text = await final_answer(
                chat,
                question.question,
                [path.line for path in shown],
                written=_WALKS,
                tokens=self.max_tokens,
            )
            retrieved = dict.fromkeys(triple for path in shown for triple in path.triples)
            return Answered(text=text, retrieved=list(retrieved))

        answers = given.converse(work, questions)
        if cut:
            given.note(
                f"paths: for {len(cut)} of {len(questions)} questions there are more paths than fit "
                f"(max_paths={self.max_paths}, max_characters={self.max_characters}); the first are shown."
            )
        return answers

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2


class Walk(NamedTuple):
    """A walk through the graph.

    Attributes:
        line: As a model is shown it: ``ann -[mother]-> eve <-[son]- joe``.
        triples: The triples it takes, in that order.
    """

    line: str
    triples: tuple[Triple, ...]


def read_plans(text: str, relations: set[str], length: int) -> list[tuple[str, ...]]:
    r"""The relation paths in a reply: of each line its relations, whatever stands between and around them.

    A line with a relation that the graph does not have, with none at all, or with more than `length` is no
    path.

    >>> read_plans("1. a.b -> c.d\nPaths:\n- a.b -> x.y\na.b\na.b", {"a.b", "c.d"}, 3)
    [('a.b', 'c.d'), ('a.b',)]
    """
    plans: dict[tuple[str, ...], None] = {}
    spelling = Spelling(relations)
    for line in text.splitlines():
        steps = [step.strip(" \t\"'`*<>()[]{},;") for step in re.split(r"->|→", line)]
        steps[0] = re.sub(r"^(?:[-*•]|\(?\d+[.):])\s+", "", steps[0]).strip(" \"'`*<>()[]")
        steps = [spelling.of(step) for step in steps]
        if 0 < len(steps) <= length and relations.issuperset(steps):
            plans[tuple(steps)] = None
    return list(plans)


def paths_along(
    graph: Surroundings, topic: str, plan: Sequence[str], order: Mapping[str, int]
) -> Iterator[Walk]:
    """The walks from an entity that follow the relations of a plan, in either direction.

    Args:
        graph: The graph.
        topic: Where they start; if the graph does not know it, there are none.
        plan: The relations.
        order: Entity → its place by private id.
    """

    def place(step: tuple[str, Triple, str]) -> tuple[int, str]:
        return order.get(step[0], len(order)), step[0]

    @cache
    def steps(entity: str, relation: str) -> list[tuple[str, Triple, str]]:
        out = [
            (end, (entity, relation, end), f" -[{relation}]-> {end}")
            for end in graph.neighbors(entity, relation, "out")
        ]
        back = [
            (end, (end, relation, entity), f" <-[{relation}]- {end}")
            for end in graph.neighbors(entity, relation, "in")
        ]
        return sorted(out, key=place) + sorted(back, key=place)

    # Entities from which the rest of the plan can be walked, so that no walk is begun in vain.
    reached = [{topic}]
    for relation in plan:
        reached.append({end for entity in reached[-1] for end, *_ in steps(entity, relation)})
    alive = [reached[-1]]
    for relation, before in zip(plan[::-1], reached[-2::-1], strict=True):
        back = {end for entity in alive[0] for end, *_ in steps(entity, relation)}
        alive.insert(0, back & before)

    def walk(path: Walk, at: str, depth: int) -> Iterator[Walk]:
        if depth == len(plan):
            yield path
            return
        for end, triple, words in steps(at, plan[depth]):
            if end in alive[depth + 1] and triple not in path.triples:
                yield from walk(Walk(path.line + words, (*path.triples, triple)), end, depth + 1)

    return walk(Walk(topic, ()), topic, 0)
