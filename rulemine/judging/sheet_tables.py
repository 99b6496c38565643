"""What filled sheets say: how many questions pass, by structure, and how far those who checked agree."""

from collections.abc import Callable, Sequence
from itertools import combinations

from rulemine.judging.agreement import agreement_of
from rulemine.judging.filled_sheets import FilledSheet, SheetVerdict
from rulemine.text.tables import Table, Values, percent

__all__ = ["GROUPS", "agreement_table", "pass_table"]

GROUPS = {
    "1p–3p": ("1p", "2p", "3p"),
    "2i 3i": ("2i", "3i"),
    "ip pi": ("ip", "pi"),
    "2u up": ("2u", "up"),
}
"""Structures that a row has together, as in ComplexLogicalQA."""

_OTHER = "other"

_ASPECTS: dict[str, Callable[[SheetVerdict], bool]] = {
    "fluency": lambda one: one.fluency,
    "consistency": lambda one: one.consistency,
    "both": lambda one: one.both,
}

_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


def pass_table(id_: str, title: str, sheets: Sequence[FilledSheet]) -> Table:
    """The share of verdicts that are a pass, by group of structures.

    Args:
        id_: Of the table.
        title: Of the table.
        sheets: The sheets, one for each person.
    """
    verdicts = [
        (_GROUP_OF.get(one.structure, _OTHER), id_of, one)
        for sheet in sheets
        for id_of, one in sheet.checked.items()
    ]
    rows: list[Values] = []
    for group in (*GROUPS, _OTHER, "all"):
        inside = [(i, one) for name, i, one in verdicts if group in (name, "all")]
        if inside:
            shares = (sum(of(one) for _, one in inside) / len(inside) for of in _ASPECTS.values())
            rows.append((group, len({i for i, _ in inside}), len(inside), *shares))
    header = ("structures", "questions", "verdicts", *_ASPECTS)
    empty = sum(sheet.empty for sheet in sheets)
    notes = ["Shares of the verdicts of all who checked; both: one person passes the two."]
    if empty:
        notes.append(f"Rows without a verdict are left out: {empty:,}.")
    return Table(id_, title, header, tuple(rows), tuple(notes), dict.fromkeys(_ASPECTS, percent))


def agreement_table(id_: str, title: str, sheets: Sequence[FilledSheet], seed: int) -> Table:
    """How far those who checked agree: all, and each two.

    Args:
        id_: Of the table.
        title: Of the table.
        sheets: The sheets, two or more.
        seed: Of the resamples.
    """
    rows: list[Values] = []
    some = [tuple(sheets)]
    if len(sheets) > 2:
        some += combinations(sheets, 2)
    for chosen in some:
        shared = sorted(set.intersection(*(set(sheet.checked) for sheet in chosen)))
        names = "all" if len(chosen) > 2 else ", ".join(sheet.name for sheet in chosen)
        for aspect, of in _ASPECTS.items():
            ratings = [[of(sheet.checked[i]) for sheet in chosen] for i in shared]
            found = agreement_of(ratings, seed, f"sheets {names} {aspect}")
            kappa = (found.kappa, found.low, found.high)
            rows.append((names, aspect, len(shared), found.raw, kappa))
    header = ("who", "aspect", "questions", "agree", "kappa")
    note = (
        "agree: pairs of verdicts that are equal. kappa: Fleiss, with a 95 % bootstrap interval over "
        "questions; – where all verdicts are equal. Over the questions that all of them checked."
    )
    return Table(
        id_, title, header, tuple(rows), (note,), {"agree": percent, "kappa": "{:+.2f}".format}
    )
