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
from itertools import accumulate, chain, islice
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import cut_note, final_answer
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.surroundings import WAYS, Surroundings
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.graph import Triple
from rulemine.text.visible_reply import visible_reply

__all__ = ["Paths", "read_plans", "walks_along"]

_PLAN = """Relations of a knowledge graph{cut}:
{relations}

Topic entities: {topics}
Question: {question}

Which relations lead from a topic entity to the answer? Write at most {plans} relation paths, one a line, \
the most helpful first. A path is one to {length} relations of the list with -> between them, for example: \
{example}
A step may follow its relation from subject to object or back; write the name of the relation for either.
Write nothing else."""


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
        graph, relations, cut = Surroundings(given.kg), given.kg.relations, dict[str, bool]()

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            reply = await chat.say(
                _PLAN.format(
                    relations="\n".join(
                        relations[at]
                        for at in sorted(nearest(relations, question.question, self.max_relations))
                    ),
                    cut=cut_note(min(self.max_relations, len(relations)), len(relations)),
                    topics=", ".join(question.anchors),
                    question=question.question,
                    plans=self.plans,
                    length=self.length,
                    example=" -> ".join(relations[:2]),
                ),
                purpose="plan",
                limit="plan_tokens",
                max_tokens=self.plan_tokens,
                temperature=0.0,
            )
            text = visible_reply(reply.text) if reply else ""
            found = chain.from_iterable(
                walks_along(graph, topic, plan, given.order)
                for plan in read_plans(text, set(relations), self.length)[: self.plans]
                for topic in question.anchors
            )
            walks = list(islice(found, self.max_paths + 1))
            sizes = accumulate(len(line) + 1 for line, _ in walks[: self.max_paths])
            shown = walks[: sum(size <= self.max_characters for size in sizes)]
            cut[question.id] = len(shown) < len(walks)
            return Answered(
                text=await final_answer(
                    chat,
                    question.question,
                    [line for line, _ in shown],
                    written="a walk a line: subject -[relation]-> object, or object <-[relation]- subject, "
                    "and so on",
                    tokens=self.max_tokens,
                ),
                retrieved=[triple for _, triples in shown for triple in triples],
            )

        answers = given.converse(work, questions)
        if any(cut.values()):
            given.note(
                f"paths: for {sum(cut.values())} of {len(questions)} questions there are more paths than fit "
                f"(max_paths={self.max_paths}, max_characters={self.max_characters}); the first are shown."
            )
        return answers

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 2


def read_plans(text: str, relations: set[str], length: int) -> list[tuple[str, ...]]:
    r"""The relation paths in a reply: of each line its relations, whatever stands between and around them.

    A line with a relation that the graph does not have, with none at all, or with more than `length` is no
    path.

    >>> read_plans("1. a.b -> c.d\nPaths:\n- a.b -> x.y\na.b\na.b", {"a.b", "c.d"}, 3)
    [('a.b', 'c.d'), ('a.b',)]
    """
    spelling = Spelling(relations)
    bullet = r"(?m)^[ \t\"'`*<>()\[\]{},;]*(?:[-*•]|\d+[.):])[ \t]+"
    plans = (
        tuple(spelling.of(step.strip(" \t\"'`*<>()[]{},;")) for step in re.split(r"->|→", line))
        for line in re.sub(bullet, "", text).splitlines()
    )
    return list(dict.fromkeys(p for p in plans if len(p) <= length and relations.issuperset(p)))


def walks_along(
    graph: Surroundings, topic: str, plan: Sequence[str], order: Mapping[str, int]
) -> Iterator[tuple[str, tuple[Triple, ...]]]:
    """The walks from an entity that follow the relations of a plan, in either direction.

    Args:
        graph: The graph.
        topic: Where they start; if the graph does not know it, there are none.
        plan: The relations.
        order: Entity → its place by private id.

    Returns:
        Walks as a model is shown them, ``ann -[mother]-> eve <-[son]- joe``, each with its triples.
    """

    @cache
    def steps(at: str, depth: int) -> list[tuple[str, Triple, str]]:
        """The steps from an entity after which the rest of the plan can be walked: end, triple, words."""
        relation = plan[depth]
        found = [
            (end, (at, relation, end), f" -[{relation}]-> {end}")
            if way == "out"
            else (end, (end, relation, at), f" <-[{relation}]- {end}")
            for way in WAYS
            for end in sorted(
                graph.neighbors(at, relation, way),
                key=lambda name: (order.get(name, len(order)), name),
            )
        ]
        return [one for one in found if depth + 1 == len(plan) or steps(one[0], depth + 1)]

    def walk(
        line: str, at: str, triples: tuple[Triple, ...]
    ) -> Iterator[tuple[str, tuple[Triple, ...]]]:
        if len(triples) == len(plan):
            yield line, triples
        else:
            for end, triple, words in steps(at, len(triples)):
                if triple not in triples:
                    yield from walk(line + words, end, (*triples, triple))

    return walk(topic, topic, ())
