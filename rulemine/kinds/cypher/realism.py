"""Which questions over a property graph nobody would ask, and which have a part that does nothing.

What relations are like is seen in the graph, by type of subject, relation and type of object; each of these
may lack some facts. The checks are those of CypherBench (arXiv 2412.18702) with entailment, symmetry and
inverse relations taken into account. Entailment is transitive: what a relation implies counts, its inverse,
its other direction if it is symmetric, and what these imply in turn.

Guarantee: idle parts are judged on the graph given alone, by what a pattern matches there.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.cypher.questions.evaluator import Rows, evaluate
from rulemine.cypher.questions.joins import candidates, m0_counts, matched
from rulemine.cypher.questions.pattern import END, START, MatchPattern, PatternEdge, PatternQuery
from rulemine.cypher.questions.templates import MATCHES
from rulemine.cypher.rows import row_text
from rulemine.kg.facts import LEAST_SHARE, Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.kg.property_graph.graph import PropertyGraph

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

Of inverse relations `rulemine.kg.facts.LEAST_SHARE`, because both lack some."""

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
        time_sensitive: Whether it may begin and end.
        implies: Relations between the same types that hold wherever it does.
        inverse: Relations between the types in turn that say the same the other way round, itself if it
            always holds both ways; that either of two relations names the other is enough.
    """

    subj_cardinality: str = "many"
    obj_cardinality: str = "many"
    mandatory_subj: bool = False
    mandatory_obj: bool = False
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
    own, turned = same[label], {(o, s) for s, o in same[label]}
    objects, subjects = Counter(s for s, _ in own), Counter(o for _, o in own)
    one = [sum(n == 1 for n in side.values()) for side in (objects, subjects)]
    relation = graph.schema.relation(*signature)
    held = {row.name for row in relation.properties} if relation else set()
    return Characteristics(
        _CARDINALITIES[not _nearly(one[1], len(subjects))],
        _CARDINALITIES[not _nearly(one[0], len(objects))],
        _nearly(len(objects), len(graph.of_type(subject))),
        _nearly(len(subjects), len(graph.of_type(object_))),
        {START, END} <= held,
        tuple(
            name
            for name, more in same.items()
            if name != label and len(own) >= LEAST_IMPLYING and _nearly(len(own & more), len(own))
        ),
        tuple(
            name
            for name, more in reverse.items()
            if len(more) >= LEAST_IMPLYING
            and len(turned & more) >= LEAST_SHARE * max(len(own), len(more))
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
        uncounted: Types whose nodes nobody counts, and relations by which nobody does.
        places: Relations between places.
    """

    def __init__(
        self,
        rows: Mapping[Signature, Characteristics],
        declared: Declarations = Declarations(),  # noqa: B008 - never changed
        uncounted: Collection[str] = (),
        places: Collection[str] = (),
    ) -> None:
        self._rows = rows
        self._uncounted = frozenset(uncounted)
        self._places = frozenset(end for one in rows if one[1] in places for end in one[::2])
        self._declared = declared
        self._inverse: dict[Signature, set[str]] = {}
        for (subject, label, object_), row in rows.items():
            for other in row.inverse:
                self._inverse.setdefault((subject, label, object_), set()).add(other)
                self._inverse.setdefault((object_, other, subject), set()).add(label)
        # Of a pattern only the types of a statement's ends matter, and many patterns share them.
        self._following = lru_cache(None)(self._all_following)

    def of(self, match: MatchPattern, edge: PatternEdge) -> Characteristics:
        """What the relation of an edge is like."""
        return self._rows.get(_signature(match, _said(edge)), Characteristics())

    def one(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether an edge joins what is at its other end to at most one node at this end."""
        like = self.of(match, edge)
        return (like.subj_cardinality if edge.subject == of else like.obj_cardinality) == "one"

    def objection(self, match: MatchPattern) -> str:
        """Why nobody would ask for a pattern; "": nothing is wrong with it.

        Returns:
            ``redundant``: an edge says what another between the same nodes says, or is read against its
            direction although it is declared to hold both ways. ``there and back``: two edges lead from a
            node to what must be one node; or the second leads back by an inverse of the first, or by the
            same if that is declared symmetric, so that the one named is among the answers; or what is
            counted is led to by what says the same as the edge of the one named, so that this one is
            counted. ``stand-in``: see `stands_in`. ``contrived``: a chain leads to n by way of others of
            their type, or from neither end of neither edge to one; or others of their type are counted for
            each n that something of another type leads to; or what is counted, or anything, is joined by a
            relation that is declared symmetric. Or two edges to two that are named say two things, in a
            union, or among nodes of one type. ``unnecessary leaf``: an edge that every neighbor has, to a
            node about which nothing else is said. ``pointless group``: counts are at most one.
            ``uncounted``: nodes that nobody counts are named, are counted, are asked for by way of several
            others, or lead to what is asked for; or a relation is counted by that nobody counts by.
        """
        edges, form, grouped = match.edges, match.category.form, match.template.endswith("by n")
        steps = zip(edges, match.category.shape, strict=True)
        if any(e.object == near and self._declared[e.relation].symmetric for e, (near, _) in steps):
            return "redundant"
        if len(edges) == 2:
            said = [(_said(edge), _signature(match, _said(edge))) for edge in edges]
            all_ = [self._following(*one, True) for one in said]
            if said[0][0] in all_[1] or said[1][0] in all_[0]:
                return "redundant"
            if self._there_and_back(match, *(self._following(*one, False) for one in said)):
                return "there and back"
            if self.stands_in(match):
                return "stand-in"
            two = len(match.category.fixed) == 2
            two = two and (form == "union" or len({node.type for node in match.nodes}) == 1)
            if two and self._strange(match):
                return "contrived"
        types, fixed = [node.type for node in match.nodes], match.category.fixed
        chain, counted = ("m0", "m1") in match.category.shape, grouped or form == "optional"
        if len(edges) == 2 and len(fixed) == 1:
            ends = product(edges, match.named)
            single = any(self.one(match, e, end) for e, end in ends if end in (e.subject, e.object))
            akin = types[0] == types[1] and (chain or types[0] != types[-1])
            if akin or (chain and not single):
                return "contrived"
        some = len(edges) == 1 and not fixed
        if (counted or some) and self._declared[match.relations[0]].symmetric:
            return "contrived"
        if some:
            like = self.of(match, edges[0])
            if like.mandatory_subj if edges[0].subject == "n" else like.mandatory_obj:
                return "unnecessary leaf"
        if counted and self.one(match, edges[0], "m0"):
            return "pointless group"
        several = chain and not grouped and not self.one(match, edges[1], "m0")
        through = counted or (chain and types[0] != types[-1])
        parts = [match.named[name].type for name in fixed * bool(edges)] + types[:1] * several
        parts += types[1:2] * through + [*match.relations[:1]] * counted
        return "" if self._uncounted.isdisjoint(parts) else "uncounted"

    def miscounts(self, query: PatternQuery) -> bool:
        """Whether a question asks how many n there are, which nobody counts."""
        result, type_ = query.result, query.match.nodes[0].type
        number = result.aggregate == "count" or result.template == "union_count"
        return number and type_ in self._uncounted

    def _strange(self, match: MatchPattern) -> bool:
        """Whether two edges say two things, as that n is a parent of one and a child of another."""
        read = ((edge, self._declared[edge.relation]) for edge in match.edges)
        ways = ((row, row.symmetric or (e.subject == "n") != row.reversed) for e, row in read)
        return len({(row.fact, forward) for row, forward in ways}) > 1

    def stands_in(self, match: MatchPattern) -> bool:
        """Whether what is named stands for what people have another name for.

        That is one of the many in a place, or one that every such place has, as a town for its country and
        who lives in a town for it, unless what lies there, too, is asked for.
        """
        fixed, (*firsts, last) = match.category.fixed, match.edges
        near, far = match.category.shape[-1]
        lies = far in fixed and near not in fixed and match.named[near].type in self._places
        others = all(first.relation != last.relation for first in firsts)
        like = self.of(match, last)
        every = like.mandatory_subj if last.subject == near else like.mandatory_obj
        within = every or not self.one(match, last, far)
        return lies and others and within and self.one(match, last, near)

    def apart(self, match: MatchPattern) -> tuple[str, str] | None:
        """The variables whose nodes differ, or a match leads there and back by statements of one fact.

        None: its edges are not declared to state the same facts. What `objection` leaves has such a match
        only where a graph has parallel edges.
        """
        facts = [self._declared.readings.get(relation) for relation in match.relations]
        if len(facts) != 2 or None in facts or len({row.fact for row in facts if row}) > 1:
            return None
        if match.category.form == "optional":
            return "m0", "m1"
        return ("n", "m1") if ("m0", "m1") in match.category.shape else None

    def _there_and_back(
        self, match: MatchPattern, one: Set[Statement], other: Set[Statement]
    ) -> bool:
        """Whether statements of two edges are of one relation and lead from one node to one, or back."""
        first, last = match.relations
        back = first != last or self._declared[first].symmetric
        counted = match.category.form == "optional"
        for said, again in product(one, other):
            shared = [at for at in (1, 2) if said[at] == again[at]]
            if len(shared) == 1 and _signature(match, said) == _signature(match, again):
                like = self._rows.get(_signature(match, said), Characteristics())
                far = like.obj_cardinality if shared == [1] else like.subj_cardinality
                at = said[shared[0]]
                if far == "one" or (back and at == "m0") or (counted and at == "n"):
                    return True
        return False

    def _all_following(
        self, said: Statement, signature: Signature, implied: bool
    ) -> frozenset[Statement]:
        """What follows from a statement, itself included; step by step.

        Args:
            said: The statement.
            signature: Its relation with the types of its ends.
            implied: Whether what it implies counts, or only what says the same.
        """
        found, new = {said}, [said]
        types = {said[1]: signature[0], said[2]: signature[2]}
        while new:
            label, subject, object_ = new.pop()
            own = types[subject], label, types[object_]
            same = [(other, object_, subject) for other in self._inverse.get(own, ())]
            if implied and own in self._rows:
                same += [(other, subject, object_) for other in self._rows[own].implies]
            for other, end in self._declared.statements(label, DIRECTIONS[1]):
                ends = (subject, object_) if end == DIRECTIONS[1] else (object_, subject)
                same.append((other, *ends))
            new += sorted({*same} - found)
            found |= {*same}
        return frozenset(found)


def _said(edge: PatternEdge) -> Statement:
    return edge.relation, edge.subject, edge.object


def _signature(match: MatchPattern, said: Statement) -> Signature:
    return match.named[said[1]].type, said[0], match.named[said[2]].type


LEAST_COMPARED = 3
"""What is sorted, compared or grouped needs so many, with two different values among them."""

_TOLD = 0.75
"""A condition that holds for so many of those that meet the other one is idle."""

_ARROWS = {"→": "->", "←": "<-"}
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
        self._answered = lru_cache(_REMEMBERED)(partial(evaluate, graph))

    def of_pattern(self, match: MatchPattern) -> bool:
        """Whether a pattern has an idle part whatever is returned of it.

        That is a step that leads from a fixed node to all that its relation ever leads to; steps are the
        edges to fixed nodes and, of chains, those to what these lead to. Where m0 are counted for each n, it
        is also that there is too little to count.
        """
        reached: dict[str, Set[int]] = {
            variable: set(candidates(self._graph, node))
            for variable, node in match.named.items()
            if node.fixed
        }
        steps = zip(match.category.shape, match.edges, strict=True)
        for (near, far), edge in reversed([*steps]):
            if far in reached:
                wanted, outward = match.named[near].type, edge.subject != near
                found = frozenset[int]().union(
                    *(
                        self._graph.beside(at, edge.relation, wanted, outward=outward)
                        for at in reached[far]
                    )
                )
                if len(found) >= self._range(*_signature(match, _said(edge)), not outward):
                    return True
                reached.setdefault(near, found)
        counted = match.template.endswith("by n")
        if match.category.form != "optional" and not counted:
            return False
        few = len(reached["n"]) < LEAST_COMPARED
        return few or not compares([*m0_counts(self._graph, match).values()])

    def of_result(self, query: PatternQuery, rows: Rows, n: Collection[int]) -> bool:
        """Whether there is too little to group or sort, or one of two conditions changes no row.

        What is subtracted from something smaller is idle, too.

        Args:
            query: A question.
            rows: Its rows on the graph.
            n: The distinct n of its pattern.
        """
        result, values = query.result, self._graph.values(query.result.property)
        if result.template == "comparison_arithmetic" and repr(rows.rows[0][0]).startswith("-"):
            return True  # how much more is asked, never how much less
        last = [row[-1] for row in rows.rows]
        if result.template in ("n_group_by", "n_m0_group_by_count") and not compares(last):
            return True
        if result.property and result.key:
            keys = self._graph.values(result.key)
            sizes = Counter(keys[at] for at in n if keys[at] is not None and values[at] is not None)
            if 2 * sum(size > 1 for size in sizes.values()) < len(sizes):
                return True  # most groups have one
        if result.template in ("n_order_by", "n_argmax") and not compares([values[at] for at in n]):
            return True
        return any(self._same(rows, len(n), less) for less in _without_one(query))

    def _same(self, rows: Rows, n: int, less: PatternQuery) -> bool:
        """Whether a question answers like one without an edge; of what ties for the greatest any is right."""
        if n >= _TOLD * len(matched(self._graph, less.match).nodes):
            return True  # without the edge nearly the same n are matched
        others = self._answered(less)
        if rows.tied:
            return not set(rows.tied).isdisjoint(others.tied)
        same = len(rows.rows) == len(others.rows)
        return same and sorted(map(row_text, rows.rows)) == sorted(map(row_text, others.rows))

    def _all_at(self, subject: str, relation: str, object_: str, forward: bool) -> int:
        """How many nodes there are at one end of a relation between two types; ``forward``: subjects."""
        _, subjects, objects = self._graph.of_signature(subject, relation, object_)
        return len(distinct(subjects if forward else objects))


def _without_one(query: PatternQuery) -> Iterator[PatternQuery]:
    """A question of two edges that meet n, without the one and without the other; of others nothing."""
    match = query.match
    if len(match.edges) < 2 or match.category.form != "match" or match.category.shape[1][0] != "n":
        return
    ends = zip(
        match.category.shape, match.relations, MATCHES[match.template].directions, strict=True
    )
    for (_, end), relation, way in ends:
        far = match.named[end]
        template = f"(n){_ARROWS[way]}(m0{'*' * far.fixed})"
        yield PatternQuery(MatchPattern(template, (match.nodes[0], far), (relation,)), query.result)
