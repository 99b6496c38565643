"""The pipeline: all stages from a recipe to a release.

    kg → mine → ground → select → ask → balance → (verbalize →) split → release

Each stage reads files of earlier ones and writes its own (see `rulemine.builder.stage`). Finished stages
are never run again, and the bytes are the same however often the build was interrupted. Over 400 lines
because the whole pipeline is in one place, a few lines per stage.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rulemine.builder.assemble import parts_of_build
from rulemine.builder.stage import FinishedStage, Stage, run_stage
from rulemine.codec import dump_line, to_json
from rulemine.errors import ConfigError, MiningError, counted
from rulemine.files import digest_of, write_text
from rulemine.guard import watching
from rulemine.kinds.asking import Asking
from rulemine.kinds.building import kind_of
from rulemine.kinds.split import split
from rulemine.kinds.writing import Writing, opened
from rulemine.mining import Resources, explain_no_rules, mine
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
from rulemine.release.storing.folders import working_folder
from rulemine.release.storing.outputs import check_folder, check_no_input
from rulemine.release.storing.publish import publish
from rulemine.release.writer import write_release, write_trace
from rulemine.removal.eligibility import confident_rules
from rulemine.removal.selection import Selection, read_selection, write_selection
from rulemine.removal.setting import Setting
from rulemine.removal.steps import explain_priors, ground_eligible, remove
from rulemine.rules.formats import read_rules, rule_to_json, write_rules
from rulemine.rules.grounding import Groundings, read_groundings, write_groundings
from rulemine.rules.rule import Rule
from rulemine.rules.standards import refused

__all__ = ["STAGES", "Build", "BuildContext"]

STAGES = ("mine", "ground", "select", "ask", "balance", "verbalize", "split", "release")

_ASKING = ("ask", "verbalize", "split")
"""Stages that may ask a model."""

NOTE = "note.txt"
"""The file, in the folder of a stage, with the warnings to repeat whenever the stage is reused."""

RULES_WITH_UNKNOWN_NAMES = "rules_with_unknown_names.jsonl"
"""The file for given rules with unknown entities or relations, in the folder of ``mine``."""

_SCRIPTED = "no model writes its questions; give --verbalizer openai --model NAME"

MOST_SHOWN = 5
"""Number of such rules that the summary names."""

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
        earlier: The folders or archives of the releases that `Recipe.not_in` names.
    """

    resources: Resources = field(default_factory=Resources)
    observe: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext()
    on_finished: Callable[[str, FinishedStage], None] = lambda _name, _done: None
    on_warning: Callable[[str], None] = lambda _text: None
    on_status: Callable[[str], None] = lambda _text: None
    replay: Path | None = None
    replace: bool = False
    earlier: tuple[Path, ...] = ()


class Build:
    """A build of one recipe into one folder.

    Args:
        recipe: What to build.
        target: The folder of the release; the stages are kept beside it, in ``<target>.stages``.
        context: Resources and callbacks; by default nothing is reported.
    """

    def __init__(self, recipe: Recipe, target: Path, context: BuildContext | None = None) -> None:
        self.recipe = recipe
        self.target = target
        self.context = context or BuildContext()
        self._done: dict[str, FinishedStage] = {}
        self.inputs = Inputs(recipe, self.context.on_warning, self.context.earlier)
        self.kind = kind_of(recipe)
        self._made: dict[str, QuestionSet] = {}

    def run(self, until: str = "release") -> FinishedStage:
        """Runs the stages up to the named one, reusing finished ones.

        Args:
            until: One of `STAGES`.

        Returns:
            The named stage; for ``release``, the release is also in the target folder.

        Raises:
            RulemineError: An input cannot be used, or something cannot be written.
        """
        named = [path for path in (*self.inputs.files(), self.context.replay) if path]
        named += self.context.earlier
        recipe, replace = self.recipe, self.context.replace
        check_folder(self.target, recipe.name, recipe.kind, inputs=named, replace=replace)
        stages = self.target.with_name(self.target.name + ".stages")
        check_no_input(stages, named)
        if until in self._skipped:
            raise ConfigError(f"{until}: this recipe has no such step: {self._skipped[until]}.")
        # Everything the user named is read before anything is written.
        inputs = self.inputs
        with self.context.observe("read"), watching() as read:
            inputs.kg, inputs.implied, inputs.labels, inputs.templates, inputs.excluded  # noqa: B018
            if self.recipe.rules:
                inputs.rules  # noqa: B018
            inputs.amie, inputs.earlier  # noqa: B018
            self.kind.options(inputs)  # what only this kind reads
        for folder in (self.target, stages):
            check_no_input(folder, read.values())  # such as the tables that a schema names
        if self._words is not None:
            from rulemine.builder.verbalize_stage import check_source

            asks = self._words in STAGES[: STAGES.index(until) + 1]
            note = self.context.on_warning
            check_source(inputs, stages, self.context.replay, asks=asks, note=note)
            inputs.prompts, inputs.glosses  # noqa: B018
        self._done = {}  # whatever ran before: the keys of stages name those before them alone
        with working_folder(stages) as self.folder:
            for name in STAGES[: STAGES.index(until) + 1]:
                if name in self._skipped:
                    continue
                with self.context.observe(name) as self._progress:
                    done = run_stage(getattr(self, f"_{name}")(), self.folder)
                    if name == "release":
                        publish(done.folder, self.target, replace=self.context.replace)
                if done.reused and (done.folder / NOTE).exists():
                    self.context.on_warning((done.folder / NOTE).read_text("utf-8"))
                self._done[name] = done
                self.context.on_finished(name, done)
        return self._done[until]

    def estimate(self) -> str:
        """Estimates what verbalizing the questions by a model would take, without calling the model.

        Raises:
            ConfigError: The recipe's questions are templates.
            RulemineError: As `run`.
        """
        if self._words is None:
            why = self._skipped["verbalize"] if not self.kind.writes else _SCRIPTED
            raise ConfigError(f"nothing to estimate: {why}.")
        if self.kind.writes:
            self.run("select")
            return self.kind.estimate(self.inputs, self.selection, self.folder, self.context.replay)
        from rulemine.builder.verbalize_stage import estimate

        before = self._before("verbalize")
        self.run(before)
        asked, removed = self._asked(before), self.selection.removed
        return estimate(self.inputs, asked, removed, self.folder, self.context.replay)

    @property
    def _whole(self) -> tuple[str, ...]:
        """The stages that write all questions, rather than what they change."""
        return ("ask", "split") if self.kind.writes else ("ask",)

    @cached_property
    def _words(self) -> str | None:
        """The stage in which a model is asked for words; None: there is none."""
        if self.recipe.verbalizer.name == "template":
            return None
        return "ask" if self.kind.writes else "verbalize"

    @cached_property
    def _skipped(self) -> dict[str, str]:
        """The stages that this recipe does not have, and why."""
        skipped = self.kind.without(self.recipe)
        if self.recipe.selection.mode == "none":
            skipped |= dict.fromkeys(("mine", "ground"), "nothing is removed")
        if self.recipe.selection.mode == "brink":
            skipped["ground"] = "the published selection enumerates groundings on its own"
        if self.recipe.verbalizer.name == "template" and not self.kind.writes:
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
        return self.kind.types(self.inputs)

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
            earlier=self.inputs.earlier if self.kind.asks_each else NOTHING,
        )

    @cached_property
    def groundings(self) -> Groundings:
        """The groundings, or a sample of them."""
        return read_groundings(self._done["ground"].folder, self.rules)

    @cached_property
    def selection(self) -> Selection:
        """The removed triples, with their certificates."""
        return read_selection(self._done["select"].folder, self.rules)

    def _asked(self, stage: str) -> QuestionSet:
        if stage not in self._made:
            folder = self._done[stage].folder
            if stage in self._whole:
                found = read_question_set(folder)
            else:
                found = read_changes(folder, stage, self._asked(self._before(stage)))
            self._made = {stage: found}  # the stage before is not asked for again
        return self._made[stage]

    def _before(self, stage: str) -> str:
        """The stage whose questions are the input of a stage."""
        before = {"balance": "ask", "verbalize": "balance", "split": "verbalize"}[stage]
        return self._before(before) if before in self._skipped else before

    def _hand_on(
        self, stage: str, folder: Path, asked: QuestionSet, before: QuestionSet | None = None
    ) -> None:
        if before and (note := self.kind.warning(stage, self.recipe, before, asked)):
            self.context.on_warning(note)
        if stage in self._whole:
            write_question_set(folder, asked)
        else:
            write_changes(folder, stage, self._asked(self._before(stage)), asked)
        self._made = {stage: asked}

    # The stages.

    def _stage(
        self, name: str, version: int, options: dict[str, Any], work: Callable[[Path], None]
    ) -> Stage:
        inputs = {"kg": self.inputs.kg.digest} | {n: done.digest for n, done in self._done.items()}
        if name in ("select", "ask") and self.recipe.not_in:
            options = {**options, "not_in": sorted(self.recipe.not_in)}
        return Stage(name, version, options, inputs, work)

    def _mine(self) -> Stage:
        def work(folder: Path) -> None:
            rules = self._rules()
            if not rules:
                raise MiningError(
                    f"{self.recipe.kg}: {explain_no_rules(self.inputs.kg, self.recipe.mining)}"
                )
            write_rules(folder / "rules.jsonl", rules)
            if self.inputs.rules_with_unknown_names:
                write_rules(folder / RULES_WITH_UNKNOWN_NAMES, self.inputs.rules_with_unknown_names)

        options: dict[str, Any] = to_json(self.recipe.mining)
        del options["engine"]
        if self.inputs.amie is not None:
            options["amie_jar"] = self.inputs.amie.digest
        if self.recipe.rules:
            given = (*self.inputs.rules, *self.inputs.rules_with_unknown_names)
            options = {"rules": [rule_to_json(rule) for rule in given]}
        return self._stage("mine", 2, options, work)

    def _rules(self) -> Sequence[Rule]:
        """The rules of the stage ``mine``: given, or mined."""
        if self.recipe.rules:
            return self.inputs.rules
        resources, amie = self.context.resources, self.inputs.amie
        if amie is None:
            return mine(self.inputs.kg, self.recipe.mining, resources, self._progress)
        if resources.thread_count > 1 and resources.threads:
            self.context.on_warning(
                "AMIE gets one thread: with more, its rules differ from run to run."
            )
        one = replace(resources, threads=1)
        return amie.mine(self.inputs.kg, self.recipe.mining, one, self._progress)

    def _ground(self) -> Stage:
        chosen = self.recipe.selection

        def work(folder: Path) -> None:
            rules, found = ground_eligible(
                self.recipe, self.inputs, self.mined_rules, self._progress
            )
            write_rules(folder / "rules.jsonl", rules)
            write_groundings(folder, found)

        options = {
            "sample": chosen.groundings_per_rule,
            "seed": self.recipe.seed,
            "dropped": sorted(self.inputs.excluded),
            "min_std_confidence": chosen.min_std_confidence,
            "min_rare_confidence": chosen.min_rare_confidence,
            "max_prior": chosen.max_prior,
            "kept_out": sorted(self.inputs.excluded_from_bodies),
            "standards": [to_json(one) for one in self.inputs.standards],
        }
        return self._stage("ground", 6, options, work)

    def _select(self) -> Stage:
        chosen = self.recipe.selection
        if chosen.mode == "none":
            nothing = Selection.of_nothing()
            return self._stage(
                "select", 4, {"mode": "none"}, lambda folder: write_selection(folder, nothing)
            )

        def work(folder: Path) -> None:
            groundings = None if chosen.mode == "brink" else self.groundings
            if problem := explain_priors(chosen, self.setting):
                self.context.on_warning(problem)
                write_text(folder / NOTE, problem)
            found = remove(self.recipe, self.setting, self.rules, groundings, self._progress)
            write_selection(folder, found)

        options = {**to_json(chosen), "seed": self.recipe.seed}
        del options["per_type"]  # the stage balance applies it
        options["body_filter"] = sorted(self.inputs.excluded_from_bodies)
        options["max_answers"] = self.recipe.questions.max_answers
        del options["levels"]  # which levels are written as graphs changes no level of a triple
        options["declarations"] = (
            {}
            if chosen.mode == "brink"
            else {
                relation: list(reading)
                for relation, reading in self.inputs.templates.declarations.readings.items()
            }
        )
        return self._stage("select", 5, options, work)

    def _ask(self) -> Stage:
        inputs = self.inputs

        def work(folder: Path) -> None:
            with self._writing(folder) as writing:
                asked = Asking(inputs, self.selection, self._progress, writing).run()
            write_question_set(folder, asked)
            self._made = {"ask": asked}

        options = {
            "seed": self.recipe.seed,
            "templates": inputs.templates.to_plain(),
            "reference": inputs.reference.digest if inputs.reference else "",
            "stale": self.recipe.questions.stale,
            "core_only": self.recipe.questions.core_only,
            "implied": sorted(rule.id for rule in inputs.implied),
            "labels": digest_of(dump_line(sorted(inputs.labels.items())).encode()),
            **self.kind.options(inputs),
        }
        return self._stage("ask", 21, options, work)

    @contextmanager
    def _writing(self, folder: Path) -> Iterator[Writing]:
        """What the kind asks a model with; what was asked is written with the stage."""
        with opened(
            self.inputs,
            self.folder,
            asks=self.kind.writes,
            replay=self.context.replay,
            note=self.context.on_warning,
            status=self.context.on_status,
        ) as writing:
            yield writing
            if (trace := writing.trace(self.inputs)) is not None:
                write_trace(folder, trace)

    def _balance(self) -> Stage:
        def work(folder: Path) -> None:
            before = self._asked("ask")
            asked = self.kind.limited(self.recipe, before)
            self._hand_on("balance", folder, asked, before)

        return self._stage("balance", 4, self.kind.limits(self.recipe), work)

    def _verbalize(self) -> Stage:
        # Dropping questions lowers the limits, so balance again.
        drops = self.recipe.verbalizer.on_failure == "drop"

        def work(folder: Path) -> None:
            from rulemine.builder.verbalize_stage import verbalize_questions

            asked, trace = verbalize_questions(
                self.inputs,
                self._asked(self._before("verbalize")),
                self.selection.removed,
                self.folder,
                replay=self.context.replay,
                progress=self._progress,
                status=self.context.on_status,
                note=self.context.on_warning,
            )
            if drops:
                asked = self.kind.limited(self.recipe, asked)
            self._hand_on("verbalize", folder, asked)
            write_trace(folder, trace)

        options = {
            **self.inputs.model_options(),
            "balancing": self.kind.limits(self.recipe) if drops else {},
            "seed": self.recipe.seed,
        }
        return self._stage("verbalize", 7, options, work)

    def _split(self) -> Stage:
        chosen = self.recipe.questions

        def work(folder: Path) -> None:
            before = self._asked(self._before("split"))
            with self._writing(folder) as writing:
                asked = self.kind.split(self.inputs, before, self._progress, writing)
            if asked is None:
                brink = self.recipe.selection.mode == "brink"
                asked = split(
                    before,
                    chosen.split,
                    chosen.ratios,
                    self.recipe.seed,
                    chosen.test_core,
                    None if brink else chosen.max_facts,
                )
            self._hand_on("split", folder, asked, before)

        options = {
            "mode": chosen.split,
            "ratios": chosen.ratios,
            "test_core": chosen.test_core,
            "max_facts": chosen.max_facts,
            "seed": self.recipe.seed,
        }
        return self._stage("split", 8, options | self.kind.split_options(self.inputs), work)

    def _release(self) -> Stage:
        def work(folder: Path) -> None:
            parts = parts_of_build(
                self.recipe.portable(self.inputs.prompt_naming),
                self.inputs.about(self._types[0]),
                self.inputs.kg,
                self.selection,
                self._asked("split"),
                self.inputs.templates,
                self._trace(),
                rules_mined=len(self.mined_rules),
                rules_refused=self._rules_refused,
                types=self._types[1] or None,
                sampling=self._asked("split").sampling,
                graph=self.kind.graph(self.inputs),
            )
            write_release(folder, parts, self.recipe.naming)

        options = {
            "recipe": self.recipe.portable(self.inputs.prompt_naming),
            "about": self.inputs.about(self._types[0]),
        }
        return self._stage("release", 10, options, work)

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
        found = confident_rules(self.mined_rules, chosen.min_std_confidence, without)
        return sum(refused(rule, standards) for rule in found)

    def rules_left_out(self) -> list[str]:
        """The given rules with names that the graph lacks, one a line."""
        foreign = self.inputs.rules_with_unknown_names
        if not foreign:
            return []
        place = self._done["mine"].folder / RULES_WITH_UNKNOWN_NAMES
        return [
            f"{counted(len(foreign), 'given rule')} left out, the graph lacks their names: {place}",
            *(
                f"  {rule} (lacks {', '.join(sorted(self.inputs.lacking(rule)))})"
                for rule in foreign[:MOST_SHOWN]
            ),
            *["  …"] * (len(foreign) > MOST_SHOWN),
        ]

    def summary(self, until: str) -> str:
        """Summarizes the build in a few lines."""
        twice = self.inputs.kg.duplicates
        lines = [
            counted(len(self.inputs.kg), "triple")
            + f" ({counted(twice, 'duplicate line')})" * bool(twice)
            + f", {counted(len(self.rules), 'rule')}"
        ]
        if "ground" in self._done and self._rules_refused:
            lines.append(
                f"{counted(self._rules_refused, 'rule')} of {len(self.mined_rules):,} refused by the "
                "standards of proof of the filter"
            )
        lines += self.rules_left_out()
        at = STAGES.index(until)
        if "ground" in self._done:
            lines.append(self.groundings.describe())
        if at >= STAGES.index("select"):
            counts = self.selection.counts
            if self.recipe.selection.mode == "brink":
                lines.append(
                    f"{counted(counts.groundings, 'grounding')} with "
                    f"{counted(counts.provable, 'distinct head')}, {counts.considered:,} of them sampled"
                )
            left = len(self.inputs.kg) - len(self.selection.removed)
            if self.recipe.selection.mode == "none":
                lines.append("nothing removed: every answer is stated")
            else:
                lines.append(f"{self.selection.describe()}; {counted(left, 'triple')} left")
        if at >= STAGES.index("ask"):
            asked = self._asked("split" if until == "release" else until)
            lines.append(
                f"{counted(len(asked.questions), 'question')}, {len(asked.rejections):,} rejected"
            )
        place = self.target if until == "release" else self._done[until].folder
        return "\n".join([*lines, str(place)])
