"""Clauses for what an edge says of one of its ends: "that border France", "whose capital is Paris".

Guarantee: a clause says what the edge says, in its direction. What a relation that begins and ends says
without a time, it says to have held at some point.
"""

from rulemine.cypher.questions.pattern import CURRENT, MatchPattern, PatternEdge
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.realism.checks import Realism
from rulemine.kinds.cypher.words.noun_phrase import Far
from rulemine.kinds.cypher.words.relations import Noun, RelationWords, is_participle, relation_words
from rulemine.kinds.cypher.words.wording import is_person, relative_pronoun
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.lexicon import PREPOSITIONS, article
from rulemine.phrasing.templates import Templates

__all__ = ["TIMELESS", "Clauses", "other_end"]

_EVER = "at some point"
TIMELESS = ("", False, "")
"""What a relation that neither begins nor ends says of time."""


class Clauses:
    """Words what single edges say.

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


def other_end(edge: PatternEdge, of: str) -> str:
    """The variable at the other end of an edge."""
    return edge.object if edge.subject == of else edge.subject
