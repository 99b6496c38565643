"""The names of the demo world: invented places and families, deliberately in several scripts.

Guarantee: realistic Unicode text, with spaces, commas, apostrophes, hyphens, an ampersand, combining
accents (``Lo\u0301rin`` is written with two code points), and scripts that run from right to left or
without spaces.
"""

from typing import NamedTuple

__all__ = ["COUNTRY", "GUILDS", "LANGUAGES", "PEOPLES", "PROVINCES", "TRADES", "People"]


class People(NamedTuple):
    """A people of the coast and the names of its members.

    Attributes:
        given: Given names.
        family: Family names.
        join: Separator of given and family name; empty if the family name comes first without a space.
    """

    given: tuple[str, ...]
    family: tuple[str, ...]
    join: str = " "

    def name(self, given: str, family: str) -> str:
        """The full name of a person."""
        return f"{given}{self.join}{family}" if self.join else f"{family}{given}"


COUNTRY = "Selmar Coast"

PEOPLES = {
    "harbour": People(
        (
            "Anne-Lise",
            "Corvin",
            "Dorrit",
            "Ebbe",
            "Fenna",
            "Gorm",
            "Hesper",
            "Ivo",
            "Jorun",
            "Kestrel",
            "Lo\u0301rin",
            "Maud",
            "Nils-Aage",
            "Oda",
            "Perrin",
            "Quill",
            "Rune",
            "Sanne",
            "Tam",
            "Ulla",
            "Wim",
            "Ysolde",
            "Zoe\u0308",
            "Bram",
        ),
        (
            "O'Keld",
            "d'Orvane",
            "van der Marsh",
            "Saltwright",
            "Tarn-Holloway",
            "Mc Ardle",
            "Pe\u0301ry",
            "Ropewalker",
            "Quaymaster",
            "St. Brannoc",
        ),
    ),
    "island": People(
        (
            "Ελένη",
            "Αλέξης",
            "Ζωή",
            "Ηρώ",
            "Χάρης",
            "Φοίβη",
            "Ορέστης",
            "Νίκος",
            "Δάφνη",
            "Πέτρος",
            "Ιόλη",
            "Μάρκος",
            "Θάλεια",
            "Στέλιος",
            "Μυρτώ",
            "Λουκάς",
        ),
        ("Αλμυράς", "Κοραλλίδης", "Φαροφύλακας", "Ανεμάς", "Δελφινάς", "Καραβίτης"),
    ),
    "northern": People(
        (
            "Мила",
            "Егор",
            "Дарья",
            "Тихон",
            "Вера",
            "Лука",
            "Злата",
            "Пётр",
            "Ульяна",
            "Фома",
            "Аглая",
            "Савва",
            "Нина",
            "Илья",
        ),
        ("Белогор", "Снежин", "Ладожа", "Морошко", "Ручей", "Гаваниц"),
    ),
    "valley": People(
        (
            "سلمى",
            "يوسف",
            "ليلى",
            "كريم",
            "هدى",
            "نبيل",
            "مريم",
            "سامي",
            "رنا",
            "عمر",
            "نور",
            "زياد",
        ),
        ("النحّاس", "البحري", "العطّار", "الفانوسي", "الملّاح"),
    ),
    "bay": People(
        (
            "小雨",
            "明远",
            "海棠",
            "子安",
            "若兰",
            "青山",
            "思源",
            "月华",
            "文静",
            "长风",
            "雪梅",
            "立秋",
        ),
        ("林", "白", "江", "沈", "舟"),
        "",
    ),
}
"""Name of a people → its names."""

LANGUAGES = {
    "harbour": "Harbour Selmari",
    "island": "Νησιώτικα",
    "northern": "Горская речь",
    "valley": "لغة الوادي",
    "bay": "海语",
}
"""People → its language."""

PROVINCES = {
    "Salt Marches": ("harbour", ("Port Sable", "Keld's Landing", "Saint-Orven", "Wick, Lower")),
    "Upper Selmar": ("harbour", ("Ash Hollow", "Wick, Upper", "Bre\u0302me-on-Lune", "Tollgate")),
    "Ανατολικά Νησιά": ("island", ("Νέα Πλαγιά", "Φάρος", "Πέτρινο Λιμάνι")),
    "Северный Берег": ("northern", ("Тихая Гавань", "Белый Мыс", "Малиновка")),
    "وادي النخيل": ("valley", ("عين الغزال", "باب البحر")),
    "青湾": ("bay", ("云桥", "白石津")),
}
"""Province → the people of most of its families, and its towns."""

GUILDS = (
    "Guild of Ropewalkers",
    "Potters' Guild",
    "Weavers' and Dyers' Guild",
    "Clockmakers, Honourable Company of",
    "Συντεχνία των Ναυπηγών",
    "Артель рыбаков",
    "نقابة النحاسين",
    "茶行",
)

TRADES = (
    "Ropewalk",
    "Pottery",
    "Loom",
    "Clockworks",
    "Boatyard",
    "Smokehouse",
    "Forge",
    "Teahouse",
)
"""The trade in the names of the workshops of each of `GUILDS`."""
