"""The calls of the verbalizer: what a model is asked, with its parameters and schema.

Guarantee: the same means and arguments give the same call, and what is random is drawn from the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulemine.kg.graph import Triple
from rulemine.llm.call import Call, Message
from rulemine.phrasing.glosses import Gloss, Glosses
from rulemine.seeds import stream
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.replies import (
    AUDIT_SCHEMA,
    GLOSS_SCHEMA,
    PARAPHRASE_SCHEMA,
    QUESTION_SCHEMA,
    ROUND_TRIP_SCHEMA,
)

__all__ = ["Calls", "round_trip_choices"]

MOST_CHOICES = 50
"""Relations that a round trip chooses from at most."""

_SCHEMAS = {
    "question": QUESTION_SCHEMA,
    "paraphrase": PARAPHRASE_SCHEMA,
    "audit": AUDIT_SCHEMA,
    "round_trip": ROUND_TRIP_SCHEMA,
    "gloss": GLOSS_SCHEMA,
}

SEEDS = 2**31
"""Seeds of calls are below this: some servers keep them in 32 bits."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes the calls of a build.

    Attributes:
        prompts: What the model is told.
        chosen: Models and parameters, and what else is asked.
        seed: The seed of the build.
        glosses: What all relations mean; none where glosses are what is asked for.
    """

    prompts: Prompts
    chosen: VerbalizerSection
    seed: int
    glosses: Glosses = field(default_factory=lambda: Glosses(()))
    _choices: dict[str, list[Gloss]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def question(self, brief: Brief, earlier: Sequence[tuple[str, str]]) -> Call:
        """Asks for a question, see `Prompts.question`."""
        messages = self.prompts.question(brief, earlier, self.chosen.language)
        return self._call("question", brief.question.id, messages)

    def paraphrase(
        self,
        brief: Brief,
        questions: Sequence[str],
        count: int,
        earlier: Sequence[tuple[str, str]],
    ) -> Call:
        """Asks for `count` further wordings of a question, see `Prompts.paraphrase`."""
        messages = self.prompts.paraphrase(brief, questions, count, earlier, self.chosen.language)
        return self._call("paraphrase", brief.question.id, messages)

    def audit(self, brief: Brief, question: str) -> Call:
        """Asks the second model whether a question, the direction and the removed triple agree."""
        messages = self.prompts.audit(brief, question)
        return self._call("audit", brief.question.id, messages, self.chosen.judge_model)

    def round_trip(self, brief: Brief, question: str) -> Call:
        """Asks which relation and which end of it a question asks for, see `round_trip_choices`."""
        relation = brief.question.relation
        if relation not in self._choices:  # every text of a relation has the same
            names = round_trip_choices(relation, self.glosses, self.seed)
            self._choices[relation] = [self.glosses[name] for name in names]
        messages = self.prompts.round_trip(question, self._choices[relation])
        return self._call("round_trip", brief.question.id, messages)

    def gloss(
        self, relation: str, samples: Sequence[Triple], earlier: Sequence[tuple[str, str]]
    ) -> Call:
        """Asks what a relation means, see `Prompts.gloss`."""
        messages = self.prompts.gloss(relation, samples, earlier, self.chosen.language)
        return self._call("gloss", relation, messages)

    def _call(
        self, purpose: str, subject: str, messages: tuple[Message, ...], model: str = ""
    ) -> Call:
        temperature = self.chosen.temperature
        return Call(
            purpose=purpose,
            subject=subject,
            model=model or self.chosen.model,
            messages=messages,
            max_tokens=self.chosen.max_tokens,
            temperature=temperature if temperature >= 0 else None,
            seed=self.seed % SEEDS,
            schema=_SCHEMAS[purpose],
        )


def round_trip_choices(relation: str, glosses: Glosses, seed: int) -> tuple[str, ...]:
    """The relations that a round trip chooses from, in the order in which they are shown.

    Args:
        relation: The relation asked about; it is among them.
        glosses: What all relations mean.
        seed: Draws between relations that are equally near.

    Returns:
        Sorted by name, so that the place tells nothing. Relations whose statement has the same words as
        that of the one asked about, either way round, are left out: no question tells them apart. Where
        there are more than `MOST_CHOICES`, those come along that are nearest to the one asked about: that
        share most of the words of name and statement (intersection over union).
    """
    alike = _wording(glosses[relation].statement)
    others = [
        row.relation
        for row in glosses.rows
        if row.relation != relation and _wording(row.statement) != alike
    ]
    if len(others) >= MOST_CHOICES:
        words = glosses.words
        mine = words[relation]
        drawn = stream(seed, "round_trip", relation).permutation(len(others)).tolist()
        near = {
            name: (-len(mine & words[name]) / len(mine | words[name]), place)
            for name, place in zip(others, drawn, strict=True)
        }
        others = sorted(others, key=near.__getitem__)[: MOST_CHOICES - 1]
    return tuple(sorted([relation, *others]))


def _wording(statement: str) -> str:
    """A statement without telling which end is which."""
    return statement.replace("{subject}", "{}").replace("{object}", "{}")
