"""Verbalization templates: files that users can edit, phrase books, and derived templates for the rest.

A template file is TOML with one table per relation; the first three keys are needed:

    ["aunt"]
    statement = "{subject} is the aunt of {object}"
    ask_subject = "Who is the aunt of {topic}?"
    ask_object = "Who is {topic} the aunt of?"
    ask_subjects = "Who are the aunts of {topic}?"    # where there are several answers; ask_objects too

Two more say what the ends are, for questions over several relations, see `rulemine.phrasing.descriptions`:

    describe_subject = "person/people | who is/are aunt/aunts to {topic}"
    describe_object = "person/people | whose aunts include {topic}"

``ask = "object"`` (``"subject"``, ``"none"``), with an ``ask_reason``, says that no question asks for what
is left by itself: nobody can name the citizens of a country, only those who directed a film. Three more keys,
on either of the relations, declare that they state the same facts (see `rulemine.phrasing.declarations`), and
may stand alone: ``symmetric``, ``inverse_of`` and ``same_as`` (a relation or a list). ``place = true`` says
that a relation holds between places, whose names often say where they are.

``{{`` and ``}}`` stand for braces. Guarantees: every template holds each of its placeholders exactly
once, not touching a letter or digit; names are put in verbatim, whatever they contain; no two relations
of a graph share a question unless they are declared to state the same facts in that direction.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from rulemine.kg.facts import Declarations, Reading
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.phrasing.books import book_tables, known_tables
from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import derive_descriptions, read_description
from rulemine.phrasing.graph_ends import GraphEnds, graph_ends
from rulemine.phrasing.relation_names import object_has_role
from rulemine.phrasing.template_file import (
    ENDS,
    RelationTable,
    closed_ends,
    read_template_file,
)
from rulemine.query.tree import Count, Difference, Projection, Query, Union
from rulemine.registry import packaged_or_given
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["RelationTemplates", "Templates", "load_templates"]

_DESCRIBE = ("describe_subject", "describe_object")


@dataclass(frozen=True, slots=True)
class RelationTemplates:
    """The templates of a relation.

    Attributes:
        relation: The relation.
        statement: Template of the triple as a clause, with ``{subject}`` and ``{object}``.
        ask_subject: Template of a question for the subjects, with ``{topic}`` for the object.
        ask_object: Template of a question for the objects, with ``{topic}`` for the subject.
        ask_subjects: As `ask_subject`, where there are several answers.
        ask_objects: As `ask_object`, where there are several answers.
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

    def ask(
        self, direction: str, topic: str, *, several: bool = False, articles: bool = False
    ) -> str:
        """The question for the subjects or the objects.

        Args:
            direction: See `rulemine.kg.graph.DIRECTIONS`.
            topic: The name of the topic entity.
            several: Whether it has more than one answer.
            articles: Whether the topic entity gets *the* if its name takes it, see `rulemine.text.articles`.
        """
        template, values = self.asks(direction)[several], {"topic": topic}
        return fill(template, values, in_sentence) if articles else fill(template, values)

    def asks(self, direction: str) -> tuple[str, str]:
        """The templates of the question for one answer and for several."""
        if direction == DIRECTIONS[0]:
            return self.ask_subject, self.ask_subjects
        return self.ask_object, self.ask_objects

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
    """

    rows: tuple[RelationTemplates, ...]
    unused: tuple[str, ...] = ()
    declarations: Declarations = field(default_factory=Declarations)
    places: frozenset[str] = frozenset()
    unasked: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def _by_relation(self) -> dict[str, RelationTemplates]:
        return {row.relation: row for row in self.rows}

    def __getitem__(self, relation: str) -> RelationTemplates:
        return self._by_relation[relation]

    def asks(self, query: Query) -> bool:
        """Whether a query asks for an end that is asked for, or for what has several ends at once."""
        if isinstance(query, Projection):
            return (query.relation, DIRECTIONS[not query.inverse]) not in self.unasked
        if isinstance(query, Difference | Count):
            return self.asks(query.of)
        return not isinstance(query, Union) or all(map(self.asks, query.parts))

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
        read = (read_description(row.description(d)) for row in self.rows for d in DIRECTIONS)
        return frozenset(description.noun[0] for description in read if description.who)

    def to_plain(self) -> list[dict[str, str]]:
        """The templates and declarations as rows of ``relations.tsv``: column → text."""
        rows = []
        for row in self.rows:
            fact, *flags = self.declarations[row.relation]
            turned, both = ("yes" if flag else "" for flag in flags)
            place = "yes" if row.relation in self.places else ""
            flags_of = {"fact": fact, "reversed": turned, "symmetric": both, "place": place}
            ends = tuple(end for end in DIRECTIONS if (row.relation, end) not in self.unasked)
            flags_of["ask"] = next(word for word, asked in ENDS.items() if asked == ends)
            rows.append(asdict(row) | flags_of)
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
        asked = {relation: ENDS[row.get("ask", "both")] for relation, row in known.items()}
        return cls(
            tuple(RelationTemplates(*(known[r][name] for name in names)) for r in sorted(known)),
            declarations=Declarations(readings).within(known),
            places=frozenset(r for r, row in known.items() if row.get("place") == "yes"),
            unasked=frozenset((r, end) for r in asked for end in DIRECTIONS if end not in asked[r]),
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
    booked = book_tables(every, tables, names, sizes, declared)
    left = kg is not None and not tables.keys() | booked >= set(every)
    ends = graph_ends(kg, names, labels) if kg and left else GraphEnds({}, {})
    derives = _Derived(names, ends, declared)
    rows = tuple(
        _written(r, tables[r], "written")
        if r in tables
        else _both_ways(_written(r, booked[r], "book"), declared)
        if r in booked
        else derives.row(r)
        for r in every
    )
    unused = tuple(sorted(set(tables).difference(every)))
    written, tables = {*tables}, tables | booked
    known = known_tables(every, names, sizes) if left else {}
    closed = closed_ends({r: t for r, t in known.items() if r not in written} | tables, declared)
    unasked = [(r, end) for r in every for end in DIRECTIONS if declared.asked(r, end) in closed]
    declared = declared.within(every)
    places = {declared[r].fact for r in every if r in tables and tables[r].place}
    rows = _described(_distinct(rows, declared, derives), declared)
    if source != "" and path == Path(source):  # a draft has templates that nobody has touched
        own = load_templates("", every, declared, kg=kg, names=names, labels=labels)
        rows = tuple(own[row.relation] if _alike(own[row.relation], row) else row for row in rows)
    return Templates(
        rows,
        unused,
        declared,
        frozenset(r for r in every if declared[r].fact in places),
        frozenset(unasked),
    )


def _alike(one: RelationTemplates, other: RelationTemplates) -> bool:
    """Whether two rows have the same texts."""
    return replace(one, source=other.source) == other


def _written(relation: str, t: RelationTable, source: str) -> RelationTemplates:
    subjects, objects = t.ask_subjects or t.ask_subject, t.ask_objects or t.ask_object
    asks = (t.ask_subject, t.ask_object, subjects, objects)
    row = RelationTemplates(relation, t.statement, *asks, source)
    return replace(row, **{key: text for key in _DESCRIBE if (text := getattr(t, key))})


def _both_ways(row: RelationTemplates, declared: Declarations) -> RelationTemplates:
    """Templates; of what holds both ways in the graph, those for the object at both ends."""
    if not declared[row.relation].symmetric:
        return row
    asked = {"ask_subject": row.ask_object, "ask_subjects": row.ask_objects}
    return replace(row, **asked, describe_subject=row.describe_object)


@dataclass(frozen=True, slots=True)
class _Derived:
    """Derives the templates of relations.

    Attributes:
        names: Relation → a name in words, of the relations that have one.
        ends: What the graph shows of their ends.
        declared: What is declared of them.
    """

    names: Mapping[str, str]
    ends: GraphEnds
    declared: Declarations

    def row(self, relation: str, *, typed: bool = False) -> RelationTemplates:
        """The templates of a relation; `typed` as in `derive`."""
        ends, role_of = self.ends.of(relation)
        role_of = "object" if object_has_role(relation) else role_of
        name = self.names.get(relation, relation)
        found = derive(name, typed=typed, ends=ends, role_of=role_of)
        row = RelationTemplates(relation, *found[:5], "derived", *found[5:])
        return _both_ways(row, self.declared)

    def with_name(self, row: RelationTemplates) -> RelationTemplates:
        """Appends the full name of the relation to each question."""
        name = f" (relation “{escape(row.relation)}”)?"
        asks = (*row.asks(DIRECTIONS[0]), *row.asks(DIRECTIONS[1]))
        named = [ask.removesuffix("?") + name for ask in asks]
        order = (named[0], named[2], named[1], named[3])
        return RelationTemplates(row.relation, row.statement, *order, source="derived")


def _distinct(
    rows: Sequence[RelationTemplates], declared: Declarations, derives: _Derived
) -> tuple[RelationTemplates, ...]:
    """Replaces derived templates until no two questions with different answers share one."""
    typed = _replaced(rows, declared, lambda row: derives.row(row.relation, typed=True))
    return _replaced(typed, declared, derives.with_name)


def _replaced(
    rows: Sequence[RelationTemplates],
    declared: Declarations,
    other: Callable[[RelationTemplates], RelationTemplates],
) -> tuple[RelationTemplates, ...]:
    asked: dict[str, dict[str, tuple[str, str]]] = {}
    for row in rows:
        for direction in DIRECTIONS:
            for text in row.asks(direction):
                asked.setdefault(text, {})[row.relation] = declared.asked(row.relation, direction)
    shared = {text for text, keys in asked.items() if len(set(keys.values())) > 1}
    return tuple(
        other(row)
        if row.source == "derived" and shared & {row.ask_subject, row.ask_object}
        else row
        for row in rows
    )


def _described(
    rows: Sequence[RelationTemplates], declared: Declarations
) -> tuple[RelationTemplates, ...]:
    """Derives the descriptions that are not written; no two of them with different facts are the same."""
    owners: dict[str, set[tuple[str, str]]] = {}
    for row in (_with_descriptions(row, ()) for row in rows):
        for direction in DIRECTIONS:
            asked = declared.asked(row.relation, direction)
            owners.setdefault(row.description(direction), set()).add(asked)
    shared = {text for text, asked in owners.items() if len(asked) > 1}
    return tuple(_with_descriptions(row, shared) for row in rows)


def _with_descriptions(row: RelationTemplates, shared: Collection[str]) -> RelationTemplates:
    """Fills in the descriptions that are missing; instead of shared ones, those that name the relation."""
    templates = (row.relation, row.statement, row.ask_subject, row.ask_object)
    read = derive_descriptions(*templates)
    named = derive_descriptions(*templates, linked=True)
    made = {
        key: other if text in shared else text
        for key, text, other in zip(_DESCRIBE, read, named, strict=True)
        if not getattr(row, key)
    }
    return replace(row, **made)
