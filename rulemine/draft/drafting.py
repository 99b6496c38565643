"""Drafts a recipe from a graph: the most generous thresholds that the goal needs and the effort allows.

Where little can be inferred in a graph, it says in words what is in the way and what would help.

Guarantees: the choices depend on the graph, the goal and the settings alone, not on time or machine; a
setting wins over a choice; every stage that a draft runs is one of the build, which finds it done.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from rulemine.builder.pipeline import STAGES, Build
from rulemine.draft.goal import (
    ANSWER_SHARES,
    EFFORT,
    ENOUGH,
    FLOORS,
    LADDER,
    SHARES,
    SURE,
    Chosen,
    Rung,
    mining_work,
    proving_work,
    rules_within,
)
from rulemine.errors import NoInferenceError, TooManyRulesError, counted
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS
from rulemine.recipe.options import MiningSection
from rulemine.recipe.recipe import Recipe
from rulemine.rules.rule import Rule

__all__ = ["Drafting"]

SHARE = "questions.max_relation_share"
ANSWERS = "questions.max_answer_share"
MOST = "questions.max_questions"

NEAR = 0.9
"""A number of questions is reached by this fraction of it: limits among few questions leave some out."""

SURELY = "selection.min_sure_confidence"

SURE_REMOVALS = 0.4
"""How confident rules have to be for kinds whose questions are drawn, if enough triples are removed."""

MOST_OF_ONE = 0.15
"""Stricter thresholds are enough only where no relation needs a larger share of the questions."""

SOME = 200
"""Where fewer questions are left, more of them may share their hard answer: small graphs have few answers."""

MANY = 300
"""From so many questions on, none of the limits is loosened."""

FEW = 50
"""Fewer questions say little of any system."""

FEW_BETWEEN = 0.05
"""Where fewer entities are both a subject and an object, triples hardly ever follow one another."""

FEW_ENTITIES = 50
"""Among fewer, most answers are common ones."""

FEW_TRIPLES = 300
"""Relations with fewer triples say too little of what goes together."""


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
        self._goal = plain.questions.max_questions
        lacks = KINDS[plain.kind].Options.lacks
        self._limited = not any(MOST in keys for keys in lacks)
        self.given = {*given}
        self._settled = self.given.union(*lacks)
        self._own = [Chosen(*one) for one in KINDS[plain.kind].Options.drafted]
        self.choices: tuple[Chosen, ...] = ()
        self.build = build_of(plain)
        self._kg = self.build.inputs.kg
        self._asked = 0  # questions before any limit

    def run(self, until: str = "release") -> Build:
        """Chooses, and returns the build.

        Args:
            until: The last stage that will be run; what only later ones need is not chosen.

        Raises:
            RulemineError: As `Build.run`.
        """
        with self.explaining():
            return self._run(STAGES[: STAGES.index(until) + 1])

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Says why nothing can be inferred, for people who do not know what a rule is."""
        try:
            yield
        except NoInferenceError as problem:
            raise NoInferenceError(explain_no_inference(self._kg, str(problem))) from None

    def _run(self, stages: Sequence[str]) -> Build:
        steps = self._affordable()
        if "balance" not in stages or not self._limited:
            self._take(steps[-1])
            if "balance" in stages and SURELY not in self._settled:
                self._prove_removals(steps[-1])
            return self.build
        for step in steps if self._goal else steps[-1:]:
            self._take(step)
            with suppress(*[NoInferenceError] * (step is not steps[-1])):
                left = self._limit()
                if left >= NEAR * self._goal > 0 and self._spread():
                    break
        if left >= ENOUGH and SURELY not in self._settled:
            self._prove(step, max(ENOUGH, math.ceil(NEAR * self._goal)))
        if max(left, self._asked) < FEW:
            problem = f"{counted(left, 'question')} after the most generous thresholds."
            self.build.context.on_warning(explain_no_inference(self._kg, problem))
        return self.build

    def _affordable(self) -> list[Rung]:
        """The steps whose work the effort allows, from few rules to many; at least the first one."""
        rules: Sequence[Rule] = ()
        refused: MiningSection | None = None
        for number in range(len(LADDER), 0, -1):
            recipe = self._take(LADDER[number - 1])
            mining, sample = recipe.mining, recipe.selection.groundings_per_rule
            work = mining_work(self._kg, mining.max_atoms)
            # Rules of a higher step that reach the thresholds of this one are nearly those of this one.
            least = proving_work((rule for rule in rules if _reaches(rule, mining)), sample)
            if number > 1 and (work + least > self.effort or mining == refused):
                continue
            if number > 1:  # in dense graphs millions of rules reach the thresholds
                most = rules_within(self.effort)
                self.build.context = replace(self.build.context, most_rules=most)
            try:
                self.build.run("mine")
            except TooManyRulesError:
                refused = mining
                continue
            rules = self.build.mined_rules
            work += proving_work(rules, sample)
            if work <= self.effort:
                break
        if work > self.effort:
            self.build.context.on_warning(
                f"even the strictest thresholds take about {work:,.0f} million joins, above the "
                f"{self.effort:,} that may be spent (--effort): this takes long."
            )
        return list(LADDER[:number])

    def _take(self, step: Rung, sure: float = 0.0) -> Recipe:
        """Chooses a step of the ladder, and how confident its rules have to be beyond that."""
        why = f"better proofs: at least {ENOUGH:,} {'questions' if self._limited else 'removals'} are left"
        surely = (Chosen(SURELY, sure, why),) * bool(sure)
        return self._choose((*step.choices(self._kg), *FLOORS, *surely, *self._own))

    def _prove(self, step: Rung, enough: int) -> None:
        """Asks as much of the confidence of the rules of a step as leaves enough questions."""
        low, high = 0, len(SURE)  # values below low leave enough
        tried = 0
        while low < high:
            tried = (low + high + 1) // 2
            self._take(step, SURE[tried - 1])
            with suppress(NoInferenceError):
                if self._limit() >= enough and self._spread():
                    low = tried
                    continue
            high = tried - 1
        if tried != low:
            self._take(step, SURE[low - 1] if low else 0.0)
            self._limit()

    def _prove_removals(self, step: Rung) -> None:
        """Asks more of the rules of a step where as many triples are still removed as are questions enough.

        For kinds that draw their questions: more removed triples give no more of them.
        """
        self._take(step, SURE_REMOVALS)
        with suppress(NoInferenceError):
            self.build.run("select")
            if len(self.build.selection.removed) >= ENOUGH:
                return
        self._take(step)

    def _spread(self) -> bool:
        """Whether no relation has too large a share of the questions."""
        share = self.build.recipe.questions.max_relation_share
        return share <= MOST_OF_ONE or SHARE in self._settled

    def _limit(self) -> int:
        """Chooses how many questions may share an answer or a relation, and returns how many are left."""
        left = self._share()
        for share in ANSWER_SHARES if self._goal < MANY else ():
            if left >= SOME or ANSWERS in self._settled:
                break
            fewer = Chosen(MOST, MANY - 1, "with more, no answer would be that of more than 1 %")
            reason = f"with a smaller share {left:,} would be left: they have few different answers"
            kept = [one for one in self.choices if one.key not in (ANSWERS, MOST, SHARE)]
            self._choose((*kept, fewer, Chosen(ANSWERS, share, reason)))
            left = self._share()
        return left

    def _share(self) -> int:
        """Chooses how many questions may ask about one relation, and returns how many are left."""
        self.build.run("ask")
        asked = self.build.asked
        self._asked = len(asked.questions)
        taken, limits, left = self.choices, self.build.kind.limits, {}
        if SHARE in self._settled:
            return len(limits.kept(self.build.recipe, asked).questions)
        for share in (1.0, *SHARES, 1.0):  # off where even the largest takes more than half
            recipe = self._choose((*taken, Chosen(SHARE, share, "")))
            found = limits.kept(recipe, asked).questions
            enough = len(found) >= NEAR * self._goal and 1.0 in left
            left[share] = sum(question.core for question in found)
            if enough and 2 * left[share] >= left[1.0]:
                break
        reason = (
            f"{left[share]:,} core questions; without this limit {left[1.0]:,}, of fewer relations"
            if share < 1
            else "off: one relation has so much of the core that a limit takes more than half of it"
        )
        self._choose((*taken, Chosen(SHARE, share, reason)))
        return len(found)

    def _choose(self, choices: Sequence[Chosen]) -> Recipe:
        """The recipe with choices, and its build, which reads no input again."""
        self.choices = tuple(choice for choice in choices if choice.key not in self._settled)
        recipe = self._recipe_with(self.choices)
        self.build = self._build_of(recipe)
        self.build.inputs.put(kg=self._kg)
        return recipe

    def describe(self) -> str:
        """What was chosen, in a sentence."""
        mining, selection = self.build.recipe.mining, self.build.recipe.selection
        return (
            f"Thresholds were chosen for this graph: rules of {mining.max_atoms} atoms with a head coverage "
            f"of {mining.min_head_coverage:g} and a confidence of {mining.min_std_confidence:g}, "
            f"{selection.per_rule} triples a rule; all are in manifest.json (config)."
        )


def _reaches(rule: Rule, mining: MiningSection) -> bool:
    """Whether a rule reaches thresholds of mining."""
    known = rule.known
    return (
        len(rule.body) < mining.max_atoms
        and known.head_coverage >= mining.min_head_coverage
        and known.std_confidence >= mining.min_std_confidence
    )


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
