"""Noun phrases for what a pattern matches: "the capitals of the countries that border France".

Guarantee: a phrase says what the edges say, each in its direction, and names every fixed node. What a
relation that begins and ends says without a time, it says to have held at some point.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import CURRENT, MatchPattern, PatternEdge
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.relations import Noun, RelationWords, relation_words
from rulemine.kinds.cypher.words.wording import noun, nouns, relative_pronoun
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.lexicon import article
from rulemine.phrasing.templates import Templates

__all__ = ["CHAINS", "Far", "NounPhrase", "Phrases"]

CHAINS = ("(n)-(m0)-(m1*)", "group-by")
"""The categories whose n are joined to what is joined to a fixed node."""

_EVER = "at some point"
_BRANCHES = ("(n)-(m0*),(n)-(m1*)", "union")


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
    """

    head: Noun
    tail: tuple[str, str] = ("", "")
    single: bool = False
    verb: tuple[str, str] | None = None

    def one(self, determiner: str = "the") -> str:
        """One of them, after a determiner; "a" is *an* where it has to be."""
        first = article(self.head[0]) if determiner == "a" else determiner
        return _joined(first, self.head[0], self.tail[0])

    def many(self, determiner: str = "") -> str:
        """Several of them."""
        return _joined(determiner, self.head[1], self.tail[1])

    @property
    def the(self) -> str:
        """All of them."""
        if self.single:
            return self.one()
        return self.many("the") if self.tail[1] else self.many("all")


class Phrases:
    """Words what patterns of one graph match.

    Args:
        graph: The graph.
        realism: Says which relations begin and end, and of which ends there is one.
        templates: The templates of its relations.
    """

    def __init__(self, graph: PropertyGraph, realism: Realism, templates: Templates) -> None:
        self._graph = graph
        self._realism = realism
        self._templates = {row.relation: row for row in templates.rows}

    def words(self, edge: PatternEdge) -> RelationWords:
        """What the relation of an edge says."""
        known = self._templates.get(edge.relation)
        return relation_words(edge.relation, known)

    def of(self, match: MatchPattern) -> NounPhrase:
        """The n of a pattern."""
        category = MATCHES[match.template].category
        type_ = match.nodes[0].type
        plain = NounPhrase((noun(type_), nouns(type_)))
        if not match.edges:
            return plain
        first, last = match.edges[0], match.edges[-1]
        if category in ("(n)-(m0*)", "time"):
            return self._anchored(match, first, "n")
        if category in ("optional",):
            return self._anchored(match, last, "n")
        if category == "(n)-(m0)":
            return self._some(match, first)
        if category in _BRANCHES:
            return self._branches(match, "or" if category == "union" else "and")
        if category == "(n)=(m0)":
            return self._same(match)
        return self._chain(match)

    def counted(self, match: MatchPattern) -> NounPhrase:
        """The m0 that a second edge joins to a fixed m1."""
        return self._anchored(match, match.edges[1], "m0")

    def noun_at(self, match: MatchPattern, edge: PatternEdge, of: str) -> Noun | None:
        """What one end of an edge is of the other end, in a noun."""
        if self._time(match, edge) != ("", False, ""):
            return None
        words = self.words(edge)
        return words.subject if edge.subject == of else words.object

    def one_at(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether an edge joins what is at its other end to at most one node at this end."""
        like = self._realism.of(match, edge)
        return (like.subj_cardinality if edge.subject == of else like.obj_cardinality) == "one"

    def named(self, match: MatchPattern, edge: PatternEdge, of: str) -> str:
        """The name of the fixed node at the other end of an edge, with its type where the relation says it."""
        name = match.named[_other(edge, of)].name or ""
        kind = self.words(edge).kind if edge.subject == of else ""
        return name if not kind or name.startswith(kind) else f"{kind} {name}"

    def _anchored(self, match: MatchPattern, edge: PatternEdge, of: str) -> NounPhrase:
        """What a fixed node is joined to."""
        return self._joined_to(match, edge, of, Far(self.named(match, edge, of)), True)

    def _joined_to(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, single: bool
    ) -> NounPhrase:
        """What an edge joins to its other end; ``single``: there is one of that."""
        type_ = match.named[of].type
        verb = self._verbs(match, edge, of, far)
        single = single and self._single(match, edge, of)
        if head := self.noun_at(match, edge, of):
            return NounPhrase(head, (f"of {far.text}",) * 2, single, verb)
        tail = [self.relative(match, edge, of, far, several) for several in (False, True)]
        return NounPhrase((noun(type_), nouns(type_)), (tail[0], tail[1]), single, verb)

    def _single(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether there is one at an end, by what the relation is like and by the graph."""
        return self.one_at(match, edge, of) and len(matched(self._graph, match, of).nodes) == 1

    def _some(self, match: MatchPattern, edge: PatternEdge) -> NounPhrase:
        """What an edge joins to anything."""
        other, type_ = match.nodes[1].type, match.nodes[0].type
        far = Far("someone" if _who(other) else f"{article(noun(other))} {noun(other)}")
        tail = [self.relative(match, edge, "n", far, several) for several in (False, True)]
        verb = self._verbs(match, edge, "n", far)
        return NounPhrase((noun(type_), nouns(type_)), (tail[0], tail[1]), verb=verb)

    def _branches(self, match: MatchPattern, word: str) -> NounPhrase:
        """What two edges join to a fixed node each, or one of them."""
        head = noun(match.nodes[0].type), nouns(match.nodes[0].type)
        first, last = match.edges
        names = [self.named(match, edge, "n") for edge in match.edges]
        if first.relation == last.relation and (first.subject == "n") == (last.subject == "n"):
            far = Far(f"{'both ' * (word == 'and')}{names[0]} {word} {names[1]}", word == "and")
            return self._joined_to(match, first, "n", far, False)._replace(single=False)
        verbs = [
            self._verbs(match, edge, "n", Far(name))
            for edge, name in zip(match.edges, names, strict=True)
        ]
        own = [self.noun_at(match, edge, "n") for edge in match.edges]
        if word == "and" and any(own):
            at = 0 if own[0] else 1
            other, name = match.edges[1 - at], Far(names[1 - at])
            tail = [
                f"of {names[at]} {self.relative(match, other, 'n', name, several, reduce=False)}"
                for several in (False, True)
            ]
            return NounPhrase(own[at] or head, (tail[0], tail[1]))
        if verbs[0] and verbs[1]:
            both = [f"{one} {word} {other}" for one, other in zip(*verbs, strict=True)]
            who = relative_pronoun(match.nodes[0].type)
            return NounPhrase(head, (f"{who} {both[0]}", f"{who} {both[1]}"), verb=(both[0], both[1]))
        tail = [
            f" {word} ".join(
                self.relative(match, edge, "n", Far(name), several, reduce=False)
                for edge, name in zip(match.edges, names, strict=True)
            )
            for several in (False, True)
        ]
        return NounPhrase(head, (tail[0], tail[1]))

    def _same(self, match: MatchPattern) -> NounPhrase:
        """What two edges join to one node, whichever: "people who work with one of their parents"."""
        head = noun(match.nodes[0].type), nouns(match.nodes[0].type)
        for edge, other in (match.edges, match.edges[::-1]):
            own = self.noun_at(match, edge, "m0")
            if own is None or not self._verbs(match, other, "n", Far("")):
                continue
            one = self.one_at(match, edge, "m0")
            whose = ("their", "their") if _who(match.nodes[0].type) else ("its", "their")
            fars = [Far(f"{w} {own[0]}" if one else f"one of {w} {own[1]}") for w in whose]
            tail = [
                self.relative(match, other, "n", far, several)
                for several, far in zip((False, True), fars, strict=True)
            ]
            return NounPhrase(head, (tail[0], tail[1]))
        other = noun(match.nodes[1].type)
        fars = [Far(f"{article(other)} {other}"), Far(f"the same {other}")]
        tail = [
            " and ".join(
                self.relative(match, edge, "n", far, several, reduce=False)
                for edge, far in zip(match.edges, fars, strict=True)
            )
            for several in (False, True)
        ]
        return NounPhrase(head, (tail[0], tail[1]))

    def _chain(self, match: MatchPattern) -> NounPhrase:
        """What is joined to what is joined to a fixed node."""
        first, last = match.edges
        middle = self.counted(match)
        type_ = match.nodes[0].type
        head = noun(type_), nouns(type_)
        own = self.noun_at(match, first, "n")
        if other := self.others(match):
            head = (f"{head[0]} {other}", f"{head[1]} {other}") if other.startswith("other than") else (
                f"{other} {head[0]}", f"{other} {head[1]}")  # fmt: skip
        elif own:
            far = Far(middle.the, not middle.single)
            return self._joined_to(match, first, "n", far, middle.single)
        far_noun = self.noun_at(match, first, "m0")
        if first.subject == "n" and far_noun and not middle.single:
            said = self._verbs(match, last, "m0", Far(self.named(match, last, "m0")))
            if said and self.one_at(match, first, "m0"):
                return NounPhrase(head, (f"whose {far_noun[0]} {said[0]}",) * 2)
        far = Far(middle.one("the" if middle.single else "a"))
        verbs = self._verbs(match, first, "n", far)
        if not verbs and not middle.single:
            far = Far(middle.many(), True)
        tail = [self.relative(match, first, "n", far, several) for several in (False, True)]
        return NounPhrase(head, (tail[0], tail[1]), verb=verbs)

    def others(self, match: MatchPattern) -> str:
        """What says that m1 is not among the n, where both do the same to m0: no edge is matched twice.

        If two edges join m1 to one m0, it is among the n; then, and elsewhere, "".
        """
        nodes = match.named
        if MATCHES[match.template].category not in CHAINS or len(set(match.relations)) > 1:
            return ""
        (first, last), (n, m0, m1) = match.edges, (nodes[at] for at in ("n", "m0", "m1"))
        if (first.subject == "m0") != (last.subject == "m0") or n.type != m1.type:
            return ""
        joined = self._graph.leading_in if first.subject == "m0" else self._graph.leading_out
        found = joined(self._graph.positions[m1.id or ""], match.relations[0])
        ends = [end for _, end in found if self._graph.nodes[end].type == m0.type]
        if len(set(ends)) < len(ends):
            return ""
        return f"other than {m1.name}" if n.type == m0.type else "other"

    def _verbs(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far
    ) -> tuple[str, str] | None:
        verbs = [self.verb(match, edge, of, far, several) for several in (False, True)]
        return (verbs[0], verbs[1]) if verbs[0] and verbs[1] else None

    def verb(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, several: bool
    ) -> str:
        """What an edge says of one of its ends, as a verb with that end as its subject; "": none says it.

        Args:
            match: The pattern.
            edge: The edge.
            of: That end.
            far: The other end.
            several: Whether there are several of that end.
        """
        words, (adverb, past, after) = self.words(edge), self._time(match, edge)
        if edge.subject == of:
            said = words.predicate
            if adverb == _EVER and said.participle:
                said, past, adverb = said.perfect, False, ""
            return said.of_subject(far.text, several=several, past=past, adverb=adverb) + after
        if (adverb, past, after) != ("", False, ""):
            return ""
        if own := words.object:
            if several:
                return f"are {own[1]} of {far.text}"
            the = "the" if self.one_at(match, edge, of) else article(own[0])
            return f"is {the} {own[0]} of {far.text}"
        if own := words.subject:
            whose = "their" if several or _who(match.named[of].type) else "its"
            return f"{'have' if several else 'has'} {far.text} among {whose} {own[1]}"
        clause = self._described(edge, several)
        return f"{clause.split(' ', 1)[1]}{far.text}" if clause else ""

    def relative(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, several: bool,
        *, reduce: bool = True,
    ) -> str:  # fmt: skip
        """What an edge says of one of its ends, as a relative clause.

        Args: as of `verb`, and
            reduce: Whether "that are" may be left out before what it is.
        """
        words, (adverb, past, after) = self.words(edge), self._time(match, edge)
        who = relative_pronoun(match.named[of].type)
        if edge.subject == of:
            said = words.predicate
            if words.object and said.after and not past and self.one_at(match, edge, _other(edge, of)):
                return f"whose {words.object[0]} is {far.text}"
            if reduce and said.reduced() and not past and not adverb:
                return f"{said.before} {far.text}"
            return f"{who} {self.verb(match, edge, of, far, several)}"
        timeless = (adverb, past, after) == ("", False, "")
        if timeless and words.object is None and (own := words.subject):
            if self.one_at(match, edge, _other(edge, of)):
                return f"whose {own[0]} is {far.text}"
            return f"whose {own[1]} include {far.text}"
        if verb := self.verb(match, edge, of, far, several):
            return f"{who} {verb}"
        said = words.predicate
        if adverb == _EVER and said.participle:
            said, past, adverb = said.perfect, False, ""
        preposition, rest = said.of_object(
            far.text, several=far.several, past=past, adverb=adverb
        )
        if preposition:
            return f"{preposition} {'whom' if who == 'who' else 'which'} {rest}{after}"
        return f"that {rest}{after}"

    def asked(self, match: MatchPattern, edge: PatternEdge, of: str, far: str) -> str | None:
        """What the other end does to one, as a question after that one: ``does Ada speak``."""
        words, (adverb, past, after) = self.words(edge), self._time(match, edge)
        said = words.predicate
        if adverb == _EVER and said.participle:
            return _joined("has", far, said.past, said.before, said.after)
        asked = words.predicate.asked(far, past=past, adverb=adverb)
        return f"{asked}{after}" if asked else None

    def _described(self, edge: PatternEdge, several: bool) -> str:
        """The written description of objects up to the other end, where they are its subject: ``that are home to ``."""
        known = self._templates.get(edge.relation)
        if known is None or known.source != "written" or not known.describe_object:
            return ""
        read = read_description(known.describe_object)
        form = read.forms[several]
        return form.before if read.subject and not form.after else ""

    def _time(self, match: MatchPattern, edge: PatternEdge) -> tuple[str, bool, str]:
        """An adverb, whether it is past, and what follows."""
        if match.time == CURRENT:
            return "currently", False, ""
        if match.time is not None:
            return "", True, f" in {match.time}"
        ever = self._realism.of(match, edge).time_sensitive
        return (_EVER, True, "") if ever else ("", False, "")


def _other(edge: PatternEdge, of: str) -> str:
    return edge.object if edge.subject == of else edge.subject


def _who(type_: str) -> bool:
    return relative_pronoun(type_) == "who"


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
