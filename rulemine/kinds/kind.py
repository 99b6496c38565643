"""What a kind of question supplies to those who read, show and score its releases.

A kind has a few names and functions of its own, and an object for each thing that is asked of it in one
place: what bounds the number of its questions (`Amounts`), how a model words them (`Wording`). What it
decides in a build is in `rulemine.kinds.building`, which needs more to be loaded.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rulemine.codec import to_json
from rulemine.config import Section
from rulemine.errors import ConfigError
from rulemine.kinds.group import STRUCTURE, Group
from rulemine.registry import imported, loaded

if TYPE_CHECKING:
    from pathlib import Path

    from rulemine.kinds.answers import EntityAnswers
    from rulemine.phrasing.templates import Templates

__all__ = [
    "ONE_WRITER",
    "TEST_CORE",
    "Amounts",
    "Input",
    "Kind",
    "KindOptions",
    "Published",
    "ReleaseFile",
    "Setting",
    "Values",
    "Wording",
    "pairs",
]

Setting = tuple[tuple[str, ...], Any]

Values = Callable[[Any], tuple[Hashable, ...]]
"""From a question to its values of one property, e.g. its relations; each value once."""

ONE_WRITER: Mapping[tuple[str, ...], str] = {
    ("verbalizer.rewriter_model",): (
        "for the kinds structures, subgraphs, cypher only; no model but verbalizer.model writes questions of "
        "the kind {kind}. Leave it out."
    )
}
"""`KindOptions.lacks` of kinds for which no second model words the questions."""

TEST_CORE = ("questions.test_core", 100, "enough to tell two systems apart, or a third of the core")
"""An entry of `KindOptions.drafted`, of kinds whose questions often miss nothing."""


@dataclass(frozen=True, slots=True)
class KindOptions(Section):
    """The section of a recipe that is called as the kind; this one has no options.

    A kind that is called as another key of recipes has no section.

    Attributes:
        lacks: The other keys of a recipe that do nothing for the kind → for which kinds they are, and why.
        drafted: What a recipe drafted for a graph has: a key, its value, and why, in a line.
    """

    drafted: ClassVar[Sequence[tuple[str, Any, str]]] = ()

    @property
    def parts(self) -> int:
        """Into how many parts the questions fall, of each of which `Amounts.amount` is the number."""
        return 1

    lacks: ClassVar[Mapping[tuple[str, ...], str]] = {
        (
            "questions.max_answer_share",
            "questions.max_answers",
            "questions.max_questions",
            "questions.max_relation_share",
            "selection.mode",
            "selection.per_type",
        ): (
            "for the kind rules only; questions of the kind {kind} are made within the limits of the section "
            "{kind}, with the selection maximal. Leave it out."
        ),
        ("verbalizer.paraphrases",): (
            "for the kind rules only; a question of the kind {kind} has one text, which is checked in other "
            "ways. Leave it out."
        ),
    }

    @classmethod
    def has(cls, key: str) -> bool:
        """Whether a key of recipes, e.g. ``questions.max_questions``, does something for the kind."""
        return not any(key in keys for keys in cls.lacks)

    def check(self, recipe: Any) -> None:
        """Checks the whole recipe, a `rulemine.recipe.recipe.Recipe` that has this section.

        Raises:
            ConfigError: It gives options that the kind lacks, or that contradict each other.
        """
        for names, why in self.lacks.items():
            if recipe.selection.mode == "none":  # which every kind but one may have
                names = tuple(name for name in names if name != "selection.mode")
            recipe.refuse(names, why.format(kind=recipe.kind))

    def portable(self) -> dict[str, Any]:
        """The section as plain values that name no address; files are named as they are given."""
        return to_json(self)

    def endpoints(self, usual: Any) -> list[Any]:
        """Where further models are that the section names, each an `EndpointOptions`.

        Args:
            usual: Where a model is that has no address of its own, and what may be asked of all.
        """
        return []


@dataclass(frozen=True, slots=True)
class Input:
    """Something that builds of a kind read; if all kinds read what has its name, they read it in this way.

    Attributes:
        name: Its name in `rulemine.recipe.inputs.Inputs`.
        read: Reads it, given the inputs of a build.
        digest: What the questions depend on of it, as plain values; None: nothing that other keys lack.
        keys: The keys of a recipe that name its files.
        stand_in: Takes it from a release that is built again where a file is not at hand, or that is a fresh
            variant; None: the files must be there.
        place: Where a release has it, in words.
    """

    name: str
    read: Callable[[Any], Any]
    digest: Callable[[Any], Any] | None = None
    keys: tuple[str, ...] = ()
    stand_in: Callable[[Any], Any] | None = None
    place: str = ""


class ReleaseFile(NamedTuple):
    """A file that only releases of a kind have: records, one a line.

    Attributes:
        name: Its name.
        record: The frozen dataclass of the records; the types of its fields say what is renamed.
        by: The fields that the records are sorted by; empty: they stay in their order.
        about: What a table of them is about, for exports; empty: there is none.
        made: Makes the records of a release from those that were asked with, given these, the questions
            with their splits, and the config of the manifest.
    """

    name: str
    record: type
    by: tuple[str, ...] = ()
    about: str = ""
    made: Callable[[Any, Sequence[Any], Mapping[str, Any]], Sequence[Any]] = (
        lambda rows, _questions, _config: rows
    )


class Published(NamedTuple):
    """What the source of a question says of it that others published.

    Attributes:
        query: The query word for word; "": it has none, or that is `query`.
        executed: What it gave on the complete graph where that was run elsewhere; None: it was not.
        listed: The answers as often as the source lists them, which metrics of other projects count; empty:
            each once.
        graph: The name of the property graph that it is about; "": there is only one, or none.
        rows: The triples that it came with, as rows of the complete graph with entities called and sorted by
            private id (`rulemine.kg.question_graphs.by_private_id`); empty: it came with none.
    """

    query: str = ""
    executed: Collection[str] | None = None
    listed: Sequence[str] = ()
    graph: str = ""
    rows: Sequence[int] = ()


@dataclass(frozen=True)
class Amounts:
    """How many questions there are, and what bounds their number.

    Attributes:
        amount: The key of a recipe that says how many questions there are; "": there is none.
    """

    amount: str = "selection.per_rule"

    def kept(self, recipe: Any, asked: Any, note: Callable[[str], object] | None = None) -> Any:
        """Drops questions until no more than allowed have something in common; called once all have words.

        Args:
            recipe: The recipe.
            asked: The questions, a `rulemine.release.question_set.QuestionSet`.
            note: Told, in sentences, which limits leave few; None: nobody is.
        """
        return asked

    def run(self, config: Mapping[str, Any]) -> int:
        """The number of a fresh variant of a release; 0: it is the published one.

        Args:
            config: Of its manifest.
        """
        return 0

    def fresh(self, config: Mapping[str, Any], number: int, texts: int) -> Sequence[Setting] | None:
        """What a fresh variant changes of the recipe of a release: paths of keys, with values.

        Args:
            config: Of its manifest.
            number: Of the variant, ≥ 1.
            texts: How many seed texts are asked about anew.

        Returns:
            None: there are no variants of releases of this kind.
        """
        return None


class Wording:
    """How a model words questions.

    Attributes:
        writes: Whether a model, if one is named, writes the questions in the stage ``ask``, rather than
            putting them into other words in the stage ``verbalize``.
        prompts: The packaged file of prompts, a path below the package; empty: no model writes texts of the
            kind.
        spare: Sections of it that a user's copy may lack, as only other kinds need them.
    """

    writes: ClassVar[bool] = False
    prompts: ClassVar[str] = ""
    spare: ClassVar[Sequence[str]] = ()

    def loaded(self, kind: str, source: str) -> Any:
        """The prompts for a kind of this name: those of a user's file, or else the packaged ones.

        Raises:
            InputError: The file cannot be read or is not TOML.
            ConfigError: It is no prompt file, or no model writes texts of this kind.
        """
        if not self.prompts:
            raise ConfigError(
                f"no model writes the texts of questions of the kind {kind}. Leave out --model."
            )
        return loaded("rulemine.verbalizer.prompts:load_prompts")(source, self.prompts, self.spare)

    def inputs(self, inputs: Any, asked: Any, removed: Any) -> Sequence[Any]:
        """What prompts and checks of the stage ``verbalize`` need to know of each question.

        Args:
            inputs: The `rulemine.recipe.inputs.Inputs` of a build.
            asked: Its `rulemine.release.question_set.QuestionSet`.
            removed: Rows of the complete KG that are removed.

        Returns:
            A `rulemine.verbalizer.checks.QuestionInput` for each.
        """
        raise NotImplementedError

    def about(self, question: Any) -> tuple[Any, str, str, str]:
        """What a rejection says of a question: removed triple, direction, rule and query."""
        return None, "", "", question.query

    def estimate(self, inputs: Any, selection: Any, folder: "Path", replay: "Path | None") -> str:
        """What it would take to have a model write the questions, as text, without a call.

        Called of kinds that write; arguments as of `rulemine.builder.verbalize_stage.estimate`.
        """
        raise NotImplementedError


class Kind:
    """A kind of question. What it leaves out is as for queries of any form.

    Attributes:
        name: Its name in recipes, manifests and questions.
        Options: Its section of a recipe, a dataclass.
        block: The frozen dataclass of what only its questions have; None: it is not known. The types of its
            fields say what is renamed, see `rulemine.release.records`.
        answers: The type of its answers.
        inputs: What its builds read beside what all read, or in another way. Questions are about the graph
            that is called ``property_graph``, if there is one; ``type_table`` is where the types of entities
            are from, with entity → its types, if a release does not have those of its triples.
        page: The template of its cards, a path below this package, or a
            `rulemine.release.card.figures.KindPage`.
        groups: What results are broken down by; tables of questions divide them by the first.
        limits, wording: See there.
    """

    name: ClassVar[str] = ""
    Options: ClassVar[type[KindOptions]] = KindOptions
    block: ClassVar[type | None] = None
    answers: ClassVar[type["EntityAnswers"]] = imported("rulemine.kinds.answers:EntityAnswers")
    inputs: ClassVar[Sequence[Input]] = ()
    page: ClassVar[Any] = "kinds/query_page.md"
    groups: ClassVar[Sequence[Group]] = (STRUCTURE,)
    limits: ClassVar[Amounts] = Amounts()
    wording: ClassVar[Wording] = Wording()

    @property
    def files(self) -> Sequence[ReleaseFile]:
        """The files that only its releases have, beside property graphs."""
        return ()

    def published(self, question: Any) -> Published:
        """What others say of a question that they published; nothing of one that was built."""
        return Published()

    def text(self, question: Any, templates: "Templates", *, articles: bool) -> str:
        """The text of a question from templates.

        Args:
            question: The question; the entities as the text names them.
            templates: The templates of all relations.
            articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
        """
        from rulemine.phrasing.compose import compose
        from rulemine.query.parser import parse

        query, between = parse(question.query), len(question.intermediates)
        return compose(query, templates, articles=articles, intermediates=between)

    def choices(self, question: Any) -> Mapping[str, str]:
        """The entities that the text of a question offers as answers, by what replies may call them.

        The text names each of them, answers too; of other questions no text names an answer.

        Returns:
            Label → entity, e.g. ``A``; empty: nothing is offered.
        """
        return {}

    def ties(self, questions: Sequence[Any]) -> Iterator[Collection[Hashable]]:
        """For each question what keeps it and others that have it together: `rulemine.release.groups`."""
        for q in questions:
            asked = () if q.hard_answer is None else pairs(q.anchors, [q.hard_answer])
            yield [*q.removed, *asked]


def pairs(topics: Iterable[str], answers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The unordered pairs of a topic entity and an answer."""
    return (min((a, b), (b, a)) for a in topics for b in answers)
