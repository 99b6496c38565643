"""What each stage of a build does: what its bytes depend on, what it reads of earlier ones, what it writes.

A stage is a name, a version bumped by hand, and a function that fills a folder. Its key is the SHA-256
of (name, version, the options that can change bytes, the digests of its inputs). It runs in a temporary
folder, writes its manifest last, and renames: *a folder with a manifest is complete*. A crash leaves the
previous output intact. Edited or foreign files are reported, never silently used or deleted.

Results of stages are read from their files when they are needed. In which order stages run, and what becomes
of them, is in `rulemine.builder.pipeline`. What only the work of a stage needs is imported when it runs.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.codec import dump_line, to_json
from rulemine.errors import NoInferenceError, counted
from rulemine.files import digest_of, write_jsonl, write_text
from rulemine.kinds.registry import KINDS
from rulemine.mining import Resources
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.release.outputs import check_made, digests_of, real, recover, replacing
from rulemine.release.question_set import read_records
from rulemine.release.records import UNPROVABLE, Twin
from rulemine.rules.formats import read_rules, rule_to_json, write_rules

if TYPE_CHECKING:
    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.mining import miner
    from rulemine.release.contents import ModelTrace, ReleaseParts
    from rulemine.release.question_set import QuestionSet
    from rulemine.removal.selection import Selection
    from rulemine.removal.setting import Setting
    from rulemine.rules.blocks import MapLike
    from rulemine.rules.grounding import Groundings
    from rulemine.rules.rule import Rule

__all__ = [
    "NOTE", "RULES_WITH_UNKNOWN_NAMES", "STAGE_MANIFEST", "BuildContext", "BuildStages", "FinishedStage",
    "Progress", "Stage", "run_stage",
]  # fmt: skip

NOTE = "note.txt"
"""The file, in the folder of a stage, with the warnings to repeat whenever the stage is reused."""

RULES_WITH_UNKNOWN_NAMES = "rules_with_unknown_names.jsonl"
"""The file for given rules with unknown entities or relations, in the folder of ``mine``."""

Progress = Callable[[int, int], None]

STAGE_MANIFEST = "stage.json"

FORM = "rulemine stage"
"""Where every manifest of a stage begins."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a build.

    Attributes:
        name: A verb; also the name of its folder.
        version: Bumped whenever a change of the code changes the output.
        options: The options that can change bytes, as plain JSON values.
        inputs: Its inputs: name → digest.
        work: Called with an empty folder, which it fills.
    """

    name: str
    version: int
    options: Mapping[str, Any]
    inputs: Mapping[str, str]
    work: Callable[[Path], None]

    @property
    def key(self) -> str:
        """The identity of the stage's output, hexadecimal."""
        parts = [self.name, self.version, dict(self.options), dict(self.inputs)]
        return digest_of(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode())


@dataclass(frozen=True, slots=True)
class FinishedStage:
    """What a stage wrote, now or in an earlier run.

    Attributes:
        folder: The folder of its files.
        digest: Digest of all its files, for the keys of the stages that read them.
        reused: Whether an earlier run had finished it.
    """

    folder: Path
    digest: str
    reused: bool


def run_stage(stage: Stage, parent: Path) -> FinishedStage:
    """Runs a stage, or reuses its output.

    Args:
        stage: The stage.
        parent: The folder that holds one folder per stage.

    Raises:
        OutputError: A file of the finished stage was edited, its folder has other files, or nothing can
            be written there.
    """
    folder = parent / stage.name
    recover(real(folder))
    known = check_made(folder, STAGE_MANIFEST, FORM, "a finished stage")
    if known.get("key") == stage.key and all((folder / name).is_file() for name in known["files"]):
        return FinishedStage(folder, _digest(known["files"]), reused=True)
    with replacing(folder) as fresh:
        stage.work(fresh)
        files = digests_of(fresh)
        row = {"format": FORM, "stage": stage.name, "version": stage.version, "key": stage.key}
        write_text(fresh / STAGE_MANIFEST, dump_line(row | {"files": files}) + "\n")
    return FinishedStage(folder, _digest(files), reused=False)


def _digest(files: Mapping[str, str]) -> str:
    return digest_of(json.dumps(files, sort_keys=True).encode())


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
        removed: What names the missing triples, see `rulemine.recipe.inputs.Inputs`.
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
    removed: Path | None = None
    most_rules: int | None = None
    mines: "miner.Run | None" = None
    run: "MapLike" = map


class BuildStages:
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
        self._inputs = Inputs(
            recipe, self.context.on_warning, self.context.earlier, self.context.removed
        )
        self.kind = KINDS.find(recipe.kind)
        self._made: dict[str, QuestionSet] = {}

    @property
    def inputs(self) -> Inputs:
        """The inputs; where a user names what is missing, what is selected is part of the complete graph."""
        done = "select" in self._done and self._inputs.missing is not None
        return self._completed if done else self._inputs

    @cached_property
    def _completed(self) -> Inputs:
        from rulemine.arrays import read_arrays

        return self._inputs.completed(*read_arrays(self._done["select"].folder, ("proved",)))

    @cached_property
    def _words(self) -> str | None:
        """The stage in which a model is asked for words; None: there is none."""
        stage = "ask" if self.kind.wording.writes else "verbalize"
        return None if self.recipe.verbalizer.name == "template" else stage

    @cached_property
    def _skipped(self) -> dict[str, str]:
        """The stages that this recipe does not have, and why."""
        skipped = dict[str, str]()
        if not self.recipe.own.has("questions.max_answer_share"):
            skipped["balance"] = "its questions are drawn within the limits of their kind"
        if self.kind.wording.writes:
            skipped["verbalize"] = "its questions are written in the stage ask"
        if self.recipe.selection.mode == "none":
            skipped |= dict.fromkeys(("mine", "ground"), "nothing is removed")
        if self.recipe.selection.mode == "brink":
            skipped["ground"] = "the published selection enumerates groundings on its own"
        if self._words is None and not self.kind.wording.writes:
            skipped["verbalize"] = "its questions are templates; give --model NAME"
        mode = self.recipe.selection.mode
        if mode == "brink" or all(file.name != UNPROVABLE for file in self.kind.files):
            skipped["twin"] = (
                "only questions of the kind rules have twins, not by the published selection"
            )
        return skipped

    # Results of stages, read from their files.

    @cached_property
    def mined_rules(self) -> "tuple[Rule, ...]":
        """The rules, mined or given; none where nothing is removed."""
        return read_rules(self._done["mine"].folder / "rules.jsonl") if "mine" in self._done else ()

    @cached_property
    def rules(self) -> "tuple[Rule, ...]":
        """The rules that may prove something; all of them in mode ``brink``."""
        if "ground" not in self._done:
            return self.mined_rules
        return read_rules(self._done["ground"].folder / "rules.jsonl")

    @cached_property
    def _types(self) -> Any:
        """The source of the entity types, and entity → its types; "" and {} where the release has none."""
        if "type_table" in self.inputs.own:
            return self.inputs["type_table"]
        types, every = self.inputs.types, enumerate(self.inputs.kg.entities)
        return types.source, {entity: types.labels(types.of(i)) for i, entity in every}

    @cached_property
    def setting(self) -> "Setting":
        """What may be removed from the graph."""
        return self._setting_of(self.inputs.kg)

    def _setting_of(self, kg: "KnowledgeGraph") -> "Setting":
        from rulemine.removal.setting import Setting

        if self.recipe.selection.mode == "brink":
            return Setting.of(kg)
        return Setting.of(
            kg,
            self.inputs.templates.declarations,
            excluded=self.inputs.excluded,
            max_prior=self.recipe.selection.max_prior,
            max_answers=self.recipe.questions.max_answers,
            earlier=self.inputs.earlier,
            restated=self.recipe.restated,
        )

    @cached_property
    def groundings(self) -> "Groundings | None":
        """The groundings, or a sample of them; None where a user names what is missing."""
        from rulemine.rules.grounding import read_groundings

        if self.recipe.selection.mode == "given":
            return None
        return read_groundings(self._done["ground"].folder, self.rules)

    @cached_property
    def selection(self) -> "Selection":
        """The removed triples, with their certificates."""
        from rulemine.removal.selection import read_selection

        return read_selection(self._done["select"].folder, self.rules)

    @property
    def asked(self) -> "QuestionSet":
        """The questions before any limit on what they share."""
        return self._asked("ask")

    def _asked(self, stage: str) -> "QuestionSet":
        from rulemine.release.question_set import read_question_set

        if stage not in self._made:  # the stage before is not asked for again
            self._made = {stage: read_question_set(self._done[stage].folder)}
        return self._made[stage]

    def _before(self, stage: str) -> str:
        """The stage whose questions are the input of a stage."""
        before = {"balance": "ask", "verbalize": "balance", "split": "verbalize"}[stage]
        return self._before(before) if before in self._skipped else before

    def _hand_on(self, stage: str, folder: Path, asked: "QuestionSet") -> None:
        from rulemine.release.question_set import write_question_set

        write_question_set(folder, asked)
        self._made = {stage: asked}

    def _trace(self) -> "ModelTrace | None":
        """The traces of models from all stages, as one; None where there is none."""
        from rulemine.release.contents import JOURNAL, merged, read_trace

        folders = (done.folder for done in self._done.values())
        return merged([read_trace(at.joinpath) for at in folders if (at / JOURNAL).exists()])

    @cached_property
    def _rules_refused(self) -> int | None:
        """How many rules are refused by a standard of proof alone; None: there is none."""
        if not self.inputs.standards:
            return None
        from rulemine.rules.confidence import confident_rules, refused

        chosen = self.recipe.selection
        found = confident_rules(
            self.mined_rules,
            self.inputs.excluded,
            min_sure_confidence=chosen.min_sure_confidence,
        )
        return sum(refused(rule, self.inputs.standards) for rule in found)

    def _stage(
        self, name: str, version: int, options: dict[str, Any], work: Callable[[Path], None]
    ) -> Stage:
        inputs = {"kg": self.inputs.kg.digest} | {n: done.digest for n, done in self._done.items()}
        if (missing := self.inputs.missing) is not None:
            inputs |= {"left": missing.left.digest, "removed": missing.named.digest}
        if name in ("select", "ask") and self.recipe.not_in:
            options = {**options, "not_in": sorted(self.recipe.not_in)}
        return Stage(name, version, options, inputs, work)

    def _mine(self) -> Stage:
        def work(folder: Path) -> None:
            from rulemine.mining import explain_no_rules

            self.mined_rules = tuple(self.inputs.rules if self.recipe.rules else self._mined())
            if not self.mined_rules:
                why = explain_no_rules(self.inputs.left, self.recipe.mining)
                raise NoInferenceError(f"{self.recipe.kg}: {why}")
            write_rules(folder / "rules.jsonl", self.mined_rules)
            if self.inputs.rules_with_unknown_names:
                write_rules(folder / RULES_WITH_UNKNOWN_NAMES, self.inputs.rules_with_unknown_names)

        options: dict[str, Any] = to_json(self.recipe.mining)
        if self.inputs.amie is not None:
            options["amie_jar"] = self.inputs.amie.digest
        if self.recipe.rules:
            given = (*self.inputs.rules, *self.inputs.rules_with_unknown_names)
            options = {"rules": [rule_to_json(rule) for rule in given]}
        return self._stage("mine", 3, options, work)

    def _mined(self) -> "Sequence[Rule]":
        from rulemine.mining import TimeLimit, mine

        kg, options, resources = self.inputs.left, self.recipe.mining, self.context.resources
        if self.inputs.amie is None:
            most, run = self.context.most_rules, self.context.mines
            return mine(kg, options, resources, self._progress, most=most, run=run)
        if resources.thread_count > 1 and resources.threads:
            self.context.on_warning(
                "AMIE gets one thread: with more, its rules differ from run to run."
            )
        return self.inputs.amie.mine(kg, options, replace(resources, threads=1), TimeLimit(None))

    def _ground(self) -> Stage:
        chosen = self.recipe.selection

        def work(folder: Path) -> None:
            from rulemine.removal.steps import ground_eligible
            from rulemine.rules.grounding import write_groundings

            self.rules, self.groundings = ground_eligible(
                self.recipe, self.inputs, self.mined_rules, self._progress, self.context.run
            )
            write_rules(folder / "rules.jsonl", self.rules)
            if self.groundings is not None:
                write_groundings(folder, self.groundings)

        options = {
            "sample": chosen.groundings_per_rule,
            "seed": self.recipe.seed,
            "dropped": sorted(self.inputs.excluded),
            "min_rare_confidence": chosen.min_rare_confidence,
            "max_prior": chosen.max_prior,
            "standards": [to_json(one) for one in self.inputs.standards],
            "min_sure_confidence": chosen.min_sure_confidence,
        }
        return self._stage("ground", 9, options, work)

    def _select(self) -> Stage:
        chosen = self.recipe.selection

        def work(folder: Path) -> None:
            from rulemine.arrays import write_arrays
            from rulemine.removal.selection import Selection, write_selection
            from rulemine.removal.steps import explain_missing, explain_priors, prove, remove

            if chosen.mode == "none":
                write_selection(folder, Selection.of_nothing())
                return
            if (missing := self.inputs.missing) is not None:
                proved, found = prove(
                    missing, self.rules, self._setting_of, self.recipe.seed, self._progress
                )
                write_arrays(folder, proved=proved)
                write_selection(folder, found)
                self._tell(folder, explain_missing(found))
                return
            groundings = None if chosen.mode == "brink" else self.groundings
            self._tell(folder, explain_priors(chosen, self.setting))
            found = remove(self.recipe, self.setting, self.rules, groundings, self._progress)
            write_selection(folder, found)
            # Of a large graph it takes much memory, and no later stage asks for it.
            del self.setting

        if chosen.mode == "none":
            return self._stage("select", 4, {"mode": "none"}, work)
        readings = self.inputs.templates.declarations.readings.items()
        options = {
            **to_json(chosen),
            "seed": self.recipe.seed,
            "dropped": sorted(self.inputs.excluded),
            "max_answers": self.recipe.questions.max_answers,
            "restated": self.recipe.restated,
            "declarations": {r: list(row) for r, row in readings if chosen.mode != "brink"},
        }
        # Other stages apply the first two; which levels are written as graphs changes none of a triple.
        for name in ("per_type", "min_sure_confidence", "levels"):
            del options[name]
        return self._stage("select", 7, options, work)

    def _tell(self, folder: Path, text: str) -> None:
        """Warns, now and whenever the stage is reused; of "" it does nothing."""
        if text:
            self.context.on_warning(text)
            write_text(folder / NOTE, text)

    def _ask(self) -> Stage:
        from rulemine.kinds.asking import options_of

        inputs = self.inputs

        def work(folder: Path) -> None:
            from rulemine.kinds.asking import Asking
            from rulemine.kinds.writing import opened
            from rulemine.release.writer import write_trace

            context = self.context
            with opened(
                inputs,
                self.folder,
                asks=self._words == "ask",
                replay=context.replay,
                note=context.on_warning,
                status=context.on_status,
            ) as writing:
                asked = Asking(inputs, self.selection, self._progress, writing, context.run).run()
                if (trace := writing.trace(inputs)) is not None:
                    write_trace(folder, trace)
            self._hand_on("ask", folder, asked)

        options = {
            "seed": self.recipe.seed,
            "templates": inputs.templates.to_plain(),
            "reference": inputs.reference.digest if inputs.reference else "",
            "restated": self.recipe.restated,
            "implied": sorted(rule.id for rule in inputs.implied),
            "labels": digest_of(
                dump_line(
                    [*sorted(inputs.labels.items()), *sorted(inputs.aliases.items())]
                ).encode()
            ),
            **options_of(inputs),
        }
        return self._stage("ask", 41, options, work)

    def _balance(self) -> Stage:
        def work(folder: Path) -> None:
            asked, note = self._asked("ask"), self.context.on_warning
            self._hand_on("balance", folder, self.kind.limits.kept(self.recipe, asked, note))

        chosen = self.recipe.questions
        options = {
            "limits": [
                chosen.max_answer_share, chosen.max_relation_share, chosen.max_questions,
                self.recipe.selection.per_type,
            ],
            "mode": self.recipe.selection.mode,
            "seed": self.recipe.seed,
        }  # fmt: skip
        return self._stage("balance", 7, options, work)

    def _verbalize(self) -> Stage:
        def work(folder: Path) -> None:
            from rulemine.builder.verbalize_stage import verbalize_questions
            from rulemine.release.writer import write_trace

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
        return self._stage("verbalize", 10, options, work)

    def _split(self) -> Stage:
        chosen, seed = self.recipe.questions, self.recipe.seed

        def work(folder: Path) -> None:
            from rulemine.kinds.bounds import Bounds, of_proofs
            from rulemine.kinds.split import split, within_bounds
            from rulemine.release.proof_triples import RemovedFacts

            before, kg = self._asked(self._before("split")), self.inputs.kg
            facts = RemovedFacts(kg.labeled(self.selection.head))
            texts = {row.entity: row.text for row in before.names}
            free = self.recipe.selection.mode == "brink"

            def bounds(core: int) -> Bounds:
                rules = self.selection.rules
                return Bounds() if free else Bounds(of_proofs(kg, rules, facts, core, texts))

            most = None if free else chosen.max_facts
            questions = split(
                before.questions, chosen.split, chosen.ratios, seed, chosen.test_core, most, bounds
            )
            asked = replace(before, questions=tuple(questions))
            if not free:
                asked = within_bounds(
                    asked,
                    bounds,
                    seed,
                    partial(self.kind.limits.kept, self.recipe),
                    self.context.on_warning,
                )
            self._hand_on("split", folder, asked)

        options = {
            "mode": chosen.split,
            "ratios": chosen.ratios,
            "test_core": chosen.test_core,
            "max_facts": chosen.max_facts,
            "seed": seed,
        }
        return self._stage("split", 13, options, work)

    def _twin(self) -> Stage:
        def work(folder: Path) -> None:
            from rulemine.removal.twins import twins_of

            test = [q for q in self._asked("split").questions if q.split == "test"]
            declared, seed = self.inputs.templates.declarations, self.recipe.seed
            self._twins = twins_of(
                self.inputs.kg, declared, self.selection, test, seed, self._progress
            )
            write_jsonl(folder / UNPROVABLE, self._twins)

        return self._stage("twin", 2, {"seed": self.recipe.seed}, work)

    @cached_property
    def _twins(self) -> "tuple[Twin, ...]":
        """The twins of test questions; none where the stage is skipped."""
        if "twin" not in self._done:
            return ()
        return read_records(self._done["twin"].folder / UNPROVABLE, Twin)

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
                "triples themselves (--kind rules), or about the graph as it is (--set selection.share=0)."
            )

    def _release(self) -> Stage:
        config = self.recipe.portable(self.inputs.prompt_naming)
        about = self.inputs.about(self._types[0])

        def work(folder: Path) -> None:
            from rulemine.release.writer import write_release

            self._check_missing()
            write_release(folder, self._parts(config, about), self.recipe.naming)

        templates = self.inputs.templates.to_plain()  # those of no question, too
        return self._stage(
            "release", 14, {"recipe": config, "about": about, "templates": templates}, work
        )

    def _parts(self, config: dict[str, Any], about: dict[str, Any]) -> "ReleaseParts":
        """The parts of the release, from the results of the stages."""
        from rulemine.builder.assemble import count_model, removals_of
        from rulemine.release.contents import ReleaseParts
        from rulemine.rules.rule import sort_rules

        kg, selection, asked = self.inputs.kg, self.selection, self._asked("split")
        refused = {} if self._rules_refused is None else {"rules_refused": self._rules_refused}
        counts = {name: n for name, n in asdict(selection.counts).items() if n >= 0}
        iris = {"relation_iris": dict(kg.relation_iris)} if kg.relation_iris else {}
        trace, records = self._trace(), {**asked.records, UNPROVABLE: self._twins}
        return ReleaseParts(
            naming="entity",
            config=config,
            source={**about, "digest": kg.digest, "duplicates": kg.duplicates, **iris},
            complete=kg,
            reference=asked.reference,
            levels=tuple(config["selection"]["levels"]) or (100,),
            removals=removals_of(kg, selection),
            rules=sort_rules(selection.rules),
            questions=asked.questions,
            rejections=asked.rejections,
            names=asked.names,
            templates=self.inputs.templates,
            model_counts=count_model(trace),
            selection_counts={"rules_mined": len(self.mined_rules), **refused, **counts},
            trace=trace,
            types=self._types[1] or None,
            sampling_counts=asked.sampling,
            graph=self.inputs["property_graph"] if "property_graph" in self.inputs.own else None,
            records={
                file.name: tuple(file.made(records.get(file.name, ()), asked.questions, config))
                for file in self.kind.files
            },
        )
