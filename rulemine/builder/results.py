"""What a build has so far: its inputs, and the results of its stages, read from their files when needed."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from rulemine.builder.stage import FinishedStage
from rulemine.kinds.building import kind_of
from rulemine.mining import Resources, miner
from rulemine.recipe.earlier import NOTHING
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.release.contents import JOURNAL, ModelTrace, merged, read_trace
from rulemine.release.question_set import (
    QuestionSet,
    read_changes,
    read_question_set,
    write_changes,
    write_question_set,
)
from rulemine.removal.eligibility import confident_rules
from rulemine.removal.selection import Selection, read_selection
from rulemine.removal.setting import Setting
from rulemine.rules.blocks import MapLike
from rulemine.rules.formats import read_rules
from rulemine.rules.grounding import Groundings, read_groundings
from rulemine.rules.rule import Rule
from rulemine.rules.standards import refused

__all__ = ["BuildContext", "BuildResults"]

_ASKING = ("ask", "verbalize", "split")
"""Stages that may ask a model."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Resources and callbacks of a build, none of which changes a byte.

    Attributes:
        resources: The resources of the miner.
        observe: Called with the name of a stage that starts; returns a context manager whose value is
            called with the progress (done, total).
        on_finished: Called with the name of a stage and its result.
        on_warning: Called with sentences about problems that are not errors.
        on_status: Called with the state of a stage, in a few words for the end of a progress line.
        replay: A release, or a journal, from which a model's replies are taken instead of asking it.
        replace: Whether a release that has another name, or was edited, may be replaced.
        least_missing: Where less than this fraction of the questions misses something, there is no release.
        earlier: The folders or archives of the releases that `Recipe.not_in` names.
        most_rules: Mining ends with a `TooManyRulesError` as soon as there are more; None: no bound.
        mines: Mines in other processes, see `rulemine.mining.miner.mine`; None: in this one.
        run: Calls a function with blocks of rules or questions, perhaps in other processes, see
            `rulemine.rules.blocks.by_blocks`.
    """

    resources: Resources = field(default_factory=Resources)
    observe: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext()
    on_finished: Callable[[str, FinishedStage], None] = lambda _name, _done: None
    on_warning: Callable[[str], None] = lambda _text: None
    on_status: Callable[[str], None] = lambda _text: None
    replay: Path | None = None
    replace: bool = False
    least_missing: float = 0.0
    earlier: tuple[Path, ...] = ()
    most_rules: int | None = None
    mines: miner.Run | None = None
    run: MapLike = map


class BuildResults:
    """A build of one recipe into one folder: what it is given, and what it has so far.

    Args:
        recipe: What to build.
        target: The folder of the release; the stages are kept beside it, in ``<target>.stages``.
        context: Resources and callbacks; by default nothing is reported.
    """

    folder: Path
    """The folder of the stages."""

    _progress: Progress | None
    """Called with the progress of the stage that runs, see `BuildContext.observe`."""

    def __init__(self, recipe: Recipe, target: Path, context: BuildContext | None = None) -> None:
        self.recipe = recipe
        self.target = target
        self.context = context or BuildContext()
        self._done: dict[str, FinishedStage] = {}
        self.inputs = Inputs(recipe, self.context.on_warning, self.context.earlier)
        self.kind = kind_of(recipe)
        self._made: dict[str, QuestionSet] = {}

    @property
    def _whole(self) -> tuple[str, ...]:
        """The stages that write all questions, rather than what they change."""
        return ("ask", "split") if self.kind.wording.writes else ("ask",)

    @cached_property
    def _words(self) -> str | None:
        """The stage in which a model is asked for words; None: there is none."""
        if self.recipe.verbalizer.name == "template":
            return None
        return "ask" if self.kind.wording.writes else "verbalize"

    @cached_property
    def _skipped(self) -> dict[str, str]:
        """The stages that this recipe does not have, and why."""
        without = self.kind.limits.without.items()
        skipped = {stage: why.format(kind=self.recipe.kind) for stage, why in without}
        if self.recipe.selection.mode == "none":
            skipped |= dict.fromkeys(("mine", "ground"), "nothing is removed")
        if self.recipe.selection.mode == "brink":
            skipped["ground"] = "the published selection enumerates groundings on its own"
        if self.recipe.verbalizer.name == "template" and not self.kind.wording.writes:
            skipped["verbalize"] = (
                "its questions are templates; give --verbalizer openai --model NAME"
            )
        return skipped

    # Results of stages, read from their files.

    @cached_property
    def mined_rules(self) -> tuple[Rule, ...]:
        """The rules, mined or given; none where nothing is removed."""
        if "mine" not in self._done:
            return ()
        return read_rules(self._done["mine"].folder / "rules.jsonl")

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that may prove something; all of them in mode ``brink``."""
        if "ground" not in self._done:
            return self.mined_rules
        return read_rules(self._done["ground"].folder / "rules.jsonl")

    @cached_property
    def _types(self) -> tuple[str, dict[str, tuple[str, ...]]]:
        return self.kind.graph.types(self.inputs)

    @cached_property
    def setting(self) -> Setting:
        """What may be removed from the graph."""
        if self.recipe.selection.mode == "brink":
            return Setting.of(self.inputs.kg)
        return Setting.of(
            self.inputs.kg,
            self.inputs.templates.declarations,
            excluded=self.inputs.excluded,
            max_prior=self.recipe.selection.max_prior,
            max_answers=self.recipe.questions.max_answers,
            earlier=self.inputs.earlier if self.kind.splits.asks_each else NOTHING,
            restated=self.recipe.restated,
        )

    @cached_property
    def groundings(self) -> Groundings:
        """The groundings, or a sample of them."""
        return read_groundings(self._done["ground"].folder, self.rules)

    @cached_property
    def selection(self) -> Selection:
        """The removed triples, with their certificates."""
        return read_selection(self._done["select"].folder, self.rules)

    @property
    def asked(self) -> QuestionSet:
        """The questions before any limit on what they share."""
        return self._asked("ask")

    def _asked(self, stage: str) -> QuestionSet:
        if stage not in self._made:
            folder = self._done[stage].folder
            if stage in self._whole:
                found = read_question_set(folder)
            else:
                found = read_changes(folder, self._asked(self._before(stage)))
            self._made = {stage: found}  # the stage before is not asked for again
        return self._made[stage]

    def _before(self, stage: str) -> str:
        """The stage whose questions are the input of a stage."""
        before = {"balance": "ask", "verbalize": "balance", "split": "verbalize"}[stage]
        return self._before(before) if before in self._skipped else before

    def _hand_on(
        self, stage: str, folder: Path, asked: QuestionSet, before: QuestionSet | None = None
    ) -> None:
        if before and (note := self.kind.limits.warning(stage, self.recipe, before, asked)):
            self.context.on_warning(note)
        if stage in self._whole:
            write_question_set(folder, asked)
        else:
            write_changes(folder, self._asked(self._before(stage)), asked)
        self._made = {stage: asked}

    def _trace(self) -> ModelTrace | None:
        """The traces of models from all stages, as one; None where there is none."""
        folders = [self._done[name].folder for name in _ASKING if name in self._done]
        return merged(
            [read_trace(folder.joinpath) for folder in folders if (folder / JOURNAL).exists()]
        )

    @cached_property
    def _rules_refused(self) -> int | None:
        """How many rules are refused by a standard of proof alone; None: there is none."""
        standards, chosen = self.inputs.standards, self.recipe.selection
        if not standards:
            return None
        without = self.inputs.excluded_from_bodies
        found = confident_rules(
            self.mined_rules,
            chosen.min_std_confidence,
            without,
            min_sure_confidence=chosen.min_sure_confidence,
        )
        return sum(refused(rule, standards) for rule in found)
