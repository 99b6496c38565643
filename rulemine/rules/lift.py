"""How much better rules are than guessing by how common answers are.

The prior of an answer (see `rulemine.kg.priors`) is the fraction of the topic entities of its relation that
have it: how often naming it without looking at the topic is right. The lift of a rule in a direction is

    lift = right predictions / sum of the priors, in this direction, of the answers of all its predictions

which is its standard confidence over the mean prior of what it predicts: it would be 1 if the topic did not
matter. A rule that mostly names common answers may be right often and still have a low lift.

Guarantees: a function of graph, declarations, rule and seed; exact where a rule has at most about `WAYS`
bodies, else an estimate from the predictions about a uniform sample of entities. A prediction counts once, as
in the standard confidence, however many bodies it has, and if one of them holds it.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations, oriented
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.kg.priors import priors
from rulemine.rules.blocks import MapLike, Progress, by_blocks
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.rare_confidence import predicted
from rulemine.rules.rule import Rule
from rulemine.seeds import Stream, stream

__all__ = ["lifts"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

WAYS = 1 << 22
"""About how many bodies of a rule are followed."""

ENTITIES_AT_ONCE = 256
"""Entities about which predictions are made in one go."""


def lifts(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    max_prior: float,
    declarations: Declarations | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    run: MapLike = map,
) -> Floats:
    """The lift of each rule, where the subject is asked for and where the object is.

    Args:
        kg: The complete graph.
        rules: The rules.
        max_prior: Highest prior at which an answer is asked for.
        declarations: Which relations state the same facts.
        seed: Seed of the samples.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        float64, shape (rules, 2); infinite in a direction in which no triple that the rule predicts rightly
        is asked for.
    """
    work = _Lifts(kg, max_prior, declarations or Declarations(), seed)
    return np.concatenate([np.empty((0, 2)), *by_blocks(work, rules, run, progress)])


class _Lifts:
    """Those of blocks of rules; can be pickled before it is called, and keeps what all rules need."""

    def __init__(
        self, kg: KnowledgeGraph, max_prior: float, declared: Declarations, seed: int
    ) -> None:
        self._kg, self._max_prior, self._declared, self._seed = kg, max_prior, declared, seed

    @cached_property
    def _index(self) -> Index:
        return Index(self._kg)

    @cached_property
    def _table(self) -> "_PriorTable":
        return _PriorTable(self._kg, self._declared)

    def __call__(self, rules: Sequence[Rule]) -> Floats:
        found = np.full((len(rules), 2), np.inf)
        for number, rule in enumerate(rules):
            bound = bind_rule(self._index, rule)
            if bound is None:
                continue
            subjects, objects = _predictions(bound, stream(self._seed, "lift", rule.id))
            ids = np.empty((len(subjects), 3), np.int32)
            ids[:, 0], ids[:, 1], ids[:, 2] = subjects, bound.head.relation, objects
            right = self._kg.rows_of(ids) >= 0
            for side, ends in enumerate((subjects, objects)):
                own = self._table.of(bound.head.relation, side, ends)
                if (own[right] <= self._max_prior).any():
                    found[number, side] = right.sum() / own.sum()
        return found


class _PriorTable:
    """The prior of any entity as answer to questions about any relation; 0 where it never is one."""

    def __init__(self, kg: KnowledgeGraph, declared: Declarations) -> None:
        readings = [declared[relation] for relation in kg.relations]
        number = np.empty(len(kg.relations), np.int64)
        number[kg.triples[:, 1]] = oriented(kg, declared)[0]
        turned = np.array([reading.reversed for reading in readings], bool)
        both = np.array([reading.symmetric for reading in readings], bool)
        # The question that asks for each end of a relation, the same for all that state the same facts.
        self._asked = number[:, None] * 2 + (np.column_stack((turned, ~turned)) | both[:, None])
        self._entities = max(1, len(kg.entities))
        keys = self._asked[kg.triples[:, 1]] * self._entities + kg.triples[:, [0, 2]]
        self._keys, first = np.unique(keys.reshape(-1), return_index=True)
        self._values: Floats = priors(kg, declared).reshape(-1)[first]

    def of(self, relation: int, side: int, entities: Ints) -> Floats:
        """The priors of entities as answers, where the subject (side 0) or the object (1) is asked for."""
        keys = self._asked[relation, side] * self._entities + entities
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._values[at], 0.0)


def _predictions(bound: BoundRule, draws: Stream) -> tuple[Ints, Ints]:
    """The predictions of a rule, about all entities or a sample: subjects and objects, each pair once.

    The entities stand for the head's subject; for its object where the subject is fixed by the rule.
    """
    index, head = bound.index, bound.head
    start = head.subject if head.subject >= 0 else head.object
    atom = next(a for a in bound.body if start in (a.subject, a.object))
    ends = index.kg.triples[index.of_relation(atom.relation)].astype(np.int64)
    about = distinct(ends[:, 0 if atom.subject == start else 2])
    about = about[draws.permutation(len(about))]
    return predicted(index, bound, about, start, WAYS, ENTITIES_AT_ONCE)
