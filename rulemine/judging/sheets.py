r"""Reads sheets that people filled in, see `rulemine.release.sheet`, and says how many pass and who agrees.

A sheet may have CRLF, a byte order mark, quoted cells, columns in another order and further ones. A verdict
is ``pass``, ``yes``, ``1``, ``true`` or ``y``, or ``fail``, ``no``, ``0``, ``false`` or ``n``, in any case.

Guarantee: a cell that is none of these is refused with its file and line; none is guessed.
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from rulemine.errors import InputError, list_problems
from rulemine.files import read_text
from rulemine.judging.agreement import agreement_of
from rulemine.text.tables import Table, Values, percent

__all__ = [
    "VERDICTS", "FilledSheet", "SheetVerdict", "agreement_table", "pass_table", "read_sheet", "read_sheets",
]  # fmt: skip

VERDICTS = ("fluency", "consistency")
"""The columns of verdicts."""

_COLUMNS = ("id", "structure", *VERDICTS)

_MEANT = {
    **dict.fromkeys(("pass", "passed", "yes", "y", "1", "true"), True),
    **dict.fromkeys(("fail", "failed", "no", "n", "0", "false"), False),
}

_ADVICE = "Expected pass or fail (also yes or no, 1 or 0) in fluency and in consistency."


class SheetVerdict(NamedTuple):
    """What one person says of a question.

    Attributes:
        structure: Its structure.
        fluency: Whether it is correct and natural.
        consistency: Whether it has all constraints of the query, none added, and one reading.
    """

    structure: str
    fluency: bool
    consistency: bool


class FilledSheet(NamedTuple):
    """A sheet with verdicts.

    Attributes:
        name: The name of its file, without the ending; with its folder where two are called alike.
        checked: Id → what was said; rows without any verdict are left out.
        empty: Rows without any verdict.
    """

    name: str
    checked: dict[str, SheetVerdict]
    empty: int


def read_sheets(paths: Iterable[Path]) -> list[FilledSheet]:
    """Reads the sheets of several people.

    Raises:
        InputError: As `read_sheet`; or they have no question in common, or are of several releases.
    """
    given = list(paths)
    sheets = list(map(read_sheet, given))
    if not set.intersection(*(set(sheet.checked) for sheet in sheets)):
        raise InputError(
            f"{', '.join(map(str, given))}: no question was checked in all of them. Give each person the "
            "same sheet."
        )
    structures: dict[str, str] = {}
    for path, sheet in zip(given, sheets, strict=True):
        for id_, one in sheet.checked.items():
            if structures.setdefault(id_, one.structure) != one.structure:
                raise InputError(
                    f"{path}: {id_} has the structure {one.structure!r}, in another sheet "
                    f"{structures[id_]!r}. Give sheets of one release."
                )
    if len({sheet.name for sheet in sheets}) < len(sheets):  # ann/sheet.tsv and bob/sheet.tsv
        return [s._replace(name=str(p.with_suffix(""))) for s, p in zip(sheets, given, strict=True)]
    return sheets


def read_sheet(path: Path) -> FilledSheet:
    """Reads the sheet of one person.

    Raises:
        InputError: It cannot be read, lacks a column, names a question twice, has a verdict that is none, one
            verdict of two, or none at all.
    """
    lines = [line[:100_000] for line in read_text(path).splitlines()]  # csv takes no longer cells
    # As it was written, a quote at the beginning of a cell is a part of it. A spreadsheet may quote cells.
    as_written = len({line.count("\t") for line in lines if line}) <= 1
    rows = csv.DictReader(
        lines,
        restval="",
        dialect="excel-tab",
        quoting=csv.QUOTE_NONE if as_written else csv.QUOTE_MINIMAL,
    )
    names = rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
    if missing := [name for name in _COLUMNS if name not in names]:
        raise InputError(
            f"{path}: line 1: the column {missing[0]} is missing; found "
            f"{', '.join(names)[:200] or 'nothing'}. Give a sheet with tabs between its cells and the header "
            "that rulemine show --sheet writes."
        )
    checked: dict[str, SheetVerdict] = {}
    problems: list[str] = []
    empty = 0
    for row in rows:
        cells = {name: row[name].strip() for name in _COLUMNS}
        said = {name: cells[name].lower() for name in VERDICTS}
        if not any(said.values()):
            empty += any(row.values())
            continue
        line = rows.line_num
        bad = [name for name in VERDICTS if said[name] not in _MEANT]
        problems += [f"line {line}: {name} is {cells[name]!r}" for name in bad]
        if not cells["id"] or cells["id"] in checked:
            problems.append(f"line {line}: the id {cells['id']!r} is missing or there twice")
        elif not bad:
            fluency, consistency = (_MEANT[said[name]] for name in VERDICTS)
            checked[cells["id"]] = SheetVerdict(cells["structure"], fluency, consistency)
    if problems:
        raise InputError(list_problems(str(path), problems, _ADVICE))
    if not checked:
        raise InputError(f"{path}: holds no verdict. {_ADVICE}")
    return FilledSheet(path.stem, checked, empty)


_GROUPS = {
    **dict.fromkeys(("1p", "2p", "3p"), "1p–3p"),
    **dict.fromkeys(("2i", "3i"), "2i 3i"),
    **dict.fromkeys(("ip", "pi"), "ip pi"),
    **dict.fromkeys(("2u", "up"), "2u up"),
}
"""Structure → the row that it is in, as in ComplexLogicalQA; any other is in "other"."""

_ASPECTS: dict[str, Callable[[SheetVerdict], bool]] = {
    "fluency": lambda one: one.fluency,
    "consistency": lambda one: one.consistency,
    "both": lambda one: one.fluency and one.consistency,
}


def pass_table(id_: str, title: str, sheets: Sequence[FilledSheet]) -> Table:
    """The share of verdicts that are a pass, by group of structures.

    Args:
        id_: Of the table.
        title: Of the table.
        sheets: The sheets, one for each person.
    """
    verdicts = [
        (_GROUPS.get(one.structure, "other"), id_, one)
        for sheet in sheets
        for id_, one in sheet.checked.items()
    ]
    rows: list[Values] = []
    for group in (*dict.fromkeys(_GROUPS.values()), "other", "all"):
        if inside := [(i, one) for name, i, one in verdicts if group in (name, "all")]:
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
    for chosen in (tuple(sheets), *(combinations(sheets, 2) if len(sheets) > 2 else ())):
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
