"""The pipeline: all stages from a recipe to a release.

    kg → mine → ground → select → ask → balance → (verbalize →) split → twin → release

Each stage reads files of earlier ones and writes its own (see `rulemine.builder.stages`). Finished stages
are never run again, and the bytes are the same however often the build was interrupted.
"""

from rulemine.builder.stages import (
    NOTE,
    RULES_WITH_UNKNOWN_NAMES,
    BuildContext,
    BuildStages,
    FinishedStage,
    run_stage,
)
from rulemine.errors import ConfigError, counted
from rulemine.release.outputs import check_place, check_release, working_folder
from rulemine.release.publish import publish

__all__ = ["STAGES", "Build", "BuildContext"]

STAGES = ("mine", "ground", "select", "ask", "balance", "verbalize", "split", "twin", "release")

_SCRIPTED = "no model writes its questions; give --model NAME"

MOST_SHOWN = 5
"""How many rules with unknown names the summary lists."""


class Build(BuildStages):
    """A build of one recipe into one folder; arguments as of `rulemine.builder.stages.BuildStages`."""

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
        named += [*self.context.earlier, *filter(None, [self.context.removed])]
        recipe, replace = self.recipe, self.context.replace
        check_place(self.target, named)
        stages = self.target.with_name(self.target.name + ".stages")
        check_place(stages, named)
        check_release(self.target, recipe.name, recipe.kind, replace=replace)
        if until in self._skipped:
            raise ConfigError(f"{until}: this recipe has no such step: {self._skipped[until]}.")
        from rulemine.kinds.asking import options_of

        # Everything the user named is read before anything is written.
        self._done = {}  # whatever ran before: the keys of stages name those before them alone
        inputs = self.inputs
        with self.context.observe("read"):
            inputs.kg, inputs.implied, inputs.labels, inputs.templates, inputs.excluded  # noqa: B018
            if self.recipe.rules:
                inputs.rules  # noqa: B018
            inputs.amie, inputs.earlier, inputs.standards, inputs.missing  # noqa: B018
            options_of(inputs)  # what only this kind reads
        if self._words is not None:
            from rulemine.builder.verbalize_stage import check_source

            asks = self._words in STAGES[: STAGES.index(until) + 1]
            note = self.context.on_warning
            check_source(inputs, stages, self.context.replay, asks=asks, note=note)
            inputs.prompts, inputs.glosses  # noqa: B018
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
                self.inputs.kg.forget()
                self.context.on_finished(name, done)
        return self._done[until]

    def estimate(self) -> str:
        """Estimates what verbalizing the questions by a model would take, without calling the model.

        Raises:
            ConfigError: The recipe's questions are templates.
            RulemineError: As `run`.
        """
        if self._words is None:
            why = self._skipped["verbalize"] if not self.kind.wording.writes else _SCRIPTED
            raise ConfigError(f"nothing to estimate: {why}.")
        if self.kind.wording.writes:
            self.run("select")
            return self.kind.wording.estimate(
                self.inputs, self.selection, self.folder, self.context.replay
            )
        from rulemine.builder.verbalize_stage import estimate

        before = self._before("verbalize")
        self.run(before)
        asked, removed = self._asked(before), self.selection.removed
        return estimate(self.inputs, asked, removed, self.folder, self.context.replay)

    def rules_left_out(self) -> list[str]:
        """The given rules with names that the graph lacks, one a line."""
        if not (foreign := self.inputs.rules_with_unknown_names):
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
        at, kg = STAGES.index(until), self.inputs.kg
        twice = f" ({counted(kg.duplicates, 'duplicate line')})" * bool(kg.duplicates)
        lines = [f"{counted(len(kg), 'triple')}{twice}, {counted(len(self.rules), 'rule')}"]
        if "ground" in self._done and self._rules_refused:
            refused, mined = counted(self._rules_refused, "rule"), len(self.mined_rules)
            lines.append(f"{refused} of {mined:,} refused by the standards of proof of the filter")
        lines += self.rules_left_out()
        if "ground" in self._done and self.groundings is not None:
            lines.append(self.groundings.describe())
        if at >= STAGES.index("select"):
            left = counted(len(kg) - len(self.selection.removed), "triple")
            some = f"{self.selection.describe()}; {left} left"
            nothing = self.recipe.selection.mode == "none"
            lines.append("nothing removed: every answer is stated" if nothing else some)
        if at >= STAGES.index("ask"):
            asked = self._asked("split" if until == "release" else until)
            questions = counted(len(asked.questions), "question")
            lines.append(f"{questions}, {len(asked.rejections):,} rejected")
        place = self.target if until == "release" else self._done[until].folder
        return "\n".join([*lines, str(place)])
