"""Which patterns nobody would ask for, by what relations are like.

The checks are those of CypherBench (arXiv 2412.18702) with entailment, symmetry and inverse relations taken
into account; what relations are like is known per type of subject, relation and type of object.

Entailment is transitive: what a relation implies counts, its inverse, its other direction if it is symmetric,
and what these imply in turn.
"""

from collections.abc import Collection, Mapping
from itertools import product

from rulemine.cypher.questions.pattern import MatchPattern, PatternEdge, PatternQuery
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.cypher.realism.characteristics import Characteristics, Signature

__all__ = ["Realism"]

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
