"""The calls of the verbalizer: messages, parameters and reply schema.

Guarantee: the same options and arguments give the same call; random choices are drawn from the seed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.relation_ends import RelationEnds
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import Glosses
from rulemine.seeds import stream
from rulemine.text.visible_reply import visible_reply
from rulemine.verbalizer.checks import CODES
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.replies import SCHEMAS

__all__ = ["Calls", "round_trip_choices"]

MIN_CHOICES, MAX_CHOICES = 10, 50
"""Fewest relations that a round-trip check offers, if there are as many, and most."""

MAX_QUOTED = 300
"""Most characters quoted of an earlier attempt, and of the reason why it was rejected."""

SEEDS = 2**31
"""Seeds of calls are below this: some servers keep them in 32 bits."""

Earlier = Sequence[tuple[str, str]]
Blocks = Mapping[str, Sequence[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes the calls of a build.

    Attributes:
        prompts: The prompts.
        chosen: The options: models, parameters, judge, round trip, paraphrases.
        seed: The seed of the build.
        glosses: The relation descriptions; none where the model has to write them.
        declarations: Which relations state the same facts.
        ends: Which relations join entities of the same types; None: nobody knows.
    """

    prompts: Prompts
    chosen: VerbalizerSection
    seed: int
    glosses: Glosses = field(default_factory=lambda: Glosses(()))
    declarations: Declarations = field(default_factory=Declarations)
    ends: RelationEnds | None = field(default=None, repr=False)
    _choices: dict[str, list[dict[str, str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def question(self, item: QuestionInput, earlier: Earlier) -> Call:
        """Asks for a question.

        Args:
            item: The question.
            earlier: The rejected texts so far, each with the reason; where there are any, another model is
                asked if one is named.
        """
        rows, silent = _rows(earlier)
        model = self.chosen.rewriter_model if rows else ""
        call = self._about(item, "question", {}, {"earlier": rows}, model)
        return replace(call, sample=silent)

    def paraphrase(
        self, item: QuestionInput, questions: Sequence[str], count: int, earlier: Earlier
    ) -> Call:
        """Asks for `count` paraphrases of a question, given its texts so far; else as `question`."""
        rows, silent = _rows(earlier)
        blocks = {"questions": [{"text": text} for text in questions], "earlier": rows}
        call = self._about(item, "paraphrase", {"count": str(count)}, blocks)
        return replace(call, sample=silent)

    def audit(self, item: QuestionInput, question: str) -> Call:
        """Asks the judge whether a question asks for what it should."""
        model = self.chosen.judge_model
        return self._about(item, "audit", {"question": question}, {}, model)

    def round_trip(self, item: QuestionInput, question: str) -> Call:
        """Asks which relation and which end of it a question asks for, see `round_trip_choices`."""
        (relation,) = item.question.relations
        if relation not in self._choices:  # the same for every text of a relation
            alike = None if self.ends is None else self.ends.alike(relation)
            names = round_trip_choices(relation, self.glosses, self.seed, self.declarations, alike)
            self._choices[relation] = [
                {"relation": name, "statement": self.glosses[name].state("S", "O")}
                for name in names
            ]
        blocks = {"relations": self._choices[relation]}
        return self._call("round_trip", item.question.id, {"question": question}, blocks)

    def gloss(self, relation: str, samples: Sequence[Triple], earlier: Earlier) -> Call:
        """Asks for the description of a relation, given some of its triples."""
        rows, silent = _rows(earlier)
        values = {"relation": relation, "language": self.chosen.language}
        shown = [{"subject": s, "object": o} for s, _, o in samples]
        call = self._call("gloss", relation, values, {"samples": shown, "earlier": rows})
        return replace(call, sample=silent)

    def _about(
        self,
        item: QuestionInput,
        purpose: str,
        more: Mapping[str, str],
        blocks: Blocks,
        model: str = "",
    ) -> Call:
        """A call with all that prompts say about a question."""
        question = item.question
        values = {
            **item.values(),
            "names": self.prompts.names[item.naming],
            "form": self.prompts.structures.get(question.structure, ""),
            "language": self.chosen.language,
            **more,
        }
        shown = {**item.blocks(), **blocks}
        return self._call(item.prefix + purpose, question.id, values, shown, model)

    def _call(
        self,
        purpose: str,
        subject: str,
        values: Mapping[str, str],
        blocks: Blocks,
        model: str = "",
    ) -> Call:
        """A call to a model; by default the one that writes the questions."""
        chosen = self.chosen
        return Call(
            purpose=purpose,
            subject=subject,
            model=model or chosen.model,
            messages=self.prompts.messages(purpose, values, blocks),
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature if chosen.temperature >= 0 else None,
            seed=self.seed % SEEDS,
            schema=SCHEMAS[purpose],
        )


def _rows(earlier: Earlier) -> tuple[list[dict[str, str]], int]:
    """Earlier texts and reasons, each shortened to one line, and how many were cut off before any text.

    There is nothing to mend in those: they are asked for again as they were, as a further sample.
    """
    shown = [
        {"text": _quoted(text), "reason": _quoted(reason)}
        for text, reason in earlier
        if reason != CODES["cut_off"] or visible_reply(text).strip()
    ]
    return shown, len(earlier) - len(shown)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED else f"{line[:MAX_QUOTED]}…"


def round_trip_choices(
    relation: str,
    glosses: Glosses,
    seed: int,
    declarations: Declarations | None = None,
    alike: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Chooses the relations that a round-trip check offers.

    Args:
        relation: The relation asked about; it is one of them.
        glosses: The relation descriptions.
        seed: Breaks ties between relations that are equally similar.
        declarations: Which relations state the same facts; none if omitted.
        alike: The relations between entities of the same types, which alone a reader may take for it; None:
            any may be.

    Returns:
        The relations, sorted by name, so that the position reveals nothing. Left out are those that no
        question distinguishes from the one asked about: those with the same words in their statement, in
        either direction, and those declared to state the same facts. Of the others those in `alike`,
        `MAX_CHOICES` at most, and where these are few, `MIN_CHOICES`: then the most similar ones come along
        (Jaccard similarity of the words of name and statement).
    """

    def without_ends(name: str) -> str:
        return glosses[name].statement.replace("{subject}", "{}").replace("{object}", "{}")

    declared = declarations or Declarations()
    same, fact = without_ends(relation), declared[relation].fact
    others = [
        row.relation
        for row in glosses.rows
        if without_ends(row.relation) != same and declared[row.relation].fact != fact
    ]
    near = len(others) if alike is None else sum(name in alike for name in others)
    most = min(MAX_CHOICES, max(MIN_CHOICES, 1 + near))
    if len(others) >= most:
        words, own = glosses.words, glosses.words[relation]
        drawn = stream(seed, "round_trip", relation).permutation(len(others)).tolist()
        similarity = {
            name: (
                alike is not None and name not in alike,
                -len(own & words[name]) / len(own | words[name]),
                place,
            )
            for name, place in zip(others, drawn, strict=True)
        }
        others = sorted(others, key=similarity.__getitem__)[: most - 1]
    return tuple(sorted([relation, *others]))
