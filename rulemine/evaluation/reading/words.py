"""Words that are names of entities only in their place, and words that say what a part of a reply is."""

import re

__all__ = [
    "ADJECTIVES",
    "FUNCTION_WORDS",
    "INTERJECTIONS",
    "TYPE_WORDS",
    "is_aside_label",
    "is_nothing",
    "nothing_first",
]

_INTERJECTIONS = "yes no sure okay ok well right great certainly indeed"

_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before below between both but
    by can could did do does down each either every few first for from good had has have he hence her here
    hers him his how however i if in into is it its last likely many may maybe me might more most much must
    my neither next no none nor not nothing now of off on once one only or other our out over perhaps possibly
    probably same second several shall she should since so some someone such than that the their them then
    there therefore these they third this those though three thus to too two under unknown up us very via was
    we were what when where whether which while who whom whose why will with within without would yet you your
    based given known note answer answers final
"""

_TYPE_WORDS = """
    actor actress album animal artist aunt author award band book brother capital character child children
    church city club college company continent country county daughter director district drama event family
    father female film friend gender genre group guild human husband instrument island job language location
    male man member men mother movie music musician name nation nationality nephew niece novel object
    organization parent people person place play player producer profession program province region relation
    religion river role school season series show singer sister son song species sport spouse state station
    street student subject team television theater thing title topic town type uncle university village war
    wife woman women work workshop world writer year
"""

_ADJECTIVES = """
    african american arabic asian australian british canadian catholic chinese christian czech danish dutch
    english european finnish french german greek hebrew hindi hindu hungarian indian irish islamic italian
    japanese jewish korean latin mexican muslim norwegian persian polish portuguese roman russian scottish
    spanish swedish thai turkish welsh
"""

INTERJECTIONS = frozenset(_INTERJECTIONS.split())
"""What begins a reply and is no part of the answer."""

FUNCTION_WORDS = INTERJECTIONS | frozenset(_FUNCTION_WORDS.split())
TYPE_WORDS = frozenset(_TYPE_WORDS.split())
"""What kind of thing something is, in the singular."""

ADJECTIVES = frozenset(_ADJECTIVES.split())
"""Languages and nations, which are adjectives before another word."""

_ASIDE = re.compile(
    r"(?:\W|\d|_)*(?:(?:my|the|brief|short|step-by-step|relevant|supporting|key|given|known|used|additional)\s+)*"
    r"(?:analysis|background|basis|caveats?|chains?|clarifications?|comments?|confidence|context|derivations?|"
    r"details|disclaimers?|evidence|excluded|explanations?|facts?|inferences?|justifications?|logic|notes?|"
    r"n\.?b\.?|observations?|paths?|proofs?|p\.?s\.?|questions?|rationales?|reasons?|reasoning|references?|"
    r"remarks?|retrieved|sources?|steps?|support|thoughts?|thinking|thought process|topics?|triples?|"
    r"verification|why)\b",
    re.IGNORECASE,
)
_NONE = (
    r"(?:none|null|nil|n/a|nothing|nobody|no one|unknown|no answers?(?: found)?|not known|not stated|"
    r"none (?:found|known|stated))"
)
_NOTHING = re.compile(rf"[\W_]*{_NONE}[\W_]*", re.IGNORECASE)
_NOTHING_FIRST = re.compile(rf"[\W_]{{0,20}}{_NONE}[*_\"' ]{{0,5}}[.;,(—–-]", re.IGNORECASE)


def is_aside_label(text: str) -> bool:
    """Whether a label or heading is that of reasons, evidence or remarks, and not of answers."""
    return _ASIDE.match(text[:200]) is not None


def is_nothing(text: str) -> bool:
    """Whether a line or a part says that there is no answer, and nothing else."""
    return len(text) < 100 and _NOTHING.fullmatch(text) is not None


def nothing_first(text: str) -> int:
    """Where a text goes on after it has said that there is no answer; 0 where it does not begin so."""
    first = _NOTHING_FIRST.match(text)
    return first.end() if first else 0
