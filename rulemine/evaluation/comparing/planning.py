"""What `rulemine.evaluation.statistics.power` says of two systems, as a table."""

from collections.abc import Mapping, Sequence

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.comparing.comparison import check_metrics, of_subsets, sums_of
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import SUBSETS, TITLES
from rulemine.evaluation.statistics.power import (
    ALPHA,
    POWER,
    observed_spread,
    questions_needed,
    smallest_difference,
    spread_of_rates,
)
from rulemine.text.tables import Table, Values, text_of, under_headings

__all__ = ["DIFFERENCES", "needed_for_difference", "needed_for_rates"]

DIFFERENCES = (0.01, 0.02, 0.05, 0.1, 0.2)
"""The differences that are planned for unless one is named."""


def needed_for_rates(
    first: float,
    second: float,
    *,
    differ: float | None = None,
    design_effect: float = 1.0,
    alpha: float = ALPHA,
    power: float = POWER,
) -> str:
    """How many questions it takes to distinguish two rates; the arguments are those of `spread_of_rates`.

    Raises:
        ConfigError: A number is out of range, or the rates are equal.
    """
    if first == second:
        raise ConfigError(f"rates are both {first:g}; expected two that differ.")
    spread = spread_of_rates(first, second, differ=differ, design_effect=design_effect)
    n = questions_needed(abs(first - second), spread, alpha=alpha, power=power)
    return (
        f"Scores of {_percent(first)} and {_percent(second)}, just one of the two right on "
        f"{_percent(spread.null**2)} of the questions{'' if differ is not None else ' (as if independent)'}, "
        f"design effect {design_effect:g}.\n{_told(alpha, power)}: {n:,} questions.\n"
    )


def needed_for_difference(
    reports: Mapping[str, Report],
    metric: str,
    difference: float | None = None,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
) -> str:
    """How many questions show a difference between two systems that vary as these do.

    Args:
        reports: Name → report, two, on the same questions.
        metric: The score.
        difference: The difference, a fraction; None for those of `DIFFERENCES`.
        alpha: Level of the two-sided test.
        power: Chance of seeing it.

    Raises:
        ConfigError: A number is out of range, or one has no such score.
    """
    (first, a), (second, b) = reports.items()
    known = [name for name in a.metrics if name in b.metrics]
    check_metrics([metric], known, " of both systems")
    wanted: Sequence[float] = DIFFERENCES if difference is None else (difference,)
    rows: list[tuple[str, Values]] = []
    notes = []
    for part in of_subsets(a.groups):
        name = SUBSETS[part.name]
        sides = [sums_of(report, metric, part) for report in (a, b)]
        spread = observed_spread(sides[0], sides[1], a.clusters)
        if spread is None or not spread.null:
            notes.append(
                f"Over {name} the two differ by the same on every question, or have no such score: nothing "
                "to plan from."
            )
            continue
        n = int((sides[0][:, 0] == sides[0][:, 0]).sum())  # those that have the score
        for d in wanted:
            label = f"{100 * d:g} point{'' if d == 0.01 else 's'}"
            rows.append((name, (label, questions_needed(d, spread, alpha=alpha, power=power))))
        seen = smallest_difference(n, spread, alpha=alpha, power=power)
        notes.append(
            f"Over {name} ({counted(n, 'question')} with the score) differences from {100 * seen:.1f} points "
            f"on are seen; standard deviation of the paired difference {spread.null:.3f}, design effect of "
            f"clusters {spread.design_effect:.2f}."
        )
    title = f"{TITLES.get(metric, metric)}: {first} − {second}. {_told(alpha, power)}"
    header = ("difference", "questions")
    return text_of(Table("power", title, header, under_headings(rows), tuple(notes)))


def _told(alpha: float, power: float) -> str:
    return (
        f"Seen with a chance of {_percent(power)} by a two-sided paired test at {_percent(alpha)}"
    )


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"
