"""The English words that derived templates use, with a little grammar.

Guarantee: words have the sense that relation names use; a missing word makes a sentence stiffer, never
wrong.
"""

import re

__all__ = [
    "ACTIVE_PAST",
    "ADJECTIVES",
    "INDEFINITE_PEOPLE",
    "KIN",
    "LEMMAS",
    "LONE_PLURALS",
    "PARTICIPLES",
    "PAST",
    "PEOPLE",
    "PEOPLE_DO",
    "PREPOSITIONS",
    "PROPERTY_NOUNS",
    "REGULAR",
    "SHORT_WORDS",
    "STATES",
    "UNIQUE_ROLES",
    "VERBS",
    "article",
    "is_plural",
    "past_of",
    "plural",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _set(
    "of in to with from at on for by into under over near as about against within through after "
    "before during toward towards upon out"
)

_BASE_FORMS = (
    "accompany activate admire adjoin administer affect analyze approve assess associate attack "
    "attend augment award base bear belong bind border build carry catalyze cause coexist co-occur "
    "collaborate communicate compete complicate concern consist contain control cover cooperate "
    "create decrease define depend depict describe develop diagnose direct disrupt divide drain eat "
    "employ enable encode enter exhibit exist export express feature feed flow follow form found "
    "grow happen help hold host imply import include increase indicate induce influence inform "
    "inhabit inherit inhibit interact interconnect interfere involve join know label lead lie like "
    "link live localize love maintain make manage manufacture measure meet mentor modify name "
    "neighbor neighbour occur offer oppose organize overlap oversee own palliate participate "
    "perform phosphorylate play practice practise precede predict predispose present prevent "
    "produce promote protect provide publish reach receive recognize refer regulate relate replace "
    "report represent require resemble reside result run sell send serve share speak specialize "
    "sponsor start stimulate store study succeed suggest supervise supply support surround target "
    "teach touch trade train transcribe transport treat trigger trust underlie upregulate "
    "downregulate use visit want work write"
)


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


LEMMAS = {verb: _third_person(verb) for verb in _BASE_FORMS.split()}
"""Base form → third person."""

VERBS = {third: verb for verb, third in LEMMAS.items()}
"""Third person → base form."""

LONE_PLURALS = _set(
    "awards bases borders features forms hosts labels links names results reports runs sponsors "
    "starts stores studies targets trades trains trusts visits works exports imports guides supplies "
    "attacks presents shares controls covers mentors"
)
"""Third persons that, standing alone, may also be a plural noun."""

PAST = {
    "are": "were", "have": "had", "become": "became", "begin": "began", "build": "built", "buy": "bought",
    "do": "did", "drive": "drove", "feed": "fed", "fight": "fought", "find": "found", "get": "got",
    "give": "gave", "go": "went", "grow": "grew", "hold": "held", "keep": "kept", "know": "knew",
    "lead": "led", "leave": "left", "lose": "lost", "make": "made", "meet": "met", "pay": "paid",
    "read": "read", "ride": "rode", "run": "ran", "sell": "sold", "send": "sent", "sing": "sang",
    "sit": "sat", "speak": "spoke", "stand": "stood", "swim": "swam", "take": "took", "teach": "taught",
    "wear": "wore", "win": "won", "write": "wrote",
}  # fmt: skip
"""Base form → past, of irregular verbs."""

ACTIVE_PAST = _set(
    "acted appeared attended competed created wrote died directed graduated happened lived lost "
    "migrated moved occurred participated performed played resigned served starred studied sang "
    "taught travelled traveled voted won worked led ended started originated painted"
)
"""Past forms that name what the subject did."""

REGULAR = _set(
    "act appear compete design die distribute draft earn edit end graduate honor host induct involve "
    "live major migrate move originate paint participate perform play receive resign serve share show "
    "start study voice vote"
)
"""Base forms of regular verbs that make clauses in the past, beside those of `LEMMAS`."""

PARTICIPLES = _set(
    "born built known made written found held given taken seen shown drawn sung spoken broken bound "
    "composed located married sold sent taught led won lost cast set broadcast used"
)
"""Passive participles without -ed, and the most common ones with it."""

STATES = _set(
    "affiliated aligned associated based called connected dated linked located married named "
    "related unrelated divorced engaged canoodled speed need breed seed"
)
"""Words in -ed that do not say who did what to whom, and nouns in -ed."""

ADJECTIVES = _set(
    "adjacent similar close next near equal equivalent opposite dependent different identical "
    "parallel prior subsequent superior inferior subject due inherent capable relevant specific "
    "analogous homologous orthologous responsible active famous interested north south east "
    "west northeast northwest southeast southwest downstream upstream loyal friends"
)

KIN = _set(
    "spouse spouses wife husband child children parent parents father mother sibling siblings "
    "brother sister son daughter uncle aunt nephew niece married friend friends"
)
"""Words for relations between people: both ends are asked for with *who*."""

PEOPLE = (KIN - {"married"}) | _set(
    "actor actors athlete athletes student "
    "students crewmember instrumentalist instrumentalists celebrity person people "
    "politicians advisor doctor"
)
"""Nouns that are asked for with *who*."""

INDEFINITE_PEOPLE = PEOPLE | _set("citizen leader politician founder born")

PEOPLE_DO = _set("works lives teaches graduated died born married studied attended acted starred")
"""Verbs whose subject is asked for with *who*."""

UNIQUE_ROLES = _set("capital leader head founder author director seat spouse mother father")
"""Roles with *of* that take *the*."""

PROPERTY_NOUNS = _set(
    "place date year time country city state county region area field form cause language type kind "
    "number point means mode source port manner date degree age rate level color colour"
)
"""First words of “noun of noun” that name what the subject has, never what it is."""

SHORT_WORDS = PREPOSITIONS | _set("is as a an or id no")
"""Words of one or two letters; other such fragments are codes."""

_NOT_PLURAL = _set("is was has series species campus chassis basis gas news bus lens olympics")


def is_plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    if word in ("people", "children", "colours"):
        return True
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and word not in _NOT_PLURAL
    )


_PLURALS = {
    "person": "people", "man": "men", "series": "series", "species": "species",
    "child": "children", "wife": "wives", "woman": "women",
}  # fmt: skip


def plural(noun: str) -> str:
    """The plural of a noun of one word, which is in the singular."""
    if found := re.search(r"(?:child|wife|woman)$|^(?:person|man|series|species)$", noun):
        return noun[: found.start()] + _PLURALS[found[0]]
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def past_of(verb: str) -> str:
    """The past of a verb's base form."""
    if verb in PAST:
        return PAST[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


def article(noun: str) -> str:
    """The indefinite article before a noun, by its first letter and the most common exceptions."""
    if noun.startswith(("uni", "use", "eu", "one", "ur")):
        return "a"
    return "an" if noun[:1].lower() in ("a", "e", "i", "o", "u") or noun.startswith("hour") else "a"
