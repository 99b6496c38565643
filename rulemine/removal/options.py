"""The section ``selection`` of a recipe: what is removed."""

from dataclasses import dataclass

from rulemine.config import Section, option
from rulemine.errors import ConfigError

__all__ = ["SelectionSection"]


def _nested(levels: tuple[int, ...]) -> bool:
    return list(levels) == sorted(set(levels)) and levels[-1:] in ((), (100,))


@dataclass(frozen=True, slots=True)
class SelectionSection(Section):
    """What is removed.

    Attributes:
        mode: How triples are selected: ``maximal``; ``brink`` for the published procedure, which has
            none of the options from ``max_prior`` on; or ``none``, the same as a `share` of 0: nothing is
            mined or removed, and there are no levels. Not for the kind ``rules``.
        per_rule: Triples that a rule selects at most (``brink``: certificates).
        share: Fraction of the selected triples that is really removed; 0: see ``none``.
        levels: Nested levels of incompleteness, in percent of the removed triples, e.g. 20,40,60,80,100;
            empty: one level.
        groundings_per_rule: Groundings of a rule that selection looks at, drawn uniformly where there
            are more; 0 means all. ``brink`` ignores this and takes the first `per_rule`.
        per_type: Largest fraction of the questions left whose certificates have rules of one type and
            sub-type; 1: off. Not in ``brink``.
        max_prior: A triple is removed, and asked about, only in directions in which the prior of the
            answer is at most this: the fraction of the relation's topic entities that have it. 1: off.
        min_std_confidence: Lower bounds on the standard confidence of the mined rules with 1, 2, … body
            atoms; the last one holds for longer bodies too. Empty: none beyond that of ``mining``.
        min_rare_confidence: Lower bound on the confidence of rules where the answer cannot be guessed: of
            their predictions whose ends are no common answers (by `max_prior`), and whose body does not
            hold the prediction itself, the fraction that is in the graph; 0: off.
        body_filter: Relations that prove nothing: a file like that of ``questions.filter`` or the name of
            a data set that has one; empty: those that are not asked about; ``none``: no relation.
    """

    mode: str = option("maximal", choices=("maximal", "brink", "none"), flag_name="--selection")
    per_rule: int = option(30, least=1)
    share: float = option(1.0, least=0, most=1, flag=True)
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
    max_prior: float = option(0.07, above=0, most=1, flag=True)
    min_std_confidence: tuple[float, ...] = option((), least=0, most=1)
    min_rare_confidence: float = option(0.1, least=0, most=1)
    body_filter: str = option("", file=True, packaged="filter.toml", word="none")

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.share and self.mode != "none":
            return
        if self.mode == "brink":
            raise ConfigError(
                "selection.share: is 0, and the published procedure removes something."
            )
        for name, value in (("mode", "none"), ("share", 0.0), ("levels", ())):
            object.__setattr__(self, name, value)
