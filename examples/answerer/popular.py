"""An answerer of another package: of what is near the topic entities, the entity with the most edges."""

import numpy as np


class Popular:
    """Named in ``pyproject.toml``, so that ``rulemine answer --with popular:most=3`` finds it.

    Its keyword parameters are its options.
    """

    def __init__(self, most: int = 1):
        self.most = most

    def __call__(self, given, questions):
        """A list of entity ids for each question."""
        kg = given.kg
        ends = kg.triples[:, [0, 2]]
        edges = np.bincount(ends.ravel())
        found = []
        for question in questions:
            topics = [kg.entity_ids[name] for name in question.anchors if name in kg.entity_ids]
            near = np.setdiff1d(ends[np.isin(ends, topics).any(axis=1)], topics)
            found.append(near[np.argsort(-edges[near], kind="stable")][: self.most].tolist())
        return found
