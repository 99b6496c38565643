"""Decides what candidates are written: of which subgraph, how many triples, and which form.

Guarantee: a task depends on its number, and if it grows another or is for what is lacking, on what was
accepted before its batch.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulemine.arrays import distinct
from rulemine.kg.entity_names import EntityNames
from rulemine.kinds.graded import Graded
from rulemine.kinds.subgraphs.aiming import Aimer
from rulemine.kinds.subgraphs.growing import Grower
from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.kinds.subgraphs.validation import Valid
from rulemine.kinds.written.candidate import FORMS, Task, Writer
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.tree import Query
from rulemine.recipe.inputs import Inputs
from rulemine.removal.selection import Selection
from rulemine.seeds import Stream, stream

if TYPE_CHECKING:  # builds without a model load nothing of a session
    from rulemine.kinds.written.model_writer import WritingCalls
    from rulemine.llm.session import Session

__all__ = ["Drafting"]

Grade = Callable[[Query], Graded | str]


class Drafting:
    """The tasks of a build, and who does them.

    Args:
        inputs: The inputs of the build.
        selection: What is removed.
        names: The names of all entities.

    Attributes:
        writer_names: The names of the entities of the complete graph, as writers use them.
        calls: Makes calls of the model; None: no model is named.
    """

    def __init__(self, inputs: Inputs, selection: Selection, names: Sequence[EntityNames]) -> None:
        recipe = inputs.recipe
        self._options, self._seed = recipe.own, recipe.seed
        naming = inputs.prompt_naming
        self.writer_names = WriterNames.of(inputs.kg, names, naming)
        self._script = ScriptedWriter(
            self.writer_names, inputs.templates, recipe.seed, articles=naming == "text"
        )
        ends = distinct(inputs.kg.triples[selection.removed][:, [0, 2]])
        at_removed = self._options.start == "removed" and len(ends)
        start = ends.astype(np.int64) if at_removed else None
        self._sampler = Sampler(inputs.kg, self._options, inputs.excluded, start)
        self._grower = Grower(self._sampler)
        self.calls = _calls(inputs, self.writer_names)

    def aimer(self, inputs: Inputs, selection: Selection, graded: Grade) -> Aimer:
        """What draws tasks for what a release lacks; arguments as of `Aimer`."""
        return Aimer(self._sampler, self._options, inputs.templates, selection, self._seed, graded)

    def task(
        self,
        number: int,
        parents: Sequence[tuple[Valid, Task]],
        aimed: Callable[[int], Task | None] = lambda _number: None,
    ) -> Task:
        """The task of a number.

        Args:
            number: Its number, from 0.
            parents: What was accepted so far and may be grown.
            aimed: The task of a number for what is lacking, if there is any; tried for seven of eight.
        """
        random = stream(self._seed, "subgraphs", "task", number)
        chance, options = float(random.uniform(1)[0]), self._options
        form = FORMS[0]
        if chance < options.count_share + options.without_share:
            form = "count" if chance < options.count_share else "without"
        if parents and random.uniform(1)[0] < options.grow:
            valid, task = parents[random.below(len(parents))]
            if (grown := self._grown(number, valid, task)) is not None:
                return grown
        if form == FORMS[0] and number % 8 and (found := aimed(number)) is not None:
            return found
        return self._drawn(number, form, random)

    def _drawn(self, number: int, form: str, random: Stream) -> Task:
        subgraph = self._sampler.draw(stream(self._seed, "subgraphs", "draw", number))
        sizes = self._options.atoms
        fitting = [size for size in sizes if size < len(subgraph.nodes)] or sizes
        return Task(number, subgraph, fitting[random.below(len(fitting))], form)

    def _grown(self, number: int, valid: Valid, task: Task) -> Task | None:
        """A task that adds a triple to what was accepted; None where nothing can be added."""
        if task.atoms + 1 not in self._options.atoms:
            return None
        random = stream(self._seed, "subgraphs", "grow", number)
        triples = self.writer_names.kg.triples
        known = {*triples[list(valid.rows)][:, [0, 2]].flat}
        seeds = known.intersection(valid.seeds)  # without those of what is taken away
        subgraph = self._grower.grow(valid.rows, valid.answer, seeds, random, str(task.number))
        if subgraph is None:
            return None
        given = subgraph.rows[: task.atoms + 1]
        s, _, o = triples[given[-1]].tolist()
        answer = valid.answer
        if answer in (s, o):  # it grew there, and what lies beyond is the answer now
            answer = o if s in known else s
        return Task(number, subgraph, len(given), given=given, answer=answer)

    def writer(self, session: "Session | None") -> Writer:
        """Who writes: the model, if there is a session, else the scripted writer."""
        if session is None or self.calls is None:
            return self._script
        from rulemine.kinds.written.model_writer import ModelWriter

        return ModelWriter(self.calls, session)


def _calls(inputs: Inputs, names: WriterNames) -> "WritingCalls | None":
    if inputs.recipe.verbalizer.name == "template":
        return None
    from rulemine.kinds.written.model_writer import WritingCalls

    return WritingCalls(inputs.recipe, inputs.prompts, names, inputs.glosses)
