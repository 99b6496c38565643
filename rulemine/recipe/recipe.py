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
from typing import Any

from rulemine.codec import slots_of, to_json
from rulemine.config import Key, Option, Section, keys_of, lookup, option, override
from rulemine.errors import ConfigError
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.registry import BUILT, KINDS, USUAL
from rulemine.llm.options import EndpointOptions
from rulemine.recipe.options import AboutSection, MiningSection, QuestionSection, SelectionSection
from rulemine.verbalizer.options import VerbalizerSection

__all__ = ["BASE", "KEYS", "WRITERS", "Recipe", "file_keys", "keys_with"]


@dataclass(frozen=True, slots=True)
class Recipe(Section):
    """A whole build.

    Attributes:
        name: The name of the benchmark; letters, digits, ``-`` and ``_``.
        kg: The complete KG: the name of a data set, or a file in TSV, N-Triples or Turtle; of the kind
            ``cypher`` a property graph, as ``rulemine graph check`` reads it.
        kind: The kind of question: ``rules`` (about single removed triples), ``structures`` (the nine logical
            structures of ComplexLogicalQA), ``subgraphs`` (written for sampled subgraphs, as SynthKGQA),
            ``variants`` (written for the entities of texts, as Dynamic-KGQA) or ``cypher`` (text-to-Cypher
            over a property graph, as CypherBench); or a kind of another package.
        reference: A larger KG that supplies further correct answers: a data set or a file; empty: none.
        implied: Rules that are true by definition, one a line: a file, or a packaged data set that has one.
            What the graphs imply by them supplies further correct answers; empty: nothing is implied.
        labels: Text labels of entities and relations: a data set, or a TSV file of id and label; empty: those
            of the KG's file in RDF, or of files beside it (``*label*``, ``relations.tsv``,
            ``entity2text.txt``), else names are their own labels; ``none``: none.
        rules: Rules to use (AMIE's or JSON Lines), instead of mining; empty: they are
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
    reference: str = option("", file=True, data_set=True, flag=True, metavar="KG")
    implied: str = option("", file=True, packaged="implied.txt", flag=True)
    labels: str = option("", file=True, data_set=True, flag=True, words=("none",))
    rules: str = option("", file=True, flag=True)
    amie_jar: str = option("", file=True, flag=True, metavar="JAR")
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
            found = type(self.own).__name__
            raise ConfigError(f"own: is a {found}; the kind {self.kind} has {options.__name__}.")
        self.own.check(self)
        if self.amie_jar and (self.rules or self.selection.mode == "none"):
            why = "rules are given" if self.rules else "nothing is removed"
            raise ConfigError(f"amie_jar: nothing is mined, because {why}. Leave one of them out.")
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

        Endpoints are left out, because they change no byte. The naming of prompts (`prompt_naming`,
        or else the recipe's) is spelled out, so that a renamed release still says how they named entities.
        """
        plain = {self.kind: self.own.portable()} | to_json(self)
        for key in file_keys(self.kind):
            plain = override(plain, key.path, Path(lookup(plain, key.path)).name)
        del plain["endpoint"]
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
"""What a file has besides keys; no setting and no release has it."""


WRITERS = ("verbalizer.", "endpoint.", "variants.judges")
"""What keys begin with that say who writes and who judges: fresh variants may differ in them."""


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
