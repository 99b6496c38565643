"""The English words by which clauses are read for who plays which role, and their stems.

Guarantee: a word that is missing costs a comparison, and one that stands here stands in the sense in which
relations use it.
"""

__all__ = [
    "ADVERBS",
    "CONVERSE",
    "COPULAS",
    "DETERMINERS",
    "FUNCTION",
    "MUTUAL",
    "PREPOSITIONS",
    "SYMMETRIC",
    "agent_stem",
    "is_participle",
    "singular",
    "stem",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _set("the a an one some its his her their every all any each another those")

COPULAS = _set("is are was were became become becomes be being been remains")

ADVERBS = _set(
    "currently formerly once still previously now officially originally usually often always already "
    "regularly professionally directly mainly primarily ever both or either"
)
"""Words that say nothing about who does what; *or* as in “is or was”, after alternatives are read."""

PREPOSITIONS = _set(
    "of in to with from at on for by into under over near as about against within inside through after "
    "before during toward towards upon out than off beside behind among around"
)

RELATIVES = _set("who whom that which whose where when what")

FUNCTION = PREPOSITIONS | COPULAS | RELATIVES | DETERMINERS | _set("has have had and not 's")

MUTUAL = _set(
    "together mutual mutually friend friends friendship sibling siblings spouse spouses cousin cousins "
    "married marry marries relationship relative relatives related partner partners peer peers colleague "
    "colleagues coworker neighbor neighbors neighbour neighbours border borders bordered bordering adjoin "
    "adjoins adjoined adjoining adjacent near same equal equals equivalent similar alike romantically "
    "connected associated correlated interacts interacted co-star co-stars co-starred costarred collaborated "
    "collaborates collaborator coexists overlaps resembles twin twins rival rivals ally allies enemy enemies "
    "different identical co-occurs synonym antonym homologous compatible cooperates"
)
"""Words of clauses that hold both ways round."""

SYMMETRIC = MUTUAL | _set(
    "also each other borderland next like likes dated dates dating linked connects met meets shares shared "
    "share between not never no without another trades"
)
"""Words of clauses that may hold both ways round, or not at all: nothing is read from such a clause."""

_PAIRS = """
parent father mother mom dad stepfather stepmother | child son daughter kid offspring stepson
aunt uncle | niece nephew
grandparent grandfather grandmother | grandchild grandson granddaughter
husband | wife
employer | employee
teacher mentor master tutor | student pupil apprentice disciple
ancestor | descendant
predecessor | successor
whole container superset | part component subset
older elder | younger
larger bigger greater | smaller
"""

CONVERSE = {
    word: (line.split()[0], first)
    for line in _PAIRS.strip().split("\n")
    for first, side in zip((True, False), line.split("|"), strict=True)
    for word in side.split()
}
"""Role nouns that come in pairs: the pair, and whether the noun is its first side."""

_IRREGULAR = {
    form: base
    for base, forms in {
        "write": "wrote written",
        "win": "won winner",
        "speak": "spoke spoken",
        "sing": "sang sung singer",
        "give": "gave given",
        "lead": "led",
        "make": "made",
        "build": "built",
        "teach": "taught",
        "hold": "held",
        "sell": "sold",
        "bear": "bore born borne",
        "choose": "chose chosen",
        "draw": "drew drawn",
        "drive": "drove driven",
        "know": "knew known",
        "see": "saw seen",
        "take": "took taken",
        "send": "sent",
        "fight": "fought",
        "grow": "grew grown",
        "shoot": "shot",
        "lie": "lay lain lies",
        "run": "ran runner",
        "buy": "bought",
        "bring": "brought",
        "keep": "kept",
        "eat": "ate eaten",
        "go": "went gone",
        "come": "came comes",
        "begin": "began begun",
        "study": "studied studies",
        "die": "died dies",
    }.items()
    for form in forms.split()
}

_BARE = _set("set shot broadcast come become run cast put")
"""Participles that look like base forms."""


def singular(noun: str) -> str:
    """A noun without its plural."""
    irregular = {"children": "child", "people": "person", "wives": "wife", "series": "series"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def stem(verb: str) -> str:
    """What the forms of a verb share; good for comparing only."""
    word = _IRREGULAR.get(verb, verb)
    if word == verb:
        word = _without_ending(word)
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word[:-1] if word.endswith("e") else word


def _without_ending(word: str) -> str:
    for ending in ("ied", "ies"):
        if word.endswith(ending) and len(word) > 4:
            return word[:-3] + "y"
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def agent_stem(noun: str) -> str | None:
    """The stem of the verb that a noun in -er or -or names the doer of, if it is one."""
    if noun in _IRREGULAR and noun.endswith("er"):
        return stem(noun)
    if noun.endswith(("er", "or")) and len(noun) > 4:
        return stem(noun[:-2] + "ed")
    return None


def is_participle(word: str) -> bool:
    """Whether a word after a form of *be* or *have* reads as a past participle."""
    return word.endswith("ed") or word in _IRREGULAR or word in _BARE
