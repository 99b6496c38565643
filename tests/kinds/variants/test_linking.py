"""Linking: names in texts, compared with a search for every name at every place."""

import random
import re
import unicodedata

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.seed_texts import Linker
from tests import each


def linker(names: str, triples: str = "") -> tuple[Linker, KnowledgeGraph]:
    """A linker of ids ``id=label|…``, each of them in a triple with itself, and of more triples."""
    labels = dict(pair.split("=", 1) for pair in names.split("|"))
    more = [(s, "r", o) for s, o in (pair.split("-") for pair in triples.split())]
    kg = KnowledgeGraph.from_triples([*((one, "r", one) for one in labels), *more])
    neighbors = Components(kg, ()).neighbors
    return Linker(kg, labels, neighbors), kg


def found(names: str, text: str, **options: object) -> str:
    made, kg = linker(names, **options)  # type: ignore[arg-type]
    return " ".join(kg.entities[entity] for entity in made.entities(text))


PLACES = "y=York|n=New York|t=New York Times|b=Boston|r=Rome"


@each(
    ("text", "expected"),
    [
        ("From Boston to York.", "b y"),
        ("The New York Times of New York, not of York or Yorkshire.", "t n y"),
        ("New York-based, (Boston), York's, Rome/Boston", "n b y r"),
        ("Rome, Boston, Rome", "r b"),
        ("NEW  YORK and\nnew\nBoston", "n b"),
        ("new York", "n"),
        ("Yorks and eBoston and Rome2", ""),
        ("new york, rome and boston", "n r b"),  # no capital anywhere
        ("", ""),
    ],
)
def test_the_longest_name_counts_as_whole_words(text: str, expected: str) -> None:
    assert found(PLACES, text) == expected


@each(
    ("names", "text", "expected"),
    [
        ("o=O'Keld", "At O’Keld’s", "o"),
        ("z=Zoe\u0308 Pe\u0301ry", "Who is Zoë Péry?", "z"),
        ("z=Zoe\u0308", "Who is Zoe?", ""),
        ("a=Anne-Lise", "ANNE–LISE", "a"),
        ("s=Straße 7", "in der STRASSE 7", "s"),
        ("f=ﬁne art", "fine art", "f"),
        ("b=云桥", "他住在云桥。", "b"),
        ("h=김", "김 님", ""),  # one letter
        ("a=acquired_abnormality", "an Acquired  abnormality", "a"),
        ("k=कम", "कमी", ""),
        ("k=कम", "कम है", "k"),
        ("q=He said \"Hi\"|c={curly} [x]", "He said “Hi” to {curly} [x].", "q c"),
        ("d=Don", "Don't!", ""),
        ("n=7.5|m=75", "7.5 and 7.50 and 75", "n m"),
    ],
)  # fmt: skip
def test_unicode_and_signs_are_as_in_the_text_package(names: str, text: str, expected: str) -> None:
    assert found(names, text) == expected


def test_single_letters_stop_words_and_signs_are_never_names() -> None:
    names = "m=M|seven=7|her=Her|who=The Who|is=It Is|q=???|c=Ć|x=x-"
    text = "M, 7, Her and The Who: It Is ??? Ć x- her"
    assert found(names, text) == ""


def test_common_words_are_not_names_in_a_text_with_capitals() -> None:
    names = "h=Heat|u=Up in the Air|s=Science fiction|v=virus|r=Rock"
    text = "In the heat, up in the air: science fiction about a Virus. rock"
    assert found(names, text) == "s v"
    assert found(names, "Heat and Up In The Air and rock") == "h u"
    assert found(names, text.lower()) == "h u s v r"


def test_a_word_before_another_with_a_capital_is_part_of_a_longer_name() -> None:
    names = "l=Lost|p=Premier|r=Rome|n=New Orleans|c=Clinton"
    text = "The Lost Ark, the Premier League and New Orleans Jazz."
    assert found(names, text) == "n"
    assert found(names, "Premier Clinton saw Rome In May, Rome I think") == "p c r"
    assert found(names, "ROME FELL") == "r"
    assert found(names, "Lost. Rome, Clinton\nClinton\nNobody") == "l r c"


def test_homonyms_are_told_apart_by_context_then_degree_then_id() -> None:
    names = "g=Mercury (god)|p=Mercury (planet)|s=Sun|j=Juno|o=Orbit"
    near = {"triples": "p-s g-j p-o"}
    assert found(names, "Mercury and the Sun", **near) == "p s"
    assert found(names, "Mercury and Juno", **near) == "g j"
    assert found(names, "Mercury alone", **near) == "p"
    assert found(names, "Mercury (god) and the Sun", **near) == "g s"
    assert found(names, "Mercury", triples="p-s g-j") == "g"


def test_it_finds_what_a_search_at_every_place_finds() -> None:
    dice = random.Random(3)
    words = ["AB", "CD", "EF", "GH", "IJ"]
    for _ in range(200):
        names = {" ".join(dice.choices(words, k=dice.randint(1, 3))) for _ in range(4)}
        text = "".join(dice.choice(words) + dice.choice([" ", ", ", "-"]) for _ in range(15))
        labels = "|".join(f"{name.replace(' ', '')}={name}" for name in sorted(names))
        pattern = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        expected = [m[0].replace(" ", "") for m in re.finditer(rf"\b(?:{pattern})\b", text)]
        assert found(labels, text).split() == list(dict.fromkeys(expected)), (names, text)


def test_normal_forms_of_a_text_name_the_same() -> None:
    names = "a=Lórin Péry|b=Ελένη Αλμυράς|c=Горская речь|d=عين الغزال"
    text = "Lórin Péry met Ελένη Αλμυράς; they spoke Горская речь in عين الغزال."
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert found(names, unicodedata.normalize(form, text)) == "a b c d"  # type: ignore[arg-type]
