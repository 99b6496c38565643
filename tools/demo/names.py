"""The names of the demo world: invented places and families, mostly in Latin script, some in four others.

Guarantee: realistic Unicode text, with spaces, commas, apostrophes, hyphens, an ampersand, combining
accents (``Lo\u0301rin`` is written with two code points), and scripts that run from right to left or
without spaces.
"""

from typing import NamedTuple

__all__ = [
    "COUNTRY",
    "GUILDS",
    "LANGUAGES",
    "PEOPLES",
    "PROVINCES",
    "PROVINCE_CODES",
    "TRADES",
    "People",
]


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
            "Amadeo",
            "Belisa",
            "Ciro",
            "Dalia",
            "Elio",
            "Fiora",
            "Ginevra",
            "Inigo",
            "Liseta",
            "Maristela",
            "Nestor",
            "Ottavia",
            "Piera",
            "Renzo",
            "Silvana",
            "Tullio",
        ),
        ("Almira", "Corallo", "Faroni", "Anemar", "Delfín", "Caravita"),
    ),
    "northern": People(
        (
            "Agata",
            "Bořek",
            "Daria",
            "Ewa",
            "Feodor",
            "Halina",
            "Ilja",
            "Katja",
            "Luka",
            "Mila",
            "Nadja",
            "Ondrej",
            "Piotr",
            "Savva",
            "Tihon",
            "Ulana",
        ),
        ("Belogor", "Snežin", "Ladoga", "Moroško", "Rucej", "Havanic"),
    ),
    "cape": People(
        ("Ελένη", "Αλέξης", "Ζωή", "Χάρης", "Φοίβη", "Ορέστης", "Δάφνη", "Μάρκος"),
        ("Αλμυράς", "Κοραλλίδης", "Δελφινάς"),
    ),
    "forest": People(
        ("Мила", "Егор", "Дарья", "Тихон", "Вера", "Лука", "Злата", "Фома"),
        ("Белогор", "Снежин", "Ладожа"),
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
    "harbour": "Selmari",
    "island": "Amberish",
    "northern": "Northmarkish",
    "cape": "Νησιώτικα",
    "forest": "Горская речь",
    "valley": "لغة الوادي",
    "bay": "海语",
}
"""People → its language."""

PROVINCES = {
    "Salt Marches": (
        "harbour",
        ("Port Sable", "Keld's Landing", "Saint-Orven", "Lower Wick", "Tern Quay"),
    ),
    "Upper Selmar": (
        "harbour",
        ("Ash Hollow", "Upper Wick", "Bre\u0302me-on-Lune", "Tollgate", "Harrow Ferry"),
    ),
    "Amber Isles": ("island", ("Vallarosa", "Porto Ambra", "Santa Fiora", "Torrealta", "Caldera")),
    "Northmark": ("northern", ("Zimohrad", "Stara Luka", "Brodek", "Krasna", "Ledovice")),
    "Ανατολικά Νησιά": ("cape", ("Φάρος",)),
    "Северный Берег": ("forest", ("Тихая Гавань",)),
    "وادي النخيل": ("valley", ("عين الغزال",)),
    "青湾": ("bay", ("云桥",)),
}
"""Province → the people of most of its families, and its towns."""

PROVINCE_CODES = {
    "Salt Marches": "SM",
    "Upper Selmar": "US",
    "Amber Isles": "AI",
    "Northmark": "NM",
    "Ανατολικά Νησιά": "AN",
    "Северный Берег": "SB",
    "وادي النخيل": "WN",
    "青湾": "QW",
}
"""Province → its code."""

GUILDS = {
    "Guild of Ropewalkers": "Ropewalk",
    "Potters' Guild": "Pottery",
    "Weavers' and Dyers' Guild": "Mill",
    "Honorable Company of Clockmakers": "Clockworks",
    "Shipwrights' Guild": "Boatyard",
    "Fishers' Guild": "Smokehouse",
    "Guild of Smiths": "Forge",
    "Tea Traders' Guild": "Teahouse",
    "Glassblowers' Guild": "Glassworks",
    "Bookbinders' Guild": "Bindery",
    "Guild of Bakers": "Bakery",
    "Coopers' Guild": "Cooperage",
    "Tanners' Guild": "Tannery",
    "Beekeepers' Guild": "Apiary",
    "Sailmakers' Guild": "Sail Loft",
    "Guild of Masons": "Quarry",
    "Chandlers' Guild": "Chandlery",
    "Salters' Guild": "Saltworks",
}
"""Guild → the trade in the names of its workshops."""

TRADES = {
    "Guild of Ropewalkers": "ropemaking",
    "Potters' Guild": "pottery",
    "Weavers' and Dyers' Guild": "weaving and dyeing",
    "Honorable Company of Clockmakers": "clockmaking",
    "Shipwrights' Guild": "shipbuilding",
    "Fishers' Guild": "fishing",
    "Guild of Smiths": "smithing",
    "Tea Traders' Guild": "tea trading",
    "Glassblowers' Guild": "glassblowing",
    "Bookbinders' Guild": "bookbinding",
    "Guild of Bakers": "baking",
    "Coopers' Guild": "cooperage",
    "Tanners' Guild": "tanning",
    "Beekeepers' Guild": "beekeeping",
    "Sailmakers' Guild": "sailmaking",
    "Guild of Masons": "masonry",
    "Chandlers' Guild": "candle making",
    "Salters' Guild": "salt making",
}
"""Guild → its trade."""
