"""The section ``variants`` of a recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.errors import ConfigError
from rulemine.kinds.kind import ONE_WRITER, TEST_CORE, KindOptions
from rulemine.llm.options import EndpointOptions, at_addresses

__all__ = ["VariantSection"]


@dataclass(frozen=True, slots=True)
class VariantSection(KindOptions):
    """From which entities questions are written, and who judges them; for the kind ``variants`` alone.

    Attributes:
        texts: Seed texts: a file (a text a line), a folder (a text a file, .txt or .md), a column of a table
            (``FILE.csv:COLUMN``, ``FILE.tsv:COLUMN``, ``FILE.jsonl:FIELD``), or ``demo``; in place of a text,
            a field may list the names of its entities. Empty: seed sets are drawn from the graph.
        domains: Types of entities that are drawn, in turn, or the beginnings of their names (``film`` for
            ``/film/actor``); empty: all.
        questions: Questions of the release at most.
        pairs: Questions of one seed text at most.
        topics: TOML with the topics of questions, each with types of entities or domains of relations: a
            file, or a packaged data set that has one; empty: derived.
        joins: ``fb15k237``, ``demo`` or a TOML file of joins that people make, to which chains of the script
            keep; empty: all are asked.
        judges: The models that judge: three, or one that judges three times; ``NAME@URL``: at an address of
            its own, with the key in OPENAI_API_KEY_1, _2 or _3; empty: nothing is judged.
        run: 0: the published release, written at temperature 0; 1, 2, …: a fresh variant of it, of which
            order and temperature differ.
    """

    set_size: ClassVar[int] = 8
    """Entities of a seed set that is drawn."""

    max_neighbors: ClassVar[int] = 1000
    """Triples of an entity that are followed at most: the first by relation, direction and neighbor."""

    max_triples: ClassVar[int] = 100
    """Triples of the subgraph that the writer sees at most; texts with a larger one are skipped."""

    max_answers: ClassVar[int] = 0
    """Most answers of a question; 0: any number."""

    max_evidence: ClassVar[int] = 100
    """Most triples in the derivations of all answers of a question."""

    fixed_values: ClassVar = (
        "set_size",
        "max_neighbors",
        "max_triples",
        "max_answers",
        "max_evidence",
    )

    lacks: ClassVar = {
        **KindOptions.lacks,
        **ONE_WRITER,
        ("verbalizer.judge_model",): (
            "for the kinds rules, structures, subgraphs, cypher only; the judges of the kind {kind} are "
            "variants.judges, one model or three: --set 'variants.judges=[\"NAME\"]'."
        ),
    }
    drafted: ClassVar = (
        ("questions.ratios", [5, 1, 1], "as published, so that test has some core"),
        TEST_CORE,
    )

    texts: str = option("", file=True, packaged="texts.txt", column=True)
    domains: tuple[str, ...] = option(())
    questions: int = option(1000, least=1)
    pairs: int = option(5, least=1)
    topics: str = option("", file=True, packaged="topics.toml")
    joins: str = option("", file=True, packaged="joins.toml")
    judges: tuple[str, ...] = option(
        (),
        fits_too=lambda models: len(models) in (0, 1, 3) and all(models),
        expected="one model, or three, or none",
        secret=True,  # an address may hold a key
    )
    run: int = option(0, least=0)

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if self.judges and recipe.verbalizer.name == "template":
            raise ConfigError(
                "variants.judges: judges are models, and verbalizer.name is template. Name a model that "
                "writes too (--model NAME), or leave the judges out."
            )
        self.endpoints(recipe.endpoint)

    def portable(self) -> dict[str, Any]:
        """See `KindOptions.portable`; judges are named without addresses, which may hold keys."""
        return {**KindOptions.portable(self), "judges": self.named_judges(EndpointOptions())[0]}

    def endpoints(self, usual: EndpointOptions) -> list[EndpointOptions]:
        """Where each judge is."""
        return self.named_judges(usual)[1]

    def named_judges(self, usual: EndpointOptions) -> tuple[list[str], list[EndpointOptions]]:
        """The models of `judges`, and where each is, see `at_addresses`."""
        return at_addresses(self.judges, usual, "variants.judges")
