"""Noun phrases for what a pattern matches: "the capitals of the countries that border France".

They are made of clauses for what an edge says of one of its ends: "that border France", "whose capital is
Paris". Guarantee: a phrase says what the edges say, each in its direction, and names every fixed node. What a
relation that begins and ends says without a time, it says to have held at some point.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import CURRENT, MatchPattern, PatternEdge
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.realism import Realism
from rulemine.kinds.cypher.words.names import is_person, noun, nouns, relative_pronoun
from rulemine.kinds.cypher.words.relations import Noun, RelationWords, is_participle, relation_words
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.lexicon import PREPOSITIONS, article
from rulemine.phrasing.templates import Templates

__all__ = ["Far", "NounPhrase", "Phrases", "fixed_nodes"]


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
    tail: tuple[str, str] = ("", "")
    single: bool = False
    verb: tuple[str, str] | None = None
    role: bool = False

    def one(self, determiner: str = "the") -> str:
        """One of them, after a determiner; "a" is *an* where it has to be."""
        first = article(self.head[0]) if determiner == "a" else determiner
        return " ".join(filter(None, (first, self.head[0], self.tail[0])))

    def many(self, determiner: str = "") -> str:
        """Several of them."""
        return " ".join(filter(None, (determiner, self.head[1], self.tail[1])))

    @property
    def the(self) -> str:
        """All of them."""
        if self.single:
            return self.one()
        return self.many("the") if self.tail[1] else self.many("all")


def both(first: tuple[str, str], word: str, last: tuple[str, str]) -> tuple[str, str]:
    """Two verbs joined by a word, with one *is* or *are* for both."""
    found = []
    for one, other in zip(first, last, strict=True):
        verb = one.split(" ", 1)[0]
        rest = other.removeprefix(f"{verb} ") if verb in ("is", "are") else other
        found.append(f"{one.strip()} {word} {rest.strip()}")
    return found[0], found[1]


_EVER = "at some point"
TIMELESS = ("", False, "")
"""What a relation that neither begins nor ends says of time."""


def other_end(edge: PatternEdge, of: str) -> str:
    """The variable at the other end of an edge."""
    return edge.object if edge.subject == of else edge.subject


_CHAINS = ("(n)-(m0)-(m1*)", "group-by")
"""The categories whose n are joined to what is joined to a fixed node."""

_BRANCHES = ("(n)-(m0*),(n)-(m1*)", "union")


def fixed_nodes(graph: PropertyGraph, match: MatchPattern) -> dict[str, str]:
    """The ids of the nodes that a pattern fixes, by variable."""
    return {
        variable: node.id or graph.nodes[graph.named(node.type, node.name or "")[0]].id
        for variable, node in match.named.items()
        if node.fixed
    }


class Phrases:
    """Words what patterns of one graph match, and what their single edges say.

    Args:
        graph: The graph.
        realism: Says which relations begin and end, and of which ends there is one.
        templates: The templates of its relations.
    """

    def __init__(self, graph: PropertyGraph, realism: Realism, templates: Templates) -> None:
        self._graph = graph
        self._realism = realism
        self._templates = {row.relation: row for row in templates.rows}
        self._declared = templates.declarations

    def of(self, match: MatchPattern, together: bool = False) -> NounPhrase:
        """The n of a pattern; ``together``: of a chain, those of all m0 taken together."""
        category = MATCHES[match.template].category
        if not match.edges:
            return NounPhrase(_type(match, "n"))
        first, last = match.edges[0], match.edges[-1]
        if category in ("(n)-(m0*)", "time"):
            return self._anchored(match, first, "n")
        if category == "optional":
            return self._anchored(match, last, "n")
        if category == "(n)-(m0)":
            return self._some(match, first)
        if category in _BRANCHES:
            return self._branches(match, "or" if category == "union" else "and")
        if category == "(n)=(m0)":
            return self._same(match)
        return self._chain(match, together)

    def counted(self, match: MatchPattern) -> NounPhrase:
        """The m0 that a second edge joins to a fixed m1."""
        return self._anchored(match, match.edges[1], "m0")

    def _anchored(self, match: MatchPattern, edge: PatternEdge, of: str) -> NounPhrase:
        """What a fixed node is joined to."""
        return self._joined_to(match, edge, of, Far(self.named(match, edge, of)), True)

    def _joined_to(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, single: bool
    ) -> NounPhrase:
        """What an edge joins to its other end; ``single``: there is one of that."""
        verb = self.verbs(match, edge, of, far)
        single = single and self._single(match, edge, of)
        if head := self.noun_at(match, edge, of):
            return NounPhrase(head, (f"of {far.text}",) * 2, single, verb, role=True)
        return NounPhrase(_type(match, of), self._tails(match, edge, of, far), single, verb)

    def _single(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether there is one at an end, by what the relation is like and by the graph."""
        return self.one_at(match, edge, of) and len(matched(self._graph, match, of).nodes) == 1

    def _some(self, match: MatchPattern, edge: PatternEdge) -> NounPhrase:
        """What an edge joins to anything."""
        other = match.nodes[1].type
        if own := self.noun_at(match, edge, "m0"):
            one = self.one_at(match, edge, "m0")
            some = f"{article(own[0])} {own[0]}" if one else own[1]
            return self._saying(match, (f"has {some}", f"have {some}"))
        if other == match.nodes[0].type and (own := self.noun_at(match, edge, "n")):
            return self._saying(match, (f"is {article(own[0])} {own[0]}", f"are {own[1]}"))
        another = "another" if other == match.nodes[0].type else article(noun(other))
        far = Far("someone" if is_person(other) else f"{another} {noun(other)}")
        return self._clauses(match, ((edge, far),))

    def _branches(self, match: MatchPattern, word: str) -> NounPhrase:
        """What two edges join to a fixed node each, or one of them."""
        first, last = match.edges
        names = [self.named(match, edge, "n") for edge in match.edges]
        alike = (first.subject == "n") == (last.subject == "n")
        alike = alike or self._declared[first.relation].symmetric
        roles = [self.noun_at(match, edge, "n") for edge in match.edges]
        if (first.relation == last.relation and alike) or (roles[0] and roles[0] == roles[1]):
            far = Far(f"{'both ' * (word == 'and')}{names[0]} {word} {names[1]}", word == "and")
            return self._joined_to(match, first, "n", far, False)
        ends = list(zip(match.edges, map(Far, names), strict=True))
        for (edge, far), (other, name) in (ends, ends[::-1]):
            if word == "and" and (own := self.noun_at(match, edge, "n")):
                head = f"{own[0]} of {far.text}", f"{own[1]} of {far.text}"
                tail = self._tails(match, other, "n", name, reduce=False)
                return NounPhrase(head, tail, verb=self.verbs(match, other, "n", name), role=True)
        verbs = [self.verbs(match, edge, "n", far) for edge, far in ends]
        if verbs[0] and verbs[1]:
            return self._saying(match, both(verbs[0], word, verbs[1]))
        return self._clauses(match, ends, word)

    def _same(self, match: MatchPattern) -> NounPhrase:
        """What two edges join to one node, whichever: "people who work with one of their parents"."""
        for edge, other in (match.edges, match.edges[::-1]):
            own = self.noun_at(match, edge, "m0")
            if own and self.verbs(match, other, "n", Far("")):
                single = self.one_at(match, edge, "m0")
                fars = [
                    Far(f"{whose} {own[0]}" if single else f"one of {whose} {own[1]}")
                    for whose in ("their" if is_person(match.nodes[0].type) else "its", "their")
                ]
                one, many = (
                    self.relative(match, other, "n", far, several)
                    for several, far in zip((False, True), fars, strict=True)
                )
                return NounPhrase(_type(match, "n"), (one, many))
        thing = noun(match.nodes[1].type)
        first, last = (self.verbs(match, edge, "n", Far("")) for edge in match.edges)
        if first and last and all(self.does(match, edge, "n") for edge in match.edges):
            one, many = both(first, "and", last)
            return self._saying(match, (f"{one} the same {thing}", f"{many} the same {thing}"))
        some = "someone" if is_person(match.nodes[1].type) else f"{article(thing)} {thing}"
        if not any(
            self.does(match, edge, "n") or self.time(match, edge) != TIMELESS
            for edge in match.edges
        ):
            gaps = [
                self.words(edge).predicate.of_object(far)
                for edge, far in zip(match.edges, (some, ""), strict=True)
            ]
            if gaps[0][0] and gaps[0][0] == gaps[1][0]:
                tail = f"{gaps[0][0]} which {gaps[0][1]} and {gaps[1][1]}"
                return NounPhrase(_type(match, "n"), (tail, tail))
        fars = [Far(f"{article(thing)} {thing}"), Far(f"the same {thing}")]
        return self._clauses(match, list(zip(match.edges, fars, strict=True)))

    def _chain(self, match: MatchPattern, together: bool) -> NounPhrase:
        """What is joined to what is joined to a fixed node; ``together``: to any of these."""
        first, last = match.edges
        middle, others = self.counted(match), self.others(match)
        if self.noun_at(match, first, "n") and not others:
            far = Far(middle.the, not middle.single)
            return self._joined_to(match, first, "n", far, middle.single)
        own = self.noun_at(match, first, "m0")
        predicate = self.words(first).predicate
        if (
            middle.single
            and first.relation == last.relation
            and match.nodes[0].type == match.nodes[2].type
        ):
            name = self.named(match, last, "m0")
            if own and predicate.after and first.subject == "n":
                same = f"the same {own[0]} as {name}"
                return self._saying(match, (f"has {same}", f"have {same}"), others)
            far = Far(f"the same {noun(match.nodes[1].type)} as {name}")
            if self.verbs(match, first, "n", far):
                return self._clauses(match, ((first, far),), others="other" if others else "")
        if own and first.subject == "n" and self.one_at(match, first, "m0"):
            verbs = self.verbs(match, last, "m0", Far(self.named(match, last, "m0")))
            if verbs:
                return NounPhrase(_type(match, "n", others), (f"whose {own[0]} {verbs[0]}",) * 2)
        far = Far(middle.one("the" if middle.single else "a"))
        if not middle.single and together:
            far = Far(middle.the, True)
        elif not middle.single and not self.verbs(match, first, "n", far):
            far = Far(middle.many(), True)
        return self._clauses(match, ((first, far),), others=others)

    def _saying(self, match: MatchPattern, verbs: tuple[str, str], others: str = "") -> NounPhrase:
        """The n of which a verb is true, for one and for several."""
        who = relative_pronoun(match.nodes[0].type)
        tail = f"{who} {verbs[0]}", f"{who} {verbs[1]}"
        return NounPhrase(_type(match, "n", others), tail, verb=None if others else verbs)

    def _clauses(
        self,
        match: MatchPattern,
        clauses: Sequence[tuple[PatternEdge, Far]],
        word: str = "and",
        others: str = "",
    ) -> NounPhrase:
        """The n of which relative clauses are true, joined by a word."""
        tails = [
            self._tails(match, edge, "n", far, reduce=len(clauses) == 1) for edge, far in clauses
        ]
        one, many = (f" {word} ".join(some) for some in zip(*tails, strict=True))
        verb = self.verbs(match, clauses[0][0], "n", clauses[0][1]) if len(clauses) == 1 else None
        return NounPhrase(_type(match, "n", others), (one, many), verb=None if others else verb)

    def _tails(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, reduce: bool = True
    ) -> tuple[str, str]:
        one, many = (
            self.relative(match, edge, of, far, several, reduce=reduce) for several in (False, True)
        )
        return one, many

    def others(self, match: MatchPattern) -> str:
        """What says that m1 is not among the n, where both do the same to m0: no edge is matched twice.

        If two edges join m1 to one m0, it is among the n; then, and elsewhere, "".
        """
        nodes = match.named
        if MATCHES[match.template].category not in _CHAINS or len(set(match.relations)) > 1:
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

    def words(self, edge: PatternEdge) -> RelationWords:
        """What the relation of an edge says."""
        symmetric = self._declared[edge.relation].symmetric
        return relation_words(edge.relation, self._templates.get(edge.relation), symmetric)

    def noun_at(self, match: MatchPattern, edge: PatternEdge, of: str) -> Noun | None:
        """What one end of an edge is of the other end, in a noun."""
        if self.time(match, edge) != TIMELESS:
            return None
        words = self.words(edge)
        return words.subject if self.does(match, edge, of) else words.object

    def one_at(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether an edge joins what is at its other end to at most one node at this end."""
        like = self._realism.of(match, edge)
        return (like.subj_cardinality if edge.subject == of else like.obj_cardinality) == "one"

    def named(self, match: MatchPattern, edge: PatternEdge, of: str) -> str:
        """The name of the fixed node at the other end, with its type where the relation says it."""
        name = match.named[other_end(edge, of)].name or ""
        kind = self.words(edge).kind if edge.subject == of else ""
        return name if not kind or name.startswith(kind) else f"{kind} {name}"

    def verbs(
        self, match: MatchPattern, edge: PatternEdge, of: str, far: Far
    ) -> tuple[str, str] | None:
        """What `verb` says of one and of several; None: no verb says it."""
        verbs = [self.verb(match, edge, of, far, several) for several in (False, True)]
        return (verbs[0], verbs[1]) if verbs[0] and verbs[1] else None

    def verb(self, match: MatchPattern, edge: PatternEdge, of: str, far: Far, several: bool) -> str:
        """What an edge says of one of its ends, as a verb with that end as its subject; "": none says it.

        Args:
            match: The pattern.
            edge: The edge.
            of: That end.
            far: The other end.
            several: Whether there are several of that end.
        """
        words, (adverb, past, after) = self.words(edge), self.time(match, edge)
        if self.does(match, edge, of):
            predicate = words.predicate
            if adverb == _EVER and predicate.participle:
                predicate, past, adverb = predicate.perfect, False, ""
            return predicate.of_subject(far.text, several=several, past=past, adverb=adverb) + after
        if (adverb, past, after) != TIMELESS:
            return ""
        if own := words.object:
            if several:
                return f"are {own[1]} of {far.text}"
            the = "the" if self.one_at(match, edge, of) else article(own[0])
            return f"is {the} {own[0]} of {far.text}"
        if own := words.subject:
            whose = "their" if several or is_person(match.named[of].type) else "its"
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
        words, (adverb, past, after) = self.words(edge), self.time(match, edge)
        who = relative_pronoun(match.named[of].type)
        if self.does(match, edge, of):
            predicate = words.predicate
            if (
                words.object
                and predicate.after
                and not past
                and self.one_at(match, edge, other_end(edge, of))
            ):
                return f"whose {words.object[0]} is {far.text}"
            if reduce and predicate.reduced() and not past and not adverb:
                return f"{predicate.before} {far.text}"
            return f"{who} {self.verb(match, edge, of, far, several)}"
        timeless = (adverb, past, after) == TIMELESS
        if timeless and words.object is None and (own := words.subject):
            if self.one_at(match, edge, other_end(edge, of)):
                return f"whose {own[0]} is {far.text}"
            return f"whose {own[1]} include {far.text}"
        if verb := self.verb(match, edge, of, far, several):
            be, _, rest = verb.partition(" ")
            reduced = reduce and be in ("is", "are") and is_participle(rest.split(" ")[0])
            return rest if reduced else f"{who} {verb}"
        predicate = words.predicate
        if adverb == _EVER and predicate.participle:
            predicate, past, adverb = predicate.perfect, False, ""
        preposition, rest = predicate.of_object(
            far.text, several=far.several, past=past, adverb=adverb
        )
        if (
            far.several
            and predicate.participle
            and not preposition
            and not predicate.before + predicate.after + after
        ):
            return f"{predicate.participle} by {far.text}"
        if preposition:
            return f"{preposition} {'whom' if who == 'who' else 'which'} {rest}{after}"
        return f"that {rest}{after}"

    def asked(
        self, match: MatchPattern, edge: PatternEdge, far: str, whom: str,
        *, heavy: bool = False, several: bool = False,
    ) -> str:  # fmt: skip
        """A question for whom or what a subject does something to: ``Which languages does Ada speak?``.

        Args:
            match: The pattern.
            edge: The edge.
            far: Its subject.
            whom: What is asked for, with its question word.
            heavy: Whether a preposition comes first.
            several: Whether there are several subjects.

        Returns:
            The question; "" if the form of the verb is not known.
        """
        predicate, (adverb, past, after) = self.words(edge).predicate, self.time(match, edge)
        if adverb == _EVER and predicate.participle:
            has = "have" if several else "has"
            text = f"{has} {far} {predicate.past} {predicate.before}".rstrip()
        else:
            text = predicate.asked(far, several=several, past=past, adverb=adverb)
        first, _, last = text.rpartition(" ")
        if heavy and last in PREPOSITIONS and not after:
            return f"{last} {whom} {first}?"
        return f"{whom} {text}{after}?" if text else ""

    def does(self, match: MatchPattern, edge: PatternEdge, of: str) -> bool:
        """Whether a relation says of an end what it says of its subjects.

        What is declared symmetric says so of both ends, but where the other one is named.
        """
        if edge.subject == of:
            return True
        return (
            self._declared[edge.relation].symmetric and not match.named[other_end(edge, of)].fixed
        )

    def _described(self, edge: PatternEdge, several: bool) -> str:
        """The written description of objects up to the subject: ``that are home to ``."""
        known = self._templates.get(edge.relation)
        if known is None or known.source == "derived" or not known.describe_object:
            return ""
        read = read_description(known.describe_object)
        form = read.forms[several]
        return form.before if read.subject and not form.after else ""

    def time(self, match: MatchPattern, edge: PatternEdge) -> tuple[str, bool, str]:
        """An adverb, whether it is past, and what follows."""
        if match.time == CURRENT:
            return "currently", False, ""
        if match.time is not None:
            return "", True, f" in {match.time}"
        ever = self._realism.of(match, edge).time_sensitive
        return (_EVER, True, "") if ever else TIMELESS


def _type(match: MatchPattern, of: str, others: str = "") -> Noun:
    """What the nodes of a variable are called by their type."""
    type_ = match.named[of].type
    one, many = noun(type_), nouns(type_)
    if others == "other":
        return f"other {one}", f"other {many}"
    return f"{one} {others}".rstrip(), f"{many} {others}".rstrip()
