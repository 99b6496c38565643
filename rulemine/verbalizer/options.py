"""The recipe's section of verbalization options."""

from dataclasses import dataclass

from rulemine.config import Section, option
from rulemine.errors import ConfigError
from rulemine.kg.entity_names import NAMINGS

__all__ = ["VerbalizerSection"]


@dataclass(frozen=True, slots=True)
class VerbalizerSection(Section):
    """How questions are verbalized; every option can change bytes of the release.

    Attributes:
        name: What writes the questions: ``template`` (no key, no network) or ``openai`` (a model behind any
            endpoint with OpenAI's chat API).
        model: The model; needed for ``openai``.
        temperature: The temperature of the model; below 0: not sent, for models that refuse it.
        max_tokens: Tokens of one reply at most. Models that think before they write need more.
        prompt: A TOML file of prompts; empty: the packaged one.
        glosses: ``family``, ``demo``, ``fb15k237`` or a TOML file of relation descriptions (rulemine
            data gloss); empty: made from the templates.
        naming: How the prompts name entities: ``private``, ``entity``, ``text`` or ``numeric``; empty: by
            their labels (``text``) where the graph has any, else as the release does.
        language: The language of the questions, by its English name.
        judge_model: A second model that says PASS or FAIL to every text, or, of the kind ``subgraphs``,
            answers test questions from their evidence and compares paraphrases; empty: none, and for
            paraphrases of that kind and for the kinds ``structures`` and ``cypher``, which are always
            judged, `model`; kind ``variants``: see its ``judges``.
        rewriter_model: The model that rewrites texts which fail (kinds ``structures``, ``cypher``; empty:
            `model`) or says accepted questions in other words (kind ``subgraphs``; empty: none).
        paraphrases: Further texts per question; kind ``rules``.
    """

    name: str = option("template", choices=("template", "openai"))
    model: str = option("", flag=True)
    temperature: float = option(0.0, most=2)
    max_tokens: int = option(300, least=1)
    prompt: str = option("", file=True)
    glosses: str = option("", file=True, packaged="glosses.toml")
    naming: str = option("", choices=("", *NAMINGS))
    language: str = option("English", fits_too=str.strip, expected="the name of a language")
    judge_model: str = option("")
    rewriter_model: str = option("")
    paraphrases: int = option(0, least=0, most=20)

    def __post_init__(self) -> None:
        Section.__post_init__(self)
        if self.name != "template" and not self.model.strip():
            raise ConfigError(f"model is {self.model!r}; expected the name of a model (--model)")
