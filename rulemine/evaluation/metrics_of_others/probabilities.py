"""The metrics of the graph neural network of GNN-RAG (Mavromatis & Karypis, 2024).

``gnn/evaluate.py`` at 28d31bc. The metrics need a ranking whose scores are probabilities; nothing else of
a prediction is read. Candidates, topic entities left out, are taken by probability until the sum of those
taken exceeds 0.95. Precision, recall and F1 are of the taken; hit = the first candidate is an answer; em
= some taken candidate is. The original also drops candidates below 0.05 / (size of the largest subgraph
of the data set), which a ranking does not give.

Zero cases, as there: without candidates precision is 1 and all else 0; without answers all is 1, but
precision and F1 are 0 if there is a candidate. A prediction without a ranking is left out.
"""

from collections.abc import Sequence

from rulemine.evaluation.metrics_of_others.asked import asks_for_entities
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["GNN_RAG"]

_ENOUGH = 0.95


def _scores(judged: Judged) -> Sequence[float | None]:
    if judged.ranking is None:
        return [None] * 5
    candidates = [(name, p) for name, p in judged.ranking if name not in judged.topics]
    candidates.sort(key=lambda candidate: candidate[1], reverse=True)
    if not judged.answers:
        return [1.0, 1.0, 0.0, 1.0, 0.0] if candidates else [1.0] * 5
    if not candidates:
        return [0.0, 0.0, 1.0, 0.0, 0.0]
    taken, found, total = 0, 0, 0.0
    for name, probability in candidates:
        taken += 1
        total += probability
        found += name in judged.answers
        if total > _ENOUGH:
            break
    precision, recall = found / taken, found / len(judged.answers)
    f1 = 2 / (1 / precision + 1 / recall) if found else 0.0
    return [float(candidates[0][0] in judged.answers), float(found > 0), precision, recall, f1]


GNN_RAG = ProjectMetrics(
    "GNN-RAG, its graph neural network (Mavromatis & Karypis, 2024), 28d31bc",
    {
        "gnnrag_hit": "hits_at_1",
        "gnnrag_em": "hits_any",
        "gnnrag_precision": "precision",
        "gnnrag_recall": "recall",
        "gnnrag_f1": "f1",
    },
    _scores,
    asks=asks_for_entities,
)
