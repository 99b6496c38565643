"""What predictions for the same questions are scored against: made once, used for every system."""

from collections.abc import Sequence

from rulemine.evaluation.gold import Gold, golds_of
from rulemine.evaluation.matching import IdsMatcher, Matcher
from rulemine.evaluation.retrieval import ToRetrieve, evidence_of
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation

__all__ = ["Targets"]


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
