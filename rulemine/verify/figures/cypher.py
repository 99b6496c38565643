"""The figures of a release of the kind ``cypher``, counted again."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rulemine.verify.contents import Row
from rulemine.verify.cypher.graphs import LabeledGraph, NodeProperty

__all__ = ["count_cypher_rows", "cypher_rows"]

UP_TO = (1, 2, 5, 10, 50, 100)

_Change = Callable[[Row], Any]


def count_cypher_rows(
    rows: list[Row],
    levels: list[int],
    complete: LabeledGraph,
    gone: Mapping[NodeProperty, int],
    rules: int,
) -> dict[str, Any]:
    """The figures that only this kind has.

    Args:
        rows: The questions.
        levels: The levels.
        complete: The complete property graph.
        gone: Removed value → its level.
        rules: The number of value rules.
    """
    held = Counter(
        f"{complete.types[node]}.{name}" for node, own in complete.values.items() for name in own
    )
    taken = Counter(f"{complete.types.get(node)}.{name}" for node, name in gone)
    names = [*map(str, UP_TO), "more"]
    lengths = Counter(names[bisect_left(UP_TO, len(row["cypher"]["rows"]))] for row in rows)

    def at(row: Row, level: int) -> Row:
        known = {change["level"]: change for change in row["cypher"]["levels"]}
        found: Row = known.get(level, {"lost": [], "spurious": []})
        return found

    def families(some: Iterable[Row]) -> dict[str, int]:
        return dict(Counter(row["cypher"]["family"] for row in some))

    categories = {row["structure"] for row in rows}
    changed = {
        level: [row for row in rows if at(row, level)["lost"] or at(row, level)["spurious"]]
        for level in levels
    }
    return {
        "values_complete": held.total(),
        "values_removed": len(gone),
        "values_by_level": {
            str(level): sum(here <= level for here in gone.values()) for level in levels
        },
        "values_by_property": {
            name: {"values": n, "removed": taken[name]} for name, n in held.items()
        },
        "value_rules": rules,
        "templates": {
            category: families(row for row in rows if row["structure"] == category)
            for category in categories
        },
        "returns": families(rows),
        "lengths": {name: lengths[name] for name in names},
        "rows": sum(len(row["cypher"]["rows"]) for row in rows),
        "changed": {
            str(level): {
                "category": dict(Counter(row["structure"] for row in some)),
                "return": families(some),
            }
            for level, some in changed.items()
        },
        **{
            f"rows_{what}": {
                str(level): sum(len(at(row, level)[what]) for row in rows) for level in levels
            }
            for what in ("lost", "spurious")
        },
    }


def cypher_rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The rows of the card's tables about these figures: label and cells."""
    if "templates" not in figures:
        return
    returns = sorted(figures["returns"])
    n, levels = figures["questions"], list(figures["changed"])

    def shares(of: str, name: str, size: int) -> list[str]:
        counts = (figures["changed"][level][of].get(name, 0) for level in levels)
        return [f"{size:,}", *(_percent(count, size) for count in counts)]

    for category, own in figures["templates"].items():
        size = sum(own.values())
        yield category, [*(f"{own.get(name, 0):,}" for name in returns), f"{size:,}"]
        yield category, shares("category", category, size)
    yield "all", [*(f"{figures['returns'][name]:,}" for name in returns), f"{n:,}"]
    for name in returns:
        yield name, shares("return", name, figures["returns"][name])
    whole = (sum(figures["changed"][level]["category"].values()) for level in levels)
    yield "all", [f"{n:,}", *(_percent(count, n) for count in whole)]
    for label, key in (
        ("triples removed", "removed_by_level"),
        ("values removed", "values_by_level"),
        ("rows lost", "rows_lost"),
        ("rows that only the incomplete graph gives", "rows_spurious"),
    ):
        yield label, [f"{size:,}" for size in figures[key].values()]
    for name, row in figures["values_by_property"].items():
        share = _percent(row["removed"], row["values"])
        yield f"`{name}`", [f"{row['values']:,}", f"{row['removed']:,}", share]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
