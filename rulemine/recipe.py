"""What a build is made of: a recipe, named (``recipes/*.toml``) or the user's own file.

A recipe holds every choice that can change bytes, and no thread counts or places; the one exception is the
endpoint of a language model (`EndpointSection`), which `Recipe.portable` leaves out.
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
    "EndpointSection",
    "MiningSection",
    "QuestionSection",
    "Recipe",
    "SelectionSection",
    "VerbalizerSection",
    "load_recipe",
    "named_recipes",
]

SELECTIONS = ("maximal", "paper")
SPLIT_MODES = ("group", "paper", "none")
VERBALIZERS = ("template", "openai")
ON_FAILURE = ("template", "drop")
STRUCTURED = ("auto", "always", "never")


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
class VerbalizerSection:
    """How questions are put into words; everything here can change bytes.

    Attributes:
        name: ``template`` (the relation's phrase; no key, no network) or ``openai`` (a model behind any
            endpoint with OpenAI's chat API).
        model: The model; needed for ``openai``.
        temperature: Of the model; below 0: not sent, for models that refuse it.
        max_tokens: Tokens of one reply at most. Models that think before they write need more.
        prompt: A TOML file of prompts; empty: the one that comes with the package.
        glosses: ``family``, ``demo``, ``fb15k237`` or a TOML file that says what relations mean
            (`rulemine gloss`); empty: the phrases do.
        naming: How the prompts name entities: ``private``, ``entity``, ``text`` or ``paper``; empty: as the
            release does.
        language: The language of the questions, by its English name.
        attempts: Texts asked for until one passes the checks.
        on_failure: What a question without one gets: ``template`` (marked as such) or ``drop``.
        auditor_model: A second model that says PASS or FAIL to every text; empty: none.
        round_trip: Whether the model must recognise relation and direction in its own text.
        paraphrases: Further texts per question, 0 to 20.
    """

    name: str = "template"
    model: str = ""
    temperature: float = 0.0
    max_tokens: int = 300
    prompt: str = ""
    glosses: str = ""
    naming: str = ""
    language: str = "English"
    attempts: int = 3
    on_failure: str = "template"
    auditor_model: str = ""
    round_trip: bool = False
    paraphrases: int = 0

    def __post_init__(self) -> None:
        _check(self.name in VERBALIZERS, "name", self.name, " or ".join(VERBALIZERS))
        ok = bool(self.model.strip()) or self.name == "template"
        _check(ok, "model", self.model, "the name of a model (--model)")
        ok = float("-inf") < self.temperature <= 2
        _check(ok, "temperature", self.temperature, "a number up to 2")
        _check(self.max_tokens >= 1, "max_tokens", self.max_tokens, "an integer ≥ 1")
        ok = self.naming in ("", *NAMINGS)
        _check(ok, "naming", self.naming, f"{', '.join(NAMINGS)}, or empty")
        _check(bool(self.language.strip()), "language", self.language, "the name of a language")
        _check(self.attempts >= 1, "attempts", self.attempts, "an integer ≥ 1")
        ok = self.on_failure in ON_FAILURE
        _check(ok, "on_failure", self.on_failure, " or ".join(ON_FAILURE))
        _check(0 <= self.paraphrases <= 20, "paraphrases", self.paraphrases, "0 to 20")


@dataclass(frozen=True, slots=True)
class EndpointSection:
    """Where the model is and what may be asked of it; nothing here changes a byte of a release.

    Attributes:
        base_url: The address of the API, up to and with ``/v1``.
        api_key_variable: The environment variable that holds the key. A local endpoint needs none.
        concurrency: Calls in flight at most.
        budget_tokens: Tokens of one run at most, sent and received; 0: any number.
        max_requests_per_minute: Requests in any 60 s at most, retries included; 0: any number.
        timeout: Seconds for one call, from sending to the last byte.
        patience: Seconds that an endpoint may be out of reach before the run ends.
        structured: ``auto`` (structured outputs until the endpoint refuses them), ``always`` or ``never``.
        price_input: Money per million tokens sent, for estimates; 0: unknown.
        price_output: Money per million tokens received; 0: unknown.
    """

    base_url: str = "https://api.openai.com/v1"
    api_key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 16
    budget_tokens: int = 0
    max_requests_per_minute: int = 0
    timeout: float = 60.0
    patience: float = 120.0
    structured: str = "auto"
    price_input: float = 0.0
    price_output: float = 0.0

    def __post_init__(self) -> None:
        address = self.base_url.partition("://")
        ok = address[0] in ("http", "https") and bool(address[2])
        _check(ok, "base_url", self.base_url.rpartition("@")[2], "http://… or https://…/v1")
        name = self.api_key_variable
        ok = name.replace("_", "a").isalnum() and not name[0].isdecimal()
        # What was given is not repeated: it may be the key itself.
        _check(ok, "api_key_variable", "…", "the name of an environment variable")
        _check(1 <= self.concurrency <= 1024, "concurrency", self.concurrency, "1 to 1024")
        for key in ("budget_tokens", "max_requests_per_minute", "price_input", "price_output"):
            value = getattr(self, key)
            _check(0 <= value < float("inf"), key, value, "0 or more")
        for key in ("timeout", "patience"):
            value = getattr(self, key)
            _check(0 < value < float("inf"), key, value, "seconds above 0")
        _check(self.structured in STRUCTURED, "structured", self.structured, ", ".join(STRUCTURED))


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
        naming: How the release names entities: ``private`` (codes), ``entity``, ``text`` (labels) or
            ``paper`` (bare numbers).
        seed: The seed of everything that is drawn; ≥ 0.
        mining: See `MiningSection`.
        selection: See `SelectionSection`.
        questions: See `QuestionSection`.
        verbalizer: See `VerbalizerSection`.
        endpoint: See `EndpointSection`.
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
    endpoint: EndpointSection = field(default_factory=EndpointSection)
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
        """The recipe as plain values, without the folders of files: the same on every machine.

        Also without the endpoint, which changes nothing; and with the naming of prompts spelled out, so
        that a release put into another naming still says how its prompts named entities.
        """
        plain: dict[str, Any] = to_plain(self)
        del plain["endpoint"]
        plain["verbalizer"]["naming"] = self.verbalizer.naming or self.naming
        for key in ("kg", "reference", "labels", "rules"):
            plain[key] = Path(plain[key]).name
        for key in ("phrases", "filter"):
            plain["questions"][key] = Path(plain["questions"][key]).name
        for key in ("prompt", "glosses"):
            # A release carries both files, whatever they were called and whether they were given.
            plain["verbalizer"][key] = f"llm/{key}.toml" if self.verbalizer.name == "openai" else ""
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
    ("questions", "phrases"),
    ("questions", "filter"),
    ("verbalizer", "prompt"),
    ("verbalizer", "glosses"),
)
