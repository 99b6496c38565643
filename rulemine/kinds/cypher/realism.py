"""Which questions over a property graph nobody would ask, and which have a part that does nothing.

What relations are like is seen in the graph, by type of subject, relation and type of object; each of these
may lack some facts. The checks are those of CypherBench (arXiv 2412.18702) with entailment, symmetry and
inverse relations taken into account. Entailment is transitive: what a relation implies counts, its inverse,
its other direction if it is symmetric, and what these imply in turn.

Guarantee: idle parts are judged on the graph given alone, by what a pattern matches there.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.cypher.questions.evaluator import Row, Rows, evaluate, projected_of
from rulemine.cypher.questions.joins import candidates, m0_counts, matched
from rulemine.cypher.questions.pattern import END, START, MatchPattern, PatternEdge, PatternQuery
from rulemine.cypher.questions.templates import MATCHES
from rulemine.cypher.rows import row_text
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.relation_overlap import LEAST_SHARE

__all__ = [
    "LEAST_COMPARED",
    "Characteristics",
    "IdlePatterns",
    "Realism",
    "compares",
    "draft_characteristics",
]

Signature = tuple[str, str, str]

NEARLY = 0.95
"""What holds for this share holds: some facts are missing from every graph.

Of inverse relations `rulemine.kg.relation_overlap.LEAST_SHARE`, because both lack some."""

LEAST_IMPLYING = 10
"""A relation of fewer pairs implies nothing, and is the inverse of none."""

_Pairs = set[tuple[str, str]]
"""The ids of subject and object of each edge of a relation between two types."""

_CARDINALITIES = ("one", "many")


@dataclass(frozen=True, slots=True)
class Characteristics:
    """What a relation between two types is like.

    Attributes:
        subj_cardinality: ``one``: an object has at most one subject; else ``many``.
        obj_cardinality: ``one``: a subject has at most one object; else ``many``.
        mandatory_subj: Whether every entity of the subject's type has an object.
        mandatory_obj: Whether every entity of the object's type has a subject.
        symmetric: Whether it always holds both ways.
        time_sensitive: Whether it may begin and end.
        implies: Relations between the same types that hold wherever it does.
        inverse: Relations between the types in turn that say the same the other way round; that either of
            two relations names the other is enough.
    """

    subj_cardinality: str = "many"
    obj_cardinality: str = "many"
    mandatory_subj: bool = False
    mandatory_obj: bool = False
    symmetric: bool = False
    time_sensitive: bool = False
    implies: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()


def draft_characteristics(graph: PropertyGraph) -> dict[Signature, Characteristics]:
    """What the relations of a graph look like: what holds for `NEARLY` all.

    Relations that the schema gives a start and an end year are time-sensitive.
    """
    pairs: dict[Signature, _Pairs] = {row.signature: set() for row in graph.schema.relations}
    for edge in graph.edges:
        ends = graph.node(edge.subject).type, graph.node(edge.object).type
        pairs[ends[0], edge.type, ends[1]].add((edge.subject, edge.object))
    between: dict[tuple[str, str], dict[str, _Pairs]] = {}
    for (subject, name, object_), some in pairs.items():
        between.setdefault((subject, object_), {})[name] = some
    return {signature: _drafted(graph, signature, between) for signature in pairs}


def _drafted(
    graph: PropertyGraph,
    signature: Signature,
    between: Mapping[tuple[str, str], Mapping[str, _Pairs]],
) -> Characteristics:
    subject, label, object_ = signature
    same, reverse = between[subject, object_], between.get((object_, subject), {})
    own = same[label]
    objects, subjects = Counter(s for s, _ in own), Counter(o for _, o in own)
    one = [sum(n == 1 for n in side.values()) for side in (objects, subjects)]
    types = len(graph.of_type(subject)), len(graph.of_type(object_))
    back = sum((o, s) in own for s, o in own) if subject == object_ else 0
    implied = [(name, len(own & more)) for name, more in same.items() if name != label]
    turned = {(o, s) for s, o in own}
    backward = [
        (name, len(turned & more), len(more)) for name, more in reverse.items() if more is not own
    ]
    relation = graph.schema.relation(*signature)
    held = {row.name for row in relation.properties} if relation else set()
    implies = tuple(
        name for name, n in implied if len(own) >= LEAST_IMPLYING and n >= NEARLY * len(own)
    )
    return Characteristics(
        _CARDINALITIES[not _nearly(one[1], len(subjects))],
        _CARDINALITIES[not _nearly(one[0], len(objects))],
        _nearly(len(objects), types[0]),
        _nearly(len(subjects), types[1]),
        _nearly(back, len(own)),
        {START, END} <= held,
        implies,
        tuple(
            name
            for name, n, size in backward
            if size >= LEAST_IMPLYING and n >= LEAST_SHARE * max(len(own), size)
        ),
    )


def _nearly(some: int, all_: int) -> bool:
    return all_ > 0 and some >= NEARLY * all_


Statement = tuple[str, str, str]
"""What an edge says: its relation, and the variables of subject and object."""


class Realism:
    """The checks.

    Args:
        rows: What the relations are like; those left out are many to many, and optional.
        declared: Which relations state the same facts, whatever the rows say.
        uncounted: Types whose nodes nobody counts.
    """

    def __init__(
        self,
        rows: Mapping[Signature, Characteristics],
        declared: Declarations = Declarations(),  # noqa: B008 - never changed
        uncounted: Collection[str] = (),
    ) -> None:
        self._rows = rows
        self._uncounted = frozenset(uncounted)
        self._follows: dict[tuple[Statement, Signature, bool], frozenset[Statement]] = {}
        self._declared = declared
        self._inverse: dict[Signature, set[str]] = {}
        for (subject, label, object_), row in rows.items():
            for other in row.inverse:
                self._inverse.setdefault((subject, label, object_), set()).add(other)
                self._inverse.setdefault((object_, other, subject), set()).add(label)

    def of(self, match: MatchPattern, edge: PatternEdge) -> Characteristics:
        """What the relation of an edge is like."""
        return self._like(match, _said(edge))

    def objection(self, match: MatchPattern) -> str:
        """Why nobody would ask for a pattern; "": nothing is wrong with it.

        Returns:
            ``redundant``: an edge says what another between the same nodes says. ``there and back``: two
            edges lead from a node to what must be one node; or the second leads back by an inverse of the
            first, or by the same if that is declared symmetric, so that the one named is among the answers;
            or what is counted is led to by what is declared to say the same as the edge of the one named,
            so that this one is counted. ``contrived``: groups are counted by a relation that is declared
            symmetric, or among nodes of one type that leads to the one named as well.
            ``unnecessary leaf``: an edge that every neighbor has, to a node about which nothing else is
            said. ``pointless group``: counts are at most one. ``uncounted``: counts are of nodes that nobody
            counts.
        """
        edges = match.edges
        if len(edges) == 2 and self._redundant(match, *map(_said, edges)):
            return "redundant"
        if len(edges) == 2 and self._there_and_back(match, *map(_said, edges)):
            return "there and back"
        if match.template.endswith("by n"):
            first, last = match.relations
            akin = match.nodes[0].type == match.nodes[1].type
            if (first == last and akin) or self._declared[first].symmetric:
                return "contrived"
        kind = self.of(match, edges[0]) if edges else Characteristics()
        forward = bool(edges) and edges[0].subject == "n"
        mandatory = kind.mandatory_subj if forward else kind.mandatory_obj
        if len(edges) == 1 and "m0" not in match.category.fixed and mandatory:
            return "unnecessary leaf"
        counts = match.category.form == "optional" or match.template.endswith("by n")
        if counts and (kind.obj_cardinality if forward else kind.subj_cardinality) == "one":
            return "pointless group"
        if counts and match.nodes[1].type in self._uncounted:
            return "uncounted"
        return ""

    def miscounts(self, query: PatternQuery) -> bool:
        """Whether a question asks how many n there are, which nobody counts."""
        result = query.result
        counts = result.template == "union_count" or (
            result.aggregate == "count" and not result.property
        )
        return counts and query.match.nodes[0].type in self._uncounted

    def odd(self, match: MatchPattern) -> bool:
        """Whether a pattern is asked for only where there is no better one.

        That is: what is counted is of the type of what it is counted for, or leads back to it by the same
        relation; a union asks for two things, as the parents of one and the children of another; the middle
        of a chain is one node; what two edges say of a node is one node each, and these are joined as well,
        as a time zone and its country.
        """
        edges, form = match.edges, match.category.form
        if form == "union":
            return len({self._role(edge) for edge in edges}) > 1
        if match.template.endswith("by n"):
            types = [node.type for node in match.nodes]
            again = types[0] == types[2] and len(set(match.relations)) == 1
            return types[0] == types[1] or again
        if len(edges) == 1 and "m0" not in match.category.fixed:
            return self._declared[edges[0].relation].symmetric  # people who work with someone
        if match.template.count("*") == 2 and form == "match" and edges:
            return self._entangled(match)
        if "m1" in match.category.fixed and ("m0", "m1") in match.category.shape:
            kind = self.of(match, edges[1])
            far = kind.obj_cardinality if edges[1].subject == "m1" else kind.subj_cardinality
            return far == "one"
        return False

    def _redundant(self, match: MatchPattern, one: Statement, other: Statement) -> bool:
        return other in self._following(match, one) or one in self._following(match, other)

    def _role(self, edge: PatternEdge) -> tuple[str, bool]:
        """The relation that stands for an edge's facts, and whether n is their subject."""
        reading = self._declared[edge.relation]
        return reading.fact, reading.symmetric or (edge.subject == "n") != reading.reversed

    def _entangled(self, match: MatchPattern) -> bool:
        """Whether there is one m0 and one m1 for each n, and a relation between their types."""
        for edge in match.edges:
            kind = self.of(match, edge)
            far = kind.obj_cardinality if edge.subject == "n" else kind.subj_cardinality
            if far != "one":
                return False
        types = {match.nodes[1].type, match.nodes[2].type}
        return len(types) == 2 and any({row[0], row[2]} == types for row in self._rows)

    def apart(self, match: MatchPattern) -> tuple[str, str] | None:
        """The variables whose nodes differ, or a match leads there and back by statements of one fact.

        None: its edges are not declared to state the same facts. What `objection` leaves has such a match
        only where a graph has parallel edges.
        """
        known = [self._declared.readings.get(relation) for relation in match.relations]
        if (
            len(known) != 2
            or None in known
            or len({reading.fact for reading in known if reading}) > 1
        ):
            return None
        if ("m0", "m1") in match.category.shape:
            return "n", "m1"
        return ("m0", "m1") if match.category.form == "optional" else None

    def _there_and_back(self, match: MatchPattern, one: Statement, other: Statement) -> bool:
        ways = [self._following(match, said, implied=False) for said in (one, other)]
        back = one[0] != other[0] or self._declared[one[0]].symmetric
        counted = match.category.form == "optional" and one[0] in self._declared.readings
        for first, second in product(*ways):
            shared = set(first[1:]) & set(second[1:])
            if len(shared) == 1 and self._alike(match, first, second):
                kind = self._like(match, first)
                far = kind.obj_cardinality if first[1] in shared else kind.subj_cardinality
                if far == "one" or (back and shared == {"m0"}) or (counted and shared == {"n"}):
                    return True
        return False

    def _alike(self, match: MatchPattern, one: Statement, other: Statement) -> bool:
        """Whether two statements are of one relation and join one node in one direction to others."""
        same = one[1] == other[1] or one[2] == other[2]
        return same and _signature(match, one) == _signature(match, other)

    def _following(
        self, match: MatchPattern, said: Statement, implied: bool = True
    ) -> frozenset[Statement]:
        """What follows from a statement, itself included; step by step.

        Args:
            match: The pattern.
            said: The statement.
            implied: Whether what it implies counts, or only what says the same.
        """
        # Of the pattern only the types of the statement's ends matter, and many patterns share them.
        key = said, _signature(match, said), implied
        if key not in self._follows:
            self._follows[key] = frozenset(self._steps(match, said, implied))
        return self._follows[key]

    def _steps(self, match: MatchPattern, said: Statement, implied: bool) -> set[Statement]:
        found, new = {said}, [said]
        while new:
            label, subject, object_ = last = new.pop()
            row = self._like(match, last)
            back = self._inverse.get(_signature(match, last), set())
            more = {(other, object_, subject) for other in back}
            more |= {(label, object_, subject)} if row.symmetric else set()
            more |= {(other, subject, object_) for other in row.implies} if implied else set()
            more |= {
                (other, subject, object_) if end == DIRECTIONS[1] else (other, object_, subject)
                for other, end in self._declared.statements(label, DIRECTIONS[1])
            }
            new += sorted(more - found)
            found |= more
        return found

    def _like(self, match: MatchPattern, said: Statement) -> Characteristics:
        return self._rows.get(_signature(match, said), Characteristics())


def _said(edge: PatternEdge) -> Statement:
    return edge.relation, edge.subject, edge.object


def _signature(match: MatchPattern, said: Statement) -> Signature:
    return match.named[said[1]].type, said[0], match.named[said[2]].type


LEAST_COMPARED = 3
"""What is sorted, compared or grouped needs so many, with two different values among them."""

_FEW = 0.25
"""What shares something with the node named is asked for where it is no more than this of its type."""

_ARROWS = {"→": "->", "←": "<-"}

_BRANCHING = ("(n)-(m0*),(n)-(m1*)", "(n)=(m0)")
"""The categories whose n have to be at the end of both of two edges."""

_DISTINCT = ("n_prop_distinct", "n_prop_array_distinct")
_BY_NODE = ("n_name", "n_name_prop", "n_order_by", "n_where", *_DISTINCT)
"""RETURN templates of which each n gives rows of its own, as texts or each text once."""

_FIRST = 64
_REMEMBERED = 4096

Ints = npt.NDArray[np.int64]


def compares(values: Sequence[object]) -> bool:
    """Whether there are enough values to sort, compare or group by."""
    known = [value for value in values if value is not None]
    return len(known) >= LEAST_COMPARED and len(set(known)) > 1


class IdlePatterns:
    """Finds idle parts on one graph.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._range = lru_cache(_REMEMBERED)(self._all_at)
        self._matched = lru_cache(_REMEMBERED)(self._all_n)
        self._answered = lru_cache(_REMEMBERED)(partial(evaluate, graph))

    def of_pattern(self, match: MatchPattern) -> bool:
        """Whether a pattern has an idle part whatever is returned of it.

        That is a step that leads from a fixed node to all that its relation ever leads to; steps are the
        edges to fixed nodes and, of chains, those to what these lead to. Where m0 are counted for each n, it
        is also that there is too little to count, or that one relation leads there and back to very many n.
        """
        reached: dict[str, Set[int]] = {
            variable: set(candidates(self._graph, node))
            for variable, node in match.named.items()
            if node.fixed
        }
        for number, edge in reversed([*enumerate(match.edges)]):
            near, far = match.category.shape[number]
            if far not in reached:
                continue
            found = self._led_to(match, edge, near, reached[far])
            if len(found) >= self._range(*_signature(match, _said(edge)), edge.subject == near):
                return True
            reached.setdefault(near, found)
        if MATCHES[match.template].category not in ("optional", "group-by"):
            return False
        counts = [*m0_counts(self._graph, match).values()]
        if match.template.endswith("by n") and len(set(match.relations)) == 1:
            size = len(self._graph.of_type(match.nodes[0].type))
            if len(counts) > _FEW * size:
                return True
        return not compares(counts)

    def of_result(
        self, query: PatternQuery, rows: Rows, matched: Collection[int] | None = None
    ) -> bool:
        """Whether there is too little to group or sort, or one of two conditions changes no row.

        What is subtracted from something smaller is idle, too.

        Args:
            query: A question.
            rows: Its rows on the graph.
            matched: The distinct n of its pattern, where they are known.
        """
        result, match = query.result, query.match
        if result.template == "comparison_arithmetic" and repr(rows.rows[0][0]).startswith("-"):
            return True  # how much more is asked, never how much less
        grouped = result.template in ("n_group_by", "n_m0_group_by_count")
        if grouped and not compares([row[-1] for row in rows.rows]):
            return True
        if result.property and result.key:
            nodes = self._matched(match).tolist() if matched is None else matched
            keys, values = self._graph.values(result.key), self._graph.values(result.property)
            sizes = Counter(keys[n] for n in nodes if keys[n] is not None and values[n] is not None)
            if 2 * sum(size > 1 for size in sizes.values()) < len(sizes):
                return True  # most groups have one
        if result.template in ("n_order_by", "n_argmax"):
            nodes = self._matched(match).tolist() if matched is None else matched
            values = self._graph.values(result.property)
            if not compares([values[n] for n in nodes]):
                return True
        if MATCHES[match.template].category not in _BRANCHING:
            return False
        own = self._matched(match) if matched is None else np.array([*matched], np.int64)
        return any(self._same(rows, own, one) for one in _without_one(query))

    def _same(self, rows: Rows, own: Ints, less: PatternQuery) -> bool:
        """Whether a question answers like one without an edge; of what ties for the greatest any is right."""
        # Without the edge the same n are matched, and more.
        more = np.setdiff1d(self._matched(less.match), own).tolist()
        if not more:
            return True
        if less.result.template in _BY_NODE:
            found = set(rows.rows) if less.result.template in _DISTINCT else set[Row]()
            some = (more[:_FIRST], more[_FIRST:])  # most often the first tell
            return all(
                found.issuperset(projected_of(self._graph, less.result, few)) for few in some
            )
        others = self._answered(less)
        if rows.tied:
            return not set(rows.tied).isdisjoint(others.tied)
        if len(rows.rows) != len(others.rows):
            return False
        return sorted(map(row_text, rows.rows)) == sorted(map(row_text, others.rows))

    def _led_to(self, match: MatchPattern, edge: PatternEdge, near: str, far: Set[int]) -> Set[int]:
        wanted, outward = match.named[near].type, edge.subject != near
        found = [self._graph.beside(at, edge.relation, wanted, outward=outward) for at in far]
        return found[0] if len(found) == 1 else frozenset().union(*found)

    def _all_at(self, subject: str, relation: str, object_: str, forward: bool) -> int:
        """How many nodes there are at one end of a relation between two types; ``forward``: subjects."""
        _, subjects, objects = self._graph.of_signature(subject, relation, object_)
        return len(distinct(subjects if forward else objects))

    def _all_n(self, match: MatchPattern) -> Ints:
        return matched(self._graph, match).nodes


def _without_one(query: PatternQuery) -> list[PatternQuery]:
    """A question of two edges that meet n, without the one and without the other."""
    match = query.match
    found = []
    for number, way in enumerate(MATCHES[match.template].directions):
        far = match.named[match.category.shape[number][1]]
        template = f"(n){_ARROWS[way]}(m0{'*' * far.fixed})"
        left = MatchPattern(template, (match.nodes[0], far), (match.relations[number],))
        found.append(PatternQuery(left, query.result))
    return found
