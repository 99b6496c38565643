"""Noun phrases for what a pattern matches: "the capitals of the countries that border France".

They are made of what an edge says of one of its ends: "that border France", "whose capital is Paris".
Guarantee: a phrase says what the edges say, each in its direction, and names every fixed node. What a
relation that begins and ends says without a time, it says to have held at some point.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import CURRENT, MatchPattern, PatternEdge
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.names import is_person, noun, nouns
from rulemine.kinds.cypher.words.relations import Noun, is_participle, relation_words
from rulemine.phrasing.lexicon import PREPOSITIONS, article
from rulemine.phrasing.templates import Templates

__all__ = ["EdgeEnd", "Far", "NounPhrase", "Phrases", "fixed_nodes"]


class Far(NamedTuple):
    """The other end of an edge in words.

    Attributes:
        text: The words.
        several: Whether they are in the plural.
    """

    text: str
    several: bool = False


class NounPhrase(NamedTuple):
    """What some nodes are called together.

    Attributes:
        head: The noun.
        tail: What follows it, for one and for several.
        single: Whether there can be only one.
        verb: What is said of them, for one and for several, where a verb says all of it.
        role: Whether the noun says what they are of something, and not their type.
    """

    head: Noun
    tail: Noun = ("", "")
    single: bool = False
    verb: Noun | None = None
    role: bool = False

    def one(self, determiner: str = "the") -> str:
        """One of them, after a determiner; "a" is *an* where it has to be."""
        first = article(self.head[0]) if determiner == "a" else determiner
        return f"{first} {self.head[0]} {self.tail[0]}".rstrip()

    @property
    def the(self) -> str:
        """All of them."""
        several = f"the {self.head[1]} {self.tail[1]}" if self.tail[1] else f"all {self.head[1]}"
        return self.one() if self.single else several


def fixed_nodes(graph: PropertyGraph, match: MatchPattern) -> dict[str, str]:
    """The ids of the nodes that a pattern fixes, by variable."""
    return {
        variable: node.id or graph.nodes[graph.named(node.type, node.name or "")[0]].id
        for variable, node in match.named.items()
        if node.fixed
    }


class EdgeEnd:
    """What an edge says of one of its ends; the other one is its far end.

    Args:
        phrases: What is known of the graph.
        match: The pattern.
        edge: The edge.
        of: The variable of this end.

    Attributes:
        does: Whether this end does what the relation says.
        one: Whether there is at most one of this end for each far end; ``far_one``: the other way round.
        noun: What this end is of the far end; None: no noun says it; ``far_noun``: the other way round.
        far_name: The name of the far end, with its type where the relation says that.
    """

    def __init__(self, phrases: "Phrases", match: MatchPattern, edge: PatternEdge, of: str) -> None:
        subject = edge.subject == of
        far = match.named[edge.object if subject else edge.subject]
        symmetric = phrases.templates.declarations[edge.relation].symmetric
        words = relation_words(phrases.templates[edge.relation])
        like = phrases.realism.of(match, edge)
        ends = like.subj_cardinality == "one", like.obj_cardinality == "one"
        self.person, self.edge = is_person(match.named[of].type), edge
        self.does = symmetric or subject == words.forward
        self.one, self.far_one = ends if subject else ends[::-1]
        self.timeless = match.time is None and not like.time_sensitive
        both = (words.doer, words.other) if self.does else (words.other, words.doer)
        self.noun, self.far_noun = both if self.timeless else (None, None)
        self.far_name = f"{words.kind * self.does}{far.name or ''}"
        self.type = _type(match, of)
        if match.time == CURRENT:
            words = replace(words, adverb="currently")
        elif match.time is not None:
            words = replace(words, past=True, when=f"in {match.time}")
        elif not self.timeless:
            words = words.at_some_point()
        self.words = words

    def verb(self, far: str, several: bool) -> str:
        """What the edge says of this end, with it as the subject; "": no verb says it.

        Args:
            far: The far end in words.
            several: Whether there are several of this end.
        """
        if self.does:
            return self.words.of_doer(far, several)
        if own := self.noun:
            the = "the" if self.one else article(own[0])
            return f"are {own[1]} of {far}" if several else f"is {the} {own[0]} of {far}"
        if own := self.far_noun:
            has, its = ("have", "their") if several else ("has", "their" if self.person else "its")
            return f"{has} {far} among {its} {own[1]}"
        clause = self.words.clause[several] if self.timeless else ""
        return clause and f"{clause}{far}"

    def verbs(self, far: str) -> Noun | None:
        """What `verb` says of one and of several; None: no verb says it."""
        one, many = self.verb(far, False), self.verb(far, True)
        return (one, many) if one and many else None

    def relative(self, far: Far, several: bool, *, reduce: bool = True) -> str:
        """What the edge says of this end, as a relative clause.

        Args:
            far: The far end.
            several: Whether there are several of this end.
            reduce: Whether "that are" may be left out before what it is.
        """
        words, own = self.words, self.far_noun
        if own and (words.after[0] if self.does else not self.noun):
            if self.far_one:
                return f"whose {own[0]} is {far.text}"
            if not self.does:
                return f"whose {own[1]} include {far.text}"
        if verb := self.verb(far.text, several):
            be, _, rest = verb.partition(" ")
            first = rest.split(" ")[0]
            done = is_participle(first) or (first == "in" and self.does)
            if reduce and done and be in ("is", "are", "was", "were") and not words.past:
                return rest
            return f"{'who' if self.person else 'that'} {verb}"
        preposition, rest = words.of_other(*far)
        if (
            far.several
            and words.participle
            and self.timeless
            and not words.before[0] + words.after[0]
        ):
            return f"{words.participle} by {far.text}"
        if preposition:
            return f"{preposition} {'whom' if self.person else 'which'} {rest}"
        return f"that {rest}"

    def tails(self, far: Far, *, reduce: bool = True) -> Noun:
        """What `relative` says of one and of several."""
        return self.relative(far, False, reduce=reduce), self.relative(far, True, reduce=reduce)

    def phrase(self, far: Far, single: bool = False) -> NounPhrase:
        """What is at this end; ``single``: there is one of that."""
        verb = self.verbs(far.text)
        if self.noun:
            return NounPhrase(self.noun, (f"of {far.text}",) * 2, single, verb, role=True)
        return NounPhrase(self.type, self.tails(far), single, verb)

    def asked(self, far: Far, whom: str, *, heavy: bool = False) -> str:
        """A question for this end, to which the far end does something: ``Which languages does Ada speak?``.

        Args:
            far: The far end.
            whom: What is asked for, with its question word.
            heavy: Whether a preposition comes first.

        Returns:
            The question; "" if the form of the verb is not known.
        """
        text = self.words.asked(*far)
        first, _, last = text.rpartition(" ")
        if heavy and last in PREPOSITIONS:
            return f"{last} {whom} {first}?"
        return text and f"{whom} {text}?"


class Phrases:
    """Words what patterns of one graph match.

    Args:
        graph: The graph.
        realism: Says which relations begin and end, and of which ends there is one.
        templates: The templates of its relations.
    """

    def __init__(self, graph: PropertyGraph, realism: Realism, templates: Templates) -> None:
        self._graph = graph
        self.realism = realism
        self.templates = templates

    def ends(self, match: MatchPattern) -> list[EdgeEnd]:
        """What each edge says of the first of its nodes, which is n, or the m0 of a chain."""
        steps = zip(match.edges, match.category.shape, strict=True)
        return [EdgeEnd(self, match, edge, start) for edge, (start, _) in steps]

    def of(self, match: MatchPattern, together: bool = False) -> NounPhrase:
        """The n of a pattern; ``together``: of a chain, those of all m0 taken together."""
        ends = self.ends(match)
        if not ends:
            return NounPhrase(_type(match, "n"))
        if match.category.form == "optional" or (
            len(match.nodes) == 2 and "m0" in match.category.fixed
        ):
            return self._anchored(match, ends[-1], "n")
        if len(match.nodes) == 2:
            return self._same(match, ends) if len(ends) == 2 else self._some(match, ends[0])
        if match.category.shape[1][0] == "n":
            return self._branches(ends, "or" if match.category.form == "union" else "and")
        return self._chain(match, ends, together)

    def counted(self, match: MatchPattern) -> NounPhrase:
        """The m0 that the second edge of a chain joins to the fixed m1."""
        return self._anchored(match, self.ends(match)[1], "m0")

    def _anchored(self, match: MatchPattern, end: EdgeEnd, of: str) -> NounPhrase:
        """What a fixed node is joined to: one, if the relation and this graph have one."""
        single = end.one and len(matched(self._graph, match, of).nodes) == 1
        return end.phrase(Far(end.far_name), single)

    def _some(self, match: MatchPattern, end: EdgeEnd) -> NounPhrase:
        """What an edge joins to anything."""
        alike = match.nodes[0].type == match.nodes[1].type
        if own := end.far_noun:
            some = f"{article(own[0])} {own[0]}" if end.far_one else own[1]
            return _saying(end, (f"has {some}", f"have {some}"))
        if (alike or end.one) and end.noun:
            return NounPhrase(end.noun)
        thing = noun(match.nodes[1].type)
        another = f"{'another' if alike else article(thing)} {thing}"
        return _clauses([(end, Far("someone" if is_person(thing) else another))])

    def _branches(self, ends: list[EdgeEnd], word: str) -> NounPhrase:
        """What two edges join to a fixed node each, or one of them."""
        first, last = ends
        same = first.edge.relation == last.edge.relation and first.does == last.does
        if same or (first.noun and first.noun == last.noun):
            both = f"{'both ' * (word == 'and')}{first.far_name} {word} {last.far_name}"
            return first.phrase(Far(both, word == "and"))
        for end, other in (ends, ends[::-1]):
            if word == "and" and (own := end.noun):
                far = Far(other.far_name)
                head = f"{own[0]} of {end.far_name}", f"{own[1]} of {end.far_name}"
                return NounPhrase(
                    head, other.tails(far, reduce=False), False, other.verbs(far.text), True
                )
        verbs = [end.verbs(end.far_name) for end in ends]
        if verbs[0] and verbs[1]:
            return _saying(first, _both(verbs[0], word, verbs[1]))
        return _clauses([(end, Far(end.far_name)) for end in ends], word)

    def _same(self, match: MatchPattern, ends: list[EdgeEnd]) -> NounPhrase:
        """What two edges join to one node, whichever: "people who work with one of their parents"."""
        for end, other in (ends, ends[::-1]):
            if (own := end.far_noun) and other.verbs(""):
                some = f"{{}} {own[0]}" if end.far_one else f"one of {{}} {own[1]}"
                its = Far(some.format("their" if end.person else "its"))
                theirs = Far(some.format("their"))
                tail = other.relative(its, False), other.relative(theirs, True)
                verb = (other.verb(its.text, False), other.verb(theirs.text, True))
                return NounPhrase(end.type, tail, verb=verb if other.does else None)
        thing, does = noun(match.nodes[1].type), [end.does for end in ends]
        first = ends[0].verbs("")
        if first and all(does):
            way, said = ends[1].words.of_other("they", True)
            whom = "whom" if is_person(thing) else "which"
            same = f"the {thing} {way} {whom} {said}" if way else f"the {thing} {said}"
            return _clauses([(ends[0], Far(same))])
        if ends[0].timeless and ends[1].timeless and not any(does):
            some = "someone" if is_person(thing) else f"{article(thing)} {thing}"
            (way, said), (again, more) = (
                end.words.of_other(far, False) for end, far in zip(ends, (some, ""), strict=True)
            )
            if way and way == again:
                return NounPhrase(ends[0].type, (f"{way} which {said} and {more}",) * 2)
        fars = Far(f"{article(thing)} {thing}"), Far(f"the same {thing}")
        return _clauses(list(zip(ends, fars, strict=True)))

    def _chain(self, match: MatchPattern, ends: list[EdgeEnd], together: bool) -> NounPhrase:
        """What is joined to what is joined to a fixed node; ``together``: to any of these."""
        (first, last), others = ends, self.others(match)
        middle, own = self._anchored(match, last, "m0"), first.far_noun
        type_ = _type(match, "n", others)
        if first.noun and others == "{}":
            return first.phrase(Far(middle.the, not middle.single), middle.single and first.one)
        if (
            middle.single
            and len(set(match.relations)) == 1
            and match.nodes[0].type == match.nodes[2].type
        ):
            if own and first.does and first.words.after[0]:
                same = f"the same {own[0]} as {last.far_name}"
                return _saying(first, (f"has {same}", f"have {same}"), type_)
            same = f"the same {noun(match.nodes[1].type)} as {last.far_name}"
            if first.verbs(same):
                others = "other {}" if others != "{}" else others
                return _clauses([(first, Far(same))], head=_type(match, "n", others))
        if own and first.does and first.far_one and (verbs := last.verbs(last.far_name)):
            return NounPhrase(type_, (f"whose {own[0]} {verbs[0]}",) * 2)
        far = Far(middle.one("the" if middle.single else "a"))
        if not middle.single and (together or not first.verbs(far.text)):
            many = f"{middle.head[1]} {middle.tail[1]}"
            far = Far(f"the {many}" if together else many, True)
        some = _clauses([(first, far)], head=type_)
        return some._replace(single=middle.single and first.one)

    def others(self, match: MatchPattern) -> str:
        """A pattern for the noun of the n of a chain: "other {}", if m1 is not among them; else "{}".

        No edge is matched twice, so it is not if both edges say the same, unless two join it to one m0.
        """
        (n, m0, m1), (first, last) = match.nodes, match.edges
        joined = self._graph.leading_in if first.subject == "m0" else self._graph.leading_out
        alike = first.relation == last.relation and n.type == m1.type
        if not alike or (first.subject == "m0") != (last.subject == "m0"):
            return "{}"
        found = joined(self._graph.positions[m1.id or ""], first.relation)
        ends = [end for _, end in found if self._graph.nodes[end].type == m0.type]
        other = f"{{}} other than {m1.name}" if n.type == m0.type else "other {}"
        return other if len(set(ends)) == len(ends) else "{}"


def _type(match: MatchPattern, of: str, others: str = "{}") -> Noun:
    """What the nodes of a variable are called by their type."""
    type_ = match.named[of].type
    return others.format(noun(type_)), others.format(nouns(type_))


def _saying(end: EdgeEnd, verbs: Noun, head: Noun | None = None) -> NounPhrase:
    """The n of which a verb is true, for one and for several."""
    who = "who" if end.person else "that"
    tail = f"{who} {verbs[0]}", f"{who} {verbs[1]}"
    return NounPhrase(head or end.type, tail, verb=verbs)


def _clauses(
    clauses: Sequence[tuple[EdgeEnd, Far]], word: str = "and", head: Noun | None = None
) -> NounPhrase:
    """The n of which relative clauses are true, joined by a word."""
    alone, (end, far) = len(clauses) == 1, clauses[0]
    tails = [end.tails(far, reduce=alone) for end, far in clauses]
    one, many = (f" {word} ".join(some) for some in zip(*tails, strict=True))
    verb = end.verbs(far.text) if alone else None
    return NounPhrase(head or end.type, (one, many), verb=verb)


def _both(first: Noun, word: str, last: Noun) -> Noun:
    """Two verbs joined by a word, with one *is* or *are* for both."""
    one, many = (
        re.sub(r"^(is |are )(.*? (?:and|or) )\1", r"\1\2", f"{verb.strip()} {word} {other.strip()}")
        for verb, other in zip(first, last, strict=True)
    )
    return one, many
