"""Audits a release, as far as its files allow.

Guarantee: the same release, seed and number of resamples give the same audit, whatever the number of threads.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from rulemine.auditing.answers import answer_measures
from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.concentration import concentration_measures
from rulemine.auditing.figures import AuditedFigure, Measure, figures_of
from rulemine.auditing.guessing import guess_measures
from rulemine.auditing.inference import inference_measures
from rulemine.auditing.leaks import leak_measures
from rulemine.errors import ReleaseError
from rulemine.release.reader import Release

__all__ = ["RESAMPLES", "SECTIONS", "Audit", "audit"]

RESAMPLES = 1000
"""Resamples of an interval."""

MOST_TEXTS = 3
"""Questions of a set whose texts an audit shows."""

SECTIONS: Mapping[str, str] = {
    "answers": "Answers",
    "leaks": "Leaks",
    "guessing": "Guessing",
    "inference": "Inference",
    "concentration": "Concentration",
}
"""The parts of an audit, in their order."""

Watch = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True, slots=True)
class Audit:
    """What is known of a question set.

    Attributes:
        name: The name of its folder or archive.
        facts: Where it is from, its license, its size: name → text.
        figures: The figures, section by section.
        texts: Id → text, of the first questions that figures name, at most `MOST_TEXTS`.
        definitions: How its authors define figures: name → sentence.
    """

    name: str
    facts: Mapping[str, str]
    figures: tuple[AuditedFigure, ...]
    texts: Mapping[str, str]
    definitions: Mapping[str, str]

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def _unwatched(_step: str) -> AbstractContextManager[Progress]:
    return nullcontext(lambda _done, _total: None)


def audit(
    release: Release,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    mines: bool = True,
    watch: Watch = _unwatched,
) -> Audit:
    """Audits a release.

    Args:
        release: The release, of any kind.
        resamples: How many resamples an interval is from, ≥ 1.
        seed: Of the resamples.
        mines: Whether rules are mined where questions need what is missing and the release has none.
        watch: Watches a step, given its name.

    Raises:
        ReleaseError: It has no question, or a file is missing or was edited.
    """
    of = AuditedSet(release)
    if not of.questions:
        raise ReleaseError(f"{release.path}: has no question to audit. Name another release.")
    parts: Mapping[str, Callable[[Progress], Iterator[Measure]]] = {
        "answers": lambda progress: answer_measures(of, progress),
        "leaks": lambda _: leak_measures(of),
        "guessing": lambda _: guess_measures(of),
        "inference": lambda progress: inference_measures(of, progress, mines),
        "concentration": lambda _: concentration_measures(of),
    }
    measures: list[Measure] = []
    for name in SECTIONS:
        with watch(f"{release.name}: {name}") as progress:
            measures += parts[name](progress)
    with watch(f"{release.name}: intervals"):
        ids = [q.id for q in of.questions]
        figures = figures_of(measures, ids, of.clusters, resamples, seed)
    named = dict.fromkeys(key for figure in figures for key in figure.examples)
    shown = list(named)[:MOST_TEXTS]
    texts = {q.id: q.question for q in of.questions if q.id in shown}
    name = re.sub(r"\.(tar(\.\w+)?|tgz)$", "", release.path.absolute().name) or release.name
    return Audit(name, _facts(of), figures, texts, dict(_own(of, "definitions")))


def _facts(of: AuditedSet) -> dict[str, str]:
    kg = of.release.manifest["kg"]
    about = {name: str(kg.get(name) or "unknown") for name in ("title", "source", "license")}
    about["questions"] = ", ".join(f"{split} {number:,}" for split, number in of.splits())
    about["topics"] = f"{len(set(of.clusters.tolist())):,} different"
    if of.complete is not None:
        about["triples"] = f"{len(of.complete):,}"
    if of.incomplete is not None:
        about["triples left"] = f"{len(of.incomplete):,}"
    if notes := _own(of, "notes"):
        about["notes"] = " ".join(f"{note.rstrip('.')}." for note in notes)
    about["release"] = of.release.name
    about["kind"] = of.release.kind
    about["identity"] = of.release.identity
    return about


def _own(of: AuditedSet, key: str) -> Any:
    """What the section of the kind says in the manifest."""
    section = of.release.manifest["config"].get(of.release.kind, {})
    return section.get(key, ()) if isinstance(section, dict) else ()
