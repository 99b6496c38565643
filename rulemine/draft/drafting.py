"""Drafts a recipe from a graph: of three settings of mining and removal the one that suits it.

The settings go from many rules to few sure ones. The first whose work the effort allows is tried. Where it
leaves `ENOUGH` questions, better proofs are worth more than more questions: then the surest setting is taken
whose rules prove as much of them as is enough. What limits questions is chosen for those that the setting
gives; floors never move.

Work is counted in joins, not in seconds, so that the same graph gets the same recipe on every machine. A
million joins take a little less than a second of one processor (measured on WN18RR, CoDEx-M, FB15k-237, UMLS
and the family graph, within a factor of two).

Where little can be inferred in a graph, a draft says in words what is in the way and what would help.

A draft is written as files for people to read and edit, with a comment for every choice: `draft_recipe` and
``rulemine build --until draft`` write the same bytes.

Guarantees: the choices depend on the graph, the settings of the user and the effort alone, not on time or
machine; a setting of the user wins over a choice; every stage that a draft runs is one of the build, which
finds those of what is kept done.
"""

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.builder.pipeline import Build, BuildContext
from rulemine.codec import dump_line
from rulemine.config import lookup
from rulemine.errors import ConfigError, NoInferenceError, TooManyRulesError, counted
from rulemine.files import read_text, write_text
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.books import known_tables
from rulemine.phrasing.derive import says_no_end
from rulemine.phrasing.template_file import found_lines
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import is_untouched, load_recipe, recipe_file, sealed
from rulemine.recipe.recipe import Recipe, keys_with
from rulemine.recipe.relation_filter import found_filter, standard_lines
from rulemine.release.outputs import check_place
from rulemine.rules.rule import Rule

__all__ = [
    "ENOUGH", "FLOORS", "LIMITS", "SETTINGS", "Chosen", "Drafting", "Thresholds",
    "draft_recipe", "explain_no_inference", "mining_work", "proving_work", "write_draft",
]  # fmt: skip


class Chosen(NamedTuple):
    """A value of a recipe, and why it has it.

    Attributes:
        key: The key, e.g. ``mining.max_atoms``.
        value: Its value.
        reason: Why, in a line.
    """

    key: str
    value: Any
    reason: str


class Thresholds(NamedTuple):
    """Thresholds of mining and removal, as the keys of a recipe are called."""

    max_atoms: int
    min_head_coverage: float
    min_std_confidence: float
    per_rule: int

    def choices(self, kg: KnowledgeGraph) -> tuple[Chosen, ...]:
        """The setting as choices.

        Args:
            kg: The graph. Where its relations are small, a head coverage that asks for less than
                `LEAST_SUPPORT` triples would let chance through.
        """
        typical = typical_size(kg)
        coverage = max(self.min_head_coverage, min(1.0, round(LEAST_SUPPORT / max(1, typical), 4)))
        explains = (
            f"of a relation of {typical:,} triples, which is usual here, a rule explains "
            f"{round(coverage * typical):,}"
        )
        confidence, known = self.min_std_confidence, "of what a rule predicts, so much is known"
        return (
            Chosen(
                "mining.max_atoms", self.max_atoms, "rules of at most so many atoms, the head too"
            ),
            Chosen("mining.min_head_coverage", coverage, explains),
            Chosen("mining.min_std_confidence", confidence, known),
            Chosen("mining.min_pca_confidence", confidence, "never below the one above"),
            Chosen("selection.per_rule", self.per_rule, "triples that one rule removes at most"),
        )


LEAST_SUPPORT = 10
"""How many triples of a relation of typical size a rule must explain at least."""

SETTINGS = (
    Thresholds(4, 0.001, 0.2, 200),
    Thresholds(3, 0.001, 0.2, 100),
    Thresholds(3, 0.01, 0.5, 50),
)
"""From many rules to few sure ones, and from much work to little."""

ENOUGH = 3000
"""With this many questions (of kinds that sample their questions: removed triples), a draft prefers surer
rules to more questions."""

NEAR = 0.9
"""A draft counts the number of questions that the user wants as reached at this fraction of it."""

EFFORT = 150
"""What a draft may spend unless the user says otherwise, in millions of joins: about two minutes."""

FLOORS = (
    Chosen(
        "mining.min_initial_support",
        30,
        "relations with fewer triples say too little of their rules",
    ),
    Chosen(
        "selection.min_rare_confidence",
        0.1,
        "where an answer cannot be guessed, a rule is right so often",
    ),
    Chosen("selection.max_prior", 0.07, "no answer that more than 7 % of a relation's topics have"),
    Chosen("questions.max_questions", 10_000, "more say no more about a system"),
    Chosen(
        "questions.filter",
        "found",
        "ids, dates, addresses, images and the like are not asked about",
    ),
    Chosen("questions.max_answers", 50, "nobody names more"),
)
"""The choices that every draft makes."""

LIMITS = ((0.01, 0.1), (0.01, 0.2), (0.01, 0.5), (0.01, 1.0), (0.02, 1.0), (0.05, 1.0))
"""Largest fractions of the questions with one hard answer, and about one relation. A draft has the first two
that keep half of the core that the last two keep: some graphs have few answers, or one large relation."""

FEW = 50
"""With fewer questions than this, scores say little about any system."""

FEW_BETWEEN = 0.05
"""If a smaller fraction of the entities is both a subject and an object, triples rarely form paths."""

FEW_ENTITIES = 50
"""With fewer entities than this, most answers are frequent ones."""

FEW_TRIPLES = 300
"""Relations with fewer triples than this show too little of what occurs together."""

JOINS_A_RULE = 1000
"""Joins that examining one rule costs, before any match of its body."""

JOINS_A_MATCH = 8
"""Joins that one match of the body of a rule costs, for its confidence and for what it proves."""

FILES = ("recipe.toml", "templates.toml", "filter.toml")
"""The files that a draft writes."""

_TEXTS = (
    "statement", "ask_subject", "ask_object", "ask_subjects", "ask_objects", "describe_subject",
    "describe_object",
)  # fmt: skip
"""Keys of a template file; plural forms are left out where they are as the singular."""

_SOURCES = {"book": "by a phrase book", "derived": "from its name", "written": "by hand"}


class Drafting:
    """The drafting of one recipe.

    Args:
        recipe_with: Makes the recipe with choices, over which the settings of the user win.
        build_of: Makes a build of a recipe; always in the same folder.
        given: The keys that the user gave; nothing is chosen for them.
        effort: Work that may be spent, in millions of joins.

    Attributes:
        given: As given.
        choices: What was chosen, in order.
        build: The build of the recipe with these choices; its finished stages are done.
    """

    def __init__(
        self,
        recipe_with: Callable[[Sequence[Chosen]], Recipe],
        build_of: Callable[[Recipe], Build],
        given: Collection[str] = (),
        effort: int | None = None,
    ) -> None:
        self._recipe_with, self._build_of, self.effort = recipe_with, build_of, effort or EFFORT
        self.build = build_of(recipe_with([]))
        self.given, self.choices = {*given}, tuple[Chosen, ...]()
        kind, wanted = self.build.kind.Options, self.build.recipe.questions.max_questions
        self._enough = min(ENOUGH, math.ceil(NEAR * wanted)) if wanted else ENOUGH
        self._limited = kind.has("questions.max_questions")
        self._settled = self.given.union(*kind.lacks)
        self._kg = self.build.inputs.kg

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Says why nothing can be inferred, for people who do not know what a rule is."""
        try:
            yield
        except NoInferenceError as problem:
            raise NoInferenceError(explain_no_inference(self._kg, str(problem))) from None

    def run(self) -> Build:
        """Chooses, and returns the build, whose stages are run as far as choosing needs them.

        Raises:
            RulemineError: As `Build.run`.
        """
        with self.explaining():
            first = next(setting for setting in SETTINGS if self._is_affordable(setting))
            left, surer = self._left(), SETTINGS[: SETTINGS.index(first) : -1]
            if best := next((one for one in surer if self._proved_by(one) >= self._enough), None):
                self._take(best)
                left = self._left()
        if self._limited and left < FEW:
            few = f"{counted(left, 'question')} after the most generous thresholds."
            self.build.context.on_warning(explain_no_inference(self._kg, few))
        return self.build

    def _take(self, setting: Thresholds) -> None:
        own = (Chosen(*one) for one in self.build.kind.Options.drafted)
        self._choose((*setting.choices(self._kg), *FLOORS, *own))

    def _choose(self, choices: Sequence[Chosen]) -> Recipe:
        """The recipe with choices, and its build, which reads no graph again."""
        self.choices = tuple(choice for choice in choices if choice.key not in self._settled)
        recipe, read = self._recipe_with(self.choices), self.build.inputs
        self.build = self._build_of(recipe)
        self.build.inputs.put(kg=self._kg, inverses=read.inverses)
        return recipe

    def _is_affordable(self, setting: Thresholds) -> bool:
        """Chooses a setting, and returns whether mining and grounding its rules stay within the effort."""
        self._take(setting)
        recipe = self.build.recipe
        work = mining_work(self._kg, recipe.mining.max_atoms)
        if setting is SETTINGS[-1] or work > self.effort:
            return setting is SETTINGS[-1]
        # In dense graphs millions of rules reach the thresholds.
        most = self.effort * 1_000_000 // JOINS_A_RULE
        self.build.context = replace(self.build.context, most_rules=most)
        try:
            self.build.run("mine")
        except TooManyRulesError:
            return False
        work += proving_work(self.build.mined_rules, recipe.selection.groundings_per_rule)
        return work <= self.effort

    def _left(self) -> int:
        """Chooses the limits of the questions, and returns how many questions they keep.

        Of kinds without such limits, returns the number of removed triples.
        """
        self.build.run("ask" if self._limited else "select")
        self._removal = self.build.selection
        if not self._limited:
            return len(self._removal.removed)
        self._asked, taken, kept = self.build.asked, self.choices, self.build.kind.limits.kept
        why, cores, left = "as strict as keeps half of the core", list[int](), 0
        for answers, share in (LIMITS[-1], *LIMITS):
            limits = (
                Chosen("questions.max_answer_share", answers, f"those with one hard answer; {why}"),
                Chosen("questions.max_relation_share", share, f"those about one relation; {why}"),
            )
            questions = kept(self._choose((*taken, *limits)), self._asked).questions
            cores.append(sum(question.core for question in questions))
            left = len(questions)
            if len(cores) > 1 and 2 * cores[-1] >= cores[0]:
                break
        return left

    def _proved_by(self, setting: Thresholds) -> int:
        """What `_left` would return if only the rules that a setting allows were there."""
        fits = {
            rule.id
            for rule in self._removal.rules
            if len(rule.body) < setting.max_atoms
            and rule.known.std_confidence >= setting.min_std_confidence
        }
        if not self._limited:
            return sum(self._removal.rules[rule].id in fits for rule in self._removal.rule.tolist())
        some = tuple(q for q in self._asked.questions if fits.issuperset(q.rules))
        asked = replace(self._asked, questions=some)
        return len(self.build.kind.limits.kept(self.build.recipe, asked).questions)

    def describe(self) -> str:
        """What was chosen, in a sentence."""
        mining, selection = self.build.recipe.mining, self.build.recipe.selection
        return (
            f"Thresholds were chosen for this graph: rules of {mining.max_atoms} atoms with a head coverage "
            f"of {mining.min_head_coverage:g} and a confidence of {mining.min_std_confidence:g}, "
            f"{selection.per_rule} triples a rule; all are in manifest.json (config)."
        )


def typical_size(kg: KnowledgeGraph) -> int:
    """The size of relation, in triples, such that half of the triples are of a relation no larger."""
    sizes = np.sort(kg.relation_sizes())
    return int(sizes[np.searchsorted(np.cumsum(sizes), len(kg) / 2)]) if len(sizes) else 0


def mining_work(kg: KnowledgeGraph, max_atoms: int) -> float:
    """The work of mining, in millions of joins.

    The miner joins relations, whatever their sizes: for each triple, the ends of relations at its subject
    with those at its object, for rules of four atoms; and at each entity the ends with one another for rules
    of three.

    Args:
        kg: The graph.
        max_atoms: The largest number of atoms of a rule, the head included.

    Returns:
        The estimate; higher for more atoms.
    """
    subject, relation, obj = kg.triples.T.astype(np.int64)
    codes = 2 * len(kg.relations)
    ends = np.concatenate([subject * codes + 2 * relation, obj * codes + 2 * relation + 1])
    at = np.bincount(distinct(ends) // max(1, codes), minlength=len(kg.entities)).astype(np.float64)
    joins = float(len(kg)) if max_atoms < 3 else float((at * at).sum())
    if max_atoms > 3:
        joins += float((at[subject] * at[obj]).sum()) * float(at.mean()) ** (max_atoms - 4)
    return joins / 1e6


def proving_work(rules: Iterable[Rule], sample: int) -> float:
    """The work of grounding rules, in millions of joins.

    Args:
        rules: The rules, with measures.
        sample: Matches of a rule that are looked at at most; 0: all.
    """
    most = sample or 2**62
    joins = sum(JOINS_A_RULE + JOINS_A_MATCH * min(rule.known.body_size, most) for rule in rules)
    return joins / 1e6


def explain_no_inference(kg: KnowledgeGraph, problem: str) -> str:
    """Why no benchmark, or a small one, can be made of a graph, for people who do not know what a rule is.

    Args:
        kg: The graph.
        problem: What a stage of the build found.
    """
    return (
        "hardly anything in this graph can be inferred. A benchmark asks for triples that were removed and "
        "that the others still imply, as where people work often implies where they live. "
        f"{_shape(kg)} Or give rules that you know to hold (--rules FILE), or ask about the graph as it is: "
        f"--kind structures --set selection.share=0. In detail: {problem}"
    )


def _shape(kg: KnowledgeGraph) -> str:
    """What is in the way, and what would help."""
    subjects, objects = (distinct(kg.triples[:, column]) for column in (0, 2))
    between, alone = np.intersect1d(subjects, objects), np.setdiff1d(objects, subjects)
    one, other = ("".join(kg.entities[i] for i in some[:1]) for some in (subjects, alone))
    most = int(kg.relation_sizes().max(initial=0))
    shapes = (
        (len(kg.relations) == 1, "It has one relation. Add others between the same entities."),
        (
            len(between) < FEW_BETWEEN * len(kg.entities),
            f"Its triples lead from {counted(len(subjects), 'entity', 'entities')} (such as “{one}”) to "
            f"{len(objects):,} others (such as “{other}”), about which nothing more is stated. Add triples "
            "about these, or between entities of one sort: who is married to whom, what is part of what.",
        ),
        (
            len(kg.entities) < FEW_ENTITIES,
            f"It has {counted(len(kg.entities), 'entity', 'entities')}, so most answers can be guessed. Add "
            "entities, some hundreds.",
        ),
        (
            most < FEW_TRIPLES,
            f"It is small: its largest relation has {counted(most, 'triple')}. Add triples, some hundreds of "
            "each relation.",
        ),
        (
            True,
            "Its relations say little about one another. Add relations between entities that it has already, "
            "or take more of the graph that it is from.",
        ),
    )
    return next(text for holds, text in shapes if holds)


def write_draft(drafting: Drafting, folder: Path) -> Iterator[str]:
    """Drafts, and writes the files of the draft; none that anybody has edited.

    Args:
        drafting: The drafting, not run.
        folder: Where to; made if it is missing.

    Yields:
        What was done, in lines; before a file is replaced, or kept, how the new one differs.
    """
    drafting.run()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _files(drafting, folder).items():
        path = folder / name
        before = read_text(path) if path.exists() else ""
        if before == text:
            continue
        if before:
            lines = before.splitlines(), text.splitlines()
            yield from unified_diff(*lines, str(path), "drafted now", lineterm="", n=1)
        if before and not is_untouched(path):
            yield f"{path}: kept, because it may have been edited"
        else:
            write_text(path, text)
            yield f"{path}: written"


def _files(drafting: Drafting, folder: Path) -> dict[str, str]:
    """File → its text; paths in it are relative to the folder.

    Kinds that read a graph in their own way have the recipe alone.
    """
    inputs, name, files = drafting.build.inputs, Path(drafting.build.recipe.kg).name, {}
    chosen = {choice.key: choice for choice in drafting.choices}
    parts = {
        "templates": ("How its relations are put into words", _templates),
        "filter": ("Which relations are not asked about", _filter),
    }
    for stem, (about, lines) in parts.items():
        key, file = f"questions.{stem}", f"{stem}.toml"
        if key not in drafting.given and inputs.own.keys().isdisjoint(
            ("kg", "stated", "relations")
        ):
            files[file] = sealed("\n".join([*lines(inputs), ""]), f"{about}, drafted from {name}")
            chosen[key] = Chosen(key, file, about.lower())
    head = [f"# How to build a benchmark from {name}. Every key: rulemine build --keys"]
    if inputs.inverses:
        named = ", ".join(f"{one} (of {other})" for one, other in inputs.inverses.items())
        head.append(f"# Left out, as each says what another one says, backwards: {named}.")
    return {FILES[0]: "\n".join([*head, *_recipe(drafting, chosen, folder), ""]), **files}


def _recipe(drafting: Drafting, chosen: Mapping[str, Chosen], folder: Path) -> Iterator[str]:
    """Yields the lines of the recipe."""
    recipe, section, stated = drafting.build.recipe, "", {*chosen, *drafting.given, "name", "kg"}
    for key in (key for key in keys_with(recipe.kind) if key.name in stated):
        value, why = lookup(recipe.plain(), key.path), "as given" * (key.name in drafting.given)
        if key.name in chosen:
            _, value, why = chosen[key.name]
        elif key.option.file and value and Path(value).exists():
            value = os.path.relpath(value, folder)
        if (above := key.name.rpartition(".")[0]) != section:
            section = above
            yield f"\n[{section}]"
        yield f"{key.path[-1]} = {dump_line(value)}" + f"  # {why}" * bool(why)


def _templates(inputs: Inputs) -> Iterator[str]:
    """Yields the lines of the templates, each relation with an example."""
    kg, labels, names = inputs.stated, inputs.labels, inputs.named.relations
    sizes = dict(zip(kg.relations, kg.relation_sizes().tolist(), strict=True))
    books = known_tables(kg.relations, {**names, **kg.relation_iris}, sizes)
    rows = np.unique(kg.triples[:, 1], return_index=True)[1]
    first = {relation: (s, o) for s, relation, o in kg.labeled(rows)}
    for row in inputs.templates.to_plain():
        relation = row["relation"]
        s, o = (labels.get(entity, entity) for entity in first[relation])
        example = [s, names.get(relation, relation), o]
        yield f"\n# {counted(sizes[relation], 'triple')}, as {dump_line(example)}"
        yield f"# worded {_SOURCES[row['source']]}"
        if row["source"] == "derived" and says_no_end(row["statement"]):
            yield "# The name does not say which end is what: put it into words of your own."
        yield f"[{dump_line(relation)}]"
        texts = (k for k in _TEXTS if k[-1] != "s" or row[k] != row[k[:-1]])
        keys: dict[str, Any] = {key: row[key] for key in texts}
        if row["ask"] != "both":
            told = books[relation].ask_reason if relation in books else ""
            keys |= {"ask": row["ask"], "ask_reason": told or "as what states the same"}
        keys |= {"place": True} if row["place"] else {}
        yield from (f"{key} = {dump_line(value)}" for key, value in keys.items())
        own = [found for found in inputs.found if found.relation == relation]
        yield from (line for line in found_lines(own) if not line.startswith("["))


def _filter(inputs: Inputs) -> Iterator[str]:
    """Yields the lines of the filter; what the triples say of a relation is a comment."""
    found = found_filter(inputs.kg, inputs.named.relations)
    yield "[drop]"
    yield from (f"{dump_line(relation)} = {dump_line(why)}" for relation, why in found.drop.items())
    for relation, why in inputs.excluded.items():
        if relation not in found.drop:
            yield f"# by the triples: {dump_line(relation)}, {why}"
    yield from standard_lines(found.standards)


def draft_recipe(
    graph: str | Path,
    folder: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    effort: int | None = None,
    context: BuildContext | None = None,
) -> list[str]:
    """Writes the recipe that a graph is built with by itself, with a comment for every choice.

    Args:
        graph: A graph or the name of a data set.
        folder: Where the recipe, templates, declarations and filter go; of an earlier draft, files that
            nobody has edited are replaced.
        settings: Key of a recipe → value, such as ``{"kind": "structures"}``; they win over what is chosen.
        effort: Work that may be spent, in millions of joins; None: as the command.
        context: Resources and callbacks. Stages are kept in ``out/NAME.stages`` of the current folder.

    Returns:
        What was written or kept, in lines.

    Raises:
        ConfigError: It is a recipe, or rules are given: nothing is left to choose.
        OutputError: Nothing can be written there.
        RulemineError: As of a build.
    """
    given = {tuple(key.split(".")): value for key, value in (settings or {}).items()}

    def recipe_with(choices: Sequence[Chosen]) -> Recipe:
        chosen = [(tuple(choice.key.split(".")), choice.value) for choice in choices]
        return load_recipe(str(graph), [*chosen, *given.items()])

    recipe, folder = recipe_with(()), Path(folder)
    if recipe_file(str(graph)) or recipe.rules or recipe.selection.mode != "maximal":
        raise ConfigError(
            f"{graph}: is a recipe, or has rules: nothing is left to choose. Give a graph."
        )
    check_place(folder)
    target = Path("out") / recipe.name
    drafting = Drafting(
        recipe_with, lambda drafted: Build(drafted, target, context), settings or (), effort
    )
    return list(write_draft(drafting, folder))
