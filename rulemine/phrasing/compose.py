"""Composes the text of a question from its query and the descriptions of its relations.

A question over one relation is asked by that relation's own template. Any other is put together from
descriptions (see `rulemine.phrasing.descriptions`): "Which films belong to the genre Drama and were directed
by someone who won the Palme d'Or?" A description has one relative clause, "in which {topic} acted" or "whose
cast includes {topic}"; other ways to say it are read off that where its form allows (`ways_of`).

Guarantees: every anchor is named exactly once per branch that starts from it, verbatim; no other entity is;
equal queries have equal texts. Short branches come before long ones, so that "… directed by someone who won
it and …" never leaves open who did what. The order of branches does not depend on names, except where
branches differ in their anchors alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from rulemine.errors import QueryError
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.clauses import (
    SOMETHING,
    Clause,
    Determiner,
    Noun,
    either_noun,
    how_many,
    is_short,
    listed,
    may_be_same,
    names_people,
    phrase,
    question,
    shared_noun,
)
from rulemine.phrasing.descriptions import Description, Form, read_description
from rulemine.phrasing.grammar import denial_of, is_past, of_many
from rulemine.phrasing.lexicon import PREPOSITIONS, article, is_plural, plural
from rulemine.phrasing.templates import Templates
from rulemine.query.links import linked, parts_of, renamed
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union
from rulemine.text.articles import in_sentence
from rulemine.text.template import fill

__all__ = ["compose", "reads_well"]

_INCLUDES = re.compile(r"whose ([\w'’ -]+?) (includes?|(?:ha(?:s|ve) )?included)( or included)? $")
_IS = re.compile(r"whose ([\w'’ -]+) (is|was) $")
_MADE = re.compile(r"whose ([\w'’ -]+) (?:was|were) (\w+ed|written) by $")
_BEING = re.compile(r"(is|are|was|were|ha(?:s|ve) been)(?: or (?:was|were))? (.+)")
_NAMED = re.compile(r"(?:is|was|has been)(?: or was)? ((?:an?|the) (?:[\w'’-]+ )+(?:of|to|for) )")
_GAP = re.compile(r"((?:\w+ )?which|(?:\w+ )?whom|that) (.*)")
_PLACED = ("in", "on", "at", "from", "of")
_NOT_HAD = ("been", "had", "or")
_DOING = {
    verb: ing
    for one, many, ing in (
        ("belongs", "belong", "belonging"),
        ("borders", "border", "bordering"),
        ("contains", "contain", "containing"),
        ("features", "feature", "featuring"),
    )
    for verb in (one, many)
}
"""Verbs with the participle that follows a noun: "a film featuring A"."""
_PLACES = frozenset({"place", "city", "town", "country", "county", "region", "venue", "state"})


class Around(NamedTuple):
    """A text, cut at the topic entities."""

    before: str
    after: str = ""

    def with_topics(self, topics: str) -> str:
        """The text with its topic entities."""
        return f"{self.before}{topics}{self.after}"


Pair = tuple[Around, Around]


class Ways(NamedTuple):
    """The ways to say a description: after a subject, after a noun, as a name, as a question.

    All ways say the same; what cannot be read for sure is missing. Pairs are for one entity and for several.

    Attributes:
        predicate: After a subject, e.g. "has {topic} in its cast".
        heavy: The same with the topic at the end, e.g. "has in its cast {topic}".
        relative: After a noun, in relative words of its own, e.g. "whose cast includes {topic}". None: it is
            *who* or *that* with the predicate.
        many: What ends `relative` where there are several topic entities, e.g. "were nominated"; None: it
            cannot be told.
        reduced: After a noun, without relative words, e.g. "directed by {topic}".
        name: A noun phrase, in the singular, e.g. "a sibling of {topic}".
        gap: What leads to a question before the noun, e.g. "in which"; empty: there is none.
        asked: What follows it for one topic entity and for several, e.g. "did {topic} act".
    """

    predicate: Pair | None = None
    heavy: Pair | None = None
    relative: Pair | None = None
    many: str | None = None
    reduced: Pair | None = None
    name: Around | None = None
    gap: str = ""
    asked: Pair | None = None


@lru_cache(maxsize=1 << 12)
def ways_of(description: Description, people: bool) -> Ways:
    """The ways to say a description.

    Args:
        description: The description.
        people: Whether what it describes are people.
    """
    one, more = (Around(form.before, form.after) for form in description.forms)
    name = description.name and Around(
        f"{article(description.name[0])} {description.name[0]}", description.name[1]
    )
    if description.subject:
        pair = _headless(one), _headless(more)
        if name is None and not one.after and (found := _NAMED.fullmatch(pair[0].before)):
            name = Around(found[1])
        return Ways(pair, _ending(pair), name=name, reduced=_reduced(pair, people))
    place = description.noun[0] in _PLACES
    ways = _possessed(one, more, people) or _question(one, more, place)
    return ways._replace(relative=(one, more), name=name)


def _headless(cut: Around) -> Around:
    return Around(cut.before.split(" ", 1)[1], cut.after)


def _ending(pair: Pair) -> Pair | None:
    """A predicate with its topic at the end: "has played on recordings {topic}"."""
    one, more = (Around(f"{around.before.rstrip()}{around.after} ") for around in pair)
    words = pair[0].after.split()
    return (one, more) if words and words[0] in {*PREPOSITIONS, "as"} else None


def _possessed(one: Around, more: Around, people: bool) -> Ways | None:
    """The ways of "whose cast includes A" and of "whose costumes were designed by A"."""
    if one.after:
        return None
    ones, mores = (_INCLUDES.fullmatch(cut.before) for cut in (one, more))
    if ones and mores:
        whole = ones[2].startswith(("includes", "has")) or not is_plural(ones[1].split(" ")[-1])
        had = " had" if " " in ones[2] else ""
        past = ones[2] == "included"
        verbs = [
            f"{'had' if past else has}{had}{' or had' if ones[3] else ''}"
            for has in ("has", "have")
        ]
        within = "in" if whole else "among"
        where = [f"{within} {'their' if people else 'its'} {ones[1]}", f"{within} their {mores[1]}"]
        pair = Around(f"{verbs[0]} ", f" {where[0]}"), Around(f"{verbs[1]} ", f" {where[1]}")
        heavy = Around(f"{verbs[0]} {where[0]} "), Around(f"{verbs[1]} {where[1]} ")
        return Ways(pair, heavy)
    if found := _IS.fullmatch(one.before):
        as_whose = f" as {'their' if people else 'its'} {found[1]}", f" as their {found[1]}"
        has, have = ("had", "had") if found[2] == "was" else ("has", "have")
        pair = Around(f"{has} ", as_whose[0]), Around(f"{have} ", as_whose[1])
        return Ways(pair, (Around(f"{has}{as_whose[0]} "), Around(f"{have}{as_whose[1]} ")))
    made = _MADE.fullmatch(one.before)
    if made and (is_plural(made[1].split(" ")[-1]) or made[1] == "music"):
        what = f"{made[1]} {made[2]} by "
        pair = Around(f"has {what}"), Around(f"have {what}")
        return Ways(pair, reduced=_reduced(pair, people))
    return None


def _reduced(pair: Pair, people: bool) -> Pair | None:
    """A predicate after a noun: "directed by A", "in A", "with dialogue in A", "containing A"."""
    one, more = (_reduced_text(cut.before, people) for cut in pair)
    return (Around(one, pair[0].after), Around(more, pair[1].after)) if one and more else None


def _reduced_text(predicate: str, people: bool) -> str:
    if found := _BEING.fullmatch(predicate):
        first = found[2].split(" ")[0]
        there = first in _PLACED and found[1] in ("is", "are")
        return found[2] if there or is_past(first) else ""
    verb, _, rest = predicate.partition(" ")
    if verb in ("has", "have"):
        first = rest.split(" ")[0]
        return "" if is_past(first) or first in _NOT_HAD else f"with {rest}"
    return f"{_DOING[verb]} {rest}" if verb in _DOING and not people else ""


def _question(one: Around, more: Around, place: bool) -> Ways:
    """The ways of "in which A acted": its question is "in which film did A act?"."""
    found, says = _GAP.fullmatch(one.before), one.after.strip()
    many = of_many(says) if says and one.after == more.after else None
    if many is None:
        return Ways()
    denials = [denial_of(says, many, number) or "" for number in (0, 1)]
    if found is None or not all(" not" in denial for denial in denials):  # "whose …"
        return Ways(many=f" {many}")
    cut = [denial.partition(" not") for denial in denials]
    asked = [Around(f"{first} {found[2]}", rest) for first, _, rest in cut]
    gap = "which" if found[1] == "that" else found[1]
    where = Around(f"is where {found[2]}", one.after), Around(f"are where {found[2]}", one.after)
    pair = where if gap == "in which" and place else None  # "is where A died"
    return Ways(pair, many=f" {many}", gap=gap, asked=(asked[0], asked[1]))


_SOME = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )"
    r"\b(?:an?|one or more) [\w -]+? (?:of|by|from|who|with the)\b"
)
"""An unnamed entity between the ends of a relation, as in "held by a leader of": of two topic entities
it may be two different ones."""
_MOST = 5, 2
"""The most weight of a noun phrase: two relative clauses in a row and a short one; less where its clause
goes on after it."""


def compose(
    query: Query, templates: Templates, *, articles: bool = False, intermediates: int = 0
) -> str:
    """The question in words. Its relations decide on singular or plural; a count is always in the plural.

    Args:
        query: What is asked; the entities as the text names them.
        templates: The templates of its relations, and which state the same facts.
        articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
        intermediates: How many entities lie between topic entities and answers. Where these are one for
            each step that others go on from, the text says "the director of A"; of a union, always "films
            directed by A or B".

    Raises:
        QueryError: There are no words for it: an entity stands by itself, at the root or in a list.
    """
    asked = linked(query, templates.declarations)
    if isinstance(asked, Projection) and isinstance(asked.of, Anchor):
        return templates.ask(asked.relation, _end(asked), asked.of.entity, articles=articles)
    determiner: Determiner = (
        "several"
        if intermediates > 0 and isinstance(asked, Projection) and isinstance(asked.of, Union)
        else "the"
        if 0 < intermediates == _steps_between(asked)
        else "a"
    )
    composer = _Composer(templates, articles, determiner)
    if determiner == "the" and isinstance(asked, Projection):
        return composer.of_one(asked)
    return composer.question(asked, int(not templates.gives_one(asked)))


def reads_well(query: Query, templates: Templates) -> bool:
    """Whether the text of a query is easy to follow.

    Args:
        query: The query; its entities may have any names.
        templates: The templates of its relations.

    Returns:
        False if it says of one entity that it is a person and that it is not, or keeps more in mind at once
        than two relative clauses in a row.
    """
    asked = linked(query, templates.declarations)
    composer = _Composer(templates, articles=False)
    if not composer.makes_sense(asked, None):
        return False
    composer.question(asked, 0)
    return not composer.crowded


class _Composer:
    def __init__(self, templates: Templates, articles: bool, determiner: Determiner = "a") -> None:
        self._templates, self._articles, self._determiner = templates, articles, determiner
        self.crowded = False
        """Whether a sentence had to keep more than it should."""

    def question(self, query: Query, number: int) -> str:
        """The question for what a query gives, in the singular (0) or the plural (1), or for its number."""
        clause = self._clause(of := query.of if isinstance(query, Count) else query)
        who = self._names_people(clause.noun)
        return how_many(clause, who) if query is not of else question(clause, number, who)

    def of_one(self, asked: Projection) -> str:
        """The relation's own question, about the one entity that it goes on from."""
        several = (asked.relation, _end(asked)) not in self._templates.single
        if self._lies_in(asked):
            return self.question(asked, int(several))
        kind, left, right = self._other_noun(asked), *self._description(asked).forms[0][1:3]
        topic = self._phrase(asked.of, frozenset(), kind, brief=False)[0]
        named = f"(?:{re.escape(left)}|the {kind[0]} ){{topic}}{re.escape(right)}"
        return fill(
            re.sub(named, "{topic}", self._templates[asked.relation].asks(_end(asked))[several]),
            {"topic": topic},
        )

    def makes_sense(self, query: Query, led_on: Noun | None) -> bool:
        """Whether nothing is called a person and a thing at once; `led_on`: its noun by the next relation."""
        branches = list(_branches(query))
        nouns = [
            *[self._description(part).noun for part in branches],
            *([led_on] if led_on else []),
        ]
        together = all(
            may_be_same(noun, other, self._templates.people)
            for noun, other in combinations(dict.fromkeys(nouns), 2)
        )
        return together and all(
            isinstance(part.of, Anchor) or self.makes_sense(part.of, self._other_noun(part))
            for part in branches
        )

    def _clause(
        self, query: Query, waiting: frozenset[str] | None = None, *, among: bool = False
    ) -> Clause:
        """What a query says.

        Args:
            query: The query.
            waiting: The relative words of the clauses around it; None: it is what is asked.
            among: Whether it is one of several clauses.
        """
        if isinstance(query, Projection):
            if self._lies_in(query):  # "the county in which A was born"
                clause = self._clause(query.of, waiting, among=among)
                return clause._replace(noun=self._description(query).noun)
            shared = None if self._determiner == "the" else self._shared(query)
            return shared or self._projection(*self._operands(query), waiting, among)
        if isinstance(query, Difference):
            one, other = self._clause(query.of, waiting), self._clause(query.minus, waiting)
            weight = max(one.weight, other.weight)
            return Clause(one.noun, parts=(one,), long=True, but=other, weight=weight)
        if not isinstance(query, Intersection | Union):
            raise QueryError(
                f"query: {query.text} cannot be put into words here; what relations lead to can."
            )
        union = isinstance(query, Union)
        groups: dict[str, list[Query]] = {}
        for part in self._in_order(query.parts):
            groups.setdefault(self._merged_by(part, union), []).append(part)
        among = among or (len(groups) > 1 and not union)
        clauses = []
        for parts in groups.values():
            asked = [part for part in parts if isinstance(part, Projection)]
            named = [part for part in asked if len(asked) < 3 or isinstance(part.of, Anchor)]
            if len(named) > 1:
                clauses.append(self._projection(named, union, waiting, among))
            left = parts if len(named) < 2 else [part for part in asked if part not in named]
            clauses += [self._clause(part, waiting, among=among) for part in left]
        if len(clauses) == 1:
            return clauses[0]
        found = tuple(sorted(clauses, key=lambda clause: clause.long))
        noun = self._common([clause.noun for clause in found], union)
        weight = max(clause.weight for clause in found)
        return Clause(noun, parts=found, union=union, long=True, weight=weight)

    def _projection(
        self,
        asked: Sequence[Projection],
        union: bool,
        waiting: frozenset[str] | None,
        among: bool,
    ) -> Clause:
        """The clause of relations that say the same in the same words, each of its own operand."""
        descriptions = [self._description(part) for part in asked]
        noun = self._common([description.noun for description in descriptions], union)
        ways, form = ways_of(descriptions[0], self._names_people(noun)), descriptions[0].forms[0]
        names, topics, weight = list[str](), list[str](), 0
        for part, description in zip(asked, descriptions, strict=True):
            _, left, right, _ = description.forms[0]
            if isinstance(part.of, Anchor):
                names.append(self._name(form.before + left, part.of))
                topics.append(f"{left}{names[-1]}{right}")
            else:
                brief = bool(form.after) and not ways.heavy
                within, hint = waiting or frozenset(), self._other_noun(part)
                topic, more = self._phrase(part.of, within, hint, brief)
                topics.append(topic)
                weight = max(weight, more)
        same = len({description.forms[0] for description in descriptions}) == 1
        several = (len(topics) > 1 and not union) or (self._determiner == "several" and not names)
        nested = waiting is not None and len(topics) > len(names)
        either = among or nested or any(" or " in name for name in names)
        kind = _kind_of(form, names, len(topics)) if same else ""
        if kind and not union:
            text = f"the {plural(kind)} {listed(names)}"
        else:
            text = listed(topics, union, either=either)
            if not union and len(topics) == 2 and "both " not in text:
                text = f"both {text}"

        def said(pair: tuple[Around, Around] | None) -> tuple[str, str] | None:
            return (pair[0].with_topics(text), pair[1].with_topics(text)) if pair else None

        long = len(names) < len(topics)
        predicate = said((long and ways.heavy) or ways.predicate)
        relative = ways.relative
        if relative and several and ways.many:
            first, second = (around._replace(after=ways.many) for around in relative)
            relative = first, second
        return Clause(
            noun,
            predicate,
            said(relative),
            said(ways.reduced),
            ways.name.with_topics(text) if ways.name else "",
            ways.gap,
            ways.asked[several].with_topics(text) if ways.asked else "",
            long=long,
            alike=all(map(self._names_people, (noun, self._other_noun(asked[0])))),
            weight=weight,
        )

    def _lies_in(self, asked: Projection) -> bool:
        """Whether it gives what a place lies in, where something happened: it happened there, too."""
        return (
            asked.relation in self._templates.places
            and not {"that includes ", "that contains ", " is located"}.isdisjoint(
                self._description(asked).forms[0]
            )
            and isinstance(asked.of, Projection)
            and ways_of(self._description(asked.of), people=False).gap == "in which"
        )

    def _shared(self, asked: Projection) -> Clause | None:
        """A step there and back, if the middle has a name: "shares a director with A"."""
        of = asked.of
        if not isinstance(of, Projection) or not isinstance(of.of, Anchor):
            return None
        there, back = self._description(of), (of.relation, not of.inverse)
        role = re.fullmatch(r"(.+) (?:of|for) ", there.name[0]) if there.name else None
        if not role or back != (asked.relation, asked.inverse):
            return None
        left, right = there.forms[0][1:3]
        said = f"{article(role[1])} {role[1]} with {left}{self._name(f'with {left}', of.of)}{right}"
        return Clause(self._description(asked).noun, (f"shares {said}", f"share {said}"))

    def _name(self, before: str, anchor: Anchor) -> str:
        return in_sentence(before, anchor.entity) if self._articles else anchor.entity

    def _phrase(
        self, query: Query, waiting: frozenset[str], hint: Noun, brief: bool
    ) -> tuple[str, int]:
        """A noun phrase for one entity that a query gives, e.g. "a film directed by A", and its weight.

        Args:
            query: The query.
            waiting: See `_clause`.
            hint: What the entity is by the relation that leads on from it.
            brief: Whether more follows the phrase in its clause.
        """
        noun = self._narrowed(self._noun(query), hint)
        who = self._names_people(noun)
        opened = {"who" if who else "that"} if self._opens(query) else set[str]()
        clause = self._clause(query, waiting | opened)
        weight = clause.weight + (1 if is_short(clause) else 2) + (2 if clause.commas else 0)
        self.crowded |= weight > _MOST[brief]
        return phrase(clause, noun, who, waiting, self._determiner), weight

    def _opens(self, query: Query) -> bool:
        """Whether a noun phrase for a query has relative words of its own."""
        if not isinstance(query, Projection):
            return True
        description = self._description(query)
        ways = ways_of(description, self._names_people(description.noun))
        return not ways.reduced and not ways.name

    def _operands(self, asked: Projection) -> tuple[list[Projection], bool]:
        """The relation, once for each alternative, and whether there are any: "A or a film that …"."""
        query = asked.of
        if isinstance(query, Union):
            hint = self._other_noun(asked)
            entities = any(isinstance(part, Anchor) for part in query.parts)
            if entities or len({self._narrowed(self._noun(p), hint) for p in query.parts}) > 1:
                parts = self._in_order(query.parts)
                return [Projection(asked.relation, asked.inverse, part) for part in parts], True
        return [asked], False

    def _other_noun(self, asked: Projection) -> Noun:
        """The noun of what a relation starts from."""
        end = DIRECTIONS[asked.inverse]
        return read_description(self._templates[asked.relation].description(end)).noun

    def _noun(self, query: Query) -> Noun:
        """The noun of what a query gives."""
        if isinstance(query, Projection):
            return self._description(query).noun
        if isinstance(query, Difference):
            return self._noun(query.of)
        return self._common(
            [self._noun(part) for part in parts_of(query)] or [SOMETHING], isinstance(query, Union)
        )

    def _narrowed(self, noun: Noun, hint: Noun) -> Noun:
        """The more specific noun, where a relation that leads on says more of the entity."""
        found = self._common([noun, hint], union=False)
        return noun if found == SOMETHING else found

    def _common(self, nouns: Sequence[Noun], union: bool) -> Noun:
        return (
            nouns[0]
            if len({*nouns}) == 1
            else (either_noun if union else shared_noun)(nouns, self._templates.people)
        )

    def _names_people(self, noun: Noun) -> bool:
        return names_people(noun, self._templates.people)

    def _description(self, asked: Projection) -> Description:
        return read_description(self._templates[asked.relation].description(_end(asked)))

    def _in_order(self, parts: Sequence[Query]) -> list[Query]:
        """Branches: short ones first, then those without a relative word of their own, then by relation."""

        def rank(part: Query) -> tuple[int, bool, str, str]:
            own = not isinstance(part, Projection) or not self._description(part).subject
            return part.depth, own, renamed(part, defaultdict(str)).text, part.text

        return sorted(parts, key=rank)

    def _merged_by(self, part: Query, union: bool) -> str:
        """A key that branches share if they are one clause with several topic entities."""
        if not isinstance(part, Projection):
            return part.text
        description = self._description(part)
        form, ways = description.forms[0], ways_of(description, people=False)
        # Not "which both A and B belongs to", nor "whose father is both A and B".
        some = _SOME.search(form.before + form.left)
        unfit = (form.after and not ways.many) or form.before.endswith((" is ", " was ")) or some
        return (
            part.text
            if unfit and not union
            else "|".join(text for some in description.forms for text in (some.before, some.after))
        )


def _steps_between(query: Query) -> int:
    """How many steps other steps go on from; alternatives are a step each."""
    below = sum(map(_steps_between, parts_of(query)))
    if not isinstance(query, Projection) or isinstance(query.of, Anchor):
        return below
    return below + (len(query.of.parts) if isinstance(query.of, Union) else 1)


def _end(asked: Projection) -> str:
    return DIRECTIONS[not asked.inverse]


def _kind_of(form: Form, names: Sequence[str], topics: int) -> str:
    """The noun before a topic entity, where several may follow it: "the films A and B"; or empty."""
    kind = form.left.removeprefix("the ").rstrip()
    plain = not any(re.search(r",| and | or ", name) for name in names)
    fits = form.left.startswith("the ") and kind and " of" not in kind and not form.right
    return kind if fits and plain and topics == len(names) > 1 else ""


def _branches(query: Query) -> Iterator[Projection]:
    """The last relation of each branch of a query, negated branches included."""
    if isinstance(query, Projection):
        yield query
    else:
        for part in parts_of(query):
            yield from _branches(part)
