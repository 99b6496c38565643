"""Filtered link prediction of the embeddings on FB15k-237's own split, as papers report it.

    python benchmarks/embeddings.py [--rank 200] [--epochs 16] [--n3 0.2]

Learns from train.tsv in one thread. Every triple of test.tsv is asked for both ends; the rank of the true
one is among all entities that no triple of the three files makes true, with ties in the middle. Prints mean
reciprocal rank, Hits@1 and Hits@10 on a tenth of valid.tsv after each epoch, and on test.tsv in the end, with
the CPU time of learning so far.
"""

import argparse
import time

import numpy as np

from rulemine.datasets.registry import find_files
from rulemine.evaluation.answerers.model_free.embeddings import (
    Embeddings,
    Vectors,
    begin,
    learn,
    links_of,
)
from rulemine.evaluation.answerers.model_free.learned import one_blas_thread
from rulemine.kg import KnowledgeGraph

AT_ONCE = 500
"""Questions that are scored together."""


def link_prediction(vectors: Vectors, asked: np.ndarray, known: np.ndarray) -> tuple[float, ...]:
    """Mean reciprocal rank, Hits@1 and Hits@10 of triples, filtered by all that are known."""
    m = len(vectors.relations) // 2
    asked, known = (
        np.concatenate((t, np.column_stack((t[:, 2], t[:, 1] + m, t[:, 0]))))
        for t in (asked, known)
    )
    known = known[np.lexsort((known[:, 1], known[:, 0]))]
    keys, key = (t[:, 0].astype(np.int64) * 2 * m + t[:, 1] for t in (known, asked))
    first, last = np.searchsorted(keys, key), np.searchsorted(keys, key, side="right")
    ranks = []
    for start in range(0, len(asked), AT_ONCE):
        s, r, o = asked[start : start + AT_ONCE].T
        scores = vectors.directions(s, r) @ vectors.entities.T
        true = scores[np.arange(len(s)), o, None].copy()
        for row in range(len(s)):
            scores[row, known[first[start + row] : last[start + row], 2]] = -np.inf
        ranks.append(1 + (scores > true).sum(axis=1) + (scores == true).sum(axis=1) / 2)
    rank = np.concatenate(ranks)
    return float((1 / rank).mean()), float((rank <= 1).mean()), float((rank <= 10).mean())


def main() -> None:
    """Learns and asks."""
    usual = Embeddings()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, value in (
        ("rank", usual.rank),
        ("epochs", usual.epochs),
        ("batch", usual.batch),
        ("learning-rate", usual.learning_rate),
        ("n3", usual.n3),
        ("seed", 0),
    ):
        parser.add_argument(f"--{name}", type=type(value), default=value)
    args = parser.parse_args()
    paths = [path for path in find_files("fb15k237-all") if path]
    if len(paths) < 3:
        parser.error("FB15k-237 is not here; run rulemine data get fb15k237-all.")
    everything = KnowledgeGraph.read(*paths)
    parts = [KnowledgeGraph.read(path) for path in paths]
    entities, relations = everything.entity_ids, everything.relation_ids
    train, valid, test = (
        np.array([(entities[s], relations[r], entities[o]) for s, r, o in part.labeled()], np.int32)
        for part in parts
    )
    print(f"{len(entities):,} entities, {len(relations)} relations; {vars(args)}", flush=True)
    links = links_of(train, len(relations))
    spent = -time.process_time()
    vectors = begin(len(entities), len(relations), args.rank, args.seed)
    losses = learn(
        vectors,
        links,
        epochs=args.epochs,
        batch=args.batch,
        learning_rate=args.learning_rate,
        n3=args.n3,
        seed=args.seed,
    )
    with one_blas_thread():
        for done, loss in enumerate(losses, start=1):
            spent += time.process_time()
            figures = link_prediction(vectors, valid[::10], everything.triples)
            print(
                f"epoch {done}: loss {loss:.3f}, valid {_shown(figures)}, {spent:.0f} CPU s",
                flush=True,
            )
            spent -= time.process_time()
        spent += time.process_time()
        print(
            f"test {_shown(link_prediction(vectors, test, everything.triples))}, {spent:.0f} CPU s"
        )


def _shown(figures: tuple[float, ...]) -> str:
    return "MRR {:.3f}, Hits@1 {:.3f}, Hits@10 {:.3f}".format(*figures)


if __name__ == "__main__":
    main()
