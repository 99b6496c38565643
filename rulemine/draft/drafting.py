"""Drafts a recipe from a graph: of three settings of mining and removal the one that suits it.

The settings go from many rules to few sure ones. The first whose work the effort allows is tried. Where it
leaves `ENOUGH` questions, better proofs are worth more than more questions: then the surest setting is taken
whose rules prove as much of them as is enough. What limits questions is chosen for those that the setting
gives; floors never move.

Work is counted in joins, not in seconds, so that the same graph gets the same recipe on every machine. A
million joins take a little less than a second of one processor (measured on WN18RR, CoDEx-M, FB15k-237, UMLS
and the family graph, within a factor of two).

Where little can be inferred in a graph, a draft says in words what is in the way and what would help.

Guarantees: the choices depend on the graph, the settings of the user and the effort alone, not on time or
machine; a setting of the user wins over a choice; every stage that a draft runs is one of the build, which
finds those of what is kept done.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.builder.pipeline import Build
from rulemine.errors import NoInferenceError, TooManyRulesError, counted
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.recipe.recipe import Recipe
from rulemine.rules.rule import Rule

__all__ = [
    "ENOUGH", "FLOORS", "LIMITS", "SETTINGS", "Chosen", "Drafting", "Thresholds",
    "explain_no_inference", "mining_work", "proving_work",
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
        confidence, typical = self.min_std_confidence, typical_size(kg)
        coverage = max(self.min_head_coverage, min(1.0, round(LEAST_SUPPORT / max(1, typical), 4)))
        explains = (
            f"of a relation of {typical:,} triples, which is usual here, a rule explains "
            f"{round(coverage * typical):,}"
        )
        long = "rules of at most so many atoms, the head too"
        right, never = "of what a rule predicts, so much is known", "never below the one above"
        return (
            Chosen("mining.max_atoms", self.max_atoms, long),
            Chosen("mining.min_head_coverage", coverage, explains),
            Chosen("mining.min_std_confidence", confidence, right),
            Chosen("mining.min_pca_confidence", confidence, never),
            Chosen("selection.per_rule", self.per_rule, "triples that one rule removes at most"),
        )


LEAST_SUPPORT = 10
"""Triples of a relation of the usual size that a rule has to explain."""

SETTINGS = (
    Thresholds(4, 0.001, 0.2, 200),
    Thresholds(3, 0.001, 0.2, 100),
    Thresholds(3, 0.01, 0.5, 50),
)
"""From many rules to few sure ones, and from much work to little."""

ENOUGH = 3000
"""From so many questions on (of kinds that draw theirs: removed triples), better proofs are worth more."""

NEAR = 0.9
"""A number of questions that the user wants is reached by this fraction of it."""

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
"""What every draft has."""

LIMITS = ((0.01, 0.1), (0.01, 0.2), (0.01, 0.5), (0.01, 1.0), (0.02, 1.0), (0.05, 1.0))
"""Largest fractions of the questions with one hard answer, and about one relation. A draft has the first two
that keep half of the core that the last two keep: some graphs have few answers, or one large relation."""

FEW = 50
"""Fewer questions say little of any system."""

FEW_BETWEEN = 0.05
"""Where fewer entities are both a subject and an object, triples hardly ever follow one another."""

FEW_ENTITIES = 50
"""Among fewer, most answers are common ones."""

FEW_TRIPLES = 300
"""Relations with fewer triples say too little of what goes together."""

JOINS_A_RULE = 1000
"""To look at a rule at all."""

JOINS_A_MATCH = 8
"""To look at one match of the body of a rule: whether it is right beyond guessing, and what it proves."""


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
        plain = recipe_with([])
        kind, wanted = KINDS[plain.kind].Options, plain.questions.max_questions
        self._enough = min(ENOUGH, math.ceil(NEAR * wanted)) if wanted else ENOUGH
        self._limited = not any("questions.max_questions" in keys for keys in kind.lacks)
        self.given = {*given}
        self._settled = self.given.union(*kind.lacks)
        self._own = [Chosen(*one) for one in kind.drafted]
        self.choices: tuple[Chosen, ...] = ()
        self.build = build_of(plain)
        self._kg = self.build.inputs.kg

    def run(self) -> Build:
        """Chooses, and returns the build, whose stages are run as far as choosing needs them.

        Raises:
            RulemineError: As `Build.run`.
        """
        with self.explaining():
            return self._run()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Says why nothing can be inferred, for people who do not know what a rule is."""
        try:
            yield
        except NoInferenceError as problem:
            raise NoInferenceError(explain_no_inference(self._kg, str(problem))) from None

    def _run(self) -> Build:
        first = next(setting for setting in SETTINGS if self._is_affordable(setting))
        left = self._left()
        for setting in SETTINGS[: SETTINGS.index(first) : -1]:
            if self._proved_by(setting) >= self._enough:
                self._take(setting)
                left = self._left()
                break
        if self._limited and left < FEW:
            problem = f"{counted(left, 'question')} after the most generous thresholds."
            self.build.context.on_warning(explain_no_inference(self._kg, problem))
        return self.build

    def _take(self, setting: Thresholds) -> None:
        self._choose((*setting.choices(self._kg), *FLOORS, *self._own))

    def _proved_by(self, setting: Thresholds) -> int:
        """How much of what is left, see `_left`, would be so with the rules of a setting alone."""
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

    def _is_affordable(self, setting: Thresholds) -> bool:
        """Takes a setting and mines; whether the effort is enough for that and for what the rules prove."""
        self._take(setting)
        recipe, last = self.build.recipe, setting is SETTINGS[-1]
        work = mining_work(self._kg, recipe.mining.max_atoms)
        if not last:
            if work > self.effort:
                return False
            # In dense graphs millions of rules reach the thresholds.
            context, most = self.build.context, self.effort * 1_000_000 // JOINS_A_RULE
            self.build.context = replace(context, most_rules=most)
        try:
            self.build.run("mine")
        except TooManyRulesError:
            return False
        work += proving_work(self.build.mined_rules, recipe.selection.groundings_per_rule)
        if work > self.effort and last:
            self.build.context.on_warning(
                f"even the strictest thresholds take about {work:,.0f} million joins, above the "
                f"{self.effort:,} that may be spent (--effort): this takes long."
            )
        return last or work <= self.effort

    def _left(self) -> int:
        """Chooses the limits of the questions, and returns how many are left; or how much is removed."""
        self.build.run("ask" if self._limited else "select")
        self._removal = self.build.selection
        if not self._limited:
            return len(self._removal.removed)
        self._asked = asked = self.build.asked
        taken, kept = self.choices, self.build.kind.limits.kept
        why, cores, left = "as strict as keeps half of the core", list[int](), 0
        for answers, share in (LIMITS[-1], *LIMITS):
            limits = (
                Chosen("questions.max_answer_share", answers, f"those with one hard answer; {why}"),
                Chosen("questions.max_relation_share", share, f"those about one relation; {why}"),
            )
            questions = kept(self._choose((*taken, *limits)), asked).questions
            cores.append(sum(question.core for question in questions))
            left = len(questions)
            if len(cores) > 1 and 2 * cores[-1] >= cores[0]:
                break
        return left

    def _choose(self, choices: Sequence[Chosen]) -> Recipe:
        """The recipe with choices, and its build, which reads no graph again."""
        self.choices = tuple(choice for choice in choices if choice.key not in self._settled)
        recipe, read = self._recipe_with(self.choices), self.build.inputs
        self.build = self._build_of(recipe)
        self.build.inputs.put(kg=self._kg, inverses=read.inverses)
        return recipe

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
        f"--kind structures --share 0. In detail: {problem}"
    )


def _shape(kg: KnowledgeGraph) -> str:
    """What is in the way, and what would help."""
    subject, obj = (
        np.bincount(kg.triples[:, column], minlength=len(kg.entities)) > 0 for column in (0, 2)
    )
    if len(kg.relations) == 1:
        return "It has one relation. Add others between the same entities."
    if int((subject & obj).sum()) < FEW_BETWEEN * len(kg.entities):
        one, other = (
            kg.entities[int(np.flatnonzero(side)[0])] for side in (subject, obj & ~subject)
        )
        return (
            f"Its triples lead from {counted(int(subject.sum()), 'entity', 'entities')} (such as “{one}”) to "
            f"{int(obj.sum()):,} others (such as “{other}”), about which nothing more is stated. Add triples "
            "about these, or between entities of one sort: who is married to whom, what is part of what."
        )
    if len(kg.entities) < FEW_ENTITIES:
        return (
            f"It has {counted(len(kg.entities), 'entity', 'entities')}, so most answers can be guessed. "
            "Add entities, some hundreds."
        )
    most = int(kg.relation_sizes().max(initial=0))
    if most < FEW_TRIPLES:
        return (
            f"It is small: its largest relation has {counted(most, 'triple')}. Add triples, some hundreds "
            "of each relation."
        )
    return (
        "Its relations say little about one another. Add relations between entities that it has already, "
        "or take more of the graph that it is from."
    )
