"""The section ``selection`` of a recipe: what is removed."""

from dataclasses import dataclass

from rulemine.config import Section, option

__all__ = ["SelectionSection"]


def _nested(levels: tuple[int, ...]) -> bool:
    return list(levels) == sorted(set(levels)) and levels[-1:] in ((), (100,))


@dataclass(frozen=True, slots=True)
class SelectionSection(Section):
    """What is removed.

    Attributes:
        mode: How triples are selected: ``maximal``, or ``brink`` for the published procedure.
        per_rule: Certificates per rule at most.
        share: Fraction of the selected triples that is really removed.
        levels: Nested levels of incompleteness, in percent of the removed triples, e.g. 20,40,60,80,100;
            empty: one level.
        groundings_per_rule: Groundings of a rule that selection looks at, drawn uniformly where there
            are more; 0 means all. ``brink`` ignores this and takes the first `per_rule`.
        per_type: Largest fraction of the questions left whose certificates have rules of one type and
            sub-type, among those of the core and among the others; 1: off. Not in ``brink``.
    """

    mode: str = option("maximal", choices=("maximal", "brink"), flag_name="--selection")
    per_rule: int = option(30, least=1)
    share: float = option(1.0, above=0, most=1, flag=True)
    levels: tuple[int, ...] = option(
        (),
        least=1,
        most=100,
        fits_too=_nested,
        expected="ascending percentages, the last one 100",
        flag=True,
    )
    groundings_per_rule: int = option(5000, least=0)
    per_type: float = option(1.0, above=0, most=1)
