"""What a build is made of: a recipe, named (``recipes/*.toml``) or the user's own file.

A recipe holds every choice that can change bytes, and nothing else: no thread counts, no places.
"""

import math
import re
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from rulemine.config import build, override, read_toml, to_plain
from rulemine.datasets import data_sets
from rulemine.errors import ConfigError, did_you_mean
from rulemine.records import NAMINGS

__all__ = [
    "AboutSection",
    "MiningSection",
    "QuestionSection",
    "Recipe",
    "SelectionSection",
    "load_recipe",
    "named_recipes",
]

SELECTIONS = ("maximal", "paper")
SPLIT_MODES = ("group", "paper", "none")


def _check(ok: bool, name: str, value: object, expected: str) -> None:
    if not ok:
        raise ConfigError(f"{name} is {value!r}; expected {expected}")


def _is_share(value: float) -> bool:
    return math.isfinite(value) and 0 < value <= 1


def _is_text(name: str) -> bool:
    """Whether a file name can be written down: on Linux it may hold any bytes."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class MiningSection:
    """How rules are mined.

    Attributes:
        max_atoms: Atoms of a rule at most, the head included; 2 … 5.
        min_head_coverage: 0 … 1.
        min_std_confidence: 0 … 1.
        min_pca_confidence: 0 … 1.
        min_initial_support: A head relation has at least this many facts; ≥ 1.
    """

    max_atoms: int = 3
    min_head_coverage: float = 0.1
    min_std_confidence: float = 0.3
    min_pca_confidence: float = 0.4
    min_initial_support: int = 100


@dataclass(frozen=True, slots=True)
class SelectionSection:
    """What is removed.

    Attributes:
        mode: ``maximal`` or ``paper`` (the published procedure).
        per_rule: Certificates per rule at most; ≥ 1.
        share: Fraction of the selected triples that is really removed; 0 < share ≤ 1.
        levels: Nested levels in percent of the removed triples, ascending, the last one 100; empty:
            one level.
        groundings_per_rule: Groundings of a rule that selection looks at, drawn uniformly where there
            are more; 0 means all. ``paper`` takes none of this: it takes the first `per_rule`.
    """

    mode: str = "maximal"
    per_rule: int = 30
    share: float = 1.0
    levels: tuple[int, ...] = ()
    groundings_per_rule: int = 5000

    def __post_init__(self) -> None:
        _check(self.mode in SELECTIONS, "mode", self.mode, " or ".join(SELECTIONS))
        _check(self.per_rule >= 1, "per_rule", self.per_rule, "an integer ≥ 1")
        _check(_is_share(self.share), "share", self.share, "a number above 0 and at most 1")
        ok = all(1 <= v <= 100 for v in self.levels)
        ok = ok and list(self.levels) == sorted(set(self.levels))
        ok = ok and self.levels[-1:] in ((), (100,))
        _check(ok, "levels", list(self.levels), "ascending percentages, the last one 100")
        _check(
            self.groundings_per_rule >= 0, "groundings_per_rule", self.groundings_per_rule, "≥ 0"
        )


@dataclass(frozen=True, slots=True)
class QuestionSection:
    """How questions are asked, balanced and split.

    Attributes:
        phrases: ``family``, ``demo`` or a TOML file of relation phrases; empty: derived from names.
        max_answer_share: τ: the share of all questions that may have one entity as hard answer.
        split: ``group`` (no leakage), ``paper`` (random rows) or ``none`` (everything is test).
        ratios: Sizes of train, validation and test relative to each other.
        filter: ``fb15k237`` or a TOML file of relations that are not asked about; empty: none. This and
            the next two need the selection ``maximal``.
        max_end_share: A relation is not asked about when one entity is the object (or the subject) of
            more than this share of its facts; 1: off.
        max_median_answers: A relation is not asked about when, asked either way, more than half of its
            facts have more answers than this; 0: off.
        max_answers: Answers of a question at most: the end is asked for that keeps to it, and where
            neither does, the question is rejected; 0: off.
    """

    phrases: str = ""
    max_answer_share: float = 1.0
    split: str = "group"
    ratios: tuple[int, ...] = (8, 1, 1)
    filter: str = ""
    max_end_share: float = 1.0
    max_median_answers: int = 0
    max_answers: int = 0

    def __post_init__(self) -> None:
        tau = self.max_answer_share
        _check(_is_share(tau), "max_answer_share", tau, "a number above 0 and at most 1")
        _check(self.split in SPLIT_MODES, "split", self.split, ", ".join(SPLIT_MODES))
        ok = len(self.ratios) == 3 and all(r >= 1 for r in self.ratios)
        _check(ok, "ratios", list(self.ratios), "three integers ≥ 1 for train, validation and test")
        share = self.max_end_share
        _check(_is_share(share), "max_end_share", share, "a number above 0 and at most 1")
        for name in ("max_median_answers", "max_answers"):
            value = getattr(self, name)
            _check(value >= 0, name, value, "an integer ≥ 0; 0 is no limit")

    @property
    def filters(self) -> bool:
        """Whether some relations may be left out."""
        return bool(self.filter or self.max_end_share < 1 or self.max_median_answers)


@dataclass(frozen=True, slots=True)
class AboutSection:
    """What the card of the release says of the graph; for named data sets known without this.

    Attributes:
        title: What it is, in one line.
        source: Where it comes from.
        licence: Its licence.
        citation: What to cite.
    """

    title: str = ""
    source: str = ""
    licence: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole build.

    Attributes:
        name: The name of the benchmark; letters, digits, ``-`` and ``_``.
        kg: The complete KG: the name of a data set, or a TSV file.
        reference: A larger KG that supplies further correct answers, likewise; empty: none.
        labels: A TSV of entity and text label, likewise; empty: entities are their own labels.
        rules: A file of rules (AMIE's text or JSON Lines); empty: they are mined.
        naming: How the release names entities, see `rulemine.records.NAMINGS`.
        seed: The seed of everything that is drawn; ≥ 0.
        mining: See `MiningSection`.
        selection: See `SelectionSection`.
        questions: See `QuestionSection`.
        about: See `AboutSection`.
    """

    name: str
    kg: str
    reference: str = ""
    labels: str = ""
    rules: str = ""
    naming: str = "private"
    seed: int = 0
    mining: MiningSection = field(default_factory=MiningSection)
    selection: SelectionSection = field(default_factory=SelectionSection)
    questions: QuestionSection = field(default_factory=QuestionSection)
    about: AboutSection = field(default_factory=AboutSection)

    def __post_init__(self) -> None:
        ok = self.name.replace("-", "").replace("_", "").isalnum()
        _check(ok, "name", self.name, "letters, digits, - and _")
        _check(bool(self.kg), "kg", self.kg, "the name of a data set or a TSV file")
        for key in ("kg", "reference", "labels", "rules"):
            value = getattr(self, key)
            _check(_is_text(Path(value).name), key, value, "a file whose name is UTF-8 text")
        _check(self.naming in NAMINGS, "naming", self.naming, ", ".join(NAMINGS))
        _check(0 <= self.seed < 2**63, "seed", self.seed, "an integer ≥ 0")
        if self.questions.filters and self.selection.mode == "paper":
            raise ConfigError(
                "questions.filter, max_end_share and max_median_answers are for selection maximal; the "
                "published procedure (selection.mode paper) removes what it removes. Leave them out."
            )

    def portable(self) -> dict[str, Any]:
        """The recipe as plain values, without the folders of files: the same on every machine."""
        plain: dict[str, Any] = to_plain(self)
        for key in ("kg", "reference", "labels", "rules"):
            plain[key] = Path(plain[key]).name
        for key in ("phrases", "filter"):
            plain["questions"][key] = Path(plain["questions"][key]).name
        return plain


def named_recipes() -> tuple[str, ...]:
    """The names of the recipes that come with the package, sorted."""
    folder = resources.files("rulemine") / "recipes"
    return tuple(
        sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))
    )


def load_recipe(name: str, settings: list[tuple[tuple[str, ...], Any]]) -> Recipe:
    """A recipe by name or file, with settings of the command line on top.

    Args:
        name: A named recipe, the path of a TOML file (paths inside it are relative to it), or a KG
            (data set or TSV file), which is built with the defaults.
        settings: Keys and values, later ones win.

    Raises:
        ConfigError: There is no such recipe, or something in it is wrong.
    """
    path = Path(name)
    if name in named_recipes():
        path = Path(str(resources.files("rulemine") / "recipes" / f"{name}.toml"))
        values = read_toml(path)
    elif path.suffix == ".toml":
        values = _beside(read_toml(path), path.parent)
    elif name in data_sets() or path.exists() or "/" in name or path.suffix:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", path.name.split(".")[0]).strip("-")
        values = {"name": plain or "kg", "kg": name}
    else:
        raise ConfigError(
            f"{name}: no such recipe, data set or file; "
            f"{did_you_mean(name, {*named_recipes(), *data_sets()})}"
        )
    for key, value in settings:
        values = override(values, key, value)
    missing = [key for key in ("name", "kg") if key not in values]
    if missing:
        raise ConfigError(f"{path}: {' and '.join(missing)} missing. Add: name = …, kg = …")
    return build(Recipe, values, str(path) if not settings else f"{path} with --set")


def _beside(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths in a user's file are relative to that file, where such a file exists."""
    for key in ("kg", "reference", "labels", "rules"):
        value = values.get(key)
        if isinstance(value, str) and value and (folder / value).is_file():
            values = {**values, key: str(folder / value)}
    questions = values.get("questions")
    for key in ("phrases", "filter"):
        value = questions.get(key) if isinstance(questions, dict) else None
        if isinstance(value, str) and value and (folder / value).is_file():
            values = override(values, ("questions", key), str(folder / value))
    return values
