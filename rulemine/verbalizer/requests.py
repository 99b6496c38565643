"""The calls of the verbalizer: what a model is asked, with its parameters and schema.

Guarantee: the same means and arguments give the same call, and what is random is drawn from the seed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rulemine.kg.graph import Triple
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import Glosses
from rulemine.seeds import stream
from rulemine.verbalizer.briefs import Brief
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.replies import SCHEMAS

__all__ = ["Calls", "round_trip_choices"]

MOST_CHOICES = 50
"""Relations that a round trip chooses from at most."""

MOST_QUOTED = 300
"""Characters that are quoted of an earlier attempt, and of the reason against it."""

SEEDS = 2**31
"""Seeds of calls are below this: some servers keep them in 32 bits."""


Earlier = Iterable[tuple[str, str]]
Blocks = Mapping[str, Sequence[Mapping[str, str]]]


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
    _choices: dict[str, list[dict[str, str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def question(self, brief: Brief, earlier: Earlier) -> Call:
        """Asks for a question.

        Args:
            brief: What it is about.
            earlier: The texts so far, and what was wrong with each.
        """
        return self._about(brief, "question", {}, {"earlier": _rows(earlier)})

    def paraphrase(
        self, brief: Brief, questions: Sequence[str], count: int, earlier: Earlier
    ) -> Call:
        """Asks for `count` further wordings of a question that has at least one; else as `question`."""
        texts = [{"text": text} for text in questions]
        blocks = {"questions": texts, "earlier": _rows(earlier)}
        return self._about(brief, "paraphrase", {"count": str(count)}, blocks)

    def audit(self, brief: Brief, question: str) -> Call:
        """Asks the second model whether a question, the direction and the removed triple agree."""
        return self._about(brief, "audit", {"question": question}, {})

    def round_trip(self, brief: Brief, question: str) -> Call:
        """Asks which relation and which end of it a question asks for, see `round_trip_choices`."""
        relation = brief.question.relation
        if relation not in self._choices:  # every text of a relation has the same
            names = round_trip_choices(relation, self.glosses, self.seed)
            self._choices[relation] = [
                {"relation": name, "statement": self.glosses[name].state("S", "O")}
                for name in names
            ]
        blocks = {"relations": self._choices[relation]}
        return self._call("round_trip", brief.question.id, {"question": question}, blocks)

    def gloss(self, relation: str, samples: Sequence[Triple], earlier: Earlier) -> Call:
        """Asks what a relation means, of which some triples are shown."""
        rows = [{"subject": s, "object": o} for s, _, o in samples]
        values = {"relation": relation, "language": self.chosen.language}
        blocks = {"samples": rows, "earlier": _rows(earlier)}
        return self._call("gloss", relation, values, blocks)

    def _about(self, brief: Brief, purpose: str, more: Mapping[str, str], blocks: Blocks) -> Call:
        """A call that tells what there is to know about a question."""
        subject, relation, object_ = brief.removed
        values = {
            "subject": subject,
            "relation": relation,
            "object": object_,
            "topic": brief.topic_name,
            "answer": brief.hard_answer.name_in(brief.naming),
            "meaning": brief.gloss.state(subject, object_),
            "asked": brief.asked,
            "names": self.prompts.names[brief.naming],
            "language": self.chosen.language,
            **more,
        }
        context = {"context": [{"fact": fact} for fact in brief.context]}
        return self._call(purpose, brief.question.id, values, {**context, **blocks})

    def _call(self, purpose: str, subject: str, values: Mapping[str, str], blocks: Blocks) -> Call:
        chosen = self.chosen
        return Call(
            purpose=purpose,
            subject=subject,
            model=chosen.judge_model if purpose == "audit" else chosen.model,
            messages=self.prompts.messages(purpose, values, blocks),
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature if chosen.temperature >= 0 else None,
            seed=self.seed % SEEDS,
            schema=SCHEMAS[purpose],
        )


def _rows(earlier: Earlier) -> list[dict[str, str]]:
    """Earlier texts and reasons, each on one line and cut to a decent length."""
    return [{"text": _quoted(text), "reason": _quoted(reason)} for text, reason in earlier]


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_QUOTED else f"{line[:MOST_QUOTED]}…"


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

    def endless(name: str) -> str:
        return glosses[name].statement.replace("{subject}", "{}").replace("{object}", "{}")

    same = endless(relation)
    others = [row.relation for row in glosses.rows if endless(row.relation) != same]
    if len(others) >= MOST_CHOICES:
        words, mine = glosses.words, glosses.words[relation]
        drawn = stream(seed, "round_trip", relation).permutation(len(others)).tolist()
        near = {
            name: (-len(mine & words[name]) / len(mine | words[name]), place)
            for name, place in zip(others, drawn, strict=True)
        }
        others = sorted(others, key=near.__getitem__)[: MOST_CHOICES - 1]
    return tuple(sorted([relation, *others]))
