"""The kind ``cypher`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.cypher.options import CypherSection
from rulemine.kinds.kind import Amounts, Wording
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kg.index import Ints
    from rulemine.kinds.asking import Asking
    from rulemine.kinds.bounds import Bound
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.checks import QuestionInput

__all__ = ["KIND"]


class CypherWording(Wording):
    """How a model words questions."""

    prompts = "kinds/cypher/words/prompts.toml"

    def inputs(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.kinds.cypher.words.dialogue.make_cypher_inputs`."""
        from rulemine.kinds.cypher.words.dialogue import make_cypher_inputs

        schema, naming = inputs["property_graph"].schema, inputs.prompt_naming
        return make_cypher_inputs(asked, schema, inputs.glosses, inputs.templates, naming)


class CypherKind(BuildingKind):
    """Questions over a property graph, as text and as Cypher; methods as of `BuildingKind`."""

    name = "cypher"
    Options = CypherSection
    answers = imported("rulemine.kinds.cypher.answers:RowAnswers")
    block = imported("rulemine.kinds.cypher.block:CypherBlock")
    drafts = imported("rulemine.kinds.cypher.ask:drafts")
    inputs = imported("rulemine.kinds.cypher.graph:INPUTS")
    page = imported("rulemine.kinds.cypher.page:CYPHER_PAGE")
    groups = imported("rulemine.kinds.cypher.groups:GROUPS")
    limits = Amounts("cypher.per_template")
    wording = CypherWording()

    def parts(self, asking: "Asking") -> "Mapping[Hashable, int]":
        """As many questions of each MATCH template."""
        from rulemine.cypher.questions.templates import MATCHES

        return dict.fromkeys(MATCHES, asking.options.per_template)

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """The matches alone: an aggregate shares removed triples with most others."""
        # What others publish has no pattern that would be known.
        return ([*self.marks(q)] if q.block.levels else [q.query] for q in questions)

    def marks(self, question: "Question") -> Iterator[Hashable]:
        """Its matches."""
        from rulemine.cypher.questions.pattern_text import query_of

        yield query_of(question.query).match

    def bounds(self, asking: "Asking", question: "Question", split: str) -> "Iterator[Bound]":
        """Near duplicates, by the named nodes and the values of queries."""
        from rulemine.kinds.bounds import near
        from rulemine.kinds.cypher.ask import constants_of

        return near(question, constants_of(question))


KIND = CypherKind()
