"""The bins that questions are counted in, and what the card calls them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "LIFTS", "PRIORS", "PROOFS", "bin_label", "both", "by", "by_size", "from_bound", "range_label",
    "up_to", "upper_names",
]  # fmt: skip

PRIORS = (0.001, 0.01, 0.03, 0.05, 0.07, 0.2, 1.0)
"""Upper bounds of the bins of priors, inclusive."""

LIFTS = (0, 1, 2, 4, 10, 30, 100, 1000)
"""Lower bounds of the bins of lift, inclusive."""

PROOFS = (1, 2, 5, 10, 100)
"""Upper bounds of the bins of remaining proofs, inclusive; the last bin is ``more``."""


def by(bins: Sequence[str], values: Iterable[str]) -> dict[str, int]:
    """How often each of the bins occurs; other values are not counted."""
    counts = Counter(values)
    return {name: counts[name] for name in bins}


def upper_names(bounds: Sequence[float]) -> tuple[str, ...]:
    """The names of bins with upper bounds, the last of which is ``more``."""
    return (*(f"{bound:g}" for bound in bounds), "more")


def up_to(value: float, bounds: Sequence[float]) -> str:
    """The bin of a value among those with upper bounds, inclusive."""
    return next((f"{bound:g}" for bound in bounds if value <= bound), "more")


def from_bound(value: float, bounds: Sequence[float]) -> str:
    """The bin of a value among those with lower bounds, inclusive."""
    return next(f"{bound:g}" for bound in reversed(bounds) if value >= bound)


def both(counts: Mapping[str, Any], key: str) -> dict[str, dict[str, int]]:
    """``questions_by_<key>`` as ``all`` and ``core_by_<key>`` as ``core``, by what bins are called.

    Bins before the first and after the last that is used are left out.
    """
    some, core = counts[f"questions_by_{key}"], counts[f"core_by_{key}"]
    names = list(some)
    used = [i for i, name in enumerate(names) if some[name]]
    shown = names[used[0] : used[-1] + 1] if used else []
    return {
        of: {bin_label(key, name): found[name] for name in shown}
        for of, found in (("all", some), ("core", core))
    }


def by_size(sizes: Mapping[str, int]) -> dict[str, int]:
    """The largest first; of the same size, by name."""
    return dict(sorted(sizes.items(), key=lambda item: (-item[1], item[0])))


def bin_label(key: str, name: str) -> str:
    """What the card calls a bin.

    Args:
        key: What is counted, as in ``questions_by_<key>``.
        name: The name of the bin there.

    Example:
        >>> bin_label("proofs", "5"), bin_label("lift", "4"), bin_label("prior", "0.05")
        ('3–5', '4–10', '0.03–0.05')
    """
    if key == "confidence":
        return "1" if name == "1.0" else f"{name}–{float(name) + 0.1:.1f}"
    if key == "lift":
        place = LIFTS.index(int(name))
        last = place == len(LIFTS) - 1
        return f"≥ {name}" if last else f"{name}–{LIFTS[place + 1]}" if place else f"< {LIFTS[1]}"
    if key == "prior":
        place = PRIORS.index(float(name))
        return f"{PRIORS[place - 1]:g}–{name}" if place else f"≤ {name}"
    if key == "proofs":
        return range_label(name, PROOFS)
    return name


def range_label(name: str, bounds: Sequence[int]) -> str:
    """What a bin of whole numbers with upper bounds is called.

    Example:
        >>> range_label("8", (1, 6, 8)), range_label("1", (1, 6, 8)), range_label("more", (1, 6, 8))
        ('7–8', '1', '> 8')
    """
    if name == "more":
        return f"> {bounds[-1]}"
    place = bounds.index(int(name))
    low = bounds[place - 1] + 1 if place else bounds[0]
    return name if name == str(low) else f"{low}–{name}"
