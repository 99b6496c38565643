"""How much better rules are than guessing by how common answers are.

The prior of an answer (see `rulemine.kg.priors`) is the fraction of the topic entities of its relation that
have it: how often a guess of this answer is right. The lift of a rule in a direction is

    lift = standard confidence / mean prior, in this direction, of the triples that it predicts rightly

A rule that mostly predicts common answers may be right often and still have a low lift.

Guarantees: exact, a function of graph, priors and rule; every triple that a rule predicts rightly counts
once, as in its support, however many bodies there are, and if the body holds the triple itself.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.join import join
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.path_bodies import Chains
from rulemine.rules.rule import Rule

__all__ = ["lifts"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def lifts(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    prior: Floats,
    max_prior: float,
    progress: Callable[[int, int], None] | None = None,
) -> Floats:
    """The lift of each rule, where the subject is asked for and where the object is.

    Args:
        kg: The complete graph.
        rules: The rules; with measures, counted on this graph.
        prior: float64, shape (triples, 2), see `rulemine.kg.priors.priors`.
        max_prior: Highest prior at which an answer is asked for.
        progress: Called with (rules done, all rules).

    Returns:
        float64, shape (rules, 2); infinite in a direction in which no triple that the rule predicts rightly
        is asked for.
    """
    index = Index(kg)
    chains = Chains(index)
    found = np.full((len(rules), 2), np.inf)
    for number, rule in enumerate(rules):
        bound = bind_rule(index, rule)
        if bound is not None:
            rows = bound.heads()
            own = prior[rows[_predicted(bound, chains, kg.triples[rows], rule.known.support)]]
            asked = (own <= max_prior).any(axis=0)
            if asked.any():
                found[number, asked] = rule.known.std_confidence / own.mean(axis=0)[asked]
        if progress:
            progress(number + 1, len(rules))
    return found


def _predicted(
    bound: BoundRule, chains: Chains, heads: npt.NDArray[np.int32], support: int
) -> Bools:
    """For which heads the body holds, shape (heads,); for so many of them."""
    chain = chains.of(bound)
    counts = bound.count(heads) if chain is None else chain.over(heads).counts
    predicted: Bools = counts > 0
    left = np.flatnonzero(~predicted)
    for number, atom in enumerate(bound.body):
        # What is left may still be predicted by a body that holds it: by this atom, and the others fit.
        if atom.relation != bound.head.relation or len(heads) - len(left) >= support:
            continue
        ends = heads[left].astype(np.int64)
        bindings = np.zeros((len(left), bound.columns), np.int64)
        given: set[int] = set()
        fits = np.ones(len(left), bool)
        for of in (bound.head, atom):
            for term, values in ((of.subject, ends[:, 0]), (of.object, ends[:, 2])):
                known = bindings[:, term] if term in given else -1 - term if term < 0 else values
                fits &= values == known
                if term >= 0:
                    bindings[:, term] = values
                    given.add(term)
        rows, bindings = left[fits], bindings[fits]
        others = [other for at, other in enumerate(bound.body) if at != number]
        if not others:
            predicted[rows] = True
        for some in join(bound.index, others, bindings, frozenset(given)) if others else ():
            predicted[rows[some.origin]] = True
        left = np.flatnonzero(~predicted)
    return predicted
