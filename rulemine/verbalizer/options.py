"""The recipe's section about questions in a language model's words."""

from dataclasses import dataclass

from rulemine.config import _check
from rulemine.kg.entity_names import NAMINGS

__all__ = ["VerbalizerSection"]


VERBALIZERS = ("template", "openai")


ON_FAILURE = ("template", "drop")


@dataclass(frozen=True, slots=True)
class VerbalizerSection:
    """How questions are put into words; everything here can change bytes.

    Attributes:
        name: ``template`` (the relation's template; no key, no network) or ``openai`` (a model behind any
            endpoint with OpenAI's chat API).
        model: The model; needed for ``openai``.
        temperature: Of the model; below 0: not sent, for models that refuse it.
        max_tokens: Tokens of one reply at most. Models that think before they write need more.
        prompt: A TOML file of prompts; empty: the one that comes with the package.
        glosses: ``family``, ``demo``, ``fb15k237`` or a TOML file that says what relations mean
            (`rulemine gloss`); empty: the templates do.
        naming: How the prompts name entities: ``private``, ``entity``, ``text`` or ``numeric``; empty: as the
            release does.
        language: The language of the questions, by its English name.
        attempts: Texts asked for until one passes the checks.
        on_failure: What a question without one gets: ``template`` (marked as such) or ``drop``.
        judge_model: A second model that says PASS or FAIL to every text; empty: none.
        round_trip: Whether the model must recognise relation and direction in its own text.
        paraphrases: Further texts per question, 0 to 20.
    """

    name: str = "template"
    model: str = ""
    temperature: float = 0.0
    max_tokens: int = 300
    prompt: str = ""
    glosses: str = ""
    naming: str = ""
    language: str = "English"
    attempts: int = 3
    on_failure: str = "template"
    judge_model: str = ""
    round_trip: bool = False
    paraphrases: int = 0

    def __post_init__(self) -> None:
        _check(self.name in VERBALIZERS, "name", self.name, " or ".join(VERBALIZERS))
        ok = bool(self.model.strip()) or self.name == "template"
        _check(ok, "model", self.model, "the name of a model (--model)")
        ok = float("-inf") < self.temperature <= 2
        _check(ok, "temperature", self.temperature, "a number up to 2")
        _check(self.max_tokens >= 1, "max_tokens", self.max_tokens, "an integer ≥ 1")
        ok = self.naming in ("", *NAMINGS)
        _check(ok, "naming", self.naming, f"{', '.join(NAMINGS)}, or empty")
        _check(bool(self.language.strip()), "language", self.language, "the name of a language")
        _check(self.attempts >= 1, "attempts", self.attempts, "an integer ≥ 1")
        ok = self.on_failure in ON_FAILURE
        _check(ok, "on_failure", self.on_failure, " or ".join(ON_FAILURE))
        _check(0 <= self.paraphrases <= 20, "paraphrases", self.paraphrases, "0 to 20")
