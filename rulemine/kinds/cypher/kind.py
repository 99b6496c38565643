"""The kind ``cypher`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.cypher.options import CypherSection
from rulemine.registry import imported

if TYPE_CHECKING:
    from pathlib import Path

    from rulemine.kg.index import Ints
    from rulemine.kg.property_graph.graph import PropertyGraph
    from rulemine.kinds.cypher.published import PublishedQuestions
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.inputs import QuestionInput

__all__ = ["KIND"]


class CypherKind(BuildingKind):
    """Questions over a property graph, as text and as Cypher; methods as of `BuildingKind`."""

    name = "cypher"
    Options = CypherSection
    amount = "cypher.per_template"
    tools = (("tasks", "rulemine.kinds.cypher.task_lines"),)
    answers = imported("rulemine.kinds.cypher.answers:RowAnswers")
    block = imported("rulemine.kinds.cypher.block:CypherBlock")
    drafts = imported("rulemine.kinds.cypher.ask:drafts")
    groups = imported("rulemine.kinds.cypher.groups:GROUPS")
    inputs = imported("rulemine.kinds.cypher.graph:INPUTS")
    page = imported("rulemine.kinds.cypher.page:CYPHER_PAGE")
    prompts = imported("rulemine.kinds.cypher.words.dialogue:load_cypher_prompts")
    verbalizer = imported("rulemine.kinds.cypher.words.dialogue:CypherVerbalizer")
    view = imported("rulemine.kinds.cypher.show:row_view")
    scores = ("hard_f1", "hard_recall", "hhr", "hits_hard", "hits_any", "f1")
    baselines = ("gold-cypher", "reasoner", "reasoner:confidence=0.8", "prior")
    baseline_scores = ("ex", "row_hhr", *BuildingKind.baseline_scores[:-1])

    def published(self, path: "Path") -> "PublishedQuestions | None":
        """See `rulemine.kinds.cypher.published`."""
        from rulemine.kinds.cypher.published import published_questions

        return published_questions(path)

    def gold(self, question: "Question") -> "Question":
        """With the Cypher of its query."""
        from rulemine.cypher.questions.pattern_text import query_of
        from rulemine.cypher.questions.render import columns_of, to_cypher

        query = query_of(question.query)
        block = replace(question.block, cypher=to_cypher(query), columns=columns_of(query.result))
        return replace(question, block=block)

    def to_verbalize(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.kinds.cypher.words.inputs.make_cypher_inputs`."""
        from rulemine.kinds.cypher.words.inputs import make_cypher_inputs

        schema, naming = inputs["property_graph"].schema, inputs.prompt_naming
        return make_cypher_inputs(asked, schema, inputs.glosses, inputs.templates, naming)

    def types(self, inputs: "Inputs") -> tuple[str, dict[str, tuple[str, ...]]]:
        """Those of the schema."""
        return "schema", {node.id: (node.type,) for node in inputs["property_graph"].nodes}

    def graph(self, inputs: "Inputs") -> "PropertyGraph":
        """The one that is asked about."""
        graph: PropertyGraph = inputs["property_graph"]
        return graph

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """Questions are balanced as they are made."""
        return {"balance": "its questions are balanced over the templates as they are made"}

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """The matches alone: an aggregate shares removed triples with most others."""
        from rulemine.cypher.questions.pattern_text import query_of

        # What others publish has no pattern that would be known.
        return (
            [query_of(question.query).match if question.block.levels else question.query]
            for question in questions
        )

    def cypher_templates(self, question: "Question") -> tuple[str, str, str]:
        """Those that it was made from."""
        block = question.block
        return question.structure, block.match, block.returns


KIND = CypherKind()
