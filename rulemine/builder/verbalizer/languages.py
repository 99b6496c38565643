"""What is known of languages: frequent words, scripts, letters, and other names.

A table; whether a text is of a language is decided in `language`.
"""

__all__ = ["FOREIGN_LETTERS", "OTHER_NAMES", "QUESTION_WORDS", "SCRIPTS", "SIGNS", "WORDS"]

WORDS = {
    "english": (
        "who whom whose what which where when why how is are was were does do did has have had "
        "the a an of in on at by for from with to and or that this it its be been there can "
        "name list all "
        "will would could should may might must can his her their they she he him them us one "
        "more most any some if so than then "
        "born town city married won"
    ),
    "german": (
        "wer wen wem wessen was welche welcher welches welchen welchem wo wohin woher wann "
        "warum wie ist sind war waren hat haben hatte wird wurde wurden der die das den dem des "
        "ein eine einen einem einer von vom in im am an auf aus bei für mit zu zum zur und oder "
        "nach durch als es sie gehört "
        "geboren stadt verheiratet gewonnen"
    ),
    "french": (
        "qui que quoi quel quelle quels quelles où quand pourquoi comment est sont était "
        "étaient a ont avait fut le la les l un une des du de d dans en au aux sur par pour "
        "avec et ou à ce cette se il elle ils elles laquelle lequel lesquels ceux qu il t été "
        "né née ville marié mariée"
    ),
    "spanish": (
        "quién quiénes qué cuál cuáles dónde cuándo cómo quien es son era fue fueron está están "
        "ha han tiene el la los las un una unos unas de del en al a por para con y o su sus se "
        "le cuántos quienes "
        "nació ciudad casado casada premios ganado"
    ),
    "italian": (
        "chi che cosa quale quali dove quando perché come è sono era erano ha hanno fu il lo la "
        "i gli le un uno una di del dello della dei degli delle in nel nella nei a al alla ai "
        "da dal dalla per con e o su sul sulla cui si stato stata l d qual "
        "nato nata città sposato sposata vinto premi"
    ),
    "portuguese": (
        "quem que qual quais onde quando como é são era foi foram está estão tem têm o a os as "
        "um uma uns umas de do da dos das em no na nos nas ao à pelo pela por para com e ou seu "
        "sua se "
        "nasceu cidade casado casada ganhou prêmios"
    ),
    "dutch": (
        "wie wat welke welk waar wanneer waarom hoe is zijn was waren heeft hebben had werd "
        "werden wordt de het een van in op aan bij voor met naar door uit en of tot er te hij "
        "zij dat die deze "
        "geboren stad getrouwd gewonnen"
    ),
    "swedish": (
        "vem vems vad vilken vilket vilka var när varför hur är har hade blev av den det de en "
        "ett i på från för med till och eller som om vid åt sin sitt sina "
        "född stad gift vunnit"
    ),
    "polish": (
        "kto kogo komu kim co czego jaki jaka jakie jakich gdzie kiedy dlaczego jak jest są był "
        "była było byli ma mają w we z ze na do od dla przez i oraz lub się nie czyim czyją "
        "który która które których którym którego czyj czyja "
        "urodził urodziła mieście"
    ),
    "russian": (
        "кто кого кому кем чей чья чьё что какой какая какие каком какого каких где когда "
        "почему как является являются был была были есть у в во на с со из от для по о и или не "
        "это этот "
        "чьим чьей родился родилась городе"
    ),
    "ukrainian": (
        "хто кого кому ким чий чия чиє що який яка які якому якого яких де коли чому як є був "
        "була були у в на з із від для по про і й та або не це цей "
        "чиїм чиєю народився народилася місті"
    ),
}
"""Words that questions of a language are full of; a word may be of several languages."""

QUESTION_WORDS = {
    "english": "who whom whose what which where when why how",
    "german": "wer wen wem wessen was welche welcher welches welchen welchem wo wohin woher wann warum wie",
    "french": "qui quoi quel quelle quels quelles où quand pourquoi comment",
    "spanish": "quién quiénes qué cuál cuáles dónde cuándo cómo",
    "italian": "chi cosa quale quali dove quando perché",
    "portuguese": "quem qual quais onde quando como",
    "dutch": "wie wat welke welk waar wanneer waarom hoe",
    "swedish": "vem vems vad vilken vilket vilka var när varför hur",
    "polish": "kto kogo komu kim czego jaki jaka jakie jakich gdzie kiedy dlaczego czyim czyją czyj czyja",
    "russian": "кто кем чей чья чьё что какой какая какие каком какого каких где когда почему как чьим чьей",
    "ukrainian": "хто ким чий чия чиє що який яка які якому якого яких де коли чому чиїм чиєю",
}
"""Those of them that ask; where they are of one language only, they speak for it twice as much."""

SCRIPTS = {
    "chinese": ("CJK",),
    "mandarin": ("CJK",),
    "japanese": ("HIRAGANA", "KATAKANA"),
    "korean": ("HANGUL",),
    "russian": ("CYRILLIC",),
    "ukrainian": ("CYRILLIC",),
    "bulgarian": ("CYRILLIC",),
    "belarusian": ("CYRILLIC",),
    "macedonian": ("CYRILLIC",),
    "greek": ("GREEK",),
    "arabic": ("ARABIC",),
    "persian": ("ARABIC",),
    "farsi": ("ARABIC",),
    "urdu": ("ARABIC",),
    "hebrew": ("HEBREW",),
    "hindi": ("DEVANAGARI",),
    "marathi": ("DEVANAGARI",),
    "nepali": ("DEVANAGARI",),
    "bengali": ("BENGALI",),
    "tamil": ("TAMIL",),
    "telugu": ("TELUGU",),
    "thai": ("THAI",),
    "georgian": ("GEORGIAN",),
    "armenian": ("ARMENIAN",),
    **dict.fromkeys(
        [
            "english",
            "german",
            "french",
            "spanish",
            "italian",
            "portuguese",
            "dutch",
            "swedish",
            "polish",
            "danish",
            "norwegian",
            "finnish",
            "icelandic",
            "czech",
            "slovak",
            "hungarian",
            "romanian",
            "turkish",
            "catalan",
            "basque",
            "croatian",
            "slovenian",
            "estonian",
            "latvian",
            "lithuanian",
            "albanian",
            "indonesian",
            "malay",
            "vietnamese",
            "swahili",
            "irish",
            "welsh",
            "latin",
        ],
        ("LATIN",),
    ),
}
"""The scripts of a language, by the first word of the Unicode names of their letters."""

SIGNS = {
    "german": "äöüß",
    "french": "êèàçœ",
    "spanish": "¿¡ñ",
    "italian": "èàòù",
    "portuguese": "ãõç",
    "swedish": "åäö",
    "polish": "łżśćąę",
}
"""Characters that speak for a language, as much as one of its words does."""

FOREIGN_LETTERS = {
    "russian": "іїєґў",
    "ukrainian": "ыэёъ",
    "bulgarian": "ыэёіїєґ",
    "arabic": "پچژگ",
}
"""Letters of its script that a language does not have."""

OTHER_NAMES = {
    "deutsch": "german", "français": "french", "francais": "french", "español": "spanish",
    "espanol": "spanish", "castilian": "spanish", "italiano": "italian", "português":
    "portuguese", "nederlands": "dutch", "svenska": "swedish", "polski": "polish", "русский":
    "russian", "українська": "ukrainian", "en": "english", "de": "german", "fr": "french",
    "es": "spanish", "it": "italian", "pt": "portuguese", "nl": "dutch", "sv": "swedish",
    "pl": "polish", "ru": "russian", "uk": "ukrainian", "el": "greek", "ar": "arabic", "fa":
    "persian", "he": "hebrew", "hi": "hindi", "zh": "chinese", "ja": "japanese", "ko":
    "korean", "th": "thai",
}  # fmt: skip
"""A language's own name, and its code, to its English name."""
