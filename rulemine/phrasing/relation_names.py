"""The words of a relation name: camelCase, snake_case, hyphens, URIs and prefixed names.

Guarantee: only separators are lost; a name that has no words (``=>``, ``P19``) stays as it is.
"""

import re
from urllib.parse import unquote

from rulemine.phrasing.lexicon import SHORT_WORDS

__all__ = ["object_has_role", "phrase_of", "readable_name", "words_of"]

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# The hyphen of a prefix belongs to its word: "co-occurs" is one.
_SEPARATOR = re.compile(
    r"[\s_.,;:+/\u2013\u2014]+|(?<!\bco)(?<!\bpre)(?<!\bnon)(?<!\bself)-+", re.IGNORECASE
)

_BY_CONVENTION = re.compile(
    r"<?(?:https?://(?:\w+\.)*(?:dbpedia|schema|wikidata|w3)\.org/|(?:dbo|dbp|schema|rdf|foaf|wdt):|P\d+$)"
)


def words_of(relation: str) -> list[str]:
    """Splits a relation name (of a URI, its last part) into words, lower case except acronyms.

    Example:
        >>> words_of("isLocatedIn"), words_of("http://dbpedia.org/ontology/birthPlace")
        (['is', 'located', 'in'], ['birth', 'place'])
    """
    name = _local(relation)
    shouting = name.isupper()
    name = re.sub(r"(?<=[a-z])_s$", "", name)  # Freebase writes "(s)" so
    name = re.sub(r"\b([Cc]o|CO|[Pp]re|PRE)(?:[_ ]|(?<=[a-z])(?=[A-Z]))", r"\1-", name)
    words = [w for part in _SEPARATOR.split(name) for w in _BOUNDARY.split(part) if w]
    return [w if w.isupper() and len(w) > 1 and not shouting else w.lower() for w in words]


def phrase_of(relation: str) -> list[str]:
    """The words of a name; of one that is a phrase with spaces, as they are written there.

    Example:
        >>> phrase_of("off-label use"), phrase_of("birthPlace"), phrase_of("has part(s)")
        (['off-label', 'use'], ['birth', 'place'], ['has', 'parts'])
    """
    if " " not in relation.strip():
        return words_of(relation)
    words = re.sub(r"[()]", "", relation.replace("_", " ")).split()
    return [word.lower() if word[1:].islower() or len(word) == 1 else word for word in words]


def object_has_role(relation: str) -> bool:
    """Whether a name is of a vocabulary in which the object plays the role of a noun, whatever a graph shows.

    Example:
        >>> object_has_role("P40"), object_has_role("dbo:child"), object_has_role("child")
        (True, True, False)
    """
    return _BY_CONVENTION.match(relation) is not None


def _local(relation: str) -> str:
    """The last part of a URI or a prefixed name; any other name unchanged."""
    name = relation.removeprefix("<").removesuffix(">") if "://" in relation else relation
    if "://" in name:
        return unquote(re.split(r"[/#]", name.rstrip("/#"))[-1])
    found = re.fullmatch(r"[A-Za-z][\w.-]*:([^\s:/]+)", name)
    return found[1] if found else name


def readable_name(relation: str) -> str:
    """The words of a name, or the name itself if it is a phrase, or if splitting would damage a code."""
    words = words_of(relation)
    readable = " " not in relation and all(
        w.isalpha() and (len(w) > 2 or w in SHORT_WORDS) for w in words
    )
    return " ".join(words) if words and readable else relation
