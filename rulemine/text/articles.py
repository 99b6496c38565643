"""The article before a name: *the* United Kingdom, but Canada.

Labels carry no article, and nothing in a graph says which names take one, so this goes by the words of an
English name. Where it cannot know (*Mystic River* is a film, *the Amazon River* is not) it leaves the article
out. Guarantee: a name that starts with an article of its own, or follows a determiner, gets none.
"""

import re
from functools import lru_cache

from rulemine.text.mentions import FUNCTION_WORDS

__all__ = ["in_sentence", "type_words", "wants_article"]

_OPENS = re.compile(
    r"(?:the|a|an|my|our|his|her|your|their|i|we|you|he|she|they|it|in|on|at|to|into|of|for|from|with|no|not|"
    r"what|who|how|when|where|why|this|that|all|oh|mr|mrs|ms|dr)\b[^']",
    re.IGNORECASE,
)
"""Openings of names that take no article: articles, pronouns, prepositions, titles."""

_EXCEPTIONS = frozenset(
    """
Athi River|Bachelor Party|Battle of the Sexes|Berklee College of Music|Boardwalk Empire|Campbell River
Cape Coast|Central Coast|Charles Band|Chrono Crusade|Dead Poets Society|Eagle River|Elk River|Ezra Pound
Fall River|Frozen River|Gabrielle Union|Gold Coast|Harry Potter and the Order of the Phoenix
Indiana Jones and the Last Crusade|Inland Empire|Ivory Coast|Kingdom of Heaven|Kuils River|Lord of War
Los Andes|Member of Congress|Miami Gardens|Middle River|Monica Rial|Mooi River|Mystic River|New York Stories
Otis College of Art and Design|Palm Coast|Palm Desert|Paris 01 Louvre|Pearl River|Phumĭ Âmpĭl Leu
Punta Gorda Isles|Rocky River|Saint Mary's College of California|San Martín de los Andes|School of Rock
South River|Star Wars|Step Up Revolution|Summer Wars|Sunshine Coast|Toms River|Usa River|War of the Worlds
West Little River|Western Union|White River
""".replace("\n", "|").split("|")
)
"""Works, people and places that read like something else."""

_NAMES = (
    r"Netherlands|West Bank|Gaza Strip|Holy See|Solar System|Royal Academy|Hebrides|Louvre|Euro|"
    r"Empire State Building|Golden Gate Bridge|River Thames|Tower of London|City of London|"
    r"(?:East|West|North)ern Cape|Greater Los Angeles Area|East Riding of Yorkshire|"
    r"Hebrew University of Jerusalem|Group of States|Art Students League of New York|"
    r"Hall of Fame and Museum|Society of Jesus|Co-operation and Development|Writers' Workshop|"
    r"Columbus Crew|National League|Bee Gees|Red Hot Chili Peppers|Jonas Brothers|Dixie Chicks|Bahamas|"
    r"Philippines|Maldives|Seychelles|Gambia|Vatican|Bronx|Caribbean|Middle East|Far East|Balkans|"
    r"Himalayas|Andes|West Indies|Antilles|Levant|Midwest|English Channel|World Bank|Holocaust|"
    r"Lake District|British Raj|Viet Cong|Associated Press|Australian National University|Axis powers|"
    r"Cartoon Network|Internal Revenue Service|Juilliard School|Girl Scouts of the USA|"
    r"Contiguous United States|Palestinian National Authority|Iroquois|Americas|Somme|Crusades|BBC|FBI|"
    r"CIA|NBA|NFL|NHL|NCAA|USSR"
)
"""Names, and last words of names, that take it."""

_STARTS = (
    r"London Borough of\b|City of Westminster\b|(?:Socialist )?Federal Republic\b|"
    r"United (?:Kingdom|States|Nations|Arab)\b|Federated States\b|Democratic Republic\b|Republic of\b|"
    r"(?:Technical |Polytechnic |State |City |Free |National Autonomous )?University (?:of|at)\b|"
    r"(?:Kingdom|Duchy|Grand Duchy|Commonwealth|Province|Canton|Isle|Gulf|Bay|Strait|Order|Church|Guild|"
    r"Honorable Company|Treaty|Siege|Invasion|Ministry|Department|Museum|Federation|Confederation|Crown|"
    r"Dominion|Electorate|Landgraviate|Empire|Union|League|Council|Association|Allies) of (?!the\b)|"
    r"Battle of\b|(?:Eastern|Western) Front\b|First War of\b|"
    r"Bank of [A-Z]\w+$|War (?:of|on|in)\b|(?:Golden|Silver) (?:Bear|Lion|Leopard)\b|Palme d'Or\b|"
    r"Confederate States\b"
)

_ENDS = (
    r"national (?:[\w'-]+ )*team|Olympics|(?:Olympic|Asian|Commonwealth|Pan American|Paralympic) Games|"
    r"(?<!'s )(?<!World )Wars?|Republic|Empire|Union|Islands|Isles|Mountains|Alps|Sea|Ocean|Peninsula|Desert|"
    r"Canal|Coast|Highlands|Midlands|Archipelago|Territory|Territories|Marches|Voivodeship|Oblast|Conference|"
    r"(?:Premier|National|Football|Hockey|Basketball|Baseball|American|Soccer|Champions|Europa|Super) League|"
    r"Festival|Tournament|Championships?|World Cup|[Dd]raft|[Ss]eason|(?:Hall|Walk) of Fame|"
    r"Party|Army|Navy|Air Force|"
    r"Marine Corps|Coast Guard|Senate|Congress|Parliament|House of (?:Representatives|Commons|Lords)|"
    r"Supreme Court|Legislature|Legislative Assembly|Monarchy|SSR|Registry|Observatory|Time Zone|Band|River|"
    r"Range|[Mm]etropolitan area|Census Area|Borough|Regional Municipality|[Rr]egion|Conservatory|people|"
    r"[Mm]etropolitan area|Metropolitan Statistical Area|Association|Federation|Confederation|"
    r"Foundation|Commission|Council|Committee|Organization|Guild|Agency|Society|Alliance|Orchestra|"
    r"Philharmonic|Choir|(?<!& )Company|Language|Crusade|"
    r"Revolution|(?:Rebellion|War) of \d+|Rebellion|Broadcasting (?:Corporation|Company|Service|System)|"
    r"Campaign|conquests|Intifada|insurgency|Forces|Free State|[Dd]ynasty|"
    r"Development Bank|(?:Art|Film) Institute|campaign of \d+|School Board|Military Institute|"
    r"(?:Adventist|Catholic|Orthodox|Methodist|Episcopal|Baptist) Church"
)
"""Last words of names of two words or more."""

_CURRENCIES = (
    r"(?:\w+ )+(?:Dollar|Peso|Dinar|Franc|Pound|Rupee|Krone|Krona|Koruna|Won|Rial|Riyal|Shilling|Ruble|Manat|"
    r"Dirham|Lira|Dram|Kwacha|Leu|Ringgit|Sheqel|Cedi|Birr|Escudo|Guilder|Florin|Metical|Ariary|Kip)|"
    r"CFA Franc \w+|Brazilian Real|Uzbekistan Sum|Convertible Mark|Costa Rican Colon|Pound Sterling|"
    r"Yuan Renminbi|Peso Uruguayo|Rial Omani|Bolívar Soberano|Cordoba Oro"
)

_PLACES = (
    r"Arizona|Atlanta|Baltimore|Boston|Brooklyn|Buffalo|Calgary|Charlotte|Chicago|Cincinnati|Cleveland|Colorado|"
    r"Columbus|Dallas|Denver|Detroit|Edmonton|Florida|Golden State|Green Bay|Hamilton|Houston|Indiana|"
    r"Indianapolis|Jacksonville|Kansas City|Los Angeles|Memphis|Miami|Milwaukee|Minnesota|Montreal|Nashville|"
    r"New England|New Jersey|New Orleans|New York|Norfolk|Oakland|Oklahoma City|Ottawa|Philadelphia|Phoenix|"
    r"Pittsburgh|Portland|Sacramento|San Antonio|San Diego|San Francisco|San Jose|Seattle|St\. Louis|"
    r"Tampa Bay|Tennessee|Texas|Toronto|Utah|Vancouver|Washington|Winnipeg|Carolina"
)
_TEAMS = (
    rf"(?:{_PLACES}) (?:[A-Z][\w.'-]+ )?(?!Heights|Falls|Hills|Lakes|Springs|Studios|Records|Pictures|"
    r"Instruments|Williams|Roberts|Phillips)[A-Z\d][\w-]*[sx]|Los Angeles Angels of Anaheim|Miami Heat|"
    r"Utah Jazz|Orlando Magic|Oklahoma City Thunder|Minnesota Wild|Colorado Avalanche|Tampa Bay Lightning|"
    r"Seattle Storm"
)
"""Teams of American leagues: a place and a plural."""

_WITHIN = (
    r"\b(?:Awards?|Prize|Medal)(?: (?:(?:for|of|in)\b|-).*| \d+)?$|"
    r"\b(?:Institute|Academy|Conservatory|College|School|Museum|Order|Council|Party) of (?:the )?[A-Z]|"
    r"\bInstitute for [A-Z]|\binvasion of\b|World Championships in\b|theatre of World War\b|\bwars in [A-Z]|"
    r"^National (?!Lampoon)(?:\w+ )+of [A-Z]|"
    r"^\d+(?:st|nd|rd|th) .*\b(?:Awards|Congress|Parliament|century)\b"
)

_WANTS = re.compile(
    rf"^(?:{_STARTS})|^(?:(?:.* )?(?:{_NAMES})|.* (?:{_ENDS})|{_TEAMS}|{_CURRENCIES})(?: \(.*\))?$|{_WITHIN}"
)  # a note in parentheses, as in "Congo League (football)", is no part of the name

_DETERMINED = re.compile(r".*\b((?:the|a|an)((?: [\w'-]+){0,3}))$", re.IGNORECASE)


@lru_cache(maxsize=1 << 16)  # the same names stand in thousands of texts
def wants_article(name: str) -> bool:
    """Whether a name takes *the* within an English sentence.

    Example:
        >>> wants_article("United Kingdom"), wants_article("Canada"), wants_article("The Hague")
        (True, False, False)
    """
    without = name in _EXCEPTIONS or ": " in name or _OPENS.match(name)
    return not without and _WANTS.search(name) is not None


def in_sentence(before: str, name: str) -> str:
    """A name as a sentence has it: with its article where it takes one.

    Args:
        before: The text before the name.
        name: The name.

    Example:
        >>> in_sentence("Who lives in ", "Netherlands"), in_sentence("Who won the ", "Booker Prize")
        ('the Netherlands', 'Booker Prize')
    """
    if not wants_article(name):
        return name
    if not before:
        return f"The {name}"
    return name if before[-1] not in " \t" or type_words(before) else f"the {name}"


def type_words(before: str) -> str:
    """The determiner before a name with the nouns that say what it is, or nothing.

    Example:
        >>> type_words("Who acted in the film "), type_words("What is the capital of ")
        ('the film ', '')
    """
    determined = _DETERMINED.match(before.rstrip())
    words = determined[2].split() if determined else []
    # They only say what it is: "the film …", not "the capital of …".
    others = any(word in FUNCTION_WORDS or word.endswith(("ing", "ed")) for word in words)
    return "" if determined is None or others else before[determined.start(1) :]
