"""The inputs named by a recipe: graphs, labels, templates, rules, prompts, relation descriptions.

Guarantee: each input is read once, when it is first needed, and never changed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, wraps
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rulemine.codec import to_json
from rulemine.config import lookup
from rulemine.datasets.labels import Labels, aliases_beside, labels_of, looks_beside
from rulemine.datasets.registry import data_sets, files_of, load_kg
from rulemine.errors import ConfigError, InputError, UserError, counted
from rulemine.files import digest_of
from rulemine.kg.entity_types import EntityTypes, states_type, types_of
from rulemine.kg.facts import (
    Declarations,
    FoundDeclaration,
    declared_by,
    found_declarations,
    overlapping_relations,
)
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.mining.amie_jar import AmieJar
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.templates import Templates, load_templates
from rulemine.query.answers import single_ends, stale_in
from rulemine.recipe.earlier import Earlier, read_earlier
from rulemine.recipe.missing import MissingTriples
from rulemine.recipe.recipe import Recipe, file_keys
from rulemine.recipe.relation_filter import (
    RelationFilter,
    excluded_relations,
    found_filter,
    inverses_in,
    load_filter,
    without_inverses,
)
from rulemine.rules.confidence import Standard, measured
from rulemine.rules.formats import read_rules
from rulemine.rules.implied import load_implied, with_implied
from rulemine.rules.rule import Rule

if TYPE_CHECKING:  # builds without a model load nothing of this
    from rulemine.phrasing.glosses import Glosses
    from rulemine.verbalizer.prompts import Prompts

__all__ = ["Inputs", "nouns_of", "of_key", "tell_apart"]

T = TypeVar("T")

_MOST_SHOWN = 5
"""How many of the names that the graph lacks are spelled out."""

_COMMON = 0.5
"""A neighbor in more than this fraction of a relation's triples (a gender) tells no homonyms apart."""

_VAGUE = ("something", "someone", "thing", "place")
"""Nouns too general to tell homonyms apart."""

_LONGEST = 40
"""Longest word, in characters, that is put beside a homonym."""


@contextmanager
def of_key(key: str) -> Iterator[None]:
    """Prefixes errors about a file with the key of the recipe that names it."""
    try:
        yield
    except UserError as problem:
        raise type(problem)(f"{key}: {problem}") from None


def _shown(names: Sequence[str]) -> str:
    """The first `_MOST_SHOWN` names, for a message."""
    return ", ".join(names[:_MOST_SHOWN]) + ", …" * (len(names) > _MOST_SHOWN)


def _as_the_kind_reads(read: Callable[["Inputs"], T]) -> cached_property[T]:
    """An input, read once; by the kind, if that has a `rulemine.kinds.kind.Input` of this name."""

    @wraps(read)
    def reads(inputs: "Inputs") -> T:
        own = inputs.own.get(read.__name__)
        return read(inputs) if own is None else cast(T, own.read(inputs))

    return cached_property(reads)


class Inputs:
    """The inputs of a build.

    Args:
        recipe: The recipe.
        on_warning: Called with sentences about inputs that are suspicious but not errors; kept as `warn`.
        earlier: The releases that `Recipe.not_in` names.
        removed: The file or data set that names the missing triples, for the selection ``given``.

    Raises:
        UserError: From each property, if its file is missing or malformed.
    """

    def __init__(
        self,
        recipe: Recipe,
        on_warning: Callable[[str], None] = lambda _text: None,
        earlier: Sequence[Path] = (),
        removed: Path | None = None,
    ) -> None:
        self.recipe = recipe
        self.warn = on_warning
        self._earlier, self._removed = earlier, removed
        self.own = {one.name: one for one in KINDS.find(recipe.kind).inputs}

    def __getitem__(self, name: str) -> Any:
        """An input that only the kind reads."""
        if name not in self.__dict__:
            self.put(**{name: self.own[name].read(self)})
        return self.__dict__[name]

    def put(self, **values: Any) -> None:
        """Sets inputs by name, so that they are not read."""
        self.__dict__.update(values)

    def digests(self) -> dict[str, Any]:
        """The digests of the inputs that only the kind reads and questions depend on; reads them."""
        return {name: one.digest(self[name]) for name, one in self.own.items() if one.digest}

    def files(self) -> list[Path]:
        """The files named by the recipe that exist."""
        plain, keys = self.recipe.plain(), file_keys(self.recipe.kind)
        names = [key.option.path_of(lookup(plain, key.path)) for key in keys]
        return [path for name in names if name for path in files_of(name)]

    @cached_property
    def _given(self) -> KnowledgeGraph:
        """The graph that the recipe names."""
        recipe = self.recipe
        return load_kg(recipe.kg, None, self.warn, recipe.columns, recipe.strict)

    @cached_property
    def inverses(self) -> dict[str, str]:
        """The relations that are left out of the graph, see `inverses_in`."""
        if "kg" in self.own or self.recipe.selection.mode == "brink":
            return {}
        if found := inverses_in(self._given):
            sizes = dict(zip(self._given.relations, self._given.relation_sizes(), strict=True))
            named = [f"{one} (of {other})" for one, other in found.items()]
            gone = counted(int(sum(sizes[one] for one in found)), "triple")
            self.warn(
                f"{self.recipe.kg}: {counted(len(named), 'relation')} with {gone} left out, because each "
                f"says what another one says, from object to subject: {_shown(named)}."
            )
        return found

    @_as_the_kind_reads
    def kg(self) -> KnowledgeGraph:
        """The complete KG: all that is given, but for relations that say only what another one says."""
        return without_inverses(self._given, self.inverses)

    @cached_property
    def missing(self) -> MissingTriples | None:
        """The triples that the user names as missing; None: the selection is not ``given``."""
        if (self.recipe.selection.mode == "given") != (self._removed is not None):
            raise ConfigError(
                "selection.mode: is given if, and only if, a file names the missing triples: --removed FILE "
                "(verify --rebuild: --set removed=FILE)."
            )
        if self._removed is None:
            return None
        with of_key("--removed"):
            named = without_inverses(load_kg(str(self._removed), note=self.warn), self.inverses)
        found = MissingTriples.of(self.kg, named, self.templates.declarations)
        self.warn(f"{self._removed}: {found.summary}")
        if not 0 < len(found.rows) < len(found.kg):
            raise InputError(
                f"--removed {self._removed}: leaves nothing to prove in {self.recipe.kg}, or nothing to "
                "prove it from. Name triples whose entities and relations the graph has, and not all of them."
            )
        return found

    @property
    def left(self) -> KnowledgeGraph:
        """What is mined: the complete KG, or what the user does not name as missing."""
        return self.kg if self.missing is None else self.missing.left

    def completed(self, proved: npt.NDArray[np.int64]) -> "Inputs":
        """The inputs once it is known what rules prove of the missing triples.

        Args:
            proved: Rows of ``missing.kg``.

        Returns:
            Inputs with what is left and what is proved as the complete KG; all that is missing joins the
            reference. What was found in the graph as given stays found.
        """
        assert self.missing is not None  # noqa: S101  for mypy
        kg, made = self.missing.completed(proved), Inputs(self.recipe, self.warn)
        wider = filter(None, (self.reference, self.missing.named))
        made.put(
            kg=replace(kg, duplicates=self.kg.duplicates, relation_iris=self.kg.relation_iris),
            inverses=self.inverses,
            missing=self.missing,
            found=tuple(r for r in self.found if {r.relation, r.other} <= kg.relation_ids.keys()),
            excluded=self.excluded,
            standards=self.standards,
            _filter=self._filter,
            reference=KnowledgeGraph.from_triples(chain(*(some.labeled() for some in wider))),
            **({} if self.reference else {"stale": None}),
        )
        return made

    @_as_the_kind_reads
    def relations(self) -> Sequence[str]:
        """The relations of the complete KG, as templates know them."""
        return self.kg.relations

    @cached_property
    def reference(self) -> KnowledgeGraph | None:
        """The larger KG that supplies further answers, if any."""
        if not self.recipe.reference:
            return None
        with of_key("reference"):
            return without_inverses(load_kg(self.recipe.reference, note=self.warn), self.inverses)

    @cached_property
    def stale(self) -> npt.NDArray[np.bool_] | None:
        """Which triples no question may use, because the reference lacks what they state; None: none."""
        if self.reference is None:
            return None
        found = stale_in(self.kg, self.reference, self.templates.declarations)
        if found.any():
            self.warn(
                f"{self.recipe.reference} lacks {counted(int(found.sum()), 'triple')} of {self.recipe.kg}, "
                "which no question uses. Does it hold further triples alone? Then add those of the graph to "
                "it."
            )
        return found if found.any() else None

    @cached_property
    def earlier(self) -> Earlier:
        """What earlier releases ask."""
        found = read_earlier(self._earlier, self.recipe.not_in, self.recipe.kind, self.kg)
        if found.identities:
            self.warn(
                f"{counted(len(found.queries), 'question')} of {counted(len(found.identities), 'release')} "
                "not asked again."
            )
        return found

    @cached_property
    def implied(self) -> tuple[Rule, ...]:
        """The rules that are true by definition."""
        graphs = filter(None, (self.stated, self.reference))
        with of_key("implied"):
            return load_implied(self.recipe.implied, {r for kg in graphs for r in kg.relations})

    def further(self, progress: Callable[[int, int], None] | None) -> KnowledgeGraph | None:
        """What supplies further answers: the reference, and what both graphs imply; None: nothing does.

        Args:
            progress: See `rulemine.rules.implied.with_implied`.
        """
        if not self.implied:
            return self.reference
        return with_implied(
            self.stated, self.reference, self.implied, self.templates.declarations, progress
        )

    @cached_property
    def named(self) -> Labels:
        """What entities and relations are called; files beside a packaged recipe's graph play no part."""
        if "labels" in self.own:
            return Labels({}, {})
        beside = looks_beside(self.recipe.kg, self.recipe.questions.templates)
        with of_key("labels"):
            return labels_of(self.recipe.labels, self.recipe.kg, self.kg, self.warn, beside=beside)

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Entity → other texts that stand for it, see `aliases_beside`."""
        return {} if "labels" in self.own else aliases_beside(self.recipe.kg, self.kg)

    @_as_the_kind_reads
    def labels(self) -> dict[str, str]:
        """Entity → text label, for the entities that have one; homonyms made distinct."""
        if not (texts := self.named.entities):
            return {}
        every = (*self.kg.entities, *(self.reference.entities if self.reference else ()))
        nouns = nouns_of(self.kg, texts, self.templates) if self.named.files else {}
        found = self._filter.drop if self.recipe.questions.filter == "found" else ()
        mute = [relation for relation in found if not states_type(relation)]
        return texts | tell_apart(self.kg, texts, every, nouns, mute)

    @cached_property
    def prompt_naming(self) -> str:
        """How a model sees and names entities: as the recipe says; else by labels, where there are any."""
        if self.recipe.verbalizer.naming or self.recipe.verbalizer.name == "template":
            return self.recipe.verbalizer.naming or self.recipe.naming
        return self.recipe.naming if self.labels.keys().isdisjoint(self.kg.entities) else "text"

    @_as_the_kind_reads
    def stated(self) -> KnowledgeGraph:
        """The complete graph as given, without the triples that declared relations add."""
        return self.kg

    @cached_property
    def found(self) -> tuple[FoundDeclaration, ...]:
        """The declarations that the triples support, used where no template file declares any."""
        told = self.recipe.questions.templates or self.recipe.selection.mode == "brink"
        return () if told else found_declarations(self.stated)

    @cached_property
    def templates(self) -> Templates:
        """The relation templates; the published procedure (``brink``) knows no declarations."""
        named, declared = self.recipe.questions.templates, declared_by(self.found)
        with of_key("questions.templates"):
            given = named, self.relations, declared, self.stated, self.named.relations
            templates = load_templates(*given, lambda: self.named.entities)
        if templates.unused and not templates.written:
            self.warn(
                f"questions.templates: {named} has no template for any of "
                f"{counted(len(self.relations), 'relation')} of {self.recipe.kg}."
            )
        brink = self.recipe.selection.mode == "brink"
        made = Declarations() if brink else templates.declarations
        return replace(templates, declarations=made, single=single_ends(self.stated, made))

    @cached_property
    def prompts(self) -> "Prompts":
        """The prompts of the language model."""
        with of_key("verbalizer.prompt"):
            loaded = KINDS[self.recipe.kind].wording.loaded
            return cast("Prompts", loaded(self.recipe.kind, self.recipe.verbalizer.prompt))

    @cached_property
    def glosses(self) -> "Glosses":
        """The relation descriptions for the language model."""
        from rulemine.phrasing.glosses import load_glosses

        readings = self.templates.declarations.readings.items()
        both_ways = {relation for relation, reading in readings if reading.symmetric}
        both_ways |= {one for one, other, *_ in overlapping_relations(self.kg) if one == other}
        with of_key("verbalizer.glosses"):
            return load_glosses(self.recipe.verbalizer.glosses, self.templates, both_ways)

    def model_options(self) -> dict[str, Any]:
        """The model that writes and what its prompts are made of, as plain values; empty if none writes."""
        if self.recipe.verbalizer.name == "template":
            return {}
        return {
            **self.recipe.portable(self.prompt_naming)["verbalizer"],
            "prompt": digest_of(self.prompts.text.encode()),
            "glosses": digest_of(self.glosses.to_toml().encode()),
        }

    @cached_property
    def _filter(self) -> RelationFilter:
        """The filter of the recipe."""
        named = self.recipe.questions.filter
        if named == "found":
            return found_filter(self.kg, self.named.relations)
        with of_key("questions.filter"):
            return load_filter(named, self.kg.relations) if named else RelationFilter()

    @cached_property
    def excluded(self) -> dict[str, str]:
        """The excluded relations, each with the reason."""
        chosen, drop = self.recipe.questions, self._filter.drop
        limits = chosen.max_end_share, chosen.max_median_answers
        return excluded_relations(self.kg, drop, *limits) if chosen.filter else {}

    @cached_property
    def types(self) -> EntityTypes:
        """The types of the entities."""
        return types_of(self.kg)

    @cached_property
    def standards(self) -> tuple[Standard, ...]:
        """What rules of some form have to reach, from the file that says which relations prove nothing."""
        return () if self.recipe.selection.mode == "none" else self._filter.standards

    @cached_property
    def amie(self) -> AmieJar | None:
        """The original AMIE where it mines; None: this package's miner does."""
        with of_key("amie_jar"):
            return AmieJar.open(self.recipe.amie_jar) if self.recipe.amie_jar else None

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the file named by the recipe whose relations the graph has, all with measures.

        Those that come without any are counted on the graph; what never holds there is left out.

        Raises:
            InputError: No rule is left, or a rule names an entity.
        """
        for number, rule in enumerate(self._given_rules, start=1):
            if rule.entities:
                raise InputError(
                    f"{self.recipe.rules}: rule {number}, {rule}, names the entity {min(rule.entities)!r}; "
                    "expected variables alone, since what is said of a single entity proves nothing here. "
                    "Leave out the rules that name one."
                )
        fitting = [rule for rule in self._given_rules if not self.lacking(rule)]
        if found := tuple(measured(self.left, fitting)):
            if rest := len(fitting) - len(found):
                self.warn(
                    f"{self.recipe.rules}: {counted(rest, 'rule')} left out, of which nothing holds in "
                    f"{self.recipe.kg}."
                )
            return found
        names = sorted(frozenset().union(*map(self.lacking, self._given_rules)))
        lacking = (
            f"; they use names that {self.recipe.kg} lacks: {_shown([*map(repr, names)])}"
            if names
            else ""
        )
        raise InputError(
            f"{self.recipe.rules}: none of its rules ever holds in {self.recipe.kg}{lacking}. "
            "Give rules for this graph; names must match exactly."
        )

    @cached_property
    def rules_with_unknown_names(self) -> tuple[Rule, ...]:
        """The rules of that file with unknown relations."""
        return tuple(rule for rule in self._given_rules if self.lacking(rule))

    @cached_property
    def _given_rules(self) -> tuple[Rule, ...]:
        with of_key("rules"):
            return read_rules(Path(self.recipe.rules)) if self.recipe.rules else ()

    def lacking(self, rule: Rule) -> frozenset[str]:
        """The relations of a rule that the graph lacks."""
        return rule.relations - self.kg.relation_ids.keys()

    def about(self, types: str) -> dict[str, Any]:
        """Title, source, license and citation of the graph: from the recipe, else from the data set.

        Args:
            types: Where the types of entities are from; "": the release has none.
        """
        known, unknown = data_sets().get(self.recipe.kg), {"title": Path(self.recipe.kg).name}
        found = {
            key: value or (getattr(known, key) if known else unknown.get(key, "not stated"))
            for key, value in to_json(self.recipe.about).items()
        } | {
            "types": types or None,
            "labels": [row._asdict() for row in self.named.files] or None,
            "inverses": self.inverses or None,
            "found": [row._asdict() for row in self.found] or None,
            "dropped": self.excluded if self.recipe.questions.filter else None,
            "standards": [to_json(one) for one in self.standards] or None,
            "amie_jar": self.amie and self.amie.digest,
        }
        return {key: value for key, value in found.items() if value is not None}


def tell_apart(
    kg: KnowledgeGraph,
    labels: Mapping[str, str],
    entities: Iterable[str],
    types: Mapping[str, str] = MappingProxyType({}),
    mute: Collection[str] = (),
) -> dict[str, str]:
    """Labels for homonyms, each with a word about it: *Mercury (planet)*, *Mercury (god)*.

    The word is the label of a neighbor in the graph that the homonyms lack, the one that most entities share:
    *planet* says more than the name of a crater. The labels depend on the graph and the labels given alone,
    and every new one is unique.

    Args:
        kg: The graph.
        labels: Entity → label; an entity without one is its own label.
        entities: All entities that will have a name: those of the graph, and further ones.
        types: Entity → what it is, in a word, which is better than any neighbor where homonyms differ in it.
        mute: Relations whose neighbors say nothing of a homonym, such as a gender.

    Returns:
        Entity → label, for the homonyms that a neighbor or their type distinguishes; to the label of others
        `rulemine.release.naming.name_entities` adds their ids.
    """
    groups: dict[str, list[str]] = {}
    for entity in sorted(set(entities)):
        groups.setdefault(labels.get(entity, entity), []).append(entity)
    several = {label: group for label, group in groups.items() if len(group) > 1}
    words = _words(kg, labels, {*chain(*several.values())}, mute)
    taken, found = {*groups}, dict[str, str]()
    for label, group in several.items():
        about = [[*filter(None, [types.get(one)]), *words.get(one, ())] for one in group]
        shared = Counter(chain(*map(set, about)))
        for entity, ranked in zip(group, about, strict=True):
            names = [f"{label} ({word})" for word in ranked if shared[word] == 1 and word != label]
            if free := [name for name in names if name not in taken]:
                taken.add(free[0])
                found[entity] = free[0]
    return found


def nouns_of(kg: KnowledgeGraph, labels: Mapping[str, str], templates: Templates) -> dict[str, str]:
    """Homonym → what it is, in a word: the noun that the templates have for most of its triples.

    Args:
        kg: The graph.
        labels: Entity → label.
        templates: The templates of its relations.
    """
    times = Counter(labels.get(entity, entity) for entity in kg.entities)
    wanted = np.array([times[labels.get(entity, entity)] > 1 for entity in kg.entities], bool)
    found: dict[str, Counter[str]] = {}
    for column, direction in zip((0, 2), DIRECTIONS, strict=True):
        for triple in kg.labeled(np.flatnonzero(wanted[kg.triples[:, column]])):
            noun = read_description(templates[triple[1]].description(direction)).noun[0]
            if noun not in _VAGUE:
                found.setdefault(triple[column], Counter())[noun] += 1
    return {entity: min(nouns, key=lambda n: (-nouns[n], n)) for entity, nouns in found.items()}


def _words(
    kg: KnowledgeGraph, labels: Mapping[str, str], entities: Collection[str], mute: Collection[str]
) -> dict[str, list[str]]:
    """The labels of each entity's neighbors, those with most triples first."""
    s, r, o = kg.triples.T.astype(np.int64)
    n, sizes = len(kg.entities), kg.relation_sizes()
    degree = np.bincount(np.append(s, o), minlength=n)
    wanted = np.array([entity in entities for entity in kg.entities], bool)
    speaks = np.array([relation not in mute for relation in kg.relations], bool)
    words: dict[str, dict[str, int]] = {}
    for ends, others in ((s, o), (o, s)):
        _, which, times = np.unique(r * n + others, return_inverse=True, return_counts=True)
        rows = np.flatnonzero(speaks[r] & wanted[ends] & (times[which] <= _COMMON * sizes[r]))
        for end, other in zip(ends[rows].tolist(), others[rows].tolist(), strict=True):
            word = labels.get(kg.entities[other], "" if labels else kg.entities[other])
            if word and len(word) <= _LONGEST and not set(word) & set("()"):
                words.setdefault(kg.entities[end], {})[word] = int(degree[other])
    return {one: sorted(some, key=lambda word: (-some[word], word)) for one, some in words.items()}
