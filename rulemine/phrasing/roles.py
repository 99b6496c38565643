"""Templates for relations whose name is a noun: what one end is of the other.

    country of origin      {object} is the country of origin of {subject}
    award received         {object} is an award received by {subject}
    diplomatic relation    {subject} has a diplomatic relation with {object}

Guarantees: both questions say the same of the same end; a name that says nothing about its ends is quoted in
templates that are true whichever end plays it.
"""

from typing import NamedTuple

from rulemine.phrasing.descriptions import literal
from rulemine.phrasing.ends import Ends
from rulemine.phrasing.grammar import DerivedTemplates, is_past
from rulemine.phrasing.lexicon import (
    FAMILY,
    KIN,
    PERSONAL,
    PREPOSITIONS,
    PROPERTY_NOUNS,
    RELATIONAL,
    STATES,
    TYPES,
    UNIQUE_ROLES,
    active_of,
    article,
    is_person,
    is_plural,
    plural,
    singular,
)
from rulemine.text.template import escape

__all__ = ["RoleNoun", "quoted", "read_noun", "role", "says_no_end"]


class RoleNoun(NamedTuple):
    """A noun phrase, cut at the word that carries the number.

    Attributes:
        before: The words before it.
        head: The word in the singular.
        heads: The word in the plural.
        after: The words after it: "of origin", "received".
        link: What leads on to the other end: "of", "by"; "": the phrase ends in a preposition.
    """

    before: str
    head: str
    heads: str
    after: str
    link: str

    @property
    def of_family(self) -> bool:
        """Whether it is a relative, so that it matters which end is one."""
        return self.head in FAMILY and self.after in ("", "in law")

    @property
    def one(self) -> str:
        """The phrase in the singular."""
        return _joined(self.before, self.head, self.after)

    @property
    def many(self) -> str:
        """The phrase in the plural."""
        return _joined(_both_heads(self.before, "{1}"), self.heads, self.after)

    @property
    def both(self) -> str:
        """The phrase in both numbers, as descriptions have it."""
        before = _both_heads(self.before, "{0}/{1}")
        return _joined(before, f"{self.head}/{self.heads}", self.after)

    def asks(self) -> str:
        """The word that asks for what plays the role, where nothing is known of it but the noun."""
        of_people = (
            self.head == "member" and self.before
        )  # "cast member"; members alone may be anything
        head = self.head.removeprefix("co-")
        if head == "host":  # people and computers
            return "Who or what"
        return "Who" if of_people or is_person(head) else "What"

    def asks_owner(self) -> str:
        """The word that asks for what has it: *Who* for an occupation, a place of birth."""
        others = {*self.before.split(), *self.after.split()} - KIN
        return "Who" if {self.head, *others} & PERSONAL else "What"


def read_noun(words: list[str]) -> RoleNoun:
    """Reads a noun phrase: the word before the first preposition or participle carries the number.

    Example:
        >>> read_noun(["notable", "works"]).one, read_noun(["country", "of", "origin"]).many
        ('notable work', 'countries of origin')
    """
    bare = [word.rstrip(",") for word in words]
    ends = (
        i
        for i, word in enumerate(bare)
        if i and (word in PREPOSITIONS or (is_past(word) and _goes_on(bare, i)))
    )
    at = next(ends, len(words))
    head, after = words[at - 1], words[at:]
    one, many = (singular(head), head) if is_plural(head) else (head, plural(head))
    link = "of"
    if after and bare[-1] in PREPOSITIONS:
        link = ""
    elif after and is_past(bare[-1]) and bare[-1] not in STATES:
        link = "by"
    return RoleNoun(" ".join(words[: at - 1]), one, many, " ".join(after), link)


def _goes_on(words: list[str], at: int) -> bool:
    """Whether a participle ends a phrase, or a preposition or another participle follows it."""
    after = words[at + 1 : at + 2]
    return not after or after[0] in PREPOSITIONS or after[0] in ("or", "and") or is_past(after[0])


def role(noun: RoleNoun, ends: Ends, *, turned: bool = False) -> DerivedTemplates:
    """Makes the templates of a noun.

    Args:
        noun: The noun.
        ends: What is known of the ends.
        turned: Whether the subject plays the role; else the object does.
    """
    if noun.head in RELATIONAL and not noun.after:
        return _relation(noun, ends)
    has, plays = (ends.object, ends.subject) if turned else ends
    if noun.head in plays.noun.split():
        plays = plays._replace(noun="")  # not "Which country is the country of origin"
    of = _joined(noun.link, "{topic}")
    of_life = noun.after.startswith("of ") or noun.before in ("birth", "death")
    usual = (noun.head in PROPERTY_NOUNS and of_life) or {noun.head, noun.before} & UNIQUE_ROLES
    the = "the" if (usual if plays.single is None else plays.single) else ""
    what, whats = plays.who(noun.asks()), plays.whos(noun.asks())
    relative = "who" if what == "Who" else "that"
    called = plays.called(noun.asks())
    if called == "something/things" and noun.head in TYPES:
        called = f"{noun.head}/{noun.heads}"
    number = f"{the} " if the else f"{article(noun.one)}/- "
    asked, described = _owner(noun, has.who(noun.asks_owner()), bool(has.noun), bool(the))
    found = DerivedTemplates(
        f"{{object}} is {the or article(noun.one)} {noun.one} {of.format(topic='{subject}')}",
        asked[0],
        f"{what} is the {noun.one} {of}?",
        asked[-1].replace(has.who(), has.whos(), 1) if has.noun else asked[-1],
        f"{whats} are the {noun.many} {of}?",
        f"{has.called(noun.asks_owner())} | {described}",
        f"{called} | {relative} is/are {number}{noun.both} {of}",
    )
    return _turned(found) if turned else found


def _owner(noun: RoleNoun, who: str, typed: bool, single: bool) -> tuple[tuple[str, str], str]:
    """The questions for what has the role, for one and for several, and the clause that describes it."""
    if noun.link == "by" and " " not in noun.after and (did := active_of(noun.after)):
        what = f"{did} the {_joined(noun.before, noun.head)} {{topic}}"
        return (f"{who} {what}?",) * 2, f"{'who' if who == 'Who' else 'that'} {what}"
    described = (
        f"whose {noun.one} is {{topic}}" if single else f"whose {noun.many} include {{topic}}"
    )
    if who == "Who":
        return (f"W{described[1:]}?",) * 2, described
    its = ("its", "their") if single else (article(noun.one),) * 2
    ask = f"{who} has {{topic}} as {its[0]} {noun.one}?"
    asks = f"{who} have {{topic}} as {its[1]} {noun.one}?" if typed else ask
    return (ask, asks), described


def _relation(noun: RoleNoun, ends: Ends) -> DerivedTemplates:
    """The templates of what holds between both ends: "{subject} has a border with {object}"."""
    a = f"{article(noun.one)} {noun.one}"
    subject, object_ = ends
    return DerivedTemplates(
        f"{{subject}} has {a} with {{object}}",
        f"{subject.who()} has {a} with {{topic}}?",
        f"{object_.who()} does {{topic}} have {a} with?",
        f"{subject.whos()} {'have' if subject.noun else 'has'} {a} with {{topic}}?",
        f"{object_.whos()} does {{topic}} have {a} with?",
        f"{subject.called()} | {'who' if subject.who() == 'Who' else 'that'} has/have {a} with {{topic}}",
        f"{object_.called()} | with {'whom' if object_.who() == 'Who' else 'which'} {{topic}} has {a}",
    )


def quoted(name: str, ends: Ends) -> DerivedTemplates:
    """Makes templates that name a relation and are true of any."""
    said = f"the relation “{escape(name)}”"
    words = {"Who": "whom", "What": "what", "Who or what": "whom or what"}
    asked = [words.get(end.who(), end.who().lower()) for end in ends]
    several = [words.get(end.whos(), end.whos().lower()) for end in ends]
    plain = literal(said)
    which = ["whom" if end.who() == "Who" else "which" for end in ends]
    return DerivedTemplates(
        f"{said} leads from {{subject}} to {{object}}",
        f"From {asked[0]} does {said} lead to {{topic}}?",
        f"To {asked[1]} does {said} lead from {{topic}}?",
        f"From {several[0]} does {said} lead to {{topic}}?",
        f"To {several[1]} does {said} lead from {{topic}}?",
        f"{ends.subject.called()} | from {which[0]} {plain} leads to {{topic}}",
        f"{ends.object.called()} | to {which[1]} {plain} leads from {{topic}}",
    )


def says_no_end(statement: str) -> bool:
    """Whether a statement is one of `quoted`: it is true whichever end a name is about."""
    return statement.startswith("the relation “")


def _turned(found: DerivedTemplates) -> DerivedTemplates:
    """Templates with subject and object exchanged."""
    statement = found.statement.replace("{subject}", "{}").replace("{object}", "{subject}")
    return DerivedTemplates(
        statement.replace("{}", "{object}"),
        found.ask_object,
        found.ask_subject,
        found.ask_objects,
        found.ask_subjects,
        found.describe_object,
        found.describe_subject,
    )


def _both_heads(before: str, form: str) -> str:
    """The words before a head, with the other head among them in some form: "products or" materials."""
    words = before.split()
    if words[-1:] in (["or"], ["and"]) and len(words) > 1:
        words[-2] = form.format(words[-2], plural(words[-2]))
    return " ".join(words)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
