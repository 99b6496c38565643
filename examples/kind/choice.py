"""Multiple choice as a kind of question: which of four entities is it, where the graph does not say?"""

from dataclasses import dataclass, replace
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
    """What only these questions have.

    Attributes:
        choices: What there is to choose from, in the order of the letters.
    """

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

    def ask(self, inputs, selection, progress, writing):
        """Asks for both ends of every removed triple."""
        from rulemine.kg.graph import DIRECTIONS
        from rulemine.kinds.graded import Grader, RemovedTriples, Wider
        from rulemine.kinds.texts import Texts
        from rulemine.query.query_graph import QueryGraph
        from rulemine.release.naming import name_entities
        from rulemine.release.question_set import QuestionSet
        from rulemine.release.records import Rejection

        kg, templates, seed = inputs.kg, inputs.templates, inputs.recipe.seed
        removed = RemovedTriples.of(len(kg), selection)
        grader = Grader(
            QueryGraph(kg, removed.levels), removed, templates.declarations,
            Wider.of(kg, inputs.further(progress)), inputs.earlier, inputs.stale,
            inputs.recipe.questions.core_only,
        )  # fmt: skip
        names = name_entities(kg.entities, seed=seed, labels=inputs.labels)
        texts, made = Texts(names, templates), {}
        for triple in kg.labeled(selection.head):
            for end in DIRECTIONS:
                if draft := self._draft(inputs, selection, grader, triple, end):
                    made[draft.query] = draft
        worded = [texts.from_template(made[query]) for query in sorted(made)]
        refused = [row for row in worded if isinstance(row, Rejection)]
        asked = [row for row in worded if not isinstance(row, Rejection)]
        questions = [replace(row, id=f"q{number:05}") for number, row in enumerate(asked, 1)]
        everything = QuestionSet((), (), names, len(kg.entities), (), templates.declarations)
        return everything.keep(questions, refused)

    def _draft(self, inputs, selection, grader, triple, end):
        """The question for an end of a removed triple; None: it cannot be asked."""
        from rulemine.query.links import expanded
        from rulemine.query.tree import Anchor, Projection
        from rulemine.seeds import stream

        s, r, o = triple
        one = Projection(r, end == "subject", Anchor(o if end == "subject" else s))
        query = expanded(one, inputs.templates.declarations)
        graded = grader.grade(query, max_answers=1)
        if isinstance(graded, str) or graded.asked_for is None:
            return None
        draws = stream(inputs.recipe.seed, "choice", query.text)
        others = self._others(inputs, selection, query, graded)
        if len(others) < (wanted := inputs.recipe.own.choices) - 1:
            return None
        some = [others[i] for i in draws.permutation(len(others))[: wanted - 1]]
        some.append(graded.asked_for.answer)
        block = ChoiceBlock(tuple(some[i] for i in draws.permutation(wanted)))
        return grader.question(self.name, graded, block)

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
