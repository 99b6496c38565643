"""The words of a relation name: camelCase, snake_case, hyphens, URIs, prefixed names, marks of an inverse.

Guarantee: only separators are lost; a name that has no words (``=>``, ``P19``) stays as it is.
"""

import re
from urllib.parse import unquote

from rulemine.kg.facts import overlapping_relations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.lexicon import SHORT_WORDS

__all__ = ["named_inverses", "object_has_role", "phrase_of", "readable_name", "words_of"]

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# The hyphen of a prefix belongs to its word: "co-occurs" is one.
_SEPARATOR = re.compile(
    r"[\s_.,;:+/\u2013\u2014]+|(?<!\bco)(?<!\bpre)(?<!\bnon)(?<!\bself)-+", re.IGNORECASE
)

_BY_CONVENTION = re.compile(
    r"<?(?:https?://(?:\w+\.)*(?:dbpedia|schema|wikidata|w3)\.org/|(?:dbo|dbp|schema|rdf|foaf|wdt):|P\d+$)"
)

_INVERSE = re.compile(
    r"(?:inv|inverse|reverse)_(.+)|(.+?)(?:[_ ](?:inv|inverse|reverse)|\^?-1|/r)", re.IGNORECASE
)
"""Names of inverses: works_for_inv, works_for_inverse, works_for_reverse, works_for-1, works_for^-1, ..."""


def named_inverses(kg: KnowledgeGraph) -> dict[str, str]:
    """The relations that are named as inverses of another one, and whose triples bear that out.

    Of one of the two, the other one states at least `rulemine.kg.facts.LEAST_SHARE` of the triples
    from object to subject.

    Example:
        >>> triples = [("ann", "works_for", "acme"), ("acme", "works_for_inv", "ann")]
        >>> named_inverses(KnowledgeGraph.from_triples(triples))
        {'works_for_inv': 'works_for'}
    """
    marked = {r: found[1] or found[2] for r in kg.relations if (found := _INVERSE.fullmatch(r))}
    named = {r: of for r, of in marked.items() if of in kg.relation_ids and of not in marked}
    rows = overlapping_relations(kg) if named else ()
    borne_out = {frozenset(row[:2]) for row in rows if row.reversed}
    return {r: of for r, of in named.items() if {r, of} in borne_out}


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
