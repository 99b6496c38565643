"""The sections ``mining``, ``questions`` and ``about`` of a recipe."""

from dataclasses import dataclass

from rulemine.config import Section, option
from rulemine.mining.options import MiningOptions

__all__ = ["KINDS", "AboutSection", "MiningSection", "QuestionSection"]


KINDS = ("rules", "structures", "subgraphs", "variants", "cypher")
"""The kinds of question, see `rulemine.release.records.QUESTION_KINDS`, which loads numpy."""


@dataclass(frozen=True, slots=True)
class MiningSection(MiningOptions):
    """Which rules are mined, and by which miner.

    Attributes:
        engine: Who mines: ``rulemine`` (this package), or ``amie`` for the original AMIE 3.5.1, which needs
            its jar (`amie_jar`).
    """

    engine: str = option("rulemine", choices=("rulemine", "amie"))


@dataclass(frozen=True, slots=True)
class QuestionSection(Section):
    """How questions are asked, balanced and split.

    Attributes:
        templates: ``family``, ``demo``, ``fb15k237`` or a TOML file of verbalization templates; empty:
            derived from the names of the relations.
        max_answer_share: Largest fraction of the questions left that may have the same entity as hard
            answer, in the core by itself and in the whole (``brink``: of the questions before any is left
            out); 1: off.
        max_relation_share: Largest fraction of the questions left that may ask about the same relation,
            likewise; 1: off. Needs the selection ``maximal``.
        split: How questions are split: ``group`` (no leakage), ``random`` (single rows) or ``none``
            (everything is test).
        ratios: Sizes of train, validation and test relative to each other; groups of the kind ``subgraphs``
            have its ``test_share``.
        filter: ``fb15k237`` or a TOML file of relations that are not asked about; empty: none. This and
            the next two need the selection ``maximal``.
        max_end_share: A relation is not asked about when one entity is the object (or the subject) of
            more than this fraction of its triples; 1: off.
        max_median_answers: A relation is not asked about when, whichever end is asked for, more than
            half of its questions would have more answers than this; 0: off.
        max_answers: Most answers a question may have: it asks for an end with no more, and where both
            ends have more, it is rejected; 0: off.
        test_core: Questions of the core that test should have, but at most a third of the core; validation
            gets a third as many, or its share by `ratios` if that is more. 0: all by `ratios`.
        max_facts: Most removed facts that the hard answers of a test or validation question may need: no
            earlier split may give any of them away.
        core_only: Whether only questions of the core are released.
        stale: Whether questions may use facts that the reference lacks: for a reference of further triples
            alone. Otherwise it is the larger graph, and what it lacks is out of date or wrong.
    """

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
    filter: str = option("", file=True, packaged="filter.toml")
    max_end_share: float = option(1.0, above=0, most=1)
    max_median_answers: int = option(0, least=0)
    max_answers: int = option(0, least=0)
    test_core: int = option(0, least=0)
    max_facts: int = option(5, least=1)
    core_only: bool = option(False)
    stale: bool = option(False)

    @property
    def filters(self) -> bool:
        """Whether some relations may be left out."""
        return bool(self.filter or self.max_end_share < 1 or self.max_median_answers)


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
