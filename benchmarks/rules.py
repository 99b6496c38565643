"""What mined rules are worth on the questions of a release, and what applying them costs.

    python benchmarks/rules.py DIR

Mines on the incomplete graph with AMIE's default thresholds, and with those of the answerer `rules`. Prints
how often the hard answer is first when other correct answers are left out (Hits@1, over all splits), for both
aggregations; and the CPU time of applying the rules to the questions about both ends of all removed triples,
without mining and aggregation: the least of five runs.
"""

import argparse
import time

import numpy as np

from rulemine.evaluation.answerers.model_free.links import (
    AGGREGATIONS,
    LikelyLinks,
    MinedRules,
    ends_of,
)
from rulemine.evaluation.metrics import hard_rank
from rulemine.kg.index import Index
from rulemine.mining import MiningOptions, mine
from rulemine.release.reader import Release
from rulemine.rules.walk import OpenEnds, Walks

OWN = MinedRules()


def hits(release: Release, rules: list, aggregation: str, unseen: float) -> float:
    """Hits@1 of the hard answer."""
    kg = release.kg("incomplete")
    questions = [q for q in release.questions() if q.hard_answer is not None]
    model = LikelyLinks(kg, rules, aggregation, unseen).ends
    first = 0
    for number, ids, truth in ends_of([q.query for q in questions], kg, model):
        q = questions[number]
        ranking = zip((kg.entities[i] for i in ids.tolist()), truth.tolist(), strict=True)
        rank = hard_rank(ranking, set(q.answers), q.hard_answer)
        first += rank is not None and rank <= 1
    return 100 * first / len(questions)


def seconds(release: Release, rules: list) -> tuple[int, float]:
    """The number of questions, and the CPU time of applying rules to them."""
    kg = release.kg("incomplete")
    topics: dict[tuple[str, str], set[int]] = {}
    for s, r, o in (removal.triple for removal in release.removals()):
        topics.setdefault((r, "object"), set()).add(kg.entity_ids[s])
        topics.setdefault((r, "subject"), set()).add(kg.entity_ids[o])
    asked = [OpenEnds(*key, np.array(sorted(some))) for key, some in sorted(topics.items())]
    times = []
    for _ in range(5):
        start = time.process_time()
        walks = Walks(Index(kg), rules)
        for some in asked:
            for _ in walks.derive(some):
                pass
        times.append(time.process_time() - start)
    return sum(map(len, topics.values())), min(times)


def main() -> None:
    """Mines, asks and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("release", help="folder of a release of the kind rules")
    release = Release.open(parser.parse_args().release)
    kg = release.kg("incomplete")
    for name, options, unseen in (
        ("AMIE's thresholds", MiningOptions(), 0),
        ("own thresholds", OWN.mining, OWN.unseen),
    ):
        rules = list(mine(kg, options))
        asked, took = seconds(release, rules)
        print(f"{name}: {len(rules):,} rules; {asked:,} questions in {took:.2f} s of CPU")
        for aggregation in AGGREGATIONS:
            print(f"  {aggregation}: Hits@1 {hits(release, rules, aggregation, unseen):.1f}")


if __name__ == "__main__":
    main()
