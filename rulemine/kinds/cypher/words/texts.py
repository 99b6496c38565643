"""Questions in English, from templates.

Guarantee: names and values stand as they are. Where only entities with a value count, the text says so;
what a relation that begins and ends says without a time, it says to hold at some point. Relative clauses come
before conditions, so that it is clear what a condition is about. Numbers that are returned or compared have
their unit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rulemine.cypher.questions.joins import m0_counts, matched
from rulemine.cypher.questions.pattern import MatchPattern, PatternQuery, ReturnClause
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Property
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.names import (
    be,
    before_name,
    called,
    condition,
    event,
    extreme_of,
    in_unit,
    is_number,
    is_person,
    is_place,
    is_year,
    noun,
    nouns,
    plural,
    property_words,
    truth,
)
from rulemine.kinds.cypher.words.phrases import Far, NounPhrase, Phrases, fixed_nodes
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.release.records import topic_values
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["QuestionTexts"]

_HIDDEN = ("\x000\x00", "\x001\x00", "\x002\x00")
"""Stand for the names of n, m0 and m1 until a text is a pattern."""

_AMONG = {"avg": "of", "min": "among", "max": "among"}


class QuestionTexts:
    """Words questions about one graph.

    Args:
        graph: The graph.
        realism: Says which relations begin and end.
        templates: The templates of its relations; None: derived ones.
    """

    def __init__(
        self, graph: PropertyGraph, realism: Realism, templates: Templates | None = None
    ) -> None:
        self._graph = graph
        if templates is None:
            relations = {row.label for row in graph.schema.relations}
            templates = load_templates("", relations)
        self._phrases = Phrases(graph, realism, templates)

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
            replace(node, name=before_name(node.type) + hidden, id=fixed[variable])
            if variable in fixed
            else node
            for hidden, (variable, node) in zip(_HIDDEN, query.match.named.items(), strict=False)
        )
        text = escape(self._text(replace(query, match=replace(query.match, nodes=nodes))))
        for hidden, variable in zip(_HIDDEN, query.match.variables, strict=False):
            if variable in fixed:
                text = text.replace(hidden, f"{{{keys[fixed[variable]]}}}")
        return text

    def _text(self, query: PatternQuery) -> str:
        match, result = query.match, query.result
        category = MATCHES[match.template].category
        if category == "comparison":
            return self._compared(match, result)
        if category == "(n*)":
            return self._of_one(match, result)
        if category == "optional":
            return self._counted(match)
        if category == "group-by":
            return self._members(match)
        return self._asked(match, result)

    def _of_one(self, match: MatchPattern, result: ReturnClause) -> str:
        """A property of the one named."""
        name, own = match.nodes[0].name or "", self._property(match, result.property)
        if own.datatype == "bool":
            does, rest = truth(own.name)[1].split(" ", 1)
            return f"Is {name} {rest}?" if does == "are" else f"Does {name} {does} {rest}?"
        words = called(own)
        if is_number(own):
            return f"How many {property_words(own.name)} does {name} have?"
        return f"What {be(words)} the {words} of {name}{in_unit(own)}?"

    def _asked(self, match: MatchPattern, result: ReturnClause) -> str:
        """What is returned of the n that are matched."""
        template = result.template
        if template == "union_count" or (result.aggregate == "count" and not result.key):
            return self._how_many(match, self._phrases.of(match, together=True))
        who = self._phrases.of(match)
        if not result.property and not result.key:
            return self._which(match, who)
        if template == "n_group_by":
            return self._grouped(match, result, who)
        own = self._property(match, result.property)
        p = called(own)
        if result.aggregate == "count distinct":
            return f"How many different {plural(p)} are there among {who.the}?"
        if template == "n_agg" and (happened := event(own)):
            unit = "year" if result.year or is_year(own) else "date"
            which = f"{happened.last if result.aggregate == 'max' else happened.first} of {who.the}"
            if happened.base == "die":
                return f"{'In' if unit == 'year' else 'On'} what {unit} did {which} die?"
            return f"What is the {p.split(' ')[0]} {unit} of {which}?"
        if template == "n_agg":
            return f"What is {self._aggregate(own, result)} {_AMONG[result.aggregate]} {who.the}?"
        if template == "n_prop_array_distinct" and own.datatype != "list[str]":
            return f"Which different values occur in the {p} of {who.the}, taken together?"
        if template in ("n_prop_distinct", "n_prop_array_distinct"):
            return f"List the {plural(p)} of {who.the}, each once."
        left = self._left_out(match, own) if result.known else ""
        each = self._each(who)
        if template == "n_argmax" and (happened := event(own)):
            return f"Which {each[0]} {happened.did_one} {'last' if result.descending else 'first'}?"
        if template == "n_argmax":
            most = extreme_of(p, own.datatype, result.descending)
            return f"Which {each[0]} has the {most} {p}?"
        if template == "n_where":
            negative = result.operator in ("<>", "NOT IN") or result.bound is False
            return f"Which {each[1]} {condition(own, result)}{left if negative else ''}?"
        if template == "n_order_by":
            ways = [extreme_of(p, own.datatype, greatest) for greatest in (False, True)]
            first, last = ways[::-1] if result.descending else ways
            return f"List {who.the}, sorted by {p} from {first} to {last}{left}."
        if own.datatype == "bool":
            return f"List {who.the}, and say whether each {truth(own.name)[0]}{left}."
        unit = f" ({in_unit(own).strip()})" if in_unit(own) else ""
        if who.single:
            return f"What are the name and {p}{unit} of {who.one()}{left}?"
        return f"What are the names and {plural(p)}{unit} of {who.the}{left}?"

    def _which(self, match: MatchPattern, who: NounPhrase) -> str:
        """A question for names."""
        human = is_person(match.nodes[0].type)
        if who.role and human and MATCHES[match.template].category == "union":
            return f"Who is {who.one('a')}?"
        if who.role:
            be = "is" if who.single else "are"
            return f"{'Who' if human else 'What'} {be} {who.the}?"
        if who.verb:
            if human:
                return f"Who {who.verb[0]}?"
            return f"Which {who.head[not who.single]} {who.verb[not who.single]}?"
        if asked := self._asked_gap(match, f"which {who.head[not who.single]}"):
            return asked
        return f"List {who.the}."

    def _how_many(self, match: MatchPattern, who: NounPhrase) -> str:
        """A question for a number."""
        category = MATCHES[match.template].category
        if who.role and category == "(n)-(m0*)":
            return f"How many {who.head[1]} does {self._phrases.named(match, match.edges[0], 'n')} have?"
        if who.role and category == "union" and not self._joined(match):
            names = " and ".join(self._phrases.named(match, edge, "n") for edge in match.edges)
            return f"How many {who.head[1]} do {names} have between them?"
        if who.role and category == "(n)-(m0)-(m1*)":
            return self._how_many_theirs(match, who)
        if who.verb:
            own = nouns(match.nodes[0].type) if who.tail[1].startswith("of ") else who.head[1]
            return f"How many {own} {who.verb[1]}?"
        what = f"how many {who.head[1]}"
        if asked := self._asked_gap(match, what):
            return asked
        if category == "(n)-(m0)-(m1*)" and not self._phrases.does(match, match.edges[0], "n"):
            some, one = self._phrases.counted(match), match.edges[0]
            asks = {"heavy": True, "several": not some.single}
            if asked := self._phrases.asked(match, one, some.the, what, **asks):
                return _capital(asked)
        return f"How many {who.head[1]} are there {who.tail[1]}".rstrip() + "?"

    def _joined(self, match: MatchPattern) -> bool:
        """Whether one of the nodes named is an n, so that it is no sibling that these have."""
        at = {self._graph.positions[node] for node in fixed_nodes(self._graph, match).values()}
        return not at.isdisjoint(matched(self._graph, match).nodes.tolist())

    def _how_many_theirs(self, match: MatchPattern, who: NounPhrase) -> str:
        """A question for the number of what those are something of that a fixed node is joined to."""
        some, edge = self._phrases.counted(match), match.edges[0]
        if is_person(match.nodes[0].type):
            does, between = ("does", "") if some.single else ("do", " between them")
            return f"How many {who.head[1]} {does} {some.the} have{between}?"
        what = f"how many different {who.head[1]}"
        stated = self._phrases.words(edge).predicate
        if stated.one == "is" and not self._phrases.does(match, edge, "n") and not stated.after:
            return f"{_capital(stated.before)} {what} {'is' if some.single else 'are'} {some.the}?"
        return f"{_capital(what)} {'does' if some.single else 'do'} {some.the} have?"

    def _asked_gap(self, match: MatchPattern, whom: str) -> str:
        """A question for what fixed nodes do something to: "In which towns …?"; "": it is none."""
        if not match.edges or not all(node.fixed for node in match.nodes[1:]):
            return ""
        edge, names = match.edges[0], [self._phrases.named(match, e, "n") for e in match.edges]
        either = match.category.form == "union" and len(set(match.relations)) == 1
        if self._phrases.does(match, edge, "n") or not (either or len(names) == 1):
            return ""
        heavy = self._phrases.words(edge).predicate.one in ("is", "was")
        return _capital(self._phrases.asked(match, edge, " or ".join(names), whom, heavy=heavy))

    def _each(self, who: NounPhrase) -> tuple[str, str]:
        """What follows *which*, with a verb for one of them, and for several."""
        if not who.tail[1]:
            return who.head
        return (f"of {who.the}",) * 2

    def _left_out(self, match: MatchPattern, *own: Property) -> str:
        """What is said of n without a value, where there are such: they are left out."""
        at = matched(self._graph, match).nodes.tolist()
        lacking = [p for p in own if any(self._graph.values(p.name)[n] is None for n in at)]
        if not lacking:
            return ""
        if lacking[0].datatype == "bool":
            return ", leaving out any of which that is unknown"
        words = " or ".join(called(p) for p in lacking)
        return f", leaving out any whose {words} {be(called(lacking[-1]))} unknown"

    def _grouped(self, match: MatchPattern, result: ReturnClause, who: NounPhrase) -> str:
        """For each value of a property, something of the n that have it."""
        key = self._property(match, result.key)
        left = self._left_out(match, key) if result.known else ""
        what = f"the number of {nouns(match.nodes[0].type)}"
        if result.aggregate != "count":
            what = self._aggregate(self._property(match, result.property), result)
        if " which " in who.tail[1]:  # else "is spoken by their continent"
            return (
                f"Take {who.the}, group them by {called(key)}, and give {what} in each group{left}."
            )
        return f"Group {who.the} by their {called(key)}, and give {what} in each group{left}."

    def _aggregate(self, own: Property, result: ReturnClause) -> str:
        p = called(own)
        if result.aggregate == "count distinct":
            return f"the number of different {plural(p)}"
        if result.aggregate == "avg":
            return f"the average {p}{in_unit(own)}"
        most = extreme_of(p, own.datatype, result.aggregate == "max")
        return f"the {'year of the ' * result.year}{most} {p}{in_unit(own)}"

    def _counted(self, match: MatchPattern) -> str:
        """For each n the number of m0 that an edge joins it with."""
        who, edge = self._phrases.of(match), match.edges[0]
        many, each = nouns(match.nodes[1].type), who.one("each")
        none = "" if all(m0_counts(self._graph, match).values()) else " Include those with none."
        if own := self._phrases.noun_at(match, edge, "m0"):
            return f"How many {own[1]} does {each} have?{none}"
        that = self._that(match)
        if self._phrases.does(match, edge, "n"):
            heavy = self._phrases.words(edge).predicate.one in ("is", "was")
            heavy = heavy or " which " in who.tail[0]  # else "in which it is spoken border"
            far = that.text if heavy else each
            if asked := self._phrases.asked(match, edge, far, f"how many {many}", heavy=heavy):
                return f"{f'For {each}, {asked}' if heavy else _capital(asked)}{none}"
        if verb := self._phrases.verb(match, edge, "m0", Far(each), True):
            return f"How many {many} {verb}?{none}"
        relative = self._phrases.relative(match, edge, "m0", that, True)
        return f"For {each}, give the number of {many} {relative}.{none}"

    def _members(self, match: MatchPattern) -> str:
        """For each n the number of those m0 that are said which they are."""
        some, edge = self._phrases.counted(match), match.edges[0]
        one, these = noun(match.nodes[0].type), f"these {some.head[1]}"
        others = self._phrases.others(match)
        own = None if others else self._phrases.noun_at(match, edge, "n")
        if own:
            each = f"{own[0]} of {some.the}"
        else:
            any_ = Far(f"any of {some.the}", True)
            each = f"{one} {others}" if others.startswith("other than") else f"{others} {one}"
            each = f"{each.strip()} {self._phrases.relative(match, edge, 'n', any_, False)}"
        if own and not is_person(match.nodes[0].type):
            number = f"the number of {some.head[1]} in each group"
            return f"Group {some.the} by their {own[0]}, and give {number}."
        theirs = self._phrases.noun_at(match, edge, "m0")
        if own and theirs and is_person(match.nodes[0].type):
            far = match.nodes[2]
            known = far.name if is_person(far.type) else f"that {noun(far.type)}"
            if verb := self._phrases.verb(match, match.edges[1], "m0", Far(known or ""), True):
                each = f"{own[0]} of {some.one('the' if some.single else 'a')}"
                return f"For each {each}, how many of their {theirs[1]} {verb}?"
            each = f"for each the number of {these} whose {own[0]} they are"
            return f"List the {own[1]} of {some.the}, and {each}."
        that = self._that(match)
        turned = theirs or self._phrases.does(match, edge, "m0")
        if not turned:
            whom = f"how many of {these}"
            if asked := self._phrases.asked(match, edge, that.text, whom, heavy=True):
                return f"For each {each}, {asked}"
        if verb := self._phrases.verb(match, edge, "m0", that, True):
            if own or others:
                return f"For each {each}, how many of {these} {verb}?"
            verb = self._phrases.verb(match, edge, "m0", Far(f"each {one}"), True)
            return f"How many of {some.the} {verb}? Leave out {plural(one)} with none."
        relative = self._phrases.relative(match, edge, "m0", that, True)
        return f"For each {each}, give the number of {these} {relative}."

    def _that(self, match: MatchPattern) -> Far:
        """One n that was just spoken of."""
        type_ = match.nodes[0].type
        return Far(f"that {noun(type_)}" if is_person(type_) else "it")

    def _compared(self, match: MatchPattern, result: ReturnClause) -> str:
        one, other = (node.name for node in match.nodes)
        own = self._property(match, result.property)
        p, happened = called(own), event(own)
        if happened and result.template == "comparison_arithmetic" and is_year(own):
            return f"How many years later {happened.asks[0]} {one} {happened.base} than {other}?"
        if happened and result.template == "comparison_boolean" and is_year(own):
            did = happened.asks[1].capitalize()
            return f"{did} {one} and {other} {happened.base} in the same year?"
        if happened and result.template == "comparison_argmax":
            which = (
                "Who" if is_person(match.nodes[0].type) else f"Which {noun(match.nodes[0].type)}"
            )
            return f"{which} {happened.did_one} later, {one} or {other}?"
        if result.template == "comparison_argmax":
            more = extreme_of(p, own.datatype, True, degree="er")
            return f"Which {noun(match.nodes[0].type)} has the {more} {p}, {one} or {other}?"
        if result.template == "comparison_boolean":
            if is_place(own):
                within = "on" if p == "continent" else "in"
                return f"Are {one} and {other} {within} the same {p}?"
            return f"Do {one} and {other} have the same {p}?"
        more = extreme_of(p, own.datatype, True, degree="er")
        much = "many years" if is_year(own) else "much"
        return f"How {much} {more} is the {p} of {one} than that of {other}{in_unit(own)}?"

    def _property(self, match: MatchPattern, name: str) -> Property:
        own = self._graph.schema.entity(match.nodes[0].type).properties
        return next(row for row in own if row.name == name)

    def _name(self, node: str) -> str:
        """A name, and what tells it from others of that name: its type, unless all others have more nodes."""
        own = self._graph.node(node)
        others = self._graph.named(own.type, own.name)
        if len(others) == 1:
            shared = [
                row.label
                for row in self._graph.schema.entities
                if row.label != own.type and self._graph.named(row.label, own.name)
            ]
            size = len(self._graph.of_type(own.type))
            alone = all(size < len(self._graph.of_type(label)) for label in shared)
            return own.name if alone else f"{own.name} ({noun(own.type)})"
        known = [self._graph.nodes[at].description for at in others]
        about = own.description
        return f"{own.name} ({about if about and known.count(about) == 1 else node})"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
