"""Excluded relations, which are not asked about: by a filter file, and by statistics of the graph.

A filter file is TOML with one table, relation → reason:

    [drop]
    "/common/topic/webpage./common/webpage/category" = "about a web page, not about the topic"

Guarantees: relations are excluded before anything is removed, so no removal is spent on them; their
triples stay, may be part of proofs, and are never removed; each excluded relation has one reason, that
of the file before that of a statistic.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from rulemine.config import read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.graph import KnowledgeGraph
from rulemine.registry import packaged_or_given

__all__ = ["ONE_END", "TOO_MANY", "excluded_relations", "load_filter"]

"""Packaged filter files."""

ONE_END = "one entity is an end of most of its facts"
TOO_MANY = "its questions have too many answers"

_EXPECTED = 'A filter file has one table, [drop], with lines "relation" = "reason".'


def load_filter(source: str | Path, relations: Iterable[str]) -> dict[str, str]:
    """Reads the relations of a filter file with their reasons, sorted by relation.

    Args:
        source: A filter file, the name of a packaged data set that has one, or "" for none.
        relations: The relations of the graph; others are ignored.

    Raises:
        InputError: The file is missing or not a filter file, or names a relation that looks misspelled.
    """
    if source == "":
        return {}
    path = packaged_or_given(str(source), "filter.toml")
    is_given = path == Path(source)
    values = read_toml(path)
    listed = values.get("drop")
    if set(values) != {"drop"} or not isinstance(listed, dict):
        found = ", ".join(values) or "nothing"
        raise InputError(f"{path}: holds {found}. {_EXPECTED}")
    known = set(relations)
    problems = []
    for relation, reason in listed.items():
        if not isinstance(reason, str) or not reason.strip() or "\n" in reason:
            problems.append(
                f"the reason of {relation!r} is {reason!r}; a line of text was expected"
            )
        elif is_given and relation not in known:
            hint = did_you_mean(relation, known)
            if hint.startswith("did you mean"):
                problems.append(f"relation {relation!r} is not in the graph; {hint}")
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))
    return {relation: listed[relation] for relation in sorted(known & listed.keys())}


def excluded_relations(
    kg: KnowledgeGraph, listed: Mapping[str, str], max_end_share: float, max_median_answers: int
) -> dict[str, str]:
    """The excluded relations, with their reasons, sorted by relation.

    Args:
        kg: The complete KG.
        listed: Relation → reason, from a filter file.
        max_end_share: A relation is excluded if one entity is the object (or the subject) of more than
            this fraction of its triples; 1: off.
        max_median_answers: A relation is excluded if, in both directions, more than half of its triples
            answer a question with more answers than this; 0: off.
    """
    n = len(kg.entities)
    dropped = dict(listed)
    order = np.argsort(kg.triples[:, 1], kind="stable")
    starts = np.searchsorted(kg.triples[order, 1], np.arange(len(kg.relations) + 1))
    for number, relation in enumerate(kg.relations):
        triples = kg.triples[order[starts[number] : starts[number + 1]]]
        if relation in dropped or not len(triples):
            continue
        subjects, objects = (np.bincount(triples[:, c], minlength=n) for c in (0, 2))
        if max_end_share < 1 and max(subjects.max(), objects.max()) > max_end_share * len(triples):
            dropped[relation] = ONE_END
        elif max_median_answers:
            answers = (subjects[triples[:, 0]], objects[triples[:, 2]])
            if min(float(np.median(column)) for column in answers) > max_median_answers:
                dropped[relation] = TOO_MANY
    return dict(sorted(dropped.items()))
