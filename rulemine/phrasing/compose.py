"""Composes the text of a question from its query and the descriptions of its relations.

A question over one relation is asked by that relation's own template. Any other is put together from
descriptions (see `rulemine.phrasing.descriptions`): "Which films belong to the genre Drama and were directed
by a person who won the Palme d'Or?"

Guarantees: every anchor is named exactly once per branch that starts from it, verbatim; no other entity is;
equal queries have equal texts. Short branches come before long ones, so that "… directed by a person who won
it and …" never leaves open who did what. The order of branches does not depend on names, except where
branches differ in their anchors alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from rulemine.errors import QueryError
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.clauses import Clause, bare, full, listed
from rulemine.phrasing.descriptions import Description, read_description
from rulemine.phrasing.lexicon import article
from rulemine.phrasing.nouns import (
    PERSON,
    SOMEONE,
    SOMETHING,
    Noun,
    either_noun,
    may_be_same,
    names_people,
    shared_noun,
)
from rulemine.phrasing.templates import Templates
from rulemine.query.links import linked, parts_of, renamed
from rulemine.query.tree import (
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    Query,
    Union,
)
from rulemine.text.articles import in_sentence

__all__ = ["compose", "goes_together", "reads_well"]

_BE = (" is ", " was ")


def compose(
    query: Query, templates: Templates, *, several: bool = False, articles: bool = False
) -> str:
    """The question in words.

    Args:
        query: What is asked; the entities as the text names them.
        templates: The templates of its relations, and which state the same facts.
        several: Whether it has more than one answer; a count is always asked in the plural.
        articles: Whether names get *the* where they take it, see `rulemine.text.articles`.

    Raises:
        QueryError: There are no words for it: an entity stands by itself, at the root or in a list.
    """
    asked = linked(query, templates.declarations)
    if isinstance(asked, Projection) and isinstance(asked.of, Anchor):
        template, topic = templates[asked.relation], asked.of.entity
        return template.ask(_end(asked), topic, several=several, articles=articles)
    composer = _Composer(templates, articles)
    if isinstance(asked, Count):
        return composer.how_many(asked.of)
    return composer.question(asked, int(several))


def goes_together(templates: Templates, one: tuple[str, bool], other: tuple[str, bool]) -> bool:
    """Whether a text may say of the same entity that two relations give it.

    Args:
        templates: The templates of both.
        one: A relation, and whether it leads from objects to subjects.
        other: Another, in the same form. Of one that leads on from the entity, the reverse gives it.

    Returns:
        False if one says that the entity is a person and the other that it is not.
    """
    nouns = [
        read_description(templates[relation].description(DIRECTIONS[not inverse])).noun
        for relation, inverse in (one, other)
    ]
    return may_be_same(nouns[0], nouns[1], templates.people)


def reads_well(query: Query, templates: Templates) -> bool:
    """Whether the text of a query is easy to follow.

    Args:
        query: The query; its entities may have any names.
        templates: The templates of its relations.

    Returns:
        False if it says of one entity that it is a person and that it is not, or keeps a reader waiting for
        the end of a clause through two others: "in which an actor in whose films a person … acted acted".
    """
    asked = linked(query, templates.declarations)
    return _Composer(templates, articles=False).reads_well(asked, None)


class _Composer:
    def __init__(self, templates: Templates, articles: bool) -> None:
        self._templates = templates
        self._articles = articles

    def question(self, query: Query, number: int) -> str:
        """The question for what a query gives, in the singular (0) or the plural (1)."""
        clause = self._clause(query, self._is_subject(query))
        noun = clause.noun
        if clause.subject and noun in (SOMETHING, SOMEONE, PERSON):
            return f"{'What' if noun == SOMETHING else 'Who'} {bare(clause, 0)}?"
        if clause.subject:
            return f"Which {noun[number]} {bare(clause, number)}?"
        who = self._names_people(noun)
        noun = {SOMETHING: ("thing", "things"), SOMEONE: PERSON}.get(noun, noun)
        be = ("is", "are")[number]
        return f"{'Who' if who else 'What'} {be} the {noun[number]} {full(clause, number, who)}?"

    def how_many(self, query: Query) -> str:
        """The question for the number of what a query gives."""
        clause = self._clause(query, self._is_subject(query))
        noun = ("", "things") if clause.noun == SOMETHING else clause.noun
        if clause.subject:
            return f"How many {noun[1]} {bare(clause, 1)}?"
        return f"How many {noun[1]} are there {full(clause, 1, self._names_people(clause.noun))}?"

    def reads_well(self, query: Query, led_on: Noun | None) -> bool:
        """See `reads_well`; `led_on` is the noun of the query by the relation that leads on from it."""
        branches = list(_branches(query))
        nouns: list[Noun] = [self._description(part).noun for part in branches]
        if led_on is not None:
            nouns.append(led_on)
        together = all(
            may_be_same(noun, other, self._templates.people)
            for noun, other in combinations(dict.fromkeys(nouns), 2)
        )
        return together and all(map(self._is_easy, branches))

    def _is_easy(self, asked: Projection) -> bool:
        if isinstance(asked.of, Anchor):
            return True
        if self._description(asked).forms[0].after:
            below = asked.of
            if not isinstance(below, Projection) or not isinstance(below.of, Anchor):
                return False
            if self._description(below).forms[0].after:
                return False
        return self.reads_well(asked.of, self._other_noun(asked))

    def _is_subject(self, query: Query) -> bool:
        """Whether what a query gives is the subject of all that the query says of it."""
        if isinstance(query, Difference):
            return self._is_subject(query.of)
        if isinstance(query, Projection):
            return self._description(query).subject
        return all(map(self._is_subject, parts_of(query)))

    def _clause(self, query: Query, clear: bool) -> Clause:
        """What a query says.

        Args:
            query: The query.
            clear: Whether "and who …" at its end belongs to the entity described last.
        """
        if isinstance(query, Projection):
            return self._projection(query, *self._operands(query), clear)
        if isinstance(query, Difference):
            return self._without(query, clear)
        if not isinstance(query, Intersection | Union):
            raise QueryError(
                f"query: {query.text} cannot be put into words here; what relations lead to can."
            )
        union = isinstance(query, Union)
        groups: dict[str, list[Query]] = {}
        for part in self._in_order(query.parts):
            groups.setdefault(self._merged_by(part, union), []).append(part)
        clauses = []
        for parts in groups.values():
            asked = [part for part in parts if isinstance(part, Projection)]
            if len(asked) > 1:
                clauses.append(self._projection(asked[0], [p.of for p in asked], union, clear))
            else:
                clauses.append(self._clause(parts[0], clear))
        found = tuple(sorted(clauses, key=lambda clause: clause.long))
        return found[0] if len(found) == 1 else self._joined(found, union)

    def _without(self, query: Difference, clear: bool) -> Clause:
        """What a difference says: one thing, but not another."""
        part, other = self._clause(query.of, clear), self._clause(query.minus, clear=False)
        who = self._names_people(part.noun)
        return Clause(part.noun, part.subject, parts=(part,), long=True, but=other, who=who)

    def _joined(self, clauses: tuple[Clause, ...], union: bool) -> Clause:
        return Clause(
            self._common([clause.noun for clause in clauses], union),
            all(clause.subject for clause in clauses),
            parts=clauses,
            union=union,
            long=True,
        )

    def _projection(
        self, asked: Projection, operands: Sequence[Query], union: bool, clear: bool
    ) -> Clause:
        """What a relation says, for some or for all of the operands."""
        description = self._description(asked)
        clear = clear or bool(description.forms[0].after)
        hint = self._other_noun(asked)
        phrases = [
            None if isinstance(of, Anchor) else self._phrase(of, clear, hint) for of in operands
        ]
        texts = []
        for form in description.forms:
            topics = [
                phrase or f"{form.left}{self._name(form.before + form.left, of)}{form.right}"
                for of, phrase in zip(operands, phrases, strict=True)
            ]
            before = form.before.split(" ", 1)[1] if description.subject else form.before
            both = "both " if len(topics) == 2 and not union else ""
            texts.append(f"{before}{both}{listed(topics, union)}{form.after}")
        long = any(not isinstance(of, Anchor) for of in operands)
        return Clause(description.noun, description.subject, tuple(texts), long=long)

    def _name(self, before: str, anchor: Query) -> str:
        name = anchor.entity if isinstance(anchor, Anchor) else ""
        return in_sentence(before, name) if self._articles else name

    def _phrase(self, query: Query, clear: bool, hint: Noun) -> str:
        """A noun phrase for one entity that a query gives, e.g. "a film that was directed by A".

        Args:
            query: The query.
            clear: See `_clause`.
            hint: What the entity is by the relation that leads on from it.
        """
        clause = self._clause(query, clear=False)
        noun = self._narrowed(clause.noun, hint)
        start = noun[0] if noun in (SOMETHING, SOMEONE) else f"{article(noun[0])} {noun[0]}"
        who = self._names_people(noun)
        if not clause.parts or clause.but:
            return f"{start} {full(clause, 0, who)}"
        if clear and len(clause.parts) == 2 and not clause.commas:
            return f"{start} {full(clause, 0, who)}"
        start = f"{start} {'who' if who else 'that'}"
        both = "both " if len(clause.parts) == 2 and not clause.union else ""
        if all(part.texts and not part.subject for part in clause.parts):
            ones = [f"one {part.texts[0]}" for part in clause.parts]
            return f"{start} is {both}{listed(ones, clause.union)}"
        return f"{start} {both}{bare(clause, 0)}"

    def _operands(self, asked: Projection) -> tuple[list[Query], bool]:
        """What a relation starts from, and whether one of several is enough: "either A or a film that …"."""
        query = asked.of
        if isinstance(query, Union):
            hint = self._other_noun(asked)
            entities = any(isinstance(part, Anchor) for part in query.parts)
            if entities or len({self._narrowed(self._noun(p), hint) for p in query.parts}) > 1:
                return self._in_order(query.parts), True
        return [query], False

    def _other_noun(self, asked: Projection) -> Noun:
        """The noun of what a relation starts from."""
        return self._description(Projection(asked.relation, not asked.inverse, asked.of)).noun

    def _noun(self, query: Query) -> Noun:
        """The noun of what a query gives."""
        if isinstance(query, Projection):
            return self._description(query).noun
        if isinstance(query, Difference):
            return self._noun(query.of)
        nouns = [self._noun(part) for part in parts_of(query)] or [SOMETHING]
        return self._common(nouns, isinstance(query, Union))

    def _narrowed(self, noun: Noun, hint: Noun) -> Noun:
        """A noun that says more where it is known what else the entity is."""
        found = self._common([noun, hint], union=False)
        return noun if found == SOMETHING else found

    def _common(self, nouns: Sequence[Noun], union: bool) -> Noun:
        return (either_noun if union else shared_noun)(nouns, self._templates.people)

    def _names_people(self, noun: Noun) -> bool:
        return names_people(noun, self._templates.people)

    def _description(self, asked: Projection) -> Description:
        return read_description(self._templates[asked.relation].description(_end(asked)))

    def _in_order(self, parts: Sequence[Query]) -> list[Query]:
        """Branches: short ones first, then those that need no word of their own, then by relation."""

        def rank(part: Query) -> tuple[int, bool, str, str]:
            own = not isinstance(part, Projection) or not self._description(part).subject
            return part.depth, own, renamed(part, defaultdict(str)).text, part.text

        return sorted(parts, key=rank)

    def _merged_by(self, part: Query, union: bool) -> str:
        """A key that branches share if they are one clause with several topic entities."""
        if not isinstance(part, Projection):
            return part.text
        form = self._description(part).forms[0]
        follows = form.after.split(" ")[1:2]
        # Not "which both A and B belongs to", nor "whose father is both A and B".
        unfit = (bool(follows) and follows[0].endswith("s")) or form.before.endswith(_BE)
        return part.text if unfit and not union else f"{part.inverse} {part.relation}"


def _end(asked: Projection) -> str:
    return DIRECTIONS[not asked.inverse]


def _branches(query: Query) -> Iterator[Projection]:
    """The relations that lead to what a query gives, or to what it takes away."""
    if isinstance(query, Projection):
        yield query
    else:
        for part in parts_of(query):
            yield from _branches(part)
