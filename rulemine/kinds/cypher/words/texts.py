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
    before_name,
    called,
    condition,
    event,
    extreme_of,
    in_unit,
    is_number,
    is_person,
    is_place,
    is_several,
    is_year,
    noun,
    nouns,
    plural,
    property_words,
    truth,
)
from rulemine.kinds.cypher.words.phrases import EdgeEnd, Far, NounPhrase, Phrases, fixed_nodes
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.release.records import topic_values
from rulemine.text.articles import in_sentence
from rulemine.text.template import escape, fill

__all__ = ["QuestionTexts"]

_HIDDEN = ("\x000\x00", "\x001\x00", "\x002\x00")
"""Stand for the names of n, m0 and m1 until a text is a pattern."""


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
            templates = load_templates("", {row.label for row in graph.schema.relations})
        self._phrases = Phrases(graph, realism, templates)

    def question(self, query: PatternQuery) -> str:
        """A question in English, with the names of the graph."""
        by_id = {node: node for node in fixed_nodes(self._graph, query.match).values()}
        return fill(self.pattern(query, by_id), self.names(by_id, by_id), in_sentence)

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
        if result.template == "union_count" or (result.aggregate == "count" and not result.key):
            return self._how_many(match, self._phrases.of(match, together=True))
        who = self._phrases.of(match)
        if result.key:
            return self._grouped(match, result, who)
        return self._asked(match, result, who) if result.property else self._which(match, who)

    def _of_one(self, match: MatchPattern, result: ReturnClause) -> str:
        """A property of the one named."""
        name, own = match.nodes[0].name or "", self._property(match, result.property)
        if own.datatype == "bool":
            does, rest = truth(own.name)[1].split(" ", 1)
            return f"Is {name} {rest}?" if does == "are" else f"Does {name} {does} {rest}?"
        if is_number(own):
            return f"How many {property_words(own.name)} does {name} have?"
        words = called(own)
        return f"What {'are' if is_several(words) else 'is'} the {words} of {name}{in_unit(own)}?"

    def _asked(self, match: MatchPattern, result: ReturnClause, who: NounPhrase) -> str:
        """A property of the n that are matched, or those of which it is so or so."""
        own = self._property(match, result.property)
        p, happened, template = called(own), event(own), result.template
        left = self._left_out(match, own) if result.known else ""
        one, many = (f"of {who.the}",) * 2 if who.tail[1] else who.head
        if template == "n_agg":
            return self._aggregated(own, result, who)
        if template in ("n_prop_distinct", "n_prop_array_distinct"):
            return f"What are the different {plural(p)} of {who.the}?"
        if template == "n_argmax" and happened:
            return f"Which {one} {happened.did_one} {'last' if result.descending else 'first'}?"
        if template == "n_argmax":
            return f"Which {one} has the {extreme_of(own, result.descending)} {p}?"
        if template == "n_where":
            negative = result.operator in ("<>", "NOT IN") or result.bound is False
            return f"Which {many} {condition(own, result)}{left * negative}?"
        if template == "n_order_by":
            first, last = (
                extreme_of(own, way) for way in (result.descending, not result.descending)
            )
            return f"List {who.the}, sorted by {p} from {first} to {last}{left}."
        if own.datatype == "bool":
            return f"List {who.the}, and say whether each {truth(own.name)[0]}{left}."
        unit = f" ({in_unit(own).strip()})" if in_unit(own) else ""
        names = f"name and {p}" if who.single else f"names and {plural(p)}"
        return f"What are the {names}{unit} of {who.the}{left}?"

    def _aggregated(self, own: Property, result: ReturnClause, who: NounPhrase) -> str:
        """One number or date for all n."""
        p, happened = called(own), event(own)
        if result.aggregate == "count distinct":
            return f"How many different {plural(p)} are there among {who.the}?"
        if not happened:
            among = "of" if result.aggregate == "avg" else "among"
            return f"What is {_aggregate(own, result)} {among} {who.the}?"
        unit = "year" if result.year or is_year(own) else "date"
        which = f"{happened.last if result.aggregate == 'max' else happened.first} of {who.the}"
        if happened.base == "die":
            return f"{'In' if unit == 'year' else 'On'} what {unit} did {which} die?"
        return f"What is the {p.split(' ')[0]} {unit} of {which}?"

    def _grouped(self, match: MatchPattern, result: ReturnClause, who: NounPhrase) -> str:
        """For each value of a property, something of the n that have it."""
        key = self._property(match, result.key)
        left = self._left_out(match, key) if result.known else ""
        what = f"the number of {nouns(match.nodes[0].type)}"
        if result.property:
            what = _aggregate(self._property(match, result.property), result)
        by, rest = called(key), f"and give {what} in each group{left}."
        if " which " in who.tail[1]:  # else "is spoken by their continent"
            return f"Take {who.the}, group them by {by}, {rest}"
        return f"Group {who.the} by their {by}, {rest}"

    def _which(self, match: MatchPattern, who: NounPhrase) -> str:
        """A question for names."""
        human, number = is_person(match.nodes[0].type), not who.single
        if who.role and human and match.category.form == "union":
            return f"Who is {who.one('a')}?"
        if who.role:
            return f"{'Who' if human else 'What'} {'are' if number else 'is'} {who.the}?"
        if asked := self._asked_gap(match, f"which {who.head[number]}"):
            return asked
        if who.verb:
            whom = "Who" if who.head[0] == noun(match.nodes[0].type) else "Who else"
            return f"{whom if human else f'Which {who.head[number]}'} {who.verb[number and not human]}?"
        return f"List {who.the}."

    def _how_many(self, match: MatchPattern, who: NounPhrase) -> str:
        """A question for a number."""
        ends, what = self._phrases.ends(match), f"how many {who.head[1]}"
        chain = len(ends) == 2 and match.category.shape[1][0] == "m0"
        if who.role and len(ends) == 1:
            return f"How many {who.head[1]} does {ends[0].far_name} have?"
        if who.role and match.category.form == "union" and not self._joined(match):
            names = " and ".join(end.far_name for end in ends)
            return f"How many {who.head[1]} do {names} have between them?"
        if who.role and chain:
            return self._how_many_theirs(match, ends[0], who.head[1])
        if asked := self._asked_gap(match, what):
            return asked
        if who.verb:
            own = nouns(match.nodes[0].type) if who.tail[1].startswith("of ") else who.head[1]
            return f"How many {own} {who.verb[1]}?"
        return f"How many {who.head[1]} are there {who.tail[1]}".rstrip() + "?"

    def _joined(self, match: MatchPattern) -> bool:
        """Whether one of the nodes named is an n, so that it is no sibling that these have."""
        fixed, n = fixed_nodes(self._graph, match).values(), matched(self._graph, match).nodes
        return any(self._graph.positions[node] in n for node in fixed)

    def _how_many_theirs(self, match: MatchPattern, end: EdgeEnd, theirs: str) -> str:
        """A question for the number of what those are something of that a fixed node is joined to."""
        some = self._phrases.counted(match)
        does, be, between = ("does", "is", "") if some.single else ("do", "are", " between them")
        if end.person:
            return f"How many {theirs} {does} {some.the} have{between}?"
        words, what = end.words, f"how many different {theirs}"
        if words.verb[0] == "is" and not end.does and not words.after[0]:
            return f"{_capital(words.before[0])} {what} {be} {some.the}?"
        return f"{_capital(what)} {does} {some.the} have?"

    def _asked_gap(self, match: MatchPattern, whom: str) -> str:
        """A question for what others do something to, fixed nodes or those of a chain; "": it is none."""
        ends = self._phrases.ends(match)
        either = match.category.form == "union" and len(set(match.relations)) == 1
        chain = ("m0", "m1") in match.category.shape
        fixed = len(match.category.fixed) == len(ends)
        if not ends or ends[0].does or not (either or chain or (fixed and len(ends) == 1)):
            return ""
        some = self._phrases.counted(match) if chain else None
        names = Far(" or ".join(end.far_name for end in ends))
        far = Far(some.the, not some.single) if some else names
        return _capital(ends[0].asked(far, whom, heavy=chain or ends[0].words.is_state))

    def _left_out(self, match: MatchPattern, own: Property) -> str:
        """What is said of n without a value, where there are such: they are left out."""
        values, words = self._graph.values(own.name), called(own)
        if all(values[n] is not None for n in matched(self._graph, match).nodes.tolist()):
            return ""
        whose = f"whose {words} {'are' if is_several(words) else 'is'}"
        whose = "of which that is" if own.datatype == "bool" else whose
        return f", leaving out any {whose} unknown"

    def _counted(self, match: MatchPattern) -> str:
        """For each n the number of m0 that an edge joins it with."""
        who, (end, _) = self._phrases.of(match), self._phrases.ends(match)
        other = EdgeEnd(self._phrases, match, match.edges[0], "m0")
        many, each = nouns(match.nodes[1].type), who.one("each")
        none = "" if all(m0_counts(self._graph, match).values()) else " Include those with none."
        if own := other.noun:
            return f"How many {own[1]} does {each} have?{none}"
        that = _that(end)
        if end.does:
            # Else "in which it is spoken border".
            heavy = end.words.is_state or " which " in who.tail[0]
            if asked := other.asked(Far(that if heavy else each), f"how many {many}", heavy=heavy):
                return f"{f'For {each}, {asked}' if heavy else _capital(asked)}{none}"
        if verb := other.verb(each, True):
            return f"How many {many} {verb}?{none}"
        return f"For {each}, give the number of {many} {other.relative(Far(that), True)}.{none}"

    def _members(self, match: MatchPattern) -> str:
        """For each n the number of those m0 that are said which they are."""
        end, some = self._phrases.ends(match)[0], self._phrases.counted(match)
        other, all_ = (
            EdgeEnd(self._phrases, match, match.edges[0], "m0"),
            Far(some.the, not some.single),
        )
        one, them, each = end.type[1], "how many of them", Far("each")
        if end.noun:
            asked = f"{'who' if end.person else 'what'} are the {end.noun[1]} of {some.the}"
        elif end.does:
            asked = f"which {one} {end.verb(some.the, True)}"
        else:
            asked = end.asked(all_, f"which {one}", heavy=True)
            asked = asked or f"what are the {one} {end.relative(all_, True)}"
        if other.does:
            number = f"{them} {other.verb(each.text, True)}"
        else:
            number = (
                other.asked(each, them, heavy=True)
                or f"{them} are those {other.relative(each, True)}"
            )
        return f"{_capital(asked.removesuffix('?'))}, and {number.removesuffix('?')}?"

    def _compared(self, match: MatchPattern, result: ReturnClause) -> str:
        """What two have in common, or how they differ."""
        one, other = (node.name for node in match.nodes)
        own, type_ = self._property(match, result.property), match.nodes[0].type
        p, happened, template = called(own), event(own), result.template
        if template == "comparison_argmax":
            which = "Who" if happened and is_person(type_) else f"Which {noun(type_)}"
            more = f"has the {extreme_of(own, True, 'er')} {p}"
            return f"{which} {f'{happened.did_one} later' if happened else more}, {one} or {other}?"
        if template == "comparison_boolean":
            if happened and is_year(own):
                return f"{_capital(happened.asks[1])} {one} and {other} {happened.base} in the same year?"
            if is_place(own):
                return f"Are {one} and {other} {'on' if p == 'continent' else 'in'} the same {p}?"
            return f"Do {one} and {other} have the same {p}?"
        if happened and is_year(own):
            return f"How many years later {happened.asks[0]} {one} {happened.base} than {other}?"
        much = "many years" if is_year(own) else "much"
        more = extreme_of(own, True, "er")
        return f"How {much} {more} is the {p} of {one} than that of {other}{in_unit(own)}?"

    def _property(self, match: MatchPattern, name: str) -> Property:
        own = self._graph.schema.entity(match.nodes[0].type).properties
        return next(row for row in own if row.name == name)

    def _name(self, node: str) -> str:
        """A name, and what tells it from others of that name: its type, unless all others have more nodes."""
        own, of_type = self._graph.node(node), self._graph.of_type
        known = [self._graph.nodes[at].description for at in self._graph.named(own.type, own.name)]
        if len(known) > 1:
            return f"{own.name} ({own.description * (known.count(own.description) == 1) or node})"
        types = (row.label for row in self._graph.schema.entities if row.label != own.type)
        shared = (len(of_type(label)) for label in types if self._graph.named(label, own.name))
        fewest = all(len(of_type(own.type)) < size for size in shared)
        return own.name if fewest else f"{own.name} ({noun(own.type)})"


def _aggregate(own: Property, result: ReturnClause) -> str:
    p = called(own)
    if result.aggregate == "count distinct":
        return f"the number of different {plural(p)}"
    most = extreme_of(own, result.aggregate == "max") if result.aggregate != "avg" else "average"
    return f"the {'year of the ' * result.year}{most} {p}{in_unit(own)}"


def _that(end: EdgeEnd) -> str:
    """One that was just spoken of."""
    return f"that {end.type[0]}" if end.person else "it"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
