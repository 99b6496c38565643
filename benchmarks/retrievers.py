"""For how many questions of the core a retriever shows what proves the hard answer. Nothing is asked.

    python benchmarks/retrievers.py DIR… [--split validation] [--with ppr,bm25] [--triples 100,200,500]
    python benchmarks/retrievers.py DIR… --with dense --url http://127.0.0.1:8000/v1 [--work FOLDER]

Prints a table: of so many triples shown, in percent, how often the published certificate of the hard answer
is whole among them (`rulemine evaluate` calls it the proof), and how often a proof by any rule of the release
is. The triples are from the incomplete graph; characters are not limited. Embeddings of `dense` are kept in
--work, and not asked for again.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np

from rulemine.evaluation.answerers.registry import answer
from rulemine.evaluation.retrieval import evidence_of
from rulemine.llm.call import Failure
from rulemine.release.reader import Release
from rulemine.rules.proofs import remaining_proofs

ALL = ":max_characters=100000000"
SYSTEMS = {
    "k-hop": "k-hop:max_triples={}" + ALL,
    "k-hop:hops=2": "k-hop:hops=2:max_triples={}" + ALL,
    "bm25": "bm25:k={}",
    "ppr": "ppr:max_triples={}" + ALL,
    "dense": "dense:k={}:batch=2:model=e5",
}


class Silent:
    """In place of a session: no call is answered."""

    batch = ""

    def seconds(self, key: str) -> float:
        """Of no call."""
        return 0

    def run(self, works, progress=None) -> list:
        """The ends of conversations in which every call fails."""

        async def fails(call) -> Failure:
            return Failure("not_asked", "", lasting=False)

        async def ends() -> list:
            return [await work(fails) for work in works]

        return asyncio.run(ends())


def retrieve(release: Release, system: str, split: str, folder: Path) -> dict[str, set]:
    """Question → the triples that a system shows for it."""
    found = answer(release, system, split=split, model="none", session=Silent(), folder=folder)
    return {prediction.id: set(prediction.retrieved) for prediction in found}


class Proofs:
    """Whether triples prove what questions ask for."""

    def __init__(self, release: Release, questions: list) -> None:
        self.kg, self.questions = release.kg("incomplete"), questions
        self.rows = {triple: row for row, triple in enumerate(self.kg.labeled())}
        self.published = evidence_of(release, questions, "incomplete", release.naming)
        self.rules = {}
        for rule in release.rules():
            self.rules.setdefault(rule.head.relation, []).append(rule)

    def of(self, number: int, shown: set) -> tuple[bool, bool]:
        """Of a question: whether its published certificates are shown, and whether any proof is."""
        published = all(any(w <= shown for w in ways) for ways in self.published[number].proofs)
        return published, published or self.any(self.questions[number].evidence, shown)

    def any(self, evidence, shown: set) -> bool:
        """Whether every triple of the evidence is shown, or a rule derives it from what is."""
        kg = self.kg
        graph = kg.without(np.delete(np.arange(len(kg)), [self.rows[t] for t in shown]))
        return all(
            remaining_proofs(
                graph,
                self.rules.get(r, []),
                np.array([[kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o]]], np.int32),
            ).count[0]
            for s, r, o in set(evidence) - shown
        )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", nargs="+", metavar="DIR")
    parser.add_argument("--split", default="test")
    parser.add_argument("--with", dest="systems", default="k-hop,k-hop:hops=2,bm25,ppr")
    parser.add_argument("--triples", default="100,200,500")
    parser.add_argument("--url", help="where embeddings for dense are, up to and with /v1")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "retrievers")
    arguments = parser.parse_args()
    limits = [int(number) for number in arguments.triples.split(",")]
    columns = " | ".join(
        f"{what} {n}" for what in ("certificate in", "any proof in") for n in limits
    )
    print(f"| release | questions | system | {columns} | s a question |")
    print("|---|--:|---|" + "--:|" * (2 * len(limits) + 1), flush=True)
    for folder in arguments.release:
        release = Release.open(folder)
        proofs = Proofs(release, [q for q in release.questions(arguments.split) if q.core])
        for system in arguments.systems.split(","):
            shares = []
            for limit in limits:
                began = time.process_time()
                written = SYSTEMS[system].format(limit)
                written += f':url="{arguments.url}"' * (system == "dense")
                folder = arguments.work / release.name
                found = retrieve(release, written, arguments.split, folder)
                took = (time.process_time() - began) / len(found)
                shown = [found[question.id] for question in proofs.questions]
                shares.append(
                    np.mean([proofs.of(at, some) for at, some in enumerate(shown)], axis=0)
                )
            cells = " | ".join(f"{100 * share[at]:.1f}" for at in (0, 1) for share in shares)
            row = f"{release.name} | {len(proofs.questions)} | {system} | {cells} | {took:.3f}"
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
