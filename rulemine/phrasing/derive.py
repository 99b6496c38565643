"""Templates derived from the names of relations that have no written ones.

The name is split into words (camelCase, snake_case, hyphens, URIs, Freebase paths) and read by the
first pattern that fits: a verb (``treats``, ``works_at``), a passive or an adjective
(``isLocatedIn``, ``influenced_by``), a role that ends in *of* (``Part_of``), a possession
(``hasChild``), a property (``place_of_birth``, Freebase).

Guarantee: never the wrong end. In ``x aunt y`` x may be the aunt or have the aunt; a bare noun says
which only if the source has a convention (Freebase, DBpedia and schema.org: the object plays the
role) or the noun has its own *of* (``place of birth``). Every other name is quoted in a template that is
true of both readings: “What is x linked to by “aunt”?”.
"""

from rulemine.phrasing.freebase import read_freebase
from rulemine.phrasing.grammar import DerivedTemplates, clause, property_of
from rulemine.phrasing.lexicon import PROPERTY_NOUNS
from rulemine.phrasing.relation_names import readable_name, words_of
from rulemine.text.template import escape

__all__ = ["DerivedTemplates", "derive"]

_PROPERTY_PREFIXES = (
    "http://dbpedia.org/",
    "https://dbpedia.org/",
    "http://schema.org/",
    "https://schema.org/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dbo:",
    "dbp:",
    "rdf:",
    "schema:",
)


def derive(relation: str, *, typed: bool = False) -> DerivedTemplates:
    """Derives templates from the name of a relation.

    Args:
        relation: The name.
        typed: Whether to name the type of the topic entity if the relation does (Freebase paths), which
            distinguishes relations that would read the same.

    Returns:
        The first reading that fits; see the module docstring.

    Example:
        >>> derive("Treats").ask_object, derive("/people/person/place_of_birth").ask_object
        ('What does {topic} treat?', 'What is the place of birth of {topic}?')
    """
    if (found := read_freebase(relation, typed)) is not None:
        return found
    words = [escape(w) for w in words_of(relation)]
    if not words or not any(c.isalpha() for c in words[0]):
        return _linked(relation)
    found = clause(words)
    if found is None and _is_property(relation, words):
        found = property_of(" ".join(words))
    return found or _linked(readable_name(relation))


def _is_property(relation: str, words: list[str]) -> bool:
    if relation.removeprefix("<").startswith(_PROPERTY_PREFIXES):
        return True
    return "of" in words[1:-1] and words[0] in PROPERTY_NOUNS


def _linked(name: str) -> DerivedTemplates:
    quoted = f"“{escape(name)}”"
    return DerivedTemplates(
        f"{{subject}} is linked to {{object}} by {quoted}",
        f"What is linked to {{topic}} by {quoted}?",
        f"What is {{topic}} linked to by {quoted}?",
    )
