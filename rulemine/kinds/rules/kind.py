"""The kind ``rules`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rulemine.errors import ConfigError
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import (
    ONE_WRITER,
    Amounts,
    Input,
    KindOptions,
    ReleaseFile,
    Wording,
    pairs,
)
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kg.graph import Triple
    from rulemine.kg.index import Ints
    from rulemine.phrasing.templates import Templates
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.checks import QuestionInput

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


class RuleLimits(Amounts):
    """What bounds the number of questions."""

    def kept(self, recipe: "Recipe", asked: "QuestionSet", note: Any = None) -> "QuestionSet":
        """See `rulemine.kinds.rules.balance`."""
        from rulemine.kinds.rules.balance import Limits, balance, balance_as_published, explain_few

        chosen = recipe.questions
        if recipe.selection.mode == "brink":
            return balance_as_published(asked, chosen.max_answer_share, recipe.seed)
        shares = chosen.max_answer_share, chosen.max_relation_share, recipe.selection.per_type
        made = balance(asked, Limits(*shares, chosen.max_questions), recipe.seed)
        if note and (few := explain_few(asked, made)):
            note(few)
        return made


class RuleWording(Wording):
    """How a model words questions."""

    prompts = "verbalizer/prompts.toml"
    spare = ("structures", "structure_question", "structure_audit")

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
    limits = RuleLimits()
    wording = RuleWording()
    inputs = (Input("type_table", lambda _inputs: ("", {})),)  # its releases have none

    @property
    def files(self) -> "Sequence[ReleaseFile]":
        """The twins."""
        from rulemine.release.records import UNPROVABLE, Twin

        about = "test questions asked again where no answer can be inferred"
        return (ReleaseFile(UNPROVABLE, Twin, ("question",), about),)

    def ties(self, questions: "Sequence[Question]") -> Iterator[Collection[Hashable]]:
        """What is asked, all that is removed, and pairs of topic and answer that a question asks for."""
        hard = {pair for q in questions for pair in pairs(q.anchors, q.hard_answers)}
        for q in questions:
            asked = (*q.relations, q.block.direction, q.anchors)
            needed = {triple for row in q.hard for triple in row.witness}
            given = hard.intersection(pairs(q.anchors, q.answers))
            yield {asked, *q.removed, *q.evidence, *needed, *given}

    def text(self, question: "Question", templates: "Templates", *, articles: bool) -> str:
        """The text of its relation's template."""
        asked = question.relations[0], question.block.direction, question.topic
        return templates.ask(*asked, articles=articles)


KIND = RuleKind()
