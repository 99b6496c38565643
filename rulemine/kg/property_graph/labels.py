"""Names that Cypher takes without quotes, for those of a source that it does not; and ids of edges."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["edge_ids", "readable_labels"]


def edge_ids(edges: Iterable[tuple[str, str, str]]) -> list[str]:
    """An id for each (type, subject, object), in order; parallel edges are numbered from 2."""
    seen: Counter[tuple[str, str, str]] = Counter()
    ids = []
    for edge in edges:
        seen[edge] += 1
        number = f"#{seen[edge]}" if seen[edge] > 1 else ""
        ids.append("#".join(edge) + number)
    return ids


def readable_labels(
    sources: Iterable[str], capital: bool, texts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Names in triples → names that Cypher takes without quotes, none twice.

    Args:
        sources: The names, sorted.
        capital: Whether they are types, written ``LikeThis``; relations stay as they are as far as possible.
        texts: What to make the names of, of sources that have words of their own.

    Example:
        >>> readable_labels(["/film/actor", "subject of lives_in"], capital=True)
        {'/film/actor': 'Actor', 'subject of lives_in': 'SubjectOfLivesIn'}
        >>> readable_labels(["/film/actor", "/tv/actor", "lives_in"], capital=False)
        {'/film/actor': 'film_actor', '/tv/actor': 'tv_actor', 'lives_in': 'lives_in'}
    """
    sources = list(sources)
    words = {source: (texts or {}).get(source) or source for source in sources}
    short = {
        source: _label(re.split("[/#]", words[source].rstrip("/#"))[-1], capital)
        for source in sources
    }
    often = Counter(short.values())
    found: dict[str, str] = {}
    taken: set[str] = set()
    for source in sources:
        plain = (
            short[source]
            if capital and often[short[source]] == 1
            else _label(words[source], capital)
        )
        label, number = plain, 1
        while label in taken:
            number += 1
            label = f"{plain}_{number}"
        taken.add(label)
        found[source] = label
    return found


def _label(text: str, capital: bool) -> str:
    words = [word for word in re.split(r"\W+", text) if word]
    if capital:
        words = [part for word in words for part in word.split("_") if part]
        label = "".join(word[0].upper() + word[1:] for word in words)
    else:
        label = "_".join(words)
    if not re.match(r"[^\W\d]", label):
        label = ("Type" if capital else "relation_") + label
    return label
