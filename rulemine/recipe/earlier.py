"""What earlier releases ask, so that a fresh release of the same recipe asks none of it again.

Two questions are the same if they have the same query, with the source's names of entities; so the text may
differ. A fresh release has no question of an earlier one, and none that asks for a link that a question of an
earlier one with a single link asks for, in either direction: whatever answered the one has seen the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError, InputError
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.registry import kind_named
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation

__all__ = ["AGAIN", "NOTHING", "Earlier", "read_earlier"]

AGAIN = "an earlier release asks it"
"""Why a question is not asked."""


@dataclass(frozen=True)
class Earlier:
    """What earlier releases ask, with the source's names of entities.

    Attributes:
        identities: The releases, see `rulemine.release.reader.Release.identity`; sorted.
        queries: The queries of their questions, as text.
        asked: The removed triples that their questions with a single link ask for, each with the end that is
            asked for.
    """

    identities: tuple[str, ...] = ()
    queries: frozenset[str] = frozenset()
    asked: frozenset[tuple[Triple, str]] = frozenset()

    def rows(self, kg: KnowledgeGraph, direction: str) -> npt.NDArray[np.int64]:
        """The rows of a graph that are asked for in a direction, ascending."""
        asked = (triple for triple, end in self.asked if end == direction)
        ids = [(kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o]) for s, r, o in asked]
        return np.sort(kg.rows_of(np.array(ids, np.int32).reshape(-1, 3)))

    def links(self, kg: KnowledgeGraph, declarations: Declarations) -> npt.NDArray[np.bool_]:
        """Which triples of a graph state a fact that is asked for, shape (triples,)."""
        if not self.asked:
            return np.zeros(len(kg), bool)
        facts = facts_of(kg, declarations)
        rows = np.concatenate([self.rows(kg, end) for end in DIRECTIONS])
        return np.isin(facts, facts[rows])


NOTHING = Earlier()
"""Of a recipe that names no earlier release."""


def read_earlier(
    places: Sequence[Path], identities: Sequence[str], kind: str, kg: KnowledgeGraph
) -> Earlier:
    """Reads earlier releases.

    Args:
        places: Their folders or archives, in any naming.
        identities: Those that the recipe names.
        kind: The kind of question that is asked.
        kg: The complete graph.

    Raises:
        ConfigError: They are not those of the recipe, or have questions of another kind.
        InputError: One is of another graph.
        ReleaseError: A release cannot be used.
    """
    if not places and not identities:
        return NOTHING
    releases = {release.identity: release for release in map(Release.open, places)}
    if lacking := sorted(set(identities) - set(releases)):
        raise ConfigError(
            f"not_in: the recipe leaves out the questions of a release with the identity {lacking[0]}. Give "
            "its folder or archive: --not-in DIR; with verify --rebuild, --set not_in=DIR."
        )
    queries: set[str] = set()
    asked: set[tuple[Triple, str]] = set()
    for identity, release in sorted(releases.items()):
        if identity not in identities:
            raise ConfigError(
                f"{release.path}: has the identity {identity}, which not_in of the recipe does not name. "
                "Leave it out."
            )
        if release.kind != kind:
            raise ConfigError(
                f"--not-in {release.path}: its questions are of the kind {release.kind}; a fresh release has "
                f"the recipe of the earlier one, and these are of the kind {kind}."
            )
        if release.manifest["kg"].get("digest") != kg.digest:
            raise InputError(
                f"--not-in {release.path}: its questions are about another graph, "
                f"{release.manifest['kg'].get('title')}, so none of them could be asked again. Leave it out."
            )
        names = translation(release.entities, release.naming, "entity")
        for question in release.questions():
            queries.add(kind_named(question.kind).answers.query_in(question.query, names))
            asked.update(_asked(question, names))
    return Earlier(tuple(sorted(releases)), frozenset(queries), frozenset(asked))


def _asked(question: Question, names: dict[str, str]) -> Iterable[tuple[Triple, str]]:
    """The removed triple that a question with a single link asks for, if any, with its end."""
    if question.end:
        for s, relation, o in question.removed:
            yield (names[s], relation, names[o]), question.end
