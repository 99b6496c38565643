"""The English words that derived templates use, with a little grammar.

Guarantee: words have the sense that relation names use; a missing word makes a sentence stiffer, never
wrong.
"""

import re
from collections.abc import Sequence

__all__ = [
    "ACTIVE_PAST",
    "ADJECTIVES",
    "ADVERBS",
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
    "MODALS",
    "NOMINAL",
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
    "THINGS",
    "TYPES",
    "UNIQUE_ROLES",
    "VERBS",
    "active_of",
    "article",
    "is_adjective",
    "is_doer",
    "is_known_plural",
    "is_person",
    "is_plural",
    "participle_of",
    "past_of",
    "plural",
    "singular",
    "verb_of",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _set(
    "of in to with from at on for by into under over near as about against within through after before "
    "during toward towards upon out above below between among along across via per without inside outside "
    "beside beneath behind beyond onto around throughout down up using"
)

_BASE_FORMS = (
    "abolish absorb accept access accompany accomplish accuse acetylate achieve acknowledge acquire act "
    "activate adapt address adhere adjoin adjust administer admire admit adopt advertise advise affect "
    "affirm afflict align allege allocate allow alter amend analyze annex annotate announce appear apply "
    "appoint approach approve argue arise arrange arrive ascribe assemble assert assess assign assist "
    "associate assume assure attach attack attain attend attest attract audit augment authorize avoid await "
    "award base bear become believe belong bestow bind block border borrow bound break bring broadcast build "
    "buy call cancel capture carry catalyze catch cause celebrate choose cite claim cleave co-express "
    "co-occur coach coexist coexpress collaborate collect colocalize combine commemorate commence commission "
    "commit communicate compare compete compile complicate comply compose comprise compute concede concern "
    "conduct confer confirm conflict confront connect conquer consider consist constitute constrain "
    "construct consult consume contact contain contemplate continue contradict contribute control convert "
    "convey cool cooperate correct correlate correspond cover create criticize cross deal decide declare "
    "decorate decrease dedicate defeat defend defer define degrade delete deliver demand denote deny depart "
    "depend depict deploy depose deposit deprecate derive descend describe design desire destroy detach "
    "detect determine develop devote diagnose differ differentiate direct disclose discover discuss dismiss "
    "display disrupt distribute divide dominate donate downregulate draft drain drop earn eat edit educate "
    "elect elicit eliminate embed embody emerge emigrate emit employ enable enact enclose encode encompass "
    "encourage encrypt end endanger endorse endow enforce engage enhance enlarge enrich enroll ensure entail "
    "enter entitle erase establish evaluate evict evolve examine exceed execute exhibit exist expand expect "
    "expel explain exploit explore export expose express extend fail favor feature feed fight file finance "
    "finish flow fly follow forbid force form foster found fulfill fund gain gather generate give govern "
    "grow guard happen harden hate head heal heat help hinder hold host house hunt ignore illustrate impact "
    "impair impede impersonate implement imply import impose improve inaugurate incite include incorporate "
    "increase incur indicate induce infect infer influence inform inhabit inhere inherit inhibit inject "
    "injure innervate insert inspect inspire install instantiate instruct insure integrate intend interact "
    "interconnect interfere interpret intersect intervene introduce invade invent invest investigate invite "
    "invoke involve issue join kill know label lack launch lay lead learn lease leave lend license lie like "
    "limit link listen live localize locate lose love maintain make manage manipulate manufacture mark marry "
    "measure mediate meet mention mentor merge metabolize methylate migrate mimic mine mitigate modify "
    "monitor motivate move mutate name narrate need negotiate neighbor neighbour nominate notify obey "
    "observe obsolete obtain occupy occur offer omit operate oppose order organize originate overcome "
    "overlap override oversee overtake overwrite owe own paint palliate participate pay penalize perform "
    "permit persuade pertain phosphorylate play pollinate possess postpone practice practise precede predate "
    "predict predispose prefer prepare prescribe present preserve presuppose prevent print process proclaim "
    "produce program prohibit promote propose prosecute protect protest prove provide publish purchase "
    "pursue qualify raise rank rate reach react read recall receive recognize recommend record recover "
    "redeem redirect reduce refer refine reflect refute register regulate reinforce reject relate release "
    "relieve rely remember remove render renew rent repeal replace reply report represent repress require "
    "rescind rescue resemble reside resist respond restore restrict result retain retire retract retrieve "
    "reveal review ride rule run sample satisfy schedule search secrete see seek seize select sell send "
    "sense separate serve settle share show sign sing situate solicit solve span speak specialize specify "
    "spend split sponsor spoof stabilize staff stand star start state stimulate stop store stream strengthen "
    "study submit subscribe substitute subsume subtract succeed sue suffer suggest supersede supervise "
    "supplant supply support suppress surround survive suspend symbolize synthesize take target teach tell "
    "test threaten throw touch track trade train transact transcribe transfer transform translate "
    "translocate transmit transport transpose travel treat trigger trust ubiquitinate undergo underlie "
    "undermine understand underwrite unite update uphold upregulate urge use utilize validate vary view "
    "violate visit voice vote want warn watch weaken wear win work worship wrap write yield"
)


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


LEMMAS = {verb: _third_person(verb) for verb in _BASE_FORMS.split()}
"""Base form → third person."""

VERBS = {third: verb for verb, third in LEMMAS.items()}
"""Third person → base form."""

LONE_PLURALS = _set(
    "acts addresses affiliates aggregates alternates answers approaches associates audits authors awards "
    "bases blocks captains chairs champions coaches comments complements contacts coordinates counters "
    "covers damages deals delegates deposits documents drafts duplicates ends engineers estimates fathers "
    "files filters forces forms funds grants guarantees guards guides heads honors hosts judges labels "
    "leases licenses limits marks mentors mines mirrors monitors mothers moves names nurses permits pilots "
    "plans powers prints processes programs projects protests ranks rates records reissues remakes replays "
    "replies reports requests reserves retreats reviews reworks rivals routes rules samples sanctions "
    "schedules searches senses signs splits sponsors staffs stands starts states stops stores streams "
    "studies supplements tests tracks trades trains transfers tutors updates views voices votes"
)
"""Third persons that, standing alone, may also be plurals of what does it, as *hosts*, or of other things."""

ADVERBS = _set("also always best first last most never next not often once only still well")
"""Adverbs without -ly that begin a name."""

MODALS = _set("may might can could must should will would does did")
"""Verbs that stand before the base form of another."""

PAST = {
    "are": "were", "beat": "beat", "become": "became", "begin": "began", "build": "built", "buy": "bought",
    "choose": "chose", "come": "came", "control": "controlled", "do": "did", "draw": "drew",
    "drive": "drove", "eat": "ate", "fall": "fell", "feed": "fed", "fight": "fought", "find": "found",
    "get": "got", "give": "gave", "go": "went", "grow": "grew", "have": "had", "hold": "held",
    "keep": "kept", "know": "knew", "lead": "led", "leave": "left", "lose": "lost", "make": "made",
    "meet": "met", "pay": "paid", "read": "read", "ride": "rode", "run": "ran", "sell": "sold",
    "send": "sent", "sing": "sang", "sit": "sat", "speak": "spoke", "stand": "stood", "swim": "swam",
    "take": "took", "teach": "taught", "wear": "wore", "win": "won", "write": "wrote",
}  # fmt: skip
"""Base form → past, of irregular verbs."""

LONE_BASES = _set(
    "access act address approach assist associate attack audit award base block border break broadcast build "
    "call capture catch cause claim coach commission concern conduct conflict construct contact control cool "
    "correct cover cross deal decrease defeat demand deposit design desire direct display download draft "
    "drop end exhibit exploit export favor feature feed fight file finance flow fly force form fund gain "
    "grow guard guide hate head heat help hold host house hunt impact import increase influence invite issue "
    "join label lack launch lead lease license like limit link love mark measure mention mentor mimic mine "
    "monitor move name need neighbor neighbour obsolete offer order override permit play practice present "
    "print process program project protest purchase raise rank rate read recall record redirect register "
    "release rent reply report rescue result review ride rule run sample schedule search sense share show "
    "sign span split sponsor staff stand star start state stop store stream study supply support surround "
    "target test touch track trade train transfer transport travel trigger trust update use view visit voice "
    "vote want watch win work worship wrap yield"
)
"""Base forms that, standing alone, may also be a noun."""

_ACTIVE = {
    "written": "wrote", "beaten": "beat", "known": "knew", "given": "gave", "taken": "took", "seen": "saw",
    "shown": "showed", "drawn": "drew", "sung": "sang", "spoken": "spoke", "broken": "broke",
    "chosen": "chose", "eaten": "ate", "worn": "wore", "driven": "drove", "grown": "grew",
    "overseen": "oversaw",
}  # fmt: skip
"""Participle → past, where they differ."""

ACTIVE_PAST = _set(
    "acted appeared attended competed created wrote died directed graduated happened lived lost migrated "
    "moved occurred participated performed played resigned served starred studied sang taught travelled "
    "traveled voted won worked led ended started originated painted arrived belonged collaborated "
    "contributed cooperated departed depended donated emerged emigrated interacted invested listened "
    "replied responded resulted retired subscribed suffered arose coexisted coincided collided communicated "
    "complied conflicted conspired consisted converged corresponded deputised deputized descended differed "
    "disagreed diverged dwelt existed flourished immigrated lectured lodged matriculated negotiated "
    "officiated overlapped pertained preached premiered presided quarreled quarrelled reigned relied "
    "remained resided merged sailed stayed toured volunteered"
)
"""Past forms that name what the subject did."""

REGULAR = _set(
    "act appear change coincide collide compete complete conspire converge deputise deputize design die "
    "disagree distribute diverge draft earn edit end flourish graduate honor host immigrate induct "
    "involve lecture live lodge major matriculate migrate move officiate originate paint participate "
    "perform play preach premiere preside quarrel receive reign remain resign sail serve share show start "
    "stay study tour voice volunteer vote"
)
"""Base forms of regular verbs that make clauses in the past, beside those of `LEMMAS`."""

PARTICIPLES = _set(
    "born built known made written found held given taken seen shown drawn sung spoken broken bound composed "
    "located married sold sent taught led won lost cast set broadcast used bought brought caught chosen "
    "driven eaten fed fought hit kept laid paid put run shot spent stolen struck thrown worn grown hidden "
    "overseen begun said met beaten forbidden forgotten frozen overridden overtaken owed understood "
    "undertaken underwritten upheld withdrawn withheld woven sown mown shorn spun torn sworn bred lent "
    "sought ridden hung lit dealt mistaken proven"
)
"""Passive participles without -ed, and the most common ones with it."""

OWNERS = _set(
    "owned managed operated led run governed employed manufactured maintained sponsored controlled headed "
    "coached supervised used bought purchased supplied hosted organized chaired occupied accumulated "
    "audited bequeathed cataloged catalogued collected commissioned conserved dispatched donated edited "
    "examined given guarded inspected made organised preserved restored reviewed signed sold watched"
)
"""Participles whose *by* may be a person or an organization."""

BY_PEOPLE = _set(
    "apprenticed instructed penned trained advised mentored taught tutored raised reared nursed wed"
)
"""Participles whose *by* or *to* is a person."""

EVENTS = _set(
    "adapted adopted assassinated authored born built buried coined composed conducted created defeated "
    "designed developed directed discovered drawn educated elected established filmed formed found founded "
    "illustrated imprisoned influenced inspired introduced invented killed launched murdered named nominated "
    "painted performed produced published raised recorded released signed sung taught translated won written"
)
"""Participles that say what was done once: "was founded by", not "is founded by"."""

STATES = _set(
    "affiliated aligned associated based called connected dated linked located married named related "
    "unrelated divorced engaged canoodled speed need breed seed"
)
"""Words in -ed that do not say who did what to whom, and nouns in -ed."""

ADJECTIVES = _set(
    "adjacent similar close next near equal equivalent opposite dependent different identical parallel prior "
    "subsequent superior inferior subject due inherent capable relevant specific same analogous homologous "
    "orthologous responsible active famous interested north south east west northeast northwest southeast "
    "southwest downstream upstream loyal friends absent anterior critical disjoint distal distinct dorsal "
    "endemic essential exclusive immune independent indigenous invalid lateral medial necessary orthogonal "
    "peripheral posterior present prone proximal resistant sensitive sufficient toxic valid ventral allergic "
    "extrinsic intrinsic negative positive diagnostic obsolete prognostic junior senior subordinate "
    "coextensive coincident concurrent congruent consistent inconsistent weak strong effective ineffective "
    "vulnerable susceptible compatible incompatible tolerant suitable available"
)


def is_adjective(word: str) -> bool:
    """Whether a word before a preposition is an adjective or an adverb."""
    return word in ADJECTIVES or (
        re.search(r"(?:[^bfti]able|ible|ous|ful|less|ly)$", word) is not None
        and word not in THINGS | LEMMAS.keys()
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
    "subordinate lover fiancé fiancée curator conservator heir heiress dispatcher lyricist"
)
"""Nouns that are asked for with *who*."""

AGENTS = _set(
    "architect creator developer designer distributor employer maker manufacturer operator owner producer "
    "publisher sponsor supplier vendor builder contributor customer user head signatory accuser"
)
"""Nouns that are asked for with *who* though organizations may be meant too."""

PERSONAL = KIN | _set(
    "birth birthplace birthdate death deathplace burial occupation occupations profession professions "
    "nationality nationalities citizenship employer employers residence residences religion ethnicity gender "
    "surname forename religious hobby salary alma education degree career ethnic spoken marriage murder "
    "doctoral student students advisor instrument instruments"
)
"""Words of nouns that people have: an occupation, a place of birth."""

RELATIONAL = _set(
    "relation relations relationship connection link association border contact cooperation conflict "
    "interaction partnership treaty friendship rivalry correlation similarity overlap synergy"
)
"""Nouns for what holds between two ends: neither end is one."""

TYPES = _set(
    "country city town place state province county region continent language film movie book song album "
    "genre occupation award company organization team club party league sport school university religion "
    "disease drug gene protein compound pathway symptom anatomy enzyme species taxon instrument position "
    "industry currency event war river lake mountain island airport building station person athlete animal "
    "plant food ingredient product process function field discipline topic subject category class condition "
    "phenotype stadium mascot location agent tissue organ cell trait agency competition corporation "
    "department document institution nation publication venue"
)
"""Nouns that say what their bearer is, besides what it is of something."""

THINGS = _set(
    "address affiliate aggregate alias ally alternate anomaly antonym arm assembly associate attribute award "
    "branch candidate category certificate chapter character climate code color colour comment component "
    "content coordinate custom date delegate detail domain duplicate edge effect enemy entry episode "
    "estimate example factor family file fish flag floor format game goal good hobby hypernym hyponym image "
    "instance interest item key keyword label language layer lease license member method name neighbor node "
    "note object option page parameter part participant permit photo plate predicate procedure program "
    "property rank rate resource result right risk role room route sale schedule section series service "
    "shape shop site skill sound sport state structure subclass substrate subtype surrogate synonym tag task "
    "template term theme thing threat tool topping triple type unit value variable variant vehicle version "
    "victim video weapon window work"
).union(TYPES, PEOPLE, AGENTS)
"""Nouns whose plural is no verb, or hardly ever one between two things."""

INDEFINITE_PEOPLE = PEOPLE | _set("citizen leader politician founder born")

PEOPLE_DO = _set(
    "works lives teaches graduated died born married studied attended acted educated buried killed murdered "
    "employed elected imprisoned exiled raised resides resided apprenticed deputises deputizes"
)
PLACED_DO = _set("works lives teaches died studied resides resided lived worked taught")
"""Those of them whose *in* or *at* is asked for with *where*."""

DOERS = _set(
    "authored coached composed conducted created directed discovered edited founded invented knows likes "
    "loves manages mentors painted produced sang teaches translated wrote writes directs edits composes "
    "paints invents narrates coaches purchased bought rated viewed reviewed watched visited played plays won "
    "wins takes enrolled"
)
"""Verbs whose subject is asked for with *who*, whatever follows them."""

UNIQUE_ROLES = _set(
    "capital leader head founder author director seat spouse mother father husband wife gender birthplace "
    "birthdate deathplace birthday closest deepest first highest largest last latest longest lowest nearest "
    "next oldest smallest tallest"
)
"""Roles with *of* that take *the*, and words that make others such."""

PROPERTY_NOUNS = _set(
    "place date year time country city state county region area field form cause language type kind number "
    "point means mode source port manner date degree age rate level color colour"
)
"""First words of “noun of noun” that name what the subject has, never what it is."""

SHORT_WORDS = PREPOSITIONS | _set("is as a an or id no be")
"""Words of one or two letters; other such fragments are codes."""

_NOT_PLURAL = _set(
    "headquarters is was has series species campus chassis basis gas news bus lens olympics alias atlas bias "
    "canvas corps fonds means"
)


def is_plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    return word in _SINGULARS or (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is", "'s", "’s", "series", "species"))
        and word not in _NOT_PLURAL
    )


NOMINAL = re.compile(
    r"(?:er|or|..(?:[st]ion|ity|ment|ness|ist|ism|ship|hood|[ae]nce|[du]ency|logy|graphy|ian|istic|[st]ive|ee|"
    r"ing|(?:part|at|it|xt|ult)ure))$"
)
"""How nouns in the singular end."""

_VERBAL = re.compile(
    r"..(?:ate|(?<!^pr)ize|yze|[^s]ify|ceive|clude|duce|olve|quire|scribe|voke|cede|struct|[^s]tend|sume)$"
)
"""How verbs end that are no nouns, or hardly ever."""

_PREFIX = re.compile(r"^(?:\w+-|co|de|dis|down|inter|mis|over|pre|re|trans|under|un|up)")


def verb_of(word: str, rest: Sequence[str] = ()) -> str:
    """The base form of a third person; "": the word may as well be a plural noun, or is none of both.

    Args:
        word: The word.
        rest: The words after it; nouns in the plural do not stand before a preposition: "ships to".

    Example:
        >>> verb_of("recommends"), verb_of("awards"), verb_of("hosts"), verb_of("hosts", ["event"])
        ('recommend', '', '', 'host')
    """
    leads = rest[:1] and rest[0] in PREPOSITIONS - {"of", "by"}
    noun = singular(word)
    nouns = TYPES - LEMMAS.keys() if leads else THINGS
    if word in ADJECTIVES or (not rest if word in LONE_PLURALS else noun in nouns):
        return ""
    bare = word if word in VERBS else _PREFIX.sub("", word, count=1)
    known = bare in VERBS and (bare == word or bare not in LONE_PLURALS)
    plain = noun[-2:] in ("er", "or") or not NOMINAL.search(noun)
    likely = plain and is_plural(word) and (leads or _VERBAL.search(noun))
    return word.removesuffix(bare) + VERBS[bare] if known else noun if likely else ""


def is_doer(noun: str) -> bool:
    """Whether a noun says who does something: *owner*, *contributor*, not *number*."""
    return noun in PEOPLE | AGENTS or (
        noun.endswith(("er", "or")) and (noun[:-2] in LEMMAS or f"{noun[:-2]}e" in LEMMAS)
    )


_MAN = "(?<!hu|ro|to)(?<!ger|nor|cai|lis|sha)man"
"""How nouns end whose plural ends in *men*: not *human*, *Roman*, *talisman*."""


_PERSON = re.compile(
    rf"..(?:{_MAN}|woman|master|mistress|smith|wright|keeper|grapher|ician|gineer|[^lsx]ist)$"
)
"""How nouns for people end."""

_DEVICES = _set(
    "absorber acceptor accumulator activator adapter adaptor allocator analyzer annotator assembler "
    "attractor binder blocker borderer breaker carrier catalyzer causer changer charger cleaner competitor "
    "compiler computer connector container controller converter cooler counter cover cutter detector "
    "determiner differentiator divider downregulator drawer driver effector eliminator emitter encoder "
    "enhancer evaluator exporter extender extractor feeder fighter filer finder flower folder former "
    "generator handler header heater helper identifier importer indicator inducer infector inhibitor "
    "injector inserter integrator intensifier interactor interpreter invoker joiner labeler launcher layer "
    "letter limiter liner linker listener liver loader localizer locator manipulator marker measurer "
    "mediator merger metabolizer methylator mixer modifier modulator mover mutator number order parser "
    "phosphorylator pointer pollinator poster predator predictor preserver preventer printer processor "
    "promoter protector reactor reader receiver recorder redirector reducer refiner reflector regulator "
    "remainer remover renderer replacer reporter repressor resistor resolver retriever revealer ruler "
    "sampler scheduler searcher selector sender sensor separator server shower solver splitter stabilizer "
    "starter stimulator stopper streamer suppressor synthesizer tester timer tracker trailer transactor "
    "transformer translocator transmitter transporter trigger ubiquitinator updater upregulator validator "
    "viewer wrapper"
)
"""Nouns of verbs that name devices and substances as well."""


def is_person(noun: str) -> bool:
    """Whether a noun in the singular surely says who, by how it ends: *foreman*, *lyricist*, *trainer*."""
    if noun in PEOPLE | AGENTS or _PERSON.search(noun):
        return True
    stem = noun[:-2] if noun.endswith(("er", "or")) and noun not in _DEVICES else ""
    return bool({stem, f"{stem}e", stem[:-1]} & (LEMMAS.keys() | REGULAR | PAST.keys()))


def is_known_plural(word: str) -> bool:
    """Whether a word in -s that stands alone is surely a noun: it is known, or ends as nouns do."""
    noun = singular(word)
    ends = NOMINAL.search(noun) and (not noun.endswith(("er", "or")) or is_doer(noun))
    known = ends or noun in THINGS | RELATIONAL or word[-3:] == "ics"
    return word not in LONE_PLURALS and bool(known)


_PLURALS = {
    "person": "people", "man": "men", "series": "series", "species": "species",
    "headquarters": "headquarters",
    "child": "children", "wife": "wives", "woman": "women", "alumnus": "alumni", "genus": "genera",
    "phenomenon": "phenomena", "taxon": "taxa", "analysis": "analyses", "basis": "bases",
    "diagnosis": "diagnoses", "movie": "movies", "cookie": "cookies", "calorie": "calories",
    "criterion": "criteria", "medium": "media", "half": "halves", "fonds": "fonds",
}  # fmt: skip
_SINGULARS = {
    many: one for one, many in _PLURALS.items() if many != one and many not in ("bases", "media")
}


def plural(noun: str) -> str:
    """The plural of a noun of one word, which is in the singular."""
    if found := re.search(rf"(?:child|wife|woman|series|species|{_MAN})$", noun):
        return noun[: found.start()] + _PLURALS[found[0]]
    if noun in _PLURALS:
        return _PLURALS[noun]
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def singular(noun: str) -> str:
    """The singular of a noun of one word, which is in the plural."""
    regular = f"{noun[:-3]}y" if noun.endswith("ies") and len(noun) > 4 else noun.removesuffix("s")
    return _SINGULARS.get(noun) or (
        noun[:-2] if noun.endswith(("sses", "shes", "ches", "xes")) else regular
    )


def active_of(participle: str) -> str:
    """The past of the verb of a participle: "wrote" of "written"; "": it is not known."""
    same = (participle.endswith("ed") and participle not in STATES) or participle in PAST.values()
    return _ACTIVE.get(participle, participle if same else "")


def participle_of(past: str) -> str:
    """The participle of the verb of a past: "written" of "wrote".

    Example:
        >>> participle_of("wrote"), participle_of("founded")
        ('written', 'founded')
    """
    return next((participle for participle, other in _ACTIVE.items() if other == past), past)


def past_of(verb: str) -> str:
    """The past of a verb's base form."""
    stem = re.sub(r"(?<=[^aeiou])y$", "i", verb)
    return PAST.get(verb) or (f"{stem}d" if stem.endswith("e") else f"{stem}ed")


def article(noun: str) -> str:
    """The indefinite article before a noun, by its first letter and the most common exceptions."""
    vowel = re.match(r"(?!uni[^dn]|us[aeiu]|eu|one|ur[aily])[aeiouAEIOU]|heir|hour|hono", noun)
    return "an" if vowel else "a"
