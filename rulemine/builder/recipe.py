"""What a build is made of: a recipe, named (``recipes/*.toml``) or the user's own file.

A recipe holds every choice that can change bytes, and no thread counts or places; the one exception is the
endpoint of a language model (`EndpointOptions`), which `Recipe.portable` leaves out.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rulemine.config import (
    _check,
    _is_share,
    _is_text,
    build,
    override,
    packaged,
    read_toml,
    to_plain,
)
from rulemine.datasets.registry import data_sets
from rulemine.errors import ConfigError, did_you_mean
from rulemine.kg.entity_names import NAMINGS
from rulemine.llm.options import EndpointOptions
from rulemine.mining.options import MiningSection
from rulemine.seeds import check_seed
from rulemine.verbalizer.options import VerbalizerSection

__all__ = [
    "AboutSection",
    "QuestionSection",
    "Recipe",
    "SelectionSection",
    "load_recipe",
    "named_recipes",
]

SELECTIONS = ("maximal", "brink")
SPLIT_MODES = ("group", "random", "none")


@dataclass(frozen=True, slots=True)
class SelectionSection:
    """What is removed.

    Attributes:
        mode: ``maximal`` or ``brink`` (the published procedure).
        per_rule: Certificates per rule at most; ≥ 1.
        share: Fraction of the selected triples that is really removed; 0 < share ≤ 1.
        levels: Nested levels in percent of the removed triples, ascending, the last one 100; empty:
            one level.
        groundings_per_rule: Groundings of a rule that selection looks at, drawn uniformly where there
            are more; 0 means all. ``brink`` takes none of this: it takes the first `per_rule`.
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
        templates: ``family``, ``demo`` or a TOML file of relation templates; empty: derived from names.
        max_answer_share: τ: the share of all questions that may have one entity as hard answer.
        split: ``group`` (no leakage), ``random`` (single rows) or ``none`` (everything is test).
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

    templates: str = ""
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
        license: Its license.
        citation: What to cite.
    """

    title: str = ""
    source: str = ""
    license: str = ""
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
        naming: How the release names entities: ``private`` (codes), ``entity``, ``text`` (labels) or
            ``numeric`` (bare numbers).
        seed: The seed of everything that is drawn; ≥ 0.
        mining: See `MiningSection`.
        selection: See `SelectionSection`.
        questions: See `QuestionSection`.
        verbalizer: See `VerbalizerSection`.
        endpoint: See `rulemine.llm.options.EndpointOptions`.
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
    verbalizer: VerbalizerSection = field(default_factory=VerbalizerSection)
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)
    about: AboutSection = field(default_factory=AboutSection)

    def __post_init__(self) -> None:
        ok = self.name.replace("-", "").replace("_", "").isalnum()
        _check(ok, "name", self.name, "letters, digits, - and _")
        _check(bool(self.kg), "kg", self.kg, "the name of a data set or a TSV file")
        for key in ("kg", "reference", "labels", "rules"):
            value = getattr(self, key)
            _check(_is_text(Path(value).name), key, value, "a file whose name is UTF-8 text")
        _check(self.naming in NAMINGS, "naming", self.naming, ", ".join(NAMINGS))
        check_seed(self.seed)
        if self.questions.filters and self.selection.mode == "brink":
            raise ConfigError(
                "questions.filter, max_end_share and max_median_answers are for selection maximal; the "
                "published procedure (selection.mode brink) removes what it removes. Leave them out."
            )

    def portable(self) -> dict[str, Any]:
        """The recipe as plain values, without the folders of files: the same on every machine.

        Also without the endpoint, which changes nothing; and with the naming of prompts spelled out, so
        that a release put into another naming still says how its prompts named entities.
        """
        plain: dict[str, Any] = to_plain(self)
        del plain["endpoint"]
        plain["verbalizer"]["naming"] = self.verbalizer.naming or self.naming
        for key in ("kg", "reference", "labels", "rules"):
            plain[key] = Path(plain[key]).name
        for key in ("templates", "filter"):
            plain["questions"][key] = Path(plain["questions"][key]).name
        for key in ("prompt", "glosses"):
            # A release carries both files, whatever they were called and whether they were given.
            plain["verbalizer"][key] = f"llm/{key}.toml" if self.verbalizer.name == "openai" else ""
        return plain


def named_recipes() -> dict[str, Path]:
    """The recipes that come with the package, sorted: name → file.

    ``family/recipe.toml`` is called ``family``, ``family/recipe-brink.toml`` ``family-brink``.
    """
    files = packaged("datasets").glob("*/recipe*.toml")
    return dict(sorted((f.parent.name + f.stem.removeprefix("recipe"), f) for f in files))


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
    if name in (named := named_recipes()):
        path = named[name]
        values = _beside(read_toml(path), path.parent)
    elif path.suffix == ".toml":
        values = _beside(read_toml(path), path.parent)
    elif name in data_sets() or path.exists() or "/" in name or path.suffix:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", path.name.split(".")[0]).strip("-")
        values = {"name": plain or "kg", "kg": name}
    else:
        raise ConfigError(
            f"{name}: no such recipe, data set or file; "
            f"{did_you_mean(name, {*named, *data_sets()})}"
        )
    for key, value in settings:
        values = override(values, key, value)
    missing = [key for key in ("name", "kg") if key not in values]
    if missing:
        raise ConfigError(f"{path}: {' and '.join(missing)} missing. Add: name = …, kg = …")
    return build(Recipe, values, str(path) if not settings else f"{path} with the options given")


def _beside(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths in a user's file are relative to that file, where such a file exists."""
    for key in ("kg", "reference", "labels", "rules"):
        value = values.get(key)
        if isinstance(value, str) and value and (folder / value).is_file():
            values = {**values, key: str(folder / value)}
    for section, key in _FILES:
        table = values.get(section)
        value = table.get(key) if isinstance(table, dict) else None
        if isinstance(value, str) and value and (folder / value).is_file():
            values = override(values, (section, key), str(folder / value))
    return values


_FILES = (
    ("questions", "templates"),
    ("questions", "filter"),
    ("verbalizer", "prompt"),
    ("verbalizer", "glosses"),
)
