"""The sections ``mining``, ``selection``, ``questions`` and ``about`` of a recipe."""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.errors import ConfigError
from rulemine.mining.options import MiningOptions

__all__ = ["AboutSection", "MiningSection", "QuestionSection", "SelectionSection"]


@dataclass(frozen=True, slots=True)
class MiningSection(MiningOptions):
    """Which rules are mined for a build: what else ``rulemine mine`` can do has its default here."""

    head_relations: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    body_relations: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    exclude_relations: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    constants: ClassVar[bool] = False  # type: ignore[misc]
    """A rule that names an entity proves nothing."""

    injective: ClassVar[bool] = False  # type: ignore[misc]

    fixed_values: ClassVar = ("injective",)


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
        per_type: Largest fraction of the questions left whose certificates have rules of one type and
            sub-type; 1: off. Not in ``brink``.
        max_prior: No answer is asked for that more than this fraction of a relation's topic entities
            have; it is easily guessed. 1: off.
        min_sure_confidence: Lower bound on the lower end of the 95 % Wilson interval of the standard
            confidence: a rule that is seldom seen has to be right more often. 0: off.
        min_rare_confidence: Lower bound on the confidence of rules where the answer cannot be guessed: of
            their predictions whose ends are no common answers (by `max_prior`), and whose body does not
            hold the prediction itself, the fraction that is in the graph; 0: off.
    """

    groundings_per_rule: ClassVar[int] = 5000
    """Groundings of a rule that selection looks at, drawn uniformly where there are more; the selection
    ``brink`` takes the first `per_rule`."""

    fixed_values: ClassVar = ("groundings_per_rule",)

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
    per_type: float = option(1.0, above=0, most=1)
    max_prior: float = option(0.07, above=0, most=1, flag=True)
    min_sure_confidence: float = option(0.0, least=0, most=1)
    min_rare_confidence: float = option(0.1, least=0, most=1)

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


@dataclass(frozen=True, slots=True)
class QuestionSection(Section):
    """How questions are asked, balanced and split.

    Attributes:
        templates: ``family``, ``demo``, ``fb15k237`` or a TOML file of verbalization templates; empty:
            derived from the names of the relations, and those state the same facts of which the triples bear
            it out. A file says so itself.
        max_answer_share: Largest fraction of the questions left that may have the same entity as hard
            answer, in the core by itself and in the whole (``brink``: of the questions before any is left
            out); 1: off.
        max_relation_share: Largest fraction of the questions left that may ask about the same relation,
            counted the same way; 1: off. Needs the selection ``maximal``.
        split: How questions are split: ``group`` (no leakage), ``random`` (single rows) or ``none``
            (everything is test).
        ratios: Sizes of train, validation and test relative to each other; groups of the kind ``subgraphs``
            have its ``test_share``.
        filter: ``fb15k237`` or a TOML file of relations that are not asked about; ``found``: those whose name
            or objects show that they are ids, dates, addresses, images and the like; empty: none. Where it is
            not empty, relations with one entity at most of their ends (`max_end_share`), or whose usual
            question has too many answers (`max_median_answers`), are not asked about either. Needs the
            selection ``maximal``.
        max_questions: Most questions, where more are left: those of the core go before others, and the seed
            draws among equals; 0: no limit.
        max_answers: Most answers a question may have: it asks for an end with no more, and where both
            ends have more, it is rejected; 0: off.
        test_core: Questions of the core that test should have, but at most a third of the core; validation
            gets a third as many, or its share by `ratios` if that is more. 0: all by `ratios`.
        restated: Whether a triple may be removed, and asked about, although another one that stays joins its
            two entities: then the answer is one edge away from the topic entity. Always so in ``brink``.
    """

    max_facts: ClassVar[int] = 5
    """Most removed facts that the hard answers of a test or validation question may need: no earlier split
    may give any of them away."""

    max_end_share: ClassVar[float] = 0.7
    """With a `filter`, a relation is not asked about when one entity is the object (or the subject) of more
    than this fraction of its triples."""

    max_median_answers: ClassVar[int] = 20
    """With a `filter`, a relation is not asked about when, whichever end is asked for, more than half of its
    questions would have more answers than this."""

    fixed_values: ClassVar = ("max_facts", "max_end_share", "max_median_answers")

    templates: str = option("", file=True, packaged="templates.toml")
    max_answer_share: float = option(1.0, above=0, most=1, flag=True)
    max_relation_share: float = option(1.0, above=0, most=1)
    split: str = option("group", choices=("group", "random", "none"), flag=True)
    ratios: tuple[int, ...] = option(
        (8, 1, 1),
        least=1,
        fits_too=lambda sizes: len(sizes) == 3,
        expected="three integers ≥ 1, for train, validation and test",
    )
    filter: str = option("", file=True, packaged="filter.toml", words=("found",))
    max_questions: int = option(0, least=0, flag=True, flag_name="--questions")
    max_answers: int = option(0, least=0)
    test_core: int = option(0, least=0)
    restated: bool = option(False)


@dataclass(frozen=True, slots=True)
class AboutSection(Section):
    """What the card of the release says about the graph; named data sets do not need it.

    Attributes:
        title: What it is, in one line.
        source: Where it comes from.
        license: Its license.
        citation: What to cite.
    """

    title: str = option("")
    source: str = option("")
    license: str = option("")
    citation: str = option("")
