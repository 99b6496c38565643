"""Multiple choice as a kind of question: which of four entities is it, where the graph does not say?"""

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Annotated

from rulemine.config import option
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import KindOptions
from rulemine.release.records import Entity, as_given


@dataclass(frozen=True, slots=True)
class ChoiceOptions(KindOptions):
    """The section ``choice`` of a recipe.

    Attributes:
        choices: Entities that a question offers, its answer among them.
    """

    choices: int = option(4, least=2, most=len(ascii_uppercase))


@dataclass(frozen=True, slots=True)
class ChoiceBlock:
    """What only these questions have: what there is to choose from, in the order of the letters."""

    choices: Annotated[tuple[Entity, ...], as_given]


class Choice(BuildingKind):
    """Questions with a single answer, which is missing. It is offered among entities of its types.

    No graph states that one of the others is an answer, and no rule of the release proves it.
    """

    name = "choice"
    Options = ChoiceOptions
    block = ChoiceBlock

    def choices(self, question):
        """What a reply may say in place of a name: letter → entity."""
        return dict(zip(ascii_uppercase, question.block.choices, strict=False))

    def text(self, question, templates, *, articles):
        """The question of the template, and the choices."""
        asked = super().text(question, templates, articles=articles)
        listed = (f"{letter}) {name}" for letter, name in self.choices(question).items())
        return f"{asked} {', '.join(listed)}"

    def drafts(self, asking):
        """Asks for both ends of every removed triple; in the order of queries."""
        from rulemine.kg.graph import DIRECTIONS

        triples = asking.kg.labeled(asking.selection.head)
        queries = {asking.link(triple, end) for triple in triples for end in DIRECTIONS}
        for query in sorted(queries, key=lambda query: query.text):
            yield self._draft(asking, query)

    def _draft(self, asking, query):
        """The question that a query asks, or why it cannot be asked."""
        from rulemine.kinds.asking import Draft
        from rulemine.seeds import stream

        graded = asking.grade(query, max_answers=1)
        if isinstance(graded, str):
            return graded
        if graded.asked_for is None:
            return "its answer is stated"
        draws = stream(asking.seed, "choice", query.text)
        others = self._others(asking.inputs, asking.selection, query, graded)
        if len(others) < (wanted := asking.options.choices) - 1:
            return "too few entities are like its answer"
        some = [others[i] for i in draws.permutation(len(others))[: wanted - 1]]
        some.append(graded.asked_for.answer)
        return Draft(graded, ChoiceBlock(tuple(some[i] for i in draws.permutation(wanted))))

    def _others(self, inputs, selection, query, graded):
        """The entities of the types of an answer that no rule proves to be one too."""
        import numpy as np

        from rulemine.query.links import parts_of
        from rulemine.query.tree import Union
        from rulemine.rules.proofs import remaining_proofs

        kg, types = inputs.kg, inputs.types
        answer = kg.entity_ids[graded.asked_for.answer]
        like = [e for e in range(len(kg.entities)) if types.of(answer) <= types.of(e)]
        proved = np.zeros(len(like), np.int64)
        for one in parts_of(query) if isinstance(query, Union) else [query]:
            topic, relation = kg.entity_ids[one.of.entity], kg.relation_ids[one.relation]
            ends = [(e, relation, topic) if one.inverse else (topic, relation, e) for e in like]
            heads = np.array(ends, np.int32).reshape(-1, 3)
            proved += remaining_proofs(kg, selection.rules, heads).count
            proved += np.isin(like, (answer, topic))
        return [kg.entities[e] for e, n in zip(like, proved, strict=True) if not n]


KIND = Choice()
