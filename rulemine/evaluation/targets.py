"""What predictions for the same questions are scored against: made once, used for every system."""

from collections.abc import Sequence
from functools import cached_property

from rulemine.evaluation.gold import Gold, golds_of
from rulemine.evaluation.matching import IdsMatcher, Matcher, read
from rulemine.evaluation.retrieval import ToRetrieve, evidence_of
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, translation

__all__ = ["Targets", "topics_are_answers", "topics_of"]


def topics_are_answers(release: Release) -> bool:
    """Whether a question of a release has a topic entity among its answers, as comparisons do."""
    return any(not set(q.answers).isdisjoint(q.anchors) for q in release.questions())


def topics_of(
    release: Release, questions: Sequence[Question], naming: str
) -> list[tuple[str, ...]]:
    """For each question the topic entities, in a naming, which are no answers if something else is named.

    Where topic entities are answers of any question of the release (`topics_are_answers`), all may be.
    """
    if topics_are_answers(release):
        return [()] * len(questions)
    names = translation(release.entities, release.naming, naming)
    return [tuple(names.get(anchor, anchor) for anchor in q.anchors) for q in questions]


class Targets:
    """What predictions in one naming are scored against, each part made when it is needed.

    Args:
        release: The release.
        questions: The questions.
        naming: The naming of the predictions.
        names: The entities in it.
        matcher: How outputs become keys of entities.
    """

    def __init__(
        self,
        release: Release,
        questions: Sequence[Question],
        naming: str,
        names: frozenset[str],
        matcher: Matcher,
    ) -> None:
        self.naming, self.names = naming, names
        self.matcher, self.strict = matcher, IdsMatcher(names)
        self._key_of = {name: matcher.name(name) for name in names}
        self.keys = frozenset(self._key_of.values())
        self._release, self._questions = release, questions
        self._golds: dict[tuple[int, bool], list[Gold]] = {}
        self._evidence: dict[str, list[ToRetrieve]] = {}

    @cached_property
    def topics(self) -> list[tuple[str, ...]]:
        """For each question the topic entities that cannot be its answers, see `topics_of`."""
        return topics_of(self._release, self._questions, self.naming)

    def read(self, given: Sequence[Prediction | None]) -> tuple[list[tuple[str, ...]], list[int]]:
        """What the prediction for each question predicts, and how many names it denies."""
        said = [read(self.matcher, p, t) for p, t in zip(given, self.topics, strict=True)]
        return [tuple(names) for names, _ in said], [denied for _, denied in said]

    def key(self, name: str) -> str:
        """As the matcher's, of entities without its work."""
        return self._key_of.get(name) or self.matcher.name(name)

    def golds(self, level: int, strict: bool = False) -> list[Gold]:
        """The golds at a level, for the matcher or the strict one."""
        if (level, strict) not in self._golds:
            release, matcher = self._release, self.strict if strict else self.matcher
            names = translation(release.entities, release.naming, self.naming)
            changed = None if self.naming == release.naming else names
            found = golds_of(self._questions, matcher.name, changed, level)
            self._golds[level, strict] = found
        return self._golds[level, strict]

    def evidence(self, kg: str) -> list[ToRetrieve]:
        """What is to be retrieved from a graph."""
        if kg not in self._evidence:
            found = evidence_of(self._release, self._questions, kg, self.naming)
            self._evidence[kg] = found
        return self._evidence[kg]
