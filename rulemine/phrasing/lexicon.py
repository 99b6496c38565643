"""The English words that derived templates use, with a little grammar.

Guarantee: words have the sense that relation names use; a missing word makes a sentence stiffer, never
wrong.
"""

import re

__all__ = [
    "ACTIVE_PAST",
    "ADJECTIVES",
    "AGENTS",
    "BY_PEOPLE",
    "DOERS",
    "EVENTS",
    "FAMILY",
    "FEMALE",
    "INDEFINITE_PEOPLE",
    "KIN",
    "LEMMAS",
    "LONE_BASES",
    "LONE_PLURALS",
    "MALE",
    "OWNERS",
    "PARTICIPLES",
    "PAST",
    "PEOPLE",
    "PEOPLE_DO",
    "PERSONAL",
    "PLACED_DO",
    "PREPOSITIONS",
    "PROPERTY_NOUNS",
    "REGULAR",
    "RELATIONAL",
    "SHORT_WORDS",
    "STATES",
    "TYPES",
    "UNIQUE_ROLES",
    "VERBS",
    "active_of",
    "article",
    "is_plural",
    "participle_of",
    "past_of",
    "plural",
    "singular",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _set(
    "of in to with from at on for by into under over near as about against within through after "
    "before during toward towards upon out above below between among along across via per without"
)

_BASE_FORMS = (
    "absorb accept access accompany accuse acetylate acquire act activate adapt address adjoin administer "
    "admire advertise advise affect allocate allow analyze annotate appear apply appoint approach approve "
    "arrange arrive assess assign assist associate attack attend audit augment authorize award base bear "
    "become believe belong bestow bind block border borrow bring broadcast build buy call carry catalyze "
    "cause cite claim co-express co-occur coach coexist coexpress collaborate collect colocalize combine "
    "commemorate commission communicate compare compete complicate compose comprise compute concern "
    "conduct confer connect consist constrain construct consume contact contain contradict contribute "
    "control convert cooperate correlate cover create criticize cross deal decrease define deliver demand "
    "depend depict deploy deposit derive describe design desire destroy detect determine develop diagnose "
    "differ direct discover discuss display disrupt distribute divide donate downregulate draft drain eat "
    "edit educate elect eliminate embody emit employ enable encode encourage endorse enhance enter "
    "establish evaluate evolve execute exhibit exist expect expel explain export express extend feature "
    "feed fight file finance finish flow fly follow force form found fulfill fund gain generate give "
    "govern grow guard happen hate head help hold host house hunt illustrate impact implement imply "
    "import include increase indicate induce infect influence inform inhabit inherit inhibit inspect "
    "inspire integrate intend interact interconnect interfere introduce invent invest investigate invite "
    "involve issue join kill know label lack launch lead lease lend license lie like limit link live "
    "localize locate love maintain make manage manipulate manufacture mark marry measure mediate meet "
    "mention mentor metabolize methylate migrate mine modify monitor motivate move mutate name narrate "
    "need negotiate neighbor neighbour nominate notify obtain occur offer oppose order organize originate "
    "overlap oversee owe own paint palliate participate pay penalize perform permit persuade pertain "
    "phosphorylate play pollinate possess practice practise precede predate predict predispose prefer "
    "prepare prescribe present preserve prevent print process produce program promote protect protest "
    "prove provide publish purchase qualify rank rate reach read receive recognize reduce refer reflect "
    "register regulate reject relate release rely remove render rent replace report represent repress "
    "require rescue resemble reside respond restrict result review rule run satisfy schedule search "
    "secrete see seek select sell send sense separate serve settle share show sign sing solve span speak "
    "specialize specify spend split sponsor stabilize staff stand star start state stimulate stop store "
    "stream strengthen study subscribe succeed sue suggest supervise supply support suppress surround "
    "survive symbolize synthesize take target teach tell test threaten touch track trade train transcribe "
    "transfer transform translate translocate transport travel treat trigger trust ubiquitinate undergo "
    "underlie understand unite update upregulate urge use utilize validate view violate visit voice vote "
    "want warn watch weaken wear win work worship write yield"
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
    "accesses acts addresses approaches attacks audits awards bases blocks borders broadcasts calls "
    "claims coachs commissions contacts controls covers crosses deals demands deposits designs desires "
    "displays drafts exports features fights files finances flies forces forms funds gains guards guides "
    "heads hosts houses hunts impacts imports invites issues labels launches leases licenses limits links "
    "marks mentors mines monitors moves names neighbors orders permits presents prints processes programs "
    "protests purchases ranks rates releases rents reports results reviews rules runs schedules searches "
    "senses shares shows signs spans splits sponsors staffs stands stars starts states stops stores "
    "streams studies supplies targets tests tracks trades trains transfers travels trusts updates views "
    "visits voices votes watches works"
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

LONE_BASES = _set(
    "access act address approach attack audit award base block border broadcast build call cause claim "
    "coach commission contact control cover cross deal demand deposit design desire direct display draft "
    "export feature feed fight file finance flow fly force form fund gain grow guard guide hate head help "
    "hold host house hunt impact import influence invite issue join label lack launch lead lease license "
    "like limit link love mark mentor mine monitor move name need neighbor neighbour offer order permit "
    "play practice present print process program project protest purchase rank rate read release rent "
    "report result review rule run schedule search sense share show sign span split sponsor staff stand "
    "star start state stop store stream study supply support surround target test touch track trade train "
    "transfer transport travel trigger trust update use view visit voice vote want watch win work worship "
    "yield"
)
"""Base forms that, standing alone, may also be a noun."""

_ACTIVE = {
    "written": "wrote", "known": "knew", "given": "gave", "taken": "took", "seen": "saw", "shown": "showed",
    "drawn": "drew", "sung": "sang", "spoken": "spoke", "broken": "broke", "chosen": "chose",
    "eaten": "ate", "worn": "wore", "driven": "drove", "grown": "grew", "overseen": "oversaw",
}  # fmt: skip
"""Participle → past, where they differ."""

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
    "composed located married sold sent taught led won lost cast set broadcast used bought brought caught "
    "chosen driven eaten fed fought hit kept laid paid put run shot spent stolen struck thrown worn grown "
    "hidden overseen begun"
)
"""Passive participles without -ed, and the most common ones with it."""

OWNERS = _set(
    "owned managed operated led run governed employed manufactured maintained sponsored controlled headed "
    "coached supervised used bought purchased supplied hosted organized chaired occupied"
)
"""Participles whose *by* may be a person or an organization."""

BY_PEOPLE = _set("trained advised mentored taught tutored raised reared nursed wed")
"""Participles whose *by* is a person."""

EVENTS = _set(
    "adapted adopted assassinated authored born built buried coined composed conducted created defeated "
    "designed developed directed discovered drawn educated elected established filmed formed found "
    "founded illustrated imprisoned influenced inspired introduced invented killed launched murdered "
    "named nominated painted performed produced published raised recorded released signed sung taught "
    "translated won written"
)
"""Participles that say what was done once: "was founded by", not "is founded by"."""

STATES = _set(
    "affiliated aligned associated based called connected dated linked located married named "
    "related unrelated divorced engaged canoodled speed need breed seed"
)
"""Words in -ed that do not say who did what to whom, and nouns in -ed."""

ADJECTIVES = _set(
    "adjacent similar close next near equal equivalent opposite dependent different identical "
    "parallel prior subsequent superior inferior subject due inherent capable relevant specific "
    "same analogous homologous orthologous responsible active famous interested north south east "
    "west northeast northwest southeast southwest downstream upstream loyal friends"
)

FEMALE = _set(
    "mother wife sister daughter aunt niece grandmother granddaughter stepmother stepdaughter girlfriend"
)
MALE = _set(
    "father husband brother son uncle nephew grandfather grandson stepfather stepson boyfriend"
)

FAMILY = (
    FEMALE
    | MALE
    | _set("parent child grandparent grandchild ancestor descendant stepparent stepchild")
)
"""Relatives who are not each other's, so that it matters which end is one."""

KIN = FAMILY | _set(
    "spouse spouses children parents sibling siblings married friend friends partner cousin twin relative "
    "colleague colleagues teammate teammates classmate classmates roommate"
)
"""Words for relations between people: both ends are asked for with *who*."""

PEOPLE = (KIN - {"married"}) | _set(
    "actor actors athlete athletes student "
    "students crewmember instrumentalist instrumentalists celebrity person people "
    "politicians advisor doctor acquaintance artist astronaut author biographer cinematographer citizen "
    "colleague composer conductor discoverer editor engineer governor guest host inhabitant inventor "
    "journalist king leader librettist lyricist mayor minister monarch musician narrator novelist officer "
    "painter pastor performer photographer player poet president principal professor queen rector "
    "resident scientist screenwriter sculptor secretary senator singer songwriter starring teacher "
    "translator treasurer winner wrestler writer chair chairman chairperson chairwoman ceo cto cfo "
    "founder cofounder coach captain manager director actress "
    "alumnus alumni graduate employee patient physician rival opponent mentor mentee supervisor boss "
    "subordinate lover fiancé fiancée"
)
"""Nouns that are asked for with *who*."""

AGENTS = _set(
    "architect creator developer designer distributor employer maker manufacturer operator owner producer "
    "publisher sponsor supplier vendor builder contributor customer user head signatory accuser"
)
"""Nouns that are asked for with *who* though organizations may be meant too."""

PERSONAL = KIN | _set(
    "birth birthplace birthdate death deathplace burial occupation occupations profession professions "
    "nationality nationalities citizenship employer employers residence residences religion ethnicity "
    "gender surname forename religious hobby salary alma education degree career ethnic spoken "
    "marriage murder doctoral student students advisor instrument instruments"
)
"""Words of nouns that people have: an occupation, a place of birth."""

RELATIONAL = _set(
    "relation relations relationship connection link association border contact cooperation "
    "conflict interaction partnership treaty friendship rivalry correlation similarity overlap synergy"
)
"""Nouns for what holds between two ends: neither end is one."""

TYPES = _set(
    "country city town place state province county region continent language film movie book song album "
    "genre occupation award company organization team club party league sport school university religion "
    "disease drug gene protein compound pathway symptom anatomy enzyme species taxon instrument position "
    "industry currency event war river lake mountain island airport building station person athlete "
    "animal plant food ingredient product process function field discipline topic subject category class "
    "condition phenotype stadium mascot location agent tissue organ cell trait"
)
"""Nouns that say what their bearer is, besides what it is of something."""

INDEFINITE_PEOPLE = PEOPLE | _set("citizen leader politician founder born")

PEOPLE_DO = _set(
    "works lives teaches graduated died born married studied attended acted educated buried killed "
    "murdered employed elected imprisoned exiled raised resides"
)
PLACED_DO = _set("works lives teaches died studied resides lived worked taught")
"""Those of them whose *in* or *at* is asked for with *where*."""

DOERS = _set(
    "authored coached composed conducted created directed discovered edited founded invented "
    "knows likes loves manages mentors painted produced sang teaches translated wrote writes directs "
    "edits composes paints invents narrates coaches purchased bought rated viewed reviewed watched "
    "visited played plays won wins takes enrolled"
)
"""Verbs whose subject is asked for with *who*, whatever follows them."""
"""Verbs whose subject is asked for with *who*."""

UNIQUE_ROLES = _set(
    "capital leader head founder author director seat spouse mother father husband wife gender birthplace "
    "birthdate deathplace birthday"
)
"""Roles with *of* that take *the*."""

PROPERTY_NOUNS = _set(
    "place date year time country city state county region area field form cause language type kind "
    "number point means mode source port manner date degree age rate level color colour"
)
"""First words of “noun of noun” that name what the subject has, never what it is."""

SHORT_WORDS = PREPOSITIONS | _set("is as a an or id no")
"""Words of one or two letters; other such fragments are codes."""

_NOT_PLURAL = _set(
    "headquarters is was has series species campus chassis basis gas news bus lens olympics"
)


def is_plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    if word in _SINGULARS:
        return True
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and word not in _NOT_PLURAL
    )


_PLURALS = {
    "person": "people", "man": "men", "series": "series", "species": "species",
    "headquarters": "headquarters",
    "child": "children", "wife": "wives", "woman": "women", "alumnus": "alumni", "genus": "genera",
    "phenomenon": "phenomena", "taxon": "taxa", "analysis": "analyses", "basis": "bases",
    "diagnosis": "diagnoses", "criterion": "criteria", "medium": "media", "half": "halves",
}  # fmt: skip
_SINGULARS = {
    many: one for one, many in _PLURALS.items() if many != one and many not in ("bases", "media")
}


def plural(noun: str) -> str:
    """The plural of a noun of one word, which is in the singular."""
    if found := re.search(r"(?:child|wife|woman)$", noun):
        return noun[: found.start()] + _PLURALS[found[0]]
    if noun in _PLURALS:
        return _PLURALS[noun]
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def singular(noun: str) -> str:
    """The singular of a noun of one word, which is in the plural."""
    if noun in _SINGULARS:
        return _SINGULARS[noun]
    if noun.endswith("ies") and len(noun) > 4 and noun not in ("movies", "calories", "cookies"):
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith(("sses", "shes", "ches", "xes")) else noun.removesuffix("s")


def active_of(participle: str) -> str:
    """The past of the verb of a participle: "wrote" of "written"; "": it is not known."""
    if participle.endswith("ed") and participle not in STATES:
        return participle
    return _ACTIVE.get(participle, participle if participle in PAST.values() else "")


def participle_of(past: str) -> str:
    """The participle of the verb of a past: "written" of "wrote".

    Example:
        >>> participle_of("wrote"), participle_of("founded")
        ('written', 'founded')
    """
    return next((participle for participle, other in _ACTIVE.items() if other == past), past)


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
