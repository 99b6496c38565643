"""What is given as ``KEY=VALUE``: after ``--set``, and behind the name of a form (``sparql:port=8890``).

Loaded when a command needs it.
"""

from dataclasses import dataclass, field
from typing import Any

from rulemine.config import Section, option
from rulemine.llm.options import EndpointOptions
from rulemine.registry import Registry

__all__ = ["JudgingOptions", "ModelOptions", "form_of"]


@dataclass(frozen=True)
class ModelOptions(Section):
    """Where a model is.

    Attributes:
        endpoint: Where it is, and what may be asked of it.
    """

    endpoint: EndpointOptions = field(default_factory=EndpointOptions)


@dataclass(frozen=True)
class JudgeSection(Section):
    """How judges are asked.

    Attributes:
        prompts: The prompts of the judges, TOML; empty: the packaged file.
        temperature: Of all calls; below 0: not sent; empty: 0, and 0.7 for a model that sits more than once.
        max_tokens: Tokens of a reply.
    """

    prompts: str = option("", file=True)
    temperature: float | None = option(None)
    max_tokens: int = option(1024, least=1)


@dataclass(frozen=True)
class JudgingOptions(ModelOptions):
    """How judges are asked, and where they are.

    Attributes:
        judge: How they are asked.
    """

    judge: JudgeSection = field(default_factory=JudgeSection)


@dataclass(frozen=True)
class Tasks(Section):
    """Questions over a property graph.

    Attributes:
        per_template: Tasks of each MATCH template, at most.
        seed: Which tasks.
    """

    per_template: int = option(40, least=1, most=10_000)
    seed: int = option(0, least=0)


@dataclass(frozen=True)
class QuestionsForm(Section):
    """Which questions of a release a system is given.

    Attributes:
        split: train, validation, test or all.
        sample: The first so many of one fixed order, the core first; empty: all.
    """

    split: str = option("test")
    sample: int | None = option(None)


@dataclass(frozen=True)
class Supervision(Section):
    """How triples of shortest paths are compared with the evidence.

    Attributes:
        split: train, validation, test or all.
        answers: What paths lead to: the answer that a question asks for, or all of the complete graph.
        model: A model that reads the paths; empty: none.
        replies: A folder for its replies; none is asked for again.
        sample: The first so many questions that it reads; empty: all.
        max_tokens: Tokens of its reply, at most.
        format: Of what is printed.
    """

    split: str = option("all")
    answers: str = option("asked", choices=("asked", "all"))
    model: str = option("")
    replies: str = option("")
    sample: int | None = option(None)
    max_tokens: int = option(256, least=1)
    format: str = option("table", choices=("table", "json", "csv", "markdown", "latex", "html"))


@dataclass(frozen=True)
class Page(Section):
    """A page of the questions of a release.

    Attributes:
        split: train, validation, test or all.
        port: A port on this machine; 0: any that is free.
    """

    split: str = option("test")
    port: int = option(8765)


@dataclass(frozen=True)
class Endpoint(Section):
    """A SPARQL endpoint over the graph of a release.

    Attributes:
        kg: complete, incomplete or incomplete-LEVEL.
        naming: private, entity or text; empty: that of the release.
        iris: freebase (ns:m.e00039) or release (entity:NAME).
        port: A port on this machine; 0: any that is free.
        timeout: Seconds after which a query is ended.
        max_rows: Rows of a result; the rest is cut off.
    """

    kg: str = option("incomplete")
    naming: str = option("")
    iris: str = option("freebase")
    port: int = option(8890)
    timeout: float = option(30.0)
    max_rows: int = option(100_000)


def form_of(written: str, option: str, **forms: type[Section]) -> Any:
    """What a text such as ``sparql:port=8890`` names, made with its options.

    Args:
        written: The text.
        option: The option that it is the value of, for messages.
        forms: Name → its options.

    Raises:
        ConfigError: There is no such form, it has no such option, or a value is out of range.
    """
    from rulemine.config import keys_of

    made = forms.get(written.partition(":")[0])
    names = ", ".join(key.name for key in keys_of(made())) if made else ", ".join(forms)
    known: Registry[type[Section]] = Registry("", option, Section, forms)
    return known.made(written, next(iter(forms)), f"Options: {names}.")
