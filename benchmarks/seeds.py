"""How long it takes to find the entities of texts and what connects them.

    python -m benchmarks.seeds fb15k237 fb15k237-labels

Prints seconds of CPU: for a megabyte of names among common words, and for 1,000 seed sets of 2 to 8 entities,
drawn alike and in proportion to their degree, which makes hubs common.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from rulemine.datasets import load_kg, load_labels
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.seed_texts import Linker
from rulemine.kinds.written.replies import Subgraph

SETS, CHARACTERS = 1000, 1_000_000
WORDS = "the a film was of in he she with and from made river won great old music house plays"


def timed(name: str, run: Callable[[], str]) -> None:
    """Prints what a function took and what it says."""
    start = time.process_time()
    said = run()
    print(f"{name}: {time.process_time() - start:.2f} s of CPU; {said}")


def main(kg_name: str, labels_name: str = "") -> None:
    """Measures one graph."""
    kg = load_kg(kg_name)
    labels = load_labels(labels_name) if labels_name else {}
    components = Components(kg, ())
    degrees = np.array([len(components.neighbors(e)) for e in range(len(kg.entities))])
    draws = np.random.default_rng(1)
    words = WORDS.split()
    names = [labels.get(entity, entity) for entity in kg.entities]
    parts = [names[i] if i < len(names) else words[i % len(words)]
             for i in draws.integers(0, 6 * len(names), CHARACTERS // 4).tolist()]  # fmt: skip
    text = " ".join(parts)[:CHARACTERS]
    linker = Linker(kg, labels, components.neighbors)
    timed("entities of 1 MB", lambda: f"{len(linker.entities(text)):,} entities")
    for name, weights in (("any", None), ("hubs", degrees / degrees.sum())):
        sets = [
            draws.choice(len(degrees), draws.integers(2, 9), p=weights).tolist()
            for _ in range(SETS)
        ]

        def connect(sets: list[list[int]] = sets) -> str:
            found = sum(isinstance(components.component(one), Subgraph) for one in sets)
            return f"{found:,} connected"

        timed(f"{SETS:,} seed sets, {name}", connect)


if __name__ == "__main__":
    main(*sys.argv[1:])
