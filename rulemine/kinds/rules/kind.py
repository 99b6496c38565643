"""The kind ``rules`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rulemine.codec import to_json
from rulemine.errors import ConfigError
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import ONE_WRITER, Amounts, Input, KindOptions, Splits, Wording, pairs
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kg.graph import Triple
    from rulemine.kg.index import Ints
    from rulemine.phrasing.templates import Templates
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.inputs import QuestionInput
    from rulemine.verbalizer.prompts import Prompts

__all__ = ["KIND"]


@dataclass(frozen=True, slots=True)
class RuleSection(KindOptions):
    """No options of its own: the kind ``rules`` has those of the sections ``questions`` and ``selection``."""

    lacks: ClassVar = ONE_WRITER
    drafted: ClassVar = (
        ("questions.test_core", 500, "two systems nine points apart can be told apart"),
    )

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if recipe.selection.mode == "none":
            raise ConfigError(
                f"selection.mode: is none (selection.share is 0), and questions of the kind {recipe.kind} "
                "ask for removed triples. Name another kind (--kind structures), or remove something."
            )


class RuleSplits(Splits):
    """What questions share."""

    def dealt_by(self, question: "Question") -> Hashable:
        """Its relation with the direction, in the core or outside."""
        return question.core, question.relations, question.block.direction

    def ties(self, questions: "Sequence[Question]") -> Iterator[Collection[Hashable]]:
        """What is asked, all that is removed, and pairs of topic and answer that a question asks for."""
        hard = {pair for q in questions for pair in pairs(q.anchors, q.hard_answers)}
        for q in questions:
            asked = (*q.relations, q.block.direction, q.anchors)
            needed = {triple for row in q.hard for triple in row.witness}
            given = hard.intersection(pairs(q.anchors, q.answers))
            yield {asked, *q.removed, *q.evidence, *needed, *given}


class RuleLimits(Amounts):
    """What bounds the number of questions."""

    def warning(
        self, stage: str, recipe: "Recipe", before: "QuestionSet", after: "QuestionSet"
    ) -> str:
        """Which limits leave few questions."""
        from rulemine.kinds.rules.balance import explain_few

        return explain_few(before, after) if stage == "balance" else ""

    def options(self, recipe: "Recipe") -> dict[str, Any]:
        """Those of `balance`."""
        return {
            "limits": to_json(_limits(recipe)),
            "mode": recipe.selection.mode,
            "seed": recipe.seed,
        }

    def kept(self, recipe: "Recipe", asked: "QuestionSet") -> "QuestionSet":
        """See `rulemine.kinds.rules.balance`."""
        from rulemine.kinds.rules.balance import balance, balance_as_published

        if recipe.selection.mode == "brink":
            return balance_as_published(asked, recipe.questions.max_answer_share, recipe.seed)
        return balance(asked, _limits(recipe), recipe.seed)


class RuleWording(Wording):
    """How a model words questions."""

    def prompts(self, source: str) -> "Prompts":
        """Those of structures may be missing."""
        from rulemine.verbalizer.prompts import load_prompts

        return load_prompts(source, ("structures", "structure_question", "structure_audit"))

    def about(self, question: "Question") -> "tuple[Triple, str, str, str]":
        """Its query follows from the rest."""
        return question.removed[0], question.block.direction, question.rules[0], ""

    def inputs(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.verbalizer.inputs.make_inputs`."""
        from rulemine.verbalizer.inputs import make_inputs

        naming, seed = inputs.prompt_naming, inputs.recipe.seed
        return make_inputs(asked, inputs.kg, removed, inputs.glosses, naming, seed)


class RuleKind(BuildingKind):
    """Questions about single removed triples; methods as of `BuildingKind`."""

    name = "rules"
    Options = RuleSection
    block = imported("rulemine.kinds.rules.block:RuleBlock")
    drafts = imported("rulemine.kinds.rules.ask:drafts")
    page = "release/card/card.md"
    groups = imported("rulemine.kinds.rules.groups:GROUPS")
    splits = RuleSplits()
    limits = RuleLimits()
    wording = RuleWording()
    inputs = (Input("type_table", lambda _inputs: ("", {})),)  # its releases have none

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """How questions are merged, and the most answers of one."""
        recipe = inputs.recipe
        return {"mode": recipe.selection.mode, "max_answers": recipe.questions.max_answers}

    def text(self, question: "Question", templates: "Templates", *, articles: bool) -> str:
        """The text of its relation's template."""
        asked = question.relations[0], question.block.direction, question.topic
        return templates.ask(*asked, articles=articles)


def _limits(recipe: "Recipe") -> Any:
    from rulemine.kinds.rules.balance import Limits

    return Limits(
        recipe.questions.max_answer_share,
        recipe.questions.max_relation_share,
        recipe.selection.per_type,
        recipe.questions.max_questions,
    )


KIND = RuleKind()
