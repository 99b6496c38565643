"""Verbalization templates: files that users can edit, phrase books, and derived templates for the rest.

A template file is TOML with one table per relation; the first three keys are needed:

    ["aunt"]
    statement = "{subject} is the aunt of {object}"
    ask_subject = "Who is the aunt of {topic}?"
    ask_object = "Who is {topic} the aunt of?"
    ask_subjects = "Who are the aunts of {topic}?"    # unless hardly anyone has two; ask_objects too

Two more say what the ends are, for questions over several relations, see `rulemine.phrasing.descriptions`:

    describe_subject = "person/people | who is/are aunt/aunts to {topic}"
    describe_object = "person/people | whose aunts include {topic}"

``ask = "object"`` (``"subject"``, ``"none"``), with an ``ask_reason``, says that no question asks for what
is left by itself: nobody can name the citizens of a country, only those who directed a film. Three more keys,
on either of the relations, declare that they state the same facts and may stand alone: ``symmetric``,
``inverse_of`` and ``same_as`` (a relation or a list), see `rulemine.phrasing.template_file`. ``place = true``
says that a relation holds between places, whose names often say where they are.

``{{`` and ``}}`` stand for braces. Derived templates go by the relation's name and by what the graph shows
of its ends (`graph_ends`): people or things, of which type, how many, and whose role. What is named as the
inverse of another relation is asked in that one's words. Guarantees: every template holds each of its
placeholders exactly once, not touching a letter or digit; names are put in verbatim, whatever they contain;
no two relations of a graph share a question unless they are declared to state the same facts in that
direction.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.entity_types import states_type
from rulemine.kg.facts import Declarations, Reading
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import rows_by_relation
from rulemine.phrasing.books import book_tables, known_tables
from rulemine.phrasing.derive import RoleNoun, derive, exchanged, reading
from rulemine.phrasing.descriptions import derive_descriptions, read_description
from rulemine.phrasing.grammar import NOTHING_KNOWN, End, Ends
from rulemine.phrasing.lexicon import (
    BY_PEOPLE,
    FEMALE,
    KIN,
    MALE,
    PEOPLE_DO,
    TYPES,
    is_plural,
)
from rulemine.phrasing.relation_names import named_inverses, object_has_role, phrase_of
from rulemine.phrasing.template_file import ENDS, RelationTable, closed_ends, read_template_file
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union
from rulemine.registry import packaged_or_given
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["RelationTemplates", "Templates", "load_templates"]

Ints = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]

_NONE: Ints = np.empty(0, np.int64)

_ONE = 1.2
"""Up to so many on average count as one."""

_SEVERAL = 1.5
"""From so many on average on there are several."""

_MOST = 0.9
"""The share of an end's entities that a type has to hold."""

_FEWEST = 5
"""Ends of fewer entities say nothing."""

_HUMAN = frozenset({"human", "person", "people", "man", "woman", "human being", "natural person"})
_HAS_PERSON = frozenset(
    {
        "birth",
        "death",
        "occupation",
        "profession",
        "nationality",
        "citizenship",
        "burial",
        "birthplace",
        "birthday",
        "skill",
        "skills",
        "employer",
        "hobby",
    }
)
_IS_PERSON = (KIN - {"parent", "parents", "child", "children", "partner", "ancestor", "descendant"}) | {
    "actor", "actress", "author", "writer", "screenwriter", "composer", "singer", "politician", "athlete",
}  # fmt: skip
_OF_ONE = frozenset({
    "birth", "birthdate", "birthday", "birthplace", "death", "deathplace", "father", "mother",
})  # fmt: skip
_NO_NOUN = frozenset({
    "place", "state", "class", "category", "field", "topic", "subject", "type", "person", "thing",
    "entity", "object", "concept", "resource", "item", "node", "location", "agent",
})  # fmt: skip
"""Words for what may be anything, or means another thing where it stands alone."""


GraphEnds = dict[str, tuple[Ends, str]]
"""Relation → its ends, and which of them plays the role of its noun; "": the graph does not show it."""


def graph_ends(
    kg: KnowledgeGraph, names: Mapping[str, str], labels: Callable[[], Mapping[str, str]]
) -> GraphEnds:
    """What a graph shows of its relations; a function of the triples, the labels and the relations' names.

    - An end holds people as far as its entities are of a type such as *human*, or stand where only people
      do: as a spouse, as what has a place of birth.
    - Its noun is the type that nine tenths of its entities have: stated (``rdf:type``, ``instance of``), or
      one that a noun such as *country of origin* names and no other noun disputes.
    - Numbers show who is the mother, or where is the place of birth: everybody has one. How many there are
      of one another says nothing of other nouns, and no relation's noun is turned because of another's,
      except that all relatives stand at one end.
    - *aunt* and *uncle* are at the ends that they do not share; so are all nouns for women and men.

    Args:
        kg: The graph.
        names: Relation → what it is called, where that is not its own name.
        labels: Gives entity → label, for the names of types.

    Example:
        >>> kg = KnowledgeGraph.from_triples([("ann", "born_in", "rome"), ("bo", "born_in", "rome")])
        >>> graph_ends(kg, {}, dict)["born_in"][0].object.single
        True
    """
    return _Reader(kg, [names.get(relation, relation) for relation in kg.relations], labels).read()


class _Reader:
    def __init__(
        self, kg: KnowledgeGraph, names: list[str], labels: Callable[[], Mapping[str, str]]
    ) -> None:
        self._kg, self._names, self._labels = kg, names, labels
        s, o = (kg.triples[:, column].astype(np.int64) for column in (0, 2))
        rows = rows_by_relation(kg)
        self._pairs = [(s[at], o[at]) for at in rows]
        self._members = [(distinct(s[at]), distinct(o[at])) for at in rows]
        self._words = [phrase_of(name) for name in names]
        self._iris = [kg.relation_iris.get(relation, relation) for relation in kg.relations]
        self._nouns = list(map(reading, names))

    def read(self) -> GraphEnds:
        votes = self._votes()
        turned = {i: vote == "subject" for i, vote in votes.items()}
        people = self._people(turned)
        nouns, named, starts, kinds = self._types(votes)
        sizes = np.bincount(kinds, minlength=len(nouns))
        found: GraphEnds = {}
        for i, relation in enumerate(self._kg.relations):
            both = []
            for end, members in enumerate(self._members[i]):
                share = float(people[members].mean()) if people.any() else None
                own = _spans(starts, members, kinds)
                times = np.bincount(own, minlength=len(nouns)) / max(1, len(members))
                fits = np.flatnonzero(times >= _MOST).tolist()
                at = min(fits, key=lambda k: (sizes[k], nouns[k]), default=-1)
                known = at >= 0 and len(members) >= _FEWEST and not (share and share > 1 - _MOST)
                alone = known and (not named[at] or (named & (times > 1 - _MOST)).sum() == 1)
                noun = nouns[at] if alone else ""
                mean = len(self._pairs[i][0]) / len(self._members[i][1 - end])
                both.append(End(share, noun, mean <= _ONE))
            found[relation] = Ends(*both), votes.get(i, "")
        return found

    def _flags(self, *members: Ints) -> _Flags:
        flags = np.zeros(len(self._kg.entities), bool)
        for some in members:
            flags[some] = True
        return flags

    def _people(self, turned: Mapping[int, bool]) -> _Flags:
        """Which entities are people."""
        found = [_NONE]
        for i, noun in enumerate(self._nouns):
            words, (s, o) = {*self._words[i]}, self._members[i]
            if noun is not None:
                has, is_ = (o, s) if turned.get(i) else (s, o)
                personal = {noun.head, *words} & _HAS_PERSON or noun.head in KIN & _IS_PERSON
                found += [has] * bool(personal)
                found += [is_] * (noun.head in _IS_PERSON and not noun.after)
            elif words == {"reports", "to"}:
                found += s, o
            elif words & BY_PEOPLE and "by" in words:
                found.append(o)
            elif words & (PEOPLE_DO - {"works", "studied", "attended"}):
                found.append(s)
        found += [members for noun, members in self._stated() if noun in _HUMAN]
        return self._flags(*found)

    def _stated(self) -> Iterator[tuple[str, Ints]]:
        """The types that the graph states: what each is called, and the entities that are of it."""
        which = [i for i, name in enumerate(self._names) if states_type(name)]
        labels = self._labels() if which else {}
        for i in which:
            s, o = self._pairs[i]
            order = np.argsort(o, kind="stable")
            kinds, starts = np.unique(o[order], return_index=True)
            for kind, members in zip(kinds.tolist(), np.split(s[order], starts[1:]), strict=True):
                entity = self._kg.entities[kind]
                yield " ".join(phrase_of(labels.get(entity, entity))), members

    def _types(self, votes: Mapping[int, str]) -> tuple[list[str], _Flags, Ints, Ints]:
        """The nouns of types, which of them nouns name, where the types of each entity start, and these."""
        stated: dict[str, list[Ints]] = {}
        for noun, members in self._stated():
            words = noun.split()
            plain = len(words) <= 3 and all(w.isalpha() and w.isascii() for w in words)
            if plain and words[-1] not in _NO_NOUN and noun not in _HUMAN:
                stated.setdefault(noun, []).append(members)
        found = {noun: [*members] for noun, members in stated.items()}
        for i, role in enumerate(self._nouns):
            if (
                role is not None
                and role.head in TYPES - _NO_NOUN
                and role.link == "of"
                and votes.get(i) != "subject"
            ):
                found.setdefault(role.head, []).append(self._members[i][1])
        nouns = sorted(found)
        pairs = [
            distinct(np.concatenate(found[noun])) * len(nouns) + k for k, noun in enumerate(nouns)
        ]
        entity, kinds = np.divmod(np.sort(np.concatenate(pairs or [_NONE])), max(1, len(nouns)))
        named = np.array([noun not in stated for noun in nouns], bool)
        return nouns, named, entity.searchsorted(np.arange(len(self._kg.entities) + 1)), kinds

    def _votes(self) -> dict[int, str]:
        """Which end plays the role of a noun, where the graph shows it; relatives are all at one end."""
        found: dict[int, str] = {}
        for i, noun in enumerate(self._nouns):
            if noun is not None:
                has = object_has_role(self._iris[i]) or is_plural(self._words[i][-1])
                found[i] = "object" if has else self._own_vote(i, noun)
        family = [i for i, noun in enumerate(self._nouns) if noun is not None and noun.of_family]
        among = {found[i] for i in family} | {self._by_gender()}
        if len(among - {""}) == 1:
            found |= dict.fromkeys(family, max(among))
        return {i: vote for i, vote in found.items() if vote}

    def _own_vote(self, i: int, noun: RoleNoun) -> str:
        """By the numbers of both ends, where everybody has one: a mother, a place of birth, two parents."""
        s, o = self._pairs[i]
        subjects, objects = self._members[i]
        if min(len(subjects), len(objects)) < _FEWEST:
            return ""
        of_subject, of_object = len(s) / len(subjects), len(s) / len(objects)
        if noun.head == "parent" and not noun.after:
            most = [int(np.bincount(end).max()) for end in (s, o)]
            return (
                "object" if most[0] <= 2 < most[1] else "subject" if most[1] <= 2 < most[0] else ""
            )
        if not {noun.head, *noun.before.split(), *noun.after.split()} & _OF_ONE:
            return ""
        if of_subject <= _ONE and of_object >= _SEVERAL:
            return "object"
        return "subject" if of_object <= _ONE and of_subject >= _SEVERAL else ""

    def _by_gender(self) -> str:
        """Which end the nouns for men and for women name: no entity stands there for both."""
        named = [noun.head if noun and not noun.after else "" for noun in self._nouns]
        shared = []
        for end in (0, 1):
            women, men = (
                self._flags(*(self._members[i][end] for i, h in enumerate(named) if h in heads))
                for heads in (FEMALE, MALE)
            )
            if min(women.sum(), men.sum()) < _FEWEST:
                return ""
            shared.append(float((women & men).sum() / min(women.sum(), men.sum())))
        apart = [share <= (1 - _MOST) / 10 for share in shared]
        return "" if apart[0] == apart[1] else "subject" if apart[0] else "object"


def _spans(starts: Ints, entities: Ints, values: Ints) -> Ints:
    """The values of some entities, one after another; those of entity i begin at ``starts[i]``."""
    count = starts[entities + 1] - starts[entities]
    at = np.repeat(starts[entities] - (np.cumsum(count) - count), count) + np.arange(count.sum())
    found: Ints = values[at]
    return found


_DESCRIBE = ("describe_subject", "describe_object")
_ASKS = ("ask_subject", "ask_object", "ask_subjects", "ask_objects")


@dataclass(frozen=True, slots=True)
class RelationTemplates:
    """The templates of a relation.

    Attributes:
        relation: The relation.
        statement: Template of the triple as a clause, with ``{subject}`` and ``{object}``.
        ask_subject: Template of a question for the subjects, with ``{topic}`` for the object.
        ask_object: Template of a question for the objects, with ``{topic}`` for the subject.
        ask_subjects: As `ask_subject`, where there may be several answers.
        ask_objects: As `ask_object`, where there may be several answers.
        source: ``written`` (by hand), ``book`` (of a phrase book) or ``derived`` (from the relation's name);
            in a file what says the same as one of these two is still theirs.
        describe_subject: What the subjects are, with ``{topic}`` for the object.
        describe_object: What the objects are, with ``{topic}`` for the subject.
    """

    relation: str
    statement: str
    ask_subject: str
    ask_object: str
    ask_subjects: str
    ask_objects: str
    source: str
    describe_subject: str = ""
    describe_object: str = ""

    def state(self, subject: str, object: str) -> str:
        """The triple in words, e.g. ``7 is the aunt of 72``."""
        return fill(self.statement, {"subject": subject, "object": object})

    def asks(self, direction: str) -> tuple[str, str]:
        """The templates of the question: where there is one answer, and where there may be several."""
        return getattr(self, f"ask_{direction}"), getattr(self, f"ask_{direction}s")

    def description(self, direction: str) -> str:
        """What the subjects or the objects are, see `rulemine.phrasing.descriptions`."""
        return self.describe_subject if direction == DIRECTIONS[0] else self.describe_object


@dataclass(frozen=True)
class Templates:
    """The templates of all relations of a graph.

    Attributes:
        rows: The templates of each relation, sorted by relation.
        unused: Relations of the template file that the graph lacks, sorted.
        declarations: Which relations of the graph state the same facts.
        places: The relations between places.
        unasked: Relations with the end of theirs that is not asked for.
        single: Relations with the end of theirs that is asked for in the singular, because (almost) every
            topic entity has one answer, see `rulemine.query.answers.single_ends`; all others in the plural.
    """

    rows: tuple[RelationTemplates, ...]
    unused: tuple[str, ...] = ()
    declarations: Declarations = field(default_factory=Declarations)
    places: frozenset[str] = frozenset()
    unasked: frozenset[tuple[str, str]] = frozenset()
    single: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def _by_relation(self) -> dict[str, RelationTemplates]:
        return {row.relation: row for row in self.rows}

    def __getitem__(self, relation: str) -> RelationTemplates:
        return self._by_relation[relation]

    def ask(self, relation: str, direction: str, topic: str, *, articles: bool = False) -> str:
        """The question for the subjects or the objects of a relation, however many answers it has.

        Args:
            relation: The relation.
            direction: See `rulemine.kg.graph.DIRECTIONS`.
            topic: The name of the topic entity.
            articles: Whether the topic entity gets *the* if its name takes it, see `rulemine.text.articles`.
        """
        template = self[relation].asks(direction)[(relation, direction) not in self.single]
        return fill(template, {"topic": topic}, *[in_sentence] * articles)

    def gives_one(self, query: Query) -> bool:
        """Whether a query is asked in the singular: of its relations (almost) always one entity follows."""
        if isinstance(query, Projection):
            asked = query.relation, DIRECTIONS[not query.inverse]
            return asked in self.single and self.gives_one(query.of)
        of = (query.of,) if isinstance(query, Difference) else ()
        parts = query.parts if isinstance(query, Intersection) else of
        return isinstance(query, Anchor) or any(map(self.gives_one, parts))

    def asks(self, query: Query) -> bool:
        """Whether a query asks for an end that is asked for, or for what has several ends at once."""
        if isinstance(query, Projection):
            return (query.relation, DIRECTIONS[not query.inverse]) not in self.unasked
        return (
            self.asks(query.of)
            if isinstance(query, Difference | Count)
            else not isinstance(query, Union) or all(map(self.asks, query.parts))
        )

    @property
    def written(self) -> int:
        """How many relations have written templates."""
        return sum(row.source == "written" for row in self.rows)

    @property
    def derived(self) -> int:
        """How many relations have templates derived from their names."""
        return sum(row.source == "derived" for row in self.rows)

    @cached_property
    def people(self) -> frozenset[str]:
        """Nouns of descriptions that name people, in the singular."""
        return frozenset(
            read.noun[0]
            for row in self.rows
            for direction in DIRECTIONS
            if (read := read_description(row.description(direction))).who
        )

    def to_plain(self) -> list[dict[str, str]]:
        """The templates and declarations as rows of ``relations.tsv``: column → text."""
        words = {ends: word for word, ends in ENDS.items()}
        every = {(row.relation, end) for row in self.rows for end in DIRECTIONS}
        columns, rows = {"single": self.single, "ask": every - self.unasked}, []
        for row in self.rows:
            fact, *flags = self.declarations[row.relation]
            yes = zip(
                ("reversed", "symmetric", "place"),
                (*flags, row.relation in self.places),
                strict=True,
            )
            own = asdict(row) | {"fact": fact} | {column: "yes" * flag for column, flag in yes}
            for column, some in columns.items():
                own[column] = words[tuple(e for e in DIRECTIONS if (row.relation, e) in some)]
            rows.append(own)
        return rows

    @classmethod
    def from_plain(cls, rows: Iterable[Mapping[str, str]]) -> "Templates":
        """Reads what `to_plain` makes; rows may have more columns."""
        known = {row["relation"]: row for row in rows}
        names = [slot.name for slot in fields(RelationTemplates)]
        readings = {
            relation: Reading(row["fact"], row["reversed"] == "yes", row["symmetric"] == "yes")
            for relation, row in known.items()
        }

        def ends(column: str, usual: str) -> frozenset[tuple[str, str]]:
            return frozenset((r, end) for r in known for end in ENDS[known[r].get(column, usual)])

        return cls(
            tuple(RelationTemplates(*(known[r][name] for name in names)) for r in sorted(known)),
            declarations=Declarations(readings).within(known),
            places=frozenset(r for r, row in known.items() if row.get("place") == "yes"),
            unasked=frozenset((r, end) for r in known for end in DIRECTIONS) - ends("ask", "both"),
            single=ends("single", "none"),
        )


def load_templates(
    source: str | Path,
    relations: Iterable[str],
    further: Declarations | None = None,
    kg: KnowledgeGraph | None = None,
    names: Mapping[str, str] | None = None,
    labels: Callable[[], Mapping[str, str]] = dict,
) -> Templates:
    """Loads the templates of a graph: those of a file, of phrase books, and derived ones for the rest.

    Args:
        source: A template file, the name of a packaged data set that has one, or "" for none.
        relations: The relations of the graph.
        further: What is declared besides.
        kg: The graph, whose triples show what its relations are about.
        names: Relation → a name in words, where its own is another.
        labels: Gives entity → label; called where templates are derived.

    Raises:
        InputError: As `read_template_file`.
    """
    every, names = sorted(set(relations)), names or {}
    tables: dict[str, RelationTable] = {}
    declared = further or Declarations()
    if source != "":
        path = packaged_or_given(str(source), "templates.toml")
        tables, declared = read_template_file(path, every, declared)
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True)) if kg else {}
    called = {**names, **(kg.relation_iris if kg else {})}
    booked = book_tables(every, tables, called, sizes, declared)
    left = kg is not None and not tables.keys() | booked >= set(every)
    ends = graph_ends(kg, names, labels) if kg and left else {}

    inverses = named_inverses(kg) if kg and left else {}

    def derive_table(relation: str, typed: bool) -> RelationTable:
        if of := inverses.get(relation):
            return exchanged(tables.get(of) or booked.get(of) or derive_table(of, typed))
        known, role_of = ends.get(relation, (NOTHING_KNOWN, ""))
        role_of = "object" if object_has_role(relation) else role_of
        return derive(names.get(relation, relation), typed=typed, ends=known, role_of=role_of)

    def derived(relation: str, *, typed: bool = False) -> RelationTemplates:
        return _both_ways(_row(relation, derive_table(relation, typed), "derived"), declared)

    rows = [
        _row(r, tables[r], "written")
        if r in tables
        else _both_ways(_row(r, booked[r], "book"), declared)
        if r in booked
        else derived(r)
        for r in every
    ]
    unused = tuple(sorted(set(tables).difference(every)))
    written, tables = {*tables}, tables | booked
    known = known_tables(every, called, sizes) if left else {}
    closed = closed_ends({r: t for r, t in known.items() if r not in written} | tables, declared)
    unasked = [(r, end) for r in every for end in DIRECTIONS if declared.asked(r, end) in closed]
    rows = _replaced(rows, declared, lambda row, _: derived(row.relation, typed=True))
    rows = _replaced(rows, declared, _with_name)
    declared = declared.within(every)
    places = {declared[r].fact for r in every if r in tables and tables[r].place}
    rows = _described(rows, declared)
    if source != "" and path == Path(source):  # a draft has templates that nobody has touched
        own = load_templates("", every, declared, kg=kg, names=names, labels=labels)
        alike = (replace(own[row.relation], source=row.source) == row for row in rows)
        rows = [own[r.relation] if same else r for r, same in zip(rows, alike, strict=True)]
    return Templates(
        tuple(rows),
        unused,
        declared,
        frozenset(r for r in every if declared[r].fact in places),
        frozenset(unasked),
    )


def _row(relation: str, t: RelationTable, source: str) -> RelationTemplates:
    asks = t.ask_subjects or t.ask_subject, t.ask_objects or t.ask_object
    texts = t.statement, t.ask_subject, t.ask_object, *asks
    both = t.describe_subject or "", t.describe_object or ""
    return RelationTemplates(relation, *texts, source, *both)


def _both_ways(row: RelationTemplates, declared: Declarations) -> RelationTemplates:
    """Templates; of what holds both ways in the graph, those for the object at both ends."""
    if not declared[row.relation].symmetric:
        return row
    return replace(
        row,
        ask_subject=row.ask_object,
        ask_subjects=row.ask_objects,
        describe_subject=row.describe_object,
    )


def _with_name(row: RelationTemplates, shared: set[str]) -> RelationTemplates:
    """Names the relation in each question that is shared, and in the description of that end."""
    name = f" (relation “{escape(row.relation)}”)?"
    texts = {
        key: text
        for key, end, text in zip(_DESCRIBE, DIRECTIONS, _read_off(row, linked=True), strict=True)
        if not shared.isdisjoint(row.asks(end))
    }
    asks = {key: getattr(row, key) for key in _ASKS}
    texts |= {k: ask.removesuffix("?") + name for k, ask in asks.items() if ask in shared}
    return replace(row, **texts)


def _replaced(
    rows: Sequence[RelationTemplates],
    declared: Declarations,
    other: Callable[[RelationTemplates, set[str]], RelationTemplates],
) -> list[RelationTemplates]:
    """Replaces derived templates that ask a question which another relation asks, too."""
    asked: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        for direction in DIRECTIONS:
            for text in row.asks(direction):
                asked.setdefault(text, set()).add(declared.asked(row.relation, direction))
    shared = {text for text, keys in asked.items() if len(keys) > 1}
    return [
        other(row, shared)
        if row.source == "derived" and not shared.isdisjoint(sum(map(row.asks, DIRECTIONS), ()))
        else row
        for row in rows
    ]


def _described(
    rows: Sequence[RelationTemplates], declared: Declarations
) -> list[RelationTemplates]:
    """Fills in the descriptions that are missing; instead of shared ones, those that name the relation."""
    made = [dict(zip(_DESCRIBE, _read_off(row, linked=False), strict=True)) for row in rows]
    owners: dict[str, set[tuple[str, str]]] = {}
    for row, texts in zip(rows, made, strict=True):
        for key, direction in zip(_DESCRIBE, DIRECTIONS, strict=True):
            asked = declared.asked(row.relation, direction)
            owners.setdefault(getattr(row, key) or texts[key], set()).add(asked)
    found = []
    for row, texts in zip(rows, made, strict=True):
        linked = dict(zip(_DESCRIBE, _read_off(row, linked=True), strict=True))
        new = {
            key: text if len(owners[text]) == 1 else linked[key]
            for key, text in texts.items()
            if not getattr(row, key)
        }
        found.append(replace(row, **new))
    return found


def _read_off(row: RelationTemplates, *, linked: bool) -> tuple[str, str]:
    """The descriptions of both ends that the other templates give, see `derive_descriptions`."""
    return derive_descriptions(
        row.relation, row.statement, row.ask_subject, row.ask_object, linked=linked
    )
