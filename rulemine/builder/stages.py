"""What each stage of a build does: what its bytes depend on, what it reads of earlier ones, what it writes.

In which order they run, and what becomes of them, is in `rulemine.builder.pipeline`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.builder.assemble import parts_of_build
from rulemine.builder.results import BuildResults
from rulemine.builder.stage import Stage
from rulemine.codec import dump_line, to_json
from rulemine.errors import NoInferenceError, counted
from rulemine.files import digest_of, write_text
from rulemine.kinds.asking import Asking
from rulemine.kinds.locks import Patterns, removed_facts
from rulemine.kinds.split import split, without_patterns
from rulemine.kinds.writing import Writing, opened
from rulemine.mining import TimeLimit, explain_no_rules, mine
from rulemine.release.question_set import write_question_set
from rulemine.release.writer import write_release, write_trace
from rulemine.removal.selection import Selection, write_selection
from rulemine.removal.steps import explain_priors, ground_eligible, remove
from rulemine.rules.formats import rule_to_json, write_rules
from rulemine.rules.grounding import write_groundings
from rulemine.rules.rule import Rule

__all__ = ["NOTE", "RULES_WITH_UNKNOWN_NAMES", "BuildStages"]

NOTE = "note.txt"
"""The file, in the folder of a stage, with the warnings to repeat whenever the stage is reused."""

RULES_WITH_UNKNOWN_NAMES = "rules_with_unknown_names.jsonl"
"""The file for given rules with unknown entities or relations, in the folder of ``mine``."""


class BuildStages(BuildResults):
    """The stages of a build, see `BuildResults`."""

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
                raise NoInferenceError(
                    f"{self.recipe.kg}: {explain_no_rules(self.inputs.kg, self.recipe.mining)}"
                )
            write_rules(folder / "rules.jsonl", rules)
            self.mined_rules = tuple(rules)
            if self.inputs.rules_with_unknown_names:
                write_rules(folder / RULES_WITH_UNKNOWN_NAMES, self.inputs.rules_with_unknown_names)

        options: dict[str, Any] = to_json(self.recipe.mining)
        if self.inputs.amie is not None:
            options["amie_jar"] = self.inputs.amie.digest
        if self.recipe.rules:
            given = (*self.inputs.rules, *self.inputs.rules_with_unknown_names)
            options = {"rules": [rule_to_json(rule) for rule in given]}
        return self._stage("mine", 3, options, work)

    def _rules(self) -> Sequence[Rule]:
        """The rules of the stage ``mine``: given, or mined."""
        if self.recipe.rules:
            return self.inputs.rules
        resources, amie = self.context.resources, self.inputs.amie
        if amie is None:
            kg, options = self.inputs.kg, self.recipe.mining
            most, run = self.context.most_rules, self.context.mines
            return mine(kg, options, resources, self._progress, most=most, run=run)
        if resources.thread_count > 1 and resources.threads:
            self.context.on_warning(
                "AMIE gets one thread: with more, its rules differ from run to run."
            )
        one = replace(resources, threads=1)
        return amie.mine(self.inputs.kg, self.recipe.mining, one, TimeLimit(None))

    def _ground(self) -> Stage:
        chosen = self.recipe.selection

        def work(folder: Path) -> None:
            rules, found = ground_eligible(
                self.recipe, self.inputs, self.mined_rules, self._progress, self.context.run
            )
            write_rules(folder / "rules.jsonl", rules)
            write_groundings(folder, found)
            self.rules, self.groundings = rules, found

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
        if chosen.min_sure_confidence:
            options["min_sure_confidence"] = chosen.min_sure_confidence
        return self._stage("ground", 9, options, work)

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
            del (
                self.setting
            )  # of a large graph it takes much memory, and no later stage asks for it

        options = {**to_json(chosen), "seed": self.recipe.seed}
        del options["per_type"]  # the stage balance applies it
        del options["min_sure_confidence"]  # the stage ground applies it
        options["kept_out"] = sorted(self.inputs.excluded_from_bodies)
        options["max_answers"] = self.recipe.questions.max_answers
        options["restated"] = self.recipe.restated
        del options["levels"]  # which levels are written as graphs changes no level of a triple
        options["declarations"] = {} if chosen.mode == "brink" else self._declarations
        return self._stage("select", 6, options, work)

    @property
    def _declarations(self) -> dict[str, list[Any]]:
        readings = self.inputs.templates.declarations.readings
        return {relation: list(reading) for relation, reading in readings.items()}

    def _ask(self) -> Stage:
        inputs = self.inputs

        def work(folder: Path) -> None:
            with self._writing(folder) as writing:
                run = self.context.run
                asked = Asking(inputs, self.selection, self._progress, writing, run).run()
            write_question_set(folder, asked)
            self._made = {"ask": asked}

        options = {
            "seed": self.recipe.seed,
            "templates": inputs.templates.to_plain(),
            "reference": inputs.reference.digest if inputs.reference else "",
            "restated": self.recipe.restated,
            "classes": inputs.classes,
            "implied": sorted(rule.id for rule in inputs.implied),
            "labels": digest_of(dump_line(sorted(inputs.labels.items())).encode()),
            **self.kind.options(inputs),
        }
        return self._stage("ask", 34, options, work)

    @contextmanager
    def _writing(self, folder: Path) -> Iterator[Writing]:
        """What the kind asks a model with; what was asked is written with the stage."""
        with opened(
            self.inputs,
            self.folder,
            asks=self.kind.wording.writes,
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
            asked = self.kind.limits.kept(self.recipe, before)
            self._hand_on("balance", folder, asked, before)

        return self._stage("balance", 5, self.kind.limits.options(self.recipe), work)

    def _verbalize(self) -> Stage:
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
            self._hand_on("verbalize", folder, asked)
            write_trace(folder, trace)

        options = {**self.inputs.model_options(), "seed": self.recipe.seed}
        return self._stage("verbalize", 9, options, work)

    def _split(self) -> Stage:
        chosen = self.recipe.questions

        def work(folder: Path) -> None:
            before = self._asked(self._before("split"))
            with self._writing(folder) as writing:
                asked = self.kind.splits.split(self.inputs, before, self._progress, writing)
            brink = self.recipe.selection.mode == "brink"
            patterns = Patterns.of(
                self.inputs.kg,
                self.selection.rules,
                removed_facts(self.inputs.kg, self.selection),
                texts={row.entity: row.text for row in before.names},
            )
            if asked is None:
                asked = split(
                    before,
                    chosen.split,
                    chosen.ratios,
                    self.recipe.seed,
                    chosen.test_core,
                    None if brink else chosen.max_facts,
                    None if brink else patterns,
                )
            if not brink:
                asked = without_patterns(
                    asked,
                    patterns,
                    self.recipe.seed,
                    lambda left: self.kind.limits.kept(self.recipe, left),
                    self.context.on_warning,
                )
            self._hand_on("split", folder, asked, before)

        options = {
            "mode": chosen.split,
            "ratios": chosen.ratios,
            "test_core": chosen.test_core,
            "max_facts": chosen.max_facts,
            "seed": self.recipe.seed,
        }
        return self._stage("split", 10, options | self.kind.splits.options(self.inputs), work)

    def _check_missing(self) -> None:
        """Refuses questions of which hardly any misses something.

        Raises:
            NoInferenceError: They are fewer than `BuildContext.least_missing` says.
        """
        questions = self._asked("split").questions
        missing = sum(bool(question.hard) for question in questions)
        if missing < self.context.least_missing * len(questions):
            raise NoInferenceError(
                f"{self.recipe.kg}: {missing:,} of {counted(len(questions), 'question')} of the kind "
                f"{self.recipe.kind} miss a triple where all of "
                f"{counted(len(self.selection.removed), 'triple')} are removed; at least "
                f"{self.context.least_missing:.0%} were expected. Ask about the removed "
                "triples themselves (--kind rules), or about the graph as it is (--share 0)."
            )

    def _release(self) -> Stage:
        def work(folder: Path) -> None:
            self._check_missing()
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
                graph=self.kind.graph.property_graph(self.inputs),
            )
            write_release(folder, parts, self.recipe.naming)

        options = {
            "recipe": self.recipe.portable(self.inputs.prompt_naming),
            "about": self.inputs.about(self._types[0]),
            "templates": self.inputs.templates.to_plain(),  # those of no question, too
        }
        return self._stage("release", 12, options, work)
