"""Phrase books: how the relations of a vocabulary are put into words, for any graph that uses it.

A book is a TOML file of the folder ``books`` with one table per relation:

    ["P57"]
    names = ["director", "directed_by"]       # further names of the relation
    clause = "{object} directed {subject}"
    subject = "work"
    object = "person"

A clause and the nouns of both ends give “Who directed X?”, “Which works did X direct?” and descriptions of
both. ``a/b`` is a word in the singular and the plural, ``-`` none: "{subject} is a/- member/members of
{object}"; verbs agree by themselves. Brackets enclose words for a type, "[the film {object}]", see
`rulemine.phrasing.descriptions`. Any key of a template file replaces what the clause gives. The table
``book`` names the IRIs and prefixes of the vocabulary.

Guarantees: a relation is known by its name, label or IRI, whatever its prefix, case and separators. Names
mean something else elsewhere, so a book is used where it knows at least six tenths of a graph's relations or
of its triples, and no fewer than five relations; below that only relations with an IRI or prefix of the
vocabulary are taken. A book declares nothing: what holds both ways is for the graph to say.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from rulemine.config import build, packaged, read_toml
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.grammar import denial_of
from rulemine.phrasing.lexicon import (
    INDEFINITE_PEOPLE,
    PREPOSITIONS,
    VERBS,
    participle_of,
    past_of,
    plural,
)
from rulemine.phrasing.relation_names import words_of
from rulemine.phrasing.template_file import RelationTable, questions_of

__all__ = ["Book", "book_tables", "clause_templates", "folded", "known_tables", "packaged_books"]

_END = re.compile(r"(?:\[[^][{}]*)?\{(subject|object)\}(?:[^][{}]*\])?")
_FORMS = re.compile(r"([\w'’-]+)/([\w'’-]+)( ?)")
_BE = {"is": "is/are", "was": "was/were", "has": "has/have"}


def clause_templates(clause: str, subject: str, object: str, verb: str = "") -> dict[str, str]:
    """The keys of a template file that say the same as a clause.

    Args:
        clause: The triple in words; begins with one end.
        subject: The noun of the subjects, "work" or "series/series"; "something" is asked for with *what*,
            people with *who*.
        object: The noun of the objects.
        verb: The base form of its verb, where that is not known.

    Raises:
        ValueError: The clause cannot be asked about; says why.
    """
    ends = list(_END.finditer(clause))
    if {end[1] for end in ends} != {"subject", "object"} or len(ends) != 2 or ends[0].start():
        raise ValueError(
            f"{clause!r}: expected a clause that begins with one end and has the other"
        )
    nouns = {"subject": _both(subject), "object": _both(object)}
    first, last = (nouns[end[1]] for end in ends)
    topics = [end[0].replace(f"{{{end[1]}}}", "{topic}") for end in ends]
    said, tail = clause[ends[0].end() : ends[1].start()].strip(), clause[ends[1].end() :]
    said = _agreeing(said, verb)
    asks = [
        f"{_who(first, number)} {_form(said, _number_after(first, said, number))} {_bare(topics[1])}{tail}?"
        for number in (0, 1)
    ]
    auxiliary, rest = _inverted(said, verb)
    before, _, preposition = rest.rpartition(" ")
    if tail or preposition not in PREPOSITIONS:
        before, preposition = rest, ""
    middle = f"{auxiliary} {_bare(topics[0])} {before}".rstrip()
    other = [_asked(last, number, preposition, middle) + f"{tail}?" for number in (0, 1)]
    who = "who" if _is_person(first) else "that"
    keys = {
        "statement": _bare(_form(clause, 0)),
        f"describe_{ends[0][1]}": f"{first} | {who} {said} {topics[1]}{tail}",
        f"describe_{ends[1][1]}": f"{last} | {_gap(last, preposition, said, topics[0], middle)}{tail}",
    }
    for end, (single, several) in zip((ends[0][1], ends[1][1]), (asks, other), strict=True):
        keys |= {f"ask_{end}": single, f"ask_{end}s": several}
    return keys


def _both(noun: str) -> str:
    """A noun in both numbers."""
    many = "things" if noun == "something" else plural(noun.rsplit(" ", 1)[-1])
    return noun if "/" in noun else f"{noun}/{many}"


def _is_person(noun: str) -> bool:
    return _form(noun, 0) in INDEFINITE_PEOPLE


def _form(text: str, number: int) -> str:
    """A text in the singular, 0, or the plural, 1."""

    def chosen(found: re.Match[str]) -> str:
        word = found[1 + number]
        return "" if word == "-" else word + found[3]

    return _FORMS.sub(chosen, text)


def _bare(text: str) -> str:
    return text.replace("[", "").replace("]", "")


def _agreeing(said: str, verb: str) -> str:
    """A predicate with its verb in both numbers."""
    first, _, rest = said.partition(" ")
    many = (verb or VERBS.get(first)) if first.endswith("s") else None
    both = _BE.get(first) or (f"{first}/{many}" if many else first)
    return f"{first if '/' in first else both} {rest}".rstrip()


def _who(noun: str, number: int) -> str:
    thing = "What" if noun.startswith("something/") else f"Which {_form(noun, number)}"
    return "Who" if _is_person(noun) else thing


def _number_after(noun: str, said: str, number: int) -> int:
    """*Who lives here?* is about one or several; *Who are the members?* about several."""
    numbered = _who(noun, 0).startswith("Which") or "/" in said.partition(" ")[2]
    return number * numbered


def _inverted(said: str, base: str) -> tuple[str, str]:
    """The auxiliary of a question, and what follows its subject."""
    one, many = _form(said, 0), _form(said, 1)
    first, _, rest = one.partition(" ")
    if one.startswith("is or was "):
        return "is or was", one.removeprefix("is or was ")
    if base and one == many:
        return "did", f"{base} {rest}".rstrip()
    denial = denial_of(one, many, 0)
    if denial is None:
        raise ValueError(f"{one!r}: the base form of {first!r} is unknown; write it as verb")
    auxiliary, _, rest = denial.partition(" not ")
    return auxiliary, rest


def _asked(noun: str, number: int, preposition: str, middle: str) -> str:
    """A question for the end that is not the subject of the clause."""
    who = _who(noun, number)
    if who == "What":
        return f"What {middle} {preposition}".rstrip()
    if noun.startswith("place/") and preposition in ("in", "at"):
        return f"Where {middle}"
    who = {"Who": "Whom"}.get(who, who)
    return (
        f"{preposition.capitalize()} {who[0].lower()}{who[1:]} {middle}"
        if preposition
        else f"{who} {middle}"
    )


def _gap(noun: str, preposition: str, said: str, topic: str, middle: str) -> str:
    """The relative clause about the end that is not the subject of the clause."""
    auxiliary, who = middle.split(" ", 1)[0], _is_person(noun)
    if auxiliary in ("did", "does") and not preposition:
        verb, _, rest = middle.removeprefix(f"{auxiliary} {_bare(topic)} ").partition(" ")
        be = "was/were" if auxiliary == "did" else "is/are"
        passive = f"{participle_of(past_of(verb))} {rest}".rstrip()
        return f"{'who' if who else 'that'} {be} {passive} by {topic}"
    text = _form(said, 0).removesuffix(f" {preposition}")
    return f"{preposition} {'whom' if who else 'which'} {topic} {text}".strip()


_FEWEST = 5
_SHARE = (3, 5)
"""Of relations or triples that a book knows, at least."""


_OWN = ("names", "clause", "subject", "object", "verb")
"""Keys of a relation in a book, beside those of a template file."""


@dataclass(frozen=True, eq=False)
class Book:
    """A phrase book.

    Attributes:
        name: The name of its file, without its ending.
        namespaces: How the IRIs and prefixed names of its vocabulary begin.
        rows: Relation → its keys in the file.
    """

    name: str
    namespaces: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Any]]

    @cached_property
    def _known(self) -> dict[str, str]:
        """Each name, folded → the relation."""
        return {
            folded(name): relation
            for relation, row in self.rows.items()
            for name in (relation, *row.get("names", ()))
        }

    def known_in(
        self, relations: Collection[str], labels: Mapping[str, str], sizes: Mapping[str, int]
    ) -> dict[str, str]:
        """The relations of a graph that the book knows: each with its name in the book.

        Args:
            relations: The relations of the graph, sorted.
            labels: Relation → its IRI or its label.
            sizes: Relation → its number of triples.
        """
        called = {r: [r, labels[r]] if labels.get(r) else [r] for r in relations}
        known = {
            r: self._known[folded(name)]
            for r, names in called.items()
            for name in names[::-1]  # its own name comes last, and counts
            if folded(name) in self._known
        }
        if not self._suffices(known, relations, sizes):
            known = {
                r: x
                for r, x in known.items()
                if any(n.removeprefix("<").startswith(self.namespaces) for n in called[r])
            }
        return known

    def _suffices(
        self, known: Collection[str], relations: Collection[str], sizes: Mapping[str, int]
    ) -> bool:
        if len(known) < min(_FEWEST, len(self.rows)):
            return False
        least, of = _SHARE
        triples = sum(sizes.get(r, 0) for r in known)
        return of * len(known) >= least * len(relations) or (
            triples > 0 and of * triples >= least * sum(sizes.values())
        )

    def table(self, relation: str) -> RelationTable:
        """The templates of a relation of the book.

        Raises:
            ConfigError: A key is unknown or wrong.
            ValueError: Its clause cannot be asked about.
        """
        row = self.rows[relation]
        given = {key: value for key, value in row.items() if key not in _OWN}
        made: dict[str, str] = {}
        if "clause" in row:
            subject, object_ = (row.get(end, "something") for end in DIRECTIONS)
            made = clause_templates(row["clause"], subject, object_, row.get("verb", ""))
        for key in {"ask_subject", "ask_object"} & given.keys():
            made.pop(f"{key}s", None)
        return build(RelationTable, made | given, f"phrase book {self.name}: {relation!r}")


@cache
def packaged_books() -> tuple[Book, ...]:
    """The books of the package, by name; their templates are made when they are asked for."""
    paths = sorted(packaged("phrasing", "books").glob("*.toml"))
    files = [(path.stem, read_toml(path)) for path in paths]
    return tuple(
        Book(name, tuple(rows.pop("book", {}).get("namespaces", ())), rows) for name, rows in files
    )


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> str:
    """A name without prefix, case and separators.

    Example:
        >>> folded("schema:birthPlace"), folded("birth_place"), folded("_member_meronym")
        ('birthplace', 'birthplace', 'membermeronym')
    """
    return re.sub(r"[\W_]+", "", "".join(words_of(name)).lower())


def book_tables(
    relations: Collection[str],
    written: Mapping[str, RelationTable],
    labels: Mapping[str, str],
    sizes: Mapping[str, int],
    declared: Declarations | None = None,
) -> dict[str, RelationTable]:
    """The templates that books have for the relations of a graph.

    Args:
        relations: The relations of the graph, sorted.
        written: The relations with templates of the user's own: nothing else asks in their words.
        labels: Relation → its IRI or its label.
        sizes: Relation → its number of triples.
        declared: What states the same facts, and may be asked in the same words.

    Returns:
        Relation → its templates. Of several books the one that knows most relations comes first; of
        relations that books word alike, the first by name has the words.
    """
    left = [relation for relation in relations if relation not in written]
    owners: dict[str, tuple[str, str]] = {}
    states = declared or Declarations()

    def takes(relation: str, table: RelationTable) -> bool:
        asked = {text: states.asked(relation, end) for end, text in questions_of(table)}
        free = all(owners.get(text, key) == key for text, key in asked.items())
        owners.update(asked if free else {})
        return free

    for relation, table in written.items():
        takes(relation, table)
    chosen: dict[str, RelationTable] = {}
    for known in _offers(relations, labels, sizes) if left else ():
        for relation in left:
            if relation in known and relation not in chosen and takes(relation, known[relation]):
                chosen[relation] = known[relation]
    return chosen


def known_tables(
    relations: Collection[str], labels: Mapping[str, str], sizes: Mapping[str, int]
) -> dict[str, RelationTable]:
    """What books say of the relations that they know, also of those whose words another one has.

    Args:
        relations: The relations of the graph, sorted.
        labels: Relation → its IRI or its label.
        sizes: Relation → its number of triples.
    """
    return dict(pair for known in _offers(relations, labels, sizes)[::-1] for pair in known.items())


def _offers(
    relations: Collection[str], labels: Mapping[str, str], sizes: Mapping[str, int]
) -> list[dict[str, RelationTable]]:
    """For each book, relation → its templates; first the book that knows most of them."""
    offers = [(book, book.known_in(relations, labels, sizes)) for book in packaged_books()]
    offers.sort(key=lambda offer: -len(offer[1]))
    return [{r: book.table(own) for r, own in known.items()} for book, known in offers]
