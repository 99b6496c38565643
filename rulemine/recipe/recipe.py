"""Recipes: the configuration of a build, packaged (``datasets/*/recipe*.toml``) or the user's own file.

A recipe holds every choice that can change bytes, and no thread counts or output paths. The only
exception is the endpoint of a language model (`EndpointOptions`), which `Recipe.portable` leaves out.
"""

import re
from dataclasses import MISSING, dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from rulemine.codec import slots_of, to_json
from rulemine.config import Key, Option, Section, keys_of, lookup, option, override
from rulemine.errors import ConfigError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.registry import BUILT, KINDS, USUAL
from rulemine.llm.options import EndpointOptions
from rulemine.mining.options import MiningOptions
from rulemine.verbalizer.options import VerbalizerSection

__all__ = [
    "BASE", "KEYS", "WRITERS", "AboutSection", "MiningSection", "QuestionSection", "Recipe",
    "SelectionSection", "file_keys", "keys_with",
]  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class SelectionSection(Section):
    """What is removed.

    Attributes:
        mode: How triples are selected: ``maximal``; ``given``, where ``rulemine build --removed FILE`` names
            those that are missing, and what the rest of the graph proves of them is asked; ``brink`` for the
            published procedure, which has none of the options from ``max_prior`` on; or ``none``, the same
            as a `share` of 0: nothing is mined or removed, and there are no levels. Not for the kind
            ``rules``.
        per_rule: Triples that a rule selects at most (``brink``: certificates); not in ``given``.
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

    min_std_confidence: ClassVar[tuple[float, ...]] = ()
    """Floors on the confidence of the mined rules with 1, 2, … body atoms, for readers of releases: there are
    none beside `min_rare_confidence` and the standards of a filter."""

    fixed_values: ClassVar = ("groundings_per_rule", "min_std_confidence")

    mode: str = option("maximal", choices=("maximal", "given", "brink", "none"))
    per_rule: int = option(30, least=1)
    share: float = option(1.0, least=0, most=1)
    levels: tuple[int, ...] = option(
        (),
        least=1,
        most=100,
        fits_too=lambda some: [*some] == sorted({*some}) and some[-1:] in ((), (100,)),
        expected="ascending percentages, the last one 100",
        flag=True,
    )
    per_type: float = option(1.0, above=0, most=1)
    max_prior: float = option(0.07, above=0, most=1)
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
    max_answer_share: float = option(1.0, above=0, most=1)
    max_relation_share: float = option(1.0, above=0, most=1)
    split: str = option("group", choices=("group", "random", "none"))
    ratios: tuple[int, ...] = option(
        (8, 1, 1),
        least=1,
        fits_too=lambda sizes: len(sizes) == 3,
        expected="three integers ≥ 1, for train, validation and test",
    )
    filter: str = option("", file=True, packaged="filter.toml", words=("found",))
    max_questions: int = option(0, least=0, flag="--questions")
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


@dataclass(frozen=True, slots=True)
class Recipe(Section):
    """A whole build.

    Attributes:
        name: The name of the benchmark; letters, digits, ``-`` and ``_``.
        kg: The complete KG: the name of a data set, or a file in TSV, N-Triples or Turtle; of the kind
            ``cypher`` a property graph, as ``rulemine data graph`` reads it.
        kind: The kind of question: ``rules`` (about single removed triples), ``structures`` (the nine logical
            structures of ComplexLogicalQA), ``subgraphs`` (written for sampled subgraphs, as SynthKGQA),
            ``variants`` (written for the entities of texts, as Dynamic-KGQA) or ``cypher`` (text-to-Cypher
            over a property graph, as CypherBench); or a kind of another package.
        columns: Which columns of a table are subject, relation and object: numbers from 1, such as 1,3,2, or
            names in its first line; empty: the file says so, or they are its three.
        strict: Whether RDF lines that cannot be read are refused, rather than left out and
            counted.
        reference: A larger KG that supplies further correct answers: a data set or a file; empty: none.
        implied: Rules that are true by definition, one a line: a file, or a packaged data set that has one.
            What the graphs imply by them supplies further correct answers; empty: nothing is implied.
        labels: Text labels of entities and relations: a data set, or a TSV file of id and label; empty: those
            of the KG's file in RDF, or of files beside it (``*label*``, ``relations.tsv``,
            ``entity2text.txt``), else names are their own labels; ``none``: none.
        rules: Rules (AMIE's, AnyBURL's or JSON) instead of mining; empty: they are
            mined.
        amie_jar: The jar of the original AMIE 3.5.1, which is not part of this package: it mines in place of
            this package's miner; empty: this package's miner does.
        naming: How the release names entities: ``private`` (codes), ``entity``, ``text`` (labels) or
            ``numeric`` (bare numbers).
        seed: The seed of all random choices.
        not_in: Earlier releases of this recipe of which no question is asked again, by their identities
            (64 hexadecimal digits, see `Release.identity`), sorted; ``rulemine build --not-in DIR`` sets it.
        mining: See `MiningSection`; the defaults here are the thresholds of arXiv 2508.08344.
        selection: See `SelectionSection`.
        questions: See `QuestionSection`.
        own: The section of its kind, called as the kind, see `rulemine.kinds.kind.Kind.Options`; None: its
            defaults.
        verbalizer: See `VerbalizerSection`.
        endpoint: See `EndpointOptions`.
        about: See `AboutSection`.
    """

    name: str = option(
        MISSING,
        fits_too=lambda name: name.replace("-", "").replace("_", "").isalnum(),
        expected="letters, digits, - and _",
    )
    kg: str = option(
        MISSING,
        file=True,
        data_set=True,
        fits_too=bool,
        expected="the name of a data set or a file",
    )
    kind: str = option(
        USUAL,
        choices=BUILT,
        expected=f"{', '.join(BUILT.own)}, or a kind of another package",
        flag=True,
    )
    columns: tuple[str, ...] = option((), flag=True, metavar="A,B,C")
    strict: bool = option(False, flag=True)
    reference: str = option("", file=True, data_set=True)
    implied: str = option("", file=True, packaged="implied.txt")
    labels: str = option("", file=True, data_set=True, flag=True, words=("none",))
    rules: str = option("", file=True, flag=True)
    amie_jar: str = option("", file=True)
    naming: str = option("private", choices=NAMINGS, flag=True)
    seed: int = option(0, least=0, most=2**63 - 1, flag=True)  # see `check_seed`
    not_in: tuple[str, ...] = option(
        (),
        fits_too=lambda names: all(re.fullmatch("[0-9a-f]{64}", name) for name in names),
        expected="a list of identities, 64 hexadecimal digits each",
    )
    mining: MiningSection = field(
        default_factory=partial(
            MiningSection, min_head_coverage=0.1, min_std_confidence=0.3, min_pca_confidence=0.4
        )
    )
    selection: SelectionSection = field(default_factory=SelectionSection)
    questions: QuestionSection = field(default_factory=QuestionSection)
    own: Any = field(default=None, metadata={"aside": True})
    verbalizer: VerbalizerSection = field(default_factory=VerbalizerSection)
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)
    about: AboutSection = field(default_factory=AboutSection)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        options = KINDS.find(self.kind).Options
        if self.own is None:
            object.__setattr__(self, "own", options())
        if type(self.own) is not options:
            raise ConfigError(
                f"own: is a {type(self.own).__name__}; the kind {self.kind} has {options.__name__}."
            )
        self.own.check(self)
        if self.amie_jar and (self.rules or self.selection.mode == "none"):
            why = "rules are given" if self.rules else "nothing is removed"
            raise ConfigError(f"amie_jar: nothing is mined, because {why}. Leave one of them out.")
        if self.selection.mode == "given":
            self.refuse(
                ("amie_jar", "not_in", "selection.share"),
                "not for the selection given, whose file says what is missing. Leave it out.",
            )
        if self.selection.mode == "brink":
            self.refuse(
                _MAXIMAL_ONLY,
                "for selection maximal only; the published procedure (selection.mode brink) has no such "
                "step. Leave it out, or use a recipe for that procedure, e.g. family-brink.",
            )

    @property
    def restated(self) -> bool:
        """Whether questions may ask for what another triple between the same two entities may state."""
        return self.questions.restated or self.selection.mode == "brink"

    def refuse(self, names: tuple[str, ...], why: str) -> None:
        """Refuses keys that have another value than their default.

        Args:
            names: The keys, e.g. ``selection.per_type``; none of the kind's own section.
            why: Why, and what to do, for the message.

        Raises:
            ConfigError: There is such a key.
        """
        usual = SimpleNamespace(**{slot.name: slot.default for slot in slots_of(Recipe)})
        if given := [one for one in names if attrgetter(one)(self) != attrgetter(one)(usual)]:
            raise ConfigError(f"{', '.join(given)}: {why}")

    def plain(self) -> dict[str, Any]:
        """The recipe as plain values, as a file has them."""
        return {self.kind: to_json(self.own)} | to_json(self)

    def portable(self, prompt_naming: str = "") -> dict[str, Any]:
        """The recipe as plain values, with file names instead of paths: the same on every machine.

        Endpoints and `strict` are left out, because they change no byte, and `columns` where there are none.
        The naming of prompts (`prompt_naming`, or else the recipe's) is spelled out, so that a renamed
        release still says how they named entities.
        """
        plain = {self.kind: self.own.portable()} | to_json(self)
        for key in file_keys(self.kind):
            plain = override(plain, key.path, Path(lookup(plain, key.path)).name)
        for name in ("endpoint", "strict", *(["columns"] if not self.columns else ())):
            del plain[name]
        plain["verbalizer"]["naming"] = prompt_naming or self.verbalizer.naming or self.naming
        for name in ("prompt", "glosses"):
            # A release contains both files, whatever they were called and whether they were given.
            plain["verbalizer"][name] = (
                f"llm/{name}.toml" if self.verbalizer.name == "openai" else ""
            )
        return plain


KEYS: tuple[Key, ...] = tuple(keys_of(Recipe(name="NAME", kg="KG")))
"""Every key that recipes of all kinds have, in order, with its default in a build."""


BASE = Key(
    "base", "",
    "Another recipe, of which the file gives only what differs: a packaged one, or a .toml file beside it. "
    "Tables are merged key by key, lists take the place of lists; what is for the kind of the base alone is "
    "left out.",
    "text", "", str, Option(),
)  # fmt: skip
"""An entry of recipe files that is not a key: it occurs in no setting and in no release."""


WRITERS = ("verbalizer.", "endpoint.", "variants.judges")
"""Prefixes of the keys that say who writes and who judges: fresh variants may differ in them."""


def keys_with(*kinds: str) -> tuple[Key, ...]:
    """The keys of recipes of some kinds, in order, with their defaults."""
    own = (key for kind in kinds for key in keys_of(KINDS.find(kind).Options(), f"{kind}."))
    return (*KEYS, *own)


def file_keys(kind: str) -> list[Key]:
    """The keys of recipes of a kind that name files."""
    return [key for key in keys_with(kind) if key.option.file]


_MAXIMAL_ONLY = (
    "implied",
    "not_in",
    "questions.filter",
    "questions.max_questions",
    "questions.max_relation_share",
    "selection.max_prior",
    "selection.min_rare_confidence",
    "selection.min_sure_confidence",
    "selection.per_type",
)
"""Options that the selection ``brink`` does not have."""
