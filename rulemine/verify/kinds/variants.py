"""Variants of questions over one seed text: its entities, judges, and how many questions it has.

Checks, beside what all written questions promise, whether the answer is the only one, that two seeds or more
are in the subgraph, with all other seeds that the triples around seeds connect to them, and that all judges
accepted the question; that no seed text has more questions than wanted; and that ``seed_texts.jsonl`` has
each id once, with known entities, the seed text of every question with the same entities, and the split of
its questions.
"""

from functools import lru_cache

from rulemine.verify.contents import Contents
from rulemine.verify.kinds import KindChecks
from rulemine.verify.kinds.subgraphs import check_written
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.question_set import check_limit, check_splits

SEED_TEXTS = "seed_texts.jsonl"

_ACCEPTED = {
    "logical_structure_flag": True, "redundancy_flag": False, "answer_support_flag": True,
    "answer_adequacy_flag": True,
}  # fmt: skip
"""What a judge says of a question that is accepted."""


def _check_question(here: Asked) -> None:
    ends, block = check_written(here, tree=True), here.block
    here.equal("unique", block["unique"], len(here.whole) == 1)
    seeds, inside = block["seeds"], ends.intersection(block["seeds"])
    here.expect(
        seeds == sorted({*seeds}) and len(inside) > 1, "seeds", seeds,
        "sorted, at least two of them in the subgraph",
    )  # fmt: skip
    around = {seed: _around(here.contents)[seed] for seed in seeds}
    reached = {name for seed in inside for name in around[seed]}
    while further := [
        own for own in around.values() if not reached.isdisjoint(own) and own - reached
    ]:
        reached = reached.union(*further)
    here.equal("seeds connected", sorted(inside), [seed for seed in seeds if seed in reached])
    here.at_most("size of the subgraph", len(block["subgraph"]), "max_triples")
    judges, models = here.option("judges") or [], [one["model"] for one in block["judgements"]]
    # A judge that is alone is asked three times.
    here.equal("judges", models, judges * 3 if len(judges) == 1 else judges)
    for one in block["judgements"]:
        here.equal("unanimous", {flag: one[flag] for flag in _ACCEPTED}, _ACCEPTED)


@lru_cache(maxsize=1)
def _around(contents: Contents) -> dict[str, set[str]]:
    """Each seed with its neighbors; of too many the first by relation, direction and name."""
    near: dict[str, list[tuple[str, bool, str, str]]] = {
        seed: [] for at in contents.questions for seed in at.row["block"]["seeds"]
    }
    for s, relation, o in contents.complete:
        for one, turned, other in ((s, False, o), (o, True, s)):
            if one in near and s != o and relation not in contents.dropped:
                near[one].append((relation, turned, contents.names(other)["entity"], other))
    most = contents.option("variants", "max_neighbors")
    return {one: {one, *(own[3] for own in sorted(every)[:most])} for one, every in near.items()}


def _check_whole(contents: Contents) -> None:
    check_splits(contents)
    texts = [at.row["block"]["seed_text"] for at in contents.questions]
    most, pairs = (contents.option("variants", key) for key in ("questions", "pairs"))
    check_limit(contents, ("in all" for _ in texts), most, "variants.questions")
    check_limit(contents, (f"for {text}" for text in texts), pairs, "variants.pairs")
    if contents.has(SEED_TEXTS):
        check_seed_texts(contents)


def check_seed_texts(contents: Contents) -> None:
    """Checks the seed texts against the questions."""
    records = [*contents.records(SEED_TEXTS)]
    rows = {at.row["id"]: at.row for at in records}
    splits: dict[str, set[str]] = {text: set() for text in rows}
    for at in contents.questions:
        text = at.row["block"]["seed_text"]
        splits.setdefault(text, set()).add(at.row["split"])
        seeds = rows[text]["entities"] if text in rows else f"an id of {SEED_TEXTS}"
        contents.equal(at, "seed texts", at.row["block"]["seeds"], seeds)
    for at in records:
        row, known = at.row, sorted({*at.row["entities"]} & contents.entities.keys())
        split = (
            ["test"] if contents.option("variants", "run") else sorted(splits[row["id"]]) or [""]
        )
        contents.equal(
            at, "seed texts", [rows[row["id"]] is row, row["entities"], [row["split"]]],
            [True, known, split],
        )  # fmt: skip


CHECKS = KindChecks(question=_check_question, whole=_check_whole)
