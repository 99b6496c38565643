"""Questions in English, from templates.

Guarantee: names and values stand as they are. Where only entities with a value count, the text says so;
what a relation that begins and ends says without a time, it says to hold at some point. Relative clauses come
before conditions, so that it is clear what a condition is about. Numbers that are returned or compared have
their unit.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rulemine.cypher.questions.pattern import (
    CURRENT,
    MatchPattern,
    PatternEdge,
    PatternQuery,
    ReturnClause,
)
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import is_list
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.wording import (
    Predicate,
    extreme_of,
    is_several,
    noun,
    nouns,
    plural,
    predicate,
    property_words,
    relative_pronoun,
    some,
    truth,
    unit_of,
)
from rulemine.release.records import topic_values
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["QuestionTexts", "fixed_nodes"]

_EVER = "at some point"

_HIDDEN = ("\x000\x00", "\x001\x00", "\x002\x00")
"""Stand for the names of n, m0 and m1 until a text is a pattern."""

_CHAINS = ("(n)-(m0)-(m1*)", "group-by")
_BY_VALUE = {
    "=": "is", "<>": "is known and is not", "<": "is less than", ">": "is greater than",
    "<=": "is at most", ">=": "is at least",
}  # fmt: skip
_IN_TIME = {
    "=": "is", "<>": "is known and is not", "<": "is before", ">": "is after",
    "<=": "is no later than", ">=": "is no earlier than",
}  # fmt: skip


def fixed_nodes(graph: PropertyGraph, match: MatchPattern) -> dict[str, str]:
    """The ids of the nodes that a pattern fixes, by variable."""
    return {
        variable: node.id or graph.nodes[graph.named(node.type, node.name or "")[0]].id
        for variable, node in match.named.items()
        if node.fixed
    }


class QuestionTexts:
    """Words questions about one graph.

    Args:
        graph: The graph.
        realism: Says which relations begin and end.
    """

    def __init__(self, graph: PropertyGraph, realism: Realism) -> None:
        self._graph = graph
        self._realism = realism

    def question(self, query: PatternQuery) -> str:
        """A question in English, with the names of the graph."""
        ids = fixed_nodes(self._graph, query.match).values()
        by_id = {node: node for node in ids}
        return fill(self.pattern(query, by_id), self.names(ids, by_id), in_sentence)

    def names(self, ids: Iterable[str], private: Mapping[str, str]) -> dict[str, str]:
        """What the placeholders of a pattern stand for: names, and what tells them from others of the type.

        Args:
            ids: The fixed nodes.
            private: Node → private id; placeholders are numbered in the order of these.
        """
        return {key: self._name(node) for key, node in topic_values(list(ids), private).items()}

    def pattern(self, query: PatternQuery, private: Mapping[str, str]) -> str:
        """A question in English, with placeholders for the names of its fixed nodes.

        Args:
            query: The question.
            private: Node → private id, of its fixed nodes at least.

        Returns:
            A text for `rulemine.text.template.fill`, with ``{topic}``, or ``{topic1}`` and ``{topic2}``, as
            `rulemine.release.records.topic_values` has them, each at least once. Names come without an
            article; where people read the text, fill it with `rulemine.text.articles.in_sentence`.
        """
        fixed = fixed_nodes(self._graph, query.match)
        keys = {node: key for key, node in topic_values(list(fixed.values()), private).items()}
        nodes = tuple(
            replace(node, name=self._kind(fixed[variable]) + hidden, id=fixed[variable])
            if variable in fixed
            else node
            for hidden, (variable, node) in zip(_HIDDEN, query.match.named.items(), strict=False)
        )
        text = escape(self._text(replace(query, match=replace(query.match, nodes=nodes))))
        for hidden, variable in zip(_HIDDEN, query.match.variables, strict=False):
            if variable in fixed:
                text = text.replace(hidden, f"{{{keys[fixed[variable]]}}}")
        return text

    def _kind(self, node: str) -> str:
        """The type before a name that nodes of other types have, too."""
        own = self._graph.node(node)
        types = (row.label for row in self._graph.schema.entities if row.label != own.type)
        shared = any(self._graph.named(label, own.name) for label in types)
        return f"the {noun(own.type)} " if shared else ""

    def _text(self, query: PatternQuery) -> str:
        match, result = query.match, query.result
        category = MATCHES[match.template].category
        if category == "comparison":
            return self._compared(match, result)
        if category == "(n*)":
            name, own = match.nodes[0].name or "", self._property(match, result.property)
            if own.datatype == "bool":
                return f"Is it true or false that {name} {truth(own.name)[0]}?"
            words, unit = _words(own), _unit(own)
            return f"What {_be(words)} the {words} of {name}{unit and ',' + unit}?"
        if category == "optional":
            return self._counted(match)
        if category == "group-by":
            return self._members(match)
        return self._opening(match) + self._asked(match, result)

    def _asked(self, match: MatchPattern, result: ReturnClause) -> str:
        """What is returned of the n that are matched."""
        which = self._others(match, nouns(match.nodes[0].type))
        relative, template = self._relative(match), result.template
        who = f"{which} {relative}".rstrip()
        if template == "union_count" or (result.aggregate == "count" and not result.key):
            return f"How many {which} are there {relative}".rstrip() + "?"
        if not result.property and not result.key:
            return f"Name all {who}."
        if template == "n_group_by":
            return self._grouped(match, result, which, who)
        if template == "n_agg":
            what = self._aggregate(match, result, "")
            return f"{what[:1].upper()}{what[1:]} among the {who}?"
        own = self._property(match, result.property)
        p, known = _words(own), "known " * result.known
        most = extreme_of(p, own.datatype, result.descending)
        if template == "n_argmax" and not relative:
            return f"Which {noun(match.nodes[0].type)} has the {most} {known}{p}?"
        if template == "n_argmax":
            return f"Of the {who}, which one has the {most} {known}{p}?"
        if template == "n_prop_array_distinct" and own.datatype != "list[str]":
            return f"Which different values occur in the {p} of the {who}, taken together?"
        if template in ("n_prop_distinct", "n_prop_array_distinct"):
            together = ", taken together" * is_list(own.datatype)
            return f"What are the different {known}{plural(p)} of the {who}{together}?"
        those = f"Of the {who}, name those" if relative else f"Name all {which}"
        if template == "n_where":
            return f"{those} {self._condition(match, result)}."
        if own.datatype == "bool" and result.known:
            whether = f"{self._of_whom(match)} it is known whether they {truth(own.name)[1]}"
            return f"{those} {whether}, and say for each whether it is true or false."
        if result.known:
            those += f" with {'known' if is_several(p) else 'a known'} {p}"
        else:
            those = f"Name all {who}"
        if template == "n_order_by":
            return f"{those}, in {'de' if result.descending else 'a'}scending order of their {p}."
        return f"{those}, and give the {p} of each{_unit(own)}."

    def _grouped(self, match: MatchPattern, result: ReturnClause, which: str, who: str) -> str:
        """For each value of a property, something of the n that have it."""
        known, key = "known " * result.known, _words(self._property(match, result.key))
        if result.aggregate == "count":
            return f"For each {known}{key} of the {who}, how many of these {which} have it?"
        what = self._aggregate(match, result, known)
        return f"For each {known}{key} of the {who}, {what} among those with that {key}?"

    def _aggregate(self, match: MatchPattern, result: ReturnClause, known: str) -> str:
        own = self._property(match, result.property)
        p = _words(own)
        if result.aggregate == "count distinct":
            return f"how many different {known}{plural(p)} are there"
        if result.aggregate == "avg":
            return f"what is the average {known}{p}{_unit(own)}"
        most = extreme_of(p, own.datatype, result.aggregate == "max")
        return f"what is the {'year of the ' * result.year}{most} {known}{p}{_unit(own)}"

    def _condition(self, match: MatchPattern, result: ReturnClause) -> str:
        """A condition, as what follows *those*."""
        own = self._property(match, result.property)
        p, bound, operator = _words(own), _shown(result.bound), result.operator
        if own.datatype == "bool":
            negated = "known not to be " * (operator == "<>")
            return f"{self._of_whom(match)} it is {negated}{bound} that they {truth(own.name)[1]}"
        if is_list(own.datatype):
            include = "include" if is_several(p) else "includes"
            if operator == "IN":
                return f"whose {p} {include} {bound}"
            does = "do" if is_several(p) else "does"
            return f"whose {p} {_be(p)} known and {does} not include {bound}"
        if result.year:
            word = {"=": "is in", "<>": "is known and is not in"}.get(operator, _IN_TIME[operator])
            return f"whose {p} {word} the year {bound}"
        in_time = own.datatype == "date" or _is_year(own)
        word = (_IN_TIME if in_time else _BY_VALUE)[operator]
        unit = _unit(own).removeprefix(" in")
        return f"whose {p} {word.replace('is', _be(p))} {bound}{unit}"

    def _of_whom(self, match: MatchPattern) -> str:
        return "of whom" if relative_pronoun(match.nodes[0].type) == "who" else "of which"

    def _opening(self, match: MatchPattern) -> str:
        """The sentence that says which m0 are meant, where they do something to n."""
        if MATCHES[match.template].category != _CHAINS[0] or match.edges[0].subject == "n":
            return ""
        which = self._clause(match, match.edges[1], True, "m0")
        return f"Consider the {nouns(match.nodes[1].type)} {which}. "

    def _relative(self, match: MatchPattern) -> str:
        """What n are said to be by the edges, as relative clauses."""
        if not match.edges:
            return ""
        category = MATCHES[match.template].category
        first, last = match.edges[0], match.edges[-1]
        if category in ("(n)-(m0*)", "time"):
            return self._clause(match, first, True)
        if category == "(n)-(m0)":
            return self._clause(
                match, first, True, other=f"at least one {noun(match.nodes[1].type)}"
            )
        if category in ("(n)-(m0*),(n)-(m1*)", "union"):
            word = "or" if category == "union" else "and"
            return f"{self._clause(match, first, True)} {word} {self._clause(match, last, True)}"
        if category == "(n)=(m0)":
            same = f"the same {noun(match.nodes[1].type)}"
            one = self._clause(match, first, True, other=some(match.nodes[1].type))
            return f"{one} and {self._clause(match, last, True, other=same)}"
        if first.subject != "n":
            return self._clause(match, first, True, other="at least one of them")
        far = f"{some(match.nodes[1].type)} {self._clause(match, last, False, 'm0')}"
        return self._clause(match, first, True, other=far)

    def _others(self, match: MatchPattern, words: str) -> str:
        """The n in words; without m1, where both do the same to m0, for no edge is matched twice.

        If two edges join m1 to one m0, it is among the n.
        """
        nodes = match.named
        if MATCHES[match.template].category not in _CHAINS or len(set(match.relations)) > 1:
            return words
        (first, last), (n, m0, m1) = match.edges, (nodes[at] for at in ("n", "m0", "m1"))
        if (first.subject == "m0") != (last.subject == "m0") or n.type != m1.type:
            return words
        joined = self._graph.leading_in if first.subject == "m0" else self._graph.leading_out
        found = joined(self._graph.positions[m1.id or ""], match.relations[0])
        ends = [end for _, end in found if self._graph.nodes[end].type == m0.type]
        if len(set(ends)) < len(ends):
            return words
        return f"{words} other than {m1.name}" if n.type == m0.type else f"other {words}"

    def _clause(
        self, match: MatchPattern, edge: PatternEdge, several: bool, of: str = "n", other: str = ""
    ) -> str:
        """What an edge says of one of its ends, as a relative clause.

        Args:
            match: The pattern.
            edge: The edge.
            several: Whether there are several of that end.
            of: That end.
            other: The other end in words; "": by its name.
        """
        who = relative_pronoun(match.named[of].type) if edge.subject == of else "that"
        far = edge.object if edge.subject == of else edge.subject
        words = other or match.named[far].name or ""
        return f"{who} {self._statement(match, edge, several, of, words)}"

    def _statement(
        self, match: MatchPattern, edge: PatternEdge, several: bool, of: str, other: str
    ) -> str:
        """What one end does, or what the other one does to it."""
        said, adverb, past, after = self._said(match, edge)
        if edge.subject == of:
            return said.of_subject(other, several=several, past=past, adverb=adverb) + after
        return said.of_object(other, past=past, adverb=adverb) + after

    def _said(self, match: MatchPattern, edge: PatternEdge) -> tuple[Predicate, str, bool, str]:
        """The predicate of an edge; an adverb, whether it is past, and what follows it."""
        said = predicate(edge.relation)
        if match.time == CURRENT:
            return said, "currently", False, ""
        if match.time is not None:
            return said, "", True, f" in {match.time}"
        ever = self._realism.of(match, edge).time_sensitive
        return said, _EVER if ever else "", ever, ""

    def _counted(self, match: MatchPattern) -> str:
        """For each n the number of m0 that an edge joins it with."""
        one, many = noun(match.nodes[0].type), nouns(match.nodes[1].type)
        counted = self._clause(match, match.edges[0], True, "m0", other=f"this {one}")
        which = self._clause(match, match.edges[1], False)
        return f"For each {one} {which}, count the {many} {counted} (0 if there are none)."

    def _members(self, match: MatchPattern) -> str:
        """For each n the number of those m0 that are said which they are."""
        one, many = noun(match.nodes[0].type), nouns(match.nodes[1].type)
        which = self._clause(match, match.edges[1], True, "m0")
        joined = self._clause(match, match.edges[0], False, other="at least one of them")
        number = self._statement(match, match.edges[0], True, "m0", f"this {one}")
        each = f"For each {self._others(match, one)} {joined}"
        return f"Consider the {many} {which}. {each}, count how many of them {number}."

    def _compared(self, match: MatchPattern, result: ReturnClause) -> str:
        one, other = (node.name for node in match.nodes)
        own = self._property(match, result.property)
        p, known = _words(own), ", if it is known for both" * result.known
        if result.template == "comparison_argmax":
            more = extreme_of(p, own.datatype, True, degree="er")
            return f"Which {noun(match.nodes[0].type)} has the {more} {p}, {one} or {other}{known}?"
        if result.template == "comparison_boolean":
            return f"Do {one} and {other} have the same {p}{known}?"
        unit = _unit(own)
        return f"What is the {p} of {one} minus that of {other}{unit and ',' + unit}{known}?"

    def _property(self, match: MatchPattern, name: str) -> Property:
        own = self._graph.schema.entity(match.nodes[0].type).properties
        return next(row for row in own if row.name == name)

    def _name(self, node: str) -> str:
        """A name, and what tells it from others of that name."""
        own = self._graph.node(node)
        others = self._graph.named(own.type, own.name)
        if len(others) == 1:
            return own.name
        known = [self._graph.nodes[at].description for at in others]
        about = own.description
        return f"{own.name} ({about if about and known.count(about) == 1 else node})"


def _words(own: Property) -> str:
    """A property in words; a number of things says so."""
    words = property_words(own.name)
    if own.datatype == "bool":
        return f"value of “{words}”"
    number = own.datatype == "int" and is_several(words)
    return f"number of {words}" if number else words


def _unit(own: Property) -> str:
    """What a property's numbers count: `` in km²``, or ""."""
    unit = unit_of(own.name, own.unit)
    return f" in {unit}" if unit else ""


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f"“{value}”" if isinstance(value, str) else repr(value).replace("e+", "e")


def _is_year(own: Property) -> bool:
    return own.name.lower().endswith("year")


def _be(words: str) -> str:
    return "are" if is_several(words) else "is"
