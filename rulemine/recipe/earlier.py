"""What earlier releases ask, so that a fresh release of the same recipe asks none of it again.

Two questions are the same if they have the same query, with the source's names of entities; so the text may
differ. A fresh release has no question of an earlier one, and none that asks for a link that a question of an
earlier one with a single link asks for, in either direction: whatever answered the one has seen the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError, InputError
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.registry import kind_named
from rulemine.release.reader import Release
from rulemine.release.records import translation

__all__ = ["AGAIN", "NOTHING", "Earlier", "read_earlier"]

AGAIN = "an earlier release asks it"
"""The reason that a rejected question has if an earlier release asked it."""


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
        ids = [
            (kg.entity_ids[s], kg.relation_ids[r], kg.entity_ids[o])
            for (s, r, o), end in self.asked
            if end == direction
        ]
        return np.sort(kg.rows_of(np.array(ids, np.int32).reshape(-1, 3)))

    def links(self, kg: KnowledgeGraph, declarations: Declarations) -> npt.NDArray[np.bool_]:
        """Which triples of a graph state a fact that is asked for, shape (triples,)."""
        if not self.asked:
            return np.zeros(len(kg), bool)
        facts = facts_of(kg, declarations)
        rows = np.concatenate([self.rows(kg, end) for end in DIRECTIONS])
        return np.isin(facts, facts[rows])


NOTHING = Earlier()
"""What is known of earlier releases where a recipe names none."""


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
    releases = {release.identity: release for release in map(Release.open, places)}
    if releases.keys() != {*identities}:
        named, found = (", ".join(sorted(some)) or "none" for some in (identities, releases))
        raise ConfigError(
            f"not_in: the recipe names the releases of which no question is asked again by their identities, "
            f"{named}; those given have {found}. Give the folder or archive of each, and no other: --not-in "
            "DIR; with verify --rebuild, --set not_in=DIR."
        )
    queries, asked = set[str](), set[tuple[Triple, str]]()
    for release in releases.values():
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
            if question.end:  # it has a single link
                removed = ((names[s], r, names[o]) for s, r, o in question.removed)
                asked.update((triple, question.end) for triple in removed)
    return Earlier(tuple(sorted(releases)), frozenset(queries), frozenset(asked))
