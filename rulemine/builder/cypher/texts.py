"""Questions in English, from templates.

Guarantee: names and values stand as they are. Where only entities with a value count, the text says so;
what a relation that begins and ends says without a time, it says to hold at some point.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rulemine.builder.cypher.realism import Realism
from rulemine.builder.cypher.wording import (
    Predicate,
    noun,
    nouns,
    predicate,
    property_words,
    relative_pronoun,
    some,
)  # fmt: skip
from rulemine.cypher.pattern import (
    CURRENT,
    MatchPattern,
    PatternEdge,
    PatternQuery,
    ReturnClause,
)
from rulemine.cypher.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import is_list
from rulemine.phrasing.grammar import be_of
from rulemine.release.records import topic_values
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["QuestionTexts", "fixed_nodes"]

_EVER = "at some point"

_HIDDEN = ("\x000\x00", "\x001\x00", "\x002\x00")
"""Stand for the names of n, m0 and m1 until a text is a pattern."""


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
            `rulemine.release.records.topic_values` has them. Names come without an article; where the text is
            read by people, fill it with `rulemine.text.articles.in_sentence`.
        """
        fixed = fixed_nodes(self._graph, query.match)
        keys = {node: key for key, node in topic_values(list(fixed.values()), private).items()}
        named = {
            variable: node if variable not in fixed else replace(node, name=_HIDDEN[number])
            for number, (variable, node) in enumerate(query.match.named.items())
        }
        text = escape(
            self._text(replace(query, match=replace(query.match, nodes=tuple(named.values()))))
        )
        for variable, node in fixed.items():
            text = text.replace(named[variable].name or "", f"{{{keys[node]}}}")
        return text

    def _text(self, query: PatternQuery) -> str:
        match, result = query.match, query.result
        category = MATCHES[match.template].category
        if category == "comparison":
            return self._compared(match, result)
        if category == "(n*)":
            whose = match.nodes[0].name
            words = self._words(match, result.property)
            return f"What {_be(words)} the {words} of {whose}?"
        if category == "optional":
            return self._counted(match)
        if category == "group-by":
            return self._members(match)
        return self._asked(match, result)

    def _asked(self, match: MatchPattern, result: ReturnClause) -> str:
        """What is returned of the n that are matched."""
        which, relative = self._which(match, result), self._relative(match, result)
        who = f"{which} {relative}".rstrip()
        p = self._words(match, result.property) if result.property else ""
        opening = self._opening(match)
        template = result.template
        if template == "n_name_prop":
            return f"{opening}Name all {who}, and give the {p} of each."
        if template == "n_prop_distinct":
            return f"{opening}Which different values does the {p} have among the {who}?"
        if template == "n_prop_array_distinct":
            return (
                f"{opening}Which different values do the {p} of the {who} contain, taken together?"
            )
        if template == "n_order_by":
            order = "descending" if result.descending else "ascending"
            return f"{opening}Name all {who}, in {order} order of their {p}."
        if template == "n_argmax":
            return f"{opening}Which one of the {who} has the {self._most(match, result)} {p}?"
        if template == "n_agg":
            if result.aggregate == "count":
                return f"{opening}How many {which} are there {relative}".rstrip() + "?"
            return f"{opening}{_capital(self._aggregate(match, result))} among the {who}?"
        if template == "n_group_by":
            key = self._words(match, result.key)
            if result.aggregate == "count":
                return (
                    f"{opening}For each {key}, how many {which} are there {relative}".rstrip() + "?"
                )
            return f"{opening}For each {key}, {self._aggregate(match, result)} among the {who}?"
        if template == "union_count":
            return f"How many {which} are there {relative}?"
        return f"{opening}Name all {who}."

    def _which(self, match: MatchPattern, result: ReturnClause) -> str:
        """The n that count, by their properties: ``towns with a known population``."""
        text = nouns(match.nodes[0].type)
        if result.template == "n_where":
            return f"{text} {self._condition(match, result)}"
        known = [self._known(match, name) for name in (result.key, result.property) if name]
        if known and result.known and result.template != "n_agg":
            return f"{text} with {' and '.join(known)}"
        return text

    def _known(self, match: MatchPattern, name: str) -> str:
        words = self._words(match, name)
        return f"{'' if _be(words) == 'are' else 'a '}known {words}"

    def _words(self, match: MatchPattern, name: str) -> str:
        """A property of n in words; a number of things says so."""
        words = property_words(name)
        number = self._property(match, name).datatype == "int" and _be(words) == "are"
        return f"number of {words}" if number else words

    def _opening(self, match: MatchPattern) -> str:
        """The sentence that says which m0 are meant, where they do something to n."""
        if MATCHES[match.template].category != "(n)-(m0)-(m1*)" or match.edges[0].subject == "n":
            return ""
        which = self._clause(match, match.edges[1], True, "m0")
        return f"Consider the {nouns(match.nodes[1].type)} {which}. "

    def _relative(self, match: MatchPattern, result: ReturnClause) -> str:
        """What n are said to be by the edges, as relative clauses; after a condition with *and*."""
        if not match.edges:
            return ""
        return "and " * (result.template == "n_where") + self._by_edges(match)

    def _by_edges(self, match: MatchPattern) -> str:
        category = MATCHES[match.template].category
        first, last = match.edges[0], match.edges[-1]
        if category in ("(n)-(m0*)", "time"):
            return self._clause(match, first, True)
        if category == "(n)-(m0)":
            return self._clause(match, first, True, other=some(match.nodes[1].type))
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
        far = edge.object if edge.subject == of else edge.subject
        words = other or match.named[far].name or ""
        said, adverb, past, after = self._said(match, edge)
        if edge.subject == of:
            who = relative_pronoun(match.named[of].type)
            text = f"{who} {said.of_subject(words, several=several, past=past, adverb=adverb)}"
        else:
            text = f"that {said.of_object(words, past=past, adverb=adverb)}"
        return text + after

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
        counted = self._clause(match, match.edges[0], True, "m0", other=f"that {one}")
        which = self._clause(match, match.edges[1], False)
        return f"For each {one} {which}, count the {many} {counted} (0 if there are none)."

    def _members(self, match: MatchPattern) -> str:
        """For each n the number of those m0 that are said which they are."""
        one, many = noun(match.nodes[0].type), nouns(match.nodes[1].type)
        which = self._clause(match, match.edges[1], True, "m0")
        joined = self._clause(match, match.edges[0], False, other="at least one of them")
        number = self._clause(match, match.edges[0], True, "m0", other=f"that {one}")
        return f"Consider the {many} {which}. For each {one} {joined}, count the {many} among them {number}."

    def _compared(self, match: MatchPattern, result: ReturnClause) -> str:
        one, other = (node.name for node in match.nodes)
        p = self._words(match, result.property)
        known = ", if both are known" * result.known
        if result.template == "comparison_argmax":
            more = {"highest": "higher", "latest": "later"}[self._extreme(match, result, True)]
            return f"Which {noun(match.nodes[0].type)} has the {more} {p}, {one} or {other}{known}?"
        if result.template == "comparison_boolean":
            return f"Do {one} and {other} have the same {p}{known}?"
        return f"What is the {p} of {one} minus that of {other}{known}?"

    def _most(self, match: MatchPattern, result: ReturnClause) -> str:
        return self._extreme(match, result, result.descending)

    def _extreme(self, match: MatchPattern, result: ReturnClause, greatest: bool) -> str:
        in_time = self._property(match, result.property).datatype == "date" or _is_year(
            result.property
        )
        return (
            ("latest" if greatest else "earliest")
            if in_time
            else ("highest" if greatest else "lowest")
        )

    def _aggregate(self, match: MatchPattern, result: ReturnClause) -> str:
        p = self._words(match, result.property)
        if result.aggregate == "count distinct":
            return f"how many different values does the {p} have"
        if result.aggregate == "avg":
            return f"what is the average {p}"
        most = self._extreme(match, result, result.aggregate == "max")
        return f"what is the {'year of the ' * result.year}{most} {p}"

    def _condition(self, match: MatchPattern, result: ReturnClause) -> str:
        own, p = self._property(match, result.property), self._words(match, result.property)
        bound, operator = _shown(result.bound), result.operator
        if is_list(own.datatype):
            if operator == "IN":
                return f"whose {p} include {bound}"
            return f"whose {p} are known and do not include {bound}"
        if own.datatype == "bool":
            return f"for which “{p}” is {bound}"
        if own.datatype == "date" or _is_year(result.property):
            word = {"<": "before", ">": "after", "=": "in" if result.year else "", "<>": "not"}[
                operator
            ]
            when = f"{word} {'the year ' * result.year}{bound}".strip()
            return f"whose {p} is {when}"
        words = {
            "=": "is", "<>": "is known and is not", "<": "is less than", ">": "is greater than",
            "<=": "is at most", ">=": "is at least",
        }  # fmt: skip
        return f"whose {p} {words[operator]} {bound}"

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


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f"“{value}”" if isinstance(value, str) else repr(value).replace("e+", "e")


def _is_year(name: str) -> bool:
    return name.lower().endswith("year")


def _be(words: str) -> str:
    return be_of(words.split(" in ")[0])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
