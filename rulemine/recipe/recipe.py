"""Recipes: the configuration of a build, packaged (``datasets/*/recipe*.toml``) or the user's own file.

A recipe holds every choice that can change bytes, and no thread counts or output paths. The only
exception is the endpoint of a language model (`EndpointOptions`), which `Recipe.portable` leaves out.
"""

import re
from dataclasses import MISSING, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.codec import to_json
from rulemine.config import (
    Key,
    Section,
    build,
    keys_of,
    lookup,
    option,
    override,
    packaged,
    packaged_or_given,
    read_toml,
)
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.cypher.options import CypherSection
from rulemine.kinds.structures.options import StructureSection
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.text_files import split_column
from rulemine.llm.options import EndpointOptions, at_addresses
from rulemine.recipe.options import KINDS, AboutSection, MiningSection, QuestionSection
from rulemine.removal.options import SelectionSection
from rulemine.verbalizer.options import VerbalizerSection

__all__ = ["KEYS", "Recipe", "load_recipe", "named_recipes"]


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
            over a property graph, as CypherBench).
        reference: A larger KG that supplies further correct answers: a data set or a file; empty: none.
        implied: Rules that are true by definition, one a line: a file, or a packaged data set that has one.
            What the graphs imply by them supplies further correct answers; empty: nothing is implied.
        labels: Text labels of the entities: a data set, or a TSV file of entity and label; empty: those of
            the KG's file in RDF, else entities are their own labels.
        rules: A file of rules (AMIE's output or JSON Lines) to use instead of mining; empty: they are
            mined.
        amie_jar: The jar of the original AMIE 3.5.1, which is not part of this package, where
            `mining.engine` is ``amie``; else empty.
        naming: How the release names entities: ``private`` (codes), ``entity``, ``text`` (labels) or
            ``numeric`` (bare numbers).
        seed: The seed of all random choices.
        not_in: Earlier releases of this recipe of which no question is asked again, by their identities
            (64 hexadecimal digits, see `Release.identity`), sorted; ``rulemine build --not-in DIR`` sets it.
        mining: See `MiningSection`; the defaults here are the thresholds of arXiv 2508.08344.
        selection: See `SelectionSection`.
        questions: See `QuestionSection`.
        structures: See `StructureSection`.
        subgraphs: See `SubgraphSection`.
        variants: See `VariantSection`.
        cypher: See `CypherSection`.
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
    kind: str = option("rules", choices=KINDS, flag=True)
    reference: str = option("", file=True, data_set=True, flag=True, metavar="KG")
    implied: str = option("", file=True, packaged="implied.txt", flag=True)
    labels: str = option("", file=True, data_set=True, flag=True)
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
    structures: StructureSection = field(default_factory=StructureSection)
    subgraphs: SubgraphSection = field(default_factory=SubgraphSection)
    variants: VariantSection = field(default_factory=VariantSection)
    cypher: CypherSection = field(default_factory=CypherSection)
    verbalizer: VerbalizerSection = field(default_factory=VerbalizerSection)
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)
    about: AboutSection = field(default_factory=AboutSection)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        for kind, section in _SECTIONS.items():
            plain, default = to_json(getattr(self, kind)), to_json(section())
            if given := [
                f"{kind}.{n}" for n in default if kind != self.kind and plain[n] != default[n]
            ]:
                raise ConfigError(
                    f'{", ".join(given)}: for the kind {kind} only. Leave it out, or set kind = "{kind}".'
                )
        self.verbalizer.check_kind(self.kind)
        if self.kind == "rules":
            if self.selection.mode == "none":
                raise ConfigError(
                    "selection.mode: is none (selection.share is 0), and questions of the kind rules ask for "
                    "removed triples. Name another kind (--kind structures), or remove something."
                )
        else:
            removes = self.selection.mode != "none"
            self._refuse(
                tuple(name for name in _RULES_ONLY if removes or name != "selection.mode"),
                f"for the kind rules only; questions of the kind {self.kind} are made within the limits "
                f"of the section {self.kind}, with the selection maximal. Leave it out, or use a recipe "
                f"of this kind, e.g. {self.kind}-demo.",
            )
        if self.questions.core_only and self.selection.mode == "none":
            raise ConfigError(
                "questions.core_only: nothing is removed (selection.mode is none), so no question is in the "
                "core. Leave one of them out."
            )
        if self.kind == "structures":
            self._check_structures()
        if self.kind == "subgraphs" and self.questions.split == "group":
            why = "groups of the kind subgraphs are sized by subgraphs.test_share. Leave it out."
            self._refuse(("questions.ratios",), why)
        if self.variants.judges and self.verbalizer.name == "template":
            raise ConfigError(
                "variants.judges: judges are models, and verbalizer.name is template. Name a model that "
                "writes too (--verbalizer openai --model NAME), or leave the judges out."
            )
        self.variant_judges  # noqa: B018
        self._check_engine()
        if self.selection.mode == "brink":
            self._refuse(
                _MAXIMAL_ONLY,
                "for selection maximal only; the published procedure (selection.mode brink) has no such "
                "step. Leave it out, or use a recipe for that procedure, e.g. family-brink.",
            )

    def _refuse(self, names: tuple[str, ...], why: str) -> None:
        """Refuses options that are given."""
        own, default = to_json(self), to_json(Recipe(name="NAME", kg="KG"))
        paths = {name: tuple(name.split(".")) for name in names}
        given = [n for n, path in paths.items() if lookup(own, path) != lookup(default, path)]
        if given:
            raise ConfigError(f"{', '.join(given)}: {why}")

    def _check_engine(self) -> None:
        """Refuses a miner that cannot run, or has nothing to do."""
        if self.mining.engine == "rulemine":
            if self.amie_jar:
                raise ConfigError(
                    "amie_jar: is for mining by the original AMIE. Add --set mining.engine=amie, or leave it "
                    "out."
                )
            return
        if not self.amie_jar:
            raise ConfigError(
                "mining.engine: is amie, the original AMIE, which is not part of this package. Give its jar "
                "too: --amie-jar amie3.5.1.jar."
            )
        if self.rules or self.selection.mode == "none":
            why = "rules are given" if self.rules else "nothing is removed"
            raise ConfigError(
                f"mining.engine: is amie, and nothing is mined, because {why}. Leave one of them out."
            )
        from rulemine.mining.amie_jar import refuse_unknown  # loads numpy

        refuse_unknown(self.mining)

    def _check_structures(self) -> None:
        """Refuses options of the section ``structures`` that contradict each other or the others."""
        chosen = self.structures
        if chosen.max_degree and chosen.max_degree < chosen.min_degree:
            raise ConfigError(
                f"structures.max_degree is {chosen.max_degree}, below structures.min_degree "
                f"({chosen.min_degree}): no entity could be an anchor. Raise it; 0: no limit."
            )
        if chosen.missing == "full" and self.selection.mode == "none":
            raise ConfigError(
                "structures.missing: is full, and nothing is removed (selection.mode is none). Leave one out."
            )
        if chosen.disjoint_answers and self.questions.split != "group":
            raise ConfigError(
                f"structures.disjoint_answers: questions.split is {self.questions.split}, which keeps "
                "nothing apart. Leave one of them out."
            )

    @property
    def variant_judges(self) -> tuple[list[str], list[EndpointOptions]]:
        """The models of `variants.judges`, and where each is, see `at_addresses`."""
        return at_addresses(self.variants.judges, self.endpoint, "variants.judges")

    def portable(self, prompt_naming: str = "") -> dict[str, Any]:
        """The recipe as plain values, with file names instead of paths: the same on every machine.

        Endpoints are left out, because they change no byte. The naming of prompts (`prompt_naming`,
        or else the recipe's) is spelled out, so that a renamed release still says how they named entities.
        """
        plain = to_json(self)
        for key in _FILES:
            plain = override(plain, key.path, Path(lookup(plain, key.path)).name)
        del plain["endpoint"]
        if not self.amie_jar:
            del plain["amie_jar"], plain["mining"]["engine"]
        if not self.not_in:
            del plain["not_in"]
        plain["variants"]["judges"] = self.variant_judges[0]
        for kind in ("subgraphs", "variants", "cypher"):
            if kind != self.kind:
                del plain[kind]
        plain["verbalizer"]["naming"] = prompt_naming or self.verbalizer.naming or self.naming
        for name in ("prompt", "glosses"):
            # A release contains both files, whatever they were called and whether they were given.
            plain["verbalizer"][name] = (
                f"llm/{name}.toml" if self.verbalizer.name == "openai" else ""
            )
        return plain


_RULES_ONLY = (
    "questions.max_answer_share",
    "questions.max_answers",
    "questions.max_relation_share",
    "selection.mode",
    "selection.per_type",
)
"""Options that only the kind ``rules`` has."""

_SECTIONS = {
    "structures": StructureSection,
    "subgraphs": SubgraphSection,
    "variants": VariantSection,
    "cypher": CypherSection,
}
"""Kinds that have a section of their own."""

KEYS: tuple[Key, ...] = tuple(keys_of(Recipe(name="NAME", kg="KG")))
"""Every key of a recipe, in order, with its default in a build."""

_MAXIMAL_ONLY = (
    "implied",
    "not_in",
    "questions.core_only",
    "questions.filter",
    "questions.max_end_share",
    "questions.max_median_answers",
    "questions.max_relation_share",
    "selection.body_filter",
    "selection.max_prior",
    "selection.min_rare_confidence",
    "selection.min_std_confidence",
    "selection.per_type",
)
"""Options that the selection ``brink`` does not have."""

_FILES = [key for key in KEYS if key.option.file]
_TEXTS = "variants.texts"


def named_recipes() -> dict[str, Path]:
    """The packaged recipes, sorted: name → file.

    ``family/recipe.toml`` is called ``family``, ``family/recipe-brink.toml`` ``family-brink``, and
    ``umls/recipe-structures.toml``, of another kind of question, ``structures-umls``.
    """
    found = {}
    for file in packaged("datasets").glob("*/recipe*.toml"):
        variant = file.stem.removeprefix("recipe").removeprefix("-")
        names = (variant, file.parent.name) if variant in KINDS else (file.parent.name, variant)
        found["-".join(filter(None, names))] = file
    return dict(sorted(found.items()))


def load_recipe(name: str, settings: list[tuple[tuple[str, ...], Any]]) -> Recipe:
    """Loads a recipe and applies the settings of the command line.

    Args:
        name: A packaged recipe, the path of a TOML file (paths inside it are relative to it), or a KG
            (data set or file), which is built with the defaults.
        settings: Keys and values; later ones win.

    Raises:
        ConfigError: There is no such recipe, or it has errors.
    """
    from rulemine.datasets.property_graphs import NAMED_GRAPHS
    from rulemine.datasets.registry import data_sets  # loads numpy

    path = Path(name)
    if not name:
        raise ConfigError(
            "RECIPE is empty; expected a recipe, a .toml file, a data set or a KG as TSV or RDF."
        )
    if name in (named := named_recipes()):
        path = named[name]
        values = _beside(read_toml(path), path.parent)
    elif path.suffix == ".toml":
        values = _beside(read_toml(path), path.parent)
    elif name in {*data_sets(), *NAMED_GRAPHS} or path.exists() or "/" in name or path.suffix:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", path.name.split(".")[0]).strip("-")
        values = {"name": plain or "kg", "kg": name}
    else:
        raise ConfigError(
            f"{name}: no such recipe, data set or file; "
            f"{did_you_mean(name, {*named, *data_sets()})}"
        )
    for key, value in settings:
        values = override(values, key, value)
    where = f"{path} with the options given" if settings else str(path)
    if settings and path.suffix != ".toml":
        where = "the options given"
    recipe = build(Recipe, values, where)
    _check_files(values, where, path, name)
    return recipe


def _check_files(values: dict[str, Any], where: str, path: Path, name: str) -> None:
    """Reports all missing files of a recipe at once, with the places where they were looked for.

    Args:
        values: The values of the recipe.
        where: The recipe, for the message.
        path: Its file, if it has one.
        name: Its name as the user gave it; a KG given as the recipe is checked when it is read.
    """
    from rulemine.datasets.property_graphs import NAMED_GRAPHS
    from rulemine.datasets.registry import data_sets  # loads numpy

    problems = []
    for key in _FILES:
        value, packed = lookup(values, key.path) or "", key.option.packaged
        known = {*data_sets(), *NAMED_GRAPHS} if key.option.data_set else set()
        own = _without_column(key, value)
        there = (packaged_or_given(own, packed) if packed else Path(own)).exists()
        if not value or there or value in (name, key.option.word) or value in known:
            continue
        folders = [path.parent, Path()] if path.suffix == ".toml" else [Path()]
        looked = " and ".join(dict.fromkeys(str((f / own).absolute()) for f in folders))
        if packed:
            names = sorted(f.parent.name for f in packaged("datasets").glob(f"*/{packed}"))
            looked = f"those of this package ({', '.join(names)}) and {looked}"
        problem = f'{key.name} names "{value}"; looked at {looked}: no such file'
        if known and not Path(value).suffix:
            problem += f", and no such data set; {did_you_mean(value, known)}"
        problems.append(problem)
    if problems:
        raise ConfigError(
            list_problems(
                where, problems, "Paths are relative to the recipe or the current folder."
            )
        )


def _beside(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Resolves the paths in a user's recipe relative to it, if such a file exists."""
    for key in _FILES:
        value = lookup(values, key.path)
        if not isinstance(value, str) or not value:
            continue
        own = folder / _without_column(key, value)
        # A folder of texts too, unless it is called like a data set, whose name comes first.
        texts = key.name == _TEXTS and packaged_or_given(value, key.option.packaged) == Path(value)
        if own.is_file() or (texts and own.is_dir()):
            values = override(values, key.path, str(folder / value))
    return values


def _without_column(key: Key, value: str) -> str:
    """The file that a value names; seed texts may be a column of it."""
    return split_column(value)[0] if key.name == _TEXTS else value
