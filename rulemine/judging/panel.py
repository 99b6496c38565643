"""A panel of judges: models that say what is wrong with a question, its answer and its proof.

Each judge is asked three things, one call each: about the text alone, about answer and facts, and, where
something was removed, about the step from the facts to it. The first two ask what the prompts P2 and P3 of
Dynamic-KGQA (Dammu, Naidu and Shah 2025) ask, and for a second reading; a question is accepted as there: when
all judges find it well formed, not redundant, supported and adequately answered.

Guarantees: the ballots depend on the replies alone, not on the order of their arrival; a reply that cannot be
read is asked for once more, counts as unreadable after that, and an unreadable ballot rejects.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, NamedTuple

from rulemine.errors import ConfigError
from rulemine.llm.call import Ask, Call, Failure, Message
from rulemine.llm.estimates import Purpose
from rulemine.text.json_reply import TEXT, object_schema
from rulemine.verbalizer.prompts import Prompts, load_prompts
from rulemine.verbalizer.replies import TextProblem, read_object

__all__ = [
    "FLAGS", "GRADES", "SEATS", "Ballot", "Flag", "Judge", "JudgedQuestion", "Mark", "Panel", "Stated",
    "is_accepted", "load_judge_prompts", "purposes_of", "seat_judges",
]  # fmt: skip

SEATS = 3
"""Judges of a panel."""

GRADES = ("sound", "plausible", "absurd")
"""How good the step from the facts to the removed triples is."""

MAX_OTHERS = 20
"""How many other answers a prompt lists at most."""

TEMPERATURE = 0.7
"""Temperature of a model that takes several seats: at 0 its replies would be the same."""


OF_FLAG, OF_AGAIN = 25, 60
"""Typical tokens of a decision with its reason, and of the message that asks again after a bad reply."""

HOTTEST = 2
"""The highest temperature that the chat API accepts."""


class Flag(NamedTuple):
    """What a judge decides about a question.

    Attributes:
        name: As in Table 2 of Dynamic-KGQA; `NAME_flag` and `NAME_reasoning` are the keys of a reply.
        purpose: The call that asks for it.
        good: Its value where nothing is wrong.
        decides: Whether it is among those that all judges must find good.
        label: What is good, in words.
    """

    name: str
    purpose: str
    good: bool | str
    decides: bool
    label: str


FLAGS = (
    Flag("logical_structure", "judge_wording", True, True, "fluent"),
    Flag("redundancy", "judge_wording", False, True, "does not give its answer away"),
    Flag("ambiguity", "judge_wording", False, False, "one reading"),
    Flag("answer_support", "judge_support", True, True, "answer supported"),
    Flag("answer_adequacy", "judge_support", True, True, "answer adequate"),
    Flag("proof", "judge_proof", "sound", False, "proof sound"),
)
"""The flags, in the order in which they are asked for."""


def _schema(purpose: str) -> dict[str, Any]:
    """The schema of a reply: for each flag first the reasoning, then the decision."""
    properties: dict[str, Any] = {}
    for flag in FLAGS:
        if flag.purpose == purpose:
            grades = {"type": "string", "enum": list(GRADES)}
            kind = {"type": "boolean"} if isinstance(flag.good, bool) else grades
            properties |= {f"{flag.name}_reasoning": TEXT, f"{flag.name}_flag": kind}
    return object_schema(**properties)


_SCHEMAS = {purpose: _schema(purpose) for purpose in dict.fromkeys(flag.purpose for flag in FLAGS)}


class Stated(NamedTuple):
    """A triple as judges see it.

    Attributes:
        triple: Subject, relation and object, e.g. ``Ann, parent_of, Bob``.
        statement: The same in words.
    """

    triple: str
    statement: str


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """What judges are shown of a question.

    Attributes:
        id: Its id.
        question: Its text.
        answer: The answer that is judged.
        others: Further right answers, which are no reason to find fault with the one judged.
        facts: What the answer rests on.
        naming: The naming of all names in it, one of `NAMINGS`.
        proof: Of the facts, those that the conclusions were drawn from.
        conclusions: The triples that were concluded; none: nothing is asked about a proof.
    """

    id: str
    question: str
    answer: str
    others: tuple[str, ...]
    facts: tuple[Stated, ...]
    naming: str
    proof: tuple[Stated, ...] = ()
    conclusions: tuple[Stated, ...] = ()


class Judge(NamedTuple):
    """A member of a panel.

    Attributes:
        model: The model.
        sample: How many judges before it are the same model: its calls are further samples of theirs, so
            that a journal keeps a reply of each.
        temperature: Of its calls; None: the endpoint's.
    """

    model: str
    sample: int
    temperature: float | None


class Mark(NamedTuple):
    """A judge's decision about one flag.

    Attributes:
        value: True or false, or one of `GRADES`; None where no reply could be read.
        reasoning: The reason given, on one line; for None why there is no decision.
    """

    value: bool | str | None
    reasoning: str


Ballot = Mapping[str, Mark]
"""Name of a flag → a judge's decision, in the order of `FLAGS`; without those that were not asked for."""


def seat_judges(models: Sequence[str], temperature: float | None = None) -> tuple[Judge, ...]:
    """Seats the judges of a panel.

    Args:
        models: Three models, some or all of which may be the same; or one, which judges three times.
        temperature: Of all calls; None: 0, and `TEMPERATURE` for a model that sits more than once; below 0:
            not sent.

    Raises:
        ConfigError: There are neither one nor three models, or the temperature is above `HOTTEST`.
    """
    if len(models) not in (1, SEATS) or not all(models):
        raise ConfigError(
            f"a panel of {len(models)} models ({', '.join(models) or 'none named'}); expected {SEATS}, or "
            f"one, which judges {SEATS} times: --model A --model B --model C, or --model A."
        )
    if temperature is not None and not temperature <= HOTTEST:  # NaN is not, either
        raise ConfigError(f"temperature is {temperature}; expected a number up to {HOTTEST}.")
    seats = list(models) * (SEATS // len(models))
    usual = [TEMPERATURE if seats.count(model) > 1 else 0.0 for model in seats]
    own = None if temperature is not None and temperature < 0 else temperature
    return tuple(
        Judge(model, seats[:i].count(model), usual[i] if temperature is None else own)
        for i, model in enumerate(seats)
    )


def load_judge_prompts(source: str = "") -> Prompts:
    """Loads and checks the prompts of a panel.

    Args:
        source: A TOML file, or "" for the packaged one.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Something is missing, unknown or of the wrong type; one message lists all.
    """
    return load_prompts(source, "judging/judges.toml")


@dataclass(frozen=True)
class Panel:
    """A panel; it holds no state.

    Attributes:
        judges: The judges.
        prompts: Their prompts, see `load_judge_prompts`.
        max_tokens: Tokens of a reply at most.
        seed: Sent with every call; a further sample is asked for with the next seed.
    """

    judges: tuple[Judge, ...]
    prompts: Prompts = field(default_factory=load_judge_prompts, repr=False)
    max_tokens: int = 1024
    seed: int = 0

    def calls(self, item: JudgedQuestion, judge: Judge) -> tuple[Call, ...]:
        """The calls that ask a judge about a question: two, or three where something was concluded."""
        others = ", ".join(item.others[:MAX_OTHERS]) + ", …" * (len(item.others) > MAX_OTHERS)
        values = {
            "question": item.question,
            "answer": item.answer,
            "others": others or "none",
            "names": self.prompts.names[item.naming],
        }
        return tuple(
            Call(
                purpose=purpose,
                subject=item.id,
                model=judge.model,
                messages=self.prompts.messages(
                    purpose,
                    {
                        **values,
                        "facts": [
                            fact._asdict()
                            for fact in (item.proof if purpose == "judge_proof" else item.facts)
                        ],
                        "conclusions": [fact._asdict() for fact in item.conclusions],
                    },
                ),
                max_tokens=self.max_tokens,
                temperature=judge.temperature,
                seed=self.seed,
                sample=judge.sample,
                schema=schema,
            )
            for purpose, schema in _SCHEMAS.items()
            if item.conclusions or purpose != "judge_proof"
        )

    async def ballot(self, item: JudgedQuestion, judge: Judge, ask: Ask) -> Ballot:
        """Asks a judge about a question."""
        calls = self.calls(item, judge)
        found = await asyncio.gather(*(self._decision(call, ask) for call in calls))
        said = {call.purpose: one for call, one in zip(calls, found, strict=True)}
        return {f.name: _mark(f, said[f.purpose]) for f in FLAGS if f.purpose in said}

    async def _decision(self, call: Call, ask: Ask) -> dict[str, Any] | TextProblem:
        """What a reply says; after one that cannot be read, what a second one says."""
        again = self.prompts.sections["again"]["user"].strip("\n")
        last: Message = call.messages[-1]
        more = {**last, "content": f"{last['content']}\n\n{again}"}
        form = _SCHEMAS[call.purpose]
        found: dict[str, Any] | str | TextProblem = ""
        for asked in (call, replace(call, messages=(*call.messages[:-1], more))):
            answer = await ask(asked)
            if isinstance(answer, Failure):
                return TextProblem.of(answer)
            found = read_object(answer, form, [f for f in form["properties"] if "_reasoning" in f])
            if isinstance(found, dict):
                break
        return TextProblem("malformed", "words without JSON") if isinstance(found, str) else found


def _mark(flag: Flag, said: Mapping[str, Any] | TextProblem) -> Mark:
    if isinstance(said, TextProblem):
        return Mark(None, f"{said.code}{': ' * bool(said.detail)}{said.detail}")
    return Mark(said[f"{flag.name}_flag"], " ".join(said[f"{flag.name}_reasoning"].split()))


def purposes_of(calls: Sequence[Call], answered: int = 0) -> list[Purpose]:
    """Estimates the calls of a panel: at most twice as many, if no reply can be read.

    Args:
        calls: The calls to make.
        answered: How many further calls the journal already answers.
    """
    flags = Counter(flag.purpose for flag in FLAGS)
    found = fmean(flags[call.purpose] for call in calls) if calls else 0
    n = len(calls)
    return [Purpose.of("votes", calls, n, 2 * n, OF_FLAG * found, more=OF_AGAIN, answered=answered)]


def is_accepted(ballots: Sequence[Ballot]) -> bool:
    """Whether all judges find all flags good that decide; one that is missing or unreadable rejects."""
    return bool(ballots) and all(
        flag.name in ballot and ballot[flag.name].value == flag.good
        for ballot in ballots
        for flag in FLAGS
        if flag.decides
    )
