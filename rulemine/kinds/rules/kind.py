"""The kind ``rules`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rulemine.codec import to_json
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import pairs
from rulemine.kinds.rules.options import RuleSection
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kg.graph import Triple
    from rulemine.kg.index import Ints
    from rulemine.kinds.rules.balance import Limits
    from rulemine.phrasing.templates import Templates
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.inputs import QuestionInput
    from rulemine.verbalizer.prompts import Prompts

__all__ = ["KIND"]


class RuleKind(BuildingKind):
    """Questions about single removed triples; methods as of `BuildingKind`."""

    name = "rules"
    Options = RuleSection
    amount = "selection.per_rule"
    asks_each = True
    block = imported("rulemine.kinds.rules.block:RuleBlock")
    drafts = imported("rulemine.kinds.rules.ask:drafts")
    groups = imported("rulemine.kinds.rules.groups:GROUPS")
    form = imported("rulemine.kinds.rules.groups:FORM")
    page = imported("rulemine.kinds.rules.page:RULE_PAGE")
    view = imported("rulemine.kinds.rules.show:rule_view")
    strata: ClassVar = {
        "relation": lambda q: q.relations,
        "direction": lambda q: ((*q.relations, q.block.direction),),
        "rule_type": lambda q: ((q.block.rule_type, q.block.rule_subtype),),
        "core": lambda q: (q.core,),
    }
    scores = ("hard_f1", "hhr", "hits_hard", "hits_any", "precision", "f1")
    baseline_scores = BuildingKind.baseline_scores[:-1]

    def prompts(self, source: str) -> "Prompts":
        """Those of structures may be missing."""
        from rulemine.verbalizer.prompts import load_prompts

        return load_prompts(source, ("structures", "structure_question", "structure_audit"))

    def about(self, question: "Question") -> "tuple[Triple, str, str, str]":
        """Its query follows from the rest."""
        return question.removed[0], question.block.direction, question.rules[0], ""

    def types(self, inputs: "Inputs") -> tuple[str, dict[str, tuple[str, ...]]]:
        """None."""
        return "", {}

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """How questions are merged, and the most answers of one."""
        recipe = inputs.recipe
        return {"mode": recipe.selection.mode, "max_answers": recipe.questions.max_answers}

    def to_verbalize(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.verbalizer.inputs.make_inputs`."""
        from rulemine.verbalizer.inputs import make_inputs

        naming, seed = inputs.prompt_naming, inputs.recipe.seed
        return make_inputs(asked, inputs.kg, removed, inputs.glosses, naming, seed)

    def warning(
        self, stage: str, recipe: "Recipe", before: "QuestionSet", after: "QuestionSet"
    ) -> str:
        """Which limits leave few questions; which groups are too large to be split well."""
        if stage == "balance":
            from rulemine.kinds.rules.balance import explain_few

            return explain_few(before, after)
        from rulemine.kinds.split import explain_lopsided

        chosen = recipe.questions
        return explain_lopsided(after.questions, chosen.ratios) if chosen.split == "group" else ""

    def limits(self, recipe: "Recipe") -> dict[str, Any]:
        """Those of `balance`."""
        limits = to_json(_limits(recipe))
        return {"limits": limits, "mode": recipe.selection.mode, "seed": recipe.seed}

    def limited(self, recipe: "Recipe", asked: "QuestionSet") -> "QuestionSet":
        """See `rulemine.kinds.rules.balance`."""
        from rulemine.kinds.rules.balance import balance, balance_as_published

        if recipe.selection.mode == "brink":
            return balance_as_published(asked, recipe.questions.max_answer_share, recipe.seed)
        return balance(asked, _limits(recipe), recipe.seed)

    def dealt_by(self, question: "Question") -> tuple[tuple[Hashable, ...], ...]:
        """Relations with their directions, and types of rules; in the core as in the whole."""
        (relation,), own, core = question.relations, question.block, question.core
        return (
            ("relation", relation),
            ("direction", relation, own.direction),
            ("type", own.rule_type, own.rule_subtype),
            ("core", core),
            ("relation in the core or outside", core, relation),
            ("type in the core or outside", core, own.rule_type, own.rule_subtype),
        )

    def ties(self, questions: "Sequence[Question]") -> Iterator[Collection[Hashable]]:
        """What is asked, all that is removed, and pairs of topic and answer that a question asks for."""
        hard = {pair for q in questions for pair in pairs(q.anchors, q.hard_answers)}
        for q in questions:
            asked = (*q.relations, q.block.direction, q.anchors)
            needed = {triple for row in q.hard for triple in row.witness}
            given = hard.intersection(pairs(q.anchors, q.answers))
            yield {asked, *q.removed, *q.evidence, *needed, *given}

    def ends(self, question: "Question") -> tuple[str]:
        """The one that is asked for."""
        return (question.block.direction,)

    def text(self, question: "Question", templates: "Templates", *, articles: bool) -> str:
        """The text of its relation's template."""
        template, several = templates[question.relations[0]], len(question.answers) > 1
        return template.ask(
            question.block.direction, question.topic, several=several, articles=articles
        )


def _limits(recipe: "Recipe") -> "Limits":
    from rulemine.kinds.rules.balance import Limits

    chosen = recipe.questions
    return Limits(
        chosen.max_answer_share,
        chosen.max_relation_share,
        recipe.selection.per_type,
        chosen.max_questions,
    )


KIND = RuleKind()
