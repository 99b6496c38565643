"""Questions of a release for lm-evaluation-harness, and scores of an output; see rulemine.yaml."""

import functools
from typing import Any

from rulemine import Release
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher
from rulemine.evaluation.metrics import score
from rulemine.evaluation.targets import golds_of, topics_of


def dataset(release: str, **_: object) -> dict[str, Any]:
    """The questions of each split of a release, a folder."""
    from datasets import Dataset  # the other framework has it not

    splits: dict[str, list[dict[str, Any]]] = {}
    for q, *_ in opened(release)[1].values():
        row = {"id": q.id, "question": q.question, "answers": list(q.answers), "release": release}
        splits.setdefault(q.split, []).append(row)
    return {split: Dataset.from_list(rows) for split, rows in splits.items()}


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """The scores of an output, as ``rulemine evaluate`` has them; those that it lacks are left out."""
    matcher, asked, _ = opened(doc["release"])
    _, gold, topics = asked[doc["id"]]
    found = score(matcher.text(results[0], topics), *gold)
    named = {name: getattr(found, name) for name in ("hits_any", "f1", "hits_hard", "hard_f1")}
    return {name: value for name, value in named.items() if value >= 0}  # not NaN


@functools.cache
def opened(path: str) -> tuple[VocabularyMatcher, dict[str, Any], list[tuple[str, str, str]]]:
    """What reads outputs; id → question, what is right, topics that are no answers; the graph."""
    release = Release.open(path)
    matcher = VocabularyMatcher({names.name_in(release.naming) for names in release.entities})
    asked = [q for q in release.questions() if q.value is None]  # answers here are entities
    topics = topics_of(release, asked, release.naming)
    rows = zip(asked, golds_of(asked, matcher.name), topics, strict=True)
    return matcher, {row[0].id: row for row in rows}, release.kg("incomplete").labeled()
