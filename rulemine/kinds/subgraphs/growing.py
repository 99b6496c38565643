"""Grows subgraphs of accepted questions by a triple, to reach longer and rarer shapes.

As the public code of SynthKGQA does: an accepted answer subgraph gets one triple more, at a topic entity (the
node beyond it becomes a topic) or at the answer (the node beyond becomes the answer), and context is drawn
around it again up to full size.
"""

from collections.abc import Collection, Sequence

from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.kinds.written.candidate import Subgraph
from rulemine.seeds import Stream

__all__ = ["Grower"]


class Grower:
    """Grows subgraphs.

    Args:
        sampler: Draws what comes new, with its sizes, chances and relations.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._triples = sampler.kg.triples

    def grow(
        self,
        rows: Sequence[int],
        answer: int,
        seeds: Collection[int],
        random: Stream,
        parent: str = "",
    ) -> Subgraph | None:
        """A subgraph around an answer subgraph and one triple more.

        The end that it grows at is drawn uniformly from the topic entities and the answer; the node beyond as
        the algorithm draws one; of several triples that lead there, one uniformly.

        Args:
            rows: The triples that the accepted question uses, rows of the complete graph: a tree.
            answer: Its answer, one of their ends.
            seeds: Its topic entities, likewise.
            random: The stream.
            parent: Key of the accepted candidate.

        Returns:
            The subgraph: first `rows`, then the new triple, then all other triples between their nodes, then
            the context. None if no end has a neighbor outside.
        """
        draw = self._sampler
        ends = (end for row in rows for end in self._triples[row, [0, 2]].tolist())
        nodes = list(dict.fromkeys(ends))
        sides = sorted({answer, *seeds})
        while sides:
            side = sides.pop(random.below(len(sides)))
            found = draw.beyond(side, nodes, random)
            if found is None:
                continue
            beside = draw.between(found, [side])
            first = [*rows, beside[random.below(len(beside))]]
            nodes.append(found)
            pairs = (draw.between(node, nodes[:at]) for at, node in enumerate(nodes))
            every = dict.fromkeys([*first, *(row for pair in pairs for row in pair)])
            return draw.fill(nodes, list(every), random, parent)
        return None
