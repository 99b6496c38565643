"""``g-retriever``: a small connected part of the graph that holds what is near to the question, and a model.

After G-Retriever (He et al., NeurIPS 2024): the nearest entities and triples get prizes, an edge has a price,
and the connected subgraph with the most left over is shown. As there, the three nearest entities get 3, 2
and 1, the five nearest triples 5 to 1, and an edge costs 0.5. Otherwise than there, nearness is that of words
(BM25), the graph is the whole one, the tree is grown greedily in place of Goemans and Williamson's
approximation, and no graph network is trained.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.evaluation.answerers.bm25 import TextIndex
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.retrieval import Touching, answer_from, in_private_order

__all__ = ["ConnectedSubgraph", "Prize", "grow"]


@dataclass(frozen=True, slots=True)
class ConnectedSubgraph(Section):
    """A model that is shown a connected part of the graph that holds what is near to the question.

    Attributes:
        entities: How many entities get a prize: the nearest this number, the next one less, …
        triples: How many triples do.
        price: Of an edge.
        max_tokens: Tokens of an answer at most.
    """

    entities: int = option(3, least=0, most=1000)
    triples: int = option(5, least=0, most=1000)
    price: float = option(0.5, above=0)
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and what was grown for it."""
        kg = given.kg
        rows = in_private_order(kg, given.order)
        touching = Touching(kg, rows)
        labeled = kg.labeled(rows)
        names = sorted(range(len(kg.entities)), key=lambda e: given.order.get(kg.entities[e], e))
        of_names = TextIndex([kg.entities[e] for e in names])
        of_triples = TextIndex([" ".join(triple) for triple in labeled])
        shown = {}
        for done, q in enumerate(questions):
            if given.progress:
                given.progress(done, len(questions))
            near = of_triples.nearest(q.question, self.triples)
            prizes = [
                Prize(self.triples - i - self.price, tuple(touching.ends[at].tolist()), at)
                for i, at in enumerate(near)
            ] + [
                Prize(float(self.entities - i), (names[at],))
                for i, at in enumerate(of_names.nearest(q.question, self.entities))
            ]
            shown[q.id] = [labeled[at] for at in grow(touching, prizes, self.price)]
        return answer_from(given, questions, shown, self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


class Prize(NamedTuple):
    """What is worth reaching.

    Attributes:
        worth: The prize; of a triple, less its own price.
        entities: Where it is: an entity, or both ends of a triple.
        triple: The position of the triple; −1 for an entity.
    """

    worth: float
    entities: tuple[int, ...]
    triple: int = -1


def grow(touching: Touching, prizes: Iterable[Prize], price: float) -> list[int]:
    """Grows a subgraph from the highest prize, again and again to the prize that leaves most over.

    Args:
        touching: The graph.
        prizes: What there is to reach; of equal ones the first counts as the higher.
        price: Of each edge on the way.

    Returns:
        The positions of its triples, in the order in which they were added.
    """
    left = sorted((p for p in prizes if p.worth > 0), key=lambda prize: -prize.worth)
    kept: dict[int, None] = {}
    tree: set[int] = set()
    while left:
        way = _ways(touching, tree, left, price) if tree else dict.fromkeys(left[0].entities, ())
        gains = [
            (prize.worth - price * len(path), path, prize)
            for prize in left
            if (path := min((way[e] for e in prize.entities if e in way), key=len, default=None))
            is not None
        ]
        gain, path, prize = max(gains, key=lambda found: found[0], default=(0.0, (), left[0]))
        if gain <= 0:
            break
        left.remove(prize)
        kept |= dict.fromkeys((*path, prize.triple) if prize.triple >= 0 else path)
        tree.update(prize.entities, touching.ends[list(path)].ravel().tolist())
    return list(kept)


def _ways(
    touching: Touching, tree: set[int], left: Sequence[Prize], price: float
) -> dict[int, tuple[int, ...]]:
    """Entity → the triples of a shortest way to it from the tree, for all that are not too far to pay."""
    way: dict[int, tuple[int, ...]] = dict.fromkeys(tree, ())
    wanted = {e for prize in left for e in prize.entities}
    frontier = sorted(tree)
    for _ in range(int(left[0].worth / price)):
        if not frontier or wanted <= way.keys():
            break
        positions = touching.at(frontier)
        edge, reached = set(frontier), []
        for at, (s, o) in zip(positions.tolist(), touching.ends[positions].tolist(), strict=True):
            for here, there in ((s, o), (o, s)):
                if here in edge and there not in way:
                    way[there] = (*way[here], at)
                    reached.append(there)
        frontier = reached
    return way
