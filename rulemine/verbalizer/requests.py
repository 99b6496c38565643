"""The calls of the verbalizer: messages, parameters and reply schema.

Guarantee: the same options and arguments give the same call.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rulemine.kg.graph import Triple
from rulemine.llm.call import Call
from rulemine.phrasing.glosses import Glosses
from rulemine.text.visible_reply import visible_reply
from rulemine.verbalizer.checks import CODES
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Prompts
from rulemine.verbalizer.replies import SCHEMAS

__all__ = ["Calls"]

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
        chosen: The options: models, parameters, judge, paraphrases.
        seed: The seed of the build.
        glosses: The relation descriptions; none where the model has to write them.
    """

    prompts: Prompts
    chosen: VerbalizerSection
    seed: int
    glosses: Glosses = field(default_factory=lambda: Glosses(()))

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
